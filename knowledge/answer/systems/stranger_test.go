package systems_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"lacuna/knowledge/answer"
	"lacuna/knowledge/answer/answertest"
	"lacuna/knowledge/answer/systems"
	"lacuna/knowledge/gap"
	"lacuna/knowledge/llm"
	"lacuna/knowledge/llm/llmtest"
)

// modelSystems returns all systems that ask a model.
func modelSystems() []string {
	return slices.DeleteFunc(systems.IDs(), func(id string) bool {
		s, _ := systems.Lookup(id)
		return !s.Models
	})
}

// TestEverySystemUnderEveryChatTemplate runs every system, with and without options to choose from, on
// models of every family. What their templates refuse costs a request or two for each model in all; the
// answers are those of a model that takes everything. That of Phi-3 leaves out what the system says, so
// that its answers are others.
func TestEverySystemUnderEveryChatTemplate(t *testing.T) {
	library, _ := answertest.Library(t, infirmary)
	plain := map[string]string{}
	open := environment(t, llmtest.New(t, playing()))
	for _, id := range modelSystems() {
		for _, q := range []answer.Question{openQuestion, choiceQuestion} {
			plain[id+q.Text] = answered(run(t, open, id, library, q))
		}
	}
	for _, template := range llmtest.Templates() {
		for _, manner := range llmtest.Manners()[:2] {
			t.Run(template.Name+" behind "+manner.Name, func(t *testing.T) {
				t.Parallel()
				server := llmtest.New(t, llmtest.Strict(playing(), template, manner))
				b := environment(t, server, func(c *llm.Config) {
					for role, e := range c.Roles {
						e.Model = "one" // plays all roles, as for most people
						c.Roles[role] = e
					}
				})
				refused := 0
				for _, id := range modelSystems() {
					for _, q := range []answer.Question{openQuestion, choiceQuestion} {
						server.Forget()
						result := run(t, b, id, library, q)
						var failed *llm.Error
						if errors.As(result.Failure, &failed) {
							t.Errorf("%s: %v", id, failed)
						}
						for _, call := range server.Calls() {
							if call.Kind == llmtest.Chat && template.Raise(call.Messages) != "" {
								refused++
							}
						}
						if got := answered(result); got != plain[id+q.Text] && template.Name != "Phi-3" {
							t.Errorf("%s answers\n%s, not\n%s", id, got, plain[id+q.Text])
						}
					}
				}
				if refused > 2 {
					t.Errorf("%d requests were refused", refused)
				}
			})
		}
	}
}

// answered returns what a person gets to see of a result.
func answered(r answer.Result) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s\n", r.State, r.Choice)
	for _, s := range r.Statements {
		fmt.Fprintf(&b, "- %s %v\n", s.Text, s.Citations)
	}
	for _, g := range r.Gaps {
		fmt.Fprintf(&b, "lacks %s (%s)\n", g.Text, g.Status)
	}
	return b.String()
}

// TestEverySystemWithEveryStranger has models of every kind play all roles. Whatever they say, nobody is
// told of a fault of the endpoint, and what is cited is in the sources (run checks that).
func TestEverySystemWithEveryStranger(t *testing.T) {
	library, _ := answertest.Library(t, infirmary)
	for _, stranger := range llmtest.Strangers() {
		t.Run(stranger.Name, func(t *testing.T) {
			t.Parallel()
			bench, server := table(t, stranger.Play(playing()))
			for _, id := range modelSystems() {
				system, _ := systems.Lookup(id)
				for _, q := range []answer.Question{openQuestion, choiceQuestion} {
					server.Forget()
					result := run(t, bench, id, library, q)
					var failed *llm.Error
					if errors.As(result.Failure, &failed) {
						t.Errorf("%s: %v", id, failed)
					}
					for _, text := range []string{"Certainly", "I hope this helps", "Let me know"} {
						if strings.Contains(answered(result), text) {
							t.Errorf("%s: a courtesy is taken for a part of the answer:\n%s", id, answered(result))
						}
					}
					if calls := len(server.Calls()); calls > 2*system.Calls {
						t.Errorf("%s: %d calls, %d are announced", id, calls, system.Calls)
					}
				}
			}
		})
	}
}

