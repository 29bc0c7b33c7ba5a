package systems_test

import (
	"context"
	"errors"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"lacuna/knowledge/answer"
	"lacuna/knowledge/answer/answertest"
	"lacuna/knowledge/gap"
	"lacuna/knowledge/llm"
	"lacuna/knowledge/llm/llmtest"
)

// within gives the calls of a role so much time.
func within(timeout time.Duration, role llm.Role) func(*llm.Config) {
	return func(c *llm.Config) {
		endpoint := c.Roles[role]
		endpoint.Timeout = timeout
		c.Roles[role] = endpoint
	}
}

// TestFaultsOfMedRGAG breaks every stage in every way. Whatever fails, there is an answer or a plain
// reason, the trace says where, and nothing is said to be missing that no model missed.
func TestFaultsOfMedRGAG(t *testing.T) {
	library, _ := answertest.Library(t, infirmary)
	whole, _ := table(t, playing())
	missed := modelGaps(run(t, whole, "medrgag", library, choiceQuestion))
	if len(missed) == 0 {
		t.Fatal("without a fault the explorer names nothing")
	}
	before := runtime.NumGoroutine()
	var running sync.WaitGroup
	room := make(chan struct{}, 48) // most of the time is spent between attempts
	for _, fault := range llmtest.Faults() {
		timeout := time.Minute
		if fault.Hangs {
			timeout = 500 * time.Millisecond
		}
		for _, c := range stagesOfMedRGAG {
			bench, server := table(t, llmtest.Break(playing(), fault, c.template), within(timeout, c.role))
			running.Go(func() {
				room <- struct{}{}
				defer func() { <-room }()
				where := c.template + ", " + fault.Name
				strategy, err := bench.Strategy("medrgag")
				if err != nil {
					t.Error(err)
					return
				}
				result, err := strategy.Answer(t.Context(), library, c.question)
				if err != nil {
					t.Errorf("%s: %v", where, err)
					return
				}
				checkReasoned(t, result)
				checkFault(t, where, c.stage, missed, result)
				if fault.Lasting && result.Failure == nil {
					t.Errorf("%s: nothing is said of the failure", where)
				}
				bench.Model.Close()
				ended(server)
				server.Close()
			})
		}
	}
	running.Wait()
	for begun := time.Now(); runtime.NumGoroutine() > before; {
		if time.Since(begun) > 5*time.Minute {
			t.Fatalf("%d goroutines before, %d after", before, runtime.NumGoroutine())
		}
		time.Sleep(time.Millisecond)
	}
}

// ended waits until a server sees no call and no connection any more; the client holds none.
func ended(server *llmtest.Server) {
	for open := 1; open > 0 || server.InFlight() > 0; open, _ = server.Conns() {
		time.Sleep(time.Millisecond)
	}
}

// stagesOfMedRGAG holds the stages that ask a model, by what asks it.
var stagesOfMedRGAG = []struct {
	template string
	role     llm.Role
	stage    answer.Stage
	question answer.Question
}{
	{"summarise_doc", llm.Summariser, answer.StageSummarise, choiceQuestion},
	{"explore_gaps", llm.Explorer, answer.StageExplore, choiceQuestion},
	{"generate_doc", llm.Generator, answer.StageGenerate, choiceQuestion},
	{"select_docs", llm.Integrator, answer.StageSelect, choiceQuestion},
	{"answer_choice", llm.Reader, answer.StageRead, choiceQuestion},
	{"answer_context", llm.Reader, answer.StageRead, openQuestion},
}

// checkFault holds what must be true of a result of which one stage may have failed.
func checkFault(t *testing.T, where string, stage answer.Stage, missed []string, r answer.Result) {
	t.Helper()
	failed := slices.ContainsFunc(r.Trace, func(s answer.Step) bool { return s.Stage == stage && s.Outcome != answer.OK })
	var fault *llm.Error
	if failed && !errors.As(r.Failure, &fault) {
		t.Errorf("%s: the failure %v names no fault of the endpoint", where, r.Failure)
	}
	if !failed && r.Failure != nil {
		t.Errorf("%s: all went well, and yet %v", where, r.Failure)
	}
	for _, s := range r.Trace {
		if s.Stage != stage && s.Outcome != answer.OK {
			t.Errorf("%s: %s is %s", where, s.Stage, s.Outcome)
		}
	}
	gaps := modelGaps(r)
	if failed && stage == answer.StageExplore && len(gaps) > 0 {
		t.Errorf("%s: nobody explored, and yet %v is missing", where, gaps)
	}
	for _, id := range gaps {
		if !slices.Contains(missed, id) && len(r.Question.Options) > 0 {
			t.Errorf("%s: the gap %s is new", where, id)
		}
	}
	if len(r.Evidence) == 0 {
		t.Errorf("%s: the evidence is lost", where)
	}
	answered := r.Choice != "" || len(r.Shown()) > 0
	if !answered && r.Reason == "" {
		t.Errorf("%s: neither an answer nor a reason", where)
	}
	if len(r.Question.Options) > 0 && (r.Choice == "A") == (failed && stage == answer.StageRead) {
		t.Errorf("%s: choice %q", where, r.Choice)
	}
}

