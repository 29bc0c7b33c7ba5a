package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"lacuna/knowledge"
	"lacuna/knowledge/eval"
	"lacuna/knowledge/par"
	"lacuna/server/workspace"
)

// evalSearch measures the three retrievers, what the mixed one has more than words alone, and the order
// of the reranker, if the settings name one. Where an endpoint of the settings fails for a question, what
// served instead is not measured.
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
	failures := make([]string, len(judged)) // of the questions, the first of each
	byRetriever := map[knowledge.Retriever]rankings{}
	for _, retriever := range []knowledge.Retriever{knowledge.BM25, knowledge.Dense, knowledge.Hybrid} {
		encoded := retriever != knowledge.BM25 && w.Embeds()
		if retriever == knowledge.Dense && !library.Status().Encoder && !encoded {
			continue
		}
		took := make([]time.Duration, len(judged))
		found, err := rankAll(ctx, judged, func(ctx context.Context, i int) ([]knowledge.Hit, error) {
			began := time.Now()
			hits, err := records(ctx, library, o.query(judged[i], retriever, o.k))
			took[i] = time.Since(began)
			if err == nil && encoded && !byEndpoint(hits) {
				err = errNotEncoded
			}
			return hits, err
		}, failures)
		if err != nil {
			return e, err
		}
		byRetriever[retriever] = found
		e.addRankings(string(retriever), found, o.k, at)
		e.took = took // of the last retriever, which is the default one
	}
	if mixed, words := common(byRetriever[knowledge.Hybrid], byRetriever[knowledge.BM25]); len(mixed) > 0 {
		e.add("hybrid, more than bm25", eval.RankingGains(mixed, words, o.k, at))
	}
	if reranker := newReranker(w); reranker != nil {
		found, err := rankAll(ctx, judged, func(ctx context.Context, i int) ([]knowledge.Hit, error) {
			hits, err := records(ctx, library, o.query(judged[i], knowledge.Hybrid, max(reranker.depth, o.k)))
			if err == nil && w.Embeds() && !byEndpoint(hits) {
				err = errNotEncoded
			}
			if err != nil {
				return nil, err
			}
			hits, err = reranker.order(ctx, judged[i].Text, hits)
			return hits[:min(o.k, len(hits))], err
		}, failures)
		if err != nil {
			return e, err
		}
		e.addRankings("hybrid, reranked", found, o.k, at)
	}
	for _, text := range failures {
		if text != "" {
			e.fail(text)
		}
	}
	return e, nil
}

// errNotEncoded says that a search was to go by the endpoint of [embedding] and did not.
var errNotEncoded = errors.New("the endpoint of [embedding] did not encode the question, or has not encoded the sources; the figures by it leave the question out")

// byEndpoint reports whether an endpoint encoded the query that found these.
func byEndpoint(hits []knowledge.Hit) bool {
	return slices.ContainsFunc(hits, func(h knowledge.Hit) bool { return h.Endpoint })
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

// rankings are those of questions, in order; nil where a question could not be searched for.
type rankings []*eval.Ranking

// rankAll finds records for all questions. Why it could not for some is added to failures.
func rankAll(ctx context.Context, judged []eval.Query, find func(ctx context.Context, i int) ([]knowledge.Hit, error), failures []string) (rankings, error) {
	all := make(rankings, len(judged))
	type found struct {
		hits []knowledge.Hit
		err  error
	}
	search := func(ctx context.Context, i int) (found, error) {
		hits, err := find(ctx, i)
		return found{hits, err}, ctx.Err()
	}
	err := par.Ordered(ctx, len(judged), search, func(i int, f found) error {
		if f.err != nil {
			failures[i] = cmp.Or(failures[i], faultText(f.err))
			return nil
		}
		all[i] = &eval.Ranking{Records: recordNames(f.hits), Grades: judged[i].Grades}
		return nil
	})
	return all, err
}

// common are the rankings that both have, of the same questions.
func common(a, b rankings) (ofA, ofB []eval.Ranking) {
	for i := range a {
		if a[i] != nil && b[i] != nil {
			ofA, ofB = append(ofA, *a[i]), append(ofB, *b[i])
		}
	}
	return ofA, ofB
}

// addRankings measures the rankings that there are.
func (e *evaluation) addRankings(group string, found rankings, k int, at func(string) string) {
	if measured, _ := common(found, found); len(measured) > 0 {
		e.add(group, eval.RankingMeasures(measured, k, at))
	}
}
