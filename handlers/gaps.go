package handlers

import (
	"slices"

	"lacuna/handlers/messages"
	"lacuna/handlers/note"
	"lacuna/knowledge/gap"
)

// mostGaps is how many gaps of one question are shown, whatever a model that read a hostile passage
// came up with.
const mostGaps = 8

// gaps are what the sources lack for a question as far as is known, as it may be shown: what an
// answer under way has found comes before what was known already.
func (s Snapshot) gaps(q note.Question) []gap.Gap {
	part, _ := s.part(q)
	result, _ := s.finding(q)
	var gaps []gap.Gap
	for _, g := range slices.Concat(part.Gaps, result.Gaps) {
		if len(gaps) == mostGaps {
			break
		}
		had := slices.ContainsFunc(gaps, func(had gap.Gap) bool { return had.ID == g.ID })
		if g = messages.ShownGap(g); !had && g.Text != "" {
			gaps = append(gaps, g)
		}
	}
	return gaps
}

// openGap reports whether a gap is one that a person should still know of.
func (s Snapshot) openGap(q note.Question, g gap.Gap) bool {
	return g.Status != gap.Retrieved && g.Status != gap.Dismissed && !s.dismissed(q, g)
}

// markedGap reports whether an open gap has a mark. Whatever counts gaps counts these, so that the
// counts are those of the marks.
func (s Snapshot) markedGap(q note.Question, g gap.Gap) bool {
	return s.openGap(q, g) && g.Severity(len(s.Library.Passages())) != gap.Silent
}
