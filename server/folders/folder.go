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
	"errors"
	"io/fs"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"

	"go.lsp.dev/protocol"

	"lacuna/handlers"
	"lacuna/handlers/claims"
	"lacuna/handlers/lsp"
	"lacuna/handlers/messages"
	"lacuna/handlers/note"
	"lacuna/handlers/settings"
	"lacuna/knowledge"
	"lacuna/knowledge/answer"
	"lacuna/knowledge/gap/ledger"
	"lacuna/knowledge/history"
	"lacuna/knowledge/ingest"
	"lacuna/knowledge/llm"
	"lacuna/server/editor"
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
	// Engines names the sources that engines keep.
	Engines() []string
	IndexDir() string
	// Library returns the newest snapshot; it stays usable after Close.
	Library() *knowledge.Library
	// Refresh brings the index up to date with the sources. It may take long and honours ctx.
	Refresh(ctx context.Context, report func(knowledge.Event)) error
	// Intact reports whether the files of the index are as they were written, as far as a quick check
	// shows; if not, it is time for a refresh.
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

// Reader is a workspace that an agent reads: what it is told goes to the machine of its model.
type Reader interface {
	Workspace
	// Allowed returns nil if the user has allowed the agent, else an error that says how they do.
	Allowed() error
	// Give replaces in place what identifies people in texts, and records that the agent was given them. With an error nothing may be
	// given.
	Give(texts []*string) error
}

// OpenRequest says which workspace to open and what the editor set. The settings are layers,
// weakest first, as the client wrote them.
type OpenRequest struct {
	Folder string // absolute; empty when the editor has no folder open
	Editor []json.RawMessage
	// Consent refuses to send text to another machine for work that the user did not ask for. For an
	// answer that they asked for, [answer.Request.Permit] asks them.
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
	// Agent says that every workspace is a [Reader]: what models said earlier is left out of what is known of questions.
	Agent bool
	// Now is the clock by which dates are judged and accepted answers are dated. It does not measure time.
	Now func() time.Time
}

// OpenNotes provides the notes that are open in the editor. Its methods may be called from any goroutine.
type OpenNotes interface {
	// In returns the open notes of a folder by the names under which they are remembered.
	In(f *Folder) map[string]handlers.Page
	// Rejudge judges the open notes of a folder again, after a pause in which more may change.
	Rejudge(f *Folder, pause time.Duration)
}

const (
	// settleTime is the time for which changes of files or of the library are collected before they take effect.
	settleTime = 300 * time.Millisecond
	// pollShare bounds what looking costs: a look is followed by a pause of at least pollShare times as
	// long as it took.
	pollShare = 100
)

// Path returns the folder; empty when the editor has none open.
func (f *Folder) Path() string { return f.path }

// shared holds what the folders of a session have in common.
type shared struct {
	editor  *editor.Editor
	log     *slog.Logger
	notes   OpenNotes
	options Options
	judging chan struct{} // holds a token while one note is being judged
}

// Folder is the knowledge of one folder: its workspace and what has been found out with it. One goroutine
// opens, refreshes and closes the workspace; the rest of the session reads what that goroutine has
// published.
type Folder struct {
	*shared
	path  string // empty when the editor has no folder open
	name  string // the editor's; may be empty
	outer string // the editor's folder, if this one is a workspace found below it

	findings *findings
	claims   *claims.Checker // of open notes
	listed   *claims.Checker // of all notes, when they are listed; it knows them only as they were then
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
	wikiLinks func() bool // the notes link as wikis do
	read      atomic.Bool // the first refresh has ended
}

// activity describes what a folder is doing.
type activity struct {
	state   handlers.FolderState // Indexing, SearchingOnly, Trouble or, at rest, empty
	message string
	percent int
}

func newFolder(s *shared, path, name, outer string) *Folder {
	f := &Folder{
		shared: s, path: path, name: name, outer: outer,
		claims: claims.New(), listed: claims.New(),
		stale: make(chan struct{}, 1), reopen: make(chan struct{}, 1), notesStale: make(chan struct{}, 1),
		done: make(chan struct{}),
	}
	f.findings = newFindings(f.scope)
	f.now.Store(&openState{settings: settings.Default(), wikiLinks: func() bool { return false }, ledger: f.openLedger(s.editor.Context(), "")})
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

// Answer implements answer.Strategy. Its results last as long as notes are open.
func (g guarded) Answer(ctx context.Context, library *knowledge.Library, q answer.Question) (result answer.Result, err error) {
	err = g.folder.editor.Safely("strategy", func() error {
		result, err = g.inner.Answer(ctx, library, q)
		return err
	})
	if result.Dropped > 0 {
		wake(g.folder.stale)
	}
	return result.WithoutSubjects(), err
}

func (f *Folder) models() handlers.Models {
	if w := f.now.Load().workspace; w != nil {
		return w.Models()
	}
	return handlers.Models{}
}

// engines names the sources that engines keep.
func (f *Folder) engines() []string {
	if w := f.now.Load().workspace; w != nil {
		return w.Engines()
	}
	return nil
}

// MayBeNote reports whether a file may be a note: a source is none, unless the settings say so, as of a vault.
func (f *Folder) MayBeNote(path string) bool { return settings.MayBeNote(f.Sources(), path) }

// scope implements findings.scope.
func (f *Folder) scope(note string) string {
	if f.holdsSource(note) && f.MayBeNote(note) {
		return note
	}
	return ""
}

// holdsSource reports whether a file belongs to one of the sources.
func (f *Folder) holdsSource(path string) bool {
	for _, source := range f.Sources() {
		if within(path, source.Path) {
			return true
		}
	}
	return false
}

// NameOf returns the name under which a note is remembered: its path, or its URI if it has no file to itself.
func NameOf(uri protocol.DocumentURI, path string) string {
	if _, ok := lsp.Path(uri); !ok {
		return string(uri)
	}
	return path
}

// doing makes an activity known.
func (f *Folder) doing(state handlers.FolderState, message string, percent int) {
	f.activity.Store(&activity{state, message, percent})
	f.editor.StatusChanged()
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

// allNotes returns every known note: open ones as they are, the others as they are on disk.
func (f *Folder) allNotes() map[string]*note.Note {
	all := make(map[string]*note.Note)
	if closed := f.closed.Load(); closed != nil {
		maps.Copy(all, *closed)
	}
	for name, page := range f.notes.In(f) {
		all[name] = page.Note.Reading(f.Settings().Diagnostics.Questions)
	}
	return all
}

// openLedger opens the ledger of a workspace. Notes whose file has gone are forgotten, unless its
// folder has gone as well: that may be a drive that is not there today.
func (f *Folder) openLedger(ctx context.Context, dir string) *ledger.Ledger {
	stored, err := ledger.Open(dir)
	if err == nil {
		err = stored.Retain(ctx, func(a ledger.QuestionRef) bool {
			if !filepath.IsAbs(a.Note) {
				return true
			}
			_, missing := os.Stat(a.Note)
			_, unreachable := os.Stat(filepath.Dir(a.Note))
			return !errors.Is(missing, fs.ErrNotExist) || unreachable != nil
		})
	}
	if err != nil {
		f.log.Warn("remembered gaps", "err", err)
	}
	return stored
}

// within reports whether path is folder or lies in it. It reads nothing.
func within(path, folder string) bool {
	if path == "" || folder == "" {
		return false
	}
	_, inside := lsp.Within(filepath.Clean(path), filepath.Clean(folder))
	return inside
}
