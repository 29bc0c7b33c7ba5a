package ingest

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"lacuna/knowledge/document"
	"lacuna/knowledge/ingest/markup"
	"lacuna/knowledge/passage"
	"lacuna/knowledge/plaintext"
)

// heading is a heading of a document with the bytes of its lines.
type heading struct {
	passage.Span
	level int
	text  string
}

// fileDocument is a document with what its file adds. Its spans are bytes of Text.
type fileDocument struct {
	document.Document
	pairs  []markup.Pair // questions with their answers; no block overlaps them
	field  string        // of the places
	offset int           // offset of Text in the file
	// private says which line makes the document private, if any.
	private privacy
}

// separatorLevel is the level of a heading without words that only separates the text on its two sides:
// deeper than any other, it closes no section.
const separatorLevel = 1000

// blocksOf returns the blocks of a document whose reader finds headings, and units of text that no
// passage divides.
func blocksOf(headings []heading, units []passage.Span, kind func(passage.Span) passage.BlockKind) []document.Block {
	var blocks []document.Block
	apart := false
	for _, h := range headings {
		for len(units) > 0 && units[0].Start < h.Start {
			if units[0].End <= h.Start {
				blocks = append(blocks, document.Block{Kind: kind(units[0]), Span: units[0], Apart: apart})
				apart = false
			}
			units = units[1:]
		}
		for len(units) > 0 && units[0].Start < h.End {
			units = units[1:]
		}
		if h.level == separatorLevel {
			apart = true
		} else {
			blocks = append(blocks, document.Block{Kind: passage.Heading, Span: h.Span, Level: h.level, Label: h.text})
		}
	}
	for _, unit := range units {
		blocks = append(blocks, document.Block{Kind: kind(unit), Span: unit, Apart: apart})
		apart = false
	}
	return blocks
}

// plainOutline makes paragraphs of plain text.
func plainOutline(body string, _ bool) (document.Document, []markup.Pair) {
	units := widen(body, passage.Sentences(body, passage.Plain))
	return document.Document{Text: body, Format: passage.Plain, Blocks: blocksOf(nil, units, func(passage.Span) passage.BlockKind { return passage.Paragraph })}, nil
}

// widen extends sentences over the markup before the first one of a line and the bar after a row, so
// that a passage begins where its line does. Sentences stay in order and apart. Markers are short;
// widen takes nothing longer.
func widen(body string, sentences []passage.Span) []passage.Span {
	const longest = 64
	floor := 0
	for i := range sentences {
		s := &sentences[i]
		prefix := body[max(floor, s.Start-longest):s.Start]
		prefix = prefix[strings.LastIndexAny(prefix, "\r\n")+1:]
		if len(prefix) < longest && strings.Trim(prefix, " \t>|-+*•·◦▪‣–0123456789.)[]xX") == "" {
			s.Start -= len(strings.TrimLeft(prefix, " \t"))
		}
		ceiling := len(body)
		if i+1 < len(sentences) {
			ceiling = sentences[i+1].Start // which a bar may open
		}
		between := body[s.End:ceiling]
		if rest := strings.TrimLeft(between, " \t"); strings.HasPrefix(rest, "|") {
			s.End = ceiling - len(rest) + 1
		}
		floor = s.End
	}
	return sentences
}

// overlaps reports whether s shares a byte with one of the spans, which are in order.
func overlaps(spans []passage.Span, s passage.Span) bool {
	i, _ := slices.BinarySearchFunc(spans, s.Start, func(span passage.Span, start int) int {
		return cmp.Compare(span.End, start+1)
	})
	return i < len(spans) && spans[i].Start < s.End
}

// lineFeeds replaces each carriage return that ends a line by itself with a line feed, because the
// Markdown parser and the line counter know no other line end. No byte moves.
func lineFeeds(text string) string {
	if !strings.Contains(text, "\r") {
		return text
	}
	changed := []byte(text)
	for i, c := range changed {
		if c == '\r' && (i+1 == len(changed) || changed[i+1] != '\n') {
			changed[i] = '\n'
		}
	}
	return string(changed)
}

const byteOrderMark = "\uFEFF"

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

