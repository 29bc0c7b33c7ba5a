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

	"lacuna/knowledge/document"
	"lacuna/knowledge/head"
	"lacuna/knowledge/ingest/markup"
	"lacuna/knowledge/ingest/pdf"
	"lacuna/knowledge/passage"
)

// addText adds the passages of a document whose text is its file's.
func (c *candidate) addText(f *format, content string, file *File) {
	body := strings.TrimPrefix(content, byteOrderMark)
	d := fileDocument{offset: len(content) - len(body), private: privacyOf(content, f.markup)}
	d.Document, d.pairs = f.outline(lineFeeds(body), c.source.Kind == passage.QA || c.source.mixed())
	d.Text = body
	lines := newLineIndex(lineFeeds(content))
	c.addDocument(d, func(at int) int { return lines.at(d.offset + at) }, file)
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
	var unread document.Unread
	switch {
	case errors.As(err, &unread):
		file.skip(err.Error())
		return
	case errors.As(err, &late):
		c.allowance.used.lost += late.After
		file.fail(err.Error())
		if late.After < pdf.MaxTime {
			c.allowance.over = "give_up"
			file.Reason += "; " + c.allowance.reason()
		}
		return
	case errors.Is(err, pdf.ErrEncrypted), errors.Is(err, pdf.ErrNoText), errors.Is(err, pdf.ErrNoMap):
		file.skip(err.Error())
		return
	case err != nil:
		file.fail(err.Error())
		return
	}
	d := fileDocument{Document: taken, field: extractedField}
	switch {
	case f.decode != nil:
		d.private = privacyOf(f.decode(content), f.markup)
		d.private.private = d.private.private || slices.ContainsFunc(taken.Keywords, head.Means)
	case f.markup != head.Plain:
		d.private = privacyOf(string(content), f.markup)
	default:
		d.private = privacyOfExtracted(&taken)
	}
	d.private.private = d.private.private || d.Personal
	c.addDocument(d, taken.LineAt, file)
}

// privacyOfExtracted returns what a document says about itself in its first lines, in a paragraph of its
// own or among its keywords.
func privacyOfExtracted(d *document.Document) privacy {
	statement, private := head.Private(d.Text, head.Plain)
	if private && statement.Clear {
		return privacy{private: true}
	}
	if private {
		return privacy{private: true, unclearLine: d.LineAt(statement.Span.Start)}
	}
	return privacy{private: slices.ContainsFunc(d.Keywords, head.Means)}
}

