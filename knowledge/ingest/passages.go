package ingest

import (
	"cmp"
	"context"
	"errors"
	"path"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"lacuna/knowledge/head"
	"lacuna/knowledge/ingest/pdf"
	"lacuna/knowledge/passage"
)

// addText adds the passages of a document whose text is its file's.
func (c *candidate) addText(f *format, content string, file *File) {
	body := strings.TrimPrefix(content, byteOrderMark)
	d := document{text: body, offset: len(content) - len(body), format: cmp.Or(f.sentences, passage.Plain)}
	d.private = privacyOf(content, f.markup)
	d.outline = f.outline(lineFeeds(body), c.source.Kind == passage.QA || c.source.mixed())
	counter := func() func(int) int {
		lines := lineCounter{text: lineFeeds(content), line: 1}
		return func(at int) int { return lines.at(d.offset + at) }
	}
	c.addDocument(d, counter, file)
}

// addExtraction adds the passages of a file whose text must be taken from it.
func (c *candidate) addExtraction(ctx context.Context, f *format, content []byte, file *File) {
	longest := min(c.allowance.GiveUp, pdf.MaxTime)
	if f.slow && longest < time.Second {
		c.allowance.over = "give_up"
		file.skip(c.allowance.reason())
		return
	}
	taken, err := f.extract(ctx, content, longest)
	var late pdf.TimeoutError
	switch {
	case errors.As(err, &late):
		c.allowance.used.lost += late.After
		file.fail(err.Error())
		if late.After < pdf.MaxTime {
			c.allowance.over = "give_up"
			file.Reason += "; " + c.allowance.reason()
		}
		return
	case errors.Is(err, pdf.ErrEncrypted), errors.Is(err, pdf.ErrNoText):
		file.skip(err.Error())
		return
	case err != nil:
		file.fail(err.Error())
		return
	}
	file.Reason = taken.partly
	d := taken.document()
	if f.markup != head.Plain {
		d.private = privacyOf(string(content), f.markup)
	} else {
		d.private = taken.privacy()
	}
	c.addDocument(d, func() func(int) int { return taken.lineAt }, file)
}

// privacy returns what a document says about itself in its first lines, in a paragraph of its own or
// among its keywords.
func (e *extraction) privacy() privacy {
	statement, private := head.Private(e.text, head.Plain)
	if private && statement.Clear {
		return privacy{private: true}
	}
	if private {
		return privacy{private: true, unclearLine: e.lineAt(statement.Span.Start)}
	}
	return privacy{private: slices.ContainsFunc(e.about, head.Means)}
}

// addDocument adds the passages of a document. Each function that counter returns maps a place in the
// text to a line of the file, and is called from front to back.
func (c *candidate) addDocument(d document, counter func() func(int) int, file *File) {
	base := passage.Passage{
		Source:   c.source.Name,
		Record:   c.record,
		Document: c.source.Name + "/" + c.record,
		Kind:     passage.Text,
		Format:   d.format,
		Title:    d.title,
		Private:  d.private.private,
		Place:    passage.Place{File: c.path, Field: d.field},
	}
	if base.Title == "" {
		base.Title = strings.TrimSuffix(path.Base(c.record), path.Ext(c.record))
	}
	file.Hidden = d.hidden + countInvisible(d.text)

	var problems problems
	d.private.addTo(&problems)
	lines, faults := counter(), counter()
	add := func(p passage.Passage, span passage.Span) {
		p.Place.Span = passage.Span{Start: d.offset + span.Start, End: d.offset + span.End}
		p.Place.Line = lines(span.Start)
		if marks := marksWithin(d.marks, span); len(marks) > 1 { // else all is where it begins
			p.Marks = marks
		}
		file.Passages = append(file.Passages, &p)
	}
	for _, pair := range d.pairs {
		if !utf8.ValidString(pair.question + d.text[pair.answer.Start:pair.answer.End]) {
			problems.add(faults(pair.Start), "not UTF-8; the pair is left out")
			continue
		}
		add(pair.passage(base, d.text), pair.answer)
	}
	if len(d.pairs) > 0 {
		lines, faults = counter(), counter()
	}
	if c.source.Kind == passage.QA && !c.source.mixed() {
		d.sections = nil
	}
	own := selfAnswers(d.text, d.format)
	pack := measureOf(d.text).pack
	if c.source.Chunker == Chars1000 {
		pack = chunkChars
	}
	for _, s := range d.sections {
		units := slices.DeleteFunc(s.units, func(unit passage.Span) bool {
			if overlaps(own, unit) {
				return true
			}
			valid := utf8.ValidString(d.text[unit.Start:unit.End])
			if !valid {
				problems.add(faults(unit.Start), "not UTF-8; the sentence is left out")
			}
			return !valid
		})
		for _, span := range pack(d.text, units, apart) {
			p := base
			p.Headings = s.headings
			if len(s.headings) > 0 {
				p.Section = s.headings[len(s.headings)-1]
			}
			p.Text = d.text[span.Start:span.End]
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
