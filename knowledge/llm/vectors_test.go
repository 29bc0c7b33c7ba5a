package llm

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"slices"
	"testing"
	"time"

	"lacuna/knowledge/llm/llmtest"
)

func TestEmbed(t *testing.T) {
	srv := llmtest.New(t, llmtest.Obliging())
	client := connect(t, srv)
	var texts []string
	for i := range 3*embeddingBatch + 5 {
		texts = append(texts, fmt.Sprintf("garlic number %d", i))
	}
	vectors, err := client.Embed(t.Context(), texts)
	if err != nil || len(vectors) != len(texts) || len(srv.Calls()) != 4 {
		t.Fatalf("%d vectors in %d calls, error %v", len(vectors), len(srv.Calls()), err)
	}
	for _, i := range []int{0, embeddingBatch, len(texts) - 1} {
		alone, err := client.Embed(t.Context(), texts[i:i+1])
		if err != nil || !slices.Equal(alone[0], vectors[i]) {
			t.Errorf("vector %d differs when it is alone, error %v", i, err)
		}
	}
	if body := srv.Calls()[0].Body; !bytes.Contains(body, []byte(`"encoding_format":"float"`)) {
		t.Errorf("body %s", body)
	}
	if vectors, err := client.Embed(t.Context(), nil); err != nil || len(vectors) != 0 {
		t.Errorf("of nothing: %v, %v", vectors, err)
	}
}

func TestBadVectorsAreRefused(t *testing.T) {
	for name, body := range map[string]string{
		"too few":          `{"data":[{"index":0,"embedding":[1,2]}]}`,
		"none":             `{"data":[]}`,
		"twice":            `{"data":[{"index":1,"embedding":[1,2]},{"index":1,"embedding":[1,2]}]}`,
		"beyond":           `{"data":[{"index":0,"embedding":[1,2]},{"index":2,"embedding":[1,2]}]}`,
		"negative":         `{"data":[{"index":0,"embedding":[1,2]},{"index":-1,"embedding":[1,2]}]}`,
		"lengths differ":   `{"data":[{"index":0,"embedding":[1,2]},{"index":1,"embedding":[1,2,3]}]}`,
		"not a number":     `{"data":[{"index":0,"embedding":[1,2]},{"index":1,"embedding":[null,null]}]}`,
		"bare NaN":         `{"data":[{"index":0,"embedding":[1,2]},{"index":1,"embedding":[NaN,2]}]}`,
		"too large":        `{"data":[{"index":0,"embedding":[1,2]},{"index":1,"embedding":[1e39,2]}]}`,
		"empty":            `{"data":[{"index":0,"embedding":[]},{"index":1,"embedding":[]}]}`,
		"not a reply":      `{"choices":[]}`,
		"not JSON":         `<html>`,
		"a text instead":   `{"data":[{"index":0,"embedding":"AAAA"},{"index":1,"embedding":"AAAA"}]}`,
		"cut in a number ": `{"data":[{"index":0,"embedding":[1,`,
	} {
		srv := llmtest.New(t, llmtest.Always(llmtest.Reply{Body: body}))
		client := connect(t, srv)
		_, err := client.Embed(t.Context(), []string{"a", "b"})
		if failed := (*Error)(nil); !errors.As(err, &failed) || failed.Fault != Malformed {
			t.Errorf("%s: error %v", name, err)
		}
		if len(client.sent) != 1 || client.sent[0].Status != http.StatusOK {
			t.Errorf("%s: records %+v", name, client.sent)
		}
	}
}

func TestVectorsWithoutNumbersComeInOrder(t *testing.T) {
	srv := llmtest.New(t, llmtest.Always(llmtest.Reply{Body: `{"data":[{"embedding":[1,0]},{"embedding":[0,1]}]}`}))
	vectors, err := connect(t, srv).Embed(t.Context(), []string{"a", "b"})
	if err != nil || vectors[0][0] != 1 || vectors[1][1] != 1 {
		t.Errorf("vectors %v, error %v", vectors, err)
	}
}

