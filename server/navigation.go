package server

import (
	"context"
	"encoding/json"

	"go.lsp.dev/protocol"

	"lacuna/handlers"
	"lacuna/handlers/lsp"
	"lacuna/server/dispatch"
)

// references finds what cites a passage in the notes of the workspace. It may read many of them, so it
// runs beside what a person waits for while pointing.
func (s *session) references(params json.RawMessage) (dispatch.Work, error) {
	var p protocol.ReferenceParams
	if err := json.Unmarshal(params, &p); err != nil {
		return dispatch.Work{}, lsp.InvalidParams("%v", err)
	}
	doc := s.document(p.TextDocument.URI)
	if doc == nil {
		return dispatch.Work{}, nil
	}
	s.mu.Lock()
	base, snapshot := doc.base, s.snapshotOf(doc)
	s.mu.Unlock()
	pages := base.pages()
	return dispatch.Work{Lane: dispatch.Brisk, Run: func(ctx context.Context) (any, error) {
		return listed(handlers.References(ctx, snapshot, p.Position, p.Context.IncludeDeclaration, pages(ctx)))
	}}, nil
}
