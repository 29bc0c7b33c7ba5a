package office

import (
	"context"
	"encoding/xml"
	"errors"
	"strconv"
	"strings"

	"lacuna/knowledge/document"
	"lacuna/knowledge/ingest/archive"
	"lacuna/knowledge/passage"
)

var errNotSlides = errors.New("not a PowerPoint presentation")

// Slides reads a PowerPoint presentation (PPTX, PPTM, PPSX). Its places are slides, in the order in which
// they are shown.
func Slides(ctx context.Context, content []byte) (document.Document, error) {
	a, err := open(content, errNotSlides)
	if err != nil {
		return document.Document{}, err
	}
	main, err := mainPart(a, "ppt/presentation.xml")
	if err != nil {
		return document.Document{}, err
	}
	if !a.Has(main) {
		return document.Document{}, errNotSlides
	}
	byID, _, err := relations(a, main)
	if err != nil {
		return document.Document{}, err
	}
	var slides []string
	err = a.Tokens(main, func(token xml.Token, _ int) error {
		if e, ok := token.(xml.StartElement); ok && e.Name.Local == "sldId" {
			for _, at := range e.Attr {
				if r := byID[at.Value]; at.Name.Local == "id" && r.kind == "slide" {
					slides = append(slides, r.target)
				}
			}
		}
		return nil
	})
	if err != nil {
		return document.Document{}, err
	}
	w := &slideWriter{archive: a}
	for i, part := range slides {
		if err := ctx.Err(); err != nil {
			return document.Document{}, err
		}
		if err := w.slide(part, i+1); err != nil {
			return document.Document{}, err
		}
	}
	about, err := readProperties(a)
	if err != nil {
		return document.Document{}, err
	}
	d := w.out.Finish()
	about.describe(&d)
	setTitle(&d, w.out.shown, about.title)
	return d, nil
}

// slideWriter writes the slides of a presentation.
type slideWriter struct {
	archive *archive.Archive
	out     flowWriter
	text    int
}

// slide writes one slide with its notes.
func (w *slideWriter) slide(part string, number int) error {
	byID, order, err := relations(w.archive, part)
	if err != nil {
		return err
	}
	s := &slideReader{slideWriter: w, number: number, relations: byID}
	if err := w.archive.Tokens(part, s.token); err != nil && !errors.Is(err, archive.ErrNoPart) {
		return err
	}
	pieces := s.pieces()
	for _, id := range order {
		switch r := byID[id]; r.kind {
		case "notesSlide":
			notes := &slideReader{slideWriter: w, number: number, notes: true}
			if err := w.archive.Tokens(r.target, notes.token); err != nil && !errors.Is(err, archive.ErrNoPart) {
				return err
			}
			pieces = append(pieces, notes.pieces()...)
		case "comments":
			texts, err := diagram(w.archive, r.target)
			if err != nil {
				return err
			}
			words := 0
			for _, t := range texts {
				words += countWords(t)
			}
			w.out.Omit(comments, words)
		case "chart":
			w.out.Omit(charts, 0)
		case "oleObject", "package":
			w.out.Omit(embedded, 0)
		}
	}
	return w.out.write(pieces)
}

// slideReader reads the shapes of a slide.
type slideReader struct {
	*slideWriter
	number    int
	notes     bool // it is a page of notes; only the notes on it count
	relations map[string]relation
	shapes    []shape
	open      shape
	paragraph *slideParagraph
	table     *table
	inText    bool
	raised    bool // the run stands above the line
	page      bool // in a field with the number of the slide
	skipped   int
	math      *formula
	numbers   map[int]int // how far the numbered items of each level have come
	held      int
	picture   string
}

// shape is what a slide is made of.
type shape struct {
	kind   string // of its placeholder, such as "title"; empty for none
	holds  bool   // it is a placeholder
	pieces []piece
}

type slideParagraph struct {
	paragraph
	depth  int
	bullet string // none, char, number, or empty
	format string
	start  int
}

