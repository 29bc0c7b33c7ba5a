package clinical

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"lacuna/knowledge/document"
	"lacuna/knowledge/passage"
)

// role says what the narrative makes of an element. Elements without a role are inline.
type role uint8

const (
	inline  role = iota
	block        // separates what is before it, in it and after it
	section      // whose headings are one level deeper
	heading      // of the section around it
	list         // of items
	item
	tableRole
	rowRole
	cell
	caption
	footnote // stands after the block in which it is
	code     // verbatim
	term
	definition
	admonition // a block with a label of its own, such as a warning
	lineBreak
	superscript
	picture // counted
	unread  // left out
	mark    // a footnote's number, which is kept with it
)

// vocabulary maps the names of elements to their roles.
type vocabulary map[string]role

// with returns the vocabulary with more names of a role.
func (v vocabulary) with(r role, names string) vocabulary {
	for name := range strings.FieldsSeq(names) {
		v[name] = r
	}
	return v
}

// narrative writes the text below elements as blocks.
type narrative struct {
	document.Builder
	roles vocabulary
	// special handles an element before its role does; it reports whether it did. May be nil.
	special func(*node) (bool, error)

	depth   int               // open sections
	open    bool              // a block is open
	opened  passage.BlockKind // of the open block
	breaks  int               // line breaks due before the next word
	kind    passage.BlockKind // of the next block
	level   int               // of the next block
	items   int               // open lists
	notes   []*node           // footnotes due after the open block
	inNotes bool
}

// children writes what is below an element.
func (w *narrative) children(n *node) error {
	for _, c := range n.children {
		if err := w.node(c); err != nil {
			return err
		}
	}
	return nil
}

// text adds text to the open block, or to a new one of the kind that is due.
func (w *narrative) text(text string, line int) error {
	trimmed := strings.TrimLeft(text, " \t\r\n\f")
	if trimmed == "" {
		if w.open && text != "" && w.breaks == 0 {
			w.Space()
		}
		return nil
	}
	if w.breaks > 0 && w.open {
		line += strings.Count(text[:len(text)-len(trimmed)], "\n")
		text = trimmed
		switch {
		case w.opened == passage.Heading || w.opened == passage.Caption:
			w.Space()
		case w.breaks > 1 && w.opened != passage.Footnote:
			w.close()
		default:
			w.LineBreak()
		}
	}
	w.breaks = 0
	if !w.open {
		w.begin(w.kind, w.level)
		if w.kind == passage.Item {
			w.kind = passage.Paragraph // of the same item
		}
	}
	return w.Words(clean(text), line)
}

// clean returns text without what no reader sees: soft hyphens, marks of zero width and control
// characters other than white space. Other white space becomes a space, except line feeds.
func clean(text string) string {
	for i := 0; i < len(text); i++ {
		if c := text[i]; c < ' ' && c != '\n' && c != '\t' || c >= utf8.RuneSelf || c == 0x7f {
			return strings.Map(visible, text)
		}
	}
	return text
}

func visible(r rune) rune {
	switch {
	case r == '\n':
		return r
	case r == '\u00AD', r == '\u200B', r == '\uFEFF', r == '\u2060':
		return -1
	case unicode.IsSpace(r):
		return ' '
	case unicode.IsControl(r):
		return -1
	}
	return r
}

// begin ends the open block and begins another.
func (w *narrative) begin(kind passage.BlockKind, level int) {
	w.close()
	w.Begin(kind, level)
	w.open, w.opened, w.breaks = true, kind, 0
}

// close ends the open block.
func (w *narrative) close() {
	if w.open {
		w.End()
		w.open = false
	}
}

// end ends the open block and writes the footnotes that were in it.
func (w *narrative) end() error {
	w.close()
	if w.inNotes {
		return nil
	}
	w.inNotes = true
	for len(w.notes) > 0 {
		notes := w.notes
		w.notes = nil
		for _, n := range notes {
			if err := w.footnote(n); err != nil {
				return err
			}
		}
	}
	w.inNotes = false
	return nil
}

// footnote writes a footnote as one block; what is in it stays together.
func (w *narrative) footnote(n *node) error {
	kind, level := w.kind, w.level
	w.kind, w.level = passage.Footnote, 0
	w.close()
	err := w.children(n)
	w.close()
	w.kind, w.level = kind, level
	return err
}

// heading writes a heading of the open section.
func (w *narrative) heading(n *node, level int) error {
	if err := w.end(); err != nil {
		return err
	}
	w.begin(passage.Heading, max(1, level))
	err := w.children(n)
	w.close()
	return err
}

// inside writes what is below an element as blocks of a kind and level. Of an item, only the first
// block is of that kind.
func (w *narrative) inside(n *node, kind passage.BlockKind, level int) error {
	if err := w.end(); err != nil {
		return err
	}
	oldKind, oldLevel := w.kind, w.level
	w.kind, w.level = kind, level
	err := w.children(n)
	if err == nil {
		err = w.end()
	}
	if kind == oldKind && level == oldLevel {
		return err // the item around it may have begun
	}
	w.kind, w.level = oldKind, oldLevel
	return err
}

