package question

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"lacuna/knowledge/lexical"
	"lacuna/knowledge/passage"
	"lacuna/knowledge/plaintext"
)

// Phrase is a run of words of a question that names one thing.
type Phrase struct {
	Text         string   // as written in the question, on one line
	Terms        []string // analysed, distinct
	passage.Span          // in the question
}

// word is one word of a question.
type word struct {
	text       string
	start, end int
	// after is true if something other than a space stands between the previous word and this one: a
	// comma, a bracket, a dash between spaces.
	after bool
}

var wordPattern = regexp.MustCompile(`[\p{L}\p{N}]+(?:[-–/'’.+][\p{L}\p{N}]+)*\+?`)

// maxJoined is the maximal number of words of a phrase joined by "of" or "and".
const maxJoined = 7

// Phrases returns what a question names, in order. Outside Chinese the rules are English.
func Phrases(text string) []Phrase {
	if plaintext.HasHan(text) {
		return HanPhrases(text)
	}
	words := splitWords(text)
	relation := asksRelation(words)
	var runs [][]word
	for _, run := range wordRuns(words) {
		if trimmed := trimGeneric(run); len(trimmed) > 0 {
			runs = append(runs, trimmed)
		}
	}
	runs = join(text, runs, relation)
	out := make([]Phrase, 0, len(runs))
	seen := make(map[string]bool)
	for _, run := range runs {
		c := newPhrase(text, run[0].start, run[len(run)-1].end)
		if len(c.Terms) == 0 || seen[strings.ToLower(c.Text)] {
			continue
		}
		seen[strings.ToLower(c.Text)] = true
		out = append(out, c)
	}
	return dropInitials(out)
}

func newPhrase(text string, start, end int) Phrase {
	c := Phrase{Text: plaintext.OneLine(text[start:end]), Span: passage.Span{Start: start, End: end}}
	seen := make(map[string]bool)
	for _, t := range lexical.Analyze(text[start:end]) {
		if !seen[t.Term] {
			seen[t.Term] = true
			c.Terms = append(c.Terms, t.Term)
		}
	}
	return c
}

// Words returns the words of a text as written, with what hyphens and dots join: "IL-6", "3.5".
func Words(text string) []string {
	var all []string
	for _, w := range splitWords(text) {
		all = append(all, w.text)
	}
	return all
}

func splitWords(text string) []word {
	var words []word
	end := 0
	for _, at := range wordPattern.FindAllStringIndex(text, -1) {
		between := strings.TrimSpace(text[end:at[0]])
		words = append(words, word{
			text: text[at[0]:at[1]], start: at[0], end: at[1],
			after: between != "" && end > 0,
		})
		end = at[1]
	}
	return words
}

// wordRuns cuts the words at function words, question words, verbs of asking and punctuation.
func wordRuns(words []word) [][]word {
	var runs [][]word
	var run []word
	flush := func() {
		if len(run) > 0 {
			runs = append(runs, run)
		}
		run = nil
	}
	for i, w := range words {
		if w.after {
			flush()
		}
		if isBreak(words, i) {
			flush()
			continue
		}
		run = append(run, w)
	}
	flush()
	return runs
}

// isBreak reports whether the word at i cannot be part of a name. A capital "I" that numbers a type or
// phase can, and so can a capital "A" inside a run.
func isBreak(words []word, i int) bool {
	w := words[i]
	lower := strings.TrimSuffix(strings.TrimSuffix(strings.ToLower(w.text), "'s"), "’s")
	if w.text == "I" && i > 0 && counted[strings.ToLower(words[i-1].text)] {
		return false
	}
	if w.text == "A" && i > 0 && !w.after {
		return isBreak(words[:i], i-1)
	}
	// An abbreviation may be spelt like a function word: WHO, IT, ALL.
	if len(w.text) > 1 && isAbbreviation(w.text) && !shouting(words) {
		return false
	}
	if participles[lower] && insideName(words, i) || opensName(words, i) {
		return false
	}
	if lower == w.text && isAdverb(lower) {
		return true
	}
	return isGrammar(lower) || isContraction(lower) || lower == w.text && isVerb(words, i)
}

// opensName reports that an everyday word at i is a proper name: "Down syndrome", "Best disease".
func opensName(words []word, i int) bool {
	return words[i].start > 0 && i+1 < len(words) && !words[i+1].after && closers[strings.ToLower(words[i+1].text)] &&
		unicode.IsUpper(firstRune(words[i].text)) && !unicode.IsUpper(firstRune(words[i+1].text))
}

func firstRune(text string) rune {
	r, _ := utf8.DecodeRuneInString(text)
	return r
}

