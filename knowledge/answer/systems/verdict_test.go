package systems_test

import (
	"testing"

	"lacuna/knowledge/answer"
	"lacuna/knowledge/answer/answertest"
	"lacuna/knowledge/answer/extract"
	"lacuna/knowledge/answer/systems"
	"lacuna/knowledge/gap"
)

// TestNoSystemAnswersWhatIsMissing runs every system over a base that the judge holds not to have the
// answer, with a model that supports each sentence by the sources and finds nothing missing.
func TestNoSystemAnswersWhatIsMissing(t *testing.T) {
	library, _ := answertest.Library(t, infirmary)
	bench, _ := table(t, playing())
	missing := answertest.Verdict{Probability: .7, Topic: .7, Gaps: []gap.Gap{{ID: "missing-topic", Code: gap.MissingTopic, Text: "Nothing on gout", Query: "gout", Status: gap.Open, Probability: .7}}}
	bench.Offline = &extract.Offline{Judge: missing}
	for _, system := range systems.IDs() {
		r := run(t, bench, system, library, openQuestion)
		if r.State == answer.Answered && r.MissingProbability >= gap.MissingFrom {
			t.Errorf("%s: answered, and missing with probability %v", system, r.MissingProbability)
		}
		judged := false
		for _, s := range r.Trace {
			judged = judged || s.Stage == answer.StageRetrieve && s.Outcome == answer.OK
		}
		if judged && !r.Judged() && r.MissingProbability != .7 {
			t.Errorf("%s: searched and judged by nobody, missing with probability %v", system, r.MissingProbability)
		}
	}
}