// node writes an element or a text.
func (w *narrative) node(n *node) error {
	if n.name == "" {
		return w.text(n.text, n.line)
	}
	if w.special != nil {
		if done, err := w.special(n); done || err != nil {
			return err
		}
	}
	switch w.roles[n.name] {
	case block:
		return w.inside(n, w.kind, w.level)
	case section:
		w.depth++
		err := w.inside(n, passage.Paragraph, 0)
		w.depth--
		return err
	case heading:
		return w.heading(n, w.depth)
	case list:
		w.items++
		err := w.inside(n, w.kind, w.level)
		w.items--
		return err
	case item:
		return w.inside(n, passage.Item, max(1, w.items))
	case tableRole:
		return w.table(n)
	case caption:
		return w.inside(n, passage.Caption, 0)
	case term:
		return w.inside(n, passage.Term, 0)
	case definition:
		return w.inside(n, passage.Definition, 0)
	case admonition:
		return w.inside(n, w.kind, w.level)
	case footnote:
		if w.open && !w.inNotes {
			w.notes = append(w.notes, n)
			return nil
		}
		if w.inNotes {
			return w.children(n)
		}
		return w.footnote(n)
	case code:
		return w.verbatim(n)
	case lineBreak:
		w.breaks++
	case superscript:
		return w.superscript(n)
	case picture:
		w.Omit("pictures", 0)
	case unread:
	default:
		return w.children(n)
	}
	return nil
}

// verbatim writes code as it stands.
func (w *narrative) verbatim(n *node) error {
	var b strings.Builder
	n.write(&b)
	text := strings.Trim(strings.ReplaceAll(strings.ReplaceAll(b.String(), "\r\n", "\n"), "\r", "\n"), "\n")
	if strings.TrimSpace(text) == "" {
		return nil
	}
	if !strings.Contains(text, "\n") && w.open {
		return w.children(n) // in a line
	}
	if err := w.end(); err != nil {
		return err
	}
	w.begin(passage.Code, 0)
	err := w.Verbatim(clean(text), max(n.line, lineOf(n)))
	w.close()
	return err
}

// raised are the digits and signs that Unicode has above the line.
var raised = map[rune]rune{'0': '⁰', '1': '¹', '2': '²', '3': '³', '4': '⁴', '5': '⁵', '6': '⁶', '7': '⁷', '8': '⁸', '9': '⁹', '+': '⁺', '-': '⁻', '−': '⁻', '–': '⁻', '=': '⁼', '(': '⁽', ')': '⁾'}

// superscript writes a power or the number of a note above the line, because 10⁹ is not 109. Letters
// stay on the line.
func (w *narrative) superscript(n *node) error {
	high, ok := raise(n.words())
	if !ok {
		begins := !w.open
		err := w.children(n)
		if begins && w.open {
			w.Space() // the letter of a note before its text
		}
		return err
	}
	return w.text(high, lineOf(n))
}

// raise returns a number above the line; false if the words are no number.
func raise(words string) (string, bool) {
	some := false
	high := strings.Map(func(r rune) rune {
		some = some || '0' <= r && r <= '9'
		if up, ok := raised[r]; ok {
			return up
		}
		if r == ',' || r == ' ' {
			return r
		}
		return utf8.RuneError
	}, words)
	return high, some && !strings.ContainsRune(high, utf8.RuneError)
}

// lineOf returns the line on which the first words below an element stand.
func lineOf(n *node) int {
	for _, c := range n.children {
		if c.name == "" && c != blank && strings.TrimSpace(c.text) != "" {
			before := c.text[:len(c.text)-len(strings.TrimLeft(c.text, " \t\r\n"))]
			return c.line + strings.Count(before, "\n")
		}
		if c.name != "" {
			if line := lineOf(c); line > 0 {
				return line
			}
		}
	}
	return 0
}

// codes labels what a system calls a section. It is searched with what stands below it, and not quoted.
const codes document.Chrome = "names of codes"

// introduced writes blocks, the first of which a name introduces; "" if there is none.
func (w *narrative) introduced(name string, line int, write func() error) error {
	if name == "" {
		return write()
	}
	if err := w.end(); err != nil {
		return err
	}
	w.begin(passage.Paragraph, 0)
	w.Chrome(codes)
	if err := w.Words(clean(name), line); err != nil {
		return err
	}
	w.close()
	lead := len(w.Blocks) // 1 plus the index of the name
	if err := write(); err != nil {
		return err
	}
	if lead < len(w.Blocks) && w.Blocks[lead].Lead == 0 && w.Blocks[lead].Kind != passage.Heading {
		w.Blocks[lead].Lead = lead
	}
	return nil
}

// property writes a line of what a document says about itself, as a block of its own.
func (w *narrative) property(label, value string, line int) error {
	if value = strings.TrimSpace(value); value == "" {
		return nil
	}
	if err := w.end(); err != nil {
		return err
	}
	w.begin(passage.Property, 0)
	if label != "" {
		value = label + ": " + value
	}
	err := w.Words(clean(value), line)
	w.close()
	return err
}

// label writes a heading of our own words, such as the name of a code.
func (w *narrative) label(words string, level, line int) error {
	if err := w.end(); err != nil {
		return err
	}
	w.begin(passage.Heading, max(1, level))
	err := w.Words(clean(words), line)
	w.close()
	return err
}

// finish ends the document.
func (w *narrative) finish() (document.Document, error) {
	if err := w.end(); err != nil {
		return document.Document{}, err
	}
	return w.Finish(), nil
}

// plain writes paragraphs of plain text, which blank lines separate.
func (w *narrative) plain(text string, line int) error {
	for part := range strings.SplitSeq(strings.ReplaceAll(text, "\r\n", "\n"), "\n") {
		if strings.TrimSpace(part) == "" {
			if err := w.end(); err != nil {
				return err
			}
		} else {
			if w.open {
				w.breaks = 1
			}
			if err := w.text(part, line); err != nil {
				return err
			}
		}
		line++
	}
	return w.end()
}
