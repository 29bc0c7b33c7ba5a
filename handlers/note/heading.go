package note

import (
	"strings"
	"unicode/utf8"

	"lacuna/knowledge/passage"
)

// Heading is a heading of a note.
type Heading struct {
	Level int          // 1 is the outermost that the language has; levels may be left out
	Text  string       // without markup, on one line; may be empty
	Span  passage.Span // of its line, or of the lines that are underlined, without the white space around them
}

// addHeading writes a heading down: the words that the piece holds.
func (s *scanner) addHeading(level int, words string, span passage.Span) {
	s.note.Headings = append(s.note.Headings, Heading{Level: level, Text: s.markup.inline(words), Span: span})
}

// underlines takes in a line that underlines the line of running text right above it, which is no
// list item, and so makes it a heading. The answer to a question there goes below this line.
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
	if below := s.below; below >= 0 && s.note.Lines.LineAt(s.note.Questions[below].lines.End) == s.above {
		_, s.note.Questions[below].lines.End = s.note.Lines.Span(s.number)
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

// underlineMarkdown needs one character only. One dash is none: it begins a list item.
func underlineMarkdown(s *scanner, _, line string) int {
	switch {
	case s.listIndent > 0:
	case strings.Trim(line, "=") == "":
		return 1
	case repeats(line, "-"):
		return 2
	}
	return 0
}

// aboutAsLong reports whether an underline is as long as its title of one line, give or take one character.
func aboutAsLong(title, line string) bool {
	by := utf8.RuneCountInString(title) - len(line)
	return -1 <= by && by <= 1
}
