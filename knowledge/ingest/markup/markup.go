// Package markup reads documents whose text is the file's own: Markdown, Org, reStructuredText and plain
// text. It finds their blocks; the spans of a document are bytes of the file, so that every quote can be
// traced to it.
//
// Readers take text whose lines end with a line feed, never fail, and do not recurse over nesting that
// the writer chose. What is no text of the document (comments, scripts, attributes) lies between the
// blocks; what a reader of the document would miss is counted.
//
// Begin with [Markdown].
package markup

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"lacuna/knowledge/document"
	"lacuna/knowledge/passage"
)

// blocks collects the blocks of a document in the order of its text.
type blocks struct {
	document.Document
	apart bool // the next block stands apart from the last
}

// add adds a block, unless it has no words. It returns 1 plus its index, or 0.
func (d *blocks) add(b document.Block) int {
	if b.Kind == passage.Code {
		b.Span = trimBlankLines(d.Text, b.Span)
	} else {
		b.Span = trim(d.Text, b.Span)
	}
	if b.Len() == 0 || !hasWords(d.Text[b.Start:b.End]) {
		return 0
	}
	if n := len(d.Blocks); n > 0 && d.Blocks[n-1].End > b.Start {
		return 0
	}
	b.Apart = b.Apart || d.apart
	d.apart = false
	d.Blocks = append(d.Blocks, b)
	return len(d.Blocks)
}

// hide counts text that readers of the document do not see. No passage crosses it.
func (d *blocks) hide(s passage.Span) {
	d.apart = true
	if !selfMark.MatchString(d.Text[s.Start:s.End]) {
		d.Hidden++
	}
}

// selfMark matches a comment that Lacuna wrote.
var selfMark = regexp.MustCompile(`\blacuna:`)

// trim removes white space from both ends of a span.
func trim(text string, s passage.Span) passage.Span {
	s.End = s.Start + len(strings.TrimRight(text[s.Start:s.End], " \t\r\n\f"))
	s.Start = s.End - len(strings.TrimLeft(text[s.Start:s.End], " \t\r\n\f"))
	return s
}

// trimBlankLines removes blank lines from both ends of a span, but not the indentation of its first line.
func trimBlankLines(text string, s passage.Span) passage.Span {
	t := trim(text, s)
	if start := strings.LastIndexByte(text[:t.Start], '\n') + 1; start >= s.Start {
		t.Start = start
	}
	return t
}

// hasWords reports whether a text holds a letter, a digit or another sign that is read.
func hasWords(text string) bool {
	return strings.IndexFunc(text, passage.IsWordRune) >= 0
}

// wholeLines extends start..end to whole lines, without the last line's end.
func wholeLines(body string, start, end int) passage.Span {
	start = strings.LastIndexByte(body[:start], '\n') + 1
	for end > start && (body[end-1] == '\n' || body[end-1] == '\r') {
		end--
	}
	if length := strings.IndexByte(body[end:], '\n'); length >= 0 {
		end += length
	} else {
		end = len(body)
	}
	return passage.Span{Start: start, End: end}
}

// nextLine returns the line after the one that ends at offset end.
func nextLine(body string, end int) passage.Span {
	if end >= len(body) {
		return passage.Span{Start: len(body), End: len(body)}
	}
	return wholeLines(body, end+1, end+1)
}

// overlaps reports whether s shares a byte with one of the spans, which are in order.
func overlaps(spans []passage.Span, s passage.Span) bool {
	i, _ := slices.BinarySearchFunc(spans, s.Start, func(span passage.Span, start int) int {
		return cmp.Compare(span.End, start+1)
	})
	return i < len(spans) && spans[i].Start < s.End
}

// lineScanner iterates over the lines of a text.
type lineScanner struct {
	body string
	at   passage.Span // the current line, without its end
}

func newLineScanner(body string) lineScanner {
	return lineScanner{body: body, at: wholeLines(body, 0, 0)}
}

func (l *lineScanner) done() bool { return l.at.Start >= len(l.body) }

func (l *lineScanner) text() string { return strings.TrimRight(l.body[l.at.Start:l.at.End], " \t\r") }

func (l *lineScanner) next() { l.at = nextLine(l.body, l.at.End) }

// peek returns the text of the next line.
func (l *lineScanner) peek() string {
	line := nextLine(l.body, l.at.End)
	return strings.TrimRight(l.body[line.Start:line.End], " \t\r")
}

// indent returns the width of the white space at the beginning of a line, a tab counting as one.
func indent(line string) int { return len(line) - len(strings.TrimLeft(line, " \t")) }
