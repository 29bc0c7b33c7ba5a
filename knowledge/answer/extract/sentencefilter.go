package extract

import (
	"regexp"
	"strings"

	"lacuna/knowledge/passage"
	"lacuna/knowledge/sanitise"
)

// isQuotable reports whether text may be shown as it stands, and is not the head of a list without its
// list.
func isQuotable(text string) bool {
	return sanitise.Quotable(text) && !strings.HasSuffix(text, ":") && !strings.HasSuffix(text, "：")
}

// Line returns the line of text that contains the byte at.
func Line(text string, at int) passage.Span {
	start := strings.LastIndexAny(text[:at], "\n\r") + 1
	end := strings.IndexAny(text[at:], "\n\r")
	if end < 0 {
		return passage.Span{Start: start, End: len(text)}
	}
	return passage.Span{Start: start, End: at + end}
}

// lineBefore returns the line before the given one; false at the first line.
func lineBefore(text string, l passage.Span) (passage.Span, bool) {
	if l.Start == 0 {
		return passage.Span{}, false
	}
	end := l.Start - 1
	if text[end] == '\n' && end > 0 && text[end-1] == '\r' {
		end--
	}
	return Line(text, end), true
}

// lineAfter returns the line after the given one; false at the last line.
func lineAfter(text string, l passage.Span) (passage.Span, bool) {
	start := l.End
	switch {
	case strings.HasPrefix(text[start:], "\r\n"):
		start += 2
	case start < len(text):
		start++
	}
	if start >= len(text) {
		return passage.Span{}, false
	}
	return Line(text, start), true
}

var (
	HeadingMark = regexp.MustCompile(`^ {0,3}#{1,6}(?:\s|$)`)
	underline   = regexp.MustCompile(`^ {0,3}(?:=+|-+)\s*$`)
	itemMark    = regexp.MustCompile(`^([ \t]*)(?:[-+*•·◦▪‣–]|\d{1,9}[.)])[ \t]`)
	tableRule   = regexp.MustCompile(`^[ \t]*\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$`)
)

// isHeading reports whether the sentence at span is a heading of p.
func isHeading(p *passage.Passage, span passage.Span) bool {
	if p.Format != passage.Markdown {
		return false
	}
	own := Line(p.Text, span.Start)
	if HeadingMark.MatchString(p.Text[own.Start:own.End]) {
		return true
	}
	next, ok := lineAfter(p.Text, Line(p.Text, span.End))
	return ok && underline.MatchString(p.Text[next.Start:next.End])
}

// isTableHeader reports whether the sentence at span is the header row of a table of p.
func isTableHeader(p *passage.Passage, span passage.Span) bool {
	header, ok := tableHeader(p, span.Start)
	return ok && header == Line(p.Text, span.Start)
}

// tableHeader returns the header line of the table that contains the byte at.
func tableHeader(p *passage.Passage, at int) (passage.Span, bool) {
	row := Line(p.Text, at)
	if p.Format != passage.Markdown || !isRow(p.Text, row) {
		return passage.Span{}, false
	}
	top := row
	for {
		above, ok := lineBefore(p.Text, top)
		if !ok || !isRow(p.Text, above) {
			break
		}
		top = above
	}
	rule, ok := lineAfter(p.Text, top)
	return top, ok && tableRule.MatchString(p.Text[rule.Start:rule.End])
}

func isRow(text string, l passage.Span) bool { return strings.Contains(text[l.Start:l.End], "|") }

// pronoun matches the opening of a sentence that leans on the one before it.
var pronoun = regexp.MustCompile(`^["'“‘(*_]*(?:(?:It|This|These|They|Such|He|She)\b|[它他她这此该其])`)

// leadOf returns the sentence that spans[order] cannot do without: the header of its table, the head of
// its list, or its predecessor if it opens with a pronoun. Elided reports that something between the two
// is left out.
func leadOf(p *passage.Passage, spans []passage.Span, order int) (lead passage.Span, elided, ok bool) {
	own := spans[order]
	if header, found := tableHeader(p, own.Start); found {
		return leadOnLine(p, spans, order, header)
	}
	if indent, item := ItemIndent(p.Text, own.Start); item {
		return headOfList(p, spans, order, indent)
	}
	if order == 0 || !pronoun.MatchString(p.Text[own.Start:own.End]) {
		return passage.Span{}, false, false
	}
	before := spans[order-1]
	return before, false, !isHeading(p, before) && showable(p, before)
}

// leadOnLine finds the sentence that begins on a line above.
func leadOnLine(p *passage.Passage, spans []passage.Span, order int, on passage.Span) (passage.Span, bool, bool) {
	for before := order - 1; before >= 0; before-- {
		if on.Start <= spans[before].Start && spans[before].End <= on.End {
			return spans[before], order-before > 1, showable(p, spans[before])
		}
	}
	return passage.Span{}, false, false
}

// headOfList walks up over the items next to the sentence to the item they are nested in, or to the
// sentence with a colon that announces them.
func headOfList(p *passage.Passage, spans []passage.Span, order, indent int) (passage.Span, bool, bool) {
	for before := order - 1; before >= 0; before-- {
		span := spans[before]
		depth, item := ItemIndent(p.Text, span.Start)
		switch {
		case item && depth < indent:
			return span, order-before > 1, showable(p, span)
		case item, continuesItem(p.Text, span.Start):
			continue
		}
		text := p.Text[span.Start:span.End]
		announces := strings.HasSuffix(text, ":") || strings.HasSuffix(text, "：")
		return span, order-before > 1, announces && showable(p, span)
	}
	return passage.Span{}, false, false
}

// ItemIndent reports whether the line that contains the byte at is an item of a list, and how far it is
// indented.
func ItemIndent(text string, at int) (int, bool) {
	l := Line(text, at)
	mark := itemMark.FindStringSubmatch(text[l.Start:l.End])
	if mark == nil {
		return 0, false
	}
	return len(mark[1]), true
}

// continuesItem reports whether the line that contains the byte at is indented, as the later lines of an
// item are.
func continuesItem(text string, at int) bool {
	l := Line(text, at)
	return strings.HasPrefix(text[l.Start:l.End], " ") || strings.HasPrefix(text[l.Start:l.End], "\t")
}

// showable is isQuotable for a lead, which may end in a colon.
func showable(p *passage.Passage, span passage.Span) bool {
	return isQuotable(strings.TrimRight(p.Text[span.Start:span.End], ":："))
}
