package systems_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"lacuna/knowledge/answer"
	"lacuna/knowledge/answer/answertest"
	"lacuna/knowledge/history"
	"lacuna/knowledge/llm/llmtest"
	"lacuna/prompts"
)

// knowing plays a model that says the same in whatever way it is asked, and is sure of itself.
func knowing(text string) llmtest.Script {
	return llmtest.When(sureOf(llmtest.Obliging(), 95), func(c llmtest.Call) bool { return c.Kind == llmtest.Chat },
		func(c llmtest.Call) llmtest.Reply {
			switch c.Template {
			case "answer_direct", "answer_context", "combine":
				return llmtest.Reply{Text: text}
			case "answer_cot", "answer_manual_cot":
				return llmtest.Reply{Text: "It is known.\nAnswer: " + text}
			case "answer_choice":
				return llmtest.Reply{Text: fmt.Sprintf(`{"reasoning": %q, "answer_choice": "A"}`, text)}
			case "generate_doc":
				return llmtest.Reply{Text: "Basalt is a rock of the moon."}
			case "confidence":
				return llmtest.Reply{Text: `{"confidence": 95}`}
			}
			return llmtest.Obliging()(c)
		})
}

// closedBook holds the systems that answer without reading a source, of a model that is sure of itself.
var closedBook = []string{
	"direct", "cot", "manual-cot", "direct-response", "think-then-act", "self-dc", "genread", "medgenie", "cgap", "medrgag/no-retrieval",
}

// TestAnswersWithoutSourcesAreLookedUpAfterwards has a model say what the sources hold, what they deny, and
// what they do not hold.
func TestAnswersWithoutSourcesAreLookedUpAfterwards(t *testing.T) {
	library, _ := answertest.Library(t, answertest.Ward)
	const held = "An attack of gout is treated with colchicine or naproxen."
	const denied = "Allopurinol taken every day does not prevent attacks of gout."
	const strange = "Basalt is found on the moon."
	for _, system := range closedBook {
		for _, q := range []answer.Question{goutQuestion, {Text: goutQuestion.Text, Options: []prompts.Option{{Letter: "A", Text: "Colchicine"}, {Letter: "B", Text: "Iron"}}}} {
			bench, server := table(t, knowing(strings.Join([]string{held, denied, strange}, " ")))
			r := run(t, bench, system, library, q)
			if !r.CitedAfterwards || r.State != answer.Answered || r.Failed() || history.IsFromSources(r) || r.Judged() {
				t.Errorf("%s: afterwards %t, %s, searched %t, judged %t: %v", system, r.CitedAfterwards, r.State, history.IsFromSources(r), r.Judged(), r.Failure)
			}
			bases := make(map[string]answer.Basis)
			for _, s := range r.Statements {
				bases[s.Text] = s.Basis
			}
			if bases[held] != answer.Claim || bases[denied] == answer.Claim || bases[strange] == answer.Claim || len(r.Citations) != 1 || r.Citations[0].Quote != held {
				t.Errorf("%s: %v, %+v", system, bases, r.Citations)
			}
			if len(r.Evidence) > 0 || slices.ContainsFunc(r.Trace, func(s answer.Step) bool { return s.Stage == answer.StageRetrieve }) {
				t.Errorf("%s: counts as retrieved: %d passages", system, len(r.Evidence))
			}
			if at := slices.IndexFunc(r.Trace, func(s answer.Step) bool { return s.Stage == answer.StageCite }); at != len(r.Trace)-1 || r.Trace[at].Results != 1 {
				t.Errorf("%s: looked up at step %d of %d", system, at+1, len(r.Trace))
			}
			for _, call := range server.Calls() {
				if strings.Contains(string(call.Body), "naproxen") {
					t.Errorf("%s: a source was sent in %s", system, call.Template)
				}
			}
		}
	}
}

// TestAnswersFromSourcesAreNotLookedUp holds that only what was written without sources is.
func TestAnswersFromSourcesAreNotLookedUp(t *testing.T) {
	library, _ := answertest.Library(t, answertest.Ward)
	for _, system := range []string{"std-rag/merged", "misknow/merged", "manual-cot-ir", "vanilla-rag", "medrgag/no-generation", "i-medrag"} {
		bench, _ := table(t, llmtest.Obliging())
		if r := run(t, bench, system, library, goutQuestion); r.CitedAfterwards || !history.IsFromSources(r) {
			t.Errorf("%s: looked up afterwards %t, searched %t", system, r.CitedAfterwards, history.IsFromSources(r))
		}
	}
}

// TestAfterwardsStaysInTheSourcesOfTheQuestion narrows the sources, and has one that is private: it may be
// cited, as nothing of it is sent.
func TestAfterwardsStaysInTheSourcesOfTheQuestion(t *testing.T) {
	files := maps.Clone(answertest.Ward)
	files["own.md"] = "---\nlacuna: private\n---\n# Beds\n\nThe bed by the window is kept for the gardener.\n"
	library, _ := answertest.Library(t, files)
	const text = "An attack of gout is treated with colchicine or naproxen. The bed by the window is kept for the gardener."
	for _, c := range []struct {
		sources []string
		cited   int
	}{{nil, 2}, {[]string{"guidelines"}, 2}, {[]string{"history"}, 0}} {
		bench, server := table(t, knowing(text))
		r := run(t, bench, "direct", library, answer.Question{Text: goutQuestion.Text, Sources: c.sources})
		if len(r.Citations) != c.cited {
			t.Errorf("sources %v: %d citations, want %d", c.sources, len(r.Citations), c.cited)
		}
		if strings.Contains(string(server.Calls()[0].Body), "window") {
			t.Error("a private passage was sent")
		}
	}
}
