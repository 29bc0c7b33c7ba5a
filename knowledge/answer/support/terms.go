package support

import (
	"cmp"
	"slices"
	"sync"
	"unicode"
	"unicode/utf8"

	"lacuna/knowledge"
	"lacuna/knowledge/lexical"
	"lacuna/knowledge/passage"
)

// tooFewTerms is the number of terms below which a text is too short by itself, such as "Colchicine.".
const tooFewTerms = 3

// lexicon knows how telling the terms of a library are. It is safe for concurrent use.
type lexicon struct {
	base   *knowledge.Collection  // running text, or stored questions where there is none; may be nil
	titles func() map[string]bool // terms of titles that are names, computed once
}

func newLexicon(library *knowledge.Library) *lexicon {
	return &lexicon{
		base:   cmp.Or(library.Collection(passage.Text), library.Collection(passage.QA)),
		titles: sync.OnceValue(func() map[string]bool { return titleTerms(library.Passages()) }),
	}
}

// Weight returns the idf of a term; a term that the base does not know weighs the most.
func (l *lexicon) Weight(term string) float64 {
	if l.base == nil {
		return 1
	}
	return l.base.IDF(term)
}

// Terms returns the analysed terms of a text, each once, in order.
func Terms(text string) []string {
	var kept []string
	seen := make(map[string]bool)
	for _, term := range lexical.Terms(text) {
		if !seen[term] {
			seen[term] = true
			kept = append(kept, term)
		}
	}
	return kept
}

// TermSet returns the terms of a text, and its Han characters for [share].
func TermSet(text string) map[string]bool {
	set := make(map[string]bool)
	for _, term := range lexical.Terms(text) {
		set[term] = true
	}
	for _, r := range text {
		if unicode.Is(unicode.Han, r) {
			set[string(r)] = true
		}
	}
	return set
}

// scatteredPair weighs a pair of Han characters that both stand in a text, but not next to each other:
// the analysis takes every two neighbours for a term, and many of these belong to two words.
const scatteredPair = .5

// share returns how much of the weight of some terms stands in sets of terms, from 0 to 1.
func share(terms []string, weight func(term string) float64, sets ...map[string]bool) float64 {
	in := func(term string) bool {
		return slices.ContainsFunc(sets, func(set map[string]bool) bool { return set[term] })
	}
	held, whole := 0.0, 0.0
	for _, term := range terms {
		w := weight(term)
		whole += w
		if in(term) {
			held += w
		} else if first, second, isPair := HanPair(term); isPair && in(first) && in(second) {
			held += scatteredPair * w
		}
	}
	if whole == 0 {
		return 0
	}
	return held / whole
}

// HanPair splits a term of two Han characters.
func HanPair(term string) (first, second string, ok bool) {
	r, size := utf8.DecodeRuneInString(term)
	first, second = term[:size], term[size:]
	return first, second, unicode.Is(unicode.Han, r) && utf8.RuneCountInString(second) == 1
}

// titleTerms returns the terms of those titles that are names.
func titleTerms(passages []*passage.Passage) map[string]bool {
	const longest, mostTerms = 40, 2
	terms := make(map[string]bool)
	last := ""
	for _, p := range passages {
		if p.Title == last || len(p.Title) > longest {
			continue
		}
		last = p.Title
		for _, name := range p.Names() {
			if called := lexical.Terms(name); len(called) <= mostTerms {
				for _, term := range called {
					terms[term] = true
				}
			}
		}
	}
	return terms
}
