// Package outgoing shows requests to another machine so that a person can read them before they are sent: what
// is asked, what of their sources goes along, what was replaced, and last the bytes themselves. Editors and the
// terminal show the same page, as Markdown or without markup.
package outgoing

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"unicode/utf16"

	"lacuna/handlers/messages"
	"lacuna/knowledge/llm"
	"lacuna/knowledge/plaintext"
	"lacuna/knowledge/sanitise"
	"lacuna/prompts"
)

// content is what a request says, by its purpose. The texts are as they would be sent.
type content struct {
	instructions []string // the same for every question
	asked        []string // the question, with what the template says around it
	evidence     []string // passages, and what models made of them
	replies      []string // of a model, given back to it
}

// read takes the body of a request apart. What it cannot read is in the body all the same.
func read(r llm.Outbound) content {
	var body struct {
		Messages []struct {
			Role    string          `json:"role"`
			Content json.RawMessage `json:"content"`
		} `json:"messages"`
		Input     texts  `json:"input"` // of an embedding
		Query     string `json:"query"` // of a reranker, with its passages in one of the next two
		Documents texts  `json:"documents"`
		Texts     texts  `json:"texts"`
		Inputs    texts  `json:"inputs"` // pairs of a passage and a sentence
	}
	_ = json.Unmarshal(r.Body, &body)
	c := content{asked: body.Input, evidence: append(append(body.Documents, body.Texts...), body.Inputs...)}
	if body.Query != "" {
		c.asked = append(c.asked, body.Query)
	}
	for _, m := range body.Messages {
		var text string
		if json.Unmarshal(m.Content, &text) != nil {
			text = string(m.Content)
		}
		switch m.Role {
		case "system", "developer":
			c.instructions = append(c.instructions, text)
		case "assistant":
			c.replies = append(c.replies, text)
		default:
			for _, part := range prompts.Parts(text) {
				if part.Data {
					c.evidence = append(c.evidence, part.Text)
				} else {
					c.asked = append(c.asked, part.Text)
				}
			}
		}
	}
	return c
}

// texts reads one text, a list of texts, or lists of them.
type texts []string

// UnmarshalJSON implements json.Unmarshaler. It never fails, so that an odd field hides no other.
func (t *texts) UnmarshalJSON(raw []byte) error {
	var one string
	var list []texts
	switch {
	case json.Unmarshal(raw, &one) == nil:
		*t = texts{one}
	case json.Unmarshal(raw, &list) == nil:
		for _, more := range list {
			*t = append(*t, more...)
		}
	}
	return nil
}

var (
	// context matches the beginning of a numbered passage, as prompts writes it.
	context = regexp.MustCompile(`(?m)^\[\d+\] (?:\(background[^)\n]*\) )?(?:\(Title: ((?:[^()\n]|\([^()\n]*\))*)\))?`)
	// question matches the question in the words of a template.
	question = regexp.MustCompile(`(?s)Question:\n(.+?)(?:\n\n|$)`)
)

const (
	mostTitles    = 5   // named of the pages that passages are from
	mostQuestion  = 300 // characters of the question where it is not all there is to read
	mostTitleText = 60
)

// Summary says in a few lines, without markup, what a request holds.
func Summary(r llm.Outbound) []string {
	c := read(r)
	var lines []string
	if all := strings.Join(c.asked, "\n\n"); all != "" {
		if found := question.FindStringSubmatch(all); found != nil {
			all = found[1]
		}
		lines = append(lines, messages.OutgoingQuestion(messages.Shorten(line(all), mostQuestion)))
	}
	evidence := strings.Join(c.evidence, "\n")
	var titles []string
	seen := make(map[string]bool)
	found := context.FindAllStringSubmatch(evidence, -1)
	for _, one := range found {
		if title := line(one[1]); title != "" && !seen[title] {
			seen[title] = true
			titles = append(titles, messages.Shorten(title, mostTitleText))
		}
	}
	left := max(len(titles)-mostTitles, 0)
	return append(lines, messages.OutgoingPassages(len(found), titles[:len(titles)-left], left, evidence != ""))
}

// Page shows requests as Markdown without a title: first what they say, and below all of them the bytes. Every
// text in it is shown and none acts: it has no link, no image and no HTML, so that it reads the same in an editor
// that shows its source.
func Page(requests []llm.Outbound) string { return write(&markdown{}, requests) }

