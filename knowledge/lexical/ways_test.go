package lexical

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// scoredByWays returns the scores of all texts as they are defined: for each term what the best way earns.
func scoredByWays(x *Index, query []string, alternatives map[string][]Alternative) []float64 {
	scores := make([]float64, x.N())
	for ordinal := range scores {
		frequency := make(map[string]int)
		terms := x.Terms(ordinal)
		for _, term := range terms {
			frequency[term]++
		}
		for _, count := range distinct(query) {
			earned := 0.0
			for _, way := range append([]Alternative{{[]string{count.term}, 1}}, alternatives[count.term]...) {
				least := way.Share
				for _, term := range way.Terms {
					least = min(least, way.Share*x.bm25.saturation(frequency[term], len(terms), x.mean))
				}
				earned = max(earned, least)
			}
			scores[ordinal] += float64(float64(count.times) * IDF(x.N(), x.DocFreq(count.term)) * earned)
		}
	}
	return scores
}

// TestWaysAgreeWithPlainScoring holds that a search finds the best texts by the best way of saying each term.
func TestWaysAgreeWithPlainScoring(t *testing.T) {
	for _, n := range []int{1, 64, 300, windowSize + 1} {
		x := built(t, zipfTexts(n, uint64(n)))
		random := rand.New(rand.NewPCG(11, uint64(n)))
		for range 12 {
			query := zipfQuery(random)
			alternatives := make(map[string][]Alternative)
			for _, term := range query[:len(query)/2] {
				for range random.IntN(3) {
					alternatives[term] = append(alternatives[term], Alternative{zipfQuery(random)[:1], random.Float64()})
				}
				alternatives[term] = append(alternatives[term], Alternative{[]string{fmt.Sprintf("w%d", random.IntN(9)), "w1"}, 0.5})
			}
			want := scoredByWays(x, query, alternatives)
			scores, err := x.ScoreWays(t.Context(), query, nil, func(term string) []Alternative { return alternatives[term] })
			if err != nil {
				t.Fatal(err)
			}
			for ordinal := range want {
				if got := scores.Of(ordinal); got != want[ordinal] {
					t.Fatalf("%q with %v, text %d: score %v, want %v", query, alternatives, ordinal, got, want[ordinal])
				}
			}
			for _, k := range []int{1, 7, 200} {
				if got, want := scores.Best(k, nil), bestOf(want, k, nil); !slices.Equal(got, want) {
					t.Fatalf("%q with %v, best %d: %s", query, alternatives, k, firstDifference(got, want))
				}
			}
			scores.Release()
		}
	}
}
