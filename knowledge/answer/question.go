package answer

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"strings"

	"lacuna/knowledge/llm"
)

// asked is the question as the systems of the MedRGAG paper retrieve and rerank by it: with its
// options.
func (r *run) asked() string {
	var b strings.Builder
	b.WriteString(r.question.Text)
	for _, option := range r.question.Options {
		fmt.Fprintf(&b, "\n%s. %s", option.Letter, option.Text)
	}
	return b.String()
}

// further are the queries that the person wants to be searched for besides.
func (r *run) further() []string {
	return r.question.Queries[:min(mostQueries, len(r.question.Queries))]
}

// sources are the names of those that the question may use, in the order of the library.
func (r *run) sources() []string {
	if len(r.question.Sources) > 0 {
		return r.question.Sources
	}
	return r.library.Sources()
}

// seed returns the i-th seed of the question: the same whenever it is asked.
func (r *run) seed(i int) int {
	h := fnv.New32a()
	h.Write([]byte(cmp.Or(r.question.ID, r.question.Text)))
	return int(h.Sum32()>>2) + i // fits the 31 bits that every endpoint takes
}

// draws is the source of what the question draws at random.
func (r *run) draws() *rand.Rand { return rand.New(rand.NewPCG(uint64(r.seed(0)), 0)) }

// sampled is the sampling of the i-th of several like calls, so that they do not all say the same.
func (r *run) sampled(i int) llm.Sampling {
	seed := r.seed(i)
	return llm.Sampling{Seed: &seed}
}
