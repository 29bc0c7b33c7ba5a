package cli

import (
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"lacuna/knowledge/llm/llmtest"
)

// TestRerankerIsMeasured has a reranker that turns every order round.
func TestRerankerIsMeasured(t *testing.T) {
	archive, err := txtar.ParseFile(filepath.Join("testdata", "script", "eval.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	workspaceOf(t, archive)
	server := llmtest.New(t, func(call llmtest.Call) llmtest.Reply {
		var scores []float64
		for i := range call.Documents {
			scores = append(scores, float64(i)/100)
		}
		return llmtest.Reply{Scores: scores}
	})
	t.Setenv("LACUNA_RERANK_BASE_URL", server.URL())
	question := `{"qid": "1", "question": "metformin eGFR", "relevant": ["metformin.md"]}`
	out, errs, code := run(t, strings.NewReader(question), "eval", "search", "--queries", "-")
	if code != exitDone || len(server.Calls()) != 1 {
		t.Fatalf("exit %d, %d calls, %s", code, len(server.Calls()), errs)
	}
	_, hybrid, _ := strings.Cut(out, "\nhybrid\n")
	hybrid, turned, found := strings.Cut(hybrid, "\nhybrid, reranked\n")
	if !found || !strings.Contains(hybrid, "nDCG@10            1.000") || strings.Contains(turned, "nDCG@10            1.000") {
		t.Errorf("%s", out)
	}
}
