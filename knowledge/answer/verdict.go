package answer

import "lacuna/knowledge/gap"

// An answer and what is missing for it are one verdict: whoever sets the one has the other heard.

// HeedMissing takes an answer back to Possibly where what the question needs is taken to be missing
// from the sources: its sentences are then what comes nearest.
func (r *Result) HeedMissing() {
	if r.State == Answered && gap.Missing(r.MissingProbability) {
		r.State = Possibly
	}
}

// WithGaps returns the result with the gaps as somebody who judged them elsewhere, or at another
// time, holds them to be. A stored answer to the same question leaves none.
func (r Result) WithGaps(gaps []gap.Gap) Result {
	if r.Stored != nil {
		return r
	}
	r.Gaps, r.MissingProbability = gaps, missingProbability(gaps)
	r.HeedMissing()
	return r
}