// addDocument adds the passages of a document. lineOf returns the line of the file for a place in its
// text.
func (c *candidate) addDocument(d fileDocument, lineOf func(int) int, file *File) {
	base := passage.Passage{
		Source:   c.source.Name,
		Record:   c.record,
		Document: c.source.Name + "/" + c.record,
		Kind:     passage.Text,
		Format:   d.Format,
		Title:    d.Title,
		Also:     d.Aliases,
		Date:     d.Date,
		Private:  d.private.private,
		Place:    passage.Place{File: c.path, Field: d.field},
	}
	if base.Title == "" {
		base.Title = strings.TrimSuffix(path.Base(c.record), path.Ext(c.record))
	}
	if about := d.About; !about.IsZero() {
		base.About = &about
	}
	file.Reason = d.Partly
	file.Hidden = d.Hidden + countInvisible(d.Text)

	var problems problems
	d.private.addTo(&problems)
	add := func(p passage.Passage, span passage.Span) {
		p.Place.Span = passage.Span{Start: d.offset + span.Start, End: d.offset + span.End}
		p.Place.Line = lineOf(span.Start)
		if marks := marksWithin(d.Marks, span); len(marks) > 1 { // else all is where it begins
			p.Marks = marks
		}
		file.Passages = append(file.Passages, &p)
	}
	for _, pair := range d.pairs {
		if !utf8.ValidString(pair.Question + d.Text[pair.Answer.Start:pair.Answer.End]) {
			problems.add(lineOf(pair.Start), "not UTF-8; the pair is left out")
			continue
		}
		add(passageOf(pair, base, d.Text), pair.Answer)
	}
	// What a note asks is no evidence for others; right before an answer it belongs to it.
	answers, questions := document.Omission{What: "answers that Lacuna wrote"}, document.Omission{What: "questions without an answer"}
	if c.source.Kind != passage.QA || c.source.mixed() {
		own := selfAnswers(d.Text, d.Format)
		pack := measureOf(d.Text).pack
		if c.source.Chunker == Chars1000 {
			pack = chunkChars
		}
		d.Link()
		for _, s := range d.Sections() {
			units := slices.DeleteFunc(d.units(s.Blocks), func(u unit) bool {
				if overlaps(own, u.Span) {
					answers.Count++
					answers.Words += len(strings.Fields(d.Text[u.Start:u.End]))
					return true
				}
				valid := utf8.ValidString(d.Text[u.Start:u.End])
				if !valid {
					problems.add(lineOf(u.Start), "not UTF-8; the sentence is left out")
				}
				return !valid
			})
			if c.source.Notes {
				units = withoutQuestions(d.Text, units, &questions)
			}
			for _, span := range pack(d.Text, units) {
				p := base
				p.Headings = s.Headings
				if len(s.Headings) > 0 {
					p.Section = s.Headings[len(s.Headings)-1]
				}
				p.Text = d.Text[span.Start:span.End]
				p.Identify("")
				p.Blocks, p.Leads = d.within(s.Blocks, span, lineOf)
				add(p, span)
			}
		}
	}
	problems.report(&file.FileReport)
	file.Coverage = coverageOf(&d, file.Passages)
	file.Coverage.leave(answers)
	file.Coverage.leave(questions)
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

// withoutQuestions leaves out the units that ask and are not followed by one that tells, and counts them.
func withoutQuestions(text string, units []unit, left *document.Omission) []unit {
	var kept []unit
	gap := false
	for i, u := range units {
		if asks(text[u.Start:u.End]) && (i+1 == len(units) || asks(text[units[i+1].Start:units[i+1].End])) {
			left.Count++
			left.Words += len(strings.Fields(text[u.Start:u.End]))
			gap = true
			continue
		}
		u.apart = u.apart || gap
		kept, gap = append(kept, u), false
	}
	return kept
}

// asks reports whether a sentence with its markup is a question.
func asks(sentence string) bool {
	sentence = strings.TrimRight(sentence, " \t*_~=|#)]")
	return strings.HasSuffix(sentence, "?") || strings.HasSuffix(sentence, "？")
}

// passageOf returns a pair as a passage of the document that base describes.
func passageOf(pair markup.Pair, base passage.Passage, text string) passage.Passage {
	base.Kind = passage.QA
	base.Question = pair.Question
	base.Text = text[pair.Answer.Start:pair.Answer.End]
	base.Headings = pair.Headings
	base.Title = ""
	base.Also = nil // here they would be other wordings of the question
	base.Identify("")
	return base
}

// unit is a stretch of text that packing does not divide if it fits in a passage.
type unit struct {
	passage.Span
	apart bool // no passage joins it to the unit before
}

// maxRowWords bounds the words of rows that stay together with their header.
const maxRowWords = 150

// units returns the units of blocks: sentences with the markers before them, blocks of code, and rows
// with their header.
func (d *fileDocument) units(blocks []int) []unit {
	var units []unit
	before := -1 // the block before
	for _, i := range blocks {
		b := d.Blocks[i]
		afterChrome := before >= 0 && slices.ContainsFunc(d.Blocks[before+1:i], func(b document.Block) bool { return b.Chrome != document.Content })
		before = i
		if last := len(units) - 1; b.Together && last >= 0 && !afterChrome && len(strings.Fields(d.Text[units[last].Start:b.End])) <= maxRowWords {
			units[last].End = b.End
			continue
		}
		first := len(units)
		switch b.Kind {
		case passage.Row, passage.HeaderRow, passage.Code:
			units = append(units, unit{Span: b.Span})
		case passage.Heading:
			for _, s := range passage.SentencesOf(d.Text, d.Format, passage.Block{Kind: passage.Paragraph, Span: headingWords(d.Text, b.Span)}) {
				units = append(units, unit{Span: s})
			}
		default:
			spans := passage.SentencesOf(d.Text, d.Format, passage.Block{Kind: b.Kind, Span: b.Span, Level: b.Level})
			for _, s := range widen(d.Text[:b.End], spans) {
				s.Start = max(s.Start, b.Start)
				units = append(units, unit{Span: s})
			}
		}
		if first < len(units) {
			units[first].apart = b.Apart || afterChrome
		}
	}
	return units
}

// headingWords returns the words of a heading, without its marks and anchor.
func headingWords(text string, s passage.Span) passage.Span {
	written := strings.TrimRight(strings.TrimRight(text[s.Start:s.End], " \t\r\n=-~^"), " \t\r\n#")
	left := strings.TrimLeft(written, " \t\r\n#*=")
	return passage.Span{Start: s.Start + len(written) - len(left), End: s.Start + len(written)}
}

// maxLeadBytes bounds the text of a lead.
const maxLeadBytes = 1000

// within returns the blocks that lie in a passage, with spans of its text, and the leads from outside.
// blocks are the indices of the blocks of its section.
func (d *fileDocument) within(blocks []int, span passage.Span, lineOf func(int) int) (inside []passage.Block, leads []passage.Lead) {
	in := make(map[int]int) // index in d.Blocks → index in inside
	var taken []int
	first, _ := slices.BinarySearchFunc(blocks, span.Start+1, func(i, at int) int { return cmp.Compare(d.Blocks[i].End, at) })
	for _, i := range blocks[first:] {
		b := d.Blocks[i]
		if b.Start >= span.End {
			break
		}
		if b.End <= span.Start {
			continue
		}
		in[i] = len(inside)
		taken = append(taken, i)
		inside = append(inside, passage.Block{Kind: b.Kind, Level: b.Level, Span: passage.Span{Start: max(b.Start, span.Start) - span.Start, End: min(b.End, span.End) - span.Start}})
	}
	out := make(map[int]int) // index in d.Blocks → index in leads
	var lead func(i, depth int) int
	lead = func(i, depth int) int {
		if at, found := out[i]; found {
			return at + 1
		}
		b := d.Blocks[i]
		text := strings.TrimSpace(d.Text[b.Start:b.End])
		start := b.Start + strings.Index(d.Text[b.Start:b.End], text)
		if len(text) > maxLeadBytes {
			text = text[:runeStart(text, maxLeadBytes)]
		}
		if !utf8.ValidString(text) {
			return 0
		}
		l := passage.Lead{Kind: b.Kind, Text: text, Line: lineOf(start), Span: passage.Span{Start: d.offset + start, End: d.offset + start + len(text)}}
		if b.Lead > 0 && b.Lead-1 < i && depth < 8 {
			l.Lead = lead(b.Lead-1, depth+1)
		}
		leads = append(leads, l)
		out[i] = len(leads) - 1
		return len(leads)
	}
	for _, i := range taken {
		if up := d.Blocks[i].Lead - 1; up >= 0 && up < i {
			if _, inside := in[up]; !inside {
				lead(up, 0)
			}
		}
	}
	for k, i := range taken {
		up := d.Blocks[i].Lead - 1
		if up < 0 || up >= i {
			continue
		}
		if at, ok := in[up]; ok {
			inside[k].Lead = len(leads) + at + 1
		} else if at, ok := out[up]; ok {
			inside[k].Lead = at + 1
		}
	}
	return inside, leads
}

// runeStart returns the greatest offset up to n at which a rune begins.
func runeStart(text string, n int) int {
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return n
}
