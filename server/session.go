package server

import (
	"context"
	"encoding/json"
	"log/slog"
	"sync/atomic"
	"time"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"

	"lacuna/handlers"
	"lacuna/handlers/lsp"
	"lacuna/server/dispatch"
	"lacuna/server/editor"
	"lacuna/server/folders"
	"lacuna/server/notes"
)

// session is one client's connection and everything that is open in it. It implements
// dispatch.Handler.
type session struct {
	options  Options
	log      *slog.Logger
	conn     *dispatch.Dispatcher
	editor   *editor.Editor
	notes    *notes.Notes
	folders  *folders.Set
	life     lifecycle
	trace    atomic.Value  // string: off, messages or verbose
	exit     chan int      // the code asked for by the exit notification
	orphaned chan struct{} // closed when the client's process is gone
	// reportsSettings says that the client reports changes of its settings only to a server
	// that has registered for them. Set by initialize, then unchanged.
	reportsSettings bool

	hosts     hostGate     // lets one command at a time ask about a host
	answering atomic.Int64 // commands at work that have questions answered
	// serving ends when the client says shutdown, and with it every command.
	serving context.Context
	stop    context.CancelFunc
}

func newSession(conn *dispatch.Dispatcher, o Options) *session {
	s := &session{options: o, log: o.Log, conn: conn, exit: make(chan int, 1), orphaned: make(chan struct{})}
	s.editor = editor.New(conn, o.Log, func() handlers.StatusView { return handlers.ViewStatus(s.overview()) })
	s.notes = notes.New(s.editor, o.Log)
	s.folders = folders.New(s.editor, o.Log, s.notes, folders.Options{Home: o.Home, Open: o.Open, Consent: s.consent})
	s.serving, s.stop = context.WithCancel(conn.Context())
	s.trace.Store(lsp.TraceOff)
	conn.Trace = s.traced
	return s
}

// overview returns what the session knows of every folder. It computes nothing about questions.
func (s *session) overview() handlers.Overview {
	return handlers.Overview{Answering: int(s.answering.Load()), Client: s.editor.Client(), Folders: s.folders.Overview()}
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
		return with(params, s.notes.Change)
	case protocol.MethodTextDocumentDidClose:
		return with(params, s.didClose)
	case protocol.MethodTextDocumentDidSave:
		return with(params, s.didSave)
	case protocol.MethodWorkDoneProgressCancel:
		return with(params, s.editor.CancelProgress)
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
