package systems

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"lacuna/knowledge"
	"lacuna/knowledge/answer"
	"lacuna/knowledge/passage"
	"lacuna/knowledge/plaintext"
)

// Weights next to a text's BM25 score, which is relative to the best of those compared. Measured as
// nDCG@10 of the 32 best of the hybrid search in their own order and reranked: .717 and .726 on SciFact
// (809 claims), .791 and .794 on PubMedQA (400 questions), .817 and .827 on BioASQ (500), .353 and .353 on
// Huatuo (604). Reranking the 32 best by BM25 alone brings fewer relevant ones to the top (BioASQ .800).
// The share of the question's idf weight that a text holds gained nothing next to these and is left out.
const (
	rerankCosine = 1.0
	rerankMaxSim = 0.6
	rerankTitle  = 0.2
)

// rerankBytes bounds the text of a document that is sent to a configured reranker; cross-encoders read
// pairs of 512 tokens.
const rerankBytes = 2048

// rerank orders documents by how well they match a query, best first, and returns at most top of them.
func (r *run) rerank(ctx context.Context, query string, documents []answer.Evidence, top int, model string) []answer.Evidence {
	r.begin(answer.StageRerank)
	ranked := byScore(documents, r.scores(ctx, query, documents, model))
	if r.Options.AsPublished && !r.Model.CanRerank() && len(documents) > 1 {
		r.lack(answer.NoReranker, answer.StageRerank, "the signals of the search")
	}
	return ranked[:min(top, len(ranked))]
}

// scores rates how well documents match a query; scores compare within one call. They come from the
// configured reranker (the one that model names, unless it is empty), or else from the signals of the
// search.
func (r *run) scores(ctx context.Context, query string, documents []answer.Evidence, model string) []float64 {
	scores, step := r.rerankRemote(ctx, query, documents, model, "the signals of the search")
	if scores == nil {
		scores = r.searchSignals(query, documents)
		step.Took = time.Since(r.started) - step.Started
	}
	r.trace.record(step)
	return scores
}

// rerankRemote has the configured reranker score documents and returns the step for the caller to record.
// The scores are nil if there is no reranker, if there is nothing to compare, or if it fails; the step
// then says that instead is used.
func (r *run) rerankRemote(ctx context.Context, query string, documents []answer.Evidence, model, instead string) ([]float64, answer.Step) {
	step := answer.Step{
		Stage: answer.StageRerank, Detail: fmt.Sprintf("%d documents", len(documents)), Started: time.Since(r.started),
		Outcome: answer.OK, Results: len(documents),
		Inputs: hashOf(query, rerankTexts(documents)),
	}
	if !r.Model.CanRerank() || len(documents) < 2 {
		return nil, step
	}
	step.Model, step.Attempts = model, 1
	scores, err := r.Model.Rerank(ctx, query, model, rerankTexts(documents))
	if err != nil {
		step.Outcome, step.Fallback, step.Err = answer.Degraded, instead, fmt.Errorf("%s: %w", answer.StageRerank, err)
		r.failLightly(step.Err)
		scores = nil
	}
	step.Took = time.Since(r.started) - step.Started
	return scores, step
}

// searchSignals scores documents by what the search knows about them.
func (r *run) searchSignals(query string, documents []answer.Evidence) []float64 {
	raters := make(map[passage.Kind]*knowledge.Scorer)
	for _, kind := range []passage.Kind{passage.Text, passage.QA} {
		if collection := r.library.Collection(kind); collection != nil {
			raters[kind] = collection.Scorer(query)
		}
	}
	background := cmp.Or(raters[passage.Text], raters[passage.QA])
	signals := make([]knowledge.Signals, len(documents))
	best := 0.0
	for i, document := range documents {
		if document.Generated() {
			signals[i] = background.Text(document.Text)
		} else {
			from := document.Hit.Passage
			signals[i] = raters[from.Kind].Passage(document.Hit.Ordinal, from)
		}
		best = max(best, signals[i].BM25)
	}
	scores := make([]float64, len(documents))
	for i, s := range signals {
		scores[i] = rerankCosine*s.Cosine + rerankMaxSim*s.MaxSim + rerankTitle*s.Title
		if best > 0 {
			scores[i] += s.BM25 / best
		}
	}
	return scores
}

// byScore sorts documents by score, best first; equal ones keep their order.
func byScore(documents []answer.Evidence, scores []float64) []answer.Evidence {
	ranked := slices.Clone(documents)
	for i := range ranked {
		ranked[i].Score = scores[i]
	}
	slices.SortStableFunc(ranked, func(a, b answer.Evidence) int { return -cmp.Compare(a.Score, b.Score) })
	return ranked
}

// rerankTexts returns the documents as a reranker reads them: title, then text.
func rerankTexts(documents []answer.Evidence) []string {
	texts := make([]string, len(documents))
	for i, document := range documents {
		texts[i] = plaintext.ClipBytes(rerankText(document), rerankBytes)
	}
	return texts
}

// rerankText returns a document as one text.
func rerankText(document answer.Evidence) string {
	if document.Generated() {
		return document.Text
	}
	from := document.Hit.Passage
	var parts []string
	for _, part := range []string{from.Title, from.Question, from.Text} {
		if part != "" {
			parts = append(parts, part)
		}
	}
	return strings.Join(parts, ". ")
}
