package gap

import (
	"slices"

	"lacuna/knowledge"
)

// Coverage is the share of the idf mass of what a text says that the terms of the passage with that
// ordinal hold, those of title, headings and a stored answer included; in 0..1, and 0 for a text
// without terms. A term that no passage holds weighs the most. It says how near a passage is; whether
// a passage has what is missing says [Fills].
func Coverage(library *knowledge.Library, text string, ordinal int) float64 {
	p := library.Passages()[ordinal]
	shelf := library.Collection(p.Kind)
	if shelf == nil {
		return 0
	}
	held := evidenceTerms(shelf, p, ordinal)
	covered, whole := 0.0, 0.0
	for _, term := range ContentTerms(text) {
		weight := shelf.IDF(term)
		whole += weight
		if slices.Contains(held, term) {
			covered += weight
		}
	}
	if whole == 0 {
		return 0
	}
	return covered / whole
}
