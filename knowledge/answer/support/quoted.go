package support

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"lacuna/knowledge/passage"
)

// Quoted returns the sentences of a passage that hold words which a model says it copied from there. The
// words must stand in the text one after another; only case, white space, markup, and the shape of
// quotation marks and brackets may differ. It reports false for words that do not, and for fewer than two.
func Quoted(p *passage.Passage, words string) (passage.Span, bool) {
	words = strings.Trim(strings.TrimSpace(words), "….\"'“”‘’「」[]() 。")
	sought, _ := copied(words)
	if len(Terms(words)) < 2 || len(sought) < minCopied {
		return passage.Span{}, false
	}
	text, from := copied(p.Text)
	for at := 0; ; {
		next := strings.Index(text[at:], sought)
		if next < 0 {
			return passage.Span{}, false
		}
		at += next
		if isWhole(text, at, at+len(sought)) {
			return sentencesAround(p, passage.Span{Start: from[at], End: from[at+len(sought)-1] + 1}), true
		}
		at++
	}
}

// minCopied is the length of the shortest quote that says anything, in bytes.
const minCopied = 8

// copied returns a text as [Quoted] compares it, and for each byte of it the offset in the text of the last
// byte of the character that it comes from.
func copied(text string) (folded string, from []int) {
	var b strings.Builder
	space := false
	for i, r := range text {
		switch {
		case unicode.IsSpace(r):
			space = b.Len() > 0
			continue
		case strings.ContainsRune("*_`\"'“”‘’「」", r):
			continue
		case r == '[' || r == '【':
			r = '('
		case r == ']' || r == '】':
			r = ')'
		case r == '–' || r == '—' || r == '‑':
			r = '-'
		}
		_, size := utf8.DecodeRuneInString(text[i:])
		if space {
			b.WriteByte(' ')
			from = append(from, i-1)
			space = false
		}
		written := b.Len()
		b.WriteRune(unicode.ToLower(r))
		for range b.Len() - written {
			from = append(from, i+size-1)
		}
	}
	return b.String(), from
}

// isWhole reports whether a span of a text cuts no word and no number.
func isWhole(text string, start, end int) bool {
	joins := func(a, b rune) bool {
		return (unicode.IsLetter(a) || unicode.IsDigit(a)) && (unicode.IsLetter(b) || unicode.IsDigit(b)) && !unicode.Is(unicode.Han, a) && !unicode.Is(unicode.Han, b)
	}
	before, _ := utf8.DecodeLastRuneInString(text[:start])
	first, _ := utf8.DecodeRuneInString(text[start:])
	last, _ := utf8.DecodeLastRuneInString(text[:end])
	after, size := utf8.DecodeRuneInString(text[end:])
	if unicode.IsDigit(first) && (before == '.' || before == ',') {
		if digit, _ := utf8.DecodeLastRuneInString(text[:start-1]); unicode.IsDigit(digit) {
			return false
		}
	}
	if after == '.' || after == ',' { // within a number
		if digit, _ := utf8.DecodeRuneInString(text[end+size:]); unicode.IsDigit(last) && unicode.IsDigit(digit) {
			return false
		}
	}
	return !joins(before, first) && !joins(last, after)
}

// sentencesAround returns the sentences of a passage that a span touches.
func sentencesAround(p *passage.Passage, span passage.Span) passage.Span {
	for _, s := range passage.Sentences(p.Text, p.Format) {
		if s.Start < span.End && span.Start < s.End {
			span.Start, span.End = min(span.Start, s.Start), max(span.End, s.End)
		}
	}
	return span
}