// modelGaps returns the identities of the gaps that a model named.
func modelGaps(r answer.Result) []string {
	var ids []string
	for _, g := range r.Gaps {
		if g.Code == gap.MissingKnowledge {
			ids = append(ids, g.ID)
		}
	}
	return ids
}

// TestCancelledMedRGAGEndsItsCalls cancels while the documents are summarised.
func TestCancelledMedRGAGEndsItsCalls(t *testing.T) {
	library, _ := answertest.Library(t, infirmary)
	ctx, cancel := context.WithCancel(t.Context())
	reached := make(chan struct{}, 5)
	bench, server := table(t, func(c llmtest.Call) llmtest.Reply {
		reached <- struct{}{}
		return llmtest.Named("silent").Break(llmtest.Reply{})
	})
	strategy, err := bench.Strategy("medrgag")
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		for range cap(reached) {
			<-reached
		}
		cancel()
	}()
	if _, err := strategy.Answer(ctx, library, choiceQuestion); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	if calls := server.Calls(); len(calls) != 5 {
		t.Errorf("%d calls after the end", len(calls))
	}
}

// TestRerankerDecides gives the documents of a configured reranker scores against the order of the
// search. It is asked for the candidates and for the ten to choose from, the second time while the
// integrator chooses; where it fails, the signals of the search decide.
func TestRerankerDecides(t *testing.T) {
	library, _ := answertest.Library(t, infirmary)
	backwards := func(c llmtest.Call) llmtest.Reply {
		reply := llmtest.Reply{Scores: make([]float64, len(c.Documents))}
		for i, document := range c.Documents {
			if strings.Contains(document, "asthma") || strings.Contains(document, "Asthma") {
				reply.Scores[i] = 1
			}
		}
		return reply
	}
	ranks := func(c llmtest.Call) bool { return c.Kind == llmtest.Rerank }
	calls := newWaves(t, wave{"rerank": 1}, wave{"summarise_doc": 5}, wave{"explore_gaps": 1}, wave{"generate_doc": 5},
		wave{"select_docs": 1, "rerank": 1}, wave{"answer_choice": 1})
	bench, server := table(t, calls.script(llmtest.When(playing(), ranks, backwards)), reranking)
	result := run(t, bench, "medrgag", library, choiceQuestion)
	if first := result.Evidence[0].Passage.Record; first != "asthma.md" {
		t.Errorf("the first evidence is %s, not what the reranker put first", first)
	}
	calls.end()
	server.Script(llmtest.When(playing(), ranks, llmtest.Break(backwards, llmtest.Status(http.StatusNotFound))))
	result = run(t, bench, "medrgag", library, choiceQuestion)
	if first := result.Evidence[0].Passage.Record; first != "gout.md" {
		t.Errorf("without the reranker the first evidence is %s", first)
	}
	var fault *llm.Error
	if result.Choice != "A" || !errors.As(result.Failure, &fault) || fault.Fault != llm.NotFound {
		t.Errorf("choice %q, failure %v", result.Choice, result.Failure)
	}
	for _, s := range result.Trace {
		if s.Stage == answer.StageRerank && s.Outcome != answer.Degraded {
			t.Errorf("the trace says %s of %s", s.Outcome, s.Stage)
		}
	}
}

// reranking adds a reranker at the same server.
func reranking(c *llm.Config) {
	c.Rerank = &llm.Endpoint{BaseURL: c.Roles[llm.Reader].BaseURL, Model: "cross", Parallel: 16}
}

