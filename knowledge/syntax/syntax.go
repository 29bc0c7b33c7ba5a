// Package syntax says who does what to whom in a sentence: it splits a text into words, tags their parts of
// speech and finds the grammatical head of each, after Universal Dependencies, in English and German.
//
// A tagger and a greedy parser of averaged perceptrons do so without a network and without a model server; their
// weights are part of the program; README.md says of what they were made. In English one word in five has a wrong
// head or relation, in German one in three: a caller reads a parse as evidence, never as a fact.
// [Parse] is where to begin, [Sentence.Predicates] gives what most callers want. Chinese is not parsed.
package syntax

import (
	"context"

	"lacuna/knowledge/cache"
	"lacuna/knowledge/passage"
)

// Parse returns the sentences of a plain text in English ("en") or German ("de"), or none in another language. A line
// that is not wrapped ends a sentence. The cost is linear in the length of the text, and next to nothing for a text that
// was parsed lately. Results are shared and must not be changed. Parse is safe for concurrent use.
func Parse(text, language string) []Sentence {
	m := models[language]
	if m == nil {
		return nil
	}
	sentences, _ := parsed.Get(context.Background(), source{text, language}, func() ([]Sentence, error) { return parse(text, language, m()), nil })
	return sentences
}

// source is what a parse depends on.
type source struct{ text, language string }

// parsed holds what was parsed last: an answer compares one sentence with several sources, and one source with several
// sentences.
var parsed = cache.Recent[source, []Sentence]{Size: 256}

func parse(text, language string, weights *model) []Sentence {
	var sentences []Sentence
	for _, span := range passage.Sentences(text, passage.Plain) {
		for _, words := range split(text, span, language) {
			s := Sentence{Words: words, language: language}
			weights.parse(s.Words)
			sentences = append(sentences, s)
		}
	}
	return sentences
}
