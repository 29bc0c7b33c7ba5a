package evaluation

import (
	"testing"

	"lacuna/knowledge/answer"
	"lacuna/knowledge/passage"
)

// TestPrecision has a claim that cites what says so and what is about another thing, a quote, and a mark without a source.
func TestPrecision(t *testing.T) {
	source := func(n int, title, text string) answer.Citation {
		p := &passage.Passage{Title: title, Text: text}
		return answer.Citation{N: n, Passage: p, Span: passage.Span{End: len(text)}, Quote: text}
	}
	r := answer.Result{
		State:    answer.Answered,
		Question: answer.Question{Text: "When is metformin avoided?"},
		Statements: []answer.Statement{
			{Basis: answer.Claim, Text: "Metformin is avoided when the eGFR is below 30.", Citations: []int{1, 2}},
			{Basis: answer.Quote, Text: "Spacers are washed once a month.", Citations: []int{2}},
			{Basis: answer.Claim, Text: "Metformin is avoided when the eGFR is below 30.", Citations: []int{9}},
			{Basis: answer.Background, Text: "It is well known."},
		},
		Citations: []answer.Citation{
			source(1, "Metformin", "Metformin is avoided when the eGFR is below 30."),
			source(2, "Spacers", "Spacers are washed once a month."),
		},
	}
	if cited, precise := precision(r); cited != 4 || precise != 2 {
		t.Errorf("%d of %d citations are precise, want 2 of 4", precise, cited)
	}
}
