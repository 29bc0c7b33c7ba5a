package web

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"lacuna/knowledge/document"
	"lacuna/knowledge/passage"
)

// Part is a page of HTML that belongs to a document.
type Part struct {
	Text  string             // with line feeds
	XML   bool               // elements may end themselves
	Place func(line int) int // the place of a line of the text; nil if it is the line
	Level int                // added to the levels of headings
	// Joined says that a vertical tab of the text, which stands between words or tags, is the end of a
	// line where Place counts lines, but not in the text.
	Joined bool
	// Book says that the page is one of a book, so that no site surrounds its text.
	Book bool
}

// writer writes the blocks of a page.
type writer struct {
	*tree
	b      *document.Builder
	part   Part
	frames []frame // open elements that decide what blocks are, outermost first
	lists  []list  // open lists, outermost first
	marker string  // of a list item, before its first word
	begun  bool    // a block is open
	breaks int     // line breaks since the last word
	last   rune    // the last character written, or a space
	err    error
}

// frame is an element that decides what the blocks in it are.
type frame struct {
	at    int32
	kind  passage.BlockKind
	level int
	lead  int  // as in [document.Block]
	used  bool // a block of it has begun
}

// list is an open list.
type list struct {
	at    int32
	style string // of its numbers: 1, a, A, i or I; empty for bullets
	next  int    // number
}

// single are the kinds of blocks that no block inside them divides.
func single(k passage.BlockKind) bool {
	switch k {
	case passage.Heading, passage.Term, passage.Caption, passage.Admonition:
		return true
	}
	return false
}

func (w *writer) top() *frame { return &w.frames[len(w.frames)-1] }

func (w *writer) place(line int32) int { return w.part.Place(int(line)) }

// boundary ends the open block, or separates words where no block may end.
func (w *writer) boundary() {
	w.last = ' '
	if single(w.top().kind) {
		w.b.Space()
		return
	}
	w.b.End()
	w.begun, w.breaks = false, 0
}

// push opens a frame.
func (w *writer) push(f frame) {
	w.b.End()
	w.begun, w.breaks, w.last = false, 0, ' '
	w.frames = append(w.frames, f)
}

// text writes words.
func (w *writer) text(text string, line int32) {
	text = clean(text)
	words := strings.TrimLeft(text, space)
	if words == "" {
		if text != "" {
			w.b.Space()
			w.last = ' '
		}
		return
	}
	line += int32(strings.Count(text[:len(text)-len(words)], "\n"))
	if len(words) < len(text) {
		w.b.Space()
	}
	w.open(line)
	if w.err == nil {
		w.err = w.words(words, line)
	}
	w.last, _ = utf8.DecodeLastRuneInString(text)
	if unicode.IsSpace(w.last) {
		w.b.Space()
		w.last = ' '
	}
}

// words writes words whose lines may have places of their own.
func (w *writer) words(text string, line int32) error {
	for part := range strings.Lines(text) {
		if err := w.b.Words(strings.TrimSuffix(part, "\n"), w.place(line)); err != nil {
			return err
		}
		if strings.HasSuffix(part, "\n") {
			w.b.Space()
			line++
		}
	}
	return nil
}

// glue writes characters that belong to the word before.
func (w *writer) glue(text string, line int32) {
	if w.begun && w.err == nil {
		w.err = w.b.Words(text, w.place(line))
		w.last, _ = utf8.DecodeLastRuneInString(text)
	}
}

// open begins a block if none is open, and breaks its line if that is due.
func (w *writer) open(line int32) {
	if w.begun && w.breaks > 1 && !single(w.top().kind) {
		w.boundary()
	}
	if w.begun {
		if w.breaks > 0 {
			if single(w.top().kind) {
				w.b.Space()
			} else {
				w.b.LineBreak()
			}
		}
		w.breaks = 0
		return
	}
	f := w.top()
	kind, level := f.kind, f.level
	if kind == passage.Item && f.used {
		kind = passage.Paragraph
	}
	f.used = true
	w.b.Begin(kind, level)
	if f.lead > 0 && (kind == passage.Paragraph || kind == passage.Definition) {
		w.b.Introduce(f.lead)
	}
	w.begun, w.breaks = true, 0
	if kind == passage.Item && w.marker != "" {
		w.err = w.b.Words(w.marker, w.place(line))
		w.b.Space()
		w.marker = ""
	}
}

// raised returns a raised word as characters that stand behind another.
func raised(before rune, text string) string {
	switch strings.ToLower(text) {
	case "st", "nd", "rd", "th", "er", "re", "e", "o", "º", "ª", "®", "™", "°", "o.", "ème":
		return text
	case "tm", "(tm)":
		return "™"
	case "sm":
		return "℠"
	case "(r)":
		return "®"
	}
	var b strings.Builder
	for _, r := range text {
		i := strings.IndexRune("0123456789+-−–n()", r)
		if i < 0 {
			return "^" + text
		}
		for _, up := range []struct{ plain, raised string }{
			{"0", "⁰"}, {"1", "¹"}, {"2", "²"}, {"3", "³"}, {"4", "⁴"}, {"5", "⁵"}, {"6", "⁶"}, {"7", "⁷"}, {"8", "⁸"}, {"9", "⁹"},
			{"+", "⁺"}, {"-", "⁻"}, {"−", "⁻"}, {"–", "⁻"}, {"n", "ⁿ"}, {"(", "⁽"}, {")", "⁾"},
		} {
			if up.plain == string(r) {
				b.WriteString(up.raised)
			}
		}
	}
	return b.String()
}

const space = " \t\n\r\f"

// clean removes what is not seen from text: control characters, soft hyphens and marks where a word may be
// broken. Spaces of other widths become spaces. Line feeds stay.
func clean(text string) string {
	odd := func(r rune) bool {
		return r < ' ' && r != '\n' && r != '\t' && r != '\r' && r != '\f' || r >= 0x7F && r <= 0xA0 || r == 0xAD ||
			r >= 0x2000 && r <= 0x200B || r == 0x2028 || r == 0x2029 || r == 0x202F || r == 0x205F || r == 0x2060 || r == 0xFEFF
	}
	if strings.IndexFunc(text, odd) < 0 {
		return text
	}
	var b strings.Builder
	for i, r := range text {
		switch {
		case r == utf8.RuneError && !strings.HasPrefix(text[i:], "\uFFFD"):
			b.WriteByte(text[i]) // not UTF-8; whoever reads it will see
		case !odd(r):
			b.WriteRune(r)
		case r == 0xA0, r == 0x85, r >= 0x2000 && r <= 0x200A, r == 0x2028, r == 0x2029, r == 0x202F, r == 0x205F:
			b.WriteByte(' ')
		}
	}
	return b.String()
}