func trimBlankEnd(body string, s passage.Span) passage.Span {
	s.End = s.Start + len(strings.TrimRight(body[s.Start:s.End], " \t\r\n"))
	return s
}

// marksWithin returns the marks of a span of a text, with offsets from the span's start. The first mark
// has offset 0.
func marksWithin(marks []passage.Mark, span passage.Span) []passage.Mark {
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

// lineIndex finds the line of an offset.
type lineIndex struct{ ends []int32 } // offsets of the line feeds

func newLineIndex(text string) lineIndex {
	l := lineIndex{make([]int32, 0, strings.Count(text, "\n"))}
	for i := 0; i < len(text); i++ {
		if text[i] == '\n' {
			l.ends = append(l.ends, int32(i))
		}
	}
	return l
}

// at returns the line of an offset, counting from 1.
func (l lineIndex) at(offset int) int {
	before, _ := slices.BinarySearch(l.ends, int32(offset))
	return before + 1
}

// extractedField is the field of a place in a file whose bytes are not its text: the span is one of the
// extracted text, which is always the same for the same file.
const extractedField = "text"

// maxExtracted limits the text taken from one file, in bytes.
const maxExtracted = 64 << 20

var errTooMuchText = errors.New("more than 64 MiB of text")

// extraction is the text taken from a file, with its structure. Its spans are bytes of that text.
type extraction struct {
	text     string
	title    string
	headings []heading
	units    []passage.Span // stretches that no passage divides, such as rows of a table with their head
	lines    []passage.Mark // lines of the file, pages of a PDF, paragraphs of a Word document
	hidden   int
	about    []string // keywords and other properties of the document
	partly   string   // why some of the file's text is missing; empty if none is
}

// document returns the text with its blocks.
func (e *extraction) document() document.Document {
	units := widen(e.text, passage.Sentences(e.text, passage.Plain))
	if len(e.units) > 0 {
		units = slices.DeleteFunc(units, func(s passage.Span) bool { return overlaps(e.units, s) })
		units = append(units, e.units...)
		slices.SortFunc(units, func(a, b passage.Span) int { return cmp.Compare(a.Start, b.Start) })
	}
	kind := func(s passage.Span) passage.BlockKind {
		if overlaps(e.units, s) {
			return passage.Row
		}
		return passage.Paragraph
	}
	return document.Document{
		Text: e.text, Format: passage.Plain, Title: e.title, Blocks: blocksOf(e.headings, units, kind), Marks: e.lines, Hidden: e.hidden,
		Partly: e.partly, Keywords: e.about,
	}
}

// textBuilder writes extracted text: single spaces between words, blank lines between blocks.
type textBuilder struct {
	extraction
	strings.Builder
	space   bool   // before the next word
	pending string // instead of space
	marker  string // of a list, before the next word
}

// gap ends the current block. The next one begins after sep, or after the longest of several.
func (b *textBuilder) gap(sep string) {
	b.space = false
	if b.Len() > 0 && len(sep) > len(b.pending) {
		b.pending = sep
	}
}

// words adds text that stands on a line of the file.
func (b *textBuilder) words(text string, line int) error {
	for len(text) > 0 {
		word := strings.TrimLeft(text, asciiSpace)
		if len(word) < len(text) {
			line += strings.Count(text[:len(text)-len(word)], "\n")
			b.space = b.space || b.Len() > 0
		}
		end := strings.IndexAny(word, asciiSpace)
		if end < 0 {
			end = len(word)
		}
		if end == 0 {
			return nil
		}
		b.put(word[:end], line)
		text = word[end:]
	}
	if b.Len() > maxExtracted {
		return errTooMuchText
	}
	return nil
}

// put adds characters as they are, after the separator that is due.
func (b *textBuilder) put(text string, line int) {
	switch {
	case b.pending != "":
		b.WriteString(b.pending)
	case b.space:
		b.WriteByte(' ')
	}
	b.pending, b.space = "", false
	if n := len(b.lines); n == 0 || b.lines[n-1].Line != int32(line) {
		b.lines = append(b.lines, passage.Mark{Offset: int32(b.Len()), Line: int32(line)})
	}
	b.WriteString(b.marker + text)
	b.marker = ""
}

// endHeading makes a heading of the text written since an offset, unless it is blank.
func (b *textBuilder) endHeading(from, level int) {
	written := b.String()[from:]
	if text := strings.TrimSpace(written); text != "" {
		start := from + strings.Index(written, text)
		b.headings = append(b.headings, heading{Span: passage.Span{Start: start, End: b.Len()}, level: level, text: text})
	}
}

// finish returns the extraction. Without a title, the first heading of level one becomes the title, as
// in Markdown.
func (b *textBuilder) finish() extraction {
	b.text = b.String()
	for i, h := range b.headings {
		if h.level == 1 && b.title == "" {
			b.title, b.headings[i].text = h.text, ""
			break
		}
	}
	return b.extraction
}

const asciiSpace = " \t\n\r\f"

// lineMarkup collects the structure that a line-by-line reader finds in a document.
type lineMarkup struct {
	body     string
	visible  []byte // body with everything but running text blanked, so that offsets stay
	headings []heading
	code     []passage.Span
	title    string
	hidden   int
}

// skip leaves markup out of the sentences. Text on both sides of it may share a passage.
func (m *lineMarkup) skip(span passage.Span) {
	for i := span.Start; i < span.End; i++ {
		if m.visible[i] != '\n' && m.visible[i] != '\r' {
			m.visible[i] = ' '
		}
	}
}

// hide leaves out what readers of the printed document do not see; no passage crosses it.
func (m *lineMarkup) hide(span passage.Span) {
	m.skip(span)
	m.headings = append(m.headings, heading{Span: span, level: separatorLevel})
}

// comment hides a comment and counts it, unless Lacuna wrote it.
func (m *lineMarkup) comment(span passage.Span) {
	m.hide(span)
	if !selfMark.MatchString(m.body[span.Start:span.End]) {
		m.hidden++
	}
}

// verbatim keeps a block as it stands.
func (m *lineMarkup) verbatim(span passage.Span) {
	m.skip(span)
	if span = trimBlankEnd(m.body, span); span.Len() > 0 {
		m.code = append(m.code, span)
	}
}

func (m *lineMarkup) heading(span passage.Span, level int, text string) {
	m.skip(span)
	m.headings = append(m.headings, heading{Span: span, level: level, text: plaintext.OneLine(text)})
}

// finish returns the document. Blocks and headings must have been added in the order of the text.
func (m *lineMarkup) finish() document.Document {
	visible := string(m.visible)
	units := widen(visible, passage.Sentences(visible, passage.Plain))
	units = append(units, m.code...)
	slices.SortFunc(units, func(a, b passage.Span) int { return cmp.Compare(a.Start, b.Start) })
	return document.Document{Text: m.body, Format: passage.Plain, Title: m.title, Hidden: m.hidden, Blocks: blocksOf(m.headings, units, codeIn(m.code))}
}

// codeIn returns a function that tells code from paragraphs.
func codeIn(code []passage.Span) func(passage.Span) passage.BlockKind {
	return func(s passage.Span) passage.BlockKind {
		if overlaps(code, s) {
			return passage.Code
		}
		return passage.Paragraph
	}
}

func newLineMarkup(body string) *lineMarkup {
	return &lineMarkup{body: body, visible: []byte(body)}
}

// lineScanner iterates over the lines of a text.
type lineScanner struct {
	body string
	at   passage.Span // the current line, without its end
}

func (l *lineScanner) done() bool { return l.at.Start >= len(l.body) }

func (l *lineScanner) text() string { return strings.TrimRight(l.body[l.at.Start:l.at.End], " \t\r") }

func (l *lineScanner) next() { l.at = nextLine(l.body, l.at.End) }

// peek returns the text of the next line.
func (l *lineScanner) peek() string {
	line := nextLine(l.body, l.at.End)
	return strings.TrimRight(l.body[line.Start:line.End], " \t\r")
}

func newLineScanner(body string) lineScanner {
	return lineScanner{body: body, at: wholeLines(body, 0, 0)}
}

// indent returns the width of the white space at the beginning of a line.
func indent(line string) int { return len(line) - len(strings.TrimLeft(line, " \t")) }

var errTooDeep = errors.New("elements nested too deeply")

// maxElementDepth bounds the nesting of a page's elements.
const maxElementDepth = 512
