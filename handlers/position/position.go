// Package position converts between byte offsets, which all of Lacuna uses inside, and the line and column
// positions of the protocol, in the encoding that was negotiated. Columns are counted nowhere else.
//
// Begin with [Lines].
package position

import (
	"sort"
	"strings"
	"unicode/utf8"
)

// Encoding is the unit in which a column is counted. Its values are the protocol's.
type Encoding string

const (
	UTF8  Encoding = "utf-8"
	UTF16 Encoding = "utf-16" // the protocol's default
	UTF32 Encoding = "utf-32"
)

// Choose picks an encoding from those a client offers: UTF-8 if offered, because it needs no conversion,
// else the client's first choice that we know, else UTF-16, which every client understands.
func Choose(offered []string) Encoding {
	chosen := Encoding("")
	for _, name := range offered {
		switch e := Encoding(name); e {
		case UTF8:
			return UTF8
		case UTF16, UTF32:
			if chosen == "" {
				chosen = e
			}
		}
	}
	if chosen == "" {
		return UTF16
	}
	return chosen
}

// Position is a zero-based line and a zero-based column counted in the encoding's units.
type Position struct{ Line, Column uint32 }

// Lines is the line table of a text. "\n", "\r\n" and "\r" each end a line; a text that ends with
// a line end has an empty last line. It is immutable.
type Lines struct {
	text   string
	starts []int // byte offset of the first byte of each line; starts[0] is 0
}

// NewLines returns the line table of text.
func NewLines(text string) *Lines {
	starts := make([]int, 1, 1+len(text)/32)
	for at := 0; at < len(text); {
		stop, next := len(text), len(text)
		if i := strings.IndexByte(text[at:], '\n'); i >= 0 {
			stop, next = at+i, at+i+1
		}
		// Carriage returns before the line feed end lines of their own, except the last one if it is part of
		// "\r\n".
		for {
			i := strings.IndexByte(text[at:stop], '\r')
			if i < 0 || (at+i == stop-1 && next > stop) {
				break
			}
			at += i + 1
			starts = append(starts, at)
		}
		if next > stop {
			starts = append(starts, next)
		}
		at = next
	}
	return &Lines{text: text, starts: starts}
}

// WithText returns [NewLines] of text, which shares its first same and its last sameEnd bytes with this
// table's text; it scans only what is between. The two shared stretches must not overlap in either text.
func (l *Lines) WithText(text string, same, sameEnd int) *Lines {
	moved := len(text) - len(l.text)
	// Whether a line begins somewhere depends on the bytes on both sides.
	above := max(1, sort.SearchInts(l.starts, same))
	below := max(above, sort.SearchInts(l.starts, len(l.text)-sameEnd+1))
	from, to := l.starts[above-1], len(text)
	if below < len(l.starts) {
		to = l.starts[below] + moved
	}
	between := NewLines(text[from:to]).starts[1:]
	starts := make([]int, 0, above+len(between)+len(l.starts)-below)
	starts = append(starts, l.starts[:above]...)
	for _, start := range between {
		starts = append(starts, start+from)
	}
	if below < len(l.starts) {
		for _, start := range l.starts[below+1:] { // the first one ends the changed stretch
			starts = append(starts, start+moved)
		}
	}
	return &Lines{text: text, starts: starts}
}

// Count returns the number of lines, at least 1.
func (l *Lines) Count() int { return len(l.starts) }

// Span returns the bytes of a line (the first is 0) without its line end. The line must exist.
func (l *Lines) Span(line int) (start, end int) {
	start, end = l.starts[line], len(l.text)
	if line+1 == len(l.starts) {
		return start, end
	}
	end = l.starts[line+1] - 1
	if end > start && l.text[end] == '\n' && l.text[end-1] == '\r' {
		end--
	}
	return start, end
}

// LineAt returns the line that holds an offset; a line end belongs to the line it ends. An offset
// outside the text is clamped.
func (l *Lines) LineAt(offset int) int {
	return sort.Search(len(l.starts), func(i int) bool { return l.starts[i] > max(offset, 0) }) - 1
}

// Offset converts a position to a byte offset. A column beyond the line clamps to before the line
// end, a line beyond the text to the end of the text, and a column inside a character rounds down.
func (l *Lines) Offset(p Position, e Encoding) int {
	if uint64(p.Line) >= uint64(len(l.starts)) {
		return len(l.text)
	}
	start, end := l.Span(int(p.Line))
	line := l.text[start:end]
	if e == UTF8 {
		if uint64(p.Column) >= uint64(len(line)) {
			return end
		}
		return start + runeStart(line, int(p.Column))
	}
	column := uint64(p.Column)
	units := uint64(0)
	for i, r := range line {
		units += unitsOf(r, e)
		if units > column {
			return start + i
		}
	}
	return end
}

// Position converts a byte offset to a position; an offset outside the text is clamped, one inside
// a character rounds down, and one inside a line end means before it.
func (l *Lines) Position(offset int, e Encoding) Position {
	offset = min(max(offset, 0), len(l.text))
	number := l.LineAt(offset)
	start, end := l.Span(number)
	line := l.text[start:end]
	if offset >= end {
		offset = len(line)
	} else {
		offset = runeStart(line, offset-start)
	}
	units := uint64(offset)
	if e != UTF8 {
		units = 0
		for _, r := range line[:offset] {
			units += unitsOf(r, e)
		}
	}
	return Position{Line: uint32(number), Column: uint32(units)}
}

// unitsOf returns the width of a character. An invalid byte counts as U+FFFD, one unit wide, which is also
// what a client shows for it.
func unitsOf(r rune, e Encoding) uint64 {
	if e == UTF16 && r >= 0x10000 {
		return 2
	}
	return 1
}

// runeStart returns the offset of the first byte of the character that holds line[offset].
func runeStart(line string, offset int) int {
	for i := offset; i >= 0 && i > offset-utf8.UTFMax; i-- {
		if utf8.RuneStart(line[i]) {
			if _, size := utf8.DecodeRuneInString(line[i:]); i+size > offset {
				return i
			}
			break
		}
	}
	return offset
}
