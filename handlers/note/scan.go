package note

import (
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"lacuna/handlers/note/sense"
	"lacuna/knowledge/head"
	"lacuna/knowledge/passage"
)

// none stands for no line and for no question.
const none = -1

// scanner goes once through the lines of a note and keeps the context of the current line.
type scanner struct {
	note        *Note
	markup      *markup
	fence       string                 // the characters that opened the code block we are in
	comment     bool                   // inside an HTML comment of several lines
	isLastLine  func(line string) bool // reports the end of a block that is not running text; nil outside of one
	off         bool                   // between "lacuna: off" and "lacuna: on"
	ask         bool                   // "lacuna: ask" was read and its paragraph has not come yet
	skip        bool                   // the same for "lacuna: skip"
	insetColumn int                    // lines indented to this column are not running text; 0 if none
	blankAbove  bool
	listIndent  int      // column of the text of the current list item; 0 outside of lists
	run         run      // the running text being read
	piece       piece    // what the current line adds to run; a field so that lines allocate nothing
	below       int      // the question that a block on the current line would answer, or none
	group       int      // the first of the questions that end on one line with the one below
	keep        int      // the last line that belongs to the question above it, or none
	heads       bool     // the current line is a heading
	box         byte     // '|' in a table, '>' in a callout, else 0
	boxed       int      // the first question of the box, or none
	number      int      // of the current line
	first       int      // the first line of the running text of which above is the last
	above       int      // the last line of running text that is neither a list item nor a heading, or none
	options     int      // the last line of options that belong to the question above, or none
	looked      int      // the last line that was read ahead, in search of options
	styles      []string // kinds of underlines in order of first use, in languages that rank headings by it
}

// scan reads one line, or one answer block, and returns the line behind it.
func (s *scanner) scan(line int) int {
	n := s.note
	s.number = line
	if line <= s.options { // they are part of the question
		s.blankAbove, s.above = false, none
		return line + 1
	}
	text, offset := n.trimmedLine(line)
	switch {
	case s.isLastLine != nil:
		if s.isLastLine(text) {
			s.isLastLine = nil
		}
	case s.insetColumn > 0 && s.insetHolds(text, line):
	case s.fence != "":
		if strings.HasPrefix(text, s.fence) && strings.Trim(text, s.fence[:1]) == "" {
			s.fence = ""
		}
	case s.comment:
		s.comment = !strings.Contains(text, "-->")
	case text == "":
		s.flush()
		s.box = 0
		s.blankAbove = true
		return line + 1
	default:
		if identity, ok := s.markup.opens(text); ok {
			s.flush()
			return s.answer(line, identity)
		}
		if s.run.explicit && len(s.run.pieces) > 0 && s.beginsOptions(line) {
			s.flush()
			return s.scan(line)
		}
		s.line(text, offset)
	}
	s.blankAbove = false
	return line + 1
}

// insetHolds reports whether a line belongs to the inset. The first line that does not ends it.
func (s *scanner) insetHolds(text string, line int) bool {
	start, end := s.note.Lines.Span(line)
	if text != "" && head.Columns(s.note.Text[start:end-len(strings.TrimLeft(s.note.Text[start:end], " \t"))]) < s.insetColumn {
		s.insetColumn = 0
	}
	return s.insetColumn > 0
}

// answer reads a block and assigns it to the question above it.
func (s *scanner) answer(line int, identity string) int {
	a, next, looked := s.note.readAnswer(line, identity)
	s.looked = max(s.looked, looked)
	if s.below >= 0 {
		s.note.candidates[s.answered(identity)].Answer = len(s.note.Answers)
	}
	s.note.Answers = append(s.note.Answers, a)
	s.blankAbove = false
	if s.below < 0 || !slices.ContainsFunc(s.note.candidates[s.group:s.below+1], func(q Question) bool { return q.Answer < 0 }) {
		s.below = none
	}
	return next
}

// answered returns which question a block with an identity below a group of them answers: the one with that
// identity, or else the last that has no answer yet.
func (s *scanner) answered(identity string) int {
	root, _, _ := strings.Cut(identity, "-")
	last := s.below
	for i := s.below; i >= s.group; i-- {
		q := &s.note.candidates[i]
		switch {
		case q.Answer >= 0:
		case s.below == s.group || rootOf(q.Asked()) == QuestionID(root):
			return i
		case s.note.candidates[last].Answer >= 0:
			last = i
		}
	}
	return last
}

