package office

import (
	"encoding/xml"
	"strconv"
	"strings"

	"lacuna/knowledge/document"
	"lacuna/knowledge/ingest/archive"
	"lacuna/knowledge/passage"
)

// odfSkipped holds the elements whose text is not the document's.
func odfSkipped(name string) bool {
	switch name {
	case "annotation", "tracked-changes", "title", "desc", "binary-data", "scripts", "forms", "event-listeners", "ruby-text", "meta", "styles", "automatic-styles", "master-styles",
		"settings", "font-face-decls", "hidden-text", "hidden-paragraph", "database-display", "creator-initials":
		return true
	}
	return strings.HasSuffix(name, "-source")
}

// token handles one token of the content.
func (r *odfReader) token(token xml.Token, _ int) error {
	switch t := token.(type) {
	case xml.StartElement:
		if t.Name.Local == "p" || t.Name.Local == "h" {
			if r.started {
				r.count++
			}
			if r.count%1024 == 0 {
				if err := r.context.Err(); err != nil {
					return err
				}
			}
		}
		switch {
		case r.skipped > 0:
			r.skipped++
		case r.skips(t):
			r.skipped, r.skipName, r.skipWords = 1, t.Name.Local, 0
		case t.Name.Local == "body":
			r.started = true
		default:
			return r.start(t)
		}
	case xml.EndElement:
		if r.skipped > 0 {
			if r.skipped--; r.skipped == 0 {
				r.endSkipped()
			}
			return nil
		}
		return r.end(t.Name.Local)
	case xml.CharData:
		switch {
		case r.skipped > 0:
			r.skipWords += countWords(string(t))
		case r.citation:
			r.frame().note += strings.TrimSpace(string(t))
		default:
			return r.write(string(t))
		}
	}
	return nil
}

// skips reports whether the text of an element is not the document's.
func (r *odfReader) skips(e xml.StartElement) bool {
	if e.Name.Local == "section" && archive.Attribute(e, "display") == "none" {
		return true
	}
	if e.Name.Local == "conditional-text" || e.Name.Local == "title" && strings.Contains(e.Name.Space, "text") {
		return false // the field that shows the title of the document
	}
	return odfSkipped(e.Name.Local)
}

func (r *odfReader) endSkipped() {
	switch r.skipName {
	case "annotation":
		r.out.Omit(comments, r.skipWords)
	case "tracked-changes":
		if r.skipWords > 0 {
			r.out.Omit(deletedText, r.skipWords)
		}
	case "ruby-text":
		r.out.Omit(ruby, 0)
	case "hidden-text", "hidden-paragraph", "section":
		r.out.Hidden++
	}
}

// line returns the place of what is read.
func (r *odfReader) line() int {
	if r.slides {
		return max(1, r.slide)
	}
	if p := r.paragraph(); p != nil {
		return p.number
	}
	return max(1, r.count)
}

// write adds text to the open paragraph.
func (r *odfReader) write(text string) error {
	p := r.paragraph()
	if p == nil || r.page {
		return nil
	}
	if r.hidden > 0 {
		if strings.TrimSpace(text) != "" {
			r.out.Hidden++
		}
		return nil
	}
	if r.text += len(text); r.text > document.MaxText {
		return document.ErrTooMuchText
	}
	text = symbols(clean(text), "")
	if n := len(r.spans); n > 0 && r.spans[n-1].raised {
		text = raised(text)
	}
	p.add(text, r.line())
	return nil
}

func (r *odfReader) push(kind frameKind) { r.frames = append(r.frames, &odfFrame{kind: kind}) }

