package workspace

import (
	"bytes"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"lacuna/knowledge/answer"
	"lacuna/knowledge/gate"
	"lacuna/knowledge/llm/llmtest"
)

// gatedBy returns settings with a model behind a gate.
func gatedBy(server *llmtest.Server, policy string) string {
	return fmt.Sprintf("privacy.keep_replies = 0\ngate.policy = %q\n[model]\nbase_url = %q\nmodel = \"m\"\n", policy, server.URL())
}

// train keeps a default gate that has learnt that retrieval gains so much with open questions of the
// model m, and that it pays with yes-or-no questions.
func train(t *testing.T, w *Workspace, gain float64) {
	t.Helper()
	var history []gate.Item
	for i := range 80 {
		item := gate.Item{Retrieved: gate.Response{Text: "Yes."}, Score: [2]float64{.5, .5 + gain}}
		item.Question = gate.Question{ID: fmt.Sprint(i), Model: "m", Text: "Which medicine?", Closed: &gate.Response{Text: "Aspirin."}}
		if i%2 == 0 {
			item.Text, item.Score = "Is it safe?", [2]float64{0, 1}
		}
		history = append(history, item)
	}
	learner, err := gate.Find("default", gate.DefaultPrice)
	if err != nil {
		t.Fatal(err)
	}
	policy, err := learner.Fit(t.Context(), history, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := gate.Save(t.Context(), w.GateDir(), policy, gate.About{}); err != nil {
		t.Fatal(err)
	}
}

// TestGateDecidesWhatIsAsked counts what reaches the model, over real HTTP.
func TestGateDecidesWhatIsAsked(t *testing.T) {
	refusing := llmtest.On(llmtest.Obliging(), "answer_context", llmtest.Always(llmtest.Reply{Text: `{"answer": "The contexts do not say."}`}))
	searched := []string{"answer_context", "judge_gaps"}
	for _, test := range []struct {
		name     string
		policy   string
		gain     float64
		script   llmtest.Script
		way      answer.Request
		question string
		retrieve bool
		kept     bool
		system   string
		asked    []string // templates, each once
	}{
		{name: "no", policy: "default", gain: -.2, question: "What lowers a fever?", system: "direct", asked: []string{"answer_direct"}},
		{name: "yes", policy: "default", gain: .2, question: "What lowers a fever?", retrieve: true, system: "misknow/merged",
			asked: append([]string{"answer_direct"}, searched...)},
		{name: "no, but yes for this shape", policy: "default", gain: -.2, question: "Does paracetamol lower a fever?", retrieve: true,
			system: "misknow/merged", asked: append([]string{"answer_direct"}, searched...)},
		{name: "the sources refuse", policy: "default", gain: .2, script: refusing, question: "What lowers a fever?", retrieve: true, kept: true,
			system: "direct", asked: append([]string{"answer_direct"}, searched...)},
		{name: "a rule without training", policy: "never", question: "What lowers a fever?", system: "direct", asked: []string{"answer_direct"}},
		{name: "thinking step by step alone", policy: "manual-cot", question: "What lowers a fever?", system: "manual-cot", asked: []string{"answer_manual_cot"}},
		{name: "thinking step by step over sources", policy: "manual-cot-ir", question: "What lowers a fever?", retrieve: true,
			system: "manual-cot-ir", asked: []string{"answer_manual_cot"}},
		{name: "sure of itself", policy: "think-then-act", script: sureOf(90), question: "What lowers a fever?",
			system: "think-then-act", asked: []string{"query_check", "confidence", "answer_direct"}},
		{name: "not sure of itself", policy: "think-then-act", script: sureOf(20), question: "What lowers a fever?", retrieve: true,
			system: "think-then-act", asked: []string{"query_check", "confidence", "answer_context"}},
		{name: "sure enough to write it down", policy: "self-dc", script: sureOf(90), question: "What lowers a fever?",
			system: "self-dc", asked: []string{"confidence", "generate_doc", "answer_context"}},
		{name: "far from sure", policy: "self-dc", script: sureOf(20), question: "What lowers a fever?", retrieve: true,
			system: "self-dc", asked: []string{"confidence", "answer_context"}},
		{name: "a system by name is not gated", policy: "never", way: answer.Request{System: "misknow/merged"}, question: "What lowers a fever?",
			system: "misknow/merged", asked: searched},
		{name: "nor is search without a model", policy: "never", way: answer.Request{System: "offline"}, question: "What lowers a fever?", system: "offline"},
	} {
		t.Run(test.name, func(t *testing.T) {
			script := test.script
			if script == nil {
				script = llmtest.Obliging()
			}
			server := llmtest.New(t, script)
			w := opened(t, gatedBy(server, test.policy), nil)
			if test.gain != 0 {
				train(t, w, test.gain)
			}
			r := ask(t, w, test.way, test.question)
			asked := slices.Compact(slices.Sorted(slices.Values(server.Templates())))
			if r.System != test.system || !slices.Equal(asked, slices.Sorted(slices.Values(test.asked))) {
				t.Errorf("%s answered after %v, want %s after %v", r.System, asked, test.system, test.asked)
			}
			if test.way.System != "" {
				if r.Decision != nil {
					t.Errorf("decided: %+v", r.Decision)
				}
				return
			}
			d := r.Decision
			if d == nil || d.Retrieve != test.retrieve || d.OwnAnswer != test.kept || d.Policy != test.policy || d.Why == "" {
				t.Fatalf("decision %+v", d)
			}
			if r.System == "direct" && (len(r.Citations) > 0 || len(r.Statements) == 0 || r.Statements[0].Basis != answer.Unsupported) {
				t.Errorf("an answer of the model alone looks like one of the sources: %+v", r.Statements)
			}
		})
	}
}

// sureOf makes the model sure by the given percentage.
func sureOf(percent int) llmtest.Script {
	return llmtest.On(llmtest.Obliging(), "confidence", llmtest.Always(llmtest.Reply{Text: fmt.Sprintf(`{"confidence": %d}`, percent)}))
}

// TestGateLeavesASearchThatWasAskedForAlone names what to search for, and where.
func TestGateLeavesASearchThatWasAskedForAlone(t *testing.T) {
	for _, policy := range []string{"never", "manual-cot", "think-then-act"} {
		w := opened(t, gatedBy(llmtest.New(t, llmtest.Obliging()), policy), nil)
		strategy, err := w.Strategy(answer.Request{})
		if err != nil {
			t.Fatal(err)
		}
		for _, q := range []answer.Question{
			{Text: "What lowers a fever?", Queries: []string{"paracetamol"}},
			{Text: "What lowers a fever?", Sources: []string{"kb"}},
		} {
			if r, err := strategy.Answer(t.Context(), w.Library(), q); err != nil || r.System != auto || r.Decision != nil {
				t.Errorf("%s, %+v: %s answered with the decision %+v, %v", policy, q, r.System, r.Decision, err)
			}
		}
	}
}

// TestGateThatCannotServeRetrieves is told once, with what to do.
func TestGateThatCannotServeRetrieves(t *testing.T) {
	for _, test := range []struct {
		name   string
		policy string
		spoil  func(t *testing.T, w *Workspace)
		says   string
	}{
		{"not trained", "default", func(*testing.T, *Workspace) {}, "no gate has been trained"},
		{"another one trained", "sn", func(t *testing.T, w *Workspace) { train(t, w, -.2) }, `the trained gate is \"default\"`},
		{"damaged", "default", func(t *testing.T, w *Workspace) {
			train(t, w, -.2)
			if err := os.WriteFile(filepath.Join(w.GateDir(), gateFile), []byte(`{"format": 1`), 0o600); err != nil {
				t.Fatal(err)
			}
		}, "train it again"},
	} {
		t.Run(test.name, func(t *testing.T) {
			server := llmtest.New(t, llmtest.Obliging())
			var log bytes.Buffer
			w := opened(t, gatedBy(server, test.policy), func(r *Request) { r.Log = slog.New(slog.NewTextHandler(&log, nil)) })
			test.spoil(t, w)
			for range 2 {
				if r := ask(t, w, answer.Request{}, "What lowers a fever?"); r.System != auto || r.Decision != nil || !slices.Contains(r.Lacks, answer.NoGate) {
					t.Errorf("%s answered with the decision %+v, without %v", r.System, r.Decision, r.Lacks)
				}
			}
			if said := strings.Count(log.String(), test.says); said != 1 {
				t.Errorf("%q is said %d times:\n%s", test.says, said, &log)
			}
		})
	}
}

// TestGateIsOpenedAgainWhenItIsTrained needs no restart.
func TestGateIsOpenedAgainWhenItIsTrained(t *testing.T) {
	server := llmtest.New(t, llmtest.Obliging())
	w := opened(t, gatedBy(server, "default"), nil)
	var systems []string
	for _, gain := range []float64{.2, -.2} {
		train(t, w, gain)
		systems = append(systems, ask(t, w, answer.Request{}, "What lowers a fever?").System)
	}
	if want := []string{auto, closedBook}; !slices.Equal(systems, want) {
		t.Errorf("%v answered, want %v", systems, want)
	}
}
