package note

import (
	"regexp"
	"strings"

	"lacuna/handlers/position"
	"lacuna/knowledge/head"
	"lacuna/knowledge/passage"
)

// Parse reads a note. It accepts every text, whatever its bytes, in time linear in its length.
func Parse(text string, language Language) *Note {
	n := &Note{Text: text, Language: language, Lines: position.NewLines(text)}
	n.readHead()
	s := newScanner(n)
	for line := n.front; line < n.Lines.Count(); line = s.scan(line) {
		if s.joint() {
			n.joints = append(n.joints, line)
		}
	}
	s.flush()
	n.identify()
	return n
}

func newScanner(n *Note) *scanner {
	return &scanner{note: n, markup: n.Language.markup(), blankAbove: true, below: none, above: none}
}

// none is no line and no question.
const none = -1

// scanner goes once through the lines of a note. What it keeps is the context a line stands in.
type scanner struct {
	note       *Note
	markup     *markup
	fence      string                 // the characters that opened the code block we are in
	comment    bool                   // inside an HTML comment of several lines
	until      func(line string) bool // true for the last line of what we are in that is no running text; nil outside
	off        bool                   // between "lacuna: off" and "lacuna: on"
	ask        bool                   // "lacuna: ask" was read and its paragraph has not come yet
	skip       bool                   // the same of "lacuna: skip"
	inset      int                    // lines from that column on belong to what is no running text; 0 if none do
	blankAbove bool
	listIndent int      // column of the text of the list item we are in; 0 outside of lists
	run        run      // the running text being read
	piece      piece    // what the line being read adds to it; here, so that no line needs memory of its own
	below      int      // the question that a block right here would answer, or none
	number     int      // of the line being read
	first      int      // the first line of the running text of which above is the last
	above      int      // the last line of running text that is neither a list item nor a heading, or none
	styles     []string // the kinds of underlines in order of their first use, where that is what ranks headings
}

var (
	listMarker = regexp.MustCompile(`^(?:[-*+]|\d{1,9}[.)])[ \t]+`)
	checkBox   = regexp.MustCompile(`^\[[ xX]\][ \t]+`)
	heading    = regexp.MustCompile(`^#{1,6}[ \t]+`)
)

// readHead reads what the note says of itself.
func (n *Note) readHead() {
	statement, private := head.Private(n.Text, n.Language.head())
	if n.Private = private; private && !statement.Clear {
		n.Unclear = statement.Span
	}
	n.front = n.FrontMatter()
}

// FrontMatter is the number of lines, those that open and close it among them, of the block at the
// top; 0 where there is none, and in languages other than Markdown.
func (n *Note) FrontMatter() int {
	if n.Language != Markdown {
		return 0
	}
	lines, end := 0, head.FrontMatter(n.Text).End
	for lines < n.Lines.Count() && end > 0 {
		if start, _ := n.Lines.Span(lines); start >= end {
			break
		}
		lines++
	}
	return lines
}

// scan takes in one line, or one answer block, and returns the line behind it.
func (s *scanner) scan(line int) int {
	n := s.note
	s.number = line
	text, offset := n.trimmedLine(line)
	switch {
	case s.until != nil:
		if s.until(text) {
			s.until = nil
		}
	case s.inset > 0 && s.insetHolds(text, line):
	case s.fence != "":
		if strings.HasPrefix(text, s.fence) && strings.Trim(text, s.fence[:1]) == "" {
			s.fence = ""
		}
	case s.comment:
		s.comment = !strings.Contains(text, "-->")
	case text == "":
		s.flush()
		s.blankAbove = true
		return line + 1
	default:
		if identity, ok := s.markup.opens(text); ok {
			s.flush()
			return s.answer(line, identity)
		}
		s.line(text, offset)
	}
	s.blankAbove = false
	return line + 1
}

// insetHolds reports whether a line belongs to the inset. The first that does not ends it.
func (s *scanner) insetHolds(text string, line int) bool {
	start, end := s.note.Lines.Span(line)
	if text != "" && columns(s.note.Text[start:end-len(strings.TrimLeft(s.note.Text[start:end], " \t"))]) < s.inset {
		s.inset = 0
	}
	return s.inset > 0
}

