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
)

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
