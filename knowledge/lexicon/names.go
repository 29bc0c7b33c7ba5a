package lexicon

import (
	"iter"
	"strings"
	"unicode"
	"unicode/utf8"

	"lacuna/knowledge/lexical"
)

// nameWeight is the weight of what a base itself says is the same.
const nameWeight = 0.9

// Names holds what a base says is the same, by the keys of phrases.
type Names map[string][]Synonym

// NewNames reads the abbreviations that texts define, "thin layer chromatography (TLC)" or "TLC (thin layer
// chromatography)", and joins each list of aliases.
func NewNames(texts iter.Seq[string], aliases iter.Seq[[]string]) Names {
	names := make(Names)
	for text := range texts {
		names.addAbbreviations(text)
	}
	for list := range aliases {
		for i, name := range list {
			for _, other := range list[i+1:] {
				names.join(name, other)
			}
		}
	}
	return names
}

// join makes two names mean the same, unless one is no phrase that a question may have.
func (n Names) join(name, other string) {
	a, b := Key(name), Key(other)
	if a == "" || b == "" || a == b || isLong(a) || isLong(b) {
		return
	}
	n[a] = addSynonym(n[a], Synonym{PhraseTerms(other), nameWeight})
	n[b] = addSynonym(n[b], Synonym{PhraseTerms(name), nameWeight})
}

// isLong reports whether a phrase has more terms than are looked up.
func isLong(key string) bool { return strings.Count(key, " ") >= LongestPhrase }

// addAbbreviations adds what a text defines in brackets.
func (n Names) addAbbreviations(text string) {
	const longest = 80 // bytes in brackets
	for from := 0; ; {
		at := strings.IndexByte(text[from:], '(')
		if at < 0 {
			return
		}
		open := from + at
		from = open + 1
		inside, _, closed := strings.Cut(text[from:min(len(text), from+longest)], ")")
		if !closed {
			continue
		}
		before := strings.TrimRight(text[max(0, open-longest):open], " \n")
		if inside = strings.TrimSpace(inside); isAbbreviation(inside) {
			if whole := spelledOut(inside, before); whole != "" {
				n.join(inside, whole)
			}
		} else if short := before[strings.LastIndexAny(before, " \n(")+1:]; isAbbreviation(short) {
			if whole := spelledOut(short, inside); whole == inside {
				n.join(short, inside)
			}
		}
	}
}

// isAbbreviation reports whether a word is short and has two capitals.
func isAbbreviation(word string) bool {
	const longest = 8
	capitals := 0
	for _, r := range word {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '-' {
			return false
		}
		if unicode.IsUpper(r) {
			capitals++
		}
	}
	return capitals >= 2 && utf8.RuneCountInString(word) <= longest && !lexical.IsHan(word)
}

// spelledOut returns the end of a text that an abbreviation is short for; it is empty if there is none. Its words
// begin with the abbreviation's letters, or, after Schwartz & Hearst (2003), the letters stand there in their
// order, the first one where a word begins.
func spelledOut(short, text string) string {
	letters := []rune(strings.ToLower(strings.ReplaceAll(short, "-", "")))
	if words := strings.Fields(text); len(words) >= len(letters) {
		words = words[len(words)-len(letters):]
		initial := func(i int) bool {
			first, _ := utf8.DecodeRuneInString(words[i])
			return unicode.ToLower(first) == letters[i]
		}
		i := 0
		for i < len(words) && initial(i) {
			i++
		}
		if i == len(words) && !strings.ContainsAny(strings.Join(words, ""), ".;:!?") {
			return strings.Join(words, " ")
		}
	}
	runes := []rune(text)
	at := len(runes) - 1
	for i := len(letters) - 1; i >= 0; i-- {
		for at >= 0 && (unicode.ToLower(runes[at]) != letters[i] || i == 0 && at > 0 && isWordRune(runes[at-1])) {
			at--
		}
		if at < 0 {
			return ""
		}
		at--
	}
	whole := string(runes[at+1:])
	if words := len(strings.Fields(whole)); words < 2 || words > 2*len(letters) || strings.ContainsAny(whole, ".;:!?") {
		return ""
	}
	return whole
}

func isWordRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
