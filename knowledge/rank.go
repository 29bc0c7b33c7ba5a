package knowledge

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"

	"lacuna/knowledge/entity"
	"lacuna/knowledge/lexical"
	"lacuna/knowledge/lexicon"
	"lacuna/knowledge/par"
	"lacuna/knowledge/passage"
	"lacuna/knowledge/rerank"
	"lacuna/vecmath"
)

// # How ranking works
//
// A query is ranked in each collection it concerns: running text and stored questions have their own
// statistics and their own encoder. The lists are then merged by score (search.go).
//
//	           question
//	              │  query.go: without the words of asking, spelling corrected, a word counts twice at most;
//	              │  with the words of the collection that mean the same (lexicon)
//	        ┌─────┴─────┐
//	        ▼           ▼
//	      terms ───► vector            dense: the collection's own encoder
//	        │           │
//	      BM25        exact L2         lexical: MaxScore    vecmath: codes with a proved bound
//	        │           │
//	       200         200             candidates, a text at most ten times (spread)
//	        └─────┬─────┘
//	              ▼
//	   bm25/best + 0.8 cosine          the union, sorted
//	              │
//	              ▼  the first 100
//	   + 1.0 max-sim + 0.6 window      text only; sorted again
//	              │
//	              ▼
//	        trees over both, kin,      text only: rerank; the scores stay, best first
//	   headings, places and pages
//	              │
//	              ▼
//	   × best/weight of the terms, ÷ 3.4
//	              │
//	              ▼
//	   pages about another subject last, duplicates out, the first k
//
// Why these parts:
//
//   - A word counts by the best of the ways in which a text says it (lexical.ScoreWays), so that kin never
//     add up and never outweigh the word itself.
//   - BM25 decides in most cases. It is divided by the best score of the query, so that the other
//     signals, which are cosines, weigh the same in every query.
//   - The cosine finds what is said in other words. Alone the encoder is weaker than BM25; mixed with it
//     it finds more. A small base trains a poor encoder, so its weight grows from nothing at 50 texts to
//     the whole at 100 (fullWeightAt).
//   - Max-sim asks of each word of the query how near the nearest word of the text is, and so rewards a
//     text that has something for every word.
//   - The window is the cosine of the best 24 terms of a text, so that a long text is not held against
//     its one good paragraph (MaxP, Dai & Callan 2019).
//   - The trees (package rerank) read what the sum cannot: where the words stand, under which title and
//     heading, whether the page holds the rest of them, what is asked for. On 26 collections of documents
//     left out of their training, 571 questions in users' words, the passage is among the first five for .65
//     instead of .60, nDCG@10 .54 instead of .48.
//   - Scaling by what the best text earned of the query's weight makes the collections comparable: where
//     only a common word was found, everything scores low.
//
// If no term of the query occurs, the encoder decides alone and scores are negative; if the base has no
// encoder, BM25 decides alone. A remote encoder's vectors replace the lower half (byRemote).
//
// Each constant below says where its weights were measured, as nDCG@10 on development sets. The depths of
// 200 and 100 are in collection.go, question words and spelling in query.go, BM25's parameters at
// parameters. docs/quality.md has the results on the test sets.

// mixture weighs signals relative to the BM25 score divided by the query's best.
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

// fullWeightAt is the number of texts from which an encoder counts as much as the mixture says. With
// fewer it counts for less, down to nothing at [minTexts]. Measured, nDCG@10 of parts of four sets,
// some at random and some of texts that are alike: with 60 texts, by the words, with a quarter of the
// mixture and with all of it, SciFact .893, .897, .889 (300 questions), Huatuo .615, .618, .613 (273),
// BioASQ .913, .912, .899 (164), PubMedQA .933, .935, .941 (52). With 100, by the words and with all of
// it, .882, .891; .617, .619; .890, .896.
const fullWeightAt = 100

