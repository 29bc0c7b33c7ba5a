package office

import (
	"context"
	"encoding/xml"
	"strconv"
	"strings"

	"lacuna/knowledge/document"
	"lacuna/knowledge/ingest/archive"
)

// wordReader holds what the stories of a Word document share.
type wordReader struct {
	archive   *archive.Archive
	context   context.Context
	depth     int
	relations map[string]relation
	styles    *styles
	numbering *numbering
	notes     noteParts
	out       flowWriter
	held      int // paragraphs and cells in open tables
	text      int // bytes of text so far
}

// noteParts holds the notes of a kind by identifier.
type noteParts map[string]map[string][]piece

// story reads one stream of paragraphs of a Word document: its body, or a note.
type story struct {
	*wordReader
	body    bool
	top     frame
	frames  []*frame // open ones, innermost last: the story, the cells of tables, text boxes
	count   int      // paragraphs so far, in the body
	skipped int      // open elements whose text is not shown
	deleted int      // of these, deletions
	cut     int      // words of the deletion that is open
	fields  []field
	runOpen bool
	run     runLook
	inText  bool
	listAt  int // the level of the last item, from 1; 0 after other text
	toc     int // open content controls that hold a table of contents
	sdt     []bool
	inRow   bool           // in the properties of a row
	noteNo  map[string]int // notes of each kind so far
	math    *formula
	picture string // what the open drawing shows, in its author's words
}

// frame is what pieces are collected in.
type frame struct {
	pieces []piece
	table  *table // a table that is open in it
	open   []*openParagraph
	carry  *paragraph // a paragraph whose end was deleted, or a dropped capital: the next one goes on from it
}

// openParagraph is a paragraph that is being read.
type openParagraph struct {
	paragraph
	number     int
	styleID    string
	list       string // the instance that it names itself
	depth      int    // in list; -1 if not given
	outline    int    // as in style
	plain      int    // bytes of text that is not bold
	properties bool   // its properties are open
	inMark     bool   // in these, those of its end
	markCut    bool   // its end was deleted
	dropCap    bool   // it is the first letter of the next one
	caption    bool
}

// runLook is what the properties of a run say.
type runLook struct {
	hidden, bold state
	style        string
	font         string
	raised       bool
}

// field is an open field.
type field struct {
	code   []byte
	result bool            // the result has begun; what follows holds of it
	page   bool            // it shows a page number of its own place
	chrome document.Chrome // of its paragraphs
	box    string          // of a check box
}

// begin begins the result.
func (f *field) begin() {
	f.result = true
	switch fieldName(string(f.code)) {
	case "PAGE", "NUMPAGES", "SECTIONPAGES":
		f.page = true
	case "TOC", "TOA":
		f.chrome = document.Contents
	case "INDEX":
		f.chrome = document.Index
	}
}

func (w *wordReader) newStory(body bool) *story {
	s := &story{wordReader: w, body: body, noteNo: map[string]int{}}
	s.frames = []*frame{&s.top}
	return s
}

func (s *story) frame() *frame { return s.frames[len(s.frames)-1] }

// paragraph returns the innermost open paragraph, or nil.
func (s *story) paragraph() *openParagraph {
	if f := s.frame(); len(f.open) > 0 {
		return f.open[len(f.open)-1]
	}
	return nil
}

// line returns the number of the open paragraph, else of the last.
func (s *story) line() int {
	for i := len(s.frames) - 1; i >= 0; i-- {
		if n := len(s.frames[i].open); n > 0 {
			return s.frames[i].open[n-1].number
		}
	}
	return max(1, s.count)
}

