package server

import (
	"context"
	"encoding/json"
	"strconv"

	"lacuna/handlers"
	"lacuna/handlers/lsp"
	"lacuna/server/dispatch"
)

// tokens are the semantic tokens that a client was given last for a document.
type tokens struct {
	number int // of the result; 0 is none
	data   []uint32
}

// semanticTokens answers the three requests for tokens.
func (s *session) semanticTokens(method string, params json.RawMessage) (dispatch.Work, error) {
	var p lsp.SemanticTokensParams
	if err := json.Unmarshal(params, &p); err != nil {
		return dispatch.Work{}, lsp.InvalidParams("%v", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	doc := s.documents[lsp.Key(p.TextDocument.URI)]
	if doc == nil {
		return dispatch.Work{}, nil // null: some other server's
	}
	snapshot := s.snapshotOf(doc)
	return dispatch.Work{Lane: dispatch.Fast, Run: func(ctx context.Context) (any, error) {
		if method == lsp.MethodSemanticTokensRange {
			data, err := handlers.SemanticTokens(ctx, snapshot, &p.Range)
			return lsp.SemanticTokens{Data: data}, err
		}
		data, err := handlers.SemanticTokens(ctx, snapshot, nil)
		if err != nil {
			return nil, err
		}
		s.mu.Lock()
		before := doc.tokens
		doc.tokens = tokens{number: before.number + 1, data: data}
		s.mu.Unlock()
		id := strconv.Itoa(before.number + 1)
		if method == lsp.MethodSemanticTokensDelta && before.number > 0 && p.PreviousResultID == strconv.Itoa(before.number) {
			return lsp.DeltaOf(before.data, data, id), nil
		}
		return lsp.SemanticTokens{ResultID: id, Data: data}, nil
	}}, nil
}
