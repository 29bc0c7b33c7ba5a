package office

import (
	"fmt"
	"strconv"
	"strings"

	"lacuna/knowledge/document"
	"lacuna/knowledge/passage"
)

// endParagraph ends the paragraph that is being read.
func (r *rtfReader) endParagraph() error {
	s := r.story()
	if r.state.to != toText {
		return nil
	}
	p := r.take(s)
	if s.table != nil && !r.state.inTable && len(s.cell) == 0 && len(s.table.open.cells) == 0 {
		if err := r.endTable(s); err != nil {
			return err
		}
	}
	if s.body {
		r.count++
	}
	if p == nil {
		return nil
	}
	if r.state.inTable {
		r.held++
		s.cell = append(s.cell, piece{paragraph: p})
		if r.held > maxHeld {
			return errTableTooLong
		}
		return nil
	}
	if len(s.cell) > 0 || s.table != nil && len(s.table.open.cells) > 0 {
		s.cell = append(s.cell, piece{paragraph: p})
		return nil
	}
	return r.put(s, piece{paragraph: p})
}

// put adds a piece to a story.
func (r *rtfReader) put(s *rtfStory, p piece) error {
	if s.body {
		return r.out.write([]piece{p})
	}
	s.pieces = append(s.pieces, p)
	return nil
}

// take returns the paragraph that is being read, decided on, and begins another; nil if it is blank.
func (r *rtfReader) take(s *rtfStory) *paragraph {
	open := s.paragraph
	s.paragraph = openRTF{}
	p := open.paragraph
	if p.blank() && len(p.after) == 0 {
		return nil
	}
	p.bold = open.plain == 0
	look := r.styles[r.state.styleID]
	if look == nil {
		look = &style{}
	}
	level := look.level
	if r.state.outline > 0 {
		level = r.state.outline
	}
	if p.chrome == document.Content {
		p.chrome = chromeOf(look.name)
	}
	switch {
	case level == titleLevel:
		p.kind, p.level, p.title = passage.Heading, 1, true
	case level > 0:
		p.kind, p.level = passage.Heading, level
	case look.name == "caption":
		p.kind = passage.Caption
	case p.marker != "":
		p.kind, p.level = passage.Item, r.itemLevel()
		r.listAt = p.level
	case r.listAt > 0 && strings.HasPrefix(look.name, "list "):
		p.level = r.listAt
	default:
		r.listAt, r.indents = 0, nil
	}
	return &p
}

// itemLevel returns the level of an item, from 1. Programs write lists inside lists as lists of their own,
// so the indent says more than the level in the list.
func (r *rtfReader) itemLevel() int {
	if r.state.indent <= 0 {
		return min(max(0, r.state.level), maxListLevels-1) + 1
	}
	for n := len(r.indents); n > 0 && r.indents[n-1] >= r.state.indent; n-- {
		r.indents = r.indents[:n-1]
	}
	if len(r.indents) < maxListLevels {
		r.indents = append(r.indents, r.state.indent)
	}
	return len(r.indents)
}

// endTable adds the table that is being read.
func (r *rtfReader) endTable(s *rtfStory) error {
	t := s.table
	if t == nil {
		return nil
	}
	s.table = nil
	r.held = 0
	return r.put(s, piece{table: t})
}

// endCell ends a cell of the row that is being read.
func (r *rtfReader) endCell() error {
	s := r.story()
	if r.state.to != toText {
		return nil
	}
	if p := r.take(s); p != nil {
		s.cell = append(s.cell, piece{paragraph: p})
	}
	if s.body {
		r.count++
	}
	if s.table == nil {
		s.table = &table{}
	}
	if r.held++; r.held > maxHeld {
		return errTableTooLong
	}
	s.table.cell = cell{pieces: s.cell}
	s.cell = nil
	s.table.endCell()
	return nil
}

func (r *rtfReader) endRow() error {
	s := r.story()
	t := s.table
	if t == nil || r.state.to != toText {
		return nil
	}
	t.open.header = r.header
	cells := t.open.cells[:0]
	for i, c := range t.open.cells {
		if i < len(r.columns) {
			c.merged = r.columns[i].merged
			if r.columns[i].joined && len(c.pieces) == 0 && len(cells) > 0 {
				cells[len(cells)-1].span = max(1, cells[len(cells)-1].span) + 1
				continue
			}
		}
		cells = append(cells, c)
	}
	t.open.cells = cells
	t.endRow()
	return nil
}

