package server

import (
	"context"
	"encoding/json"
	"iter"
	"strconv"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"

	"lacuna/handlers"
	"lacuna/handlers/lsp"
	"lacuna/handlers/note"
	"lacuna/server/dispatch"
)

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
	case lsp.MethodNotebookDidOpen:
		return with(params, s.didOpenNotebook)
	case lsp.MethodNotebookDidChange:
		return with(params, s.didChangeNotebook)
	case lsp.MethodNotebookDidSave:
		return with(params, s.didSaveNotebook)
	case lsp.MethodNotebookDidClose:
		return with(params, s.didCloseNotebook)
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

// Prepare implements dispatch.Handler: it captures the snapshot of the document a request is
// about, in arrival order.
func (s *session) Prepare(method string, params json.RawMessage) (dispatch.Work, error) {
	prepare, known := requests[method]
	if !known || s.options.Agent && !forAgents[method] {
		return dispatch.Work{}, jsonrpc2.Errorf(jsonrpc2.MethodNotFound, "%q is not supported", method)
	}
	return prepare(s, params)
}

// prepare makes of the parameters of a request the work that answers it.
type prepare func(s *session, params json.RawMessage) (dispatch.Work, error)

// requests maps every method that a client may request.
var requests = map[string]prepare{
	protocol.MethodInitialize:                    (*session).initialize,
	protocol.MethodShutdown:                      (*session).shutdown,
	protocol.MethodTextDocumentHover:             ofNote(nil, hover),
	protocol.MethodTextDocumentDefinition:        ofNote(nil, definition),
	protocol.MethodTextDocumentReferences:        (*session).references,
	protocol.MethodTextDocumentDocumentHighlight: ofNote(nil, documentHighlight),
	protocol.MethodTextDocumentPrepareRename:     ofNote(nil, prepareRename),
	protocol.MethodTextDocumentRename:            (*session).rename,
	lsp.MethodSelectionRange:                     ofNote(nil, selectionRanges),
	protocol.MethodTextDocumentCodeAction:        ofNote(none, codeActions),
	lsp.MethodCodeActionResolve:                  (*session).resolveCodeAction,
	protocol.MethodTextDocumentCodeLens:          ofNote(none, codeLens),
	protocol.MethodTextDocumentCompletion:        ofNote(none, completion),
	lsp.MethodInlayHint:                          ofNote(none, inlayHints),
	lsp.MethodInlineCompletion:                   (*session).inlineCompletion,
	lsp.MethodSemanticTokensFull:                 tokensBy(lsp.MethodSemanticTokensFull),
	lsp.MethodSemanticTokensDelta:                tokensBy(lsp.MethodSemanticTokensDelta),
	lsp.MethodSemanticTokensRange:                tokensBy(lsp.MethodSemanticTokensRange),
	lsp.MethodDiagnostic:                         (*session).pullDiagnostics,
	lsp.MethodWorkspaceDiagnostic:                (*session).pullWorkspace,
	protocol.MethodTextDocumentDocumentLink:      ofNote(none, documentLinks),
	protocol.MethodTextDocumentDocumentSymbol:    ofNote(none, documentSymbols),
	protocol.MethodTextDocumentFoldingRange:      ofNote(none, foldingRanges),
	protocol.MethodWorkspaceSymbol:               (*session).workspaceSymbols,
	lsp.MethodTextDocumentContent:                (*session).pageContent,
	protocol.MethodWillRenameFiles:               (*session).willRenameFiles,
	protocol.MethodWorkspaceExecuteCommand:       (*session).executeCommand,
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
		snapshot, doc := s.notes.Capture(about.TextDocument.URI)
		if doc == nil {
			return dispatch.Work{Result: nothing}, nil
		}
		return dispatch.Work{Lane: dispatch.Interactive, Run: func(ctx context.Context) (any, error) {
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

func documentHighlight(ctx context.Context, n handlers.Snapshot, p protocol.DocumentHighlightParams) (any, error) {
	highlights, err := handlers.DocumentHighlight(ctx, n, p.Position)
	if highlights == nil {
		return nil, err
	}
	return highlights, err
}

func prepareRename(ctx context.Context, n handlers.Snapshot, p protocol.PrepareRenameParams) (any, error) {
	return orNull(handlers.PrepareRename(ctx, n, p.Position))
}

func selectionRanges(ctx context.Context, n handlers.Snapshot, p lsp.SelectionRangeParams) (any, error) {
	return listed(handlers.SelectionRanges(ctx, n, p.Positions))
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

// inlineCompletion judges the question at the cursor first if it has not been: it has just been typed.
func (s *session) inlineCompletion(params json.RawMessage) (dispatch.Work, error) {
	var p lsp.InlineCompletionParams
	if err := json.Unmarshal(params, &p); err != nil {
		return dispatch.Work{}, lsp.InvalidParams("%v", err)
	}
	snapshot, doc := s.notes.Capture(p.TextDocument.URI)
	if doc == nil {
		return dispatch.Work{}, nil
	}
	folder := s.notes.Folder(doc)
	return dispatch.Work{Lane: dispatch.Interactive, Run: func(ctx context.Context) (any, error) {
		return handlers.InlineCompletion(ctx, snapshot, p.Position, func(ctx context.Context, q note.Question) {
			folder.JudgeQuestion(ctx, snapshot, q)
		})
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

// references finds what cites a passage in the notes of the workspace. It may read many of them, so it
// does not run in the lane of what the user waits for while pointing.
func (s *session) references(params json.RawMessage) (dispatch.Work, error) {
	var p struct {
		protocol.ReferenceParams
		partialResult
	}
	if err := json.Unmarshal(params, &p); err != nil {
		return dispatch.Work{}, lsp.InvalidParams("%v", err)
	}
	snapshot, doc := s.notes.Capture(p.TextDocument.URI)
	if doc == nil {
		return dispatch.Work{}, nil
	}
	pages := s.notes.Folder(doc).Pages()
	return dispatch.Work{Lane: dispatch.Brief, Run: func(ctx context.Context) (any, error) {
		part := partsTo[protocol.Location](s, p.partialResult)
		return concluded(part)(handlers.References(ctx, snapshot, p.Position, p.Context.IncludeDeclaration, pages(ctx), part))
	}}, nil
}

// workspaceSymbols lists questions of the notes of every folder. A note that two folders hold, one
// inside the other, is listed once.
func (s *session) workspaceSymbols(params json.RawMessage) (dispatch.Work, error) {
	var p struct {
		Query string `json:"query"`
		partialResult
	}
	if err := json.Unmarshal(params, &p); err != nil {
		return dispatch.Work{}, lsp.InvalidParams("%v", err)
	}
	var walks []func(context.Context) iter.Seq[handlers.Page]
	for _, f := range s.folders.All() {
		walks = append(walks, f.Pages())
	}
	return dispatch.Work{Lane: dispatch.Brief, Run: func(ctx context.Context) (any, error) {
		part := partsTo[protocol.SymbolInformation](s, p.partialResult)
		return concluded(part)(handlers.WorkspaceSymbols(ctx, s.editor.Client(), p.Query, func(yield func(handlers.Page) bool) {
			seen := make(map[string]bool)
			for _, pages := range walks {
				for page := range pages(ctx) {
					key := lsp.Key(page.URI)
					if !seen[key] && !yield(page) {
						return
					}
					seen[key] = true
				}
			}
		}, part))
	}}, nil
}

// partialResult is the token under which a client wants results by and by; empty where it does not.
type partialResult struct {
	Token lsp.ProgressToken `json:"partialResultToken"`
}

// partsTo sends results as they are found, or is nil for a client that wants them all together.
func partsTo[T any](s *session, p partialResult) func([]T) {
	if p.Token == "" {
		return nil
	}
	return func(results []T) {
		s.conn.Notify(protocol.MethodProgress, lsp.ProgressParams{Token: p.Token, Value: results})
	}
}

// concluded makes the reply of the results that are left. Once results are sent in parts, the last ones
// are a part as well, and the reply is empty.
func concluded[T any](part func([]T)) func([]T, error) (any, error) {
	return func(left []T, err error) (any, error) {
		if part != nil && err == nil && len(left) > 0 {
			part(left)
			left = nil
		}
		return listed(left, err)
	}
}

// semanticTokens answers the three requests for tokens.
func (s *session) semanticTokens(method string, params json.RawMessage) (dispatch.Work, error) {
	var p lsp.SemanticTokensParams
	if err := json.Unmarshal(params, &p); err != nil {
		return dispatch.Work{}, lsp.InvalidParams("%v", err)
	}
	snapshot, doc := s.notes.Capture(p.TextDocument.URI)
	if doc == nil {
		return dispatch.Work{}, nil // null: some other server's
	}
	return dispatch.Work{Lane: dispatch.Interactive, Run: func(ctx context.Context) (any, error) {
		if method == lsp.MethodSemanticTokensRange {
			data, err := handlers.SemanticTokens(ctx, snapshot, &p.Range)
			return lsp.SemanticTokens{Data: data}, err
		}
		data, err := handlers.SemanticTokens(ctx, snapshot, nil)
		if err != nil {
			return nil, err
		}
		number, before := s.notes.ReplaceTokens(doc, data)
		id := strconv.Itoa(number + 1)
		if method == lsp.MethodSemanticTokensDelta && number > 0 && p.PreviousResultID == strconv.Itoa(number) {
			return lsp.DeltaOf(before, data, id), nil
		}
		return lsp.SemanticTokens{ResultID: id, Data: data}, nil
	}}, nil
}

// pageContent answers with the content of a page.
func (s *session) pageContent(params json.RawMessage) (dispatch.Work, error) {
	var p lsp.TextDocumentContentParams
	if err := json.Unmarshal(params, &p); err != nil {
		return dispatch.Work{}, lsp.InvalidParams("%v", err)
	}
	name, ok := lsp.Page(p.URI)
	if !ok {
		return dispatch.Work{}, lsp.InvalidParams("%q is no page of Lacuna", p.URI)
	}
	return dispatch.Work{Result: lsp.TextDocumentContentResult{Text: s.pages.text(name)}}, nil
}
