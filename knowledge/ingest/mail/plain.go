package mail

import (
	"regexp"
	"strings"
	"unicode"

	"lacuna/knowledge/document"
	"lacuna/knowledge/passage"
)

// plain writes text without markup.
type plain struct {
	b      *document.Builder
	flowed bool // a line that ends with a space goes on in the next
	tight  bool // without that space
}

// row is a line of the text.
type row struct {
	text string // with its joints
	line int
}

var (
	attribution = regexp.MustCompile(`(?i)\b(?:wrote|schrieb|écrit|escribió|scrisse|skrev|schreef|написал\(?а?\)?)\b.{0,60}:\s*$|写道[：:]\s*$`)
	original    = regexp.MustCompile(`(?i)^\s*-{2,}\s*(?:original message|ursprüngliche nachricht|message d'origine|mensaje original|original appointment)\s*-{2,}\s*$`)
	quotedHead  = regexp.MustCompile(`(?i)^\s*\*?(?:from|von|de|da)\s*:\*?\s+\S`)
	sentHead    = regexp.MustCompile(`(?i)^\s*\*?(?:sent|date|gesendet|datum|envoyé|enviado|to|an|à|subject|betreff)\s*:`)
	rule        = regexp.MustCompile(`^\s*(?:_{20,}|-{40,}|={40,}|~{30,})\s*$`)
	item        = regexp.MustCompile(`^(\s*)(?:[-*+•·o–]|\(?(?:\d{1,3}|[a-zA-Z])[.)])\s+\S`)
	armour      = regexp.MustCompile(`^-----BEGIN PGP (SIGNED MESSAGE|SIGNATURE|MESSAGE|PUBLIC KEY BLOCK)-----\s*$`)
)

// write writes the paragraphs of a text that begins on a line.
func (p *plain) write(d decoded, line int) error {
	var rows []row
	for text := range strings.Lines(d.text) {
		shown := strings.TrimSuffix(text, "\n")
		if strings.HasPrefix(shown, ">From ") { // as mailboxes write it
			shown = shown[1:]
		}
		rows = append(rows, row{shown, line})
		if !d.fixed {
			line += 1 + strings.Count(text, joint)
		}
	}
	labels := p.label(rows)
	for i := 0; i < len(rows); {
		end := i + 1
		for end < len(rows) && labels[end] == labels[i] {
			end++
		}
		var err error
		switch {
		case labels[i] == omitted:
		case labels[i] != document.Content:
			err = p.chrome(rows[i:end], labels[i])
		default:
			err = p.content(rows[i:end])
		}
		if err != nil {
			return err
		}
		i = end
	}
	p.b.End()
	return nil
}

const omitted document.Chrome = "-"

// quoted reports whether a line is quoted.
func quoted(text string) bool {
	text = strings.TrimLeft(text, " ")
	return strings.HasPrefix(text, ">") || strings.HasPrefix(text, "&gt;")
}

// label finds the lines that are quotations and signatures.
func (p *plain) label(rows []row) []document.Chrome {
	labels := make([]document.Chrome, len(rows))
	own, others := 0, 0
	for i, r := range rows {
		if quoted(r.text) {
			labels[i] = document.Quoted
			others += len(strings.Fields(r.text))
		} else {
			own += len(strings.Fields(r.text))
		}
	}
	if own < 4 && others > 20 {
		clear(labels) // all of the message is what it quotes
	}
	// What introduces a quotation belongs to it, and blank lines inside it.
	for i := range rows {
		if labels[i] != document.Quoted {
			continue
		}
		for k := i - 1; k >= max(0, i-4) && labels[k] == document.Content; k-- {
			if strings.TrimSpace(rows[k].text) == "" {
				continue
			}
			if attribution.MatchString(rows[k].text) {
				for n := k; n < i; n++ {
					labels[n] = document.Quoted
				}
				for n := k - 1; n >= max(0, k-2) && strings.TrimSpace(rows[n].text) != "" && labels[n] == document.Content; n-- {
					if strings.HasPrefix(rows[n].text, "On ") || strings.HasPrefix(rows[n].text, "Am ") || strings.HasPrefix(rows[n].text, "Le ") {
						for m := n; m < k; m++ {
							labels[m] = document.Quoted
						}
					}
				}
			}
			break
		}
	}
	words := 0 // of content so far
	for i := 0; i < len(rows); i++ {
		text := strings.ReplaceAll(rows[i].text, joint, "")
		if labels[i] != document.Content {
			continue
		}
		tail := rows[i:]
		switch {
		case armour.MatchString(text):
			switch kind := armour.FindStringSubmatch(text)[1]; kind {
			case "SIGNED MESSAGE":
				for k := i; k < len(rows) && strings.TrimSpace(rows[k].text) != ""; k++ {
					labels[k] = omitted
				}
			default:
				for k := i; k < len(rows); k++ {
					last := strings.HasPrefix(rows[k].text, "-----END PGP")
					labels[k] = omitted
					if last {
						break
					}
				}
				p.b.Omit("signatures", 0)
			}
		case words > 3 && (original.MatchString(text) || quotedHead.MatchString(text) && len(tail) > 2 && (sentHead.MatchString(tail[1].text) || sentHead.MatchString(tail[2].text))):
			for k := i; k < len(rows); k++ {
				labels[k] = document.Quoted
			}
		case text == "-- " || strings.TrimRight(text, " ") == "--":
			if filled(tail) <= 14 {
				for k := i; k < len(rows) && labels[k] == document.Content; k++ {
					labels[k] = document.Signature
				}
			}
		case rule.MatchString(text) && words > 0 && filled(tail) <= 7:
			for k := i; k < len(rows); k++ {
				labels[k] = document.Signature
			}
		}
		words += len(strings.Fields(text))
	}
	// Blank lines go with what is before them.
	for i := 1; i < len(rows); i++ {
		if strings.TrimSpace(rows[i].text) == "" && labels[i-1] != omitted {
			labels[i] = labels[i-1]
		}
	}
	return labels
}

