package note

import (
	"strings"

	"lacuna/knowledge/passage"
)

// Heading is a heading of a note.
type Heading struct {
	Level int          // 1 is the outermost
	Text  string       // without markup, on one line; may be empty
	Span  passage.Span // of its line, without the white space around it
}

// Headings returns the headings of a Markdown note that begin with number signs, in order. Those in
// code, comments, front matter and answers are none. Other languages have none.
func (n *Note) Headings() []Heading {
	if n.Language != Markdown {
		return nil
	}
	var headings []Heading
	fence, comment := "", false
	answers := n.Answers
	for line := (&scanner{note: n}).frontMatter(); line < n.Lines.Count(); line++ {
		text, offset := n.trimmedLine(line)
		for len(answers) > 0 && answers[0].Span.End < offset {
			answers = answers[1:]
		}
		switch {
		case len(answers) > 0 && answers[0].Span.Start <= offset:
		case fence != "":
			if strings.HasPrefix(text, fence) && strings.Trim(text, fence[:1]) == "" {
				fence = ""
			}
		case comment:
			comment = !strings.Contains(text, "-->")
		case strings.HasPrefix(text, "```") || strings.HasPrefix(text, "~~~"):
			fence = text[:len(text)-len(strings.TrimLeft(text, text[:1]))]
		case strings.HasPrefix(text, "<!--"):
			comment = !strings.Contains(text, "-->")
		case text != "" && text[0] == '#':
			if h, ok := readHeading(text); ok {
				h.Span = passage.Span{Start: offset, End: offset + len(text)}
				headings = append(headings, h)
			}
		}
	}
	return headings
}

func readHeading(line string) (Heading, bool) {
	marker := heading.FindString(line)
	if marker == "" {
		return Heading{}, false
	}
	words := strings.TrimRight(strings.TrimRight(line[len(marker):], "#"), " \t")
	return Heading{Level: strings.Count(marker, "#"), Text: plainText(words)}, true
}