// mixture returns the kind's weights, scaled down for an encoder trained on few texts.
func (s *Collection) mixture() mixture {
	trust := min(1, max(0, float64(s.N()-minTexts)/(fullWeightAt-minTexts)))
	m := mixtures[s.kind]
	return mixture{cosine: trust * m.cosine, maxSim: trust * m.maxSim, window: trust * m.window}
}

func (m mixture) reorders() bool { return m.maxSim > 0 || m.window > 0 }

// total returns the score of a text that has everything.
func (m mixture) total() float64 { return 1 + m.cosine + m.maxSim + m.window }

// ranker searches one collection.
type ranker struct {
	*search
	collection *Collection
	terms      []string             // of the query, that the collection is searched by
	wording    *lexicon.Wording     // of the terms; nil if they are searched for as they stand
	keep       func(place int) bool // nil keeps all
	depth      int                  // candidates that each retriever is asked for
	floor      float64              // what a text that is no candidate by its vector must earn to be among the best
	scores     *lexical.Scores
	vector     []float32 // of the query; nil when the encoder has or knows nothing
}

// rank returns the best k passages of one collection, best first and each text once, with scores that
// compare with the other collection's.
func (s *search) rank(ctx context.Context, collection *Collection, k int, sources []string) ([]Hit, error) {
	r := ranker{
		search: s, collection: collection, terms: s.terms(collection), keep: collection.visible(collection.fromSources(s.library, sources)),
		depth: max(2*k, candidates), // enough for k without the texts that stand at several places, see spread
	}
	if !s.query.Verbatim && (s.query.Retriever == "" || s.query.Retriever == Hybrid) {
		r.wording = collection.Wording(r.terms)
	}
	found, err := r.findCached(ctx, sources)
	if err != nil {
		return nil, err
	}
	hits := s.distinct(r.bySubject(r.hits(found)), k)
	r.scoreAsWritten(hits)
	return hits, nil
}

// findCached ranks, or returns the ranking of an equal search. The reader and the judge of a question often
// search for the same terms concurrently.
func (r *ranker) findCached(ctx context.Context, sources []string) (ranking, error) {
	if r.remoteVector != nil {
		return r.find(ctx)
	}
	key := rankingKey{cmp.Or(r.query.Retriever, Hybrid), r.wording == nil, r.depth, r.query.Text, strings.Join(sources, "\x00"), strings.Join(r.terms, "\x00")}
	return r.collection.cache.ranked.Get(ctx, key, func() (ranking, error) { return r.find(ctx) })
}

func (r *ranker) find(ctx context.Context) (ranking, error) {
	var err error
	if r.scores, err = r.collection.index.ScoreWays(ctx, r.terms, r.weights(), r.alternatives()); err != nil {
		return ranking{}, err
	}
	defer r.scores.Release()
	if r.collection.encoder != nil && r.query.Retriever != BM25 {
		r.vector, _ = r.collection.encoder.Encode(r.meant())
	}
	r.want(r.depth)
	r.floor = math.Inf(1)
	found, err := r.ranked(ctx)
	r.wantBest()
	return found, err
}

func (r *ranker) ranked(ctx context.Context) (ranking, error) {
	switch {
	case r.compares(r.collection.remote):
		return r.byRemote()
	case r.vector == nil:
		return r.byBM25(), nil
	case r.query.Retriever == Dense:
		return r.byCosine(ctx)
	}
	return r.mixed(ctx)
}

// scoreAsWritten gives each hit the textbook score of the query as written, if the collection was searched
// by other terms: the judge must not take a word for found that does not occur.
func (r *ranker) scoreAsWritten(hits []Hit) {
	if slices.Equal(r.terms, r.verbatim) && r.wording == nil {
		return
	}
	for i := range hits {
		hits[i].BM25 = r.collection.index.ScoreText(r.verbatim, r.collection.Terms(hits[i].Ordinal), r.collection.weights())
	}
}

