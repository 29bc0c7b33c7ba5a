package extract_test

import (
	"fmt"
	"strings"
	"testing"

	"lacuna/knowledge/answer"
	"lacuna/knowledge/answer/answertest"
	"lacuna/knowledge/answer/extract"
	"lacuna/knowledge/gap"
)

// TestPlacesAnswer answers from a handbook of common size with whole places where these surely answer, and shows
// them as near otherwise.
func TestPlacesAnswer(t *testing.T) {
	files := make(map[string]string)
	trades := []string{"cooper", "farrier", "glazier", "thatcher", "chandler", "fuller", "tanner", "wheelwright", "bookbinder", "saddler"}
	goods := []string{"barrel", "horseshoe", "window", "roof", "candle", "cloth", "hide", "wheel", "ledger", "saddle"}
	for i, trade := range trades {
		var page strings.Builder
		fmt.Fprintf(&page, "# The %s\n\n", trade)
		for j, thing := range goods {
			for k := range 5 {
				fmt.Fprintf(&page, "## Rule %d for the %s\n\nWhen the %s of ward %d repairs a %s for a customer, entry %d of the guild roll is copied out and handed to the bailiff of that ward, who keeps it until the next assembly of the guild has been closed.\n\n",
					j*5+k, thing, trade, k, thing, i*50+j*5+k)
			}
		}
		files[trade+".md"] = page.String()
	}
	files["lighthouse.md"] = "# Harbour lighthouse\n\n## Lamp oil\n\nThe harbour lighthouse burns colza oil. The keeper refills the lamp of the harbour lighthouse every nine hours and trims its wick before dusk.\n"
	library, _ := answertest.Library(t, files)
	strategy := &extract.Offline{Judge: answertest.Verdict{Probability: .05, Topic: .05}}
	ask := func(question string, judge gap.Verdict) answer.Result {
		strategy.Judge = answertest.Verdict(judge)
		result, err := strategy.Answer(t.Context(), library, answer.Question{Text: question})
		if err != nil {
			t.Fatal(err)
		}
		return result
	}
	const question = "How often does the keeper refill the lamp of the harbour lighthouse?"
	sure := ask(question, gap.Verdict{Probability: .05, Topic: .05})
	if sure.State != answer.Answered || !strings.Contains(sure.Statements[0].Text, "every nine hours and trims its wick") {
		t.Errorf("%s: %v %v", sure.State, sure.Statements, sure.Nearest)
	}
	if missing := ask(question, gap.Verdict{Probability: .7, Topic: .7}); missing.State != answer.Nearest || len(missing.Nearest) == 0 {
		t.Errorf("with a gap: %s", missing.State)
	}
	if near := ask("Who paints the railing of the harbour pier in spring?", gap.Verdict{Probability: .3, Topic: .3}); near.State != answer.Nearest {
		t.Errorf("near: %s %v", near.State, near.Statements)
	}
}
