package question

import (
	_ "embed"
	"slices"
)

// Aspect is a side of a subject that a question may ask for and a heading may announce, by the name that a
// user reads after "Nothing on". "" is none.
type Aspect string

// Definition is the aspect that a text without a heading usually treats.
const Definition Aspect = "the definition"

//go:embed aspects.txt
var aspectCues string

var aspectTable = newTable(aspectCues)

// Aspects returns all built-in aspects in the order of aspects.txt.
func Aspects() []Aspect {
	all := make([]Aspect, len(aspectTable.names))
	for i, name := range aspectTable.names {
		all[i] = Aspect(name)
	}
	return all
}

// AspectOf returns the aspect that a heading names, or "": Treatment for "Management of asthma".
func AspectOf(heading string) Aspect { return first(AspectsOf(heading)) }

// AspectsOf returns the aspects that a heading names, the meant one first: for "Fees and deadlines" cost and
// deadline.
func AspectsOf(heading string) []Aspect { return aspectsIn(heading, inHeading) }

func first(aspects []Aspect) Aspect {
	if len(aspects) == 0 {
		return ""
	}
	return aspects[0]
}

// aspectsIn returns the aspects that a text names, the meant one first.
func aspectsIn(text string, where usage) []Aspect {
	var aspects []Aspect
	for _, f := range ranked(aspectTable.search(text, where)) {
		if a := Aspect(aspectTable.names[f.owner]); !slices.Contains(aspects, a) {
			aspects = append(aspects, a)
		}
	}
	return aspects
}

// ranked orders finds: those that are not weak, then those of more words, then the head of a phrase before
// what it is of ("cost of treatment", "treatment cost", 治疗的费用).
func ranked(found []find) []find {
	slices.SortStableFunc(found, func(a, b find) int {
		if a.weak != b.weak {
			if a.weak {
				return 1
			}
			return -1
		}
		if a.size() != b.size() {
			return b.size() - a.size()
		}
		adjacent := a.first-b.first == 1 || b.first-a.first == 1
		if a.inScript || adjacent {
			return b.start - a.start
		}
		return a.start - b.start
	})
	return found
}