// TestStrategiesNameTheirReranker holds that a selection strategy asks for the model of its name.
func TestStrategiesNameTheirReranker(t *testing.T) {
	library, _ := answertest.Library(t, infirmary)
	for system, model := range map[string]string{"medrgag/bge": "bge-large", "medrgag/medcpt": "medcpt-cross", "medrgag/no-kads": "cross"} {
		bench, server := table(t, playing(), reranking)
		bench.Options.Selectors = map[string]string{"bge": "bge-large", "medcpt": "medcpt-cross"}
		run(t, bench, system, library, choiceQuestion)
		var models []string
		for _, call := range server.Calls() {
			if call.Kind == llmtest.Rerank {
				models = append(models, call.Model)
			}
		}
		if want := []string{"cross", model}; !slices.Equal(models, want) {
			t.Errorf("%s asks the rerankers %v, want %v", system, models, want)
		}
	}
}

// TestRepliesThatMustBeMended gives the replies of JSON in all the forms that models write. What can
// be read is used; what cannot is asked for once more and then done without, which is no failure of
// an endpoint.
func TestRepliesThatMustBeMended(t *testing.T) {
	library, _ := answertest.Library(t, infirmary)
	for _, c := range []struct {
		template, good string
		stage          answer.Stage
		used           func(answer.Result) bool
	}{
		{
			"explore_gaps", `{"reasoning": "One point.", "knowledge": ["Gums in scurvy"]}`, answer.StageExplore,
			func(r answer.Result) bool { return len(r.Gaps) == 1 && r.Gaps[0].Text == "Gums in scurvy" },
		},
		{
			"select_docs", `{"requirements": ["a treatment"], "selected": [1, 3]}`, answer.StageSelect,
			func(r answer.Result) bool { return !failedAt(r, answer.StageSelect) },
		},
		{
			"answer_choice", `{"reasoning": "It fits.", "answer_choice": "B", "certain": true}`, answer.StageRead,
			func(r answer.Result) bool { return r.Choice == "B" },
		},
	} {
		for _, form := range llmtest.Mangle(c.good) {
			bench, server := table(t, llmtest.On(playing(), c.template, llmtest.Always(llmtest.Reply{Text: form.Text})))
			r := run(t, bench, "medrgag", library, choiceQuestion)
			if c.used(r) != form.Readable || failedAt(r, c.stage) == form.Readable {
				t.Errorf("%s, %s: choice %q, gaps %v, %s failed %v", c.template, form.Name, r.Choice, r.Gaps, c.stage, failedAt(r, c.stage))
			}
			var fault *llm.Error
			if errors.As(r.Failure, &fault) {
				t.Errorf("%s, %s: %v", c.template, form.Name, r.Failure)
			}
			asked := 0
			for _, template := range server.Templates() {
				if template == c.template {
					asked++
				}
			}
			if want := map[bool]int{true: 1, false: 2}[form.Readable]; asked != want {
				t.Errorf("%s, %s: asked %d times, want %d", c.template, form.Name, asked, want)
			}
		}
	}
}

// failedAt reports whether a stage did without its model.
func failedAt(r answer.Result, stage answer.Stage) bool {
	return slices.ContainsFunc(r.Trace, func(s answer.Step) bool { return s.Stage == stage && s.Outcome != answer.OK })
}

// TestNoLetterIsNoAnswer holds that nothing is chosen where a reader names no option or several.
func TestNoLetterIsNoAnswer(t *testing.T) {
	library, _ := answertest.Library(t, infirmary)
	for reply, want := range map[string]string{
		`{"reasoning":"Both fit.","answer_choice":"A/B"}`:             "",
		`{"reasoning":"Both fit.","answer_choice":"A and B"}`:         "",
		`{"reasoning":"None.","answer_choice":"D"}`:                   "",
		`{"reasoning":"It fits.","answer_choice":"B. Salbutamol"}`:    "B",
		`{"reasoning":"It fits.","answer_choice":"(C)"}`:              "C",
		`{"reasoning":"It fits.","answer_choice":"colchicine"}`:       "A",
		`Dict{"reasoning": "It fits.", "answer_choice": "B"}`:         "B",
		`00000000000000000000000000000000000000000000000000000000000`: "",
	} {
		for _, system := range []string{"direct-response", "cgap"} {
			bench, _ := table(t, llmtest.On(playing(), "answer_choice", llmtest.Always(llmtest.Reply{Text: reply})))
			r := run(t, bench, system, library, choiceQuestion)
			if r.Choice != want || (r.Failure == nil) != (want != "") {
				t.Errorf("%s, %s: choice %q, failure %v, want %q", system, reply, r.Choice, r.Failure, want)
			}
		}
	}
}
