package systems_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lacuna/knowledge"
	"lacuna/knowledge/answer"
	"lacuna/knowledge/answer/extract"
	"lacuna/knowledge/answer/systems"
	"lacuna/knowledge/entail"
	"lacuna/knowledge/gap"
	"lacuna/knowledge/llm"
	"lacuna/knowledge/llm/llmtest"
	"lacuna/prompts"
)

// environment returns an environment whose models are all played by a server, each under the name of its role.
func environment(t testing.TB, server *llmtest.Server, change ...func(*llm.Config)) *systems.Environment {
	t.Helper()
	config := llm.Config{Roles: map[llm.Role]llm.Endpoint{}}
	for _, role := range llm.Roles() {
		config.Roles[role] = llm.Endpoint{BaseURL: server.URL(), Model: string(role), Setting: "model"}
	}
	for _, apply := range change {
		apply(&config)
	}
	client, err := llm.New(config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	return &systems.Environment{Model: client, Prompts: prompts.Default(), Offline: &extract.Offline{Judge: gap.NewJudge()}}
}

// run answers a question by a system.
func run(t testing.TB, b *systems.Environment, system string, library *knowledge.Library, question answer.Question) answer.Result {
	t.Helper()
	strategy, err := b.Strategy(system)
	if err != nil {
		t.Fatal(err)
	}
	result, err := strategy.Answer(t.Context(), library, question)
	if err != nil {
		t.Fatal(err)
	}
	checkReasoned(t, result)
	return result
}

// checkReasoned holds what must be true of every result of a system with models.
func checkReasoned(t testing.TB, r answer.Result) {
	t.Helper()
	if nothing := r.State == answer.Nothing; nothing != (len(r.Shown()) == 0 && r.Choice == "") || nothing != (r.Reason != "") {
		t.Errorf("state %q, reason %q, %d statements", r.State, r.Reason, len(r.Shown()))
	}
	if r.State == answer.Answered && r.MissingProbability >= gap.MissingFrom {
		t.Errorf("answered, and missing with probability %v: %v", r.MissingProbability, r.Gaps)
	}
	used := make(map[int]bool)
	for _, s := range r.Shown() {
		for _, n := range s.Citations {
			used[n] = true
		}
		cites := len(s.Citations) > 0
		if supported := s.Basis == answer.Claim || s.Basis == answer.Quote; supported && !cites || cites && !supported && s.Basis != answer.Unchecked && s.Support.Verdict != entail.Contradicts {
			t.Errorf("%s statement %q cites %v", s.Basis, s.Text, s.Citations)
		}
	}
	for i, c := range r.Citations {
		if c.N != i+1 || !used[c.N] || c.Quote == "" || c.Quote != c.Passage.Text[c.Span.Start:c.Span.End] {
			t.Errorf("citation %d: %+v", i, c)
		}
	}
	if r.MissingProbability < 0 || r.MissingProbability > 1 {
		t.Errorf("missing with probability %f", r.MissingProbability)
	}
	for _, g := range r.Gaps {
		if g.ID == "" || g.Text == "" || g.Query == "" || (g.Status == gap.Retrieved) != (len(g.Evidence) > 0) {
			t.Errorf("gap %+v", g)
		}
	}
}

// transcript returns what a person would want to see of an answer and of how it came about.
func transcript(calls []llmtest.Call, r answer.Result) string {
	var b strings.Builder
	fmt.Fprintf(&b, "calls\n")
	for _, c := range calls {
		fmt.Fprintf(&b, "  %s asks %s\n", c.Template, c.Model)
	}
	fmt.Fprintf(&b, "trace\n")
	for _, s := range r.Trace {
		fmt.Fprintf(&b, "  %s %s%s", s.Stage, s.Outcome, around(" (", s.Detail, ")"))
		if s.Model == "" {
			fmt.Fprintf(&b, " found %d", s.Results)
		} else {
			fmt.Fprintf(&b, " by %s, read as %s, %d attempt%s", s.Model, s.Path, s.Attempts, around(", thinking: ", string(s.Thinking), ""))
		}
		fmt.Fprintf(&b, "%s%s\n", around(", instead: ", s.Fallback, ""), around(", because ", errorText(s.Err), ""))
	}
	fmt.Fprintf(&b, "result of %s: %s%s, missing %.2f\n", r.System, r.State, around(" (", string(r.Reason), ")"), r.MissingProbability)
	for _, s := range r.Shown() {
		fmt.Fprintf(&b, "  - %s%s\n", s.Text, around(" ", fmt.Sprint(s.Basis, s.Citations), ""))
	}
	for _, c := range r.Citations {
		fmt.Fprintf(&b, "  [%d] %s: %s\n", c.N, c.Passage.Record, c.Quote)
	}
	for _, g := range r.Gaps {
		var nearest []string
		for _, p := range g.Nearest {
			nearest = append(nearest, p.Record)
		}
		fmt.Fprintf(&b, "  gap: %s (%s, %s, %.2f) near %v\n", g.Text, g.Status, g.Query, g.Probability, nearest)
	}
	fmt.Fprintf(&b, "%s%s", around("  choice: ", r.Choice, "\n"), around("  thought: ", r.Thought, "\n"))
	fmt.Fprintf(&b, "%s%s", around("  reasoning: ", r.Reasoning, "\n"), around("  failure: ", errorText(r.Failure), "\n"))
	for _, w := range r.Generated {
		fmt.Fprintf(&b, "  written on %q: %s\n", w.Point, w.Text)
	}
	var read []string
	for _, hit := range r.Evidence {
		read = append(read, hit.Passage.Record)
	}
	fmt.Fprintf(&b, "  read %v\n", read)
	return b.String()
}

// around puts a text between two others, and is nothing where there is none.
func around(before, text, after string) string {
	if text == "" {
		return ""
	}
	return before + text + after
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

var update = flag.Bool("update", false, "write the golden files again")

// golden compares a text with a file of testdata.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("run with -update and read the difference:\n%s", diff)
	}
}

// fixed writes a probability.
func fixed(p float64) string { return fmt.Sprintf("%.2f", p) }
