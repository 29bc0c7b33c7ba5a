package gap

import (
	"slices"

	"lacuna/knowledge"
)

// coveredFrom is the share of a text's weight that one passage has to hold to cover it.
const coveredFrom = 0.6

// Covered reports whether the passage with that ordinal covers a text: whether its terms, those of
// title, headings and a stored answer included, make up most of the idf mass of what the text
// says. A term that no passage holds weighs the most.
func Covered(library *knowledge.Library, text string, ordinal int) bool {
	p := library.Passages()[ordinal]
	shelf := library.Shelf(p.Kind)
	if shelf == nil {
		return false
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
	return whole > 0 && covered >= coveredFrom*whole
}
