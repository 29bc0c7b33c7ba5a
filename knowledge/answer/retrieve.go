package answer

import (
	"context"
	"fmt"

	"lacuna/knowledge"
	"lacuna/knowledge/lexical"
	"lacuna/knowledge/passage"
)

// How much is retrieved for one question.
const (
	passagesRead = 10 // of each list; the weights of the reader were fitted with ten
	pairsFound   = 4  // the stored question that may be served, and the related ones
	mostQueries  = 8  // further queries
)

// found is what the library holds near a question.
type found struct {
	texts [][]knowledge.Hit // the question's own list first, then one of each further query
	pairs []knowledge.Hit
}

// retrieve searches running text and stored questions apart, then running text once more for each
// further query. A passage found again stays where it was found first.
func retrieve(ctx context.Context, library *knowledge.Library, question Question) (found, error) {
	var f found
	var texts knowledge.Deduplicator
	queries := append([]string{question.Text}, question.Queries[:min(mostQueries, len(question.Queries))]...)
	for _, query := range queries {
		hits, err := library.Search(ctx, knowledge.Query{
			Text: query, K: passagesRead, Sources: question.Sources, Kind: passage.Text,
		})
		if err != nil {
			return found{}, fmt.Errorf("search %q: %w", query, err)
		}
		fresh := hits[:0:0]
		for _, hit := range hits {
			if texts.Add(hit.Passage, lexical.Terms(query)) {
				fresh = append(fresh, hit)
			}
		}
		f.texts = append(f.texts, fresh)
	}
	pairs, err := library.Search(ctx, knowledge.Query{
		Text: question.Text, K: pairsFound, Sources: question.Sources, Kind: passage.QA,
	})
	if err != nil {
		return found{}, fmt.Errorf("search stored questions: %w", err)
	}
	f.pairs = pairs
	return f, nil
}

// evidence lists what an answer was made from, ranked anew: the stored pair that answers, the
// passages read, the related stored questions.
func evidence(a asked, f found) []knowledge.Hit {
	var all []knowledge.Hit
	if a.serves() {
		all = append(all, *a.pair)
	}
	for _, hits := range f.texts {
		all = append(all, hits...)
	}
	all = append(all, a.related...)
	for i := range all {
		all[i].Rank = i + 1
	}
	return all
}