// endGroup ends what a group began.
func (r *rtfReader) endGroup(ended rtfState) error {
	switch ended.ends {
	case 'n', 'b':
		s := r.story()
		if len(r.stories) == 1 {
			return nil
		}
		state := r.state
		r.state = ended
		if p := r.take(s); p != nil {
			s.cell = append(s.cell, piece{paragraph: p})
		}
		r.state = state
		for _, c := range s.cell {
			s.pieces = append(s.pieces, c)
		}
		s.cell = nil
		if err := r.endTable(s); err != nil {
			return err
		}
		r.stories = r.stories[:len(r.stories)-1]
		up := &r.story().paragraph
		for _, p := range s.pieces {
			if p.paragraph != nil && ended.ends == 'n' {
				p.paragraph.kind, p.paragraph.level, p.paragraph.marker = passage.Footnote, 0, s.mark
				s.mark = ""
			}
			up.after = append(up.after, p)
		}
	case 'f':
		if n := len(r.fields); n > 0 {
			f := r.fields[n-1]
			r.fields = r.fields[:n-1]
			if rest, ok := strings.CutPrefix(strings.TrimSpace(f.code), "SYMBOL "); ok && f.text == r.text {
				return r.fieldSymbol(rest)
			}
		}
	case 'c':
		if n := len(r.fields); n > 0 {
			r.fields[n-1].code = r.collected()
		}
	case 's':
		r.endStyle()
	case 'm':
		if p := &r.story().paragraph; p.marker == "" {
			p.marker = shownMarker(r.collected())
		}
	case 'p':
		if text := strings.Join(strings.Fields(r.collected()), " "); text != "" {
			r.about.set(ended.property, text)
		}
	case 'o':
		r.nameFont()
	case 'd':
		if y := r.when; y[0] > 0 && y[1] > 0 && y[2] > 0 {
			r.about.date = fmt.Sprintf("%04d-%02d-%02d", y[0], y[1], y[2])
		}
	case 'v':
		r.about.custom(r.propertyName, strings.TrimSpace(r.collected()))
	case 'u':
		r.propertyName = strings.TrimSpace(r.collected())
	case 'h':
		if r.aside > 0 {
			r.out.Omit(string(document.RunningHead), r.aside)
		}
		r.aside = 0
	case 'a':
		r.out.Omit(comments, r.aside)
		r.aside = 0
	}
	return nil
}

// nameFont notes the name of the font that was read.
func (r *rtfReader) nameFont() {
	r.fonts[r.font] = rtfFont{strings.TrimRight(strings.TrimSpace(r.collected()), ";"), r.fonts[r.font].codepage}
}

// collected returns the text that a group collected beside the document's.
func (r *rtfReader) collected() string {
	text := r.name.String()
	r.name.Reset()
	return text
}

// shownMarker returns the marker of a list item as it is shown; a bullet becomes a dash.
func shownMarker(text string) string {
	text = strings.Join(strings.Fields(clean(text)), " ")
	switch {
	case text == "":
		return ""
	case !strings.ContainsFunc(text, isLetterOrDigit):
		return "-"
	case text == "o", text == "§", text == "·": // bullets of Courier and Wingdings
		return "-"
	}
	return text
}

// fieldSymbol adds the character that a field names by its number.
func (r *rtfReader) fieldSymbol(code string) error {
	words := strings.Fields(code)
	if len(words) == 0 {
		return nil
	}
	n, err := strconv.ParseUint(words[0], 0, 16)
	if err != nil || n < 0x20 {
		return nil
	}
	font := ""
	for i, w := range words {
		if strings.EqualFold(w, `\f`) && i+1 < len(words) {
			font = strings.Trim(strings.Join(words[i+1:min(i+3, len(words))], " "), `"`)
			if !symbolFont(font) {
				font = strings.Trim(words[i+1], `"`)
			}
		}
	}
	if symbolFont(font) {
		return r.add(symbols(string(rune(n)), font))
	}
	return r.add(decodePage([]byte{byte(n)}, r.codepage))
}

// endStyle notes the style that was read.
func (r *rtfReader) endStyle() {
	name := strings.ToLower(strings.TrimRight(strings.TrimSpace(r.collected()), ";"))
	s := r.styles[r.styleID]
	if s == nil {
		s = &style{}
		r.styles[r.styleID] = s
	}
	s.name = name
	if level := levelOf(name); level != noLevel {
		s.level = level
	}
}

// finish ends what the file left open.
func (r *rtfReader) finish() error {
	if err := r.flush(); err != nil {
		return err
	}
	for len(r.stories) > 1 {
		r.state.to = toText
		if err := r.endGroup(rtfState{ends: 'b'}); err != nil {
			return err
		}
	}
	s := r.story()
	r.state.to = toText
	last := r.take(s)
	if s.table != nil {
		if len(s.cell) > 0 {
			s.table.cell = cell{pieces: s.cell}
			s.cell = nil
			s.table.endCell()
		}
		if err := r.endRow(); err != nil {
			return err
		}
	}
	if err := r.endTable(s); err != nil {
		return err
	}
	if err := r.out.write(s.cell); err != nil {
		return err
	}
	if last != nil {
		return r.out.write([]piece{{paragraph: last}})
	}
	return nil
}
