package systems_test

import (
	"fmt"
	"maps"
	"path/filepath"
	"strings"
	"testing"

	"lacuna/knowledge/answer"
	"lacuna/knowledge/answer/answertest"
	"lacuna/knowledge/answer/systems"
	"lacuna/knowledge/llm"
	"lacuna/knowledge/llm/llmtest"
	"lacuna/prompts"
)

// The systems of the MedRGAG paper are tested with the real client against a scripted server.

// table is an environment whose models are played by a script.
func table(t testing.TB, script llmtest.Script, change ...func(*llm.Config)) (*systems.Environment, *llmtest.Server) {
	t.Helper()
	server := llmtest.New(t, script)
	return environment(t, server, append([]func(*llm.Config){wide}, change...)...), server
}

// wide lets every role have as many calls at once as any system makes.
func wide(c *llm.Config) {
	for role, endpoint := range c.Roles {
		endpoint.Parallel = 16
		c.Roles[role] = endpoint
	}
}

// infirmary is a base of two sources that hold seven passages and two stored pairs.
var infirmary = func() map[string]string {
	files := maps.Clone(answertest.Ward)
	files["scurvy.md"] = "# Scurvy\n\nScurvy is a lack of vitamin C. Bleeding gums are its first sign.\n"
	files["rickets.md"] = "# Rickets\n\nRickets is a lack of vitamin D in children. Bones stay soft.\n"
	return files
}()

// choiceQuestion has options, openQuestion none.
var (
	choiceQuestion = answer.Question{
		ID: "gout-1", Text: "Which medicine treats an attack of gout?",
		Options: []prompts.Option{{Letter: "A", Text: "Colchicine"}, {Letter: "B", Text: "Salbutamol"}, {Letter: "C", Text: "Iron"}},
	}
	openQuestion = answer.Question{ID: "gout-2", Text: "How are gout, scurvy, rickets, asthma and a lack of iron treated?"}
)

// furtherQuestions plays an asker that has three new questions in every round.
func furtherQuestions(call llmtest.Call) llmtest.Reply {
	round := strings.Count(call.User(), "Query: ") / 3
	return llmtest.Reply{Text: fmt.Sprintf(
		`{"analysis":"More is needed.","queries":["What causes gout, part %[1]d?","Who gets gout, part %[1]d?","How long does gout last, part %[1]d?"]}`, round+1)}
}

// playing obliges, and asks on where further questions are wanted.
func playing() llmtest.Script {
	return llmtest.On(llmtest.Obliging(), "followup_ask", furtherQuestions)
}

// calls are the calls of each template that a system makes for a question with options, and for one
// without; empty means none.
var medrgagCalls = []struct {
	system       string
	choice, open string
}{
	{"medrgag", "summarise_doc*5 explore_gaps generate_doc*5 select_docs answer_choice", "summarise_doc*5 explore_gaps generate_doc*5 select_docs answer_context"},
	{"medrgag/no-generation", "answer_choice", "answer_context"},
	{"medrgag/no-retrieval", "explore_gaps generate_doc*5 answer_choice", "explore_gaps generate_doc*5 answer_context"},
	{"medrgag/no-kgcc", "generate_doc*5 select_docs answer_choice", "generate_doc*5 select_docs answer_context"},
	{"medrgag/no-kads", "summarise_doc*5 explore_gaps generate_doc*5 answer_choice", "summarise_doc*5 explore_gaps generate_doc*5 answer_context"},
	{"medrgag/random", "summarise_doc*5 explore_gaps generate_doc*5 answer_choice", "summarise_doc*5 explore_gaps generate_doc*5 answer_context"},
	{"medrgag/bge", "summarise_doc*5 explore_gaps generate_doc*5 answer_choice", "summarise_doc*5 explore_gaps generate_doc*5 answer_context"},
	{"medrgag/medcpt", "summarise_doc*5 explore_gaps generate_doc*5 answer_choice", "summarise_doc*5 explore_gaps generate_doc*5 answer_context"},
	{"medrgag/merge-all", "summarise_doc*5 explore_gaps generate_doc*5 answer_choice", "summarise_doc*5 explore_gaps generate_doc*5 answer_context"},
	{"direct-response", "answer_choice", "answer_direct"},
	{"vanilla-rag", "answer_choice", "answer_context"},
	{"medrag", "answer_choice", "answer_context"},
	{"i-medrag", strings.Repeat("followup_ask answer_context*3 ", 4) + "answer_choice", strings.Repeat("followup_ask answer_context*3 ", 3) + "followup_ask answer_context*4"},
	{"genread", "generate_doc*5 answer_choice", "generate_doc*5 answer_context"},
	{"medgenie", "generate_doc*5 answer_choice", "generate_doc*5 answer_context"},
	{"grg", "generate_doc*10 answer_choice", "generate_doc*10 answer_context"},
	{"cgap", "generate_doc*5 answer_choice*5", "generate_doc*5 answer_context*5"},
}

// TestCallsOfTheMedRGAGSystems holds every system to the calls of its description, in order, and to
// the number it promises.
func TestCallsOfTheMedRGAGSystems(t *testing.T) {
	library, _ := answertest.Library(t, infirmary)
	for _, c := range medrgagCalls {
		for _, q := range []answer.Question{choiceQuestion, openQuestion} {
			want := c.choice
			if len(q.Options) == 0 {
				want = c.open
			}
			bench, server := table(t, playing())
			run(t, bench, c.system, library, q)
			calls := server.Calls()
			if got := inRuns(calls); got != want {
				t.Errorf("%s, %d options: calls %s, want %s", c.system, len(q.Options), got, want)
			}
			if system, _ := systems.Lookup(c.system); len(calls) != system.Calls {
				t.Errorf("%s, %d options: %d calls, promised %d", c.system, len(q.Options), len(calls), system.Calls)
			}
		}
	}
}

// inRuns names the templates of calls in order of arrival, those that follow themselves counted.
func inRuns(calls []llmtest.Call) string {
	var runs []string
	for i := 0; i < len(calls); {
		to := i
		for to < len(calls) && calls[to].Template == calls[i].Template {
			to++
		}
		name := calls[i].Template
		if to-i > 1 {
			name += fmt.Sprintf("*%d", to-i)
		}
		runs, i = append(runs, name), to
	}
	return strings.Join(runs, " ")
}

// TestMedRGAGTranscripts keeps what every system asked, what its trace says and what came of it.
func TestMedRGAGTranscripts(t *testing.T) {
	library, _ := answertest.Library(t, infirmary)
	for _, c := range medrgagCalls {
		t.Run(c.system, func(t *testing.T) {
			var b strings.Builder
			for _, q := range []answer.Question{choiceQuestion, openQuestion} {
				bench, server := table(t, playing())
				result := run(t, bench, c.system, library, q)
				fmt.Fprintf(&b, "# %s\n\n%s\n", q.Text, transcript(server.Calls(), result))
			}
			golden(t, filepath.Join("medrgag", strings.ReplaceAll(c.system, "/", ",")+".golden"), b.String())
		})
	}
}
