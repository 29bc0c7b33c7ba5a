// Package lexicon knows words that mean nearly the same, in any base: what people say beside what offices,
// clinics and manuals write; forms of one word; and the parts of German compounds. A question's words are read
// into a [Wording], which holds for each of them the words of a base that mean it, and says how well a text
// covers them. Search, reader and judge all ask there.
//
// Everything here is in the terms of [lexical.Analyze], since those are what a base has: stems of words, and
// Chinese words as they are written. Begin with [NewWording].
package lexicon

import (
	"embed"
	"slices"
	"strings"
	"sync"

	"lacuna/knowledge/lexical"
)

// Synonym is another way to say something.
type Synonym struct {
	// Terms are analysed words in a row; a text says the same if it has all of them.
	Terms []string
	// Weight says how nearly it means the same, in 0..1.
	Weight float64
}

// LongestPhrase is the number of terms of the longest phrase that [Synonyms] knows. A Chinese word counts as
// one.
const LongestPhrase = 4

// ownWeight is the weight of what stands in one line of the lists written for Lacuna.
const ownWeight = 0.7

// Synonyms returns other ways to say a phrase, each once, in a fixed order. The phrase is given by its terms,
// joined with spaces; a Chinese word as it is written. The result must not be changed.
func Synonyms(phrase string) []Synonym { return own()[phrase] }

//go:embed own.*.txt
var lists embed.FS

// own returns the lists written for Lacuna, by phrase.
var own = sync.OnceValue(func() map[string][]Synonym {
	table := make(map[string][]Synonym)
	for _, name := range []string{"own.en.txt", "own.de.txt", "own.zh.txt"} {
		text, err := lists.ReadFile(name)
		if err != nil {
			panic("lexicon: " + err.Error())
		}
		for line := range strings.Lines(string(text)) {
			if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
				addGroup(table, strings.Split(line, "|"))
			}
		}
	}
	return table
})

// addGroup makes phrases synonyms of each other.
func addGroup(table map[string][]Synonym, phrases []string) {
	for i, phrase := range phrases {
		key := Key(phrase)
		if key == "" {
			continue
		}
		for j, other := range phrases {
			if otherKey := Key(other); i != j && otherKey != "" && otherKey != key {
				add(table, key, Synonym{PhraseTerms(other), ownWeight})
			}
		}
	}
}

// add adds a synonym of a phrase, or raises the weight of one that is there.
func add(table map[string][]Synonym, key string, synonym Synonym) {
	for i, known := range table[key] {
		if slices.Equal(known.Terms, synonym.Terms) {
			table[key][i].Weight = max(known.Weight, synonym.Weight)
			return
		}
	}
	table[key] = append(table[key], synonym)
}

// PhraseTerms returns the terms of a phrase without the words that questions are searched without.
func PhraseTerms(phrase string) []string {
	var terms []string
	for _, token := range lexical.Content(phrase) {
		terms = append(terms, token.Term)
	}
	return terms
}

// Key returns what [Synonyms] knows a phrase by.
func Key(phrase string) string {
	phrase = strings.TrimSpace(phrase)
	if lexical.IsHan(phrase) {
		return lexical.Simplify(phrase)
	}
	return strings.Join(PhraseTerms(phrase), " ")
}
