package knowledge

import (
	"cmp"
	"context"
	"fmt"
	"runtime"
	"slices"

	"lacuna/knowledge/lexical"
	"lacuna/knowledge/par"
	"lacuna/knowledge/passage"
	"lacuna/vecmath"
)

// How deep both retrievers are asked. Measured: more changes nothing.
const (
	candidates = 200 // from each retriever
	reordered  = 100 // of the candidates, by their words and parts
)

// mixture says what counts beside the BM25 score relative to the best of the query.
type mixture struct {
	cosine float64 // of the encoder's vectors
	maxSim float64 // of the words
	window float64 // of the best part of the text
}

// mixtures were measured on development sets: claims, expert and research questions against
// abstracts, Chinese consumer questions against answers; and letters against stored questions,
// which are too short to gain by their words or parts. The weights for passages that were fitted to
// any three of the four sets help on the fourth, and near these the curve is flat.
var mixtures = map[passage.Kind]mixture{
	passage.Text: {cosine: 0.8, maxSim: 1, window: 0.6},
	passage.QA:   {cosine: 0.3},
}

// fullyTrusted is the number of texts from which an encoder counts as much as the mixture says. With
// fewer it counts for less, down to nothing at [leastTrained]. Measured, nDCG@10 of parts of four sets,
// some at random and some of texts that are alike: with 60 texts, by the words, with a quarter of the
// mixture and with all of it, SciFact .893, .897, .889 (300 questions), Huatuo .615, .618, .613 (273),
// BioASQ .913, .912, .899 (164), PubMedQA .933, .935, .941 (52). With 100, by the words and with all of
// it, .882, .891; .617, .619; .890, .896.
const fullyTrusted = 100

// mixture is that of the shelf's kind, as far as an encoder of so many texts is trusted.
func (s *Collection) mixture() mixture {
	trust := min(1, max(0, float64(s.N()-leastTrained)/(fullyTrusted-leastTrained)))
	m := mixtures[s.kind]
	return mixture{cosine: trust * m.cosine, maxSim: trust * m.maxSim, window: trust * m.window}
}

func (m mixture) reorders() bool { return m.maxSim > 0 || m.window > 0 }

// whole is the score of a text that has everything.
func (m mixture) whole() float64 { return 1 + m.cosine + m.maxSim + m.window }

// ranking is the search of one shelf.
type ranking struct {
	*search
	shelf  *Collection
	terms  []string             // of the query, that the shelf is searched by
	keep   func(place int) bool // nil keeps all
	depth  int                  // candidates that each retriever is asked for
	scores *lexical.Scores
	vector []float32 // of the query; nil when the encoder has or knows nothing
}

// candidate is a text of the shelf with its signals.
type candidate struct {
	place                int
	bm25, cosine, maxSim float64
	foreign              float64 // cosine of the endpoint's vectors
	score                float64
}

// ranked are texts of a shelf, best first. It is shared by the searches that came to it, and is not
// changed.
type ranked struct {
	list []candidate
	by   Retriever
}

// rank returns the best k passages of one shelf, best first and each text once, with scores that
// compare with those of the other shelf.
func (s *search) rank(ctx context.Context, shelf *Collection, k int, sources []string) ([]Hit, error) {
	r := ranking{
		search: s, shelf: shelf, terms: s.terms(shelf), keep: shelf.seen(shelf.keeping(s.library, sources)),
		depth: max(2*k, candidates), // enough for k without the texts that stand at several places, see spread
	}
	found, err := r.shared(ctx, sources)
	if err != nil {
		return nil, err
	}
	hits := s.distinct(r.bySubject(r.hits(found)), k)
	r.scoreAsWritten(hits)
	return hits, nil
}

// shared is what the ranking comes to. Who answers and who judges a question often search for the same
// terms, and at the same time: that takes one search.
func (r *ranking) shared(ctx context.Context, sources []string) (ranked, error) {
	if r.foreign != nil {
		return r.find(ctx)
	}
	key := fmt.Sprintf("%q %d %q %q", cmp.Or(r.query.Retriever, Hybrid), r.depth, sources, r.terms)
	return r.shelf.recent.ranked.get(ctx, key, func() (ranked, error) { return r.find(ctx) })
}

