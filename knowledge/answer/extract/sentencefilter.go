package extract

import (
	"regexp"
	"strings"
	"unicode"

	"lacuna/knowledge/lexical"
	"lacuna/knowledge/passage"
	"lacuna/knowledge/sanitise"
)

// StandsAlone reports whether a sentence of a passage can be shown: words that a reader understands with
// what introduces them, and no mere label, fragment or line of a table of contents.
func StandsAlone(p *passage.Rendering, span passage.Span) bool {
	kind := kindAt(p, span)
	shown := p.Span(span)
	switch kind {
	case passage.HeaderRow, passage.Term, passage.Caption:
		return false
	case passage.Code:
		return sanitise.Literal(shown) && strings.Count(shown, codeLine) < maxCodeLines && countWords(shown) <= maxWords
	case passage.Admonition:
		if countWords(shown) < minLabelled {
			return false
		}
	}
	return isReadable(shown) && !announces(shown) && !isFragment(shown, kind) && !contentsLine.MatchString(shown)
}

const (
	codeLine     = " ⏎ " // between lines of code, as passages show it
	maxCodeLines = 12    // more is a program
	minLabelled  = 5     // words from which on the title of an admonition says something
)

// kindAt returns the kind of the block that a sentence is of.
func kindAt(p *passage.Rendering, span passage.Span) passage.BlockKind {
	if i := p.BlockAt(span.Start); i >= 0 {
		return p.Blocks()[i].Kind
	}
	return passage.Paragraph
}

// isReadable reports whether text as a reader sees it can do nothing but be read.
func isReadable(shown string) bool { return sanitise.Quotable(shown) }

// announces reports whether a text says that something follows.
func announces(text string) bool {
	text = strings.TrimRight(text, "*_ ")
	return strings.HasSuffix(text, ":") || strings.HasSuffix(text, "：")
}

// contentsLine matches an entry of a table of contents, with dots up to its page, or of an index of words.
var contentsLine = regexp.MustCompile(`(?:\.\s?){4,}\s*\S{0,6}$|(?:…\s?){2,}\s*\S{0,6}$|^[^.;:]{1,40}(?:, \d{1,4}(?:[–-]\d{1,4})?){3,}$`)

// isFragment reports whether a text is what is left of a sentence, such as "Parkinson's)", or a mere
// reference, such as "[2024]". Items, rows and definitions are short by nature.
func isFragment(text string, kind passage.BlockKind) bool {
	switch kind {
	case passage.Item, passage.Row, passage.Definition, passage.Heading:
		return !strings.ContainsFunc(text, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) })
	}
	if !strings.ContainsFunc(text, unicode.IsLetter) {
		return true
	}
	if text[0] == '[' && strings.IndexByte(text, ']') >= len(text)-2 && countWords(text) < minLabelled {
		return true
	}
	open := 0
	for _, r := range text {
		switch r {
		case '(', '[', '（':
			open++
		case ')', ']', '）':
			if open--; open < 0 {
				return countWords(text) < minLabelled
			}
		}
	}
	return false
}

// Adjoin reports that nothing but white space within a paragraph separates two sentences.
func Adjoin(p *passage.Rendering, a, b passage.Span) bool {
	first, second := p.BlockAt(a.Start), p.BlockAt(b.Start)
	if first != second && (kindAt(p, a) != passage.Paragraph || kindAt(p, b) != passage.Paragraph) {
		return false
	}
	between := p.Passage().Text[a.End:b.Start]
	return strings.TrimSpace(between) == "" && strings.Count(between, "\n") < 2
}

// maxWords bounds what an answer shows; its best sentence alone may be longer.
const maxWords = 80

// countWords counts two Han characters as one word.
func countWords(text string) int {
	halves := 0
	for _, word := range lexical.Words(text) {
		if r := []rune(word); len(r) == 1 && unicode.Is(unicode.Han, r[0]) {
			halves++
		} else {
			halves += 2
		}
	}
	return (halves + 1) / 2
}
