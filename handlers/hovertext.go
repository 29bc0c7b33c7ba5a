package handlers

import (
	"slices"
	"strings"

	"lacuna/knowledge/passage"
	"lacuna/knowledge/plaintext"
	"lacuna/knowledge/sanitise"
)

// hoverText holds the paragraphs of a hover, which can be printed as Markdown or as plain text. All text in
// it is untrusted: the printed Markdown has no link, image, HTML, heading, or emphasis except the
// paragraph's own.
type hoverText []paragraph

type paragraph struct {
	text   string
	strong bool           // the words that matter: the cited sentence, the state of a question
	small  bool           // a remark about the rest
	item   bool           // of a list
	quoted []string       // lines of a passage, instead of text
	marks  []passage.Span // of text, to be set apart; in order, none overlap
	// label names the place that the text is from, behind it; target is its address, which may be empty.
	label, target string
}

func (p *hoverText) add(text string)    { p.append(paragraph{text: text}) }
func (p *hoverText) item(text string)   { p.append(paragraph{text: text, item: true}) }
func (p *hoverText) strong(text string) { p.append(paragraph{text: text, strong: true}) }
func (p *hoverText) small(text string)  { p.append(paragraph{text: text, small: true}) }

// quoted adds lines of a passage.
func (p *hoverText) quoted(lines []string) {
	if len(lines) > 0 {
		*p = append(*p, paragraph{quoted: lines})
	}
}

// marked adds an item of a list: a sentence in what is said around it, with spans of the sentence set apart.
func (p *hoverText) marked(around func(sentence string) string, sentence string, spans []passage.Span, label, target string) {
	text := around(sentence)
	at := strings.LastIndex(text, sentence)
	one := paragraph{text: text, item: true, label: label, target: target}
	for _, span := range slices.SortedFunc(slices.Values(spans), func(a, b passage.Span) int { return a.Start - b.Start }) {
		if end := len(one.marks); span.Len() > 0 && span.End <= len(sentence) && (end == 0 || one.marks[end-1].End <= at+span.Start) {
			one.marks = append(one.marks, passage.Span{Start: at + span.Start, End: at + span.End})
		}
	}
	p.append(one)
}

// words returns the text on one line, with its marks set apart.
func (one paragraph) words(escape func(string) string, mark string) string {
	if len(one.marks) == 0 {
		return escape(plaintext.OneLine(one.text))
	}
	var b strings.Builder
	write := func(text string) {
		words := strings.TrimSpace(text)
		before := text[:strings.Index(text, words)]
		b.WriteString(before + escape(words) + text[len(before)+len(words):])
	}
	last := 0
	for _, span := range one.marks {
		write(one.text[last:span.Start])
		b.WriteString(mark + escape(strings.TrimSpace(one.text[span.Start:span.End])) + mark)
		last = span.End
	}
	write(one.text[last:])
	return plaintext.OneLine(b.String())
}

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
		case one.quoted != nil:
			return strings.Join(mapLines(one.quoted, escapeLine), "  \n")
		case one.strong:
			return "**" + escapeMarkdown(plaintext.OneLine(one.text)) + "**"
		case one.small:
			return "*" + escapeMarkdown(plaintext.OneLine(one.text)) + "*"
		}
		return one.words(escapeMarkdown, "**") + one.from(escapeMarkdown, func(label string) string {
			return "[" + label + "](<" + one.target + ">)"
		})
	})
}

// plain prints for clients that do not; an arrow marks what is strong.
func (p hoverText) plain() string {
	return p.print(func(one paragraph) string {
		switch {
		case one.quoted != nil:
			return sanitise.Visible(strings.Join(mapLines(one.quoted, lineEndsGone), "\n"))
		case one.strong:
			return "→ " + sanitise.Visible(plaintext.OneLine(one.text))
		}
		return one.words(sanitise.Visible, "*") + one.from(sanitise.Visible, nil)
	})
}

// from returns the place behind a paragraph's text, as a link if it can be one.
func (one paragraph) from(escape func(string) string, link func(label string) string) string {
	label := escape(plaintext.OneLine(one.label))
	switch {
	case label == "":
		return ""
	case link != nil && one.target != "":
		label = link(label)
	}
	return " (" + label + ")"
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

// escapeLine escapes a line but keeps it a list item if it is one.
func escapeLine(line string) string {
	if item, ok := strings.CutPrefix(strings.TrimSpace(line), "- "); ok {
		return "- " + escapeMarkdown(plaintext.OneLine(item))
	}
	return escapeMarkdown(plaintext.OneLine(line))
}

func mapLines(texts []string, f func(string) string) []string {
	mapped := make([]string, len(texts))
	for i, text := range texts {
		mapped[i] = f(text)
	}
	return mapped
}

func lineEndsGone(line string) string { return strings.ReplaceAll(line, "\r", " ") }

func escapeMarkdown(line string) string { return sanitise.Markdown(line) }