func (r *odfReader) start(e xml.StartElement) error {
	get := func(name string) string { return archive.Attribute(e, name) }
	f := r.frame()
	switch e.Name.Local {
	case "p", "h":
		return r.startParagraph(e)
	case "span":
		look := odfStyle{hidden: r.isHidden(get("style-name"))}
		if s := r.styles[get("style-name")]; s != nil {
			look.raised = s.raised
		}
		r.spans = append(r.spans, look)
		if look.hidden {
			r.hidden++
		}
	case "s":
		if r.paragraph() != nil {
			return r.write(" ")
		}
	case "tab":
		return r.write(" ")
	case "line-break":
		if p := r.paragraph(); p != nil && r.hidden == 0 {
			p.add("\n", r.line())
		}
	case "page-number", "page-count":
		r.page = true
	case "list":
		r.startList(e)
	case "list-item", "list-header":
		if n := len(r.open); n > 0 {
			l := &r.open[n-1]
			l.item, l.header, l.start = true, e.Name.Local == "list-header", 0
			if start, err := strconv.Atoi(get("start-value")); err == nil && start > 0 {
				l.start = start
			}
		}
	case "note":
		r.push(inNote)
	case "note-citation":
		r.citation = true
	case "text-box":
		r.push(inBox)
	case "object":
		r.out.Omit(embedded, 0)
	case "image":
		r.out.Omit(pictures, 0)
	case "table":
		if f.table == nil {
			f.table = &table{}
		}
	case "table-header-rows":
		f.header++
	case "table-row":
		if f.table != nil {
			f.table.endRow()
			f.table.open.header = f.header > 0
			f.spans = 0
		}
	case "table-cell", "covered-table-cell":
		if f.table == nil {
			break
		}
		f.table.cell = cell{merged: e.Name.Local == "covered-table-cell" && f.spans == 0}
		if f.spans > 0 {
			f.spans--
		}
		if n, err := strconv.Atoi(get("number-columns-spanned")); err == nil && n > 1 {
			f.spans = n - 1
		}
		r.push(inCell)
		r.frame().spans, _ = strconv.Atoi(get("number-columns-repeated"))
	case "table-of-content", "illustration-index", "table-index", "object-index", "user-index":
		r.chrome = append(r.chrome, document.Contents)
	case "alphabetical-index":
		r.chrome = append(r.chrome, document.Index)
	case "page":
		if r.slides {
			r.slide++
		}
	case "frame", "custom-shape":
		if class := get("class"); r.slides {
			r.title = class == "title"
			if class == "page-number" || class == "footer" || class == "header" || class == "date-time" {
				r.chrome = append(r.chrome, document.RunningHead)
			} else {
				r.chrome = append(r.chrome, document.Content)
			}
		}
	}
	return nil
}

func (r *odfReader) startParagraph(e xml.StartElement) error {
	f := r.frame()
	if r.held++; r.held > maxHeld && len(r.frames) > 1 {
		return errTableTooLong
	}
	p := &odfParagraph{number: r.count}
	style := archive.Attribute(e, "style-name")
	if n := len(r.chrome); n > 0 {
		p.chrome = r.chrome[n-1]
	}
	at := min(len(r.open), maxListLevels+1) - 1
	switch {
	case r.slides && r.title:
		p.kind, p.level = passage.Heading, 1
		p.title = r.slide == 1
	case e.Name.Local == "h":
		level, err := strconv.Atoi(archive.Attribute(e, "outline-level"))
		if err != nil || level < 1 {
			level = 1
		}
		p.kind, p.level = passage.Heading, level
		if header := archive.Attribute(e, "is-list-header"); header != "true" && level <= maxListLevels && len(r.open) == 0 {
			if l := r.outline.levels[level-1]; l.format != "" {
				p.marker = r.outline.number(&r.headings, level-1, 0)
			}
		}
	case r.is(style, "Title"):
		p.kind, p.level, p.title = passage.Heading, 1, true
	case r.is(style, "Caption", "Illustration", "Figure", "Drawing") || r.is(style, "Table") && f.kind != inCell:
		p.kind = passage.Caption
	case r.is(style, "Preformatted_20_Text"):
		p.kind = passage.Code
	case r.is(style, "Contents_20_Heading", "Index_20_Heading"):
		p.chrome = document.Contents
	}
	p.bold = r.is(style, "Table_20_Heading")
	if at >= 0 {
		l := &r.open[len(r.open)-1]
		if l.item && !l.header && l.style != nil {
			if p.marker == "" {
				p.marker = l.style.number(l.counter, at, l.start)
			}
		} else if l.item && !l.header && p.marker == "" {
			p.marker = "-"
		}
		switch {
		case p.kind == passage.Heading:
		case l.item && p.marker != "":
			p.kind, p.level = passage.Item, at+1
		case p.kind == passage.Paragraph && !l.header:
			p.level = at + 1
		}
		l.item = false
	}
	if p.hides = r.isHidden(style); p.hides {
		r.hidden++
	}
	f.open = append(f.open, p)
	return nil
}

