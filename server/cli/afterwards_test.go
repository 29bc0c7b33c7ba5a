package cli

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"lacuna/handlers/settings"
	"lacuna/knowledge/llm/llmtest"
)

// TestAGatedAnswerIsLookedUpAfterwards has each policy leave the answer to the model, which says one thing
// that the sources hold and one that they do not.
func TestAGatedAnswerIsLookedUpAfterwards(t *testing.T) {
	const text = "Metformin is avoided when the eGFR is below 30. Basalt is found on the moon."
	script := llmtest.When(llmtest.Obliging(), func(c llmtest.Call) bool {
		return slices.Contains([]string{"answer_direct", "answer_context", "answer_cot", "answer_manual_cot", "confidence"}, c.Template)
	}, func(c llmtest.Call) llmtest.Reply {
		switch c.Template {
		case "confidence":
			return llmtest.Reply{Text: `{"confidence": 95}`}
		case "answer_cot", "answer_manual_cot":
			return llmtest.Reply{Text: "It is known.\nAnswer: " + text}
		}
		return llmtest.Reply{Text: text}
	})
	withModel(t, script)
	own := settings.UserFilePath()
	if err := os.MkdirAll(filepath.Dir(own), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		policy, system string
	}{{"never", ""}, {"manual-cot", ""}, {"think-then-act", ""}, {"self-dc", ""}, {"refusal", ""}, {"always", "direct"}, {"always", "cot"}, {"always", "genread"}} {
		if err := os.WriteFile(own, []byte("gate.policy = \""+c.policy+"\"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		args := []string{"--fresh"}
		if c.system != "" {
			args = append(args, "--system", c.system)
		}
		line, stderr := asked(t, append(args, "When is metformin avoided?")...)
		if !line.Afterwards || line.Decision.Retrieve || len(line.Evidence) > 0 || len(line.Citations) != 1 || line.Citations[0].Quote != "Metformin is avoided when the eGFR is below 30." {
			t.Errorf("%+v: afterwards %t, decision %+v, %d passages, citations %+v, %s", c, line.Afterwards, line.Decision, len(line.Evidence), line.Citations, stderr)
		}
		bases := []string{}
		for _, s := range line.Statements {
			bases = append(bases, s.Basis)
		}
		if !slices.Equal(bases, []string{"claim", "unsupported"}) {
			t.Errorf("%+v: %v", c, bases)
		}
		stdout, _, _ := run(t, strings.NewReader(""), append(append([]string{"ask"}, args...), "When is metformin avoided?")...)
		for _, want := range []string{"alone; your sources hold 1 of its 2 sentences", "eGFR is below 30. [1]", "moon. (not in the passages found)"} {
			if !strings.Contains(stdout, want) {
				t.Errorf("%+v: %q is not in\n%s", c, want, stdout)
			}
		}
		if searched := "Your sources were not searched for this answer"; strings.Contains(stdout, searched) != (c.system == "") {
			t.Errorf("%+v: %s", c, stdout)
		}
	}
}
