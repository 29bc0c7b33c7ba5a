package syntax

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"lacuna/knowledge/passage"
	"lacuna/knowledge/plaintext"
)

// Tag is a universal part of speech, such as NOUN or VERB.
type Tag string

// Relation is a universal dependency, such as nsubj or obl:agent.
type Relation string

// Word is a word of a sentence, as the treebanks count words: "don't" is two, "zum" is one.
type Word struct {
	passage.Span        // bytes of the text
	Text         string // the same bytes
	Tag          Tag
	Head         int // index of the head in [Sentence.Words]; -1 for the root
	Relation     Relation
	form         string // features of the form that the tagger knows: VBN, Acc
}

// Sentence is the words of a sentence in order. Their heads make one tree.
type Sentence struct {
	Words    []Word
	language string
}

// longest is the most words of a sentence: more is no sentence but data, and is cut.
const longest = 120

// clitics are the endings that count as words in English.
var clitics = []string{"n't", "n’t", "'s", "’s", "'re", "’re", "'ve", "’ve", "'ll", "’ll", "'d", "’d", "'m", "’m"}

// affixes stay with the word behind their hyphen.
var affixes = plaintext.Set("anti bi co counter de e ex extra inter intra macro mega micro mid mini multi non over para post pre pro proto pseudo quasi re semi sub super tri ultra un under uni")

// abbreviations keep their point.
var abbreviations = plaintext.Set("dr mr mrs ms prof vs e.g i.e etc approx no fig st jr inc ca bzw z.b d.h u.a ggf usw evtl inkl nr str sog vgl")

// split returns the words of a sentence, in parts of at most [longest].
func split(text string, span passage.Span, language string) [][]Word {
	var parts [][]Word
	var words []Word
	emit := func(from, to int) {
		if len(words) == longest {
			parts = append(parts, words)
			words = nil
		}
		words = append(words, Word{Span: passage.Span{Start: from, End: to}, Text: text[from:to], Head: -1})
	}
	for at := span.Start; at < span.End; {
		r, size := utf8.DecodeRuneInString(text[at:span.End])
		if unicode.IsSpace(r) || r == '\u200b' || r == '\u00ad' {
			at += size
			continue
		}
		end := chunk(text, at, span.End)
		if end == at {
			emit(at, at+size)
			at += size
			continue
		}
		parted(text, at, end, language, emit)
		at = end
	}
	if len(words) > 0 {
		parts = append(parts, words)
	}
	return parts
}

func wordRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) }

// chunk returns where the letters and digits from an offset end, with the points, hyphens and apostrophes inside.
func chunk(text string, at, stop int) int {
	end := at
	var last rune
	for end < stop {
		r, size := utf8.DecodeRuneInString(text[end:stop])
		next, _ := utf8.DecodeRuneInString(text[min(end+size, stop):stop])
		switch {
		case wordRune(r):
		case end == at:
			return at
		case (r == '.' || r == ',') && unicode.IsDigit(last) && unicode.IsDigit(next):
		case r == '.' && unicode.IsLetter(last) && unicode.IsLetter(next):
		case r == '.' && !wordRune(next) && end+size < stop && (abbreviations[strings.ToLower(text[at:end])] || single(text[at:end]) || dotted(text[at:end])):
			return end + size
		case (r == '-' || r == '\'' || r == '’' || r == '_') && wordRune(next):
		default:
			return end
		}
		last = r
		end += size
	}
	return end
}

func single(word string) bool {
	r, size := utf8.DecodeRuneInString(word)
	return size == len(word) && unicode.IsUpper(r)
}

// dotted reports whether a word is letters with points between them: b.i.d
func dotted(word string) bool {
	for i, part := range strings.Split(word, ".") {
		if utf8.RuneCountInString(part) != 1 || i == 0 && part == word || !unicode.IsLetter(firstRune(part)) {
			return false
		}
	}
	return true
}

// parted emits the words of a chunk: a figure and its unit, what stands around hyphens, clitics.
func parted(text string, from, to int, language string, emit func(from, to int)) {
	word := text[from:to]
	// 5mg is two words, 20th is one.
	if digits := len(word) - len(strings.TrimLeft(word, "0123456789.,")); digits > 0 && digits < len(word) {
		rest := strings.ToLower(word[digits:])
		if rest != "st" && rest != "nd" && rest != "rd" && rest != "th" && rest != "s" && unicode.IsLetter(firstRune(rest)) && !strings.ContainsAny(rest, "0123456789") {
			emit(from, from+digits)
			from += digits
			word = text[from:to]
		}
	}
	if language == "en" {
		lower := strings.ToLower(word)
		if lower == "cannot" {
			emit(from, from+3)
			emit(from+3, to)
			return
		}
		for _, c := range clitics {
			if strings.HasSuffix(lower, c) && len(lower) == len(word) && len(c) < len(word) {
				parted(text, from, to-len(c), language, emit)
				emit(to-len(c), to)
				return
			}
		}
		if i := strings.IndexByte(word, '-'); i > 0 && i < len(word)-1 && !affixes[strings.ToLower(word[:i])] {
			emit(from, from+i)
			emit(from+i, from+i+1)
			parted(text, from+i+1, to, language, emit)
			return
		}
	}
	emit(from, to)
}

func firstRune(s string) rune {
	r, _ := utf8.DecodeRuneInString(s)
	return r
}
