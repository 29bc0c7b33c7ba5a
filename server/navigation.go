package server

import (
	"context"
	"encoding/json"
	"iter"

	"go.lsp.dev/protocol"

	"lacuna/handlers"
	"lacuna/handlers/lsp"
	"lacuna/server/dispatch"
)

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
	snapshot, doc := s.notes.Snapshot(p.TextDocument.URI)
	if doc == nil {
		return dispatch.Work{}, nil
	}
	pages := s.notes.Folder(doc).Pages()
	return dispatch.Work{Lane: dispatch.Brisk, Run: func(ctx context.Context) (any, error) {
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
	return dispatch.Work{Lane: dispatch.Brisk, Run: func(ctx context.Context) (any, error) {
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

// partsTo sends results as they are found, or is nil for a client that wants them at once.
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
