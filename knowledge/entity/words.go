package entity

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"lacuna/knowledge/lexical"
	"lacuna/knowledge/plaintext"
)

// word is an analysed word of a text with its spelling and spacing.
type word struct {
	term  string // as the index has it
	plain string // in lower case, without a possessive
	// spacing says how the word follows the one before it.
	spacing spacing
	capital bool // begins with a capital letter where a sentence would not demand one
	start   int  // in bytes
}

// spacing says what stands between two neighbouring words.
type spacing uint8

const (
	apart  spacing = iota // a stop word or punctuation, or nothing stands before
	spaced                // white space alone
	joined                // a hyphen: "quillgate-lite"
	bound                 // an underscore or a dot, as in the names of programs: "oxbow.sync"
)

// wordsOf cuts a text into words. Stop words are left out, except the A of "vitamin A".
func wordsOf(text string) []word {
	tokens := lexical.Analyze(text)
	words := make([]word, 0, len(tokens))
	end := 0
	for i, t := range tokens {
		how := apart
		if i > 0 {
			how = between(text, end, t.Start)
		}
		if i > 0 && letterA.MatchString(text[min(end, t.Start):t.Start]) {
			words = append(words, word{term: "a", plain: "a", spacing: spaced, capital: true, start: end + 1})
			how = apart
		}
		words = append(words, word{
			term: t.Term, plain: plain(text[t.Start:t.End]), spacing: how,
			capital: isCapital(text, t.Start), start: t.Start,
		})
		end = t.End
	}
	if n := len(words); n > 0 && letterA.MatchString(text[end:]) {
		words = append(words, word{term: "a", plain: "a", spacing: spaced, capital: true, start: end + 1})
	}
	return words
}

// letterA matches an A behind a word that names one of several: "hepatitis A".
var letterA = regexp.MustCompile(`^ A(?:[^\pL\pN]|$)`)

func between(text string, end, start int) spacing {
	if end >= start {
		return spaced // bigrams overlap
	}
	switch gap := text[end:start]; {
	case strings.TrimSpace(gap) == "":
		return spaced
	case gap == "-" || gap == "‐" || gap == "‑":
		return joined
	case gap == "_" || gap == ".":
		return bound
	}
	return apart
}

func plain(text string) string {
	text = strings.ToLower(text)
	return strings.TrimSuffix(strings.TrimSuffix(text, "'s"), "’s")
}

// isCapital reports a capital letter at a place where no sentence begins.
func isCapital(text string, at int) bool {
	first, _ := utf8.DecodeRuneInString(text[at:])
	if !unicode.IsUpper(first) || pronounI.MatchString(text[at:]) {
		return false
	}
	before := strings.TrimRight(text[:at], " \t\r\n\"'“‘(*_#>-")
	last, _ := utf8.DecodeLastRuneInString(before)
	return before != "" && !strings.ContainsRune(".?!:。？！", last)
}

var pronounI = regexp.MustCompile(`^I(?:['’][a-z]+)?(?:[^\pL\pN]|$)`)

// numbered reports a word that tells one of a row from another: 3, 20mg, m2, iv, b.
func (w word) numbered() bool {
	return strings.ContainsFunc(w.plain, unicode.IsDigit) || ordinals[w.plain] || romans.MatchString(w.plain) ||
		w.capital && utf8.RuneCountInString(w.plain) == 1
}

var (
	romans   = regexp.MustCompile(`^(?:i{2,3}|iv|vi{0,3}|ix|xi{0,2})$`)
	ordinals = plaintext.Set("first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth")
)

// coined reports a word that no language has: of letters and digits.
func (w word) coined() bool {
	return strings.ContainsFunc(w.plain, unicode.IsDigit) && strings.ContainsFunc(w.plain, unicode.IsLetter)
}

// sameName reports whether two words of one stem are forms of one word. A further "e" makes another name:
// Calvin and Calvine.
func sameName(a, b string) bool { return a != b+"e" && b != a+"e" }

// siblings reports words that differ in their digits alone: murmur2 and murmur3.
func siblings(a, b string) bool {
	return a != b && strings.ContainsFunc(a, unicode.IsLetter) && strings.ContainsFunc(a, unicode.IsDigit) &&
		strings.ContainsFunc(b, unicode.IsDigit) && withoutDigits(a) == withoutDigits(b)
}

func withoutDigits(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsDigit(r) {
			return -1
		}
		return r
	}, s)
}

// ideographic reports a word of a script without spaces, where no two words are apart.
func (w word) ideographic() bool {
	first, _ := utf8.DecodeRuneInString(w.plain)
	return unicode.In(first, unicode.Han, unicode.Hiragana, unicode.Katakana)
}
