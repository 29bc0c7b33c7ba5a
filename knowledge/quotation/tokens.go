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
	case '\x00', '\u00ad', '\u200b', '\u200c', '\u200d', '\u2060', '\ufeff', '*', '_', '~', '#', '|', '>', '\\':
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

// anything is the word of a token that stands for words that were replaced before the text was given away.
const anything = "\x00"

// placeholders makes one token of each placeholder of package redact, "[NAME-1]".
func placeholders(tokens []token) []token {
	var all []token
	for i := 0; i < len(tokens); i++ {
		if t := tokens[i:]; len(t) >= 5 && t[0].word == "[" && strings.ToUpper(t[1].word) == t[1].word && t[2].word == "-" && unicode.IsDigit(rune(t[3].word[0])) {
			end := 4
			if len(t) > 5 && len(t[4].word) == 1 && unicode.IsLetter(rune(t[4].word[0])) { // "[NAME-1b]"
				end = 5
			}
			if t[end].word == "]" {
				all = append(all, token{anything, t[0].start, t[end].end})
				i += end
				continue
			}
		}
		all = append(all, tokens[i])
	}
	return all
}

// isMark reports whether a token is punctuation.
func (t token) isMark() bool {
	r, _ := utf8.DecodeRuneInString(t.word)
	return t.word == anything || strings.ContainsRune(`"'.,:;!?-()[]。、`, r)
}

// trimmed returns tokens without punctuation at the ends, which belongs to whoever quotes.
func trimmed(tokens []token) []token {
	tokens = trimmedLeft(tokens)
	for len(tokens) > 0 && tokens[len(tokens)-1].isMark() {
		tokens = tokens[:len(tokens)-1]
	}
	return tokens
}

func trimmedLeft(tokens []token) []token {
	for len(tokens) > 0 && tokens[0].isMark() {
		tokens = tokens[1:]
	}
	return tokens
}
