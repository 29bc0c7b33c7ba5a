package handlers

import (
	"go.lsp.dev/protocol"

	"lacuna/handlers/lsp"
	"lacuna/handlers/position"
	"lacuna/knowledge/passage"
)

// Inside, a place is a span of bytes. This file alone makes ranges and positions of spans, and
// offsets of positions.

// SpanRange converts a span of the text that the lines are of.
func SpanRange(lines *position.Lines, span passage.Span, e position.Encoding) protocol.Range {
	return protocol.Range{
		Start: offsetPosition(lines, span.Start, e),
		End:   offsetPosition(lines, span.End, e),
	}
}

func offsetPosition(lines *position.Lines, offset int, e position.Encoding) protocol.Position {
	at := lines.Position(offset, e)
	return protocol.Position{Line: at.Line, Character: at.Column}
}

// rangeOf converts a span of the note.
func (s Snapshot) rangeOf(span passage.Span) protocol.Range {
	return SpanRange(s.Note.Lines, span, s.Client.Encoding)
}

// offsetOf converts a position in the note; one outside is clamped.
func (s Snapshot) offsetOf(at protocol.Position) int {
	return s.Note.Lines.Offset(position.Position{Line: at.Line, Column: at.Character}, s.Client.Encoding)
}

// outside reports whether a position lies below the last line. Clamped, it would mean that line.
func (s Snapshot) outside(at protocol.Position) bool {
	return uint64(at.Line) >= uint64(s.Note.Lines.Count())
}

// lineLocation is the beginning of a line of a file; the first line is 1. It needs no text.
func lineLocation(file string, line int) protocol.Location {
	at := protocol.Position{Line: uint32(max(line, 1) - 1)}
	return protocol.Location{URI: lsp.URI(file), Range: protocol.Range{Start: at, End: at}}
}
