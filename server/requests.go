package server

import (
	"context"
	"encoding/json"

	"go.lsp.dev/protocol"

	"lacuna/handlers"
	"lacuna/handlers/lsp"
	"lacuna/server/dispatch"
)

// prepare makes of the parameters of a request the work that answers it.
type prepare func(s *session, params json.RawMessage) (dispatch.Work, error)

// requests are all that a client may ask.
var requests = map[string]prepare{
	protocol.MethodInitialize:                 (*session).initialize,
	protocol.MethodShutdown:                   (*session).shutdown,
	protocol.MethodTextDocumentHover:          ofNote(nil, hover),
	protocol.MethodTextDocumentDefinition:     ofNote(nil, definition),
	protocol.MethodTextDocumentReferences:     (*session).references,
	protocol.MethodTextDocumentCodeAction:     ofNote(none, codeActions),
	lsp.MethodCodeActionResolve:               (*session).resolveCodeAction,
	protocol.MethodTextDocumentCodeLens:       ofNote(none, codeLens),
	protocol.MethodTextDocumentCompletion:     ofNote(none, completion),
	lsp.MethodInlayHint:                       ofNote(none, inlayHints),
	lsp.MethodSemanticTokensFull:              tokensBy(lsp.MethodSemanticTokensFull),
	lsp.MethodSemanticTokensDelta:             tokensBy(lsp.MethodSemanticTokensDelta),
	lsp.MethodSemanticTokensRange:             tokensBy(lsp.MethodSemanticTokensRange),
	lsp.MethodDiagnostic:                      (*session).pullDiagnostics,
	lsp.MethodWorkspaceDiagnostic:             (*session).pullWorkspace,
	protocol.MethodTextDocumentDocumentLink:   ofNote(none, documentLinks),
	protocol.MethodTextDocumentDocumentSymbol: ofNote(none, documentSymbols),
	protocol.MethodTextDocumentFoldingRange:   ofNote(none, foldingRanges),
	protocol.MethodWorkspaceSymbol:            (*session).workspaceSymbols,
	protocol.MethodWillRenameFiles:            (*session).willRenameFiles,
	protocol.MethodWorkspaceExecuteCommand:    (*session).executeCommand,
}

// none is the reply of what lists things, of a document that is no open note.
var none = []any{}

// ofNote prepares a request about one document: it decodes the parameters and captures the snapshot. For
// a document that is no open note the reply is nothing, which is no error: it is some other server's.
func ofNote[P any](nothing any, handle func(context.Context, handlers.Snapshot, P) (any, error)) prepare {
	return func(s *session, params json.RawMessage) (dispatch.Work, error) {
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
		snapshot, doc := s.notes.Snapshot(about.TextDocument.URI)
		if doc == nil {
			return dispatch.Work{Result: nothing}, nil
		}
		return dispatch.Work{Lane: dispatch.Fast, Run: func(ctx context.Context) (any, error) {
			return handle(ctx, snapshot, p)
		}}, nil
	}
}

func tokensBy(method string) prepare {
	return func(s *session, params json.RawMessage) (dispatch.Work, error) {
		return s.semanticTokens(method, params)
	}
}

func hover(ctx context.Context, n handlers.Snapshot, p protocol.HoverParams) (any, error) {
	return orNull(handlers.Hover(ctx, n, p.Position))
}

func definition(ctx context.Context, n handlers.Snapshot, p protocol.DefinitionParams) (any, error) {
	return handlers.Definition(ctx, n, p.Position)
}

func codeActions(ctx context.Context, n handlers.Snapshot, p lsp.CodeActionParams) (any, error) {
	return listed(handlers.CodeActions(ctx, n, &p))
}

func codeLens(ctx context.Context, n handlers.Snapshot, _ protocol.CodeLensParams) (any, error) {
	return listed(handlers.CodeLens(ctx, n))
}

func completion(ctx context.Context, n handlers.Snapshot, p protocol.CompletionParams) (any, error) {
	byCharacter := p.Context != nil && p.Context.TriggerKind == protocol.CompletionTriggerKindTriggerCharacter
	return handlers.Completion(ctx, n, p.Position, byCharacter)
}

func inlayHints(ctx context.Context, n handlers.Snapshot, p lsp.InlayHintParams) (any, error) {
	return handlers.InlayHints(ctx, n, p.Range)
}

func documentLinks(ctx context.Context, n handlers.Snapshot, _ protocol.DocumentLinkParams) (any, error) {
	return handlers.DocumentLinks(ctx, n)
}

func documentSymbols(ctx context.Context, n handlers.Snapshot, _ protocol.DocumentSymbolParams) (any, error) {
	return handlers.DocumentSymbols(ctx, n)
}

func foldingRanges(ctx context.Context, n handlers.Snapshot, _ protocol.FoldingRangeParams) (any, error) {
	return handlers.FoldingRanges(ctx, n)
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