// TestJudgementOfStrangers says of each kind of model how its judgement was read, where it thought, and
// what became of that.
func TestJudgementOfStrangers(t *testing.T) {
	library, _ := answertest.Library(t, answertest.Ward)
	want := map[string]string{
		"instruct":        "ok text, limits and exceptions",
		"reasoning":       "ok trace, limits and exceptions",
		"terse":           "ok none, limits and exceptions",
		"verbose":         "ok text, limits and exceptions",
		"clinician":       "ok text, limits and exceptions",
		"wrong":           "ok text, limits and exceptions",
		"heedless":        "degraded text, ",
		"undecided":       "ok text, limits and exceptions",
		"open tag":        "ok text, limits and exceptions",
		"short of breath": "ok text, limits and exceptions",
		"escaping":        "ok text, limits and exceptions",
		"running on":      "ok text, limits and exceptions",
	}
	for _, stranger := range llmtest.Strangers() {
		server := llmtest.New(t, stranger.Play(llmtest.Obliging()))
		result := run(t, environment(t, server), "misknow/merged", library, goutQuestion)
		step := result.Trace[slices.IndexFunc(result.Trace, func(s answer.Step) bool { return s.Stage == answer.StageJudge })]
		var gaps []string
		for _, g := range result.Gaps {
			if g.Code == gap.MissingKnowledge {
				gaps = append(gaps, g.Text)
			}
		}
		if got := fmt.Sprintf("%s %s, %s", step.Outcome, step.Thinking, strings.Join(gaps, "; ")); got != want[stranger.Name] {
			t.Errorf("%s: %s, want %s", stranger.Name, got, want[stranger.Name])
		}
		if thinks := step.Thinking != answer.NoThinking && step.Outcome == answer.OK; thinks != strings.Contains(result.Reasoning, "What limits it has is not in the contexts") {
			t.Errorf("%s: the reasoning is %q", stranger.Name, result.Reasoning)
		}
		if strings.ContainsAny(result.Reasoning, "{}") && stranger.Name != "undecided" {
			t.Errorf("%s: the reasoning holds the object: %s", stranger.Name, result.Reasoning)
		}
	}
}

// ablations holds Misknow-RAG and what the paper takes away from it.
var ablations = []string{"misknow/merged", "misknow/merged/no-trace", "misknow/merged/no-reasoning"}

// TestAblationsDiffer holds what the paper's table of ablations needs, on a model without a trace of its
// own: the judge thinks in the first two alone, and the last prompt has the reasoning in the first
// alone. So it is with options to choose from.
func TestAblationsDiffer(t *testing.T) {
	library, _ := answertest.Library(t, answertest.Ward)
	// Thinking finds more than a glance, as the paper says.
	glancing := llmtest.On(llmtest.Obliging(), "judge_gaps", func(c llmtest.Call) llmtest.Reply {
		if c.Format == "" {
			return llmtest.Obliging()(c)
		}
		return llmtest.Reply{Text: `{"thought":"Something on the dose.","judge":true,"missing_knowledge":["dose"],"query":["asthma and the airways"]}`}
	})
	choice := goutQuestion
	choice.Options = choiceQuestion.Options
	for _, q := range []answer.Question{goutQuestion, choice} {
		judges, lasts := map[string]string{}, map[string]string{}
		for _, id := range ablations {
			server := llmtest.New(t, glancing)
			result := run(t, environment(t, server), id, library, q)
			calls := server.Calls()
			last := calls[len(calls)-1].User()
			for _, other := range ablations {
				if lasts[other] == last {
					t.Errorf("%s and %s send the same last prompt:\n%s", other, id, last)
				}
			}
			lasts[id] = last
			for _, call := range calls {
				if call.Template == "judge_gaps" {
					judges[id] = call.Model + call.Format + call.User()
				}
			}
			full := id == ablations[0]
			if got := strings.Contains(last, "From the reasoning: The draft answers a part of the question."); got != full {
				t.Errorf("%s: reasoning in the last prompt %t:\n%s", id, got, last)
			}
			for _, line := range []string{"Additional knowledge about: ", "Assessment of the first contexts: ", "Contexts found for what was missing:"} {
				if !strings.Contains(last, line) {
					t.Errorf("%s, %d options: the last prompt lacks %q:\n%s", id, len(q.Options), line, last)
				}
			}
			step := result.Trace[slices.IndexFunc(result.Trace, func(s answer.Step) bool { return s.Stage == answer.StageJudge })]
			if want := map[bool]answer.Thinking{true: answer.InText}[id != ablations[2]]; step.Thinking != want {
				t.Errorf("%s: thinking %q, want %q", id, step.Thinking, want)
			}
		}
		if judges[ablations[0]] != judges[ablations[1]] || judges[ablations[0]] == judges[ablations[2]] {
			t.Error("the judge is asked otherwise than in the ablation")
		}
	}
}

