package markup

import (
	"regexp"
	"strings"
	"unicode/utf8"

	"lacuna/knowledge/document"
	"lacuna/knowledge/passage"
)

// lineReader reads a document line by line: paragraphs, and items of lists by their indentation.
type lineReader struct {
	blocks
	lineScanner
	open  document.Block // the block that the next line may continue; empty for none
	items []int          // the indentation of the markers of the open items
	lead  int            // the title of the admonition that is open; 0 for none
	end   int            // the indentation up to which text is outside it
}

func newLineReader(body string) lineReader {
	r := lineReader{lineScanner: newLineScanner(body)}
	r.Text, r.Format = body, passage.Wrapped
	return r
}

// flush ends the open block.
func (r *lineReader) flush() {
	if r.open.Len() > 0 {
		if r.open.Kind == passage.Paragraph && r.open.Level == 0 {
			r.open.Lead = r.lead
		}
		r.add(r.open)
	}
	r.open = document.Block{}
}

// single adds a block of its own.
func (r *lineReader) single(b document.Block) int {
	r.flush()
	return r.add(b)
}

// prose reads a line of running text. marker is the length of the marker of an item behind its
// indentation, or 0.
func (r *lineReader) prose(marker int) {
	line := r.lineScanner.text()
	in := columns(line)
	if r.lead > 0 && in <= r.end {
		r.flush()
		r.lead = 0
	}
	s := passage.Span{Start: r.at.Start + indent(line), End: r.at.Start + len(line)}
	switch {
	case marker > 0:
		r.flush()
		r.outdent(in)
		r.items = append(r.items, in)
		r.open = document.Block{Kind: passage.Item, Span: s, Level: len(r.items)}
	case r.open.Len() > 0:
		r.open.End = s.End
	default:
		r.outdent(in)
		r.open = document.Block{Span: s, Level: len(r.items)}
	}
	r.next()
}

// outdent closes the items whose marker is not left of an indentation.
func (r *lineReader) outdent(in int) {
	for len(r.items) > 0 && r.items[len(r.items)-1] >= in {
		r.items = r.items[:len(r.items)-1]
	}
}

// columns returns the width of the white space at the beginning of a line.
func columns(line string) int {
	width := 0
	for i := range len(line) {
		switch line[i] {
		case ' ':
			width++
		case '\t':
			width += 8 - width%8
		default:
			return width
		}
	}
	return width
}

// row adds a row of a table.
func (r *lineReader) row(s passage.Span, kind passage.BlockKind, together bool) bool {
	return r.single(document.Block{Kind: kind, Span: s, Level: len(r.items), Together: together}) > 0
}

var (
	underlining = regexp.MustCompile(`^(?:={3,}|-{3,}|~{3,}|\*{3,}|#{3,})$`)
	capitals    = regexp.MustCompile(`^[A-Z][A-Z0-9 ,/&()'-]{2,48}$`)
	numberTitle = regexp.MustCompile(`^(?:(\d{1,2}(?:\.\d{1,2})*)\.?|(?:Chapter|Section|Part|Kapitel|Abschnitt) [\dIVX]+[.:]?)[ \t]+\p{Lu}[^.!?:;]{1,70}$`)
)

// Plain reads plain text: paragraphs and lists, also of wrapped lines, and headings only where they are
// certain: underlined ones, numbered ones and lines in capitals that stand alone, and those of manual
// pages.
func Plain(body string) document.Document {
	r := plainReader{lineReader: newLineReader(body)}
	for !r.done() {
		r.line()
	}
	r.paragraph()
	return r.Document
}

type plainReader struct {
	lineReader
	first, last int // bytes of the open paragraph; last is 0 for none
	blankBefore bool
}

func (r *plainReader) line() {
	line := strings.Trim(r.lineScanner.text(), "\f")
	blank := strings.TrimSpace(line) == ""
	switch {
	case blank:
		r.paragraph()
	case r.last == 0 && r.heading(line):
		return
	default:
		if r.last == 0 {
			r.first = r.at.Start
		}
		r.last = r.at.End
		if strings.HasSuffix(r.lineScanner.text(), "\f") {
			r.paragraph()
		}
	}
	r.next()
}

// heading reads a heading, if the current line is one.
func (r *plainReader) heading(line string) bool {
	below := r.peek()
	s := r.at
	level := 0
	width := utf8.RuneCountInString(line)
	switch {
	case underlining.MatchString(strings.TrimSpace(below)) && width <= 80 && hasWords(line) && 3*len(strings.TrimSpace(below)) >= 2*width && columns(line) < 8:
		level = 2
		if below[len(below)-1] == '=' || below[len(below)-1] == '#' {
			level = 1
		}
		r.next()
		s.End = r.at.End
	case capitals.MatchString(line) && strings.Count(line, " ") < 8 && (below == "" || columns(below) > 2):
		level = 2
	case numberTitle.MatchString(line) && below == "":
		level = 2 + strings.Count(strings.Fields(line)[0], ".")
	default:
		return false
	}
	r.single(document.Block{Kind: passage.Heading, Span: s, Level: level, Label: strings.Join(strings.Fields(line), " ")})
	r.items = nil
	r.next()
	return true
}

// paragraph adds the blocks of the lines between two blank ones.
func (r *plainReader) paragraph() {
	if r.last == 0 {
		return
	}
	text := r.Text[r.first:r.last]
	for _, run := range passage.Runs(text) {
		s := trim(r.Text, passage.Span{Start: r.first + run.Start, End: r.first + run.End})
		if s.Len() == 0 {
			continue
		}
		in := columns(text[strings.LastIndexByte(text[:run.Start], '\n')+1 : s.Start-r.first])
		line := r.Text[s.Start:s.End]
		b := document.Block{Span: s}
		r.outdent(in)
		switch {
		case strings.HasPrefix(line, "|") && strings.Count(line, "|") > 2:
			b.Kind = passage.Row
			b.Together = len(r.Blocks) > 0 && r.Blocks[len(r.Blocks)-1].Kind == passage.Row && run.Start > 0
		case passage.MarkerLen(line) > 0:
			r.items = append(r.items, in)
			b.Kind = passage.Item
			b.Level = len(r.items)
		default:
			b.Level = len(r.items)
		}
		r.add(b)
	}
	r.first, r.last = 0, 0
}
