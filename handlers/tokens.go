package handlers

import (
	"context"
	"slices"

	"go.lsp.dev/protocol"

	"lacuna/handlers/lsp"
	"lacuna/handlers/note"
	"lacuna/knowledge/passage"
)

// Token types of an answer. Their names are in docs/notes.md, because users write them into their themes.
const (
	tokenCited = iota
	tokenUncited
	tokenCitation
	tokenNearest
)

// Modifiers, as bits.
const (
	modifierVerbatim = 1 << iota
	modifierBackground
	modifierUnsupported
	modifierPartly
	modifierContradicted
	modifierUnchecked
)

// TokenLegend names the token types and modifiers by their numbers.
func TokenLegend() lsp.SemanticTokensLegend {
	return lsp.SemanticTokensLegend{
		TokenTypes:     []string{"lacunaCited", "lacunaUncited", "lacunaCitation", "lacunaNearest"},
		TokenModifiers: []string{"verbatim", "background", "unsupported", "partly", "contradicted", "unchecked"},
	}
}

// token is a piece of a note with its type and modifiers.
type token struct {
	span            passage.Span
	kind, modifiers uint32
}

// SemanticTokens returns the sentences of answers, distinguished by whether they cite a source, and their
// citation marks, for the whole note or a range. No token spans lines. The result is never nil.
func SemanticTokens(ctx context.Context, s Snapshot, within *protocol.Range) ([]uint32, error) {
	part := passage.Span{End: len(s.Note.Text)}
	if within != nil {
		part = passage.Span{Start: s.offsetOf(within.Start), End: s.offsetOf(within.End)}
	}
	data := []uint32{}
	var last protocol.Position
	for _, block := range s.Note.Answers {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if block.Span.End <= part.Start || block.Span.Start >= part.End {
			continue
		}
		for _, t := range blockTokens(block) {
			at := s.rangeOf(t.span)
			if t.span.Start >= part.End || t.span.End <= part.Start || at.End.Line != at.Start.Line || t.span.Len() == 0 {
				continue
			}
			column := at.Start.Character
			if at.Start.Line == last.Line {
				column -= last.Character
			}
			data = append(data, at.Start.Line-last.Line, column, at.End.Character-at.Start.Character, t.kind, t.modifiers)
			last = at.Start
		}
	}
	return data, nil
}

// blockTokens returns the tokens of one answer in order; none overlap.
func blockTokens(block note.Answer) []token {
	var tokens []token
	for _, statement := range block.Statements {
		t := token{span: statement.Span, kind: tokenUncited}
		switch statement.Basis {
		case note.Quote:
			t.kind, t.modifiers = tokenCited, modifierVerbatim
		case note.Claim:
			t.kind = tokenCited
		case note.Partly:
			t.kind, t.modifiers = tokenCited, modifierPartly
		case note.Contradicted:
			t.modifiers = modifierContradicted
		case note.Unchecked:
			t.modifiers = modifierUnchecked
		case note.Place:
			t.kind, t.modifiers = tokenNearest, modifierVerbatim
		case note.Background:
			t.modifiers = modifierBackground
		case note.Unsupported:
			t.modifiers = modifierUnsupported
		}
		tokens = append(tokens, t)
	}
	for _, mark := range block.Marks {
		tokens = append(tokens, token{span: mark.Span, kind: tokenCitation})
	}
	slices.SortFunc(tokens, func(a, b token) int { return a.span.Start - b.span.Start })
	return slices.CompactFunc(tokens, func(t, before token) bool { return t.span.Start < before.span.End })
}
