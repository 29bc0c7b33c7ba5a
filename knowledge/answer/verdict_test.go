package answer_test

import (
	"testing"

	"lacuna/knowledge/answer"
	"lacuna/knowledge/gap"
)

// TestNoSystemAnswersWhatIsMissing runs every system over a base that the judge holds not to have the
// answer, with a model that supports each sentence by the sources and finds nothing missing.
func TestNoSystemAnswersWhatIsMissing(t *testing.T) {
	library, _ := base(t, infirmary)
	bench, _ := table(t, playing())
	missing := verdict{Probability: .7, Topic: .7, Gaps: []gap.Gap{{ID: "missing-topic", Code: gap.MissingTopic, Text: "Nothing on gout", Query: "gout", Status: gap.Open, Probability: .7}}}
	bench.Offline = &answer.Offline{Judge: missing}
	for _, system := range answer.IDs() {
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

func TestGapsAndStateAgree(t *testing.T) {
	open := gap.Gap{Code: gap.MissingKnowledge, Text: "the dose in children", Status: gap.Open, Probability: .9}
	found, hint := open, open
	found.Status, hint.Probability = gap.Retrieved, .5
	for _, c := range []struct {
		state answer.State
		gaps  []gap.Gap
		want  answer.State
	}{
		{answer.Answered, nil, answer.Answered},
		{answer.Answered, []gap.Gap{open}, answer.Possibly},
		{answer.Answered, []gap.Gap{found, open}, answer.Possibly},
		{answer.Answered, []gap.Gap{found}, answer.Answered},
		{answer.Answered, []gap.Gap{hint}, answer.Answered},
		{answer.Possibly, []gap.Gap{found}, answer.Possibly},
		{answer.Nothing, []gap.Gap{open}, answer.Nothing},
	} {
		if got := (answer.Result{State: c.state}).WithGaps(c.gaps); got.State != c.want {
			t.Errorf("%s with %v: %s, want %s", c.state, c.gaps, got.State, c.want)
		}
	}
	stored := answer.Result{State: answer.Answered, Stored: &answer.Stored{}}
	if got := stored.WithGaps([]gap.Gap{open}); got.State != answer.Answered || len(got.Gaps) > 0 {
		t.Errorf("a stored answer with a gap: %s, %v", got.State, got.Gaps)
	}
}
