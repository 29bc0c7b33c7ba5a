package gate

import (
	"context"
	"maps"
	"slices"

	"lacuna/knowledge"
	"lacuna/knowledge/lexical"
	"lacuna/knowledge/passage"
	"lacuna/knowledge/plaintext"
)

// base is the library behind an encoder: how rare words are, and what is found for a question. The
// zero base finds nothing, and all words weigh the same.
type base struct {
	library *knowledge.Library
	shelf   *knowledge.Collection
	kind    passage.Kind
}

// baseOf is the base behind an encoder.
func baseOf(e Encoder) base {
	if s, ok := e.(interface{ searched() base }); ok {
		return s.searched()
	}
	return base{}
}

func (b base) idf(term string) float64 {
	if b.shelf == nil {
		return 1
	}
	return b.shelf.IDF(term)
}

// terms are the distinct analysed terms of a text, in order.
func terms(text string) []string {
	return slices.Sorted(maps.Keys(plaintext.SetOf(lexical.Terms(text))))
}

// mass is the sum of the weights of terms, of those in a set only where one is given.
func (b base) mass(terms []string, in map[string]bool) float64 {
	sum := 0.0
	for _, t := range terms {
		if in == nil || in[t] {
			sum += b.idf(t)
		}
	}
	return sum
}

// coverage is the share of the weight of terms that a set has; 0 for no terms.
func (b base) coverage(terms []string, set map[string]bool) float64 {
	if all := b.mass(terms, nil); all > 0 {
		return b.mass(terms, set) / all
	}
	return 0
}

// evidenceDepth is how many passages are looked at.
const evidenceDepth = 10

// evidence is what a base has for a question.
type evidence struct {
	scores   []float64         // of BM25, best first
	passages []map[string]bool // their terms
	all      map[string]bool   // the terms of all of them
}

func (b base) evidence(text string) evidence {
	found := evidence{all: make(map[string]bool)}
	if b.library == nil {
		return found
	}
	// A search without a context of its own cannot fail by its end, and finds nothing where it fails.
	hits, _ := b.library.Search(context.Background(), knowledge.Query{Text: text, K: evidenceDepth, Kind: b.kind, Retriever: knowledge.BM25})
	for _, hit := range hits {
		set := plaintext.SetOf(b.shelf.Terms(hit.Ordinal))
		found.scores, found.passages = append(found.scores, hit.BM25), append(found.passages, set)
		maps.Copy(found.all, set)
	}
	return found
}
