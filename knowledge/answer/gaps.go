package answer

import (
	"slices"

	"lacuna/knowledge/gap"
)

// How probable it is taken to be that something is missing which a model has named. Nobody has
// measured it; the numbers place such gaps among those of the offline judge, which are calibrated:
// what a model that read the evidence misses, and a second search did not find, is worth a warning;
// what it mentions although it holds the evidence to suffice is told beside the answer and takes
// nothing away from it.
const (
	judgedProbability = .9
	hintProbability   = .5
)

// settled says of every gap what became of it: the sources hold it after all, as one of the documents
// found fills it, or a model wrote about it, or neither.
func (r *run) settled(gaps []gap.Gap, found, written []Evidence) []gap.Gap {
	gaps = slices.Clone(gaps) // what has been shown is not changed
	for i := range gaps {
		g := &gaps[i]
		for _, document := range found {
			if !document.Generated() && g.Fills(document.Hit.Passage) {
				g.Status = gap.Retrieved
				g.Evidence = append(slices.Clone(g.Evidence), document.Hit.Passage.ID)
			}
		}
		if g.Status == gap.Open && slices.ContainsFunc(written, func(e Evidence) bool { return e.Point == g.Query }) {
			g.Status = gap.Generated
		}
	}
	return gaps
}

// settle settles the gaps of the result.
func (r *run) settle(found, written []Evidence) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.result.Gaps = r.settled(r.result.Gaps, found, written)
}

// missingProbability is that of the gaps together: the largest of those that the sources do not
// fill, and 0 where a model that looked named none.
func missingProbability(gaps []gap.Gap) float64 {
	largest := 0.0
	for _, g := range gaps {
		if g.Status != gap.Retrieved {
			largest = max(largest, g.Probability)
		}
	}
	return largest
}