// pieces returns the paragraphs and tables of a slide: its title first.
func (s *slideReader) pieces() []piece {
	var title, rest []piece
	for _, sh := range s.shapes {
		if sh.kind == "title" || sh.kind == "ctrTitle" {
			title = append(title, sh.pieces...)
		} else {
			rest = append(rest, sh.pieces...)
		}
	}
	if len(title) == 0 && !s.notes && len(rest) > 0 {
		if p := rest[0].paragraph; p != nil && p.kind == passage.Paragraph && p.chrome == document.Content && countWords(p.text()) <= maxHeaderWords {
			p.kind, p.level = passage.Heading, 1 // or the slide would stand below the title of the one before
		}
	}
	return append(title, rest...)
}

func (s *slideReader) token(token xml.Token, _ int) error {
	switch t := token.(type) {
	case xml.StartElement:
		switch {
		case s.skipped > 0 || t.Name.Local == "Fallback":
			s.skipped++
		case isMath(t.Name):
			if s.math == nil {
				s.math = &formula{}
			}
			s.inText = s.math.start(t)
		default:
			return s.start(t)
		}
	case xml.EndElement:
		switch {
		case s.skipped > 0:
			s.skipped--
		case isMath(t.Name):
			if s.inText = false; s.math != nil && s.math.end(t.Name.Local) {
				text := string(s.math.text)
				s.math = nil
				return s.write(" " + text + " ")
			}
		default:
			return s.end(t.Name.Local)
		}
	case xml.CharData:
		if s.inText && s.math != nil {
			s.math.write(clean(string(t)))
		} else if s.inText && s.skipped == 0 {
			return s.write(symbols(clean(string(t)), ""))
		}
	}
	return nil
}

func (s *slideReader) write(text string) error {
	if s.paragraph == nil || s.page {
		return nil
	}
	if s.text += len(text); s.text > document.MaxText {
		return document.ErrTooMuchText
	}
	if s.raised {
		text = raised(text)
	}
	s.paragraph.add(text, s.number)
	return nil
}

func (s *slideReader) start(e xml.StartElement) error {
	get := func(name string) string { return archive.Attribute(e, name) }
	p := s.paragraph
	switch e.Name.Local {
	case "sp", "graphicFrame", "pic", "cxnSp":
		s.endShape()
		s.numbers = map[int]int{}
	case "ph":
		s.open.kind, s.open.holds = get("type"), true
	case "cNvPr":
		s.picture = get("descr")
	case "blip":
		s.out.Omit(pictures, 0)
		if describes(s.picture) && !s.notes {
			s.open.pieces = append(s.open.pieces, piece{paragraph: &paragraph{kind: passage.Caption, runs: []run{{[]byte(clean(s.picture)), s.number}}}})
		}
		s.picture = ""
	case "p":
		if s.held++; s.held > maxHeld {
			return errTableTooLong
		}
		s.paragraph = &slideParagraph{start: 1}
	case "pPr":
		if n, err := strconv.Atoi(get("lvl")); err == nil && p != nil && 0 <= n && n < maxListLevels {
			p.depth = n
		}
	case "buNone":
		if p != nil {
			p.bullet = "none"
		}
	case "buChar", "buBlip":
		if p != nil {
			p.bullet = "char"
		}
	case "buAutoNum":
		if p != nil {
			p.bullet, p.format = "number", get("type")
			if n, err := strconv.Atoi(get("startAt")); err == nil {
				p.start = n
			}
		}
	case "r":
		s.raised = false
	case "rPr":
		n, err := strconv.Atoi(get("baseline"))
		s.raised = err == nil && n > 0
	case "t":
		s.inText = true
	case "fld":
		s.page = get("type") == "slidenum"
	case "br":
		if p != nil {
			p.add("\n", s.number)
		}
	case "tab":
		return s.write(" ")
	case "tbl":
		s.table = &table{}
	case "tblPr":
		if s.table != nil {
			s.table.headed = get("firstRow") == "1" || get("firstRow") == "true"
		}
	case "tr":
		if s.table != nil {
			s.table.endRow()
		}
	case "tc":
		if s.table != nil {
			s.table.cell = cell{merged: get("vMerge") == "1" || get("vMerge") == "true"}
		}
	case "relIds":
		texts, err := diagram(s.archive, s.relations[get("dm")].target)
		if err != nil {
			return err
		}
		for _, text := range texts {
			s.open.pieces = append(s.open.pieces, piece{paragraph: &paragraph{kind: passage.Item, level: 1, runs: []run{{[]byte(text), s.number}}}})
		}
	}
	return nil
}

