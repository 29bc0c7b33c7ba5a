package office

import (
	"encoding/xml"
	"errors"
	"path"
	"slices"
	"strconv"
	"strings"

	"lacuna/knowledge/document"
	"lacuna/knowledge/ingest/archive"
	"lacuna/knowledge/ingest/web"
	"lacuna/knowledge/passage"
)

func (s *story) startParagraph() error {
	f := s.frame()
	if s.held++; s.held > maxHeld && len(s.frames) > 1 {
		return errTableTooLong
	}
	f.open = append(f.open, &openParagraph{number: s.count, depth: -1})
	s.runOpen, s.run = false, runLook{}
	return nil
}

// closeParagraphs ends what a damaged file left open in the innermost frame.
func (s *story) closeParagraphs() error {
	for len(s.frame().open) > 0 {
		if err := s.endParagraph(); err != nil {
			return err
		}
	}
	return nil
}

// finish ends the story.
func (s *story) finish() error {
	for len(s.frames) > 1 {
		if err := s.end("tc"); err != nil {
			return err
		}
	}
	if err := s.closeParagraphs(); err != nil {
		return err
	}
	if f := s.frame(); f.carry != nil {
		p := f.carry
		f.carry = nil
		return s.add(piece{paragraph: p})
	}
	return nil
}

// flushCarry adds a paragraph that nothing goes on from.
func (s *story) flushCarry(f *frame) {
	if f.carry != nil {
		f.pieces = append(f.pieces, piece{paragraph: f.carry})
		f.carry = nil
	}
}

// endParagraph decides what the innermost paragraph is, and adds it.
func (s *story) endParagraph() error {
	f := s.frame()
	n := len(f.open) - 1
	if n < 0 {
		return nil
	}
	p := f.open[n]
	f.open = f.open[:n]
	s.endLooseFields()
	if p.markCut || p.dropCap {
		result := &p.paragraph
		if p.markCut && !result.blank() {
			result.add(" ", p.number) // what was two paragraphs stays two words
		}
		if f.carry != nil {
			result = join(f.carry, result)
		}
		if f.carry = nil; !result.blank() || len(result.after) > 0 {
			f.carry = result
		}
		return nil
	}
	s.decide(p)
	result := &p.paragraph
	if f.carry != nil {
		look := result
		result = join(f.carry, result)
		result.kind, result.level, result.marker, result.chrome = look.kind, look.level, look.marker, look.chrome
		result.title, result.bold, f.carry = look.title, look.bold, nil
	}
	if result.blank() && len(result.after) == 0 {
		return nil
	}
	if result.kind != passage.Item && result.level == 0 {
		s.listAt = 0
	}
	return s.add(piece{paragraph: result})
}

// join appends the text of a paragraph to the one before it.
func join(first, second *paragraph) *paragraph {
	first.runs = append(first.runs, second.runs...)
	first.after = append(first.after, second.after...)
	return first
}

// add adds a piece to the innermost frame, or writes it if that is the body.
func (s *story) add(p piece) error {
	if s.body && len(s.frames) == 1 {
		s.held = 0
		return s.out.write([]piece{p})
	}
	f := s.frame()
	f.pieces = append(f.pieces, p)
	return nil
}

// decide finds out what a paragraph is: its kind, level and number.
func (s *story) decide(p *openParagraph) {
	look := s.styles.of(p.styleID)
	p.bold = p.plain == 0
	level := look.level
	if p.outline != noLevel {
		level = p.outline
	}
	if level == titleLevel && p.outline != noLevel {
		level = p.outline
	}
	marker, depth, numbered := s.number(p, look)
	p.marker = marker
	switch style := chromeOf(look.name); {
	case style != document.Content:
		p.chrome = style
	case level > 0 && p.chrome == document.Contents && s.toc == 0 && s.endContents():
		p.chrome = document.Content
	}
	switch {
	case level == titleLevel:
		p.kind, p.level, p.title = passage.Heading, 1, true
	case level > 0:
		p.kind, p.level = passage.Heading, level
	case look.name == "caption" || p.caption && !numbered:
		p.kind = passage.Caption
	case numbered && marker != "":
		p.kind, p.level = passage.Item, depth+1
		s.listAt = depth + 1
	case isCode(look.name):
		p.kind = passage.Code
	case s.listAt > 0 && (numbered || strings.HasPrefix(look.name, "list ")):
		p.level = s.listAt
	}
}

// endContents ends a table of contents that goes on into a heading, because its field does not end. It
// reports whether there was one.
func (s *story) endContents() bool {
	n := len(s.fields)
	s.fields = slices.DeleteFunc(s.fields, func(f field) bool { return f.chrome == document.Contents })
	return len(s.fields) < n
}

