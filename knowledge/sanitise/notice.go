package sanitise

import "strings"

// Notice returns a message of which no editor makes a link. VS Code reads [text](address) in what a server has it
// say as a link, also to its own commands, and a message quotes keys of settings, names of files and errors.
func Notice(text string) string { return strings.ReplaceAll(text, "](", "] (") }
