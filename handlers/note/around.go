package note

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"lacuna/knowledge/passage"
)

// Around returns what an offset lies in, each span within the next and longer: the word, the sentence or quote, the
// paragraph or item, the answer, the question with its answer, the sections of the headings above, and at the end,
// always, the whole note. Of two parts that overlap without one lying in the other, only the shorter is returned.
func (n *Note) Around(offset int) []passage.Span {
	offset = min(max(offset, 0), len(n.Text))
	parts := []passage.Span{n.wordAt(offset), n.lineAround(offset), n.paragraphAround(offset)}
	for _, s := range n.Sentences(true) {
		parts = append(parts, s.Span, passage.Span{Start: s.Span.Start, End: s.End})
	}
	for _, q := range n.Questions {
		whole := n.trimmed(q.lines)
		parts = append(parts, q.Span, whole)
		if q.Answer >= 0 {
			parts = append(parts, passage.Span{Start: whole.Start, End: n.Answers[q.Answer].Span.End})
		}
	}
	for _, a := range n.Answers {
		parts = append(parts, n.trimmed(a.Span))
		for _, s := range a.Statements {
			parts = append(parts, s.Span)
		}
	}
	for i, h := range n.Headings {
		section := passage.Span{Start: h.Span.Start, End: len(n.Text)}
		for _, next := range n.Headings[i+1:] {
			if next.Level <= h.Level {
				section.End = next.Span.Start
				break
			}
		}
		parts = append(parts, h.Span, n.trimmed(section))
	}
	parts = slices.DeleteFunc(parts, func(s passage.Span) bool { return s.Len() <= 0 || !contains(s, offset) })
	slices.SortStableFunc(parts, func(a, b passage.Span) int { return a.Len() - b.Len() })
	var around []passage.Span
	for _, s := range append(parts, passage.Span{End: len(n.Text)}) {
		if len(around) == 0 || s.Len() > around[len(around)-1].Len() && within(around[len(around)-1], s) {
			around = append(around, s)
		}
	}
	return around
}

// within reports whether a span lies in another.
func within(inner, outer passage.Span) bool {
	return outer.Start <= inner.Start && inner.End <= outer.End
}

// trimmed returns a span without white space at its ends.
func (n *Note) trimmed(s passage.Span) passage.Span {
	text := n.Text[s.Start:s.End]
	s.End -= len(text) - len(strings.TrimRightFunc(text, unicode.IsSpace))
	s.Start += len(text) - len(strings.TrimLeftFunc(text, unicode.IsSpace))
	return s
}

// wordAt returns the letters, digits and marks around an offset, with hyphens and apostrophes between them.
func (n *Note) wordAt(offset int) passage.Span {
	s := passage.Span{Start: offset, End: offset}
	inWord := func(r rune) bool {
		return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) || strings.ContainsRune("-'’_", r)
	}
	for s.Start > 0 {
		r, size := utf8.DecodeLastRuneInString(n.Text[:s.Start])
		if !inWord(r) {
			break
		}
		s.Start -= size
	}
	for s.End < len(n.Text) {
		r, size := utf8.DecodeRuneInString(n.Text[s.End:])
		if !inWord(r) {
			break
		}
		s.End += size
	}
	return s
}

// lineAround returns the line of an offset in an answer, where each line is a paragraph or an item; else nothing.
func (n *Note) lineAround(offset int) passage.Span {
	if !n.inAnswer(offset) {
		return passage.Span{}
	}
	start, end := n.Lines.Span(n.Lines.LineAt(offset))
	return n.trimmed(passage.Span{Start: start, End: end})
}

// paragraphAround returns the paragraph of running text, or of an item, that an offset lies in; else nothing.
func (n *Note) paragraphAround(offset int) passage.Span {
	at := slices.IndexFunc(n.running, func(l runningLine) bool { return contains(l.Span, offset) })
	if at < 0 {
		return passage.Span{}
	}
	first, last := at, at
	for first > 0 && n.running[first].continues {
		first--
	}
	for last+1 < len(n.running) && n.running[last+1].continues {
		last++
	}
	return passage.Span{Start: n.running[first].Start, End: n.running[last].End}
}