// filled counts the lines that are not blank, up to 20.
func filled(rows []row) int {
	n := 0
	for _, r := range rows {
		if n == 20 {
			break
		}
		if strings.TrimSpace(r.text) != "" {
			n++
		}
	}
	return n
}

// chrome writes lines as one block.
func (p *plain) chrome(rows []row, label document.Chrome) error {
	p.b.Begin(passage.Paragraph, 0)
	p.b.Chrome(label)
	for _, r := range rows {
		if err := p.words(r, strings.TrimLeft(r.text, "> ")); err != nil {
			return err
		}
	}
	p.b.End()
	return nil
}

// words writes words of a line.
func (p *plain) words(r row, text string) error {
	line := r.line
	for i, part := range strings.Split(text, joint) {
		if i > 0 {
			line++
		}
		if err := p.b.Words(visible(part), line); err != nil {
			return err
		}
	}
	p.b.Space()
	return nil
}

// visible returns text without control characters and the like.
func visible(text string) string {
	odd := func(r rune) bool {
		return unicode.IsControl(r) && r != '\t' || r == 0xAD || r == 0x200B || r == 0xFEFF || r == 0xA0 || r == 0x2028
	}
	if strings.IndexFunc(text, odd) < 0 {
		return text
	}
	return strings.Map(func(r rune) rune {
		switch {
		case r == 0xA0, r == 0x2028, r == '\f':
			return ' '
		case odd(r):
			return -1
		}
		return r
	}, text)
}

// content writes paragraphs, items of lists, and what is set as it stands.
func (p *plain) content(rows []row) error {
	for i := 0; i < len(rows); {
		if strings.TrimSpace(rows[i].text) == "" || rule.MatchString(rows[i].text) {
			i++
			continue
		}
		end := i + 1
		for end < len(rows) && strings.TrimSpace(rows[end].text) != "" && !rule.MatchString(rows[end].text) {
			end++
		}
		if err := p.paragraph(rows[i:end]); err != nil {
			return err
		}
		i = end
	}
	return nil
}

// paragraph writes the lines between two blank ones.
func (p *plain) paragraph(rows []row) error {
	if isVerbatim(rows) {
		p.b.Begin(passage.Code, 0)
		for i, r := range rows {
			text := visible(strings.TrimRight(strings.ReplaceAll(r.text, joint, ""), " "))
			if i < len(rows)-1 {
				text += "\n"
			}
			if err := p.b.Verbatim(text, r.line); err != nil {
				return err
			}
		}
		p.b.End()
		return nil
	}
	p.b.Begin(passage.Paragraph, 0)
	for _, r := range rows {
		text := r.text
		if p.flowed {
			text = strings.TrimPrefix(text, " ")
		}
		if item.MatchString(text) {
			p.b.Begin(passage.Item, 1)
		}
		tight := p.flowed && p.tight && strings.HasSuffix(text, " ")
		if tight {
			text = strings.TrimSuffix(text, " ")
		}
		if err := p.words(r, text); err != nil {
			return err
		}
		if tight && !strings.HasSuffix(text, " ") { // a second space is between words
			p.b.Join()
		}
	}
	p.b.End()
	return nil
}

// isVerbatim reports whether lines are code, a table or a drawing rather than a paragraph.
func isVerbatim(rows []row) bool {
	odd := 0
	for _, r := range rows {
		text := strings.TrimRight(r.text, " ")
		inner := strings.TrimLeft(text, " \t")
		letters := 0
		for _, c := range inner {
			if unicode.IsLetter(c) || c == ' ' {
				letters++
			}
		}
		switch {
		case item.MatchString(text):
		case strings.HasPrefix(text, "    ") || strings.HasPrefix(text, "\t"):
			odd += 2
		case strings.HasPrefix(text, "diff ") || strings.HasPrefix(text, "@@ ") || strings.HasPrefix(text, "+++ ") || strings.HasPrefix(text, "--- "),
			strings.HasSuffix(text, ";") || strings.HasSuffix(text, "{") || strings.HasSuffix(text, "}"):
			odd += 2
		case strings.Count(inner, "   ") > 1 || strings.Count(inner, "|") > 1 || strings.Count(inner, "\t") > 1:
			odd += 2
		case letters*10 < len([]rune(inner))*6:
			odd++
		}
	}
	return odd > len(rows) && len(rows) > 0
}