// isAdverb reports whether a word has an ending that adverbs have and names hardly ever have.
func isAdverb(lower string) bool {
	for _, ending := range []string{"ously", "ively", "ically", "antly", "ently", "ally", "edly", "arily", "fully"} {
		if strings.HasSuffix(lower, ending) {
			return true
		}
	}
	return false
}

// insideName reports that the participle at i joins two words into one name, as in "senescence
// associated phenotype", rather than asking: "genes associated with" has a preposition after it.
func insideName(words []word, i int) bool {
	if i == 0 || i+1 == len(words) || words[i].after || words[i+1].after {
		return false
	}
	before, next := strings.ToLower(words[i-1].text), strings.ToLower(words[i+1].text)
	return !functionWords[next] && !lexical.IsAskingWord(next) && !functionWords[before] && !lexical.IsAskingWord(before) && !IsGeneric(before)
}

func isAbbreviation(s string) bool {
	for _, r := range s {
		if !unicode.IsUpper(r) && !unicode.IsDigit(r) {
			return false
		}
	}
	return true
}

// shouting reports that the question is written in capitals, so that capitals mean nothing.
func shouting(words []word) bool {
	capitals := 0
	for _, w := range words {
		if isAbbreviation(w.text) {
			capitals++
		}
	}
	return len(words) > 2 && 2*capitals > len(words)
}

// trimGeneric cuts words that name nothing by themselves from both ends of a run. A word that opens or closes
// a name stays: "factor" in "factor XIa", "disease" in "Wolman disease".
func trimGeneric(run []word) []word {
	for len(run) > 0 && (IsGeneric(run[0].text) || isNumber(run[0].text)) {
		if opensName(run, 0) && !isNumber(run[0].text) {
			break
		}
		if len(run) > 1 && counted[strings.ToLower(run[0].text)] && IsCode(run[1].text) {
			break
		}
		run = run[1:]
	}
	for len(run) > 0 {
		last := run[len(run)-1]
		if !IsGeneric(last.text) {
			break
		}
		if len(run) > 1 && closers[strings.ToLower(last.text)] && (!IsGeneric(run[len(run)-2].text) || len(run) > 2 && closers[strings.ToLower(run[len(run)-2].text)] && !IsGeneric(run[len(run)-3].text) || opensName(run, len(run)-2)) {
			break
		}
		run = run[:len(run)-1]
	}
	return run
}

func isNumber(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsDigit(r) })
}

// IsCode reports whether a word looks like a number or a letter that distinguishes kinds.
func IsCode(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool { return unicode.IsUpper(r) || unicode.IsDigit(r) })
}

// IsGeneric reports whether a word names nothing by itself, such as "role" or "patients".
func IsGeneric(text string) bool {
	lower := strings.ToLower(text)
	if lower != text && isAbbreviation(text) && len(text) > 1 {
		return false
	}
	return genericWords[lower]
}

// join puts "X of (the) Y" and "X and Y" back together if the whole stays short. "and" does not join the two
// things that a question relates.
func join(text string, runs [][]word, relation bool) [][]word {
	var out [][]word
	for _, run := range runs {
		if len(out) > 0 {
			last := out[len(out)-1]
			between := strings.ToLower(plaintext.OneLine(text[last[len(last)-1].end:run[0].start]))
			joins := between == "of" || between == "of the" || between == "and" && !relation
			if joins && len(last)+len(run)+len(strings.Fields(between)) <= maxJoined {
				out[len(out)-1] = append(last[:len(last):len(last)], run...)
				continue
			}
		}
		out = append(out, run)
	}
	return out
}

func asksRelation(words []word) bool {
	for _, w := range words {
		if relationWords[strings.ToLower(w.text)] {
			return true
		}
	}
	return false
}

// dropInitials leaves out an abbreviation whose full form is in the question as well.
func dropInitials(all []Phrase) []Phrase {
	out := all[:0:0]
	for _, c := range all {
		if isAbbreviation(c.Text) && len(c.Text) > 1 && spelledOut(c.Text, all) {
			continue
		}
		out = append(out, c)
	}
	return out
}

func spelledOut(abbreviation string, all []Phrase) bool {
	for _, c := range all {
		var initials strings.Builder
		for _, part := range strings.FieldsFunc(c.Text, func(r rune) bool { return r == ' ' || r == '-' }) {
			for _, r := range part {
				initials.WriteRune(unicode.ToUpper(r))
				break
			}
		}
		if c.Text != abbreviation && initials.String() == abbreviation {
			return true
		}
	}
	return false
}