func (s *slideReader) end(name string) error {
	switch name {
	case "p":
		s.endParagraph()
	case "t":
		s.inText = false
	case "fld":
		s.page = false
	case "tc":
		if s.table != nil {
			if s.held++; s.held > maxHeld {
				return errTableTooLong
			}
			s.table.endCell()
		}
	case "tr":
		if s.table != nil {
			s.table.endRow()
		}
	case "tbl":
		if s.table != nil {
			s.open.pieces = append(s.open.pieces, piece{table: s.table})
			s.table = nil
		}
	case "spTree":
		s.endShape()
	}
	return nil
}

// endShape ends the shape that is being read.
func (s *slideReader) endShape() {
	if len(s.open.pieces) > 0 && (!s.notes || s.open.kind == "body") {
		s.shapes = append(s.shapes, s.open)
	}
	s.open = shape{}
}

// endParagraph decides what a paragraph is.
func (s *slideReader) endParagraph() {
	p := s.paragraph
	if s.paragraph = nil; p == nil || p.blank() {
		return
	}
	result := &p.paragraph
	if s.table != nil {
		s.table.cell.pieces = append(s.table.cell.pieces, piece{paragraph: result})
		return
	}
	switch kind := s.open.kind; {
	case s.notes:
	case kind == "title" || kind == "ctrTitle":
		p.kind, p.level = passage.Heading, 1
		p.title = s.number == 1
	case kind == "sldNum" || kind == "ftr" || kind == "dt" || kind == "hdr":
		p.chrome = document.RunningHead
	case p.bullet == "number":
		for depth := range s.numbers {
			if depth > p.depth {
				delete(s.numbers, depth)
			}
		}
		n, ok := s.numbers[p.depth]
		if !ok {
			n = p.start - 1
		}
		s.numbers[p.depth] = n + 1
		p.marker = autoNumber(n+1, p.format)
		p.kind, p.level = passage.Item, p.depth+1
	case p.bullet == "char" || p.bullet == "" && s.open.holds && (kind == "" || kind == "obj" || kind == "body" && p.depth > 0):
		p.marker = "-"
		p.kind, p.level = passage.Item, p.depth+1
	}
	s.open.pieces = append(s.open.pieces, piece{paragraph: result})
}

// autoNumber writes a number in a format such as "alphaLcParenR".
func autoNumber(n int, format string) string {
	number := strconv.Itoa(n)
	switch {
	case strings.HasPrefix(format, "alphaLc"):
		number = letters(n, 'a')
	case strings.HasPrefix(format, "alphaUc"):
		number = letters(n, 'A')
	case strings.HasPrefix(format, "romanLc"):
		number = strings.ToLower(roman(n))
	case strings.HasPrefix(format, "romanUc"):
		number = roman(n)
	case strings.HasPrefix(format, "circleNum"):
		number = numberAs(n, "decimalEnclosedCircle", "")
	}
	switch {
	case strings.HasSuffix(format, "ParenBoth"):
		return "(" + number + ")"
	case strings.HasSuffix(format, "ParenR"):
		return number + ")"
	case strings.HasSuffix(format, "Period"):
		return number + "."
	}
	return number
}
