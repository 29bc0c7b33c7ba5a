// Package vecmath does arithmetic on float32 vectors and nothing else: exact nearest rows by L2
// distance and the few products that training and attention need. It is the only user of vek,
// which panics on empty or unequal slices; lengths are checked here, once.
package vecmath

// Rows is a matrix of row vectors of one dimension, searched exactly. Searching is safe for
// concurrent use once nothing is appended any more.
type Rows struct {
	dim  int
	data []float32
}

// Neighbor is a row and its Euclidean (not squared) distance from a query.
type Neighbor struct {
	Row      int
	Distance float32
}