func (r *odfReader) startList(e xml.StartElement) {
	l := openList{}
	name := archive.Attribute(e, "style-name")
	if n := len(r.open); n > 0 {
		l.style, l.counter = r.open[n-1].style, r.open[n-1].counter
		if s := r.lists[name]; name != "" && s != nil {
			l.style = s
		}
	} else {
		l.style = r.lists[name]
		switch from := archive.Attribute(e, "continue-list"); {
		case from != "" && r.continued["#"+from] != nil:
			l.counter = r.continued["#"+from]
		case archive.Attribute(e, "continue-numbering") == "true" && r.continued[name] != nil:
			l.counter = r.continued[name]
		default:
			l.counter = &odfCounter{}
		}
		r.continued[name] = l.counter
	}
	if id := archive.Attribute(e, "id"); id != "" && len(r.continued) < maxHeld {
		r.continued["#"+id] = l.counter
	}
	r.open = append(r.open, l)
}

func (r *odfReader) end(name string) error {
	f := r.frame()
	switch name {
	case "p", "h":
		return r.endParagraph()
	case "span":
		if n := len(r.spans); n > 0 {
			if r.spans[n-1].hidden {
				r.hidden--
			}
			r.spans = r.spans[:n-1]
		}
	case "page-number", "page-count":
		r.page = false
	case "list":
		if n := len(r.open); n > 0 {
			r.open = r.open[:n-1]
		}
	case "note-citation":
		r.citation = false
	case "note":
		return r.closeFrame(inNote)
	case "text-box":
		return r.closeFrame(inBox)
	case "table-header-rows":
		f.header--
	case "table-cell", "covered-table-cell":
		if f.kind != inCell {
			return nil
		}
		r.frames = r.frames[:len(r.frames)-1]
		if t := r.frame().table; t != nil {
			t.cell.pieces = f.pieces
			again := min(max(1, f.spans), maxSpan)
			if len(f.pieces) == 0 && f.spans > maxSpan { // empty cells to the edge of the sheet
				again = 1
			}
			made := t.cell
			for range again {
				if r.held++; r.held > maxHeld {
					return errTableTooLong
				}
				t.cell = made
				t.endCell()
			}
		}
	case "table-row":
		if f.table != nil {
			f.table.endRow()
		}
	case "table":
		if t := f.table; t != nil {
			f.table = nil
			return r.add(piece{table: t})
		}
	case "table-of-content", "illustration-index", "table-index", "object-index", "user-index", "alphabetical-index":
		r.endChrome()
	case "frame", "custom-shape":
		if r.slides {
			r.title = false
			r.endChrome()
		}
	}
	return nil
}

func (r *odfReader) endChrome() {
	if n := len(r.chrome); n > 0 {
		r.chrome = r.chrome[:n-1]
	}
}

// closeFrame ends a note or a text box; what it holds follows the paragraph it is anchored in.
func (r *odfReader) closeFrame(kind frameKind) error {
	f := r.frame()
	if f.kind != kind {
		return nil
	}
	r.frames = r.frames[:len(r.frames)-1]
	p := r.paragraph()
	if kind == inNote {
		mark := "[" + f.note + "]"
		if p != nil && f.note != "" {
			p.add(mark, r.line())
		}
		for _, n := range f.pieces {
			if n.paragraph != nil {
				n.paragraph.kind, n.paragraph.level, n.paragraph.marker = passage.Footnote, 0, mark
				mark = ""
			}
		}
	}
	if p != nil {
		p.after = append(p.after, f.pieces...)
		return nil
	}
	for _, n := range f.pieces {
		if err := r.add(n); err != nil {
			return err
		}
	}
	return nil
}

func (r *odfReader) endParagraph() error {
	f := r.frame()
	n := len(f.open) - 1
	if n < 0 {
		return nil
	}
	p := f.open[n]
	f.open = f.open[:n]
	if p.hides {
		r.hidden--
	}
	if p.blank() && len(p.after) == 0 {
		return nil
	}
	return r.add(piece{paragraph: &p.paragraph})
}

// add adds a piece to the innermost frame, or writes it if that is the body.
func (r *odfReader) add(p piece) error {
	if len(r.frames) == 1 && r.frame().table == nil {
		r.held = 0
		return r.out.write([]piece{p})
	}
	f := r.frame()
	f.pieces = append(f.pieces, p)
	return nil
}
