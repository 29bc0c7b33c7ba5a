package answer

import (
	"cmp"
	"slices"
	"strings"

	"lacuna/knowledge/passage"
	"lacuna/prompts"
)

// How much of the judge's reasoning the final prompt is told. The Misknow-RAG paper passes "part of"
// it; which part is ours to choose.
const (
	reasoningTokens = 256
	lastSentences   = 2 // always kept: a trace ends in what it came to
)

// compress keeps the sentences of a reasoning that share the most idf weight with what it is about,
// as many as have room, in their order, and the last two.
func (r *run) compress(reasoning string, about ...string) string {
	terms := termSet(strings.Join(about, "\n"))
	spans := passage.Sentences(reasoning, passage.Plain)
	scores := make([]float64, len(spans))
	order := make([]int, len(spans))
	for i, span := range spans {
		order[i] = i
		for _, term := range distinctTerms(reasoning[span.Start:span.End]) {
			if terms[term] {
				scores[i] += r.weight(term)
			}
		}
	}
	last := max(0, len(spans)-lastSentences)
	slices.SortStableFunc(order, func(a, b int) int {
		if a >= last != (b >= last) {
			return cmp.Compare(b, a)
		}
		return cmp.Compare(scores[b], scores[a])
	})
	kept := make([]string, len(spans))
	room := reasoningTokens
	for _, i := range order {
		sentence := reasoning[spans[i].Start:spans[i].End]
		if i >= last {
			sentence = prompts.Cut(sentence, reasoningTokens/lastSentences)
		}
		if cost := prompts.Tokens(sentence); cost <= room {
			kept[i] = sentence
			room -= cost
		}
	}
	return strings.Join(slices.DeleteFunc(kept, func(s string) bool { return s == "" }), " ")
}