func TestEmbeddingStopsAtTheFirstFault(t *testing.T) {
	srv := llmtest.New(t, llmtest.Break(llmtest.Obliging(), llmtest.Status(http.StatusNotFound)))
	client := connect(t, srv, every(func(e *Endpoint) { e.Parallel = 2 }))
	_, err := client.Embed(t.Context(), make([]string, 50*embeddingBatch))
	failedWith(t, err, NotFound, "embedding.base_url")
	if n := len(srv.Calls()); n > 2 {
		t.Errorf("%d calls", n)
	}
	settled(t, srv, client)
}

func TestCancelledEmbedding(t *testing.T) {
	srv := llmtest.New(t, llmtest.Break(llmtest.Obliging(), llmtest.Named("silent")))
	client := connect(t, srv)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := client.Embed(ctx, []string{"a"}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v", err)
	}
	if _, err := client.Rerank(ctx, "q", "", []string{"a"}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v", err)
	}
	settled(t, srv, client)
}

func TestRerankFindsTheShape(t *testing.T) {
	onlyTEI := func(c llmtest.Call) llmtest.Reply {
		if !c.TEI {
			return llmtest.Reply{Status: http.StatusUnprocessableEntity, Body: `{"error":"missing field texts","error_type":"Validation"}`}
		}
		return llmtest.Reply{}
	}
	for _, c := range []struct {
		name   string
		base   func(*llmtest.Server) string
		script llmtest.Script
		calls  int // for the first question
	}{
		{"cohere", (*llmtest.Server).URL, llmtest.Obliging(), 1},
		{"cohere without version", (*llmtest.Server).Root, llmtest.Obliging(), 1},
		{"cohere, all of the address", func(s *llmtest.Server) string { return s.URL() + "/rerank" }, llmtest.Obliging(), 1},
		{"tei", (*llmtest.Server).Root, onlyTEI, 2},
		{"tei with version", (*llmtest.Server).URL, onlyTEI, 2},
		{"tei, all of the address", func(s *llmtest.Server) string { return s.Root() + "/rerank" }, onlyTEI, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			srv := llmtest.New(t, c.script)
			client := connect(t, srv, func(config *Config) { config.Rerank.BaseURL = c.base(srv) })
			for calls := c.calls; calls <= c.calls+1; calls++ {
				scores, err := client.Rerank(t.Context(), "night fever", "", []string{"day", "fever at night", "fever"})
				if err != nil || !slices.Equal(scores, []float64{0, 1, 0.5}) {
					t.Fatalf("scores %v, error %v", scores, err)
				}
				if n := len(srv.Calls()); n != calls {
					t.Errorf("%d calls, want %d", n, calls)
				}
			}
		})
	}
}

func TestRerankScores(t *testing.T) {
	logistic := func(x float64) float64 { return 1 / (1 + math.Exp(-x)) }
	for _, c := range []struct {
		name string
		body string
		want []float64
	}{
		{"data", `{"data":[{"index":1,"relevance_score":0.75},{"index":0,"relevance_score":0.25}]}`, []float64{0.25, 0.75}},
		{"bare list", ` [{"index":1,"score":0.75},{"index":0,"score":0}]`, []float64{0, 0.75}},
		{"raw", `{"results":[{"index":0,"relevance_score":-11.5},{"index":1,"relevance_score":2}]}`, []float64{logistic(-11.5), logistic(2)}},
		{"too few", `{"results":[{"index":0,"relevance_score":1}]}`, nil},
		{"twice", `{"results":[{"index":0,"relevance_score":1},{"index":0,"relevance_score":1}]}`, nil},
		{"no score", `{"results":[{"index":0,"relevance_score":1},{"index":1}]}`, nil},
		{"null", `{"results":[{"index":0,"relevance_score":1},{"index":1,"relevance_score":null}]}`, nil},
		{"no index", `{"results":[{"relevance_score":1},{"relevance_score":0}]}`, nil},
		{"beyond", `{"results":[{"index":0,"relevance_score":1},{"index":9,"relevance_score":0}]}`, nil},
		{"another reply", `{"choices":[]}`, nil},
		{"no JSON", `<html>`, nil},
	} {
		srv := llmtest.New(t, llmtest.Always(llmtest.Reply{Body: c.body}))
		scores, err := connect(t, srv).Rerank(t.Context(), "q", "", []string{"a", "b"})
		if c.want == nil {
			failedWith(t, err, Malformed, "rerank.base_url")
			continue
		}
		if err != nil || !slices.Equal(scores, c.want) {
			t.Errorf("%s: scores %v, want %v, error %v", c.name, scores, c.want, err)
		}
	}
}