func (r *ranking) find(ctx context.Context) (ranked, error) {
	var err error
	if r.scores, err = r.shelf.index.Score(ctx, r.terms, r.shelf.weigh()); err != nil {
		return ranked{}, err
	}
	defer r.scores.Release()
	if r.shelf.encoder != nil && r.query.Retriever != BM25 {
		r.vector, _ = r.shelf.encoder.Encode(r.terms)
	}
	switch {
	case r.compares(r.shelf.foreign):
		return r.byEndpoint()
	case r.vector == nil:
		return r.byBM25(), nil
	case r.query.Retriever == Dense:
		return r.byCosine(ctx)
	}
	return r.mixed(ctx)
}

// scoreAsWritten gives each hit the textbook score of the query as it was written, if the shelf was
// searched by other terms: who judges what was found must not take a word for found that is not there.
func (r *ranking) scoreAsWritten(hits []Hit) {
	if slices.Equal(r.terms, r.written) {
		return
	}
	for i := range hits {
		hits[i].BM25 = r.shelf.index.ScoreText(r.written, r.shelf.Terms(hits[i].Ordinal), r.shelf.weigh())
	}
}

// byBM25 ranks by BM25 alone.
func (r *ranking) byBM25() ranked {
	list := r.lexicalCandidates()
	weight := r.shelf.weight(r.terms)
	for i := range list {
		list[i].score = list[i].bm25 / weight
	}
	return ranked{list, BM25}
}

func (r *ranking) lexicalCandidates() []candidate {
	list, _ := r.spread(func(keep func(int) bool) ([]candidate, error) {
		found := r.scores.Best(r.depth, keep)
		list := make([]candidate, len(found))
		for i, hit := range found {
			list[i] = candidate{place: hit.Ordinal, bm25: hit.Score}
		}
		return list, nil
	})
	return list
}

// mostAlike is how many places of one text may be candidates of a retriever. Those that their titles
// tell apart, as far as a query does, are the first of them.
const mostAlike = 10

// spread asks a retriever for candidates, and as long as texts that stand at many places fill the list,
// without these beyond the best of them: a sentence that is on every page must leave room for others.
func (r *ranking) spread(ask func(keep func(place int) bool) ([]candidate, error)) ([]candidate, error) {
	text := func(place int) passage.TextID { return r.library.passages[r.shelf.ordinals[place]].ID.Text() }
	crowds := make(map[passage.TextID]bool)
	best := make(map[int]bool) // of the crowds
	keep := r.keep
	for {
		list, err := ask(keep)
		if err != nil || len(list) < r.depth {
			return list, err
		}
		alike := make(map[passage.TextID]int, len(list))
		before := len(crowds)
		for _, c := range list {
			id := text(c.place)
			if alike[id]++; alike[id] > mostAlike {
				crowds[id] = true
			}
		}
		if len(crowds) == before {
			return list, nil
		}
		clear(alike)
		for _, c := range list {
			if id := text(c.place); crowds[id] && alike[id] < mostAlike {
				alike[id]++
				best[c.place] = true
			}
		}
		keep = func(place int) bool {
			return (r.keep == nil || r.keep(place)) && (best[place] || !crowds[text(place)])
		}
	}
}

// byCosine ranks by the encoder alone.
func (r *ranking) byCosine(ctx context.Context) (ranked, error) {
	list, err := r.nearest(ctx)
	if err != nil {
		return ranked{}, err
	}
	r.scored(list)
	for i := range list {
		list[i].score = list[i].cosine
	}
	return ranked{list, Dense}, nil
}

// nearest are the texts nearest to the query's vector.
func (r *ranking) nearest(ctx context.Context) ([]candidate, error) {
	return r.spread(func(keep func(int) bool) (list []candidate, err error) {
		var found []vecmath.Neighbor
		if keep != nil {
			found, err = r.shelf.vectors.NearestL2Where(r.vector, r.depth, keep)
		} else {
			found, err = r.shelf.nearest(ctx, r.vector, r.depth)
		}
		for _, n := range found {
			list = append(list, candidate{place: n.Row, cosine: cosine(n.Distance)})
		}
		return list, err
	})
}

// scored gives candidates of the encoder their BM25 scores.
func (r *ranking) scored(list []candidate) {
	for i := range list {
		list[i].bm25 = r.scores.Of(list[i].place)
	}
}

