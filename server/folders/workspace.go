// Package folders is what the session knows of each folder that the editor has open: its workspace with
// sources, index and models, what has been found out about questions, and the notes on disk.
//
// Begin with [Set] and [Folder]. A folder runs by itself once it is started: it opens its workspace, keeps
// the index up to date and judges the questions of notes that are not open. It knows open notes only through
// [OpenNotes].
package folders

import (
	"context"
	"encoding/json"

	"lacuna/handlers"
	"lacuna/handlers/settings"
	"lacuna/knowledge"
	"lacuna/knowledge/answer"
	"lacuna/knowledge/history"
	"lacuna/knowledge/ingest"
	"lacuna/knowledge/llm"
)

// Workspace is an opened folder with its settings and its index.
type Workspace interface {
	Root() string
	Settings() settings.Settings
	// UserFile returns the path of the user's own settings file, whether it exists or not; "" for none.
	UserFile() string
	// Problems lists what was wrong with the settings, each a line that names file and key.
	Problems() []settings.Problem
	Sources() []ingest.Source
	IndexDir() string
	// Library returns the newest snapshot; it stays usable after Close.
	Library() *knowledge.Library
	// Refresh brings the index up to date with the sources. It may take long and honours ctx.
	Refresh(ctx context.Context, report func(knowledge.Event)) error
	// Intact reports whether the files of the index are as they were written, as far as can be told
	// quickly; if not, it is time for a refresh.
	Intact() bool
	// Check compares every byte of the index with its checksums. The error says what differs; the index
	// is not intact then. It takes long and honours ctx.
	Check(ctx context.Context) error
	Subscribe(f func(*knowledge.Library)) (cancel func())
	// Strategy returns an answering system; the empty name stands for the one in the settings.
	Strategy(way answer.Request) (answer.Strategy, error)
	// Models says which models may be asked. It reads nothing and must be quick.
	Models() handlers.Models
	// Preview returns what answering in that way would send to other machines first; it sends
	// nothing to them.
	Preview(ctx context.Context, library *knowledge.Library, q answer.Question, way answer.Request) ([]llm.Outbound, error)
	// Forget takes back that text may be sent to a host; "" means all hosts.
	Forget(ctx context.Context, host string) error
	// History returns what the user made of answers.
	History() *history.Store
	Close() error
}

// OpenRequest says which workspace to open and what the editor set. The settings are layers,
// weakest first, as the client wrote them.
type OpenRequest struct {
	Folder string // absolute; empty when the editor has no folder open
	Editor []json.RawMessage
	// Consent asks the user whether this may be sent to another machine. It takes as long as the user
	// does, ends with ctx, and refuses when ctx is not that of a command the user started. An error says
	// why the user was not asked.
	Consent func(ctx context.Context, out llm.Outbound) (send bool, err error)
}

// Options say how folders are found and opened.
type Options struct {
	// Home returns the workspace that the files of a folder belong to, so that a note in a
	// workspace below the folder that the editor has open is answered from its own sources. It is
	// called when a note is opened and must be quick; nil finds none.
	Home func(dir string) (folder string, found bool)
	// Open opens a workspace; it neither reads sources nor builds anything.
	Open func(ctx context.Context, r OpenRequest) (Workspace, error)
	// Consent is passed on in every [OpenRequest].
	Consent func(ctx context.Context, out llm.Outbound) (send bool, err error)
}
