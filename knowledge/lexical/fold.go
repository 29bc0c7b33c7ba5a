package lexical

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/blevesearch/go-porterstemmer"
	"golang.org/x/text/unicode/norm"
)

// fold brings the spellings of one word together: lower case, possessive and apostrophes off,
// compatibility forms and the accents of Latin and Greek letters replaced by the plain letters.
// The marks of other scripts stay, since there they are vowels or letters of their own.
func fold(word string) string {
	if plain, ok := foldASCII(word); ok {
		return plain
	}
	var b strings.Builder
	b.Grow(len(word))
	plain := false // whether the letter before was Latin or Greek
	for _, r := range norm.NFKD.String(word) {
		switch {
		case unicode.Is(unicode.Mark, r):
			if !plain {
				b.WriteRune(r)
			}
		case r == '\'' || scriptOf(r) == apostrophe:
			b.WriteByte('\'')
		case unicode.IsLetter(r) || unicode.IsNumber(r):
			plain = unicode.In(r, unicode.Latin, unicode.Greek)
			b.WriteRune(unicode.ToLower(r))
		}
	}
	return dropApostrophes(norm.NFC.String(b.String()))
}

// foldASCII folds a word of ASCII letters, digits and apostrophes; most words allocate nothing.
func foldASCII(word string) (string, bool) {
	lower := true
	quoted := false
	for i := range len(word) {
		c := word[i]
		if c >= utf8.RuneSelf {
			return "", false
		}
		lower = lower && !('A' <= c && c <= 'Z')
		quoted = quoted || c == '\''
	}
	if !lower {
		word = strings.ToLower(word)
	}
	if quoted {
		word = dropApostrophes(word)
	}
	return word, true
}

func dropApostrophes(word string) string {
	word = strings.TrimSuffix(word, "'s")
	return strings.ReplaceAll(word, "'", "")
}

// stem is the Porter stem of an English word. Words with anything but the letters a to z in them
// have no English endings and stay whole.
func stem(word string) string {
	if len(word) < 3 {
		return word
	}
	var letters [maxTerm]rune
	for i := range len(word) {
		if word[i] < 'a' || word[i] > 'z' {
			return word
		}
		letters[i] = rune(word[i])
	}
	stemmed := porterstemmer.StemWithoutLowerCasing(letters[:len(word)])
	// The stem of most words is a beginning of the word, which need not be copied.
	if n := len(stemmed); n <= len(word) && sameLetters(word[:n], stemmed) {
		return word[:n]
	}
	return string(stemmed)
}

func sameLetters(word string, letters []rune) bool {
	for i, r := range letters {
		if rune(word[i]) != r {
			return false
		}
	}
	return true
}
