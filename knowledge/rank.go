package knowledge

import (
	"cmp"
	"context"
	"slices"

	"lacuna/knowledge/lexical"
	"lacuna/knowledge/passage"
	"lacuna/vecmath"
)

// Settings of the mixture, measured on development sets of five kinds: claims, expert and research
// questions against abstracts, Chinese consumer questions, and rambling letters against stored
// questions.
const (
	candidates     = 200 // from each retriever; more change nothing
	reordered      = 100 // of the candidates, by max-sim
	passageLambda  = 0.6 // weight of the cosine beside the BM25 score relative to the best
	questionLambda = 0.3
	maxSimWeight   = 0.4
	smallShelf     = 300   // below this many texts nothing is mixed: an inference, not measured
	middlingShelf  = 1_000 // below this half as much: likewise
)

// ranking is the search of one shelf.
type ranking struct {
	*search
	shelf  *Shelf
	scores *lexical.Scores
	keep   func(place int) bool // nil keeps all
	vector []float32            // of the query; nil when the encoder has or knows nothing
}

// candidate is a text of the shelf with its signals.
type candidate struct {
	place                int
	bm25, cosine, maxSim float64
	score                float64
}

// rank returns the best k passages of one shelf, best first, with scores that compare with those
// of the other shelf. Texts that occur several times are in it several times; a few places are
// added so that k remain without them.
func (s *search) rank(ctx context.Context, shelf *Shelf, k int, sources []string) ([]Hit, error) {
	scores, err := shelf.index.Score(ctx, s.terms)
	if err != nil {
		return nil, err
	}
	defer scores.Release()
	r := ranking{search: s, shelf: shelf, scores: scores, keep: shelf.keeping(s.library, sources)}
	if shelf.encoder != nil && s.query.Retriever != BM25 {
		r.vector, _ = shelf.encoder.Encode(s.terms)
	}
	k += k / 2
	switch {
	case r.vector == nil:
		return r.byBM25(k), nil
	case s.query.Retriever == Dense:
		return r.byCosine(k)
	}
	return r.mixed(k)
}

// byBM25 ranks by BM25 alone.
func (r *ranking) byBM25(k int) []Hit {
	list := r.lexicalCandidates(k)
	weight := r.shelf.weight(r.terms)
	for i := range list {
		list[i].score = list[i].bm25 / weight
	}
	return r.hits(list, BM25)
}

func (r *ranking) lexicalCandidates(k int) []candidate {
	found := r.scores.Best(k, r.keep)
	list := make([]candidate, len(found))
	for i, hit := range found {
		list[i] = candidate{place: hit.Ordinal, bm25: hit.Score}
	}
	return list
}

// byCosine ranks by the encoder alone.
func (r *ranking) byCosine(k int) ([]Hit, error) {
	list, err := r.denseCandidates(k)
	if err != nil {
		return nil, err
	}
	for i := range list {
		list[i].score = list[i].cosine
	}
	return r.hits(list, Dense), nil
}

func (r *ranking) denseCandidates(k int) ([]candidate, error) {
	nearest, err := r.shelf.vectors.NearestL2Where(r.vector, k, r.keep)
	if err != nil {
		return nil, err
	}
	list := make([]candidate, len(nearest))
	for i, n := range nearest {
		list[i] = candidate{place: n.Row, bm25: r.scores.Of(n.Row), cosine: cosine(n.Distance)}
	}
	return list, nil
}

// mixed ranks the union of both retrievers' candidates by
//
//	bm25 / best bm25 + lambda * cosine + 0.4 * max-sim (of the first hundred)
//
// and scales the sum by the best text's share of what the query could earn, which keeps the order
// and makes shelves comparable.
func (r *ranking) mixed(k int) ([]Hit, error) {
	depth := max(k, candidates)
	list := r.lexicalCandidates(depth)
	nearest, err := r.denseCandidates(depth)
	if err != nil {
		return nil, err
	}
	if len(list) == 0 {
		for i := range nearest {
			nearest[i].score = nearest[i].cosine - 1
		}
		return r.hits(nearest[:min(k, len(nearest))], Dense), nil
	}
	lambda := r.shelf.lambda()
	if lambda == 0 {
		return r.byBM25(k), nil
	}
	best := list[0].bm25
	list = r.union(list, nearest)
	for i := range list {
		list[i].score = list[i].bm25/best + lambda*list[i].cosine
	}
	slices.SortFunc(list, byScore)
	r.reorder(list[:min(reordered, len(list))])
	share := best / r.shelf.weight(r.terms)
	for i := range list {
		list[i].score *= share
	}
	return r.hits(list[:min(k, len(list))], Hybrid), nil
}

// union adds the nearest that BM25 did not list, and gives those it did their cosine.
func (r *ranking) union(list, nearest []candidate) []candidate {
	listed := make(map[int]bool, len(list))
	for i := range list {
		listed[list[i].place] = true
		list[i].cosine = float64(vecmath.Dot(r.vector, r.shelf.vectors.Row(list[i].place)))
	}
	for _, c := range nearest {
		if !listed[c.place] {
			list = append(list, c)
		}
	}
	return list
}

// reorder adds the max-sim of the query's and each text's words and sorts again.
func (r *ranking) reorder(list []candidate) {
	matcher := r.shelf.encoder.Matcher(r.terms)
	for i := range list {
		list[i].maxSim = matcher.MaxSim(r.shelf.index.Terms(list[i].place))
		list[i].score += maxSimWeight * list[i].maxSim
	}
	slices.SortFunc(list, byScore)
}

func byScore(a, b candidate) int {
	return cmp.Or(-cmp.Compare(a.score, b.score), a.place-b.place)
}

func (r *ranking) hits(list []candidate, by Retriever) []Hit {
	hits := make([]Hit, len(list))
	for i, c := range list {
		ordinal := r.shelf.ordinals[c.place]
		hits[i] = Hit{
			Passage: r.library.passages[ordinal], Ordinal: ordinal, Score: c.score,
			BM25: c.bm25, Cosine: c.cosine, MaxSim: c.maxSim, Retriever: by,
		}
	}
	return hits
}

// lambda is the weight of the cosine on this shelf.
func (s *Shelf) lambda() float64 {
	lambda := passageLambda
	if s.kind == passage.QA {
		lambda = questionLambda
	}
	switch {
	case s.N() < smallShelf:
		return 0
	case s.N() < middlingShelf:
		return lambda / 2
	}
	return lambda
}

// keeping accepts the places on the shelf whose passages come from the sources; nil is all.
func (s *Shelf) keeping(l *Library, sources []string) func(place int) bool {
	if len(sources) == 0 {
		return nil
	}
	return func(place int) bool {
		return slices.Contains(sources, l.passages[s.ordinals[place]].Source)
	}
}

// weight is what a query's terms could earn on the shelf at most. Scores are divided by it to
// compare with those of another shelf, which weighs the same words by other counts.
func (s *Shelf) weight(terms []string) float64 {
	weight := 0.0
	for _, term := range terms {
		weight += lexical.IDF(s.N(), s.DocFreq(term))
	}
	return weight
}
