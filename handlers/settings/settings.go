// Package settings holds everything a user can set: its names, defaults, layers, and which layer
// may set what. A workspace and an editor may only narrow; what widens comes from the user's own
// file, the environment or flags.
package settings

// Settings are the effective settings of one workspace.
type Settings struct{}