// chromeOf returns what a style of paragraphs says that they are.
func chromeOf(style string) document.Chrome {
	switch {
	case strings.HasPrefix(style, "toc ") || style == "table of figures" || style == "table of authorities" || style == "toa heading" || style == "contents heading":
		return document.Contents
	case strings.HasPrefix(style, "index ") && len(style) == len("index 1"), style == "index heading":
		return document.Index
	}
	return document.Content
}

func isCode(style string) bool {
	switch style {
	case "source code", "sourcecode", "code", "code block", "html preformatted", "preformatted text":
		return true
	}
	return false
}

// number counts a paragraph in its list. It returns the number as shown, the level from 0, and whether it
// stands in a list.
func (s *story) number(p *openParagraph, look *style) (marker string, depth int, numbered bool) {
	id, depth := p.list, p.depth
	if id == "" {
		if id = look.number; id != "" && depth < 0 {
			depth = s.depthOfStyle(id, p.styleID)
		}
	}
	if id == "" || id == "0" {
		return "", 0, false
	}
	if depth < 0 {
		depth = max(0, look.depth)
	}
	marker, numbered = s.numbering.next(id, depth)
	if !numbered && p.list != "" { // in a list that the document lacks
		return "-", min(depth, maxListLevels-1), true
	}
	return marker, depth, numbered
}

// depthOfStyle returns the level of a list on which it numbers a style, or one it is based on.
func (s *story) depthOfStyle(list, id string) int {
	if id == "" {
		id = s.styles.defaults
	}
	at := id
	for range maxBases {
		if depth := s.numbering.levelOfStyle(list, at); depth >= 0 {
			return depth
		}
		base := s.styles.byID[at]
		if base == nil || base.depth >= 0 || base.basedOn == "" {
			break
		}
		at = base.basedOn
	}
	return s.styles.of(id).depth
}

// fieldChar begins a field, its result, or ends it.
func (s *story) fieldChar(e xml.StartElement) {
	n := len(s.fields)
	switch archive.Attribute(e, "fldCharType") {
	case "begin":
		if n < 1000 {
			s.fields = append(s.fields, field{})
		}
	case "separate":
		if n > 0 {
			s.fields[n-1].begin()
			s.markCaption(s.paragraph(), &s.fields[n-1])
		}
	case "end":
		s.endField()
	}
}

// markCaption notes that a paragraph counts tables or figures.
func (s *story) markCaption(p *openParagraph, f *field) {
	if p != nil && fieldName(string(f.code)) == "SEQ" && countWords(p.text()) <= 2 {
		p.caption = true
	}
}

func (s *story) endField() {
	n := len(s.fields) - 1
	if n < 0 {
		return
	}
	box := s.fields[n].box
	if fieldName(string(s.fields[n].code)) != "FORMCHECKBOX" {
		box = ""
	}
	s.fields = s.fields[:n]
	if p := s.paragraph(); box != "" && p != nil && s.inResult() {
		p.add(box, p.number)
	}
}

// endLooseFields ends, with their paragraph, fields whose code or page number does not end. Else the rest
// of the document would be lost to them.
func (s *story) endLooseFields() {
	for i := range s.fields {
		if !s.fields[i].result || s.fields[i].page {
			s.fields = s.fields[:i]
			return
		}
	}
}

// reference shows the number of a note, and adds the note below the paragraph.
func (s *story) reference(e xml.StartElement) error {
	p := s.paragraph()
	kind := strings.TrimSuffix(e.Name.Local, "Reference")
	if p == nil || !s.inResult() || s.runHidden(p) {
		return nil
	}
	note := s.notes[kind][archive.Attribute(e, "id")]
	mark := ""
	if custom := archive.Attribute(e, "customMarkFollows"); custom == "" || custom == "0" || custom == "false" {
		s.noteNo[kind]++
		number := strconv.Itoa(s.noteNo[kind])
		if kind == "endnote" {
			number = numberAs(s.noteNo[kind], "lowerRoman", "")
		}
		mark = "[" + number + "]"
		p.add(mark, p.number)
	}
	for _, n := range note {
		if n.paragraph == nil {
			p.after = append(p.after, n)
			continue
		}
		if s.text += len(n.paragraph.text()); s.text > document.MaxText {
			return document.ErrTooMuchText
		}
		copied := &paragraph{kind: passage.Footnote, marker: mark}
		for _, r := range n.paragraph.runs {
			copied.add(string(r.text), p.number)
		}
		mark = ""
		p.after = append(p.after, piece{paragraph: copied})
		p.after = append(p.after, n.paragraph.after...)
	}
	return nil
}

