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
	parent      int64 // process id of the client, or 0
	// settingsRegistered says that the client reports changes of its settings only to a server
	// that has registered for them.
	settingsRegistered bool

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
	switch method {
	case protocol.MethodInitialize:
		return s.initialize(params)
	case protocol.MethodShutdown:
		s.life.to(shutDown)
		s.stop()
		return dispatch.Work{}, nil
	case protocol.MethodTextDocumentHover:
		return prepare(s, params, nil, func(ctx context.Context, n handlers.Snapshot, p protocol.HoverParams) (any, error) {
			return orNull(handlers.Hover(ctx, n, p.Position))
		})
	case protocol.MethodTextDocumentDefinition:
		return prepare(s, params, nil, func(ctx context.Context, n handlers.Snapshot, p protocol.DefinitionParams) (any, error) {
			return handlers.Definition(ctx, n, p.Position)
		})
	case protocol.MethodTextDocumentCodeAction:
		return prepare(s, params, []any{}, func(ctx context.Context, n handlers.Snapshot, p lsp.CodeActionParams) (any, error) {
			return listed(handlers.CodeActions(ctx, n, &p))
		})
	case lsp.MethodCodeActionResolve:
		return s.resolveCodeAction(params)
	case protocol.MethodTextDocumentCodeLens:
		return prepare(s, params, []any{}, func(ctx context.Context, n handlers.Snapshot, _ protocol.CodeLensParams) (any, error) {
			return listed(handlers.CodeLens(ctx, n))
		})
	case protocol.MethodTextDocumentCompletion:
		return prepare(s, params, []any{}, func(ctx context.Context, n handlers.Snapshot, p protocol.CompletionParams) (any, error) {
			byCharacter := p.Context != nil && p.Context.TriggerKind == protocol.CompletionTriggerKindTriggerCharacter
			return handlers.Completion(ctx, n, p.Position, byCharacter)
		})
	case lsp.MethodInlayHint:
		return prepare(s, params, []any{}, func(ctx context.Context, n handlers.Snapshot, p lsp.InlayHintParams) (any, error) {
			return handlers.InlayHints(ctx, n, p.Range)
		})
	case lsp.MethodSemanticTokensFull, lsp.MethodSemanticTokensDelta, lsp.MethodSemanticTokensRange:
		return s.semanticTokens(method, params)
	case lsp.MethodDiagnostic:
		return s.pullDiagnostics(params)
	case lsp.MethodWorkspaceDiagnostic:
		return s.pullWorkspace(params)
	case protocol.MethodTextDocumentReferences:
		return s.references(params)
	case protocol.MethodTextDocumentDocumentLink:
		return prepare(s, params, []any{}, func(ctx context.Context, n handlers.Snapshot, _ protocol.DocumentLinkParams) (any, error) {
			return handlers.DocumentLinks(ctx, n)
		})
	case protocol.MethodTextDocumentDocumentSymbol:
		return prepare(s, params, []any{}, func(ctx context.Context, n handlers.Snapshot, _ protocol.DocumentSymbolParams) (any, error) {
			return handlers.DocumentSymbols(ctx, n)
		})
	case protocol.MethodTextDocumentFoldingRange:
		return prepare(s, params, []any{}, func(ctx context.Context, n handlers.Snapshot, _ protocol.FoldingRangeParams) (any, error) {
			return handlers.FoldingRanges(ctx, n)
		})
	case protocol.MethodWorkspaceSymbol:
		return s.workspaceSymbols(params)
	case protocol.MethodWillRenameFiles:
		return s.willRenameFiles(params)
	case protocol.MethodWorkspaceExecuteCommand:
		return s.executeCommand(params)
	}
	return dispatch.Work{}, jsonrpc2.Errorf(jsonrpc2.MethodNotFound, "%q is not supported", method)
}

// prepare decodes the parameters of a request about one document and captures its snapshot. For a
// document that is no open note the reply is nothing, which is no error: it is some other server's.
func prepare[P any](s *session, params json.RawMessage, nothing any,
	handle func(context.Context, handlers.Snapshot, P) (any, error),
) (dispatch.Work, error) {
	var p P
	var about struct {
		TextDocument protocol.TextDocumentIdentifier `json:"textDocument"`
	}
	err := json.Unmarshal(params, &p)
	if err == nil {
		err = json.Unmarshal(params, &about)
	}
	if err != nil {
		return dispatch.Work{}, lsp.InvalidParams("%v", err)
	}
	snapshot, ok := s.snapshot(about.TextDocument.URI)
	if !ok {
		return dispatch.Work{Result: nothing}, nil
	}
	return dispatch.Work{Lane: dispatch.Fast, Run: func(ctx context.Context) (any, error) {
		return handle(ctx, snapshot, p)
	}}, nil
}

// listed makes an empty list of none: the protocol's lists must not be null to every client.
func listed[T any](list []T, err error) (any, error) {
	if list == nil {
		list = []T{}
	}
	return list, err
}

// orNull makes an untyped nil of a nil pointer.
func orNull[T any](value *T, err error) (any, error) {
	if value == nil {
		return nil, err
	}
	return value, err
}
