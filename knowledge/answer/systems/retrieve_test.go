package systems_test

import (
	"errors"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lacuna/knowledge"
	"lacuna/knowledge/answer"
	"lacuna/knowledge/answer/answertest"
	"lacuna/knowledge/llm"
	"lacuna/knowledge/llm/llmtest"
)

// mixedQuestion is answered by the page on gout and shares a word with that on asthma.
var mixedQuestion = answer.Question{Text: "How is an attack of gout treated, and does asthma come with it?"}

// asthmatic plays all models, and a reranker that wants to read about asthma whatever is asked.
func asthmatic() llmtest.Script {
	return llmtest.When(playing(), ranks, func(c llmtest.Call) llmtest.Reply {
		reply := llmtest.Reply{Scores: make([]float64, len(c.Documents))}
		for i, document := range c.Documents {
			if strings.Contains(document, "Asthma") {
				reply.Scores[i] = 1
			}
		}
		return reply
	})
}

func ranks(c llmtest.Call) bool { return c.Kind == llmtest.Rerank }

// queriesRanked returns the queries for which a reranker was asked, each once and in order.
func queriesRanked(calls []llmtest.Call) []string {
	var queries []string
	for _, call := range calls {
		if ranks(call) {
			queries = append(queries, call.Query)
		}
	}
	slices.Sort(queries)
	return slices.Compact(queries)
}

// read returns the records of the evidence, in order.
func read(r answer.Result) []string {
	var records []string
	for _, hit := range r.Evidence {
		records = append(records, hit.Passage.Record)
	}
	return records
}

// TestConfiguredRerankerOrdersMixedSearches asks by systems that search for themselves. What is
// private is not sent, and what is reranked is in the trace next to its search.
func TestConfiguredRerankerOrdersMixedSearches(t *testing.T) {
	files := maps.Clone(infirmary)
	files["own.md"] = "---\nlacuna: private\n---\n# Gout\n\nAn attack of gout is treated as in the case of Mr Quillfeather.\n"
	library, _ := answertest.Library(t, files)
	for _, c := range []struct {
		system   string
		searches int // of the mixed searches
	}{
		{"std-rag/wiki", 1}, {"std-rag/2way", 1}, {"std-rag/merged", 1}, {"misknow/merged", 2}, {"misknow/wiki+qa", 1},
		{"manual-cot-ir", 1}, {"think-then-act", 1},
	} {
		bench, server := table(t, llmtest.On(asthmatic(), "judge_gaps", llmtest.Always(llmtest.Reply{
			Text: `{"judge":true,"missing_knowledge":["vitamins"],"query":["a lack of vitamin C, of vitamin D, and asthma"]}`,
		})), reranking)
		bench.Options.Reranked = 32
		result := run(t, bench, c.system, library, mixedQuestion)
		if records := read(result); records[0] != "asthma.md" || len(records) > 4 {
			t.Errorf("%s reads %v", c.system, records)
		}
		if queries := queriesRanked(server.Calls()); len(queries) != c.searches || !slices.Contains(queries, mixedQuestion.Text) {
			t.Errorf("%s has %q ranked", c.system, queries)
		}
		for _, call := range server.Calls() {
			if strings.Contains(string(call.Body), "Quillfeather") {
				t.Errorf("%s: a private passage left in %s%s", c.system, call.Kind, call.Template)
			}
		}
		if ranked := stepsOf(result, answer.StageRerank); len(ranked) != c.searches || ranked[0].Outcome != answer.OK || ranked[0].Detail != mixedQuestion.Text {
			t.Errorf("%s: the trace says %+v", c.system, ranked)
		}
	}
}

func stepsOf(r answer.Result, stage answer.Stage) []answer.Step {
	return slices.DeleteFunc(slices.Clone(r.Trace), func(s answer.Step) bool { return s.Stage != stage })
}

// TestSearchesOfAPaperStayUnranked has a reranker for searches that are not mixed, for those of systems
// without one in their paper, for nobody who wants it, and for the offline system.
func TestSearchesOfAPaperStayUnranked(t *testing.T) {
	library, _ := answertest.Library(t, infirmary)
	for _, c := range []struct {
		system    string
		retriever knowledge.Retriever
		depth     int
	}{
		{"misknow/merged", knowledge.Dense, 32}, {"misknow/merged", knowledge.BM25, 32}, {"misknow/merged", "", 0},
		{"vanilla-rag", knowledge.Hybrid, 32}, {"medrag", "", 32}, {"i-medrag", "", 32}, {answer.OfflineID, "", 32},
	} {
		bench, server := table(t, asthmatic(), reranking)
		bench.Options.Reranked, bench.Options.Retriever = c.depth, c.retriever
		run(t, bench, c.system, library, mixedQuestion)
		if queries := queriesRanked(server.Calls()); len(queries) > 0 {
			t.Errorf("%s, %q, depth %d: %q are ranked", c.system, c.retriever, c.depth, queries)
		}
	}
}

// TestHalvesKeepTheirPlaces shares places between running text and stored pairs although the reranker
// would read nothing but text.
func TestHalvesKeepTheirPlaces(t *testing.T) {
	library, _ := answertest.Library(t, infirmary)
	bench, _ := table(t, asthmatic(), reranking)
	question := answer.Question{Text: "How is scurvy treated, what are its symptoms, and does asthma come with it?"}
	plain := read(run(t, bench, "std-rag/2way", library, question))
	bench.Options.Reranked = 32
	ranked := read(run(t, bench, "std-rag/2way", library, question))
	if len(ranked) != 4 || ranked[0] != "asthma.md" || !cmp.Equal(plain[2:], ranked[2:]) {
		t.Errorf("%v, and %v with a reranker", plain, ranked)
	}
}

// TestSearchStandsWithoutItsReranker has a reranker that fails: the answer is the same as without one,
// and says what failed. A model that fails as well is the graver failure.
func TestSearchStandsWithoutItsReranker(t *testing.T) {
	library, _ := answertest.Library(t, infirmary)
	plain, _ := table(t, playing())
	want := run(t, plain, "misknow/merged", library, mixedQuestion)

	broken := llmtest.When(playing(), ranks, llmtest.Break(playing(), llmtest.Status(http.StatusNotFound)))
	bench, server := table(t, broken, reranking)
	bench.Options.Reranked = 32
	got := run(t, bench, "misknow/merged", library, mixedQuestion)
	if diff := cmp.Diff(read(want), read(got)); diff != "" {
		t.Errorf("read:\n%s", diff)
	}
	if diff := cmp.Diff(want.Statements, got.Statements); diff != "" {
		t.Errorf("said:\n%s", diff)
	}
	if fault := faultOf(got.Failure); fault.Role != "rerank" || fault.Fault != llm.NotFound {
		t.Errorf("failure %v", got.Failure)
	}
	for _, s := range stepsOf(got, answer.StageRerank) {
		if s.Outcome != answer.Degraded || s.Fallback != "the order of the search" || s.Err == nil {
			t.Errorf("the trace says %+v", s)
		}
	}
	server.Script(llmtest.Always(llmtest.Reply{Status: http.StatusUnauthorized}))
	if fault := faultOf(run(t, bench, "misknow/merged", library, mixedQuestion).Failure); fault.Role != llm.Reader {
		t.Errorf("of two failures the one of %q is told", fault.Role)
	}
}

func faultOf(err error) llm.Error {
	var fault *llm.Error
	if !errors.As(err, &fault) {
		return llm.Error{}
	}
	return *fault
}
