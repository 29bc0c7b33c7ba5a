package cli

import (
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"lacuna/knowledge/llm/llmtest"
)

// turned plays a reranker that puts the last first.
func turned(call llmtest.Call) llmtest.Reply {
	var scores []float64
	for i := range call.Documents {
		scores = append(scores, float64(i+1)/100)
	}
	return llmtest.Reply{Scores: scores}
}

// places returns the lines of a search that say where each result stands, without their numbers.
func places(out string) []string {
	var lines []string
	for line := range strings.Lines(out) {
		if _, place, found := strings.Cut(line, ". kb"); found {
			place, _, _ = strings.Cut(place, "  [")
			lines = append(lines, place)
		}
	}
	return lines
}

// TestSearchGoesByTheReranker turns the order of a mixed search round. What is private stays where it
// was and is not sent.
func TestSearchGoesByTheReranker(t *testing.T) {
	workspaceOf(t, &txtar.Archive{Files: []txtar.File{
		{Name: "kb/a.md", Data: []byte("# Gout\n\nGout, gout and gout again: an attack of gout hurts.\n")},
		{Name: "kb/b.md", Data: []byte("---\nlacuna: private\n---\n# Gout\n\nAn attack of gout in the case of Mr Quillfeather.\n")},
		{Name: "kb/c.md", Data: []byte("# Diet\n\nWith gout little beer should be drunk, and much water on all days of the week and of the year.\n")},
	}})
	search := func(args ...string) (out, errs string) {
		out, errs, code := run(t, strings.NewReader(""), append([]string{"search"}, args...)...)
		if code != exitDone {
			t.Fatalf("search %v: exit %d, %s", args, code, errs)
		}
		return out, errs
	}
	plain, _ := search("attack of gout")
	before := places(plain)
	if want := []string{"/a.md:3", "/b.md:6", "/c.md:3"}; !slices.Equal(before, want) {
		t.Fatalf("found %q", before)
	}
	server := llmtest.New(t, turned)
	t.Setenv("LACUNA_RERANK_BASE_URL", server.URL())
	out, errs := search("attack of gout")
	if after, want := places(out), []string{before[2], before[1], before[0]}; !slices.Equal(after, want) {
		t.Errorf("found %q, want %q", after, want)
	}
	if calls := server.Calls(); len(calls) != 1 || errs != "" || strings.Contains(string(calls[0].Body), "Quillfeather") {
		t.Errorf("%d calls, %s", len(calls), errs)
	}
	server.Forget()
	for _, args := range [][]string{{"--retriever", "bm25"}, {"--share", "2way"}, {"--offline"}} {
		search(append(args, "attack of gout")...)
	}
	if n := len(server.Calls()); n > 0 {
		t.Errorf("%d calls for searches that are not reranked", n)
	}
}

// TestSearchStandsWithoutItsReranker asks several questions with a reranker that refuses: the results
// are those of without, and one line says why.
func TestSearchStandsWithoutItsReranker(t *testing.T) {
	archive, err := txtar.ParseFile(filepath.Join("testdata", "script", "eval.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	workspaceOf(t, archive)
	search := func() (out, errs string) {
		queries := strings.NewReader("1\tmetformin eGFR\n2\tmetformin and lactic acidosis\n3\twhen is metformin avoided\n")
		out, errs, code := run(t, queries, "search", "--queries", "-")
		if code != exitDone {
			t.Fatalf("exit %d, %s", code, errs)
		}
		return out, errs
	}
	want, _ := search()
	server := llmtest.New(t, llmtest.Always(llmtest.Reply{Status: http.StatusUnauthorized}))
	t.Setenv("LACUNA_RERANK_BASE_URL", server.URL())
	out, errs := search()
	if out != want {
		t.Errorf("%s\nwithout a reranker:\n%s", out, want)
	}
	if strings.Count(errs, "The reranker at ") != 1 || !strings.Contains(errs, "rerank.api_key") || len(server.Calls()) == 0 {
		t.Errorf("%d calls, %s", len(server.Calls()), errs)
	}
}
