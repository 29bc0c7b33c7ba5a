package folders

import (
	"testing"

	"lacuna/knowledge/answer"
	"lacuna/knowledge/gap/ledger"
)

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
