package office

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"unicode/utf16"

	"lacuna/knowledge/document"
	"lacuna/knowledge/ingest/archive"
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
