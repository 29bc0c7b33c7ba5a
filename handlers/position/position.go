// Package position converts between byte offsets, which everything inside Lacuna speaks, and the
// line-and-column positions of the wire, in whichever encoding was negotiated. It is the only
// place where a column is counted.
package position

// Encoding is the unit in which a column is counted. Its values are those of the protocol.
type Encoding string

const (
	UTF8  Encoding = "utf-8"
	UTF16 Encoding = "utf-16" // the protocol's default
	UTF32 Encoding = "utf-32"
)

// Position is a zero-based line and a zero-based column counted in the encoding's units.
type Position struct{ Line, Column uint32 }

// Lines is the line table of a text. "\n", "\r\n" and "\r" each end a line. It is immutable.
type Lines struct{}

// NewLines makes the line table of text.
func NewLines(text string) *Lines { panic("not built yet") }

// Offset converts a position to a byte offset. A column beyond the line clamps to before the line
// end, a line beyond the text to the end of the text, and a column inside a character rounds down.
func (l *Lines) Offset(p Position, e Encoding) int { panic("not built yet") }

// Position converts a byte offset to a position; an offset outside the text is clamped.
func (l *Lines) Position(offset int, e Encoding) Position { panic("not built yet") }
