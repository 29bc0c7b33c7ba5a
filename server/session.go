package server

import (
	"context"
	"encoding/json"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"

	"lacuna/handlers"
	"lacuna/handlers/lsp"
	"lacuna/server/dispatch"
)

// session is one client's connection and everything that is open in it. It implements
// dispatch.Handler. The fields of the first group are set by initialize, on the reading
// goroutine, before anything else runs, and then stay.
type session struct {
	client      handlers.Client
	initOptions json.RawMessage
	// settingsRegistered says that the client reports changes of its settings only to a server
	// that has registered for them.
	settingsRegistered bool
	edits              ability // to change documents: workspace/applyEdit
	questions          ability // to ask the person: window/showMessageRequest

	options  Options
	log      *slog.Logger
	conn     *dispatch.Dispatcher
	life     lifecycle
	trace    atomic.Value  // string: off, messages or verbose
	exit     chan int      // the code asked for by the exit notification
	orphaned chan struct{} // closed when the client's process is gone
	judging  chan struct{} // holds a token while one note is being judged
	progress progressTable
	told     told
	hosts    doors // at which a person is asked what may be sent there

	announcer announcer
	refresher refresher
	unseen    news         // of what is shown of notes that are not open
	answering atomic.Int64 // commands at work that have questions answered
	// serving ends when the client says shutdown, and with it every command.
	serving context.Context
	stop    context.CancelFunc

	mu        sync.Mutex // guards the fields below and the fields of documents
	documents map[string]*document
	bases     []*base         // in the client's order; the first also serves documents outside all
	left      map[string]left // answers in notes that are closed, by lsp.PathKey
	changed   json.RawMessage
	started   bool     // initialized has come
	saves     []func() // what is still to be observed of saved notes, in order; the first is at work
}

func newSession(conn *dispatch.Dispatcher, o Options) *session {
	s := &session{
		options:   o,
		log:       o.Log,
		conn:      conn,
		exit:      make(chan int, 1),
		orphaned:  make(chan struct{}),
		judging:   make(chan struct{}, 1),
		documents: make(map[string]*document),
		left:      make(map[string]left),
	}
	s.serving, s.stop = context.WithCancel(conn.Context())
	s.trace.Store(lsp.TraceOff)
	conn.Trace = s.traced
	return s
}

// traced reports an answered request to the log and, if the user asked for it, to the client.
func (s *session) traced(method string, took time.Duration, err error) {
	s.log.Debug("request", "method", method, "took", took, "err", err)
	if level := s.trace.Load(); level == lsp.TraceMessages || level == lsp.TraceVerbose {
		entry := map[string]string{"message": method + " took " + took.Round(time.Microsecond).String()}
		if err != nil && level == lsp.TraceVerbose {
			entry["verbose"] = err.Error()
		}
		s.conn.Notify(protocol.MethodLogTrace, entry)
	}
}

// Notify implements dispatch.Handler.
func (s *session) Notify(method string, params json.RawMessage) error {
	if method == protocol.MethodExit {
		select {
		case s.exit <- s.exitCode():
		default: // a second exit changes nothing
		}
		return nil
	}
	if !s.life.alive() {
		return nil
	}
	switch method {
	case protocol.MethodInitialized:
		s.initialized()
	case protocol.MethodTextDocumentDidOpen:
		return with(params, s.didOpen)
	case protocol.MethodTextDocumentDidChange:
		return with(params, s.didChange)
	case protocol.MethodTextDocumentDidClose:
		return with(params, s.didClose)
	case protocol.MethodTextDocumentDidSave:
		return with(params, s.didSave)
	case protocol.MethodWorkDoneProgressCancel:
		return with(params, s.progress.cancelled)
	case protocol.MethodSetTrace:
		return with(params, s.setTrace)
	case protocol.MethodWorkspaceDidChangeConfiguration:
		return with(params, s.didChangeConfiguration)
	case protocol.MethodWorkspaceDidChangeWatchedFiles:
		return with(params, s.didChangeWatchedFiles)
	case protocol.MethodDidRenameFiles:
		return with(params, s.didRenameFiles)
	case protocol.MethodDidDeleteFiles:
		return with(params, s.didDeleteFiles)
	case protocol.MethodWorkspaceDidChangeWorkspaceFolders:
		return with(params, s.didChangeWorkspaceFolders)
	}
	return nil
}

// with decodes the parameters of a notification and handles it.
func with[P any](params json.RawMessage, handle func(P)) error {
	var p P
	if err := json.Unmarshal(params, &p); err != nil {
		return err
	}
	handle(p)
	return nil
}

func (s *session) setTrace(p struct {
	Value string `json:"value"`
}) {
	s.trace.Store(p.Value)
}

// Prepare implements dispatch.Handler: it captures the snapshot of the document a request is
// about, in arrival order.
func (s *session) Prepare(method string, params json.RawMessage) (dispatch.Work, error) {
	prepare, known := requests[method]
	if !known {
		return dispatch.Work{}, jsonrpc2.Errorf(jsonrpc2.MethodNotFound, "%q is not supported", method)
	}
	return prepare(s, params)
}

// shutdown ends all commands; only exit is awaited then.
func (s *session) shutdown(json.RawMessage) (dispatch.Work, error) {
	s.life.to(shutDown)
	s.stop()
	return dispatch.Work{}, nil
}