// byBM25 ranks by BM25 alone.
func (r *ranker) byBM25() ranking {
	list := r.lexicalCandidates()
	r.floor = r.least(list)
	weight := r.weight()
	for i := range list {
		list[i].score = list[i].bm25 / weight
	}
	return ranking{list, BM25}
}

// least returns what a text must earn to be a candidate by terms, when these are found.
func (r *ranker) least(list []candidate) float64 {
	if len(list) < r.depth {
		return 0
	}
	return list[len(list)-1].bm25
}

func (r *ranker) lexicalCandidates() []candidate {
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

// mostAlike bounds the places of one text among a retriever's candidates. Places whose titles a query can
// tell apart rank first among them.
const mostAlike = 10

// spread asks a retriever for candidates again, as long as texts that stand at many places fill the list,
// without those beyond the best few: a sentence on every page must leave room for others.
func (r *ranker) spread(ask func(keep func(place int) bool) ([]candidate, error)) ([]candidate, error) {
	text := func(place int) passage.TextID { return r.library.passages[r.collection.ordinals[place]].ID.Text() }
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
		r.want(r.depth + r.beyond(crowds, best))
		keep = func(place int) bool {
			return (r.keep == nil || r.keep(place)) && (best[place] || !crowds[text(place)])
		}
	}
}

// beyond returns how many places of the texts that stand at many are left out, all but the best.
func (r *ranker) beyond(crowds map[passage.TextID]bool, best map[int]bool) int {
	n := -len(best)
	for _, ordinal := range r.collection.ordinals {
		if crowds[r.library.passages[ordinal].ID.Text()] {
			n++
		}
	}
	return n
}

// byCosine ranks by the encoder alone.
func (r *ranker) byCosine(ctx context.Context) (ranking, error) {
	list, err := r.nearest(ctx)
	if err != nil {
		return ranking{}, err
	}
	r.addBM25(list)
	for i := range list {
		list[i].score = list[i].cosine
	}
	return ranking{list, Dense}, nil
}

// nearest returns the texts nearest to the query's vector.
func (r *ranker) nearest(ctx context.Context) ([]candidate, error) {
	return r.spread(func(keep func(int) bool) (list []candidate, err error) {
		var found []vecmath.Neighbor
		if keep != nil {
			found, err = r.collection.vectors.NearestL2Where(r.vector, r.depth, keep)
		} else {
			found, err = r.collection.nearest(ctx, r.vector, r.depth)
		}
		for _, n := range found {
			list = append(list, candidate{place: n.Row, cosine: cosine(n.Distance)})
		}
		return list, err
	})
}

// addBM25 gives the encoder's candidates their BM25 scores.
func (r *ranker) addBM25(list []candidate) {
	for i := range list {
		list[i].bm25 = r.scores.Of(list[i].place)
	}
}

// mixed ranks the union of both retrievers' candidates by
//
//	bm25 / best bm25 + weight * cosine, and for the first hundred by this
//	                 + weight * max-sim + weight * cosine of the best window
//
// and scales the sum so that collections compare: to what share of the query's weight the best text
// earned, with a text that has everything at 1. Where BM25 finds nothing the encoder decides.
func (r *ranker) mixed(ctx context.Context) (ranking, error) {
	list, best, err := r.mixture(ctx)
	switch {
	case err != nil:
		return ranking{}, err
	case best == 0:
		return ranking{list, Dense}, nil
	}
	if r.collection.kind == passage.Text && r.wording != nil {
		r.rerank(list[:min(reordered, len(list))])
	}
	scale := best / r.weight() / r.collection.mixture().total()
	for i := range list {
		list[i].score *= scale
	}
	return ranking{list, Hybrid}, nil
}