// token handles one token.
func (s *story) token(token xml.Token, _ int) error {
	switch t := token.(type) {
	case xml.StartElement:
		if s.body && isWord(t.Name) && t.Name.Local == "p" {
			if s.count++; s.count%1024 == 0 {
				if err := s.context.Err(); err != nil {
					return err
				}
			}
		}
		switch {
		case isUnshown(t.Name):
			s.skipped++
			if isDeletion(t.Name) {
				s.startDeletion(t.Name.Local)
			}
		case s.skipped > 0:
		case isWord(t.Name):
			return s.start(t)
		case isMath(t.Name):
			s.startMath(t)
		default:
			return s.startDrawing(t)
		}
	case xml.EndElement:
		switch {
		case isUnshown(t.Name):
			if s.skipped--; isDeletion(t.Name) {
				s.endDeletion()
			}
		case s.skipped > 0:
		case isWord(t.Name):
			return s.end(t.Name.Local)
		case isMath(t.Name):
			s.endMath(t.Name.Local)
		}
	case xml.CharData:
		switch {
		case s.deleted > 0:
			s.cut += countWords(string(t))
		case s.skipped > 0:
		case len(s.fields) > 0 && !s.fields[len(s.fields)-1].result:
			if f := &s.fields[len(s.fields)-1]; len(f.code) < 1<<12 {
				f.code = append(f.code, t...)
			}
		case s.inText:
			return s.write(string(t))
		}
	}
	return nil
}

// isUnshown reports elements whose text was deleted or moved away, is repeated for older programs, says how
// characters are pronounced, or holds the properties of before a change.
func isUnshown(name xml.Name) bool {
	return name.Local == "Fallback" || isWord(name) && (isDeletion(name) || name.Local == "rt" || strings.HasSuffix(name.Local, "PrChange"))
}

// isDeletion reports elements whose text was deleted or moved away.
func isDeletion(name xml.Name) bool {
	return isWord(name) && (name.Local == "del" || name.Local == "moveFrom")
}

func (s *story) startDeletion(name string) {
	s.deleted++
	switch p := s.paragraph(); {
	case p != nil && p.inMark:
		p.markCut = true
	case s.inRow && p == nil:
		if t := s.frame().table; t != nil && name == "del" {
			t.open.deleted = true
		}
	}
}

func (s *story) endDeletion() {
	if s.deleted--; s.deleted == 0 && s.cut > 0 {
		s.out.Omit(deletedText, s.cut)
		s.cut = 0
	}
}

// write adds text to the open paragraph, if it is shown.
func (s *story) write(text string) error {
	if s.math != nil {
		s.math.write(clean(text))
		return nil
	}
	p := s.paragraph()
	if p == nil || !s.inResult() || s.runHidden(p) {
		return nil
	}
	if s.text += len(text); s.text > document.MaxText {
		return document.ErrTooMuchText
	}
	if symbolFont(s.run.font) || strings.ContainsFunc(text, isPrivate) {
		text = symbols(text, s.run.font)
	}
	if text = clean(text); s.run.raised {
		text = raised(text)
	}
	s.put(p, text)
	return nil
}

// put adds text as it is.
func (s *story) put(p *openParagraph, text string) {
	if !s.bold(p) {
		p.plain += len(strings.TrimSpace(text))
	}
	if len(s.fields) > 0 || s.toc > 0 {
		if c := s.fieldChrome(); c != document.Content {
			p.chrome = c
		}
	}
	p.add(text, p.number)
}

func (s *story) bold(p *openParagraph) bool {
	for _, state := range []state{s.run.bold, s.runStyle().bold, s.styles.of(p.styleID).bold} {
		if state != unset {
			return state == on
		}
	}
	return false
}

var noStyle = &style{}

func (s *story) runStyle() *style {
	if s.run.style == "" {
		return noStyle
	}
	return s.styles.of(s.run.style)
}

func (s *story) runHidden(p *openParagraph) bool {
	for _, state := range []state{s.run.hidden, s.runStyle().hidden, s.styles.of(p.styleID).hidden} {
		if state != unset {
			return state == on
		}
	}
	return false
}

