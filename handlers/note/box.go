package note

import (
	"strings"

	"lacuna/handlers/note/sense"
	"lacuna/knowledge/passage"
)

// A box is a table or a callout: lines that all begin with a bar or an angle bracket and into which no answer can be
// written. Questions in it are answered below it.

func (s *scanner) inBox() bool { return s.box != 0 }

// leaveBox ends the box above a line that is not in it.
func (s *scanner) leaveBox(text string) {
	if s.box != 0 && text[0] != s.box {
		s.box = 0
	}
}

// outside reads a line that is no running text: rows of tables, callouts and comments hold questions as well.
func (s *scanner) outside(text string, offset int) {
	switch {
	case s.fence != "" || s.isLastLine != nil || s.comment:
	case text[0] == '|' && s.note.Language != RST:
		s.boxLine('|', text, offset)
	case text[0] == '>' && s.note.Language == Markdown:
		inner := strings.TrimLeft(text, "> \t")
		if title := calloutTitle.FindString(inner); title != "" && s.box == 0 {
			s.enterBox('>')
		}
		if s.box == '>' {
			s.boxLine('>', text, offset)
		}
	case strings.HasPrefix(text, "<!--") && strings.HasSuffix(text, "-->"), s.note.Language == Latex && text[0] == '%':
		s.aside(text, offset)
	case s.note.Language == RST && !s.goesOnBelow():
		if remark := restRemark.FindStringSubmatchIndex(text); remark != nil {
			s.askIn(sense.Comment, text[remark[2]:], offset+remark[2], s.lines())
		}
	}
}

func (s *scanner) enterBox(kind byte) { s.box, s.boxed = kind, len(s.note.candidates) }

// boxLine adds the questions on a line of a box, and moves the place of the answers below it.
func (s *scanner) boxLine(kind byte, text string, offset int) {
	if s.box == 0 {
		s.enterBox(kind)
	}
	form := sense.Cell
	if kind == '>' {
		form = sense.Callout
	}
	lines := s.lines()
	if !s.off && !s.headsTable(text) {
		for _, cell := range cells(kind, text) {
			s.askIn(form, text[cell.Start:cell.End], offset+cell.Start, lines)
		}
	}
	if s.boxed >= len(s.note.candidates) {
		return
	}
	for i := s.boxed; i < len(s.note.candidates); i++ {
		s.note.candidates[i].lines.End = lines.End
	}
	s.group, s.below = s.boxed, len(s.note.candidates)-1
}

// headsTable reports whether a row is the head of its table.
func (s *scanner) headsTable(text string) bool {
	if text[0] != '|' || s.number+1 >= s.note.Lines.Count() {
		return false
	}
	s.looked = max(s.looked, s.number+1)
	below, _ := s.note.trimmedLine(s.number + 1)
	return tableRule.MatchString(below)
}

// cells returns the cells of a row, or the words of a line of a callout.
func cells(kind byte, text string) []passage.Span {
	if kind == '>' {
		words := strings.TrimLeft(text, "> \t")
		words = words[len(calloutTitle.FindString(words)):]
		words = words[len(listMarker.FindString(words)):]
		words = words[len(checkBox.FindString(words)):]
		return []passage.Span{{Start: len(text) - len(words), End: len(text)}}
	}
	var found []passage.Span
	from := 1
	for at := 1; at <= len(text); at++ {
		if at == len(text) || text[at] == '|' && text[at-1] != '\\' {
			if at > from {
				found = append(found, passage.Span{Start: from, End: at})
			}
			from = at + 1
		}
	}
	return found
}

// aside adds the questions of a comment on one line.
func (s *scanner) aside(text string, offset int) {
	inner := strings.TrimLeft(strings.TrimPrefix(strings.TrimLeft(text, " \t"), s.markup.comment), " \t-")
	from := len(text) - len(inner)
	inner = strings.TrimRight(inner, " \t>-")
	s.askIn(sense.Comment, inner, offset+from, s.lines())
}

// goesOnBelow reports whether the next line is indented, as the rest of a comment is.
func (s *scanner) goesOnBelow() bool {
	if s.number+1 >= s.note.Lines.Count() {
		return false
	}
	s.looked = max(s.looked, s.number+1)
	text, indent := s.note.lineText(s.number + 1)
	return text != "" && indent > 0
}

// lines returns the span of the current line.
func (s *scanner) lines() passage.Span {
	start, end := s.note.Lines.Span(s.number)
	return passage.Span{Start: start, End: end}
}

// askIn adds the questions of a text that no other line continues.
func (s *scanner) askIn(form sense.Form, text string, offset int, lines passage.Span) {
	if s.off || s.skip {
		return
	}
	add := func(span passage.Span, unmarked bool) {
		words := s.markup.inline(text[span.Start:span.End])
		if strings.IndexFunc(words, isLetterOrDigit) < 0 {
			return
		}
		q := Question{
			Text: words, Span: passage.Span{Start: offset + span.Start, End: offset + span.End}, Answer: -1,
			lines: lines, indent: strings.Repeat(" ", s.listIndent), form: form, unmarked: unmarked,
		}
		if form == sense.Callout && openBox.MatchString(s.note.Text[lines.Start:q.Span.Start]) {
			q.form = sense.Task
		}
		s.addQuestion(q)
	}
	from := 0
	tell := func(end int) {
		if form == sense.Callout && doneBox.MatchString(s.note.Text[lines.Start:offset]) {
			return
		}
		for _, span := range sense.Sentences(text[from:end]) {
			if span = (passage.Span{Start: from + span.Start, End: from + span.End}); sense.MayAsk(text[span.Start:span.End]) {
				add(span, true)
			}
		}
	}
	for _, span := range sense.Asking(text, s.markup.trail) {
		tell(span.Start)
		add(span, false)
		from = span.End
	}
	tell(len(text))
}
