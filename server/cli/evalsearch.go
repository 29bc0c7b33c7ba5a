package cli

import (
	"context"
	"fmt"
	"time"

	"lacuna/knowledge"
	"lacuna/knowledge/eval"
	"lacuna/server/workspace"
)

// evalSearch measures the three retrievers, what the mixed one has more than words alone, and the order
// of the reranker, if the settings name one.
func (p *program) evalSearch(ctx context.Context, w *workspace.Workspace, library *knowledge.Library, o *evalOptions, queries []eval.Query) (evaluation, error) {
	e := evaluation{what: "search"}
	var judged []eval.Query
	for _, q := range queries {
		if q.Grades = gradesFrom(q.Grades, o.minGrade); len(q.Grades) > 0 {
			judged = append(judged, q)
		}
	}
	e.skipped = len(queries) - len(judged)
	if len(judged) == 0 {
		return e, nil
	}
	at := func(name string) string { return fmt.Sprintf("%s@%d", name, o.k) }
	rankings := map[knowledge.Retriever][]eval.Ranking{}
	for _, retriever := range []knowledge.Retriever{knowledge.BM25, knowledge.Dense, knowledge.Hybrid} {
		if retriever == knowledge.Dense && !library.Status().Encoder {
			continue
		}
		took := make([]time.Duration, len(judged))
		found, err := rankAll(ctx, judged, func(ctx context.Context, i int) ([]knowledge.Hit, error) {
			began := time.Now()
			hits, err := records(ctx, library, o.query(judged[i], retriever, o.k))
			took[i] = time.Since(began)
			return hits, err
		})
		if err != nil {
			return e, err
		}
		rankings[retriever] = found
		e.add(string(retriever), eval.RankingMeasures(found, o.k, at))
		e.took = took // of the last retriever, which is the default one
	}
	e.add("hybrid, more than bm25", eval.RankingGains(rankings[knowledge.Hybrid], rankings[knowledge.BM25], o.k, at))
	reranker := newReranker(w)
	if reranker == nil {
		return e, nil
	}
	found, err := rankAll(ctx, judged, func(ctx context.Context, i int) ([]knowledge.Hit, error) {
		hits, err := records(ctx, library, o.query(judged[i], knowledge.Hybrid, max(reranker.depth, o.k)))
		if err != nil {
			return nil, err
		}
		hits, err = reranker.order(ctx, judged[i].Text, hits)
		return hits[:min(o.k, len(hits))], err
	})
	if err != nil {
		return e, fmt.Errorf("rerank: %w", err)
	}
	e.add("hybrid, reranked", eval.RankingMeasures(found, o.k, at))
	return e, nil
}

// query asks for the records of a question.
func (o *evalOptions) query(q eval.Query, retriever knowledge.Retriever, k int) knowledge.Query {
	return knowledge.Query{Text: q.Text, K: k, Sources: o.sources, Retriever: retriever, Endpoint: true}
}

func (e *evaluation) add(group string, measures []eval.Measure) {
	for _, m := range measures {
		e.rows = append(e.rows, row{group, m})
	}
}

// rankAll finds records for all questions.
func rankAll(ctx context.Context, judged []eval.Query, find func(ctx context.Context, i int) ([]knowledge.Hit, error)) ([]eval.Ranking, error) {
	rankings := make([]eval.Ranking, len(judged))
	err := inOrder(ctx, len(judged), find, func(i int, hits []knowledge.Hit) error {
		rankings[i] = eval.Ranking{Records: recordNames(hits), Grades: judged[i].Grades}
		return nil
	})
	return rankings, err
}
