package cli

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"

	"lacuna/knowledge"
	"lacuna/knowledge/llm"
	"lacuna/server/workspace"
)

// reranker puts the best results of a search in the order of the endpoint of [rerank]. It is safe for
// concurrent use.
type reranker struct {
	client *llm.Client
	depth  int // results that it orders
	failed sync.Once
}

// newReranker returns the reranker of the settings, or nil where there is none or it may not be asked.
func newReranker(w *workspace.Workspace) *reranker {
	client, depth := w.Client(), w.Settings().Rerank.Depth
	if client == nil || !client.CanRerank() || depth == 0 {
		return nil
	}
	return &reranker{client: client, depth: depth}
}

// order returns hits in the order of the reranker, as far as its depth goes. What is private is not
// sent and keeps its place. With an error the hits are returned as they came.
func (r *reranker) order(ctx context.Context, question string, hits []knowledge.Hit) ([]knowledge.Hit, error) {
	var places []int // of those that are sent
	var texts []string
	for i, hit := range hits[:min(r.depth, len(hits))] {
		if !hit.Passage.Private {
			places, texts = append(places, i), append(texts, hit.Passage.Indexed())
		}
	}
	if len(places) < 2 {
		return hits, nil
	}
	scores, err := r.client.Rerank(ctx, question, "", texts)
	if err != nil {
		return hits, err
	}
	ordered := slices.Clone(hits)
	for at, i := range descending(scores) {
		hit := hits[places[i]]
		hit.Rank, hit.Score = places[at]+1, scores[i]
		ordered[places[at]] = hit
	}
	return ordered, nil
}

// orderOr does as order; where that fails, it says so once and the hits stay in their order.
func (r *reranker) orderOr(ctx context.Context, p *program, question string, hits []knowledge.Hit) ([]knowledge.Hit, error) {
	ordered, err := r.order(ctx, question, hits)
	if ctx.Err() != nil {
		return nil, fmt.Errorf("rerank: %w", ctx.Err())
	}
	if err != nil {
		r.failed.Do(func() { p.warn("%s Results stand in the built-in order.", faultText(err)) })
	}
	return ordered, nil
}

// descending returns the places of scores, the highest first and equal ones in order.
func descending(scores []float64) []int {
	places := make([]int, len(scores))
	for i := range places {
		places[i] = i
	}
	slices.SortStableFunc(places, func(a, b int) int { return cmp.Compare(scores[b], scores[a]) })
	return places
}