// symbol writes a character of a font of symbols.
func (s *story) symbol(e xml.StartElement) error {
	code, err := strconv.ParseUint(archive.Attribute(e, "char"), 16, 32)
	p := s.paragraph()
	if err != nil || p == nil || !s.inResult() || s.runHidden(p) {
		return nil
	}
	p.add(symbols(string(rune(code)), archive.Attribute(e, "font")), p.number)
	return nil
}

// startDrawing handles what is no text of Word: pictures, diagrams, charts.
func (s *story) startDrawing(e xml.StartElement) error {
	p := s.paragraph()
	switch e.Name.Local {
	case "docPr":
		s.picture = archive.Attribute(e, "descr")
	case "blip", "imagedata":
		s.out.Omit(pictures, 0)
		if p != nil && describes(s.picture) {
			p.after = append(p.after, piece{paragraph: &paragraph{kind: passage.Caption, runs: []run{{[]byte(clean(s.picture)), p.number}}}})
		}
		s.picture = ""
	case "relIds":
		texts, err := diagram(s.archive, s.relations[archive.Attribute(e, "dm")].target)
		if err != nil {
			return err
		}
		for _, text := range texts {
			if p != nil {
				p.after = append(p.after, piece{paragraph: &paragraph{kind: passage.Item, level: 1, runs: []run{{[]byte(text), p.number}}}})
			}
		}
	case "OLEObject":
		s.out.Omit(embedded, 0)
	}
	return nil
}

// describes reports whether the description of a picture was written by a person.
func describes(text string) bool {
	lower := strings.ToLower(text)
	return countWords(text) >= 3 && !strings.Contains(lower, "generated") && path.Ext(lower) != ".png" && path.Ext(lower) != ".jpg" && path.Ext(lower) != ".jpeg"
}

// diagram returns the texts of a diagram, which stand in a part of their own.
func diagram(a *archive.Archive, part string) ([]string, error) {
	var texts []string
	var b strings.Builder
	inText := false
	err := a.Tokens(part, func(token xml.Token, _ int) error {
		switch t := token.(type) {
		case xml.StartElement:
			switch t.Name.Local {
			case "t":
				inText = true
			case "p":
				b.Reset()
			}
		case xml.CharData:
			if inText {
				b.Write(t)
			}
		case xml.EndElement:
			switch t.Name.Local {
			case "t":
				inText = false
			case "p":
				if text := strings.TrimSpace(clean(b.String())); text != "" {
					texts = append(texts, text)
				}
				b.Reset()
			}
		}
		return nil
	})
	if errors.Is(err, archive.ErrUnpacked) || errors.Is(err, archive.ErrTooDeep) {
		return nil, err
	}
	return texts, nil
}

// maxChunks bounds documents inside documents.
const maxChunks = 2

// chunk adds a document that is embedded as text: another Word document, RTF, a web page or
// plain text.
func (s *story) chunk(id string) error {
	target := s.relations[id].target
	content, err := s.archive.Read(target)
	if err != nil {
		if errors.Is(err, archive.ErrUnpacked) {
			return err
		}
		s.out.Lose(embedded, 0)
		return nil
	}
	var d document.Document
	err = errors.ErrUnsupported
	switch start := string(content[:min(5, len(content))]); {
	case s.depth >= maxChunks:
	case strings.HasPrefix(start, "PK\x03\x04"):
		var a *archive.Archive
		if a, err = archive.Open(content); err == nil {
			d, err = readWord(s.context, a, s.depth+1)
		}
	case strings.HasPrefix(start, `{\rtf`):
		d, err = RTF(s.context, content)
	case isPage(path.Ext(target)):
		d, err = web.Read(s.context, content)
	case strings.EqualFold(path.Ext(target), ".txt"):
		d, err = plain(string(content)), nil
	}
	if err != nil {
		s.out.Lose(embedded, 0)
		return s.context.Err()
	}
	for _, b := range d.Blocks {
		if s.text += b.Len(); s.text > document.MaxText {
			return document.ErrTooMuchText
		}
		p := &paragraph{kind: b.Kind, level: b.Level, chrome: b.Chrome}
		if b.Kind == passage.Row || b.Kind == passage.HeaderRow {
			p.kind = passage.Paragraph
		}
		p.add(clean(d.Text[b.Start:b.End]), s.line())
		if err := s.add(piece{paragraph: p}); err != nil {
			return err
		}
	}
	return nil
}

// isPage reports the ending of a web page.
func isPage(ending string) bool {
	switch strings.ToLower(ending) {
	case ".htm", ".html", ".xhtml":
		return true
	}
	return false
}

// plain returns a text with a paragraph for each line.
func plain(text string) document.Document {
	d := document.Document{Text: text}
	at := 0
	for line := range strings.Lines(text) {
		d.Blocks = append(d.Blocks, document.Block{Span: passage.Span{Start: at, End: at + len(line)}})
		at += len(line)
	}
	return d
}
