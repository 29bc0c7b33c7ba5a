package note

import "strings"

// Directives are the words that a comment can say behind "lacuna:", for a note and for parts of it.
func Directives() []string { return []string{"ask", "skip", "off", "on", "private"} }

// Directive is the line that gives a directive, as the language writes its comments. In Markdown
// "private" belongs in the front matter of the note, and in plain text on its first lines, and stands
// there without a comment.
func (l Language) Directive(word string) string {
	switch {
	case word == "private" && (l == Markdown || l == Plaintext):
		return "lacuna: private"
	case l.Comment() == "<!--":
		return "<!-- lacuna: " + word + " -->"
	}
	return l.Comment() + " lacuna: " + word
}

// Comment is what the comments begin with in which directives stand.
func (l Language) Comment() string { return strings.TrimSpace(l.markup().comment) }

// Link leads to a place of a source from a note's own text: a link in Markdown, elsewhere the label in
// brackets.
func (l Language) Link(s BlockSource) string {
	if l == Markdown {
		return "[" + escapeLabel(s.Label) + "](" + linkTarget(s) + ")"
	}
	return "[" + l.markup().escape(oneLine(s.Label)) + "]"
}
