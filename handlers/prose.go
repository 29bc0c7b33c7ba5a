package handlers

import (
	"regexp"
	"strings"

	"lacuna/knowledge/passage"
	"lacuna/knowledge/sanitise"
)

// prose is what a hover says, as paragraphs, so that Markdown and plain text are two ways to print
// the same thing. All of its text counts as a stranger's: whatever it holds, the printed Markdown
// has no link, image, HTML, heading, or emphasis but the paragraph's own.
type prose []paragraph

type paragraph struct {
	text   string
	strong bool // the words that matter: the cited sentence, the state of a question
	small  bool // a remark about the rest
	item   bool // of a list
	quoted bool // is a passage's, whose lines are kept where they are list items or rows
}

func (p *prose) add(text string)    { p.append(paragraph{text: text}) }
func (p *prose) item(text string)   { p.append(paragraph{text: text, item: true}) }
func (p *prose) strong(text string) { p.append(paragraph{text: text, strong: true}) }
func (p *prose) small(text string)  { p.append(paragraph{text: text, small: true}) }
func (p *prose) quoted(text string) { p.append(paragraph{text: text, quoted: true}) }

// append leaves out paragraphs without text.
func (p *prose) append(one paragraph) {
	if strings.TrimSpace(one.text) != "" {
		*p = append(*p, one)
	}
}

// markdown prints for clients that render Markdown.
func (p prose) markdown() string {
	return p.print(func(one paragraph) string {
		switch {
		case one.quoted:
			return strings.Join(mapped(one.lines(), escapeLine), "  \n")
		case one.strong:
			return "**" + escapeMarkdown(oneLine(one.text)) + "**"
		case one.small:
			return "*" + escapeMarkdown(oneLine(one.text)) + "*"
		}
		return escapeMarkdown(oneLine(one.text))
	})
}

// plain prints for clients that do not. What is strong gets an arrow.
func (p prose) plain() string {
	return p.print(func(one paragraph) string {
		switch {
		case one.quoted:
			return visible(strings.Join(one.lines(), "\n"))
		case one.strong:
			return "→ " + visible(oneLine(one.text))
		}
		return visible(oneLine(one.text))
	})
}

// print joins paragraphs by blank lines, and the items of one list by line ends.
func (p prose) print(one func(paragraph) string) string {
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
		line = oneLine(line)
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

func mapped(texts []string, f func(string) string) []string {
	for i, text := range texts {
		texts[i] = f(text)
	}
	return texts
}

// Short names of package sanitise for what nearly every file here does.

func escapeMarkdown(line string) string { return sanitise.Markdown(line) }

func visible(text string) string { return sanitise.Visible(text) }

const (
	// maxSentence is the length in characters at which a model's sentence is cut, and maxWords that in
	// bytes of what is looked at: what is left out may be longer than what stays.
	maxSentence = 1500
	maxWords    = 4 * maxSentence
)

// harmless is what a model or an endpoint wrote, cut, as far as it can do nothing but be read. An address
// stays only where one of the quotes has it. What is left still has to be escaped for its place.
func harmless(text string, quotes []string) string {
	text = text[:min(len(text), maxWords)]
	return shorten(sanitise.Words(text, quotes, textLinkLeftOut), maxSentence)
}

// oneLine folds white space.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// breadcrumb leads to a passage by its title and headings; for a stored question it is the question.
func breadcrumb(p *passage.Passage) string {
	if p.Kind == passage.QA {
		return "“" + oneLine(p.Question) + "”"
	}
	parts := make([]string, 0, len(p.Headings)+1)
	for _, part := range append([]string{p.Title}, p.Headings...) {
		if part = oneLine(part); part != "" {
			parts = append(parts, part)
		}
	}
	if len(parts) == 0 {
		return p.Record
	}
	return strings.Join(parts, " › ")
}
