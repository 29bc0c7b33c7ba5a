// Package sense tells the questions that a writer wants looked up from sentences that only look like such: politeness,
// rhetoric, what is asked of somebody else, what the writer answers himself, flashcards, quotations. It knows a sentence
// and what stands around it, and of its note only the other candidates.
//
// A candidate becomes a set of named features (features.go), and a logistic regression over them reads it by itself
// ([Read]). What the regression makes of it and of the other candidates of its note, and some counts (place.go), are what
// small regression trees decide by how probable it is that a careful colleague would go and look it up ([Open]): the
// questions of one list mostly share their fate. All weights are in the program; README.md says how they were made.
package sense

import (
	_ "embed"
	"strconv"
	"strings"
	"sync"

	"lacuna/knowledge/gate/trees"
)

//go:embed weights.txt
var weightsText string

var weights = readWeights(weightsText)

// readWeights reads a line "FEATURE WEIGHT" each.
func readWeights(text string) map[string]float64 {
	read := make(map[string]float64)
	for line := range strings.Lines(text) {
		name, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		w, err := strconv.ParseFloat(value, 64)
		if err != nil {
			panic("sense: weights.txt: " + err.Error())
		}
		read[name] = w
	}
	return read
}

// logOdds returns what the regression makes of a candidate.
func logOdds(c Candidate) float64 {
	sum := 0.0
	for _, name := range Features(c) {
		sum += weights[name]
	}
	return sum
}

//go:embed weights.trees
var treesText string

var model = sync.OnceValue(func() *trees.Model {
	m, err := trees.Read(strings.NewReader(treesText))
	if err != nil {
		panic("sense: weights.trees: " + err.Error())
	}
	return m
})

// Open returns, for each candidate of a note in order, the probability, in 0..1, that the writer wants an answer looked
// up. It is safe for concurrent use.
func Open(all []Reading) []float64 {
	open := make([]float64, len(all))
	for i, row := range Values(all) {
		p, err := model().Predict(row)
		if err != nil {
			panic("sense: weights.trees: " + err.Error())
		}
		open[i] = max(0, min(1, p))
	}
	return open
}
