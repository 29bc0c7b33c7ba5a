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

// document adds the passages of a Markdown or plain text file.
func (c *candidate) document(text string, file *File) {
	base := passage.Passage{
		Source:   c.source.Name,
		Record:   c.record,
		Document: c.source.Name + "/" + c.record,
		Kind:     passage.Text,
		Format:   passage.Plain,
		Title:    strings.TrimSuffix(path.Base(c.record), path.Ext(c.record)),
	}
	body := strings.TrimPrefix(text, "\uFEFF")
	offset := len(text) - len(body)

	var sections []section
	if formOf(c.record) == markdownDocument {
		base.Format = passage.Markdown
		outline := outlineOf(lineFeeds(body))
		if outline.title != "" {
			base.Title = outline.title
		}
		base.Private = outline.private
		sections = outline.sections
		file.Hidden = outline.hidden
	} else {
		sections = []section{{units: passage.Sentences(body, passage.Plain)}}
	}
	file.Hidden += hiddenRunes(body)

	var problems problems
	lines := lineCounter{text: lineFeeds(text), line: 1}
	faults := lines
	size := measureOf(body)
	own := ownBlocks(body, base.Format)
	for _, s := range sections {
		units := slices.DeleteFunc(s.units, func(unit passage.Span) bool {
			if overlaps(own, unit) {
				return true
			}
			valid := utf8.ValidString(body[unit.Start:unit.End])
			if !valid {
				problems.add(faults.at(offset+unit.Start), "not UTF-8; the sentence is left out")
			}
			return !valid
		})
		for _, span := range size.pack(body, units, apart) {
			p := base
			p.Headings = s.headings
			if len(s.headings) > 0 {
				p.Section = s.headings[len(s.headings)-1]
			}
			p.Text = body[span.Start:span.End]
			p.ID = passage.IDOf(p.Text)
			p.Place = passage.Place{
				File: c.path,
				Span: passage.Span{Start: offset + span.Start, End: offset + span.End},
				Line: lines.at(offset + span.Start),
			}
			file.Passages = append(file.Passages, &p)
		}
	}
	problems.report(&file.FileReport)
	switch {
	case len(file.Passages) > 0:
	case file.Reason == "":
		file.skip("no text")
	default:
		file.State = Failed
	}
}

// apart reports whether the text between two sentences keeps them in separate passages: what a
// reader does not see must not be quoted along, and bytes that are no text cannot be.
func apart(between string) bool {
	return hiddenOpening.MatchString(between) || ownAnswer.MatchString(between) || !utf8.ValidString(between)
}

// lineCounter counts lines in a text from front to back.
type lineCounter struct {
	text   string
	offset int
	line   int
}

// at returns the line, the first being 1, of an offset that is not before the last one asked for.
func (l *lineCounter) at(offset int) int {
	l.line += strings.Count(l.text[l.offset:offset], "\n")
	l.offset = offset
	return l.line
}
