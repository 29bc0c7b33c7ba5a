package handlers

import (
	"regexp"
	"strings"

	"lacuna/knowledge/plaintext"
	"lacuna/knowledge/sanitise"
)

// hoverText holds the paragraphs of a hover, which can be printed as Markdown or as plain text. All text in
// it is untrusted: the printed Markdown has no link, image, HTML, heading, or emphasis except the
// paragraph's own.
type hoverText []paragraph

type paragraph struct {
	text   string
	strong bool // the words that matter: the cited sentence, the state of a question
	small  bool // a remark about the rest
	item   bool // of a list
	quoted bool // from a passage; list items and table rows stay on lines of their own
}

func (p *hoverText) add(text string)    { p.append(paragraph{text: text}) }
func (p *hoverText) item(text string)   { p.append(paragraph{text: text, item: true}) }
func (p *hoverText) strong(text string) { p.append(paragraph{text: text, strong: true}) }
func (p *hoverText) small(text string)  { p.append(paragraph{text: text, small: true}) }
func (p *hoverText) quoted(text string) { p.append(paragraph{text: text, quoted: true}) }

// append adds a paragraph, unless it is empty.
func (p *hoverText) append(one paragraph) {
	if strings.TrimSpace(one.text) != "" {
		*p = append(*p, one)
	}
}

// markdown prints for clients that render Markdown.
func (p hoverText) markdown() string {
	return p.print(func(one paragraph) string {
		switch {
		case one.quoted:
			return strings.Join(mapLines(one.lines(), escapeLine), "  \n")
		case one.strong:
			return "**" + escapeMarkdown(plaintext.OneLine(one.text)) + "**"
		case one.small:
			return "*" + escapeMarkdown(plaintext.OneLine(one.text)) + "*"
		}
		return escapeMarkdown(plaintext.OneLine(one.text))
	})
}

// plain prints for clients that do not; an arrow marks what is strong.
func (p hoverText) plain() string {
	return p.print(func(one paragraph) string {
		switch {
		case one.quoted:
			return sanitise.Visible(strings.Join(one.lines(), "\n"))
		case one.strong:
			return "→ " + sanitise.Visible(plaintext.OneLine(one.text))
		}
		return sanitise.Visible(plaintext.OneLine(one.text))
	})
}

// print joins paragraphs by blank lines, and the items of one list by line ends.
func (p hoverText) print(one func(paragraph) string) string {
	var b strings.Builder
	for i, next := range p {
		switch {
		case i == 0:
		case next.item && p[i-1].item:
			b.WriteString("\n")
		default:
			b.WriteString("\n\n")
		}
		if next.item {
			b.WriteString("- ")
		}
		b.WriteString(one(next))
	}
	return b.String()
}

// lines returns the lines of a passage as they should be shown: without blank lines, and with a line joined
// to the previous one unless either is a list item or a table row.
func (p paragraph) lines() []string {
	var pieces [][]string // of each line, what it is joined from
	for line := range strings.Lines(strings.ReplaceAll(p.text, "\r", "\n")) {
		line = plaintext.OneLine(line)
		last := len(pieces) - 1
		switch {
		case line == "":
		case last >= 0 && !ownLine.MatchString(line) && !ownLine.MatchString(pieces[last][0]):
			pieces[last] = append(pieces[last], line)
		default:
			pieces = append(pieces, []string{line})
		}
	}
	lines := make([]string, len(pieces))
	for i, joined := range pieces {
		lines[i] = strings.Join(joined, " ")
	}
	return lines
}

var ownLine = regexp.MustCompile(`^(?:[-*+•|#>]|\d{1,9}[.)] )`)

// escapeLine escapes a line but keeps it a list item if it is one.
func escapeLine(line string) string {
	if item, ok := strings.CutPrefix(line, "- "); ok {
		return "- " + escapeMarkdown(item)
	}
	return escapeMarkdown(line)
}

func mapLines(texts []string, f func(string) string) []string {
	for i, text := range texts {
		texts[i] = f(text)
	}
	return texts
}

func escapeMarkdown(line string) string { return sanitise.Markdown(line) }
