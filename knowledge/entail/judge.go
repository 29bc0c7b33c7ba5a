package entail

import (
	"strings"

	"lacuna/knowledge/passage"
	"lacuna/knowledge/plaintext"
)

// Judge compares a claim with sources, by each alone and by all together. question is what the claim answers, or
// empty; it tells what "yes", "it" and a sentence without a subject are about.
func Judge(claim, question string, sources ...Source) Judgement {
	folded := strings.TrimRight(plaintext.Fold(claim), " .!?。！？")
	for i, s := range sources {
		if folded != "" && strings.Contains(plaintext.Fold(s.Text), folded) {
			return Judgement{Verdict: States, Confidence: 1, Evidence: []Quote{{i, passage.Span{End: len(s.Text)}}}}
		}
	}
	return Judgement{Verdict: Unchecked}
}
