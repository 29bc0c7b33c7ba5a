// Package outgoing shows a request to another machine so that a person can read it before it is sent: what
// is asked, what of their sources goes along, what was replaced, and last the bytes themselves.
package outgoing

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

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

// Page shows requests as Markdown without a title. Every text in it is shown and none acts: it has no link,
// no image, and no HTML but that which folds the long parts.
func Page(requests []llm.Outbound) string {
	var b strings.Builder
	for i, r := range requests {
		if i > 0 {
			b.WriteString("\n---\n\n")
		}
		c := read(r)
		fmt.Fprintf(&b, "**%s**\n", escape(messages.RequestTitle(r)))
		if r.Unencrypted {
			fmt.Fprintf(&b, "\n%s\n", escape(messages.OutgoingUnencrypted))
		}
		replaced := messages.NothingReplaced
		if r.Details != "" {
			replaced = messages.Redacted(r.Details)
		}
		fmt.Fprintf(&b, "\n%s\n", escape(replaced))
		section(&b, messages.OutgoingAsked, c.asked)
		section(&b, messages.OutgoingEvidence, c.evidence)
		section(&b, messages.OutgoingReplies, c.replies)
		fmt.Fprintf(&b, "\n## %s\n", messages.OutgoingRest)
		if len(c.instructions) > 0 {
			fold(&b, messages.OutgoingInstructions, quoted(c.instructions))
		}
		fold(&b, messages.OutgoingBytes(len(r.Body)), fenced(r.Body))
	}
	return b.String()
}

func section(b *strings.Builder, title string, all []string) {
	if len(all) > 0 {
		fmt.Fprintf(b, "\n## %s\n\n%s", title, quoted(all))
	}
}

// fold writes what is shown when its title is clicked.
func fold(b *strings.Builder, title, markdown string) {
	fmt.Fprintf(b, "\n<details>\n<summary>%s</summary>\n\n%s\n</details>\n", escape(title), markdown)
}

// quoted sets texts apart, line by line.
func quoted(all []string) string {
	var b strings.Builder
	for i, text := range all {
		if i > 0 {
			b.WriteString("\n")
		}
		for l := range strings.Lines(text) {
			if l = escape(l); l == "" {
				b.WriteString(">\n")
			} else {
				b.WriteString("> " + l + "  \n")
			}
		}
	}
	return b.String()
}

// fenced shows a body inside a fence that does not occur in it; JSON is indented.
func fenced(body []byte) string {
	var indented bytes.Buffer
	text := string(body)
	if json.Indent(&indented, body, "", "  ") == nil {
		text = indented.String()
	}
	text = sanitise.Visible(text)
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	return fence + "json\n" + text + "\n" + fence + "\n"
}

func escape(text string) string { return sanitise.Markdown(plaintext.OneLine(text)) }

func line(text string) string { return sanitise.Line(text) }

// Plain shows requests as text without markup, for editors that have no pages.
func Plain(requests []llm.Outbound) string {
	var b strings.Builder
	for i, r := range requests {
		if i > 0 {
			b.WriteString("\n")
		}
		lines := append([]string{messages.RequestTitle(r)}, Summary(r)...)
		if r.Details != "" {
			lines = append(lines, messages.Redacted(r.Details))
		}
		fmt.Fprintf(&b, "%s\n\n%s\n", sanitise.Visible(strings.Join(lines, "\n")), sanitise.Visible(string(r.Body)))
	}
	return b.String()
}
