package handlers

import (
	"errors"
	"strings"
	"testing"
	"time"

	"lacuna/handlers/messages"
	"lacuna/handlers/note"
	"lacuna/knowledge"
	"lacuna/knowledge/answer"
	"lacuna/knowledge/gap"
	"lacuna/knowledge/llm"
	"lacuna/knowledge/passage"
)

// TestANoteHoldsAnswersAndGapsAlone writes results of every kind of trouble. How an answer came about, and what
// the user can do about it, is shown outside the note.
func TestANoteHoldsAnswersAndGapsAlone(t *testing.T) {
	faults := []llm.Fault{
		llm.NotPermitted, llm.OverBudget, llm.Unset, llm.Unreachable, llm.Unauthorised, llm.NotFound, llm.RateLimited,
		llm.ServerFault, llm.Refused, llm.Malformed, llm.CutOff, llm.TimedOut, llm.TooLong,
	}
	hit := &passage.Passage{ID: passage.IDOf("Rest helps."), Source: "kb", Record: "a.md", Kind: passage.Text, Text: "Rest helps.", Place: passage.Place{File: "/kb/a.md", Line: 1}}
	quoted := answer.Result{
		System: answer.OfflineID, State: answer.Answered,
		Statements: []answer.Statement{{Text: "Rest helps.", Citations: []int{1}}},
		Citations:  []answer.Citation{{N: 1, Passage: hit, Quote: "Rest helps."}},
	}
	nothing := answer.Result{State: answer.Nothing, Reason: answer.NoTopic, Gaps: []gap.Gap{{Code: gap.MissingTopic, Text: "Nothing on scurvy"}}}
	written := answer.Result{System: "direct", State: answer.Answered, Models: []string{"m"}, Statements: []answer.Statement{{Basis: answer.Background, Text: "It heals."}}}
	var results []answer.Result
	for _, base := range []answer.Result{quoted, nothing, written} {
		for _, fault := range faults {
			r := base
			r.Failure = &llm.Error{Fault: fault, Host: "llm.example.org:80", Role: llm.Reader, Setting: "model.api_key", Status: 429, Err: messages.ErrNotAllowed}
			results = append(results, r)
		}
		odd := base
		odd.Failure = errors.New("disk full")
		kept := base
		kept.CachedAt = time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC)
		dropped := base
		dropped.Dropped, dropped.Refused = 2, 3
		gated := base
		gated.Decision = &answer.Decision{Why: "past questions", Policy: "p", Score: .2, Threshold: .5}
		overruled := gated
		overruled.Decision = &answer.Decision{Retrieve: true, OwnAnswer: true, Why: "past questions", Policy: "p"}
		results = append(results, odd, kept, dropped, gated, overruled)
	}
	const parent = "How is scurvy treated?\n"
	n := note.Parse(parent, note.Markdown)
	library, err := knowledge.Build(t.Context(), []*passage.Passage{hit}, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range results {
		r.Question.Text = n.Questions[0].Text
		block := n.Write(n.Questions[0], Compose(r, "/note.md")).NewText
		plain := r
		plain.Failure, plain.CachedAt, plain.Dropped, plain.Refused, plain.Decision = nil, time.Time{}, 0, 0, nil
		if want := n.Write(n.Questions[0], Compose(plain, "/note.md")).NewText; block != want {
			t.Errorf("%+v: wrote\n%s\nwant\n%s", r, block, want)
		}
		// It is not lost: the hover says it, whatever else is shown.
		s := Snapshot{Note: n, Finding: func(note.Question) (answer.Result, bool) { return r, true }, Library: library}
		hover := s.explainQuestion(n.Questions[0]).plain()
		for _, line := range Notices(r) {
			if !strings.Contains(hover, line) {
				t.Errorf("the hover lacks %q:\n%s", line, hover)
			}
		}
		if beside := strings.Join(Notices(r), " "); (r.Failure != nil || r.Dropped > 0 || r.Decision != nil) && beside == "" {
			t.Errorf("nothing is told of %+v", r)
		}
		if !r.CachedAt.IsZero() && len(r.Models) > 0 && !strings.Contains(hover, "21 November 2026") {
			t.Errorf("the hover lacks the day of the reply:\n%s", hover)
		}
	}
}
