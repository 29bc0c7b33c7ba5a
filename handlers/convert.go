package handlers

import (
	"go.lsp.dev/protocol"

	"lacuna/handlers/position"
	"lacuna/knowledge/passage"
)

// spanRange converts a span of a text to a range of it. No other function makes a range.
func spanRange(lines *position.Lines, span passage.Span, e position.Encoding) protocol.Range {
	start, end := lines.Position(span.Start, e), lines.Position(span.End, e)
	return protocol.Range{
		Start: protocol.Position{Line: start.Line, Character: start.Column},
		End:   protocol.Position{Line: end.Line, Character: end.Column},
	}
}

// positionOffset converts a position to an offset, clamping it to the text.
func positionOffset(lines *position.Lines, at protocol.Position, e position.Encoding) int {
	return lines.Offset(position.Position{Line: at.Line, Column: at.Character}, e)
}