// inResult reports whether all open fields show their results.
func (s *story) inResult() bool {
	for i := range s.fields {
		if f := &s.fields[i]; !f.result || f.page {
			return false
		}
	}
	return true
}

// fieldName returns the first word of a field's code, in capitals.
func fieldName(code string) string {
	name, _, _ := strings.Cut(strings.TrimSpace(code), " ")
	return strings.ToUpper(name)
}

// fieldChrome returns what the open fields make of their paragraphs.
func (s *story) fieldChrome() document.Chrome {
	for i := range s.fields {
		if c := s.fields[i].chrome; c != document.Content {
			return c
		}
	}
	if s.toc > 0 {
		return document.Contents
	}
	return document.Content
}

func (s *story) start(e xml.StartElement) error {
	p := s.paragraph()
	value := func() string { return archive.Attribute(e, "val") }
	switch e.Name.Local {
	case "p":
		return s.startParagraph()
	case "pPr":
		if p != nil {
			p.properties = true
		}
	case "rPr":
		if p != nil && p.properties {
			p.inMark = true
		}
	case "pStyle":
		if p != nil {
			p.styleID = value()
		}
	case "outlineLvl":
		if p != nil {
			p.outline = outlineLevel(value())
		}
	case "numId":
		if p != nil && p.properties {
			p.list = value()
		}
	case "ilvl":
		if n, err := strconv.Atoi(value()); err == nil && p != nil {
			p.depth = n
		}
	case "framePr":
		if drop := archive.Attribute(e, "dropCap"); p != nil && (drop == "drop" || drop == "margin") {
			p.dropCap = true
		}
	case "r":
		s.runOpen, s.run = true, runLook{}
	case "rStyle":
		if s.runOpen {
			s.run.style = value()
		}
	case "rFonts":
		if s.runOpen {
			s.run.font = archive.Attribute(e, "ascii")
		}
	case "vertAlign":
		if s.runOpen {
			s.run.raised = value() == "superscript"
		}
	case "vanish":
		if s.runOpen {
			s.run.hidden = toggle(e)
		}
	case "b":
		if s.runOpen {
			s.run.bold = toggle(e)
		}
	case "t":
		s.inText = true
		if p != nil && s.runOpen && s.runHidden(p) {
			s.out.Hidden++
		}
	case "tab":
		if p != nil && !p.properties && s.runOpen {
			return s.write(" ")
		}
	case "ptab":
		return s.write(" ")
	case "br", "cr":
		if p != nil && s.inResult() && !s.runHidden(p) && s.math == nil {
			p.add("\n", p.number)
		}
	case "noBreakHyphen":
		return s.write("-")
	case "sym":
		return s.symbol(e)
	case "footnoteReference", "endnoteReference":
		return s.reference(e)
	case "commentReference", "annotationRef", "footnoteRef", "endnoteRef":
	case "ruby":
		s.out.Omit(ruby, 0)
	case "trPr":
		s.inRow = true
	case "fldChar":
		s.fieldChar(e)
	case "fldSimple":
		s.fields = append(s.fields, field{})
		f := &s.fields[len(s.fields)-1]
		f.code = []byte(archive.Attribute(e, "instr"))
		f.begin()
		s.markCaption(p, f)
	case "checkBox":
		if n := len(s.fields); n > 0 {
			s.fields[n-1].box = "☐"
		}
	case "checked":
		if n := len(s.fields); n > 0 && s.fields[n-1].box != "" && toggle(e) == on {
			s.fields[n-1].box = "☒"
		}
	case "default":
		if n := len(s.fields); n > 0 && s.fields[n-1].box != "" && archive.Attribute(e, "val") == "1" {
			s.fields[n-1].box = "☒"
		}
	case "sdt":
		s.sdt = append(s.sdt, false)
	case "docPartGallery":
		if n := len(s.sdt); n > 0 && strings.EqualFold(value(), "Table of Contents") {
			s.sdt[n-1] = true
			s.toc++
		}
	case "tbl":
		f := s.frame()
		if f.table != nil { // a table in a table is in a cell, which is a frame
			return nil
		}
		f.table = &table{}
	case "tblLook":
		if t := s.frame().table; t != nil {
			bits, _ := strconv.ParseUint(value(), 16, 32)
			first := archive.Attribute(e, "firstRow")
			t.headed = first == "1" || first == "true" || first == "on" || first == "" && bits&0x20 != 0
		}
	case "tr":
		if t := s.frame().table; t != nil {
			t.endRow()
		}
	case "tblHeader":
		if t := s.frame().table; t != nil && toggle(e) == on {
			t.open.header = true
		}
	case "tc":
		if t := s.frame().table; t != nil {
			t.cell = cell{}
			s.frames = append(s.frames, &frame{})
		}
	case "gridSpan":
		if t := s.outerTable(); t != nil {
			t.cell.span, _ = strconv.Atoi(value())
		}
	case "vMerge":
		if t := s.outerTable(); t != nil && value() != "restart" {
			t.cell.merged = true
		}
	case "txbxContent":
		s.frames = append(s.frames, &frame{})
		s.run = runLook{}
	case "altChunk":
		return s.chunk(archive.Attribute(e, "id"))
	}
	return nil
}

