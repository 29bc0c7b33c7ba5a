package folders

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"path/filepath"
	"sync/atomic"
	"time"

	"go.lsp.dev/protocol"

	"lacuna/handlers"
	"lacuna/handlers/messages"
	"lacuna/handlers/note"
	"lacuna/handlers/settings"
	"lacuna/knowledge"
	"lacuna/knowledge/answer"
	"lacuna/knowledge/gap/ledger"
	"lacuna/knowledge/ingest"
	"lacuna/server/editor"
)

// Folder is the knowledge of one folder: its workspace and what has been found out with it. One goroutine
// opens, refreshes and closes the workspace; the rest of the session reads what that goroutine has
// published.
type Folder struct {
	set    *Set
	editor *editor.Editor
	log    *slog.Logger

	path  string // empty when the editor has no folder open
	name  string // the editor's; may be empty
	outer string // the editor's folder, if this one is a workspace found below it

	findings *findings
	cache    noteCache
	closed   atomic.Pointer[map[string]*note.Note] // the notes on disk by path; nil before the first look
	now      atomic.Pointer[openState]
	activity atomic.Pointer[activity]
	decision atomic.Value // string: what the newest answer of a model was made from

	stale      chan struct{} // holds a token when the sources may have changed
	reopen     chan struct{} // holds a token when the settings may have changed
	notesStale chan struct{} // holds a token when the notes on disk or the library may have changed

	stop context.CancelFunc
	done chan struct{} // closed when run has returned
}

// openState is a workspace with what was read from it once. The zero workspace stands for a folder that is
// not open yet: it has no sources and the default settings.
type openState struct {
	workspace Workspace // nil before the first opening
	folder    string    // of the index; empty when nothing is written to disk
	settings  settings.Settings
	sources   []ingest.Source
	ledger    *ledger.Ledger
	pages     string      // folder of the pages that explain diagnostics; empty when they could not be written
	read      atomic.Bool // the first refresh has ended
}

// activity is what a folder is doing.
type activity struct {
	state   handlers.FolderState // Indexing, SearchingOnly, Trouble or, at rest, empty
	message string
	percent int
}

func newFolder(s *Set, path, name, outer string) *Folder {
	f := &Folder{
		set: s, editor: s.editor, log: s.log, path: path, name: name, outer: outer,
		findings: newFindings(),
		stale:    make(chan struct{}, 1), reopen: make(chan struct{}, 1), notesStale: make(chan struct{}, 1),
		done: make(chan struct{}),
	}
	f.now.Store(&openState{settings: settings.Default(), ledger: f.openLedger(s.editor.Context(), "")})
	f.activity.Store(&activity{state: handlers.Indexing, message: messages.OpeningSources})
	return f
}

// Settings returns the settings in force.
func (f *Folder) Settings() settings.Settings { return f.now.Load().settings }

// Sources returns the sources that are read.
func (f *Folder) Sources() []ingest.Source { return f.now.Load().sources }

func (f *Folder) ledger() *ledger.Ledger { return f.now.Load().ledger }

// unread serves until a workspace is open and has read something, or has found that there is
// nothing to read.
var unread = knowledge.Pending()

// Library returns the newest library; never nil.
func (f *Folder) Library() *knowledge.Library {
	now := f.now.Load()
	if now.workspace == nil {
		return unread
	}
	library := now.workspace.Library()
	if len(library.Passages()) == 0 && !now.read.Load() {
		return unread
	}
	return library
}

// Workspace returns the open workspace, or an error for the user while it is not open.
func (f *Folder) Workspace() (Workspace, error) {
	if w := f.now.Load().workspace; w != nil {
		return w, nil
	}
	return nil, errors.New(messages.SourcesNotOpen)
}

// Strategy returns the system that answers in that way. A panic of it is an error. A quote that is no
// longer in its file has the sources read again: not every editor reports files that change.
func (f *Folder) Strategy(way answer.Request) (answer.Strategy, error) {
	w, err := f.Workspace()
	if err != nil {
		return nil, err
	}
	strategy, err := w.Strategy(way)
	if err != nil {
		return nil, err
	}
	return guarded{f, strategy}, nil
}