// TestNoSchemaOverThinking: what holds a reply to a schema lets no model think before it.
func TestNoSchemaOverThinking(t *testing.T) {
	library, _ := answertest.Library(t, answertest.Ward)
	for id, want := range map[string]string{"misknow/merged": "", "misknow/merged/no-reasoning": "json_schema"} {
		server := llmtest.New(t, llmtest.Obliging())
		run(t, environment(t, server), id, library, goutQuestion)
		for _, call := range server.Calls() {
			if call.Template == "judge_gaps" && call.Format != want {
				t.Errorf("%s: the judge is held to %q", id, call.Format)
			}
		}
	}
}

// TestThinkingThatBreaksOff: the tokens ran out before the object came. It is asked for alone, held to
// its schema, with the thinking in sight, and the thinking is kept.
func TestThinkingThatBreaksOff(t *testing.T) {
	library, _ := answertest.Library(t, answertest.Ward)
	play := llmtest.Strangers()[slices.IndexFunc(llmtest.Strangers(), func(s llmtest.Stranger) bool { return s.Name == "short of breath" })].Play
	server := llmtest.New(t, play(llmtest.Obliging()))
	result := run(t, environment(t, server), "misknow/merged", library, goutQuestion)
	var judging []llmtest.Call
	for _, call := range server.Calls() {
		if call.Template == "judge_gaps" {
			judging = append(judging, call)
		}
	}
	if len(judging) != 2 || judging[0].Format != "" || judging[1].Format != "json_schema" || len(judging[1].Messages) != 4 {
		t.Fatalf("%d calls: %s", len(judging), transcript(server.Calls(), result))
	}
	if said := judging[1].Messages[2].Content; !strings.Contains(said, "and each of them") {
		t.Errorf("the model is not shown what it thought: %q", said)
	}
	last := server.Calls()[len(server.Calls())-1].User()
	if !strings.Contains(last, "From the reasoning: The draft answers a part") {
		t.Errorf("the thinking is lost:\n%s", last)
	}
}

// TestObjectThatIsCutOff: thinking left the object too little room. What is cut off in it is not taken for
// a gap, unless nothing better is to be had.
func TestObjectThatIsCutOff(t *testing.T) {
	library, _ := answertest.Library(t, answertest.Ward)
	const cut = "The dose of colchicine and its price are not said.\n{\"thought\":\"Two things.\",\"judge\":true,\"missing_knowledge\":[\"dose of colchicine\",\"pri"
	for _, c := range []struct {
		name   string
		second llmtest.Reply
		gaps   []string
	}{
		{"and asked for again", llmtest.Reply{Text: `{"thought":"Two things.","judge":true,"missing_knowledge":["dose of colchicine","price"],"query":["a b","c d"]}`}, []string{"dose of colchicine", "price"}},
		{"and not to be had", llmtest.Reply{Text: "I am at a loss."}, []string{"dose of colchicine", "pri"}},
		{"and refused", llmtest.Reply{Status: 403}, []string{"dose of colchicine", "pri"}},
	} {
		first := true
		server := llmtest.New(t, llmtest.On(llmtest.Obliging(), "judge_gaps", func(llmtest.Call) llmtest.Reply {
			if first {
				first = false
				return llmtest.Reply{Text: cut, Finish: "max_tokens"}
			}
			return c.second
		}))
		result := run(t, environment(t, server), "misknow/merged", library, goutQuestion)
		var gaps []string
		for _, g := range result.Gaps {
			if g.Code == gap.MissingKnowledge {
				gaps = append(gaps, g.Text)
			}
		}
		if !slices.Equal(gaps, c.gaps) || !strings.Contains(result.Reasoning, "price are not said") {
			t.Errorf("%s: gaps %q, reasoning %q", c.name, gaps, result.Reasoning)
		}
	}
}