// mixed ranks the union of both retrievers' candidates by
//
//	bm25 / best bm25 + weight * cosine, and for the first hundred by this
//	                 + weight * max-sim + weight * cosine of the best window
//
// and scales the sum so that shelves compare: to what share of the query's weight the best text
// earned, with a text that has everything at 1. Where BM25 finds nothing the encoder decides.
func (r *ranking) mixed(ctx context.Context) (ranked, error) {
	var list, nearest []candidate
	var err error
	par.Do(
		func() { nearest, err = r.nearest(ctx) },
		func() { list = r.lexicalCandidates() },
	)
	if err != nil {
		return ranked{}, err
	}
	// Nearest of a small shelf may be far away all the same.
	nearest = slices.DeleteFunc(nearest, func(c candidate) bool { return c.cosine <= 0 })
	r.scored(nearest)
	if len(list) == 0 {
		for i := range nearest {
			nearest[i].score = nearest[i].cosine - 1
		}
		return ranked{nearest, Dense}, nil
	}
	best := list[0].bm25
	mix := r.shelf.mixture()
	list = r.union(list, nearest)
	for i := range list {
		list[i].score = list[i].bm25/best + mix.cosine*list[i].cosine
	}
	slices.SortFunc(list, byScore)
	if mix.reorders() {
		r.reorder(list[:min(reordered, len(list))], mix)
	}
	scale := best / r.shelf.weight(r.terms) / mix.whole()
	for i := range list {
		list[i].score *= scale
	}
	return ranked{list, Hybrid}, nil
}

// union adds the nearest that BM25 did not list, and gives those it did their cosine.
func (r *ranking) union(list, nearest []candidate) []candidate {
	listed := make(map[int]bool, len(list))
	for i := range list {
		listed[list[i].place] = true
		list[i].cosine = float64(r.shelf.vectors.Dot(list[i].place, r.vector))
	}
	for _, c := range nearest {
		if !listed[c.place] {
			list = append(list, c)
		}
	}
	return list
}

// inARow is after how many candidates others may run who have less to do: a person points at
// something while what was typed is judged.
const inARow = 16

// reorder adds what the words and the parts of each text say and sorts again.
func (r *ranking) reorder(list []candidate, mix mixture) {
	each := func(compare func(i int, text []uint32)) {
		for i, c := range list {
			if i%inARow == inARow-1 {
				runtime.Gosched()
			}
			compare(i, r.shelf.index.TermNumbers(c.place))
		}
	}
	similar, windows := make([]float64, len(list)), make([]float64, len(list))
	par.Do(
		func() {
			parts := r.shelf.encoder.Matcher(nil)
			each(func(i int, text []uint32) { windows[i] = parts.BestWindow(r.vector, text, r.shelf.rows) })
		},
		func() {
			words := r.shelf.encoder.Matcher(r.terms)
			each(func(i int, text []uint32) { similar[i] = words.MaxSimNumbers(text, r.shelf.rows) })
		},
	)
	for i := range list {
		list[i].maxSim = similar[i]
		list[i].score += mix.maxSim*similar[i] + mix.window*windows[i]
	}
	slices.SortFunc(list, byScore)
}

func byScore(a, b candidate) int {
	return cmp.Or(-cmp.Compare(a.score, b.score), a.place-b.place)
}

func (r *ranking) hits(found ranked) []Hit {
	byEndpoint := r.compares(r.shelf.foreign)
	hits := make([]Hit, len(found.list))
	for i, c := range found.list {
		ordinal := r.shelf.ordinals[c.place]
		hits[i] = Hit{
			Passage: r.library.passages[ordinal], Ordinal: ordinal, Score: c.score,
			BM25: c.bm25, Cosine: c.cosine, MaxSim: c.maxSim, Retriever: found.by, Remote: byEndpoint,
		}
	}
	return hits
}

// keeping accepts the places on the shelf whose passages come from the sources; nil is all.
func (s *Collection) keeping(l *Library, sources []string) func(place int) bool {
	if len(sources) == 0 {
		return nil
	}
	return func(place int) bool {
		return slices.Contains(sources, l.passages[s.ordinals[place]].Source)
	}
}

// weight is what a query's terms could earn on the shelf at most. Scores are divided by it to
// compare with those of another shelf, which weighs the same words by other counts.
func (s *Collection) weight(terms []string) float64 {
	weight := 0.0
	for _, term := range terms {
		weight += lexical.IDF(s.N(), s.DocFreq(term))
	}
	return weight
}
