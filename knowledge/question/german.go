package question

import (
	"strings"

	"lacuna/knowledge/plaintext"
)

// germanPhrases returns the runs of nouns, which begin with a capital, with the adjectives before them, and
// else the words that are none of grammar.
func germanPhrases(text string) []Phrase {
	words := wordsOf(text)
	var phrases []Phrase
	add := func(from, to int) {
		if p := newPhrase(text, words[from].start, words[to-1].end); len(p.Terms) > 0 {
			phrases = append(phrases, p)
		}
	}
	for at := 0; at < len(words); {
		end := at
		for end < len(words) && isGermanNoun(text, words, end) && (end == at || strings.TrimSpace(text[words[end-1].end:words[end].start]) == "" || text[words[end-1].end:words[end].start] == "-") {
			end++
		}
		if end > at {
			add(at, end)
			at = end
			continue
		}
		at++
	}
	if len(phrases) > 0 {
		return phrases
	}
	for at, w := range words {
		if !germanFunction[w.plain] && !germanWords[w.plain] {
			add(at, at+1)
		}
	}
	return phrases
}

// isGermanNoun reports whether the word at i is written as a noun or name and not for opening a sentence.
func isGermanNoun(text string, words []textWord, i int) bool {
	w := words[i]
	if germanWords[w.plain] || germanFunction[w.plain] {
		return false
	}
	if IsCode(text[w.start:w.end]) {
		return !w.opens || !verbal(w.plain)
	}
	return false
}

// verbal reports whether a German word that opens a sentence has the ending of a verb in a question or a
// request.
func verbal(lower string) bool {
	return strings.HasSuffix(lower, "en") || strings.HasSuffix(lower, "t") || strings.HasSuffix(lower, "st")
}

var germanFunction = plaintext.Set(`sie ihr ihre ihren ihrem du dich dir deine er uns euch sich alle alles andere anderen mehr weniger
	sehr so auch noch nur schon bitte hallo danke mal denn doch etwa etwas als ob damit dabei dafür daran
	gegen ohne um durch vor nach während seit bis zwischen unter wegen trotz pro je ab an in hinter neben dort hier da dann jetzt heute
	wozu wofür woran wodurch worauf wogegen wohin woher wessen wem wen was`)
