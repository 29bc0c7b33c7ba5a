// Package rerank puts the first passages of a search in a better order: boosted trees read what is known of
// each of them, compared with the others of the list.
//
// The trees are in the program (weights.txt). They were trained on several unlike collections together, and
// chosen by collections left out of training; see README.md here.
//
// Begin with [Order].
package rerank

import (
	"bytes"
	_ "embed"
	"slices"
	"sync"

	"lacuna/knowledge/gate/trees"
	"lacuna/knowledge/passage"
)

// Candidate is a passage that a search found, with its signals.
type Candidate struct {
	Passage *passage.Passage
	Ordinal int      // of the passage in its library
	Terms   []uint32 // of what is indexed of it, in order, as places in the vocabulary
	Score   float64  // of the search
	BM25    float64
	Cosine  float64
	MaxSim  float64
	Window  float64
	Vector  []float32 // unit; nil without an encoder
}

// Base provides what must be known about the words of a collection.
type Base struct {
	N          int
	Vocabulary []string
	Number     func(term string) (uint32, bool)
	IDF        func(term string) float64
	MeanLength float64
	// Near returns how near each term of the query is to the text, as the greatest cosine of their vectors;
	// nil without an encoder. Terms are in the order in which the query has them; one that the encoder does
	// not know is 0.
	Near func(text []uint32) []float32
}

//go:embed weights.txt
var weights []byte

// model reads the trees of the program.
var model = sync.OnceValue(func() *trees.Model {
	m, err := trees.Read(bytes.NewReader(weights))
	if err != nil || m.Features != len(Names()) {
		panic("rerank: weights.txt does not fit the features")
	}
	return m
})

// Order returns the order of the candidates, as indexes into the list, which is best first by the search.
func Order(q *Query, list []Candidate) []int {
	return By(model(), Features(q, list))
}

// Start is what the search's own score, as a share of the best one, counts; the trees correct it.
const Start = 5

// By returns the order of rows of features, best first, equal ones as they stand.
func By(m *trees.Model, rows [][]float64) []int {
	order, scores := make([]int, len(rows)), make([]float64, len(rows))
	for i, row := range rows {
		order[i] = i
		scores[i], _ = m.Predict(row) // of the length that the model was checked for
		scores[i] += Start * row[0]
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case scores[a] > scores[b]:
			return -1
		case scores[a] < scores[b]:
			return 1
		}
		return 0
	})
	return order
}