// mixture returns the union of both retrievers' candidates, sorted by the sum of their signals, and the best
// BM25 score; 0 where BM25 finds nothing.
func (r *ranker) mixture(ctx context.Context) (list []candidate, best float64, err error) {
	var nearest []candidate
	par.Do(
		func() { nearest, err = r.nearest(ctx) },
		func() { list = r.lexicalCandidates() },
	)
	if err != nil {
		return nil, 0, err
	}
	reach := 1.0 // of what is no candidate by its vector
	if len(nearest) == r.depth {
		reach = max(0, nearest[len(nearest)-1].cosine)
	}
	// Nearest of a small collection may be far away all the same.
	nearest = slices.DeleteFunc(nearest, func(c candidate) bool { return c.cosine <= 0 })
	r.addBM25(nearest)
	if len(list) == 0 {
		for i := range nearest {
			nearest[i].score = nearest[i].cosine - 1
		}
		return nearest, 0, nil
	}
	best = list[0].bm25
	least := r.least(list)
	mix := r.collection.mixture()
	list = r.union(list, nearest)
	for i := range list {
		list[i].score = list[i].bm25/best + mix.cosine*list[i].cosine
	}
	slices.SortFunc(list, byScore)
	r.floor = least
	if half := r.depth / 2; len(list) >= half { // at least as many as are reordered, and as are asked for
		r.floor = max(least, best*(list[half-1].score-mix.cosine*reach))
	}
	if mix.reorders() {
		r.reorder(list[:min(reordered, len(list))], mix)
	}
	return list, best, nil
}

// union adds the nearest texts that BM25 did not list, and gives listed ones their cosine.
func (r *ranker) union(list, nearest []candidate) []candidate {
	listed := make(map[int]bool, len(list))
	for i := range list {
		listed[list[i].place] = true
		list[i].cosine = float64(r.collection.vectors.Dot(list[i].place, r.vector))
	}
	for _, c := range nearest {
		if !listed[c.place] {
			list = append(list, c)
		}
	}
	return list
}

// reorder adds max-sim and the best window of each text and sorts again.
func (r *ranker) reorder(list []candidate, mix mixture) {
	each := func(compare func(i int, text []uint32)) {
		for i, c := range list {
			compare(i, r.collection.index.TermNumbers(c.place))
		}
	}
	similar, windows := make([]float64, len(list)), make([]float64, len(list))
	par.Do(
		func() {
			parts := r.collection.encoder.Matcher(nil)
			each(func(i int, text []uint32) { windows[i] = parts.BestWindow(r.vector, text, r.collection.rows) })
		},
		func() {
			words := r.collection.encoder.Matcher(r.meant())
			each(func(i int, text []uint32) { similar[i] = words.MaxSimNumbers(text, r.collection.rows) })
		},
	)
	for i := range list {
		list[i].maxSim, list[i].window = similar[i], windows[i]
		list[i].score += mix.maxSim*similar[i] + mix.window*windows[i]
	}
	slices.SortFunc(list, byScore)
}

// rerank puts the first candidates, which are sorted, into the order of the trees. The scores stay where they
// are: the best candidate has the best score.
func (r *ranker) rerank(list []candidate) {
	before := slices.Clone(list)
	for i, from := range rerank.Order(r.reranked(list)) {
		list[i] = before[from]
		list[i].score = before[i].score
	}
}

// reranked returns what the reranker must know.
func (r *ranker) reranked(list []candidate) (*rerank.Query, []rerank.Candidate) {
	c := r.collection
	words := c.encoder.Matcher(r.terms)
	distinct := make([]string, len(r.wording.Words))
	for i, word := range r.wording.Words {
		distinct[i] = word.Term
	}
	base := &rerank.Base{
		N: c.N(), Vocabulary: c.Vocabulary(), Number: c.index.TermNumber, IDF: c.IDF, MeanLength: c.index.MeanLength(),
		Near: func(text []uint32) []float32 { return words.Nearest(distinct, text, c.rows) },
	}
	candidates := make([]rerank.Candidate, len(list))
	for i, own := range list {
		ordinal := c.ordinals[own.place]
		candidates[i] = rerank.Candidate{
			Passage: r.library.passages[ordinal], Ordinal: r.library.position(ordinal), Terms: c.index.TermNumbers(own.place), Score: own.score,
			BM25: own.bm25, Cosine: own.cosine, MaxSim: own.maxSim, Window: own.window, Vector: c.vectors.Row(own.place),
		}
	}
	return rerank.NewQuery(r.query.Text, r.wording, base), candidates
}

