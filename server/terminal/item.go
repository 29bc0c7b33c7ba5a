// Package terminal shows the questions of a workspace and what its sources lack in a terminal. It draws cells and never
// text that a terminal would interpret, so nothing that a note, a source or a model says can do more than be read.
//
// Begin with [Run]. board.go says what a key does, view.go what stands where, and editor.go how a place is opened.
package terminal

import "context"

// State says how far the sources answer a question. The values are the words by which a list marks it.
type State string

const (
	Lacking  State = "gap"      // something is missing
	Near     State = "near"     // there are nearest places
	Known    State = "known"    // the sources answer it
	Nothing  State = "nothing"  // nothing is near
	Answered State = "answered" // the note has an answer
)

// Item is a question of a note.
type Item struct {
	File     string // absolute
	Name     string // of the file, as it is shown
	Line     int    // of the question, from 1
	ID       string // identifies the question in its file
	Question string
	State    State
	Gaps     []string // the identities of its gaps, for Dismiss
	Details  []string // what the sources have and lack, a paragraph each
}

func (i Item) same(other Item) bool { return i.File == other.File && i.ID == other.ID }

// Workspace is where the items are from. Its functions are called one at a time.
type Workspace interface {
	// Items reads the notes again and returns their questions, in the order of the notes.
	Items(ctx context.Context) ([]Item, error)
	// Answer answers a question in its note. done says in a sentence what was done.
	Answer(ctx context.Context, item Item) (done string, err error)
	// Dismiss marks the gaps of a question as not needed, or with restore takes that back.
	Dismiss(ctx context.Context, item Item, restore bool) (done string, err error)
}
