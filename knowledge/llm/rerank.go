package llm

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"path"
	"regexp"
	"time"
)

// teiBatch is the default limit of text-embeddings-inference on texts per request.
const teiBatch = 32

// Rerank scores documents for a query; higher is better. Scores lie between 0 and 1 and are comparable
// only within one call: raw scores are mapped by the logistic function. model, unless empty, replaces
// the configured one. The first call tries the shapes of Cohere and of text-embeddings-inference, and
// remembers the one that works. An endpoint that was unreachable or too slow fails immediately for the
// next half minute.
func (c *Client) Rerank(ctx context.Context, query, model string, documents []string) ([]float64, error) {
	to := c.rerank
	if to == nil {
		return nil, &Error{Fault: Unset, Role: rerankRole, Setting: "rerank.base_url"}
	}
	if len(documents) == 0 {
		return nil, nil
	}
	scores, _, err := keep(ctx, func(ctx context.Context) ([]float64, error) {
		return c.scores(ctx, to, query, model, documents)
	}, rerankRole, model, query, documents)
	return scores, err
}

// scores makes a call of [Client.Rerank].
func (c *Client) scores(ctx context.Context, to *endpoint, query, model string, documents []string) ([]float64, error) {
	redaction, err := c.redact(to, append([]string{query}, documents...))
	if err != nil {
		return nil, err
	}
	w := c.wire(to, "")
	if model != "" {
		w.model = model
	}
	w.details = redaction.Details
	x := c.exchange(ctx, to, "")
	x.Model, x.Texts = w.model, redaction.Messages
	err = c.taped(x, func() error {
		err := to.reranker.paused()
		if err == nil {
			x.Scores, err = w.tryShapes(ctx, redaction.Messages[0], redaction.Messages[1:])
			to.reranker.pauseAfter(err)
		}
		return err
	})
	return x.Scores, err
}

// tryShapes asks the endpoint in the shape that it understands.
func (w *wire) tryShapes(ctx context.Context, query string, documents []string) ([]float64, error) {
	to := w.to
	shapes := rerankShapes(to.base)
	if known := to.reranker.known.Load(); known > 0 {
		return w.rerank(ctx, shapes[known-1], query, documents)
	}
	var refusal error
	for i, shape := range shapes {
		scores, err := w.rerank(ctx, shape, query, documents)
		var failed *Error
		switch {
		case err == nil:
			to.reranker.known.Store(int32(i + 1))
			return scores, nil
		case !errors.As(err, &failed) || !otherShape(failed.Status):
			return nil, err
		case refusal == nil || failed.Status != http.StatusNotFound:
			refusal = err
		}
	}
	return nil, refusal
}

// TryRerank is [Client.Try] for the reranker, even while the reranker is paused.
func (c *Client) TryRerank(ctx context.Context) (time.Duration, error) {
	if c.rerank != nil {
		c.rerank.reranker.pausedUntil.Store(nil)
	}
	began := time.Now()
	_, err := c.Rerank(ctx, "ready", "", []string{"ready", "not yet"})
	return time.Since(began), err
}

// rerankShape is one way of asking for scores. There is no standard; two shapes are in use.
type rerankShape struct {
	url string
	tei bool // text-embeddings-inference's shape, else the shape of Cohere, Jina, vLLM and llama.cpp
}

// rerankShapes returns the shapes that an address may want, the likeliest first.
func rerankShapes(base string) []rerankShape {
	switch {
	case path.Base(base) == "rerank":
		return []rerankShape{{base, false}, {base, true}}
	case version.MatchString(base):
		root := version.ReplaceAllString(base, "")
		return []rerankShape{{base + "/rerank", false}, {root + "/rerank", true}}
	}
	return []rerankShape{{base + "/v1/rerank", false}, {base + "/rerank", true}, {base + "/rerank", false}}
}

var version = regexp.MustCompile(`/v\d+$`)

// otherShape reports whether a status says that the path expects another shape.
func otherShape(status int) bool {
	switch status {
	case http.StatusBadRequest, http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusUnprocessableEntity:
		return true
	}
	return false
}

// rerank asks in one shape.
func (w *wire) rerank(ctx context.Context, shape rerankShape, query string, documents []string) ([]float64, error) {
	batch := len(documents)
	if shape.tei {
		batch = teiBatch
	}
	var scores []float64
	for start := 0; start < len(documents); start += batch {
		some, err := w.scores(ctx, shape, query, documents[start:min(start+batch, len(documents))])
		if err != nil {
			return nil, err
		}
		scores = append(scores, some...)
	}
	squashScores(scores)
	return scores, nil
}

// squashScores maps all scores into 0..1 by the logistic function if any is outside.
func squashScores(scores []float64) {
	for _, s := range scores {
		if s < 0 || s > 1 {
			for i, s := range scores {
				scores[i] = 1 / (1 + math.Exp(-s))
			}
			return
		}
	}
}

// scores sends one request.
func (w *wire) scores(ctx context.Context, shape rerankShape, query string, documents []string) ([]float64, error) {
	asked := map[string]any{"query": query}
	if shape.tei {
		asked["texts"], asked["raw_scores"], asked["truncate"] = documents, false, true
	} else {
		asked["documents"], asked["top_n"], asked["return_documents"] = documents, len(documents), false
		if w.model != "" {
			asked["model"] = w.model
		}
	}
	response, err := w.post(ctx, shape.url, asked)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	var scores []float64
	if err == nil {
		scores, err = readScores(text, len(documents))
	}
	err = w.wrapError(ctx, err)
	w.record(Usage{Calls: 1}, err)
	return scores, err
}

// readScores reads a reply of either shape, which must have one score per document.
func readScores(text []byte, documents int) ([]float64, error) {
	type result struct {
		Index *int     `json:"index"`
		Score *float64 `json:"score"`
		Of    *float64 `json:"relevance_score"`
	}
	var results []result
	if bytes.HasPrefix(bytes.TrimSpace(text), []byte("[")) {
		if err := json.Unmarshal(text, &results); err != nil {
			return nil, errors.New("the reply is not a list of scores")
		}
	} else {
		var reply struct{ Results, Data []result }
		if err := json.Unmarshal(text, &reply); err != nil {
			return nil, errors.New("the reply is not a reranker's")
		}
		results = append(reply.Results, reply.Data...)
	}
	if len(results) != documents {
		return nil, fmt.Errorf("%d scores for %d documents", len(results), documents)
	}
	scores, has := make([]float64, documents), make([]bool, documents)
	for _, r := range results {
		score := r.Of
		if score == nil {
			score = r.Score
		}
		if r.Index == nil || score == nil || *r.Index < 0 || *r.Index >= documents || has[*r.Index] {
			return nil, errors.New("a score without a document of its own")
		}
		scores[*r.Index], has[*r.Index] = *score, true
	}
	return scores, nil
}
