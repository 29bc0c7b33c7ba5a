package lsp

import (
	"encoding/json"

	"go.lsp.dev/protocol"
)

// Methods of semantic tokens.
const (
	MethodSemanticTokensFull  = "textDocument/semanticTokens/full"
	MethodSemanticTokensDelta = "textDocument/semanticTokens/full/delta"
	MethodSemanticTokensRange = "textDocument/semanticTokens/range"
)

// SemanticTokensCapabilities says which tokens a client asks for.
type SemanticTokensCapabilities struct {
	Requests struct {
		Full json.RawMessage `json:"full"` // a boolean, or an object
	} `json:"requests"`
	Formats []string `json:"formats"`
}

// SemanticTokensOptions says which tokens there are, and which requests are supported.
type SemanticTokensOptions struct {
	Legend SemanticTokensLegend `json:"legend"`
	Range  bool                 `json:"range"`
	Full   struct {
		Delta bool `json:"delta"`
	} `json:"full"`
}

// SemanticTokensLegend names the types and modifiers of tokens by their numbers.
type SemanticTokensLegend struct {
	TokenTypes     []string `json:"tokenTypes"`
	TokenModifiers []string `json:"tokenModifiers"`
}

// SemanticTokensParams holds the parameters of every request for tokens; Range and PreviousResultID are set
// only in the requests that need them.
type SemanticTokensParams struct {
	TextDocument     protocol.TextDocumentIdentifier `json:"textDocument"`
	Range            protocol.Range                  `json:"range"`
	PreviousResultID string                          `json:"previousResultId"`
}

// SemanticTokens has five numbers for each token: lines since the previous token, columns since it or since
// the beginning of the line, length, type, and a bit for each modifier.
type SemanticTokens struct {
	ResultID string   `json:"resultId,omitempty"`
	Data     []uint32 `json:"data"`
}

// SemanticTokensDelta changes an earlier result into the current one.
type SemanticTokensDelta struct {
	ResultID string                        `json:"resultId,omitempty"`
	Edits    []protocol.SemanticTokensEdit `json:"edits"`
}

// DeltaOf returns the difference of two results as at most one edit.
func DeltaOf(before, after []uint32, id string) SemanticTokensDelta {
	delta := SemanticTokensDelta{ResultID: id, Edits: []protocol.SemanticTokensEdit{}}
	start := 0
	for start < min(len(before), len(after)) && before[start] == after[start] {
		start++
	}
	end := 0
	for end < min(len(before), len(after))-start && before[len(before)-1-end] == after[len(after)-1-end] {
		end++
	}
	if start+end < max(len(before), len(after)) {
		delta.Edits = append(delta.Edits, protocol.SemanticTokensEdit{
			Start: uint32(start), DeleteCount: uint32(len(before) - start - end), Data: after[start : len(after)-end],
		})
	}
	return delta
}
