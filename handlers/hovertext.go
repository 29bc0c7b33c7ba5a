package handlers

import (
	"regexp"
	"strings"

	"lacuna/knowledge/plaintext"
	"lacuna/knowledge/sanitise"
)

// hoverText is what a hover says, as paragraphs, so that Markdown and plain text are two ways to print
// the same thing. All of its text counts as a stranger's: whatever it holds, the printed Markdown
// has no link, image, HTML, heading, or emphasis but the paragraph's own.
type hoverText []paragraph

type paragraph struct {
	text   string
	strong bool // the words that matter: the cited sentence, the state of a question
	small  bool // a remark about the rest
	item   bool // of a list
	quoted bool // is a passage's, whose lines are kept where they are list items or rows
}

func (p *hoverText) add(text string)    { p.append(paragraph{text: text}) }
func (p *hoverText) item(text string)   { p.append(paragraph{text: text, item: true}) }
func (p *hoverText) strong(text string) { p.append(paragraph{text: text, strong: true}) }
func (p *hoverText) small(text string)  { p.append(paragraph{text: text, small: true}) }
func (p *hoverText) quoted(text string) { p.append(paragraph{text: text, quoted: true}) }

// append leaves out paragraphs without text.
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

// plain prints for clients that do not. What is strong gets an arrow.
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

// lines are the lines of a passage as a reader should see them: blank ones left out, and a line
// joined to the one before it unless it is an item of a list or a row of a table.
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

// escapeLine lets an item of a list be one.
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

// Short names of package sanitise for what nearly every file here does.

func escapeMarkdown(line string) string { return sanitise.Markdown(line) }
