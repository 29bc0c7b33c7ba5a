// Package cli has the commands of the lacuna program.
package cli

// Main runs the command that args name and returns the exit code.
func Main(args []string) int { panic("not built yet") }