type guarded struct {
	folder *Folder
	inner  answer.Strategy
}

// Answer implements answer.Strategy.
func (g guarded) Answer(ctx context.Context, library *knowledge.Library, q answer.Question) (result answer.Result, err error) {
	err = g.folder.editor.Safely("strategy", func() error {
		result, err = g.inner.Answer(ctx, library, q)
		return err
	})
	if result.Dropped > 0 {
		wake(g.folder.stale)
	}
	return result, err
}

func (f *Folder) models() handlers.Models {
	if w := f.now.Load().workspace; w != nil {
		return w.Models()
	}
	return handlers.Models{}
}

// HoldsSource reports whether a file belongs to one of the sources: a source is no note.
func (f *Folder) HoldsSource(path string) bool {
	for _, source := range f.Sources() {
		if within(path, source.Path) {
			return true
		}
	}
	return false
}

// Snapshot captures a note of the folder with what is known of its questions. A note without a file has an
// empty path.
func (f *Folder) Snapshot(uri protocol.DocumentURI, path string, version int32, n *note.Note) handlers.Snapshot {
	name := NameOf(uri, path)
	return handlers.Snapshot{
		URI:       uri,
		Path:      path,
		Version:   version,
		Note:      n,
		Library:   f.Library(),
		Settings:  f.Settings(),
		Client:    f.editor.Client(),
		Models:    f.models(),
		Pages:     f.now.Load().pages,
		Finding:   func(q note.Question) (answer.Result, bool) { return f.finding(RefOf(name, q)) },
		Part:      f.findings.part,
		Dismissed: func(q note.Question, gapID string) bool { return f.ledger().IsDismissed(RefOf(name, q), gapID) },
		Accepted:  f.accepted,
	}
}

// NameOf returns the name under which a note is remembered.
func NameOf(uri protocol.DocumentURI, path string) string {
	return cmp.Or(path, string(uri))
}

// AskedIn names a question of a note in the ledger.
func RefOf(noteName string, q note.Question) ledger.QuestionRef {
	return ledger.QuestionRef{Note: noteName, Question: string(q.ID), Text: q.Text}
}

// doing makes an activity known.
func (f *Folder) doing(state handlers.FolderState, message string, percent int) {
	f.activity.Store(&activity{state, message, percent})
	f.editor.StatusChanged()
}

func (f *Folder) overview() handlers.Folder {
	now, library, doing := f.now.Load(), f.Library(), f.activity.Load()
	o := handlers.Folder{
		Path: f.path, Name: cmp.Or(f.name, filepath.Base(f.path)), Percent: 100,
		State: doing.state, Message: doing.message,
		Gate: now.settings.Gate.Policy, Models: f.models(),
		Library: library, Sources: now.sources, Gaps: f.listGaps(), Open: f.set.notes.In(f),
	}
	o.Decision, _ = f.decision.Load().(string)
	switch {
	case doing.state == handlers.Indexing:
		o.Percent = doing.percent
	case doing.state != "":
	default:
		o.State, o.Message = handlers.Ready, f.standing()
		if state, _ := handlers.StateOfSources(now.sources, library); state != handlers.SourcesReady {
			o.State = handlers.NoSources
		}
	}
	return o
}

// standing says what the folder can do, or why it can do nothing.
func (f *Folder) standing() string {
	library := f.Library()
	if _, why := handlers.StateOfSources(f.Sources(), library); why != "" {
		return why
	}
	return messages.LibraryStatus(library.Status())
}

// changed has the editor ask again for all that it shows of gaps.
func (f *Folder) changed() {
	f.editor.ViewsChanged()
	f.editor.StatusChanged()
}

// wake leaves a token for the goroutine that waits on the channel.
func wake(signal chan struct{}) {
	select {
	case signal <- struct{}{}:
	default:
	}
}

// wait returns after d, or when ctx ends.
func wait(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}
