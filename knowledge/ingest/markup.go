package ingest

import (
	"cmp"
	"slices"
	"strings"

	"lacuna/knowledge/passage"
	"lacuna/knowledge/plaintext"
)

// markedUp gathers what a reader that goes through a document line by line makes of it.
type markedUp struct {
	body     string
	visible  []byte // body with blanks for what is not running text, so that no offset moves
	headings []heading
	code     []passage.Span
	outline
}

func newMarkedUp(body string) *markedUp {
	return &markedUp{body: body, visible: []byte(body)}
}

// skip leaves markup out of the sentences. Text on both sides of it may share a passage.
func (m *markedUp) skip(span passage.Span) {
	for i := span.Start; i < span.End; i++ {
		if m.visible[i] != '\n' && m.visible[i] != '\r' {
			m.visible[i] = ' '
		}
	}
}

// hide leaves out what a reader of the printed document does not see; no passage crosses it.
func (m *markedUp) hide(span passage.Span) {
	m.skip(span)
	m.headings = append(m.headings, heading{Span: span, level: breakLevel})
}

// comment hides what somebody wrote for nobody to see, and counts it.
func (m *markedUp) comment(span passage.Span) {
	m.hide(span)
	if !ownMark.MatchString(m.body[span.Start:span.End]) {
		m.hidden++
	}
}

// verbatim keeps a block as it stands.
func (m *markedUp) verbatim(span passage.Span) {
	m.skip(span)
	if span = trimBlankEnd(m.body, span); span.Len() > 0 {
		m.code = append(m.code, span)
	}
}

func (m *markedUp) heading(span passage.Span, level int, text string) {
	m.skip(span)
	m.headings = append(m.headings, heading{Span: span, level: level, text: plaintext.OneLine(text)})
}

// finish returns the outline. The blocks and headings were found in the order of the text.
func (m *markedUp) finish() outline {
	visible := string(m.visible)
	units := widened(visible, passage.Sentences(visible, passage.Plain))
	units = append(units, m.code...)
	slices.SortFunc(units, func(a, b passage.Span) int { return cmp.Compare(a.Start, b.Start) })
	m.sections = sectionsOf(m.headings, units, len(m.body))
	return m.outline
}

// lineScanner goes through the lines of a text.
type lineScanner struct {
	body string
	at   passage.Span // the current line, without its end
}

func newLineScanner(body string) lineScanner {
	return lineScanner{body: body, at: wholeLines(body, 0, 0)}
}

func (l *lineScanner) done() bool   { return l.at.Start >= len(l.body) }
func (l *lineScanner) text() string { return strings.TrimRight(l.body[l.at.Start:l.at.End], " \t\r") }
func (l *lineScanner) next()        { l.at = nextLine(l.body, l.at.End) }

// peek is the text of the line behind the current one.
func (l *lineScanner) peek() string {
	line := nextLine(l.body, l.at.End)
	return strings.TrimRight(l.body[line.Start:line.End], " \t\r")
}

// indent is the width of the white space a line begins with.
func indent(line string) int { return len(line) - len(strings.TrimLeft(line, " \t")) }