// line reads a line of text outside of code and comments.
func (s *scanner) line(text string, offset int) {
	start, end := s.note.Lines.Span(s.number)
	line := text
	indent := head.Columns(s.note.Text[start:offset])
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
	if s.leaveBox(text); s.markup.isOutside(s, text, indent) {
		s.flush()
		s.ask = false
		s.dropBelow()
		s.outside(text, offset)
		s.skip = false
		return
	}
	aside := ""
	if s.markup.stripComment != nil && strings.Contains(text, s.markup.comment) {
		text = s.markup.stripComment(text)
		aside = line[len(text):]
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
	if level == 0 && p.text != "" {
		s.note.addRunning(passage.Span{Start: p.offset, End: p.offset + len(p.text)}, !isItem && !s.blankAbove)
	}
	s.dropBelow()
	p.indent, p.form = s.listIndent, s.formOf(line, isItem, level)
	s.heads = level > 0
	s.take(*p)
	if level > 0 {
		s.flush()
	}
	s.heads = false
	if aside != "" {
		s.aside(aside, offset+len(text))
	}
}

// dropBelow says that a block on the next line answers no question above, unless the current line belongs to it.
func (s *scanner) dropBelow() {
	if s.number > s.keep {
		s.below, s.keep = none, none
	}
}

// addRunning adds a line of running text, which may go on with the paragraph of the line before.
func (n *Note) addRunning(span passage.Span, continues bool) {
	n.running = append(n.running, runningLine{span, continues && len(n.running) > 0 && n.Lines.LineAt(span.Start) == n.Lines.LineAt(n.running[len(n.running)-1].Start)+1})
}

// dropRunning takes back the lines from an offset on: an underline made a heading of them.
func (n *Note) dropRunning(from int) {
	for len(n.running) > 0 && n.running[len(n.running)-1].Start >= from {
		n.running = n.running[:len(n.running)-1]
	}
}

// leaveList ends the list if a paragraph, or the directive above one, is indented less than the text of
// the last item.
func (s *scanner) leaveList(indent int) {
	if s.blankAbove && indent < s.listIndent {
		s.listIndent = 0
	}
}

// direct obeys a directive.
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
	s.dropBelow()
}

// addHeading adds a heading to the note.
func (s *scanner) addHeading(level int, words string, span passage.Span) {
	s.note.Headings = append(s.note.Headings, Heading{Level: level, Text: s.markup.inline(words), Span: span})
}

// underlines reports whether a line makes a heading of the running text right above it, and if so adds
// the heading. The answer to a question there goes below this line.
func (s *scanner) underlines(text string) bool {
	if s.markup.underline == nil || s.above != s.number-1 || s.blankAbove || text[0] >= utf8.RuneSelf || isLetterOrDigit(rune(text[0])) {
		return false // nearly every line leaves here
	}
	_, start := s.note.trimmedLine(s.first)
	last, end := s.note.trimmedLine(s.above)
	span := passage.Span{Start: start, End: end + len(last)}
	title := s.note.Text[span.Start:span.End]
	level := s.markup.underline(s, title, text)
	if level == 0 {
		return false
	}
	s.addHeading(level, title, span)
	s.note.dropRunning(span.Start)
	if below := s.below; below >= 0 && s.note.Lines.LineAt(s.note.candidates[below].lines.End) == s.above {
		for i := s.group; i <= below; i++ {
			q := &s.note.candidates[i]
			_, q.lines.End = s.note.Lines.Span(s.number)
			q.heading, q.form = true, sense.Heading
		}
		s.giveOptions(&s.note.candidates[below], s.optionsBelow(s.number+1))
	} else {
		s.below = -1
	}
	s.flush()
	s.above = none
	return true
}

// repeats reports whether a line is one character of the set, at least twice.
func repeats(line, set string) bool {
	return len(line) > 1 && strings.IndexByte(set, line[0]) >= 0 && strings.Trim(line, line[:1]) == ""
}

// aboutAsLong reports whether an underline is as long as its one-line title, give or take one character.
func aboutAsLong(title, line string) bool {
	by := utf8.RuneCountInString(title) - len(line)
	return -1 <= by && by <= 1
}

var (
	tickedBox = regexp.MustCompile(`^(?:[-*+]|\d{1,9}[.)])[ \t]+\[[xX]\][ \t]`)
	doneWord  = regexp.MustCompile(`^[*\-+ \t]*(?:DONE|CANC|CANCELLED|CANCELED)[ \t]`)
	openTask  = regexp.MustCompile(`^(?:(?:[-*+]|\d{1,9}[.)]|\*+)[ \t]+)?(?:\[[ ?/>]\]|TODO\b|NEXT\b|WAIT(?:ING)?\b|☐|□)`)
)

// formOf says where a line of running text stands.
func (s *scanner) formOf(line string, isItem bool, level int) sense.Form {
	switch {
	case tickedBox.MatchString(line), doneWord.MatchString(line):
		return sense.Done
	case openTask.MatchString(line):
		return sense.Task
	case level > 0:
		return sense.Heading
	case isItem, s.listIndent > 0:
		return sense.Item
	}
	return sense.Paragraph
}
