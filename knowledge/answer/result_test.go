package answer_test

import (
	"testing"

	"lacuna/knowledge/answer"
	"lacuna/knowledge/gap"
)

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
		{answer.Answered, []gap.Gap{open}, answer.Nearest},
		{answer.Answered, []gap.Gap{found, open}, answer.Nearest},
		{answer.Answered, []gap.Gap{found}, answer.Answered},
		{answer.Answered, []gap.Gap{hint}, answer.Answered},
		{answer.Nearest, []gap.Gap{found}, answer.Nearest},
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