func byScore(a, b candidate) int {
	return cmp.Or(-cmp.Compare(a.score, b.score), a.place-b.place)
}

func (r *ranker) hits(found ranking) []Hit {
	byEndpoint := r.compares(r.collection.remote)
	hits := make([]Hit, len(found.list))
	for i, c := range found.list {
		ordinal := r.collection.ordinals[c.place]
		hits[i] = Hit{
			Passage: r.library.passages[ordinal], Ordinal: ordinal, Score: c.score,
			BM25: c.bm25, Cosine: c.cosine, MaxSim: c.maxSim, Retriever: found.by, Remote: byEndpoint,
		}
	}
	return hits
}

// fromSources accepts the places whose passages come from the sources; nil accepts all.
func (s *Collection) fromSources(l *Library, sources []string) func(place int) bool {
	if len(sources) == 0 {
		return nil
	}
	return func(place int) bool {
		return slices.Contains(sources, l.passages[s.ordinals[place]].Source)
	}
}

// weight returns what a query's terms could earn in the collection at most. Scores are divided by it to
// compare with another collection's, which weighs the same words by other counts.
func (s *Collection) weight(terms []string) float64 {
	weight := 0.0
	for _, term := range terms {
		weight += lexical.IDF(s.N(), s.DocFreq(term))
	}
	return weight
}

// bySubject moves pages about other things than the query names to the end: of sixty pages that say "No dose
// adjustment is needed." one is asked about. Only running text is moved, since a stored question says itself
// what it is about; and only in a mixed search, because a retriever asked for by name does what its paper
// says.
func (r *ranker) bySubject(hits []Hit) []Hit {
	if len(hits) == 0 || r.query.Retriever != "" && r.query.Retriever != Hybrid {
		return hits
	}
	found := make([]*passage.Passage, len(hits))
	for i := range hits {
		found[i] = hits[i].Passage
	}
	subject := entity.Link(r.query.Text, found, r.collection)
	if subject == nil {
		return hits
	}
	for i := range hits {
		hits[i].Subject = subject
	}
	if r.collection.kind != passage.Text {
		return hits
	}
	ordered := make([]Hit, 0, len(hits))
	var others []Hit
	for _, hit := range hits {
		if subject.Relation(hit.Passage) == entity.Other {
			others = append(others, hit)
		} else {
			ordered = append(ordered, hit)
		}
	}
	ordered = append(ordered, others...)
	for i := 1; i < len(ordered); i++ { // a merged list is ordered by scores
		ordered[i].Score = min(ordered[i].Score, ordered[i-1].Score)
	}
	return ordered
}

// compares reports whether the query has a vector that compares with a collection's remote vectors.
func (s *search) compares(f *remoteVectors) bool {
	return s.remoteVector != nil && f != nil && f.vectors.Dim() == len(s.remoteVector)
}

