package ingest

import (
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"lacuna/knowledge/passage"
)

// section is a stretch of a document under one heading path.
type section struct {
	headings []string // outermost first, without the title
	units    []passage.Span
}

// reading is a document as its reader understood it. All spans are bytes of text.
type reading struct {
	outline
	text   string
	format passage.Format
	field  string         // of the places
	marks  []passage.Mark // of the text's lines in the file, where the text was taken from it
	offset int            // of text in the file
	// private says which line makes the document private, if one does.
	private privacy
}

// readText reads a document whose text is its file's.
func (c *candidate) readText(content string) reading {
	body := strings.TrimPrefix(content, byteOrderMark)
	r := reading{text: body, offset: len(content) - len(body), format: passage.Plain}
	r.private = privacyOf(content, markups[formOf(c.record)])
	switch formOf(c.record) {
	case markdownDocument:
		r.format = passage.Markdown
		r.outline = outlineOf(lineFeeds(body), c.source.Kind == passage.QA || c.source.mixed())
	case orgDocument:
		r.outline = orgOutline(lineFeeds(body))
	case restDocument:
		r.outline = restOutline(lineFeeds(body))
	default:
		r.sections = []section{{units: passage.Sentences(body, passage.Plain)}}
	}
	return r
}

// document adds the passages of a document whose text is its file's.
func (c *candidate) document(content string, file *File) {
	r := c.readText(content)
	counter := func() func(int) int {
		lines := lineCounter{text: lineFeeds(content), line: 1}
		return func(at int) int { return lines.at(r.offset + at) }
	}
	c.passages(r, counter, file)
}

// passages adds the passages of a document. Each counter says on which line of the file a place in
// the text stands, asked from front to back.
func (c *candidate) passages(r reading, counter func() func(int) int, file *File) {
	base := passage.Passage{
		Source:   c.source.Name,
		Record:   c.record,
		Document: c.source.Name + "/" + c.record,
		Kind:     passage.Text,
		Format:   r.format,
		Title:    r.title,
		Private:  r.private.says,
		Place:    passage.Place{File: c.path, Field: r.field},
	}
	if base.Title == "" {
		base.Title = strings.TrimSuffix(path.Base(c.record), path.Ext(c.record))
	}
	file.Hidden = r.hidden + hiddenRunes(r.text)

	var problems problems
	r.private.tell(&problems)
	lines, faults := counter(), counter()
	add := func(p passage.Passage, span passage.Span) {
		p.Place.Span = passage.Span{Start: r.offset + span.Start, End: r.offset + span.End}
		p.Place.Line = lines(span.Start)
		if marks := marksIn(r.marks, span); len(marks) > 1 { // else all is where it begins
			p.Marks = marks
		}
		file.Passages = append(file.Passages, &p)
	}
	for _, pair := range r.pairs {
		if !utf8.ValidString(pair.question + r.text[pair.answer.Start:pair.answer.End]) {
			problems.add(faults(pair.Start), "not UTF-8; the pair is left out")
			continue
		}
		add(pair.passage(base, r.text), pair.answer)
	}
	if len(r.pairs) > 0 {
		lines, faults = counter(), counter()
	}
	if c.source.Kind == passage.QA && !c.source.mixed() {
		r.sections = nil
	}
	own := ownBlocks(r.text, r.format)
	pack := measureOf(r.text).pack
	if c.source.Chunker == Chars1000 {
		pack = packChars
	}
	for _, s := range r.sections {
		units := slices.DeleteFunc(s.units, func(unit passage.Span) bool {
			if overlaps(own, unit) {
				return true
			}
			valid := utf8.ValidString(r.text[unit.Start:unit.End])
			if !valid {
				problems.add(faults(unit.Start), "not UTF-8; the sentence is left out")
			}
			return !valid
		})
		for _, span := range pack(r.text, units, apart) {
			p := base
			p.Headings = s.headings
			if len(s.headings) > 0 {
				p.Section = s.headings[len(s.headings)-1]
			}
			p.Text = r.text[span.Start:span.End]
			p.Identify("")
			add(p, span)
		}
	}
	problems.report(&file.FileReport)
	switch {
	case len(file.Passages) > 0:
	case file.Reason != "":
		file.State = Failed
	case c.source.Kind == passage.QA && !c.source.mixed():
		file.skip("no question-answer pairs in " + extension(c.record))
	default:
		file.skip("no text")
	}
}

// apart reports whether the text between two sentences keeps them in separate passages: what a
// reader does not see must not be quoted along, and bytes that are no text cannot be.
func apart(between string) bool {
	return hiddenOpening.MatchString(between) || ownAnswer.MatchString(between) || !utf8.ValidString(between)
}

// marksIn returns the marks of a span of a text, with offsets from its start, of which the first has one.
func marksIn(marks []passage.Mark, span passage.Span) []passage.Mark {
	compare := func(m passage.Mark, at int) int { return int(m.Offset) - at }
	from, exact := slices.BinarySearchFunc(marks, span.Start, compare)
	if !exact {
		from--
	}
	to, _ := slices.BinarySearchFunc(marks, span.End, compare)
	if from < 0 || from >= to {
		return nil
	}
	inside := slices.Clone(marks[from:to])
	for i := range inside {
		inside[i].Offset = max(0, inside[i].Offset-int32(span.Start))
	}
	return inside
}

// lineCounter counts lines in a text from front to back.
type lineCounter struct {
	text   string
	offset int
	line   int
}

// at returns the line, the first being 1, of an offset. It costs little for one that is not before the last
// one asked for.
func (l *lineCounter) at(offset int) int {
	if offset < l.offset {
		l.offset, l.line = 0, 1
	}
	l.line += strings.Count(l.text[l.offset:offset], "\n")
	l.offset = offset
	return l.line
}
