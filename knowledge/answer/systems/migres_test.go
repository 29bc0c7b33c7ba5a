package systems_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"lacuna/knowledge/answer"
	"lacuna/knowledge/answer/answertest"
	"lacuna/knowledge/answer/systems"
	"lacuna/knowledge/gap"
	"lacuna/knowledge/llm"
	"lacuna/knowledge/llm/llmtest"
)

const unsolved = `{"explanation":"Nothing is said on it.","answer":{"text":"unanswerable","confidence":4},"missing_information":"price of colchicine tablets"}`

// forcedOnly solves a question only when it must.
func forcedOnly(c llmtest.Call) llmtest.Reply {
	if strings.Contains(c.User(), "not allowed") {
		return llmtest.Reply{Text: `{"answer":{"text":"An attack of gout is treated with colchicine.","confidence":1}}`}
	}
	return llmtest.Reply{Text: unsolved}
}

// TestMigresThatFindsNothingAsksOn counts the calls of a question that is never solved, though every
// query brings new facts.
func TestMigresThatFindsNothingAsksOn(t *testing.T) {
	library, _ := answertest.Library(t, answertest.Ward)
	var asked, fact atomic.Int32
	script := llmtest.On(llmtest.Obliging(), "migres_solve", forcedOnly)
	script = llmtest.On(script, "migres_query", func(llmtest.Call) llmtest.Reply {
		return llmtest.Reply{Text: fmt.Sprintf(`{"queries":["zinc ointment number %d"]}`, asked.Add(1))}
	})
	script = llmtest.On(script, "migres_extract", func(llmtest.Call) llmtest.Reply {
		return llmtest.Reply{Text: fmt.Sprintf(`{"useful_information":[{"info":"Fact %d.","support_passages":[1]}]}`, fact.Add(1))}
	})
	server := llmtest.New(t, script)
	result := run(t, environment(t, server), "migres", library, goutQuestion)
	golden(t, filepath.Join("misknow", "migres-unsolved.golden"), transcript(server.Calls(), result))
	system, _ := systems.Lookup("migres")
	if calls := len(server.Calls()); calls > system.Calls || calls != 28 {
		// One less than there may be: the first round finds passages, and asks for no background.
		t.Errorf("%d calls, want 28 of %d", calls, system.Calls)
	}
	if len(result.Gaps) != 1 || result.Gaps[0].Text != "price of colchicine tablets" || result.Gaps[0].Status != gap.Open {
		t.Errorf("gaps %+v", result.Gaps)
	}
}

// TestMigresWithoutFactsDoesNotSolve: a solution is not asked for again when nothing new is known.
func TestMigresWithoutFactsDoesNotSolve(t *testing.T) {
	library, _ := answertest.Library(t, answertest.Ward)
	script := llmtest.On(llmtest.Obliging(), "migres_solve", forcedOnly)
	script = llmtest.On(script, "migres_extract", llmtest.Always(llmtest.Reply{Text: `{"useful_information":[]}`}))
	server := llmtest.New(t, script)
	run(t, environment(t, server), "migres", library, goutQuestion)
	solved := slices.DeleteFunc(server.Templates(), func(name string) bool { return name != "migres_solve" })
	if len(solved) != 1 {
		t.Errorf("asked for %d solutions, want the forced one alone", len(solved))
	}
}

// TestMigresVerifiesByWordsWithoutAnEvaluator: facts that the passages do not hold are left out.
func TestMigresVerifiesByWordsWithoutAnEvaluator(t *testing.T) {
	library, _ := answertest.Library(t, answertest.Ward)
	script := llmtest.On(llmtest.Obliging(), "migres_extract", llmtest.Always(llmtest.Reply{
		Text: `{"useful_information":[{"info":"Gout is an arthritis caused by crystals of urate.","support_passages":[1,2]},{"info":"Gout is cured by dancing at midnight.","support_passages":[1]}]}`,
	}))
	server := llmtest.New(t, script)
	result := run(t, environment(t, server, func(c *llm.Config) { delete(c.Roles, llm.Evaluator) }), "migres", library, goutQuestion)
	calls := server.Calls()
	last := calls[len(calls)-1].User()
	if !strings.Contains(last, "urate") || strings.Contains(last, "dancing") {
		t.Errorf("the solver is told:\n%s", last)
	}
	var unset *llm.Error
	if !errors.As(result.Failure, &unset) || unset.Fault != llm.Unset {
		t.Errorf("failure %v", result.Failure)
	}
}

// TestFaultsOfMigres breaks every stage in a way that lasts and in one that cannot be read.
func TestFaultsOfMigres(t *testing.T) {
	library, _ := answertest.Library(t, answertest.Ward)
	for _, template := range []string{"migres_extract", "verify_facts", "migres_solve", "migres_query"} {
		for _, fault := range []llmtest.Fault{llmtest.Status(404), llmtest.Named("html page"), {
			Name: "prose", Break: func(llmtest.Reply) llmtest.Reply { return llmtest.Reply{Text: "I would rather not say {anything."} },
		}} {
			where := template + ", " + fault.Name
			solves := llmtest.On(llmtest.Obliging(), "migres_solve", forcedOnly)
			server := llmtest.New(t, llmtest.Break(solves, fault, template))
			result := run(t, environment(t, server, within(time.Second, llm.Reader)), "migres", library, goutQuestion)
			if result.State == answer.Nothing {
				t.Errorf("%s: %s", where, transcript(server.Calls(), result))
			}
			if (result.Failure != nil) != (fault.Name != "prose") {
				t.Errorf("%s: failure %v", where, result.Failure)
			}
			for _, g := range result.Gaps {
				if g.Text != "price of colchicine tablets" && g.Code == gap.MissingKnowledge {
					t.Errorf("%s: gap %q is invented", where, g.Text)
				}
			}
		}
	}
}
