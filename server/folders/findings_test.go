package folders

import (
	"context"
	"testing"

	"lacuna/knowledge"
	"lacuna/knowledge/answer"
	"lacuna/knowledge/entity"
	"lacuna/knowledge/gap/ledger"
)

// heldSubjects is a system whose hits have subjects.
type heldSubjects struct{ result answer.Result }

func (h heldSubjects) Answer(context.Context, *knowledge.Library, answer.Question) (answer.Result, error) {
	return h.result, nil
}

// TestAnswersHoldNoLibrary holds that what a session remembers of answers does not keep the generation alive that was asked.
func TestAnswersHoldNoLibrary(t *testing.T) {
	hits := func() []knowledge.Hit { return []knowledge.Hit{{Subject: new(entity.Subject)}} }
	found := answer.Result{Evidence: hits(), Related: hits()}
	r, err := guarded{&Folder{shared: new(shared)}, heldSubjects{found}}.Answer(t.Context(), nil, answer.Question{})
	if err != nil || len(r.Evidence) != 1 || len(r.Related) != 1 || r.Evidence[0].Subject != nil || r.Related[0].Subject != nil {
		t.Errorf("%+v, %v", r, err)
	}
	if found.Evidence[0].Subject == nil {
		t.Error("who answered has lost the subject")
	}
}

func TestAnswersFollowNotesThatSwapTheirNames(t *testing.T) {
	asked := func(note string) ledger.QuestionRef {
		return ledger.QuestionRef{Note: note, Question: "1", Text: "What is gout?"}
	}
	f := newFindings(func(string) string { return "" })
	f.answered[asked("/a.md")] = answer.Result{System: "of a"}
	f.answered[asked("/f.md")] = answer.Result{System: "of b"}
	swapped := map[string]string{"/a.md": "/f.md", "/f.md": "/a.md"}
	f.rename(func(note string) string { return swapped[note] })
	if a, b := f.answered[asked("/a.md")].System, f.answered[asked("/f.md")].System; a != "of b" || b != "of a" {
		t.Errorf("the first note has the answer %s, the second %s", a, b)
	}
}