// byRemote ranks the union of the candidates of BM25 and of the endpoint's vectors by
//
//	bm25 / best bm25 + (cosine - least cosine) / (best cosine - least cosine)
//
// since endpoints differ in where their cosines lie: a convex combination of scores scaled to 0..1,
// as Bruch, Gai & Ingber (2023) have it, with equal weights. For a text that was not encoded, because it is new
// or private, the words count for both. The built-in encoder has no say; its signals are passed on for the
// judge.
func (r *ranker) byRemote() (ranking, error) {
	list := r.lexicalCandidates()
	nearest, err := r.spread(func(keep func(int) bool) ([]candidate, error) {
		places, err := r.collection.remote.nearest(r.remoteVector, r.depth, r.public(keep))
		list := make([]candidate, len(places))
		for i, place := range places {
			list[i].place = place
		}
		return list, err
	})
	if err != nil {
		return ranking{}, err
	}
	listed := make(map[int]bool, len(list))
	for _, c := range list {
		listed[c.place] = true
	}
	best := 0.0
	if len(list) > 0 {
		best = list[0].bm25
	}
	for _, c := range nearest {
		if !listed[c.place] {
			list = append(list, candidate{place: c.place, bm25: r.scores.Of(c.place)})
		}
	}
	r.scoreByRemote(list, best)
	slices.SortFunc(list, byScore)
	if best == 0 {
		return ranking{list, Dense}, nil
	}
	return ranking{list, Hybrid}, nil
}

// scoreByRemote fills in the candidates' cosines and scores.
func (r *ranker) scoreByRemote(list []candidate, best float64) {
	least, most := 1.0, -1.0
	for i := range list {
		c := &list[i]
		c.remoteCosine = r.collection.remote.cosine(c.place, r.remoteVector)
		if c.remoteCosine != 0 { // it was encoded
			least, most = min(least, c.remoteCosine), max(most, c.remoteCosine)
		}
		if r.vector != nil {
			c.cosine = float64(r.collection.vectors.Dot(c.place, r.vector))
		}
	}
	weight := r.weight()
	for i := range list {
		c := &list[i]
		switch {
		case r.query.Retriever == Dense:
			c.score = c.remoteCosine
		case best == 0:
			c.score = c.remoteCosine - 1
		default:
			words := c.bm25 / best
			near := words
			if c.remoteCosine != 0 {
				near = 0
				if most > least {
					near = (c.remoteCosine - least) / (most - least)
				}
			}
			c.score = (words + near) / 2 * best / weight
		}
	}
}

// public accepts what keep accepts and may have been sent to an endpoint.
func (r *ranker) public(keep func(place int) bool) func(place int) bool {
	return func(place int) bool {
		return !r.library.passages[r.collection.ordinals[place]].Private && (keep == nil || keep(place))
	}
}

// distinct returns the first k hits that are no duplicates; see [Deduplicator].
func (s *search) distinct(hits []Hit, k int) []Hit {
	var texts Deduplicator
	var kept []Hit
	for _, hit := range hits {
		if len(kept) == k {
			break
		}
		if texts.Add(hit.Passage, s.verbatim) {
			kept = append(kept, hit)
		}
	}
	return kept
}

// Deduplicator skips passages that say what an earlier one said, as the Misknow-RAG paper does, unless their
// subject tells them apart: something above the passage has a term of the query that nothing above the
// earlier ones has. The zero value has seen nothing.
type Deduplicator struct {
	seen map[passage.TextID][]*passage.Passage
}

// Add adds a passage, or reports false if it is a duplicate. asked lists the analysed terms of the query.
func (t *Deduplicator) Add(p *passage.Passage, asked []string) bool {
	if t.seen == nil {
		t.seen = make(map[passage.TextID][]*passage.Passage)
	}
	before := t.seen[p.ID.Text()]
	if len(before) > 0 && !tellsApart(p, before, asked) {
		return false
	}
	t.seen[p.ID.Text()] = append(before, p)
	return true
}

// tellsApart reports whether a term of the query stands above a passage and above none of the others.
func tellsApart(p *passage.Passage, others []*passage.Passage, asked []string) bool {
	own := lexical.Terms(p.Above())
	return slices.ContainsFunc(asked, func(term string) bool {
		return slices.Contains(own, term) && !slices.ContainsFunc(others, func(other *passage.Passage) bool {
			return slices.Contains(lexical.Terms(other.Above()), term)
		})
	})
}
