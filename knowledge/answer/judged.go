package answer

import (
	"slices"

	"lacuna/knowledge/passage"
)

// Judged reports whether a model that had read the evidence said what is missing, or that nothing
// is. Where it is false, Gaps say nothing about what a model holds. What a model names without a
// search before, it does not miss in the sources.
func (r Result) Judged() bool {
	return r.searched() && r.ended(StageJudge, StageExplore, StageSolve)
}

// searched reports whether the sources were searched for what a model read.
func (r Result) searched() bool { return r.ended(StageRetrieve) }

func (r Result) ended(stages ...Stage) bool {
	return slices.ContainsFunc(r.Trace, func(s Step) bool { return s.Outcome == OK && slices.Contains(stages, s.Stage) })
}

// Failed reports whether the system could not answer, so that the answer is the offline one, or none.
func (r Result) Failed() bool {
	return r.Failure != nil && (r.System == OfflineID || r.Reason == ToolFailure)
}

// Degraded reports whether the system answered without something that it has: a stage failed, a reply
// could not be read, or something is not there.
func (r Result) Degraded() bool {
	return !r.Failed() && (r.Failure != nil || len(r.Lacks) > 0 ||
		slices.ContainsFunc(r.Trace, func(s Step) bool { return s.Outcome != OK }))
}

// Read returns the passages that were read for the answer.
func (r Result) Read() []passage.ID {
	ids := make([]passage.ID, len(r.Evidence))
	for i, hit := range r.Evidence {
		ids[i] = hit.Passage.ID
	}
	return ids
}