// Plain shows the same without markup, for a terminal and for editors that have no pages.
func Plain(requests []llm.Outbound) string { return write(&plain{}, requests) }

// A form is a way to write a page. What it is given is untrusted.
type form interface {
	request(title string) // begins what is said of one request
	say(line string)
	heading(title string)
	quote(texts []string)
	code(text string)
	rule() // between what reads well and the bytes
	String() string
}

func write(f form, requests []llm.Outbound) string {
	all := make([]content, len(requests))
	for i, r := range requests {
		all[i] = read(r)
		f.request(messages.RequestTitle(r))
		if r.Unencrypted {
			f.say(messages.OutgoingUnencrypted)
		}
		replaced := messages.NothingReplaced
		if r.Details != "" {
			replaced = messages.Redacted(r.Details)
		}
		f.say(replaced)
		section(f, messages.OutgoingAsked, all[i].asked)
		section(f, messages.OutgoingEvidence, all[i].evidence)
		section(f, messages.OutgoingReplies, all[i].replies)
	}
	f.rule()
	for i, r := range requests {
		if len(requests) > 1 {
			f.request(messages.RequestTitle(r))
		}
		section(f, messages.OutgoingInstructions, all[i].instructions)
		f.heading(messages.OutgoingBytes(len(r.Body)))
		f.code(exact(r.Body))
	}
	return f.String()
}

func section(f form, title string, all []string) {
	if len(all) > 0 {
		f.heading(title)
		f.quote(all)
	}
}

// exact returns the bytes of a body. What nobody sees, or what acts on a display, is written as JSON writes it by
// number, which means the same; where the body is no JSON, as its code point.
func exact(body []byte) string {
	text := string(body)
	if sanitise.Visible(text) == text || !json.Valid(body) {
		return sanitise.Visible(text)
	}
	var b strings.Builder
	for _, r := range text {
		if s := string(r); sanitise.Bare(s) == s {
			b.WriteString(s)
			continue
		}
		for _, unit := range utf16.Encode([]rune{r}) {
			fmt.Fprintf(&b, "\\u%04x", unit)
		}
	}
	return b.String()
}

// markdown writes a page as Markdown.
type markdown struct{ strings.Builder }

func (m *markdown) request(title string) {
	if m.Len() > 0 {
		m.WriteString("\n---\n\n")
	}
	fmt.Fprintf(m, "**%s**\n", escape(title))
}

func (m *markdown) say(line string) { fmt.Fprintf(m, "\n%s\n", escape(line)) }

func (m *markdown) heading(title string) { fmt.Fprintf(m, "\n## %s\n\n", escape(title)) }

// quote sets texts apart, line by line.
func (m *markdown) quote(texts []string) {
	for i, text := range texts {
		if i > 0 {
			m.WriteString("\n")
		}
		for l := range strings.Lines(text) {
			if l = escape(l); l == "" {
				m.WriteString(">\n")
			} else {
				m.WriteString("> " + l + "  \n")
			}
		}
	}
}

// code shows a text inside a fence that does not occur in it.
func (m *markdown) code(text string) {
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	m.WriteString(fence + "json\n" + text + "\n" + fence + "\n")
}

func (m *markdown) rule() { fmt.Fprintf(m, "\n# %s\n", messages.OutgoingRest) }

// plain writes a page without markup.
type plain struct{ strings.Builder }

func (p *plain) request(title string) {
	if p.Len() > 0 {
		p.WriteString("\n")
	}
	p.say(title)
}

func (p *plain) say(text string) { p.WriteString(line(text) + "\n") }

func (p *plain) heading(title string) { fmt.Fprintf(p, "\n%s:\n", line(title)) }

func (p *plain) quote(texts []string) {
	for i, text := range texts {
		if i > 0 {
			p.WriteString("\n")
		}
		for l := range strings.Lines(text) {
			p.WriteString(strings.TrimRight("  "+line(l), " ") + "\n")
		}
	}
}

func (p *plain) code(text string) { p.WriteString(sanitise.Redact(text) + "\n") }

func (p *plain) rule() { fmt.Fprintf(p, "\n%s\n", strings.ToUpper(messages.OutgoingRest)) }

func escape(text string) string { return sanitise.Markdown(plaintext.OneLine(text)) }

func line(text string) string { return sanitise.Line(text) }
