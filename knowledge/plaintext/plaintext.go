// Package plaintext holds the small functions on text that search, judge, prompts and messages share:
// normal forms for comparing and for showing, and sets of words. It knows no format and no danger;
// what strangers wrote goes through package sanitise. All functions are safe for concurrent use.
package plaintext

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// OneLine joins the words of a text with single spaces.
func OneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// Clip returns text cut after maxRunes characters, with "…" behind them where something was cut.
func Clip(text string, maxRunes int) string {
	if runes := []rune(text); len(runes) > maxRunes {
		return string(runes[:maxRunes]) + "…"
	}
	return text
}

// ClipBytes returns the longest beginning of a valid text that has at most maxBytes bytes.
func ClipBytes(text string, maxBytes int) string {
	if len(text) <= maxBytes {
		return text
	}
	return strings.ToValidUTF8(text[:maxBytes], "")
}

// typographic maps characters that differ only in typesetting to their plain form.
var typographic = strings.NewReplacer("’", "'", "‘", "'", "“", `"`, "”", `"`, "–", "-", "—", "-", "−", "-")

// Fold returns the form in which quotations are compared: compatibility forms of characters unified,
// lower case, straight quotation marks, plain dashes, single spaces.
func Fold(text string) string {
	return OneLine(typographic.Replace(strings.ToLower(norm.NFKC.String(text))))
}

// HasHan reports whether a text has a Han character.
func HasHan(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool { return unicode.Is(unicode.Han, r) })
}

// Set returns the words of a list that white space separates.
func Set(words string) map[string]bool { return SetOf(strings.Fields(words)) }

// SetOf returns the words of a list as a set.
func SetOf(words []string) map[string]bool {
	set := make(map[string]bool, len(words))
	for _, word := range words {
		set[word] = true
	}
	return set
}

// Distinct returns the first of equal strings, in order.
func Distinct(all []string) []string {
	seen := make(map[string]bool, len(all))
	distinct := make([]string, 0, len(all))
	for _, s := range all {
		if !seen[s] {
			seen[s] = true
			distinct = append(distinct, s)
		}
	}
	return distinct
}

// FindWords returns the bytes of text in which the words, of which there must be one, first follow each
// other with any white space between them, or none between characters of scripts without spaces, which editors wrap
// anywhere; false if they do not.
func FindWords(text string, words []string) (start, end int, found bool) {
	for from := 0; ; {
		i := strings.Index(text[from:], words[0])
		if i < 0 {
			return 0, 0, false
		}
		start = from + i
		if end, found = followsWords(text, start, words); found {
			return start, end, true
		}
		from = start + len(words[0])
	}
}

// followsWords reports whether the words stand at an offset of text, and where they end.
func followsWords(text string, at int, words []string) (end int, found bool) {
	for i, word := range words {
		if i > 0 {
			rest := strings.TrimLeftFunc(text[at:], unicode.IsSpace)
			if len(rest) == len(text)-at && !unspaced(text[:at], word) {
				return 0, false
			}
			at = len(text) - len(rest)
		}
		if !strings.HasPrefix(text[at:], word) {
			return 0, false
		}
		at += len(word)
	}
	return at, true
}

// unspaced reports whether one text may follow another without a space between them.
func unspaced(before, after string) bool {
	last, _ := utf8.DecodeLastRuneInString(before)
	first, _ := utf8.DecodeRuneInString(after)
	return isWide(last) && isWide(first)
}

// isWide reports whether a character belongs to a script that puts no spaces between words, or to its punctuation.
func isWide(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana) || '\u3000' <= r && r <= '\u303f' || '\uff00' <= r && r <= '\uffef'
}
