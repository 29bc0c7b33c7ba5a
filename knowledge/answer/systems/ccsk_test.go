package systems_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"lacuna/knowledge/answer/answertest"
	"lacuna/knowledge/answer/systems"
	"lacuna/knowledge/llm/llmtest"
)

// sureOf makes the model sure of a question by so many percent, the whole question first and then its
// parts.
func sureOf(base llmtest.Script, percent ...int) llmtest.Script {
	return llmtest.On(base, "confidence", func(c llmtest.Call) llmtest.Reply {
		at := 0
		if !strings.Contains(c.User(), goutQuestion.Text) {
			at = len(percent) - 1
		}
		return llmtest.Reply{Text: fmt.Sprintf(`{"confidence": %d}`, percent[at])}
	})
}

func TestSystemsOfTheGatePaper(t *testing.T) {
	library, _ := answertest.Library(t, answertest.Ward)
	parts := `{"analysis": "", "queries": ["What lowers urate?", "What opens the airways?"]}`
	for _, c := range []struct {
		name, system string
		script       llmtest.Script
	}{
		{"manual-cot", "manual-cot", llmtest.Obliging()},
		{"manual-cot-ir", "manual-cot-ir", llmtest.Obliging()},
		{"think-then-act, sure", "think-then-act", sureOf(llmtest.Obliging(), 90)},
		{"think-then-act, unsure", "think-then-act", sureOf(says("query_check", `{"class": "incomplete", "queries": ["gout attack treatment"]}`), 20)},
		{"think-then-act, ambiguous", "think-then-act", sureOf(says("query_check", `{"class": "ambiguous", "queries": ["gout attack", "asthma attack"]}`), 20)},
		{"think-then-act, unreadable", "think-then-act", llmtest.On(says("query_check", "well"), "confidence", llmtest.Always(llmtest.Reply{Text: "hard to say"}))},
		{"self-dc, known", "self-dc", sureOf(llmtest.Obliging(), 95)},
		{"self-dc, unknown", "self-dc", sureOf(llmtest.Obliging(), 10)},
		{"self-dc, taken apart", "self-dc", sureOf(says("decompose", parts), 60, 10)},
		{"self-dc, parts known", "self-dc", sureOf(says("decompose", parts), 60, 95)},
		{"self-dc, no parts", "self-dc", sureOf(says("decompose", `{"analysis": "", "queries": []}`), 60)},
	} {
		t.Run(c.name, func(t *testing.T) {
			server := llmtest.New(t, c.script)
			result := run(t, environment(t, server), c.system, library, goutQuestion)
			system, _ := systems.Lookup(c.system)
			// One more call for each reply that could not be read.
			if calls := len(server.Calls()); calls > system.Calls+2 {
				t.Errorf("%d calls, %d are allowed", calls, system.Calls)
			}
			text := transcript(server.Calls(), result)
			if d := result.Decision; d != nil {
				text += fmt.Sprintf("decision: retrieve %v by %s, %.2f against %.2f: %s\n", d.Retrieve, d.Policy, d.Score, d.Threshold, d.Why)
			}
			golden(t, filepath.Join("ccsk", strings.NewReplacer(", ", "-", " ", "-").Replace(c.name)+".golden"), text)
		})
	}
}