func TestRerankRequest(t *testing.T) {
	srv := llmtest.New(t, llmtest.Obliging())
	client := connect(t, srv)
	if _, err := client.Rerank(t.Context(), "q", "other", []string{"a", "b"}); err != nil {
		t.Fatal(err)
	}
	want := `{"documents":["a","b"],"model":"other","query":"q","return_documents":false,"top_n":2}`
	if got := string(srv.Calls()[0].Body); got != want || client.sent[0].Model != "other" {
		t.Errorf("sent %s, record %+v", got, client.sent[0])
	}
	if scores, err := client.Rerank(t.Context(), "q", "", nil); err != nil || len(scores) != 0 {
		t.Errorf("of nothing: %v, %v", scores, err)
	}
}

func TestRerankInBatches(t *testing.T) {
	srv := llmtest.New(t, func(c llmtest.Call) llmtest.Reply {
		if !c.TEI || len(c.Documents) > teiBatch {
			return llmtest.Reply{Status: http.StatusUnprocessableEntity}
		}
		return llmtest.Reply{}
	})
	documents := make([]string, 2*teiBatch+1)
	documents[2*teiBatch] = "fever"
	client := connect(t, srv, func(c *Config) { c.Rerank.BaseURL = srv.Root() })
	scores, err := client.Rerank(t.Context(), "fever", "", documents)
	if err != nil || len(scores) != len(documents) || scores[2*teiBatch] != 1 || scores[0] != 0 {
		t.Errorf("%d scores, error %v", len(scores), err)
	}
}

func TestRerankThatNobodyOffers(t *testing.T) {
	srv := llmtest.New(t, llmtest.Always(llmtest.Reply{Status: http.StatusNotFound}))
	_, err := connect(t, srv).Rerank(t.Context(), "q", "", []string{"a"})
	failedWith(t, err, NotFound, "rerank.base_url")
}

// TestRerankerThatIsNotThereIsLeftAlone asks a reranker that does not run, again immediately, and again when
// it has been left alone for long enough.
func TestRerankerThatIsNotThereIsLeftAlone(t *testing.T) {
	srv := llmtest.New(t, llmtest.Obliging())
	client := connect(t, srv, func(c *Config) { c.Rerank.BaseURL = "http://127.0.0.1:1" })
	rerank := func() error {
		_, err := client.Rerank(t.Context(), "q", "", []string{"a", "b"})
		return err
	}
	failedWith(t, rerank(), Unreachable, "rerank.base_url")
	tried := len(client.pauses)
	failedWith(t, rerank(), Unreachable, "rerank.base_url")
	if tried == 0 || len(client.pauses) != tried {
		t.Errorf("it was tried again after %d attempts, %d in all", tried, len(client.pauses))
	}
	if _, err := client.TryRerank(t.Context()); err == nil || len(client.pauses) == tried {
		t.Errorf("a trial does not try: %v", err)
	}
	tried = len(client.pauses)
	client.rerank.reranker.pausedUntil.Store(&pauseState{until: time.Now()})
	failedWith(t, rerank(), Unreachable, "rerank.base_url")
	if len(client.pauses) == tried {
		t.Error("it was never tried again")
	}
	refusing := connect(t, llmtest.New(t, llmtest.First(llmtest.Obliging(), 3, llmtest.Status(http.StatusNotFound))))
	_, err := refusing.Rerank(t.Context(), "q", "", []string{"a"})
	failedWith(t, err, NotFound, "rerank.base_url")
	if _, err := refusing.Rerank(t.Context(), "q", "", []string{"a"}); err != nil {
		t.Errorf("a reranker that only refused is left alone: %v", err)
	}
}
