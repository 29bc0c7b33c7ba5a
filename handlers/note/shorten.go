package note

import (
	"slices"
	"strings"

	"lacuna/knowledge/passage"
)

// Shorten returns the edits that write the answers of a note in the lean form, in order. Words, sources and what the
// user added stay; an answer that would not read back as the same is left as it is. name returns the title, the page and
// the heading of a source, whose quoted words may be empty, and says whether somebody edited these.
func (n *Note) Shorten(name func(c Citation, quote string) (source BlockSource, edited bool)) []Edit {
	questions := make(map[int]Question)
	for _, q := range n.Questions {
		if q.Answer >= 0 {
			questions[q.Answer] = q
		}
	}
	var edits []Edit
	for i, a := range n.Answers {
		q, answered := questions[i]
		if a.Lean || !answered {
			continue
		}
		s := shortener{note: n, answer: a, name: name, eol: n.lineEnd(q)}
		if edit := s.edit(q); n.keeps(edit, a, q) {
			edits = append(edits, edit)
		}
	}
	return edits
}

// keeps reports whether an edit leaves an answer with the same sentences, quotes, sources and state.
func (n *Note) keeps(e Edit, a Answer, q Question) bool {
	after := n.WithText(n.Text[:e.Span.Start] + e.NewText + n.Text[e.Span.End:])
	same, found := after.Find(q.ID)
	if !found || same.Answer < 0 || len(after.Questions) != len(n.Questions) || after.Open(same) != n.Open(q) {
		return false
	}
	b := after.Answers[same.Answer]
	return b.Lean && b.Question == a.Question &&
		slices.EqualFunc(a.Statements, b.Statements, func(x, y Statement) bool {
			return x.Basis == y.Basis && x.Text == y.Text && len(x.Cites) == len(y.Cites)
		}) &&
		slices.EqualFunc(a.Missing, b.Missing, func(x, y Missing) bool { return x.Text == y.Text })
}

// shortener writes one answer in the lean form.
type shortener struct {
	note   *Note
	answer Answer
	name   func(Citation, string) (source BlockSource, edited bool)
	eol    string
}

func (s shortener) edit(q Question) Edit {
	n, m, a := s.note, s.note.markup, s.answer
	first, last := n.Lines.LineAt(a.Span.Start), n.Lines.LineAt(a.Span.End)
	_, start := n.trimmedLine(first)
	b := Block{Status: a.Status}
	q.ID = QuestionID(a.Question)
	lines := []string{q.indent + m.hiddenOf(q, b, s.checked())}
	if m.blankLines {
		lines = append(lines, "")
	}
	for line := first + 1; line <= last; line++ {
		text, offset := n.trimmedLine(line)
		begin, _ := n.Lines.Span(line)
		text, stays := s.line(text, offset)
		switch blank := lines[len(lines)-1] == "" || len(lines) == 1; {
		case !stays, text == "" && blank:
		case text == "":
			lines = append(lines, "")
		default:
			lines = append(lines, n.Text[begin:offset]+text)
		}
	}
	for lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	if next := last + 1; next < n.Lines.Count() {
		if text, offset := n.trimmedLine(next); text != "" && n.columnOf(next, offset) >= n.columnOf(first, start) {
			lines = append(lines, "")
		}
	}
	return Edit{a.Span, strings.Join(lines, s.eol)}
}

// checked returns the quotes that the lean form shows, without those that somebody edited.
func (s shortener) checked() []string {
	var quotes []string
	add := func(c Citation, quote string) {
		if _, edited := s.name(c, quote); !edited {
			quotes = append(quotes, quote)
		}
	}
	for _, mark := range s.answer.Marks {
		if c, listed := s.answer.citation(mark.N); listed && mark.Quote != "" {
			add(c, mark.Quote)
		}
	}
	for _, c := range s.answer.Citations {
		if numbered := func(m Mark) bool { return m.N == c.N && m.Quote == "" }; c.Quote != "" && slices.ContainsFunc(s.answer.Marks, numbered) {
			add(c, c.Quote)
		}
	}
	return quotes
}

// line returns what a line of the full form is in the lean one; false if nothing of it stays.
func (s shortener) line(text string, offset int) (lean string, stays bool) {
	m, a := s.note.markup, s.answer
	within := func(span passage.Span) bool { return offset <= span.Start && span.End <= offset+len(text) }
	for _, c := range a.Citations {
		if within(c.Span) {
			numbered := slices.ContainsFunc(a.Marks, func(mark Mark) bool { return mark.N == c.N && mark.Quote == "" })
			return m.listed(s.source(c, c.Quote)), numbered
		}
	}
	for _, mark := range a.Marks {
		c, listed := a.citation(mark.N)
		if mark.Quote != "" && listed && within(mark.Span) {
			return text[:mark.Span.Start-offset] + m.cite(s.source(c, mark.Quote)) + text[mark.Span.End-offset:], true
		}
	}
	first := len(a.Statements) == 0 || offset < a.Statements[0].Span.Start
	switch {
	case text == m.close, m.readStatus(text) == a.Status && (a.Status == Taken || answeredFrom.MatchString(a.Status)):
		return "", false
	case text == "", strings.HasPrefix(text, MissingKnowledge), text == NearestPlaces, strings.HasPrefix(text, m.item), m.readStatus(text) == a.Status:
		return text, true
	case m.surrounds(text):
		return text, !s.aroundSources(offset)
	case first && len(a.Statements) > 0:
		return RemarkOfAnswer + " " + text, true
	}
	return text, true
}

// aroundSources reports whether a line that surrounds a list surrounds one of which nothing stays.
func (s shortener) aroundSources(offset int) bool {
	a := s.answer
	if slices.ContainsFunc(a.Marks, func(mark Mark) bool { return mark.Quote == "" }) {
		return false
	}
	return len(a.Statements) == 0 || offset > a.Statements[len(a.Statements)-1].Span.End && (s.note.markup.list[1] == "" || s.closedBefore(offset))
}

// closedBefore reports whether the list of the statements is closed above an offset.
func (s shortener) closedBefore(offset int) bool {
	behind := s.answer.Statements[len(s.answer.Statements)-1].Span.End
	return strings.Contains(s.note.Text[behind:offset], s.note.markup.list[1])
}

// source returns a citation as the lean form has it.
func (s shortener) source(c Citation, quote string) BlockSource {
	source, _ := s.name(c, quote)
	source.N, source.Path, source.Line, source.Quote = c.N, c.Path, c.Line, c.Quote
	return source
}
