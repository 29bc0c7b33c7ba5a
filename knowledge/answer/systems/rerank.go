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

// What counts beside a text's BM25 score, relative to the best of those compared. Measured, nDCG@10
// of the 32 best of the hybrid search in their own order and reordered: .717 and .726 on SciFact (809
// claims), .791 and .794 on PubMedQA (400 questions), .817 and .827 on BioASQ (500), .353 and .353
// on Huatuo (604). Of the 32 best by BM25 alone, reordered, less that is relevant comes to the top
// (BioASQ .800). The share of the question's idf weight that a text holds gained nothing beside these
// and is left out.
const (
	rerankCosine = 1.0
	rerankMaxSim = 0.6
	rerankTitle  = 0.2
)

// rerankBytes is how much of a document a configured reranker is sent; cross-encoders read pairs of
// 512 tokens.
const rerankBytes = 2048

// rerank orders documents by how well they go with a query, best first, and returns at most top of
// them.
func (r *run) rerank(ctx context.Context, query string, documents []answer.Evidence, top int, model string) []answer.Evidence {
	r.begin(answer.StageRerank)
	ranked := byScore(documents, r.scores(ctx, query, documents, model))
	return ranked[:min(top, len(ranked))]
}

// scores says how well documents go with a query; they compare within one call. The configured
// reranker says it, the one named by model if that is not empty, or else the signals of the search.
func (r *run) scores(ctx context.Context, query string, documents []answer.Evidence, model string) []float64 {
	scores, step := r.rerankRemote(ctx, query, documents, model, "the signals of the search")
	if scores == nil {
		scores = r.searchSignals(query, documents)
		step.Took = time.Since(r.started) - step.Started
	}
	r.trace.record(step)
	return scores
}

// rerankRemote has the configured reranker score documents and describes that as a step, which it leaves
// to the caller to record. The scores are nil where there is no reranker, where there is nothing to
// compare, and where it fails; then the step says that instead serves.
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

// searchSignals scores documents by what the search knows of them.
func (r *run) searchSignals(query string, documents []answer.Evidence) []float64 {
	raters := make(map[passage.Kind]*knowledge.Scorer)
	for _, kind := range []passage.Kind{passage.Text, passage.QA} {
		if shelf := r.library.Collection(kind); shelf != nil {
			raters[kind] = shelf.Scorer(query)
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

// byScore sorts documents by score, best first; those of one score keep their order.
func byScore(documents []answer.Evidence, scores []float64) []answer.Evidence {
	ranked := slices.Clone(documents)
	for i := range ranked {
		ranked[i].Score = scores[i]
	}
	slices.SortStableFunc(ranked, func(a, b answer.Evidence) int { return -cmp.Compare(a.Score, b.Score) })
	return ranked
}

// rerankTexts are the documents as a reranker reads them: title, then text.
func rerankTexts(documents []answer.Evidence) []string {
	texts := make([]string, len(documents))
	for i, document := range documents {
		texts[i] = plaintext.ClipBytes(rerankText(document), rerankBytes)
	}
	return texts
}

// rerankText is a document as one text.
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
