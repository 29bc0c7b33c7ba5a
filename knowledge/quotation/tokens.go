package quotation

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// token is a word, a number, a Chinese character or a mark, with its bytes in its text.
type token struct {
	word       string // with one shape for each kind of quotation mark and dash
	start, end int
}

// shapes has the marks that are written in several ways.
var shapes = map[rune]string{
	'“': `"`, '”': `"`, '„': `"`, '‟': `"`, '«': `"`, '»': `"`, '″': `"`, '＂': `"`,
	'‘': "'", '’': "'", '‚': "'", '‛': "'", '′': "'", '`': "'", '´': "'",
	'‐': "-", '‑': "-", '‒': "-", '–': "-", '—': "-", '−': "-", '﹣': "-", '－': "-",
	'…': "...", '，': ",", '：': ":", '；': ";", '（': "(", '）': ")", '？': "?", '！': "!",
	'ﬀ': "ff", 'ﬁ': "fi", 'ﬂ': "fl", 'ﬃ': "ffi", 'ﬄ': "ffl",
}

// unseen are characters that no reader sees, and marks of markup.
func unseen(r rune) bool {
	switch r {
	case '\u00ad', '\u200b', '\u200c', '\u200d', '\u2060', '\ufeff', '*', '_', '~', '#', '|', '>', '\\':
		return true
	}
	return false
}

// tokensOf divides a text. White space belongs to no token and does not part a number from its unit otherwise than none does.
func tokensOf(text string) []token {
	var all []token
	var word strings.Builder
	start, end := 0, 0
	var kind func(rune) bool
	flush := func() {
		if word.Len() > 0 {
			all = append(all, token{word.String(), start, end})
			word.Reset()
		}
	}
	for at, r := range text {
		size := utf8.RuneLen(r)
		if size < 0 || r == utf8.RuneError {
			size = 1
		}
		if unseen(r) {
			continue // also within a word
		}
		same, shaped := shapes[r]
		switch {
		case unicode.Is(unicode.Han, r):
			flush()
			all = append(all, token{string(r), at, at + size})
		case unicode.IsLetter(r) || unicode.IsMark(r):
			if word.Len() > 0 && !kind(r) {
				flush()
			}
			if word.Len() == 0 {
				start, kind = at, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsMark(r) }
			}
			if shaped {
				word.WriteString(same)
			} else {
				word.WriteRune(r)
			}
			end = at + size
		case unicode.IsDigit(r):
			if word.Len() > 0 && !kind(r) {
				flush()
			}
			if word.Len() == 0 {
				start, kind = at, unicode.IsDigit
			}
			word.WriteRune(r)
			end = at + size
		case unicode.IsSpace(r):
			flush()
		default:
			flush()
			if !shaped {
				same = string(r)
			}
			for _, mark := range same {
				all = append(all, token{string(mark), at, at + size})
			}
		}
	}
	flush()
	return all
}

// isMark reports whether a token is punctuation.
func (t token) isMark() bool {
	r, _ := utf8.DecodeRuneInString(t.word)
	return strings.ContainsRune(`"'.,:;!?-()[]。、`, r)
}

// trimmed returns tokens without punctuation at the ends, which belongs to whoever quotes.
func trimmed(tokens []token) []token {
	for len(tokens) > 0 && tokens[0].isMark() {
		tokens = tokens[1:]
	}
	for len(tokens) > 0 && tokens[len(tokens)-1].isMark() {
		tokens = tokens[:len(tokens)-1]
	}
	return tokens
}

// sameButCase reports whether two words differ in the case of their first letter alone.
func sameButCase(a, b string) bool {
	x, n := utf8.DecodeRuneInString(a)
	y, m := utf8.DecodeRuneInString(b)
	return a[n:] == b[m:] && unicode.ToLower(x) == unicode.ToLower(y)
}
