package server

import (
	"context"
	"encoding/json"
	"strconv"

	"lacuna/handlers"
	"lacuna/handlers/lsp"
	"lacuna/server/dispatch"
)

// semanticTokens answers the three requests for tokens.
func (s *session) semanticTokens(method string, params json.RawMessage) (dispatch.Work, error) {
	var p lsp.SemanticTokensParams
	if err := json.Unmarshal(params, &p); err != nil {
		return dispatch.Work{}, lsp.InvalidParams("%v", err)
	}
	snapshot, doc := s.notes.Snapshot(p.TextDocument.URI)
	if doc == nil {
		return dispatch.Work{}, nil // null: some other server's
	}
	return dispatch.Work{Lane: dispatch.Fast, Run: func(ctx context.Context) (any, error) {
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
