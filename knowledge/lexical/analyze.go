package lexical

import (
	"hash/maphash"
	"strings"
	"sync/atomic"
	"unicode"
	"unicode/utf8"

	"github.com/blevesearch/go-porterstemmer"
	"golang.org/x/text/unicode/norm"
)

// Token is an analysed term and the bytes of the text it came from.
type Token struct {
	Term       string
	Start, End int // bytes of the analysed text, half-open
}

// Analyze cuts text into terms: lower case, possessive off, 33 English stop words out, Porter
// stems; a run of Han characters or kana becomes overlapping bigrams (a lone one stays a unigram).
// Beyond case it folds what people write in several ways: accents of Latin and Greek letters,
// full-width and other compatibility forms, apostrophes inside a word ("don't", "dont"), and a
// lone Greek letter, which becomes its name ("TNF-α", "TNF alpha"), ß, which becomes ss, and traditional
// Chinese characters, which become simplified ones. Hyphens separate. Bytes that are not UTF-8 separate,
// too.
//
// Tokens ascend and their spans are never empty; spans of bigrams overlap by one character. The
// index, the encoder, the reader and the judge all use these terms.
func Analyze(text string) []Token {
	tokens := make([]Token, 0, len(text)/6)
	analyze(text, func(term string, start, end int) {
		tokens = append(tokens, Token{term, start, end})
	})
	return tokens
}

// Terms returns the terms of [Analyze] without their places.
func Terms(text string) []string {
	terms := make([]string, 0, len(text)/6)
	analyze(text, func(term string, _, _ int) { terms = append(terms, term) })
	return terms
}

// script classifies a character for the analysis.
type script int

const (
	separator script = iota
	letter           // or digit, of any script not named below
	greek
	ideograph // Han or kana, written without spaces
	mark      // combines with what stands before it, or is invisible inside a word
	apostrophe
)

func scriptOf(r rune) script {
	switch {
	case r < utf8.RuneSelf:
		return asciiScript[r]
	case r == '’' || r == '＇' || r == 'ʼ':
		return apostrophe
	case isJoiner(r) || unicode.Is(unicode.Mark, r):
		return mark
	case !unicode.IsLetter(r) && !unicode.IsNumber(r):
		return separator
	case r == 'µ' || unicode.Is(unicode.Greek, r):
		return greek
	case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana):
		return ideograph
	}
	return letter
}

// isJoiner reports the invisible characters that typesetting leaves inside words: the soft hyphen,
// the zero-width joiners and the byte order mark.
func isJoiner(r rune) bool {
	return r == '\u00ad' || r == '\u200c' || r == '\u200d' || r == '\u2060' || r == '\ufeff'
}

var asciiScript = func() (table [utf8.RuneSelf]script) {
	for r := range table {
		switch {
		case unicode.IsLetter(rune(r)) || unicode.IsDigit(rune(r)):
			table[r] = letter
		case r == '\'':
			table[r] = apostrophe
		}
	}
	return table
}()

// analyze calls emit for each term in order.
func analyze(text string, emit func(term string, start, end int)) {
	for at := 0; at < len(text); {
		r, size := utf8.DecodeRuneInString(text[at:])
		switch kind := scriptOf(r); kind {
		case letter, greek:
			end := wordEnd(text, at, kind)
			if term := wordTerm(text[at:end], kind); term != "" {
				emit(term, at, end)
			}
			at = end
		case ideograph:
			at = bigrams(text, at, emit)
		default:
			at += size
		}
	}
}

// wordEnd returns where the word that begins at start ends. An apostrophe belongs to a word when a
// letter follows it.
func wordEnd(text string, start int, kind script) int {
	end := start // after the last character that surely belongs to the word
	for at := start; at < len(text); {
		r, size := utf8.DecodeRuneInString(text[at:])
		at += size
		switch next := scriptOf(r); {
		case next == kind:
			end = at
		case next == mark && end == at-size:
			end = at
		case next == apostrophe && end == at-size && kind == letter:
			// Decided by what follows.
		default:
			return end
		}
	}
	return end
}

// wordTerm returns the term of a word, or "" for a stop word and for marks alone.
func wordTerm(word string, kind script) string {
	if len(word) > maxTerm {
		return termOf(word, kind)
	}
	slot := &knownTerms[maphash.String(termSeed, word)%uint64(len(knownTerms))]
	if known := slot.Load(); known != nil && known.word == word && known.kind == kind {
		return known.term
	}
	word = strings.Clone(word) // or the table would keep whole documents alive
	term := termOf(word, kind)
	slot.Store(&knownTerm{word: word, kind: kind, term: term})
	return term
}

// knownTerms remembers the terms of the words met last: one question analyses the same passages and titles several
// times, and most words of a text are few.
var (
	knownTerms [1 << 15]atomic.Pointer[knownTerm]
	termSeed   = maphash.MakeSeed()
)

