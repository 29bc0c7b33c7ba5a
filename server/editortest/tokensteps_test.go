package editortest_test

import (
	"fmt"
	"slices"
	"strings"

	"go.lsp.dev/protocol"

	"lacuna/handlers"
	"lacuna/handlers/lsp"
	"lacuna/handlers/position"
)

// hints prints the inlay hints of a buffer.
func (s *scenario) hints(file string) string {
	params := about(s.uri(file))
	params["range"] = protocol.Range{End: protocol.Position{Line: 1 << 20}}
	var hints []lsp.InlayHint
	s.editor.MustCall(lsp.MethodInlayHint, params, &hints)
	var b strings.Builder
	for _, h := range hints {
		fmt.Fprintf(&b, "%d:%d %s\n", h.Position.Line+1, h.Position.Character+1, h.Label)
	}
	if len(hints) == 0 {
		return "none\n"
	}
	return b.String()
}

// tokens prints the semantic tokens of a buffer. Where it had some before, they are made of these, and
// have to be the same as when they are requested in full.
func (s *scenario) tokens(file string) string {
	params := about(s.uri(file))
	before, had := s.coloured[file]
	how := "full"
	var now lsp.SemanticTokens
	if had {
		params["previousResultId"] = before.ResultID
		var delta struct {
			lsp.SemanticTokens
			Edits []protocol.SemanticTokensEdit `json:"edits"`
		}
		s.editor.MustCall(lsp.MethodSemanticTokensDelta, params, &delta)
		if now = delta.SemanticTokens; delta.Edits != nil {
			how, now.Data = fmt.Sprintf("%d edits", len(delta.Edits)), before.Data
			for _, edit := range delta.Edits {
				now.Data = slices.Concat(now.Data[:edit.Start], edit.Data, now.Data[edit.Start+edit.DeleteCount:])
			}
		}
	}
	var anew lsp.SemanticTokens
	s.editor.MustCall(lsp.MethodSemanticTokensFull, params, &anew)
	if had && !slices.Equal(now.Data, anew.Data) {
		how += ", which is wrong"
	}
	if s.coloured == nil {
		s.coloured = make(map[string]lsp.SemanticTokens)
	}
	s.coloured[file] = anew
	return how + "\n" + s.coloursOf(file, anew.Data)
}

// coloursOf prints tokens with their texts.
func (s *scenario) coloursOf(file string, data []uint32) string {
	legend := handlers.TokenLegend()
	text := s.editor.Text(s.uri(file))
	lines := position.NewLines(text)
	var b strings.Builder
	var line, column uint32
	for five := range slices.Chunk(data, 5) {
		if five[0] > 0 {
			column = 0
		}
		line, column = line+five[0], column+five[1]
		at := func(column uint32) int {
			return lines.Offset(position.Position{Line: line, Column: column}, s.editor.Encoding())
		}
		fmt.Fprintf(&b, "%d %s %s", line+1, legend.TokenTypes[five[3]], text[at(column):at(column+five[2])])
		for bit, modifier := range legend.TokenModifiers {
			if five[4]&(1<<bit) != 0 {
				b.WriteString(" (" + modifier + ")")
			}
		}
		b.WriteString("\n")
	}
	return b.String()
}
