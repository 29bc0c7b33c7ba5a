// Package lexical turns text into terms and finds texts by them with the textbook BM25.
//
// # How a search works
//
//	query ──► terms: folded, stop words out, stemmed; Han in overlapping pairs (analyze.go)
//	            │
//	   ┌────────┴────────────┐
//	   ▼                     ▼
//	in few texts          in 64 texts or more
//	postings of bluge     bounds: what each text can earn by the term, at most, in 255ths
//	(postings.go)         (bounds.go)
//	   └────────┬────────────┘
//	            ▼
//	windows of 8,192 texts, one after the other: sums of upper bounds; a text whose sum cannot reach
//	the k-th best is left out (MaxScore, Turtle & Flood 1995; search.go has the proof)
//	            │
//	            ▼
//	the survivors are scored exactly, from the numbers of their terms (forward.go)
//
// Scores and order equal plain scoring's to the bit: the bounds decide only what need not be scored.
// An index adds to the last one: texts that are known are not analysed again, and parts of postings are
// hard links (build.go).
//
// This package is the only user of bluge. Begin with [Analyze], [Build] and [Open].
package lexical

import (
	"fmt"
	"math"
)

// Parameters holds BM25's parameters. Every index records them.
type Parameters struct {
	K1 float64 `json:"k1"` // how soon further occurrences of a term stop counting; positive
	B  float64 `json:"b"`  // how much long texts are held back, in 0..1
}

func (p Parameters) check() error {
	if !(p.K1 > 0) || math.IsInf(p.K1, 0) || !(p.B >= 0 && p.B <= 1) {
		return fmt.Errorf("BM25 cannot have k1 %v and b %v", p.K1, p.B)
	}
	return nil
}

// IDF returns the weight of a term found in df of n texts, ln(1 + (n - df + 0.5)/(df + 0.5)), as in
// Robertson & Zaragoza (2009) with Lucene's one added, so that it is never negative.
func IDF(n, df int) float64 {
	return math.Log1p((float64(n-df) + 0.5) / (float64(df) + 0.5))
}

// saturation returns the fraction, in 0..1, of a term's weight that a text of this length earns with this
// frequency of the term. It lacks the usual factor k1+1, which would change no order; without it a score
// never exceeds the sum of the query's weights.
func (p Parameters) saturation(frequency, length int, meanLength float64) float64 {
	tf := float64(frequency)
	return tf / (tf + p.K1*(1-p.B+p.B*float64(length)/meanLength))
}

// contribution returns what a query's term earns a text. Scores are sums of contributions in the order of
// the query's terms, so that a score is the same to the bit however it is computed.
func (p Parameters) contribution(weight float64, frequency, length int, meanLength float64) float64 {
	// The conversion keeps the compiler from fusing the product with the sum, which would round
	// differently from place to place.
	return float64(weight * p.saturation(frequency, length, meanLength))
}
