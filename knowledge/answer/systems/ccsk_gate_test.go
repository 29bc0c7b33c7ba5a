package systems_test

import (
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"

	"lacuna/knowledge/answer"
	"lacuna/knowledge/answer/answertest"
	"lacuna/knowledge/answer/systems"
	"lacuna/knowledge/llm/llmtest"
)

// decides is a gate that always says the same.
type decides struct {
	retrieve, byQuestion bool
	saw                  *string // the closed-book answer that it was shown
}

func (d decides) ByQuestion() bool { return d.byQuestion }

func (d decides) Decide(_ answer.Question, closed *answer.Result) answer.Decision {
	if closed != nil {
		*d.saw = closed.Statements[0].Text
	}
	return answer.Decision{Retrieve: d.retrieve, Policy: "p", Threshold: .5, Why: "because"}
}

// TestSystemsBehindAGate holds what a decision makes of the calls, of the answer and of what is said of it.
func TestSystemsBehindAGate(t *testing.T) {
	library, _ := answertest.Library(t, answertest.Ward)
	const own = "An attack of gout is treated with colchicine or naproxen."
	dead := func(template, holding string) llmtest.Script {
		return llmtest.When(knowing(own), func(c llmtest.Call) bool {
			return c.Template == template && strings.Contains(c.User(), "Contexts:") == (holding == "contexts")
		}, llmtest.Always(llmtest.Reply{Status: http.StatusBadRequest}))
	}
	for _, c := range []struct {
		name       string
		script     llmtest.Script
		byQuestion bool
		retrieve   bool
		calls      string // with or without contexts, in order
		want       answer.Decision
		searched   bool
		failed     bool
	}{
		{name: "by the question, yes", byQuestion: true, retrieve: true, calls: "sources", want: answer.Decision{Retrieve: true, Why: "because"}, searched: true},
		{name: "by the question, no", byQuestion: true, calls: "alone", want: answer.Decision{Why: "because"}},
		{name: "by the answer, yes", retrieve: true, calls: "alone sources", want: answer.Decision{Retrieve: true, Why: "because"}, searched: true},
		{name: "by the answer, no", calls: "alone", want: answer.Decision{Why: "because"}},
		{name: "no answer to decide by", script: dead("answer_manual_cot", ""), calls: "alone sources",
			want: answer.Decision{Retrieve: true, Why: systems.NoOwnAnswer}, searched: true, failed: true},
		{name: "no answer though it was to do", script: dead("answer_manual_cot", ""), byQuestion: true, calls: "alone sources",
			want: answer.Decision{Retrieve: true, Why: systems.NoOwnAnswer}, searched: true, failed: true},
		{name: "no answer from the sources", script: dead("answer_manual_cot", "contexts"), retrieve: true, calls: "alone sources",
			want: answer.Decision{Retrieve: true, OwnAnswer: true, Why: "because"}, searched: true, failed: true},
	} {
		for _, system := range []string{"ccsk", "sn", "rqm", "linear", "skr-knn"} {
			script := c.script
			if script == nil {
				script = knowing(own)
			}
			bench, server := table(t, script)
			saw, asked := "", ""
			bench.Gate = func(policy string) (systems.Decider, error) {
				asked = policy
				return decides{c.retrieve, c.byQuestion, &saw}, nil
			}
			r := run(t, bench, system, library, goutQuestion)
			var calls []string
			for _, call := range server.Calls() {
				kind := "alone"
				if strings.Contains(call.User(), "Contexts:") {
					kind = "sources"
				}
				calls = append(calls, kind)
			}
			if got := strings.Join(slices.Compact(calls), " "); got != c.calls {
				t.Errorf("%s, %s: calls %s, want %s", system, c.name, got, c.calls)
			}
			d := r.Decision
			if d == nil || d.Retrieve != c.want.Retrieve || d.OwnAnswer != c.want.OwnAnswer || d.Why != c.want.Why || asked != system {
				t.Errorf("%s, %s: asked for %q, decision %+v", system, c.name, asked, d)
			}
			if r.System != system || (r.Failure != nil) != c.failed || len(r.Lacks) > 0 || len(r.Evidence) > 0 != c.searched {
				t.Errorf("%s, %s: %s answered, failure %v, lacks %v, %d passages", system, c.name, r.System, r.Failure, r.Lacks, len(r.Evidence))
			}
			if alone := !c.want.Retrieve || c.want.OwnAnswer; r.CitedAfterwards != alone {
				t.Errorf("%s, %s: looked up afterwards %t", system, c.name, r.CitedAfterwards)
			}
			if len(r.Citations) != 1 || r.Citations[0].Quote != own {
				t.Errorf("%s, %s: %+v cites %+v", system, c.name, r.Statements, r.Citations)
			}
			if !c.byQuestion && c.script == nil && saw != own {
				t.Errorf("%s, %s: decided by %q", system, c.name, saw)
			}
		}
	}
}

// TestWithoutAGateTheSourcesAreSearched has no gate, or one that does not serve.
func TestWithoutAGateTheSourcesAreSearched(t *testing.T) {
	library, _ := answertest.Library(t, answertest.Ward)
	for name, gate := range map[string]func(string) (systems.Decider, error){
		"none": nil, "damaged": func(string) (systems.Decider, error) { return nil, errors.New("the gate is damaged") },
	} {
		bench, server := table(t, llmtest.Obliging())
		bench.Gate = gate
		r := run(t, bench, "ccsk", library, goutQuestion)
		if !slices.Equal(r.Lacks, []answer.Lack{answer.NoGate}) || r.Decision != nil || r.Failure != nil || len(server.Calls()) != 1 || len(r.Citations) == 0 {
			t.Errorf("%s: lacks %v, decision %+v, failure %v, %d calls", name, r.Lacks, r.Decision, r.Failure, len(server.Calls()))
		}
		if s := r.Trace[0]; s.Stage != answer.StageDecide || s.Outcome != answer.Degraded || s.Fallback != "the sources are searched" || s.Err == nil {
			t.Errorf("%s: the trace begins with %+v", name, s)
		}
	}
}
