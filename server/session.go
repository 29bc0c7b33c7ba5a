package server

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"lacuna/handlers"
	"lacuna/server/dispatch"
	"lacuna/server/editor"
	"lacuna/server/folders"
	"lacuna/server/notes"
)

// Options configure a server.
type Options struct {
	Version string
	Log     *slog.Logger                                                                // nil discards
	Home    func(dir string) (folder string, found bool)                                // see [folders.Options]
	Open    func(ctx context.Context, r folders.OpenRequest) (folders.Workspace, error) // see [folders.Options]
	// Agent says that the client is an agent: it is given gaps as diagnostics and nothing else, and every workspace is a
	// [folders.Reader].
	Agent bool
	Now   func() time.Time // see [folders.Options]; nil is time.Now
}

// session is one client's connection and everything that is open in it. It implements
// dispatch.Handler.
type session struct {
	options Options
	log     *slog.Logger
	conn    *dispatch.Dispatcher
	editor  *editor.Editor
	notes   *notes.Notes
	folders *folders.Set
	life    lifecycle
	// notebooks holds the open notebooks by [lsp.Key]; it is used on the reading goroutine only.
	notebooks map[string]*notebook
	trace     atomic.Value  // string: off, messages or verbose
	exit      chan int      // the code asked for by the exit notification
	orphaned  chan struct{} // closed when the client's process is gone
	// reportsSettings says that the client reports changes of its settings only to a server
	// that has registered for them. Set by initialize, then unchanged.
	reportsSettings bool

	hosts     hostGate // lets one command at a time ask about a host
	pages     pages
	answering atomic.Int64 // commands at work that have questions answered
	// serving ends when the client says shutdown, and with it every command.
	serving context.Context
	stop    context.CancelFunc
}

// overview returns what the session knows of every folder. It computes nothing about questions.
func (s *session) overview() handlers.Overview {
	return handlers.Overview{Answering: int(s.answering.Load()), Client: s.editor.Client(), Folders: s.folders.Overview()}
}

// phase is where a session is in its life.
type phase int32

const (
	fresh    phase = iota // before initialize
	running               // from the reply to initialize
	shutDown              // after shutdown; only exit is awaited
)

// lifecycle holds the phase; it is changed on the reading goroutine only.
type lifecycle struct{ phase atomic.Int32 }

func (l *lifecycle) now() phase  { return phase(l.phase.Load()) }
func (l *lifecycle) to(p phase)  { l.phase.Store(int32(p)) }
func (l *lifecycle) alive() bool { return l.now() == running }

// exitCode is the process's code if it ends now.
func (s *session) exitCode() int {
	if s.life.now() == shutDown {
		return 0
	}
	return 1
}

// hostGate let one at a time through to each name.
type hostGate struct {
	mu     sync.Mutex
	behind map[string]chan struct{} // hold a token while a command asks; guarded by mu
}

// enter waits for its turn, or until ctx ends.
func (d *hostGate) enter(ctx context.Context, name string) (leave func(), err error) {
	d.mu.Lock()
	if d.behind == nil {
		d.behind = make(map[string]chan struct{})
	}
	door := d.behind[name]
	if door == nil {
		door = make(chan struct{}, 1)
		d.behind[name] = door
	}
	d.mu.Unlock()
	select {
	case door <- struct{}{}:
		return func() { <-door }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}
