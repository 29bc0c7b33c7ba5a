package prompts

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// How much of the evidence a prompt shows, in tokens as [Tokens] estimates them.
const (
	ItemTokens     = 400
	EvidenceTokens = 6000
	// minShownTokens of an item are worth showing when the rest would not fit.
	minShownTokens = 40
)

// Tokens estimates the number of tokens of a text: one for each Han, kana or Hangul character, and one
// for every four bytes of anything else, rounded up. It is a convention for limits, not a count;
// tokenizers differ from each other by a third.
func Tokens(text string) int {
	quarters := 0
	for _, r := range text {
		quarters += quarterTokens(r)
	}
	return (quarters + 3) / 4
}

// quarterTokens returns the estimate for a character, in quarters of a token.
func quarterTokens(r rune) int {
	if unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul) {
		return 4
	}
	return max(1, utf8.RuneLen(r))
}

// Cut returns the beginning of a text with at most tokens tokens. A text that is cut ends after a word,
// with " …", which counts as one token.
func Cut(text string, tokens int) string {
	if Tokens(text) <= tokens {
		return text
	}
	quarters, end := 4*(tokens-1), 0
	for i, r := range text {
		if quarters -= quarterTokens(r); quarters < 0 {
			break
		}
		end = i + utf8.RuneLen(r)
	}
	head := text[:max(0, end)]
	if space := strings.LastIndexFunc(head, unicode.IsSpace); space > len(head)*3/4 {
		head = head[:space]
	}
	return strings.TrimRightFunc(head, unicode.IsSpace) + " …"
}

// Fit cuts each context to [ItemTokens], and keeps as many of them, from the first, as fit into
// [EvidenceTokens]; it may cut the last one further. Numbers do not change.
func Fit(contexts []Context) []Context { return fit(contexts, ItemTokens, EvidenceTokens) }

func fit(contexts []Context, item, total int) []Context {
	var kept []Context
	for _, c := range contexts {
		head := Tokens(c.Title) + Tokens(c.Question) + Tokens(c.Above) + Tokens(c.Note)
		room := min(item, total-head)
		if room < min(minShownTokens, Tokens(c.Text)) {
			break
		}
		c.Text = Cut(c.Text, room)
		total -= head + Tokens(c.Text)
		kept = append(kept, c)
	}
	return kept
}

// lastTokens returns the end of a text, of at most tokens tokens, where reasoning reaches its result.
func lastTokens(text string, tokens int) string {
	if Tokens(text) <= tokens {
		return text
	}
	runes := []rune(text)
	from := len(runes)
	for quarters := 4 * (tokens - 1); from > 0; from-- {
		if quarters -= quarterTokens(runes[from-1]); quarters < 0 {
			break
		}
	}
	return "… " + strings.TrimSpace(string(runes[from:]))
}
