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

// LongestPhrase is the number of terms of the longest phrase that [Synonyms] knows. A Chinese word counts as
// one.
const LongestPhrase = 4

// ownWeight is the weight of what stands in one line of the lists written for Lacuna.
const ownWeight = 0.7

// Synonyms returns other ways to say a phrase, each once, in a fixed order. The phrase is given by its terms,
// joined with spaces; a Chinese word as it is written. A phrase of Latin letters is looked up in English, and in
// a German base in German first.
func Synonyms(phrase string, language Language) []Synonym {
	found := slices.Clone(own()[phrase])
	for _, lookUp := range tablesFor(phrase, language) {
		for _, synonym := range lookUp().synonyms(phrase) {
			found = addSynonym(found, synonym)
		}
	}
	return found
}

var english, german, chinese = open("en.table"), open("de.table"), open("zh.table")

// tablesFor returns the tables that may have a phrase.
func tablesFor(phrase string, language Language) []func() *table {
	switch {
	case lexical.IsHan(phrase):
		return []func() *table{chinese}
	case language == German:
		return []func() *table{german, english}
	}
	return []func() *table{english}
}

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
				table[key] = addSynonym(table[key], Synonym{PhraseTerms(other), ownWeight})
			}
		}
	}
}

// addSynonym adds a synonym to a list, or raises the weight of one that is there.
func addSynonym(list []Synonym, synonym Synonym) []Synonym {
	for i, known := range list {
		if slices.Equal(known.Terms, synonym.Terms) {
			list[i].Weight = max(known.Weight, synonym.Weight)
			return list
		}
	}
	return append(list, synonym)
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
