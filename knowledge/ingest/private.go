package ingest

import (
	"encoding/json"
	"strings"

	"lacuna/knowledge/head"
)

// privacy is what a file says of being private.
type privacy struct {
	says    bool
	unclear int // the line that can only mean it, the first being 1; 0 if it is clear
}

// UnclearPrivacy is how the reason begins of a file that counts as private by a line which is not
// written as the documentation has it.
const UnclearPrivacy = "this line seems to say that the file is private, so it counts as private"

// UnclearRow is the reason where that is so for one row.
const UnclearRow = "this row seems to say that it is private, so it counts as private"

// tell reports a line that a person should put right.
func (p privacy) tell(problems *problems) {
	if p.unclear > 0 {
		problems.add(p.unclear, UnclearPrivacy+`; write "lacuna: private", or take the line out`)
	}
}

// markups are the forms whose files are text with comments of their own.
var markups = map[form]head.Markup{
	markdownDocument: head.Markdown, plainDocument: head.Plain, orgDocument: head.Org, restDocument: head.RST, htmlDocument: head.HTML,
}

func privacyOf(text string, markup head.Markup) privacy {
	statement, private := head.Private(text, markup)
	p := privacy{says: private}
	if private && !statement.Clear {
		p.unclear = statement.Line
	}
	return p
}

// privacy is that of a file whose text is taken from it: what a page says in its comments, and what
// a document says in its first lines, in a paragraph of its own or among its keywords.
func (c *candidate) privacy(content []byte, found extracted) privacy {
	if formOf(c.record) == htmlDocument {
		return privacyOf(string(content), head.HTML)
	}
	statement, private := head.Private(found.text, head.Plain)
	if private && statement.Clear {
		return privacy{says: true}
	}
	if private {
		return privacy{says: true, unclear: found.lineAt(statement.Span.Start)}
	}
	for _, about := range found.about {
		if head.Means(about) {
			return privacy{says: true}
		}
	}
	return privacy{}
}

// rowPrivacy is what a row says in a column called lacuna, or in one such as lacuna-private: whether it
// is private, and whether that is clear.
func rowPrivacy(r row) (private, clear bool) {
	for _, said := range r.about() {
		switch value := strings.TrimSpace(said.value); {
		case head.Means(said.name) && value != "":
			return true, false
		case value == "", strings.EqualFold(value, "public"):
		case strings.EqualFold(value, "private"):
			private, clear = true, true
		default:
			return true, false
		}
	}
	return private, clear
}

// column is a field of a row with its name.
type column struct{ name, value string }

func (o jsonObject) about() []column {
	var about []column
	for name, raw := range o {
		if !head.Names(name) {
			continue
		}
		value := string(raw)
		var text string
		if json.Unmarshal(raw, &text) == nil { // null is ""
			value = text
		}
		about = append(about, column{name, value})
	}
	return about
}

func (r csvRow) about() []column {
	var about []column
	for i, name := range r.columns {
		if i < len(r.values) && head.Names(name) {
			about = append(about, column{name, r.values[i]})
		}
	}
	return about
}

func (r extractedRow) about() []column { return nil }
