package office

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf16"

	"lacuna/knowledge/document"
	"lacuna/knowledge/ingest/archive"
	"lacuna/knowledge/passage"
)

var errNotRTF = errors.New("not a document in Rich Text Format")

// Limits of one document.
const (
	maxGroups = 4096 // open at the same time; documents have less than a hundred
	maxColumn = 4096 // of a row
)

// RTF reads a document in Rich Text Format. Its places are paragraphs: how many ends of paragraphs (\par,
// \cell, \nestcell, \sect) stand before, plus one.
func RTF(ctx context.Context, content []byte) (document.Document, error) {
	start := strings.TrimLeft(string(content[:min(64, len(content))]), " \t\r\n\ufeff")
	if !strings.HasPrefix(start, `{\`) { // "{\rtf", or a fragment without it
		return document.Document{}, errNotRTF
	}
	r := &rtfReader{context: ctx, content: content, fonts: map[int]rtfFont{}, styles: map[int]*style{}}
	r.state.codepage, r.state.skipAfterUnicode = 1252, 1
	r.codepage = 1252
	r.stories = []*rtfStory{{body: true}}
	if err := r.read(); err != nil {
		return document.Document{}, err
	}
	if err := r.finish(); err != nil {
		return document.Document{}, err
	}
	d := r.out.Finish()
	r.about.describe(&d)
	setTitle(&d, r.out.shown, r.about.title)
	return d, nil
}

// rtfFont is a font of the document.
type rtfFont struct {
	name     string
	codepage int
}

// destination says what becomes of the text of a group.
type destination uint8

const (
	toText destination = iota
	toNowhere
	toFonts
	toStyles
	toMarker   // of a list
	toCode     // of a field
	toProperty // of the document
	toAside    // running heads and comments, which are counted
)

// rtfState is what a group inherits and its end restores.
type rtfState struct {
	to               destination
	was              destination // outside a group that has its text twice
	font             int
	codepage         int
	skipAfterUnicode int // characters that stand for older programs after each \u
	hidden, deleted  bool
	bold, raised     bool
	star             bool // the next word names a destination that may be unknown
	inTable          bool
	list, level      int
	indent           int // of the paragraph, in twentieths of a point
	styleID          int
	outline          int
	chrome           document.Chrome
	property         string
	entry            bool // in an entry of the style sheet
	ends             byte // what the end of the group ends: n a note, b a text box, f a field, s a style, a an aside, r a result
}

// rtfStory is a stream of paragraphs: the body, a note or a text box.
type rtfStory struct {
	body      bool
	pieces    []piece
	paragraph openRTF
	table     *table
	cell      []piece // finished paragraphs of the cell that is being read
	mark      string
}

// openRTF is the paragraph that is being read.
type openRTF struct {
	paragraph
	plain int
}

type rtfReader struct {
	context      context.Context
	content      []byte
	at           int
	state        rtfState
	stack        []rtfState
	pending      []byte // bytes in the code page of the state
	unicode      []uint16
	skip         int // characters to skip after \u
	codepage     int // of the document
	fonts        map[int]rtfFont
	font         int
	styles       map[int]*style
	styleID      int
	name         strings.Builder // of the font or style, marker, code of the field, or property that is being read
	fields       []rtfField
	stories      []*rtfStory
	listAt       int
	indents      []int // of the items above the next one, outermost first
	noteNo       int
	about        properties
	when         [3]int // year, month and day
	propertyName string
	defaultFont  int
	aside        int
	out          flowWriter
	count        int // paragraphs so far
	text         int
	held         int
	header       bool // the row names columns
	columns      []rtfColumn
	column       rtfColumn
}

type rtfField struct {
	code   string
	text   int // bytes of text when its result began
	chrome document.Chrome
	page   bool
}

type rtfColumn struct{ merged, joined bool }

func (r *rtfReader) story() *rtfStory { return r.stories[len(r.stories)-1] }

// read reads the whole file.
func (r *rtfReader) read() error {
	for r.at < len(r.content) {
		if err := r.next(); err != nil {
			return err
		}
		if r.at&0xfff == 0 {
			if err := r.context.Err(); err != nil {
				return err
			}
		}
	}
	return nil
}

// next reads one character, word or border of a group.
func (r *rtfReader) next() error {
	c := r.content[r.at]
	r.at++
	switch c {
	case '{':
		if err := r.flush(); err != nil {
			return err
		}
		if len(r.stack) == maxGroups {
			return archive.ErrTooDeep
		}
		r.stack = append(r.stack, r.state)
		r.state.ends, r.state.star = 0, false
		r.skip = 0
		if r.state.to == toStyles && !r.state.entry {
			r.name.Reset()
			r.styleID, r.state.ends, r.state.entry = 0, 's', true
		}
	case '}':
		if err := r.flush(); err != nil {
			return err
		}
		r.skip = 0
		if len(r.stack) == 0 {
			return nil
		}
		ended := r.state
		r.state = r.stack[len(r.stack)-1]
		r.stack = r.stack[:len(r.stack)-1]
		return r.endGroup(ended)
	case '\\':
		return r.control()
	case '\r', '\n', 0:
	default:
		r.byte(c)
	}
	return nil
}

// byte adds a byte of text.
func (r *rtfReader) byte(c byte) {
	if r.skip > 0 {
		r.skip--
		return
	}
	if r.state.to == toNowhere {
		return
	}
	if len(r.unicode) > 0 {
		r.flushUnicode()
	}
	r.pending = append(r.pending, c)
}

// control reads a control word or symbol.
func (r *rtfReader) control() error {
	if r.at >= len(r.content) {
		return nil
	}
	c := r.content[r.at]
	if !isASCIILetter(c) {
		r.at++
		return r.symbol(c)
	}
	start := r.at
	for r.at < len(r.content) && isASCIILetter(r.content[r.at]) && r.at-start < 64 {
		r.at++
	}
	word := string(r.content[start:r.at])
	start = r.at
	if r.at < len(r.content) && r.content[r.at] == '-' {
		r.at++
	}
	for r.at < len(r.content) && '0' <= r.content[r.at] && r.content[r.at] <= '9' && r.at-start < 11 {
		r.at++
	}
	number, err := strconv.Atoi(string(r.content[start:r.at]))
	given := err == nil
	if r.at < len(r.content) && r.content[r.at] == ' ' {
		r.at++
	}
	if word == "bin" && given && number > 0 {
		r.at = min(len(r.content), r.at+number)
		return nil
	}
	if word == "u" && given {
		if r.state.to != toNowhere {
			if err := r.flushPending(); err != nil {
				return err
			}
			r.unicode = append(r.unicode, uint16(number))
		}
		r.skip = r.state.skipAfterUnicode
		return nil
	}
	if r.skip > 0 {
		r.skip--
		return nil
	}
	if err := r.flush(); err != nil {
		return err
	}
	return r.word(word, number, given)
}

func isASCIILetter(c byte) bool { return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' }

// symbol handles a control symbol.
func (r *rtfReader) symbol(c byte) error {
	switch c {
	case '\'':
		if r.at+2 <= len(r.content) {
			if b, err := strconv.ParseUint(string(r.content[r.at:r.at+2]), 16, 8); err == nil {
				r.at += 2
				r.byte(byte(b))
			}
		}
	case '\\', '{', '}':
		r.byte(c)
	case '~':
		return r.literal("\u00a0")
	case '_':
		return r.literal("-")
	case '\r', '\n':
		if err := r.flush(); err != nil {
			return err
		}
		return r.endParagraph()
	case '*':
		r.state.star = true
	case '\t':
		return r.literal(" ")
	}
	return nil
}

// literal adds text that the code page does not matter for.
func (r *rtfReader) literal(text string) error {
	if r.skip > 0 {
		r.skip--
		return nil
	}
	if err := r.flush(); err != nil {
		return err
	}
	return r.add(text)
}

// flush adds the text that was read.
func (r *rtfReader) flush() error {
	r.flushUnicode()
	return r.flushPending()
}

func (r *rtfReader) flushUnicode() {
	if len(r.unicode) == 0 {
		return
	}
	text := string(utf16.Decode(r.unicode))
	r.unicode = r.unicode[:0]
	if name := r.fonts[r.state.font].name; strings.ContainsFunc(text, isPrivate) || symbolFont(name) {
		text = symbols(text, name)
	}
	_ = r.add(text) // which fails again where it matters: the text stays too long
}

func (r *rtfReader) flushPending() error {
	if len(r.pending) == 0 {
		return nil
	}
	font := r.fonts[r.state.font]
	var text string
	if symbolFont(font.name) && r.state.to != toFonts {
		runes := make([]rune, len(r.pending))
		for i, b := range r.pending {
			runes[i] = rune(b)
		}
		text = symbols(string(runes), font.name)
	} else {
		text = decodePage(r.pending, r.state.codepage)
	}
	r.pending = r.pending[:0]
	return r.add(text)
}

// add adds text to where the group's text goes.
func (r *rtfReader) add(text string) error {
	if r.state.deleted && r.state.to == toText {
		if n := countWords(text); n > 0 {
			r.out.Omit(deletedText, n)
		}
		return nil
	}
	switch r.state.to {
	case toNowhere:
		return nil
	case toAside:
		r.aside += countWords(text)
		return nil
	case toText:
	default:
		if r.name.Len() < 1<<16 {
			r.name.WriteString(text)
		}
		return nil
	}
	if r.state.hidden {
		r.out.Hidden++
		return nil
	}
	for i := range r.fields {
		if r.fields[i].page {
			return nil
		}
	}
	if r.text += len(text); r.text > document.MaxText {
		return document.ErrTooMuchText
	}
	p := &r.story().paragraph
	if r.state.chrome != document.Content {
		p.chrome = r.state.chrome
	}
	if !r.state.bold {
		p.plain += len(strings.TrimSpace(text))
	}
	if text != "\n" { // a line break
		text = clean(text)
	}
	if r.state.raised {
		text = raised(text)
	}
	p.add(text, r.line())
	return nil
}

// line returns the number of the paragraph of the body that is being read.
func (r *rtfReader) line() int { return r.count + 1 }

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
