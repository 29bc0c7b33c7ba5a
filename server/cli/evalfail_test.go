package cli

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"lacuna/knowledge/llm/llmtest"
)

// evaluated runs eval --json with questions on standard input.
func evaluated(t *testing.T, code int, questions string, args ...string) (e evaluationJSON, stderr string) {
	t.Helper()
	stdout, stderr, got := run(t, strings.NewReader(questions), append([]string{"eval", "--json", "--queries", "-"}, args...)...)
	if got != code {
		t.Fatalf("eval %v: exit %d, want %d: %s", args, got, code, stderr)
	}
	if err := json.Unmarshal([]byte(stdout), &e); err != nil {
		t.Fatalf("eval %v: %v in %s", args, err, stdout)
	}
	return e, stderr
}

// sizes returns the numbers of questions that the figures of a group rest on, each once.
func sizes(e evaluationJSON, group string) []int {
	var all []int
	for _, m := range e.Measures {
		if m.Group == group {
			all = append(all, m.N)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// dyingOn plays a model that is gone wherever a prompt of one of the templates holds some words.
func dyingOn(words string, templates ...string) llmtest.Script {
	return llmtest.When(llmtest.Obliging(), func(c llmtest.Call) bool {
		return strings.Contains(c.User(), words) && (len(templates) == 0 || slices.Contains(templates, c.Template))
	}, llmtest.Always(llmtest.Reply{Status: http.StatusNotFound}))
}

// answerable holds questions of the clinic with what is known of them; two are on the vaccine.
var answerable = func() string {
	var b strings.Builder
	for i, q := range []string{"When is metformin avoided?", "Which vaccine is given?", "When is its dose reviewed?", "Which vaccine is not given?"} {
		fmt.Fprintf(&b, `{"qid":"%d","question":%q,"ideal":"Metformin is avoided.","covered":%t}`+"\n", i, q, i%2 == 0)
	}
	return b.String()
}()

// TestFailedQuestionsAreNotMeasured has the model gone for two questions of four, and for all.
func TestFailedQuestionsAreNotMeasured(t *testing.T) {
	for _, what := range []string{"answers", "gaps"} {
		t.Run(what, func(t *testing.T) {
			server := withModel(t, dyingOn("vaccine"))
			e, stderr := evaluated(t, exitDone, answerable, what, "--system", "misknow/merged")
			if e.Failed != 2 || len(e.Failures) != 1 || e.Failures[0].Questions != 2 || e.Degraded != 0 {
				t.Errorf("%d failed of %+v, %d degraded", e.Failed, e.Failures, e.Degraded)
			}
			for _, m := range e.Measures {
				if m.N > 2 && m.Metric != "citations that resolve" {
					t.Errorf("%s rests on %d questions", m.Metric, m.N)
				}
			}
			if !strings.Contains(stderr, "2 questions not measured: The model at ") {
				t.Errorf("%s", stderr)
			}
			stdout, _, _ := run(t, strings.NewReader(answerable), "eval", what, "--system", "misknow/merged", "--queries", "-")
			if !strings.Contains(stdout, "2 questions failed and left out\n") {
				t.Errorf("%s", stdout)
			}

			server.Script(llmtest.Always(llmtest.Reply{Status: http.StatusNotFound}))
			e, stderr = evaluated(t, exitFailed, answerable, what, "--system", "direct")
			if e.Failed != 4 || len(e.Measures) > 0 || !strings.Contains(stderr, "nothing could be measured") {
				t.Errorf("%d failed, %+v, %s", e.Failed, e.Measures, stderr)
			}
		})
	}
}

// TestAnswersInPartAreCounted has the judge gone for two questions: what could be said without it is
// measured and counted.
func TestAnswersInPartAreCounted(t *testing.T) {
	withModel(t, dyingOn("vaccine", "judge_gaps"))
	e, _ := evaluated(t, exitDone, answerable, "answers", "--system", "misknow/merged")
	if e.Failed != 0 || e.Degraded != 2 || !slices.Contains(sizes(e, "as shown"), 4) {
		t.Errorf("%d failed, %d degraded, %v", e.Failed, e.Degraded, sizes(e, "as shown"))
	}
	stdout, _, _ := run(t, strings.NewReader(answerable), "eval", "answers", "--system", "misknow/merged", "--queries", "-")
	if !strings.Contains(stdout, "2 questions answered without a stage") {
		t.Errorf("%s", stdout)
	}
}

// TestOfflineFiguresNeedNoModel measures the offline system while the model is gone.
func TestOfflineFiguresNeedNoModel(t *testing.T) {
	server := withModel(t, llmtest.Always(llmtest.Reply{Status: http.StatusNotFound}))
	e, stderr := evaluated(t, exitDone, answerable, "answers")
	if e.Failed != 0 || e.Degraded != 0 || strings.Contains(stderr, "not measured") || len(server.Calls()) > 0 {
		t.Errorf("%d failed, %d degraded, %d calls, %s", e.Failed, e.Degraded, len(server.Calls()), stderr)
	}
}

// searchable makes the workspace of eval.txtar, with questions on what is relevant.
func searchable(t *testing.T) string {
	t.Helper()
	archive, err := txtar.ParseFile(filepath.Join("testdata", "script", "eval.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	workspaceOf(t, archive)
	questions, err := os.ReadFile("search.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	return string(questions)
}

// TestADeadEncoderIsNotMeasured has the endpoint of [embedding] encode the passages and then two of
// three questions, or none.
func TestADeadEncoderIsNotMeasured(t *testing.T) {
	questions := searchable(t)
	queries := func(words string) llmtest.Script {
		return llmtest.When(llmtest.Obliging(), func(c llmtest.Call) bool {
			return len(c.Input) == 1 && strings.Contains(c.Input[0], words)
		}, llmtest.Always(llmtest.Reply{Status: http.StatusNotFound}))
	}
	server := llmtest.New(t, llmtest.Obliging())
	t.Setenv("LACUNA_EMBEDDING_BASE_URL", server.URL())
	t.Setenv("LACUNA_EMBEDDING_MODEL", "e")
	e, stderr := evaluated(t, exitDone, questions, "search")
	if e.Failed != 0 || strings.Contains(stderr, "not measured") || !slices.Equal(sizes(e, "hybrid"), []int{3}) || !slices.Equal(sizes(e, "dense"), []int{3}) {
		t.Errorf("%d failed, %v and %v, %s", e.Failed, sizes(e, "hybrid"), sizes(e, "dense"), stderr)
	}
	server.Script(queries(""))
	e, stderr = evaluated(t, exitDone, questions, "search")
	if e.Failed != 3 || len(sizes(e, "hybrid"))+len(sizes(e, "dense")) > 0 || !slices.Equal(sizes(e, "bm25"), []int{3}) {
		t.Errorf("%d failed, %+v", e.Failed, e.Measures)
	}
	if !strings.Contains(stderr, "3 questions not measured: the endpoint of [embedding]") {
		t.Errorf("%s", stderr)
	}
}

// TestADeadRerankerIsNotMeasured has the reranker gone for one question of three.
func TestADeadRerankerIsNotMeasured(t *testing.T) {
	questions := searchable(t)
	server := llmtest.New(t, llmtest.When(llmtest.Obliging(), func(c llmtest.Call) bool { return strings.Contains(c.Query, "inhaler") },
		llmtest.Always(llmtest.Reply{Status: http.StatusTooManyRequests})))
	t.Setenv("LACUNA_RERANK_BASE_URL", server.URL())
	e, stderr := evaluated(t, exitDone, questions, "search")
	if e.Failed != 1 || !slices.Equal(sizes(e, "hybrid, reranked"), []int{2}) || !slices.Equal(sizes(e, "hybrid"), []int{3}) {
		t.Errorf("%d failed, %+v, %s", e.Failed, e.Measures, stderr)
	}
	if !strings.Contains(stderr, "1 question not measured: The reranker at ") {
		t.Errorf("%s", stderr)
	}
}
