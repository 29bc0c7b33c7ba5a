// Package examples holds the example workspaces of this folder, so that the program has them with it.
package examples

import (
	"embed"
	"io/fs"
)

//go:embed all:clinic all:garden
var files embed.FS

// Example is a workspace with a note whose questions its sources answer, all but some.
type Example struct {
	Name  string
	Note  string // the name of its note
	About string // what the note asks, and what it is answered from
}

// All lists the examples; the first is the one to begin with.
func All() []Example {
	return []Example{
		{"clinic", "visit.md", "an invented clinic note, with pages of guidelines and stored questions"},
		{"garden", "plan.md", "a plan for an allotment, with pages on vegetables"},
	}
}

// Files returns the files of an example.
func (e Example) Files() (fs.FS, error) { return fs.Sub(files, e.Name) }