type knownTerm struct {
	word, term string
	kind       script
}

func termOf(word string, kind script) string {
	word = normalise(word)
	if kind == greek {
		if name, ok := greekNames[word]; ok {
			word = name
		}
	}
	if isStopWord(word) {
		return ""
	}
	return stem(clip(word))
}

// maxTerm is the length in bytes to which terms are cut. Real words are shorter; it bounds what an encoded
// file in a source can do to the dictionary.
const maxTerm = 64

func clip(word string) string {
	if len(word) <= maxTerm {
		return word
	}
	end := maxTerm
	for !utf8.RuneStart(word[end]) {
		end--
	}
	return word[:end]
}

// bigrams emits the overlapping pairs of the run of ideographs that begins at start and returns
// where the run ends.
func bigrams(text string, start int, emit func(term string, start, end int)) int {
	first, end, count := start, start, 0
	for end < len(text) {
		r, size := utf8.DecodeRuneInString(text[end:])
		if scriptOf(r) != ideograph {
			break
		}
		if count > 0 {
			emit(Simplify(text[first:end+size]), first, end+size)
			_, width := utf8.DecodeRuneInString(text[first:])
			first += width
		}
		end += size
		count++
	}
	if count == 1 {
		emit(Simplify(text[start:end]), start, end)
	}
	return end
}

// isStopWord reports whether word is one of Lucene's 33 English stop words.
func isStopWord(word string) bool {
	switch word {
	case "a", "an", "and", "are", "as", "at", "be", "but", "by", "for", "if", "in", "into", "is",
		"it", "no", "not", "of", "on", "or", "such", "that", "the", "their", "then", "there",
		"these", "they", "this", "to", "was", "will", "with":
		return true
	}
	return false
}

// greekNames gives the names of lone Greek letters.
var greekNames = func() map[string]string {
	names := strings.Fields(`α alpha β beta γ gamma δ delta ε epsilon ζ zeta η eta θ theta ι iota
		κ kappa λ lambda μ mu ν nu ξ xi ο omicron π pi ρ rho σ sigma ς sigma τ tau υ upsilon
		φ phi χ chi ψ psi ω omega`)
	table := make(map[string]string, len(names)/2)
	for i := 0; i < len(names); i += 2 {
		table[names[i]] = names[i+1]
	}
	return table
}()

// normalise unites the spellings of one word: lower case, without possessive and apostrophes, compatibility
// forms and accented Latin and Greek letters replaced by the plain letters. The marks of other scripts stay,
// since there they are vowels or letters of their own.
func normalise(word string) string {
	if plain, ok := normaliseASCII(word); ok {
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
		case r == 'ß' || r == 'ẞ':
			b.WriteString("ss")
			plain = true
		case unicode.IsLetter(r) || unicode.IsNumber(r):
			plain = unicode.In(r, unicode.Latin, unicode.Greek)
			b.WriteRune(unicode.ToLower(r))
		}
	}
	return dropApostrophes(norm.NFC.String(b.String()))
}

// normaliseASCII normalises a word of ASCII letters, digits and apostrophes; most words allocate nothing.
func normaliseASCII(word string) (string, bool) {
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

// stem returns the Porter stem of an English word. Words with anything but the letters a to z have no
// English endings and stay whole.
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

// Words cuts text into plain words for comparing wordings: lower-case runs of letters and digits,
// and each Han character by itself. Unlike [Analyze] it neither stems nor drops anything.
func Words(text string) []string {
	var words []string
	start := -1 // of the run being read, or -1
	flush := func(end int) {
		if start >= 0 {
			words = append(words, strings.ToLower(text[start:end]))
			start = -1
		}
	}
	for at, r := range text {
		switch {
		case unicode.Is(unicode.Han, r):
			flush(at)
			words = append(words, string(r))
		case unicode.In(r, unicode.Letter, unicode.Digit, unicode.Mark):
			if start < 0 {
				start = at
			}
		default:
			flush(at)
		}
	}
	flush(len(text))
	return words
}

// CommonSubsequence returns the length of the longest common subsequence of two lists, in time proportional
// to the product of their lengths.
func CommonSubsequence[T comparable](a, b []T) int {
	row := make([]int, len(b)+1) // of the usual table
	for _, x := range a {
		diagonal := 0
		for j, y := range b {
			above := row[j+1]
			if x == y {
				row[j+1] = diagonal + 1
			} else {
				row[j+1] = max(above, row[j])
			}
			diagonal = above
		}
	}
	return row[len(b)]
}

// IsHan reports whether a text is one run of ideographs, so that its terms are pairs of them.
func IsHan(text string) bool {
	for _, r := range text {
		if scriptOf(r) != ideograph {
			return false
		}
	}
	return text != ""
}
