package answer

import (
	"slices"

	"lacuna/knowledge/passage"
)

// Judged reports whether a model that had read the evidence said what is missing, or that nothing
// is. Where it is false, Gaps say nothing about what a model holds.
func (r Result) Judged() bool {
	return slices.ContainsFunc(r.Trace, func(s Step) bool {
		return s.Outcome == OK && (s.Stage == StageJudge || s.Stage == StageExplore || s.Stage == StageSolve)
	})
}

// Read returns the passages that were read for the answer.
func (r Result) Read() []passage.ID {
	ids := make([]passage.ID, len(r.Evidence))
	for i, hit := range r.Evidence {
		ids[i] = hit.Passage.ID
	}
	return ids
}
