package ingest

import (
	"cmp"
	"strconv"
	"strings"

	"lacuna/knowledge/passage"
)

// passagesOf turns a row that stands at place into passages: one, or several where a text is too
// long for one. A stored pair is one passage, whatever the length of its answer.
func (c *candidate) passagesOf(r row, fields Fields, at passage.Place, names interner) ([]*passage.Passage, error) {
	g := getter{row: r}
	name := g.text(fields.ID)
	base := passage.Passage{
		Source: c.source.Name,
		Format: passage.Plain,
		Record: cmp.Or(name, c.record+"#"+strconv.Itoa(at.Line)),
		Date:   names.intern(g.text(fields.Date)),
		Place:  at,
	}
	pair := c.source.Kind == passage.QA
	text := g.text(fields.Text)
	question := g.text(fields.Question)
	if c.source.mixed() {
		pair = question != "" && text == ""
	}
	var all []*passage.Passage
	if pair {
		base.Kind = passage.QA
		base.Question = question
		base.Text = g.text(fields.Answer)
		base.Title = names.intern(g.text(fields.Topic))
		base.Section = names.intern(g.text(fields.Kind))
		base.Also = g.list(fields.Also)
		base.Document = names.intern(cmp.Or(g.text(fields.Document), base.Title, base.Record))
		base.Identify(name)
		base.Place.Field = fields.Answer
		if base.Text == "" {
			base.Place.Field = fields.Question // the only text there is to go to
		}
		base.Place.Span = passage.Span{Start: 0, End: len(base.Text)}
		all = []*passage.Passage{&base}
	} else {
		base.Kind = passage.Text
		base.Title = names.intern(g.text(fields.Title))
		base.Section = names.intern(g.text(fields.Section))
		if base.Title != "" && base.Section != "" { // of rows without titles it says which part they are, such as "abstract"
			base.Headings = []string{base.Section}
		}
		base.Document = names.intern(cmp.Or(g.text(fields.Document), base.Record))
		base.Place.Field = fields.Text
		all = split(base, name, text, c.source.Chunker)
	}
	switch {
	case g.err != nil:
		return nil, g.err
	case pair && strings.TrimSpace(question) == "":
		return nil, &rowError{reason: "no " + strconv.Quote(fields.Question)}
	case !pair && strings.TrimSpace(text) == "":
		return nil, &rowError{reason: "no " + strconv.Quote(fields.Text)}
	}
	for _, p := range all {
		p.Marks = marksIn(r.marks(p.Place.Field), p.Place.Span)
	}
	return all, nil
}

// split returns the passages of a named record's text: all of it, or parts where that is too much for
// one passage.
func split(base passage.Passage, name, text string, chunker Chunker) []*passage.Passage {
	spans := []passage.Span{{Start: 0, End: len(text)}}
	if chunker == Chars1000 {
		spans = packChars(text, spans, apart)
	} else if m := measureOf(text); m.count(text) > m.max {
		spans = m.pack(text, passage.Sentences(text, passage.Plain), apart)
	}
	all := make([]*passage.Passage, 0, len(spans))
	for _, span := range spans {
		p := base
		p.Text = text[span.Start:span.End]
		p.Identify(name)
		p.Place.Span = span
		all = append(all, &p)
	}
	return all
}

// getter reads fields of a row and keeps the first error.
type getter struct {
	row
	err error
}

func (g *getter) text(field string) string {
	value, err := g.row.text(field)
	g.err = cmp.Or(g.err, err)
	return value
}

func (g *getter) list(field string) []string {
	values, err := g.row.list(field)
	g.err = cmp.Or(g.err, err)
	return values
}

// interner keeps one copy of the strings that many rows share.
type interner map[string]string

func (in interner) intern(s string) string {
	if kept, ok := in[s]; ok {
		return kept
	}
	in[s] = s
	return s
}