// answer takes in a block and gives it to the question above it.
func (s *scanner) answer(line int, identity string) int {
	a, next := s.note.readAnswer(line, identity)
	if s.below >= 0 {
		s.note.Questions[s.below].Answer = len(s.note.Answers)
	}
	s.note.Answers = append(s.note.Answers, a)
	s.below, s.blankAbove = none, false
	return next
}

// line takes in a line of text outside of code and comments.
func (s *scanner) line(text string, offset int) {
	start, end := s.note.Lines.Span(s.number)
	line := text
	indent := columns(s.note.Text[start:offset])
	if strings.HasPrefix(text, s.markup.comment) {
		if found := s.markup.directive.FindStringSubmatch(text); found != nil {
			s.flush()
			s.leaveList(indent)
			s.direct(found[1])
			return
		}
	}
	if s.underlines(text) {
		return
	}
	if s.markup.elsewhere(s, text, indent) {
		s.flush()
		s.ask, s.skip, s.below = false, false, none
		return
	}
	if s.markup.aside != nil && strings.Contains(text, s.markup.comment) {
		text = s.markup.aside(text)
	}
	s.piece = piece{text: text, offset: offset, lines: passage.Span{Start: start, End: end}}
	p := &s.piece
	isItem, level := s.markup.strip(s, p, indent)
	if isItem || level > 0 {
		s.flush()
	} else {
		s.leaveList(indent)
		if s.above != s.number-1 || s.blankAbove {
			s.first = s.number
		}
		s.above = s.number
	}
	if level > 0 {
		s.addHeading(level, p.text, passage.Span{Start: offset, End: offset + len(line)})
	}
	s.below = none
	p.indent = s.listIndent
	s.take(*p)
	if level > 0 {
		s.flush()
	}
}

// stripPlain takes the marker of a list item off the piece and notes the item's indentation.
func (s *scanner) stripPlain(p *piece, indent int) (isItem bool, level int) {
	if !strings.ContainsRune("-*+0123456789", rune(p.text[0])) {
		return false, 0
	}
	marker := listMarker.FindString(p.text)
	if marker == "" {
		return false, 0
	}
	s.listIndent = indent + len(strings.TrimRight(marker, " \t")) + 1
	p.cut(len(marker))
	p.cut(len(checkBox.FindString(p.text)))
	return true, 0
}

// stripMarkdown does the same with the marker of a list item or heading.
func (s *scanner) stripMarkdown(p *piece, indent int) (isItem bool, level int) {
	if p.text[0] != '#' {
		return s.stripPlain(p, indent)
	}
	if marker := heading.FindString(p.text); marker != "" {
		s.listIndent = 0
		p.cut(len(marker))
		p.text = strings.TrimRight(strings.TrimRight(p.text, "#"), " \t")
		return false, strings.Count(marker, "#")
	}
	return s.stripPlain(p, indent)
}

// leaveList ends the list when a paragraph, or the directive above one, stands further left than
// the text of its last item.
func (s *scanner) leaveList(indent int) {
	if s.blankAbove && indent < s.listIndent {
		s.listIndent = 0
	}
}

// direct follows a directive.
func (s *scanner) direct(word string) {
	switch word {
	case "ask":
		s.ask = true
	case "skip":
		s.skip = true
	case "off":
		s.off = true
	case "on":
		s.off = false
	}
	s.below = none
}

// outsideMarkdown reports whether the line is no running text: code, a quotation, a table, a
// comment. It notes what lasts longer than the line.
func (s *scanner) outsideMarkdown(text string, indent int) bool {
	return s.outsidePlain(text, indent) || s.blankAbove && indent >= s.listIndent+4
}

// outsidePlain is the part of it that holds in plain text, too.
func (s *scanner) outsidePlain(text string, _ int) bool {
	switch {
	case strings.HasPrefix(text, "```") || strings.HasPrefix(text, "~~~"):
		s.fence = text[:len(text)-len(strings.TrimLeft(text, text[:1]))]
		return true
	case strings.HasPrefix(text, ">"), strings.HasPrefix(text, "|"):
		return true
	case strings.HasPrefix(text, "<!--"):
		s.comment = !strings.Contains(text, "-->")
		return s.comment || strings.HasSuffix(text, "-->")
	}
	return false
}

// columns is the width of leading white space, with tabs to the next multiple of four.
func columns(space string) int {
	width := 0
	for i := range len(space) {
		if space[i] == '\t' {
			width += 4 - width%4
		} else {
			width++
		}
	}
	return width
}
