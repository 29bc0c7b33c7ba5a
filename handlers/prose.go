package handlers

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"

	"lacuna/knowledge/passage"
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

// What Markdown, with the extensions of GitHub that editors know, could take for markup. Some
// editors show the backslashes, so there are none where nothing can go wrong: "< 30", "Dose: 5 mg".
var (
	activeAnywhere = regexp.MustCompile("[\\\\`*_~\\[\\]|]|<[A-Za-z/!?]|&#?[0-9A-Za-z]{1,32};|://")
	activeAddress  = regexp.MustCompile(`(?i)\b(?:www\.|(?:mailto|xmpp):)|[0-9a-z]@`)
	activeAtStart  = regexp.MustCompile(`^(?:#{1,6}(?:\s|$)|>|[-+](?:\s|$)|=+\s*$|-[-\s]*$|\d{1,9}[.)](?:\s|$))`)
)

// escapeMarkdown makes one line of Markdown that shows the text as it is. A bare address is kept
// from becoming a link, because a click in a hover must never lead out of the user's files.
func escapeMarkdown(line string) string {
	line = activeAnywhere.ReplaceAllString(visible(line), `\$0`)
	line = activeAddress.ReplaceAllStringFunc(line, func(address string) string {
		last := len(address) - 1
		return address[:last] + `\` + address[last:]
	})
	marker := strings.TrimRight(activeAtStart.FindString(line), " \t")
	if marker == "" {
		return line
	}
	return marker[:len(marker)-1] + `\` + line[len(marker)-1:]
}

// visible replaces what can change the meaning of a text without being seen (controls, characters
// without width, characters that turn the direction of writing, tags) by its name. White space
// stays, and so do joiners and soft hyphens, which words need.
func visible(s string) string {
	if strings.IndexFunc(s, invisible) < 0 {
		return strings.ToValidUTF8(s, "\ufffd")
	}
	var b strings.Builder
	for _, r := range strings.ToValidUTF8(s, "\ufffd") {
		if invisible(r) {
			fmt.Fprintf(&b, "⟨U+%04X⟩", r)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

func invisible(r rune) bool {
	switch r {
	case 0x00AD, 0x200C, 0x200D: // a soft hyphen and the joiners
		return false
	}
	return unicode.In(r, unicode.Cc, unicode.Cf) && !unicode.IsSpace(r)
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