// outerTable returns the table whose cell is the innermost frame, or nil.
func (s *story) outerTable() *table {
	if n := len(s.frames); n > 1 {
		return s.frames[n-2].table
	}
	return nil
}

func (s *story) end(name string) error {
	p := s.paragraph()
	switch name {
	case "p":
		return s.endParagraph()
	case "pPr":
		if p != nil {
			p.properties, p.inMark = false, false
		}
	case "rPr":
		if p != nil {
			p.inMark = false
		}
	case "r":
		s.runOpen, s.run = false, runLook{}
	case "trPr":
		s.inRow = false
	case "t":
		s.inText = false
	case "fldSimple":
		s.endField()
	case "sdt":
		if n := len(s.sdt); n > 0 {
			if s.sdt[n-1] {
				s.toc--
			}
			s.sdt = s.sdt[:n-1]
		}
	case "tc":
		if len(s.frames) < 2 {
			return nil
		}
		if err := s.closeParagraphs(); err != nil {
			return err
		}
		cell := s.frame()
		s.frames = s.frames[:len(s.frames)-1]
		s.flushCarry(cell)
		if t := s.frame().table; t != nil {
			t.cell.pieces = cell.pieces
			t.endCell()
			if s.held++; s.held > maxHeld {
				return errTableTooLong
			}
		}
	case "tr":
		if t := s.frame().table; t != nil {
			t.endRow()
		}
	case "tbl":
		f := s.frame()
		if t := f.table; t != nil {
			f.table = nil
			s.flushCarry(f)
			return s.add(piece{table: t})
		}
	case "txbxContent":
		if len(s.frames) < 2 {
			return nil
		}
		if err := s.closeParagraphs(); err != nil {
			return err
		}
		box := s.frame()
		s.frames = s.frames[:len(s.frames)-1]
		s.flushCarry(box)
		s.run = runLook{}
		if p := s.paragraph(); p != nil {
			p.after = append(p.after, box.pieces...)
			return nil
		}
		for _, b := range box.pieces {
			if err := s.add(b); err != nil {
				return err
			}
		}
	}
	return nil
}

// startMath handles an element of a formula.
func (s *story) startMath(e xml.StartElement) {
	if s.math == nil {
		if e.Name.Local != "oMath" && e.Name.Local != "oMathPara" {
			return
		}
		s.math = &formula{}
	}
	s.inText = s.math.start(e)
}

func (s *story) endMath(name string) {
	s.inText = false
	if s.math == nil || !s.math.end(name) {
		return
	}
	if p := s.paragraph(); p != nil && s.inResult() {
		p.add(" "+string(s.math.text)+" ", p.number)
	}
	s.math = nil
}
