package lexical

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"lacuna/vecmath/mapped"
)

// search finds the texts that can be among the k best, by bounds on their scores in whole numbers.
//
// A text's upper bound is the sum, over the terms of the query it has, of the term's cost times its
// impact there. MaxScore (Turtle & Flood 1995) works within one window at a time: while the sum of
// the highest impacts of the last terms is below the threshold, a text that has none of the other
// terms cannot be among the best, and so those last terms are only looked up for texts that have.
//
// Why nothing is lost. Let C be 255*scale, S the score of a text as it is computed, U its upper
// bound, and w the weight, s the saturation, i the impact and c the cost of a term.
//
//   - U >= C*S. i >= 255*s up to one rounding, and c > w*scale*(1+1e-9) up to two; the 1e-9 outweighs
//     these and the roundings of S, of which there are two a term and each is at most 2^-53, for up to
//     a million terms.
//   - U - C*S <= margin. i < 255*s + 1 and c <= w*scale*(1+1e-9) + 1 up to the same roundings, and so
//     c*i - C*w*s < c + 256 + c*1e-6, which marginOf exceeds, summed over all terms of the query.
//
// So k texts with upper bounds of u or more have scores of (u-margin)/C or more, and a text whose
// upper bound is below u-margin is not among the best k, not even by a tie. That is the threshold:
// it follows the k-th highest upper bound so far. The remaining texts are scored exactly.
type search struct {
	*scratch
	terms     []queryTerm
	bounds    *bounds
	windows   int
	k         int
	keep      func(ordinal int) bool // nil keeps all
	margin    int64
	threshold uint32 // upper bounds below it are out; at least 1
}

// scratch is the memory of one search, reused by later ones.
type scratch struct {
	sums        [windowSize]uint32 // of the texts of a window; 0 between windows
	frequencies []uint32           // of the query's terms in one text
	cursors     []uint32           // the next list, by term
	active      []active
	survivors   []uint16    // texts of a window that may still be among the best
	candidates  []candidate // of the windows that are done
	highest     []uint32    // the k highest upper bounds of candidates; a heap with the lowest first
}

// active is a term with a list in the current window.
type active struct {
	list
	cost  uint32
	bound uint32 // cost times highest
}

type candidate struct{ ordinal, bound uint32 }

// prepare empties the memory for a query of this number of terms, of which frequencies are counted.
func (r *scratch) prepare(terms, frequencies int) {
	r.frequencies = slices.Grow(r.frequencies[:0], frequencies)[:frequencies]
	r.cursors = slices.Grow(r.cursors[:0], terms)[:terms]
	clear(r.sums[:]) // a fault may have ended the last search within a window
}

func newSearch(s *Scores, k int, keep func(int) bool) *search {
	q := &search{scratch: s.room, terms: s.terms, bounds: s.index.bounds, k: k, keep: keep, threshold: 1}
	q.windows = (s.index.N() + windowSize - 1) >> windowBits
	q.candidates, q.highest = q.candidates[:0], q.highest[:0]
	total := 0.0
	for _, term := range s.terms {
		total += term.weight
	}
	scale := (1 << 30) / (255 * total)
	for i, term := range s.terms {
		cost := uint32(math.Floor(term.weight*scale*(1+1e-9))) + 1
		q.terms[i].cost = cost
		q.margin += marginOf(cost)
		if term.ways != nil { // their impacts were rounded up twice
			q.margin += marginOf(cost)
		}
		q.cursors[i] = term.from
	}
	return q
}

// marginOf returns how much, in units of upper bounds, one term can add to a bound beyond the score.
func marginOf(cost uint32) int64 { return int64(cost) + int64(cost>>16) + 300 }

// run returns the ordinals of all texts that can be among the best, in no order.
func (q *search) run() []uint32 {
	for window := range q.windows {
		if total := q.activate(window); total >= q.threshold {
			q.window(window, total)
		}
	}
	var ordinals []uint32
	for _, c := range q.candidates {
		if c.bound >= q.threshold {
			ordinals = append(ordinals, c.ordinal)
		}
	}
	return ordinals
}

// activate gathers the lists of a window, highest bounds first, and returns the sum of the bounds.
func (q *search) activate(window int) (total uint32) {
	q.active = q.active[:0]
	for i := range q.terms {
		list, ok := q.next(i, window)
		if !ok {
			continue
		}
		bound := q.terms[i].cost * uint32(list.highest)
		q.active = append(q.active, active{list, q.terms[i].cost, bound})
		total += bound
	}
	slices.SortFunc(q.active, func(a, b active) int { return -cmp.Compare(a.bound, b.bound) })
	return total
}

// next returns a term's list of a window, if it has one. It must be asked for each window in turn.
func (q *search) next(term, window int) (list, bool) {
	t, cursor := &q.terms[term], &q.cursors[term]
	if t.from == t.to {
		at := int(*cursor - t.from)
		if at < len(t.rare) && t.rare[at].window == window {
			*cursor++
			return t.rare[at], true
		}
		return list{}, false
	}
	if *cursor < t.to && int(q.bounds.windows[*cursor]) == window {
		*cursor++
		return q.bounds.list(*cursor - 1), true
	}
	return list{}, false
}

// window adds the candidates of a window, of whose active terms the bounds are total in sum.
func (q *search) window(window int, total uint32) {
	rest := total // what the terms not yet summed could add to a text
	summed := 0
	for ; summed < len(q.active) && rest >= q.threshold; summed++ {
		q.sum(&q.active[summed])
		rest -= q.active[summed].bound
	}
	q.survivors = q.survivors[:0]
	least := atLeast(q.threshold, rest)
	for place, sum := range &q.sums {
		if sum >= least {
			q.survivors = append(q.survivors, uint16(place))
		}
	}
	for ; summed < len(q.active) && len(q.survivors) > 0; summed++ {
		q.complete(&q.active[summed])
		rest -= q.active[summed].bound
		q.filter(atLeast(q.threshold, rest))
	}
	for _, place := range q.survivors {
		q.admit(uint32(window<<windowBits)+uint32(place), q.sums[place])
	}
	clear(q.sums[:])
}

// atLeast returns the sum from which a text may still reach the threshold; at least 1, as texts with none of
// the terms have 0.
func atLeast(threshold, rest uint32) uint32 {
	if rest >= threshold {
		return 1
	}
	return threshold - rest
}

// sum adds a term to the sums of all texts that have it.
func (q *search) sum(term *active) {
	impacts := term.impacts[:len(term.places)]
	for i, place := range term.places {
		q.sums[place&(windowSize-1)] += term.cost * uint32(impacts[i])
	}
}

// complete adds a term to the sums of the survivors at least.
func (q *search) complete(term *active) {
	const lookup = 16 // what it costs to look one survivor up, in postings summed; measured
	if len(q.survivors)*lookup >= len(term.places) {
		q.sum(term)
		return
	}
	for _, place := range q.survivors {
		if at, found := slices.BinarySearch(term.places, place); found {
			q.sums[place] += term.cost * uint32(term.impacts[at])
		}
	}
}

// filter drops the survivors whose sum is too small.
func (q *search) filter(least uint32) {
	kept := q.survivors[:0]
	for _, place := range q.survivors {
		if q.sums[place] >= least {
			kept = append(kept, place)
		}
	}
	q.survivors = kept
}

// admit makes a text a candidate if its upper bound reaches the threshold, and raises that.
func (q *search) admit(ordinal, bound uint32) {
	if bound < q.threshold || q.keep != nil && !q.keep(int(ordinal)) {
		return
	}
	q.candidates = append(q.candidates, candidate{ordinal, bound})
	switch {
	case len(q.highest) < q.k:
		q.highest = append(q.highest, bound)
		if len(q.highest) < q.k {
			return
		}
		slices.Sort(q.highest) // which makes it a heap
	case bound > q.highest[0]:
		q.highest[0] = bound
		sink(q.highest)
	default:
		return
	}
	if lowest := int64(q.highest[0]) - q.margin; lowest > int64(q.threshold) {
		q.threshold = uint32(lowest)
	}
}

// sink restores a heap with the lowest first after its first was replaced.
func sink(heap []uint32) {
	for at := 0; ; {
		child := 2*at + 1
		if child >= len(heap) {
			return
		}
		if child+1 < len(heap) && heap[child+1] < heap[child] {
			child++
		}
		if heap[at] <= heap[child] {
			return
		}
		heap[at], heap[child] = heap[child], heap[at]
		at = child
	}
}

// Hit is a text with its BM25 score, without the factor k1+1.
type Hit struct {
	Ordinal int
	Score   float64
}

// compare orders hits, best first, equal scores by ordinal.
func compare(a, b Hit) int {
	return cmp.Or(-cmp.Compare(a.Score, b.Score), a.Ordinal-b.Ordinal)
}

// Scores computes the BM25 scores of texts for one query on demand. It is not safe for concurrent use. Call
// Release when done.
type Scores struct {
	index   *Index
	terms   []queryTerm
	numbers positions
	places  int // of frequencies
	room    *scratch
}

// queryTerm is a term of the query that some text has.
type queryTerm struct {
	weight float64 // idf times the number of times it occurs in the query
	cost   uint32  // what one 255th of the weight counts in a search; see search.scale
	rare   []list  // what the postings of a term that is not common come to, and of one with alternatives
	from   uint32  // the lists of a term that is
	to     uint32
	ways   []way // how a text can earn the weight; nil for the term alone
	own    int   // place of the term among the frequencies, if it has no ways
}

// Weights is the weight of a term in place of [IDF] by the counts of an index, as where some of its
// texts do not count. It must not be negative.
type Weights func(term string) float64

// weight of a term that occurs in df texts.
func (x *Index) weight(term string, df int, by Weights) float64 {
	if by != nil {
		return by(term)
	}
	return IDF(x.N(), df)
}

// Score prepares the scores of all texts for a query; a term that occurs twice in the query counts
// twice. Nil weights mean the index's own. It fails if ctx has ended or the postings are damaged.
func (x *Index) Score(ctx context.Context, query []string, by Weights) (scores *Scores, err error) {
	defer recoverTo(&err, "search")
	defer mapped.Release(x, mapped.Guard())
	return x.ScoreWays(ctx, query, by, nil)
}

// ScoreWays is [Index.Score] of a query whose terms may have alternatives. A text earns for a term what the
// best way of saying it earns, and not the sum.
func (x *Index) ScoreWays(ctx context.Context, query []string, by Weights, alternatives func(term string) []Alternative) (scores *Scores, err error) {
	defer recoverTo(&err, "search")
	defer mapped.Release(x, mapped.Guard())
	scores = &Scores{index: x}
	counts := distinct(query)
	ways := make([][]way, len(counts))
	distinctTerms := len(counts)
	for i, count := range counts {
		if alternatives != nil {
			ways[i] = x.waysOf(count.term, alternatives(count.term))
			distinctTerms += size(ways[i])
		}
	}
	scores.numbers = newPositions(distinctTerms)
	for i, count := range counts {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		number, known := x.forward.number(count.term)
		if !known && ways[i] == nil {
			continue
		}
		df := 0
		if known {
			df = int(x.forward.documents[number])
		}
		term := queryTerm{weight: float64(count.times) * x.weight(count.term, df, by), ways: ways[i]}
		if !x.excerpt {
			if err := x.list(&term, count.term, number); err != nil {
				return nil, fmt.Errorf("lexical index: term %q: %w", count.term, err)
			}
		}
		for _, way := range term.ways {
			for i, number := range way.numbers {
				way.places[i] = scores.place(number)
			}
		}
		if term.ways == nil {
			term.own = scores.place(number)
		}
		scores.terms = append(scores.terms, term)
	}
	scores.room = x.rooms.Get().(*scratch)
	scores.room.prepare(len(scores.terms), scores.places)
	return scores, nil
}

// list finds the lists of a term of the query, of that number in the index unless it has ways.
func (x *Index) list(term *queryTerm, written string, number uint32) (err error) {
	if term.ways != nil {
		term.rare, err = x.merge(term.ways)
		return err
	}
	if term.from, term.to = x.bounds.lists(number); term.from == term.to {
		term.rare, err = x.rare(written)
	}
	return err
}

// place returns the place of a term's frequency, a new one if need be.
func (s *Scores) place(number uint32) int {
	if at := s.numbers.at(number); at >= 0 {
		return at
	}
	s.numbers.add(number, s.places)
	s.places++
	return s.places - 1
}

// Release ends the use of the scores.
func (s *Scores) Release() {
	s.index.rooms.Put(s.room)
	s.room = nil
}

// termCount is a term of the query with its frequency there.
type termCount struct {
	term  string
	times int
}

// distinct returns the terms of a query, each once, in order of occurrence.
func distinct(query []string) []termCount {
	terms := make([]termCount, 0, len(query))
	at := make(map[string]int, len(query))
	for _, term := range query {
		i, seen := at[term]
		if !seen {
			i = len(terms)
			at[term] = i
			terms = append(terms, termCount{term: term})
		}
		terms[i].times++
	}
	return terms
}

// rare reads the postings of a term that is not common into lists by window.
func (x *Index) rare(term string) ([]list, error) {
	type posting struct {
		ordinal uint32
		impact  byte
	}
	var postings []posting
	for _, p := range x.parts {
		if err := p.postings(term, func(ordinal uint32, frequency int) {
			share := x.bm25.saturation(frequency, x.forward.length(int(ordinal)), x.mean)
			postings = append(postings, posting{ordinal, impactOf(share)})
		}); err != nil {
			return nil, err
		}
	}
	slices.SortFunc(postings, func(a, b posting) int { return cmp.Compare(a.ordinal, b.ordinal) })
	var lists []list
	for _, p := range postings {
		window := int(p.ordinal >> windowBits)
		if len(lists) == 0 || lists[len(lists)-1].window != window {
			lists = append(lists, list{window: window})
		}
		last := &lists[len(lists)-1]
		last.places = append(last.places, uint16(p.ordinal&(windowSize-1)))
		last.impacts = append(last.impacts, p.impact)
		last.highest = max(last.highest, p.impact)
	}
	return lists, nil
}

// Of returns the score of a text, 0 when it holds no term of the query.
func (s *Scores) Of(ordinal int) float64 {
	defer mapped.Release(s.index, mapped.Guard())
	f := s.index.forward
	frequencies := s.room.frequencies
	clear(frequencies)
	for _, number := range f.text(ordinal) {
		if at := s.numbers.at(number); at >= 0 {
			frequencies[at]++
		}
	}
	length := f.length(ordinal)
	score := 0.0
	for i := range s.terms {
		term := &s.terms[i]
		switch {
		case term.ways != nil:
			score += float64(term.weight * s.earned(term.ways, length))
		case frequencies[term.own] > 0:
			score += s.index.bm25.contribution(term.weight, int(frequencies[term.own]), length, s.index.mean)
		}
	}
	return score
}

// Best returns the k texts with the highest scores above zero among those that keep accepts,
// highest first, equal scores by ordinal. A nil keep accepts all; for some texts it is called more
// than once, for most not at all.
func (s *Scores) Best(k int, keep func(ordinal int) bool) []Hit {
	if k <= 0 || len(s.terms) == 0 {
		return nil
	}
	if s.index.excerpt {
		return s.compareAll(k, keep)
	}
	defer mapped.Release(s.index, mapped.Guard())
	candidates := newSearch(s, k, keep).run()
	hits := make([]Hit, len(candidates))
	for i, ordinal := range candidates {
		hits[i] = Hit{int(ordinal), s.Of(int(ordinal))}
	}
	slices.SortFunc(hits, compare)
	return hits[:min(k, len(hits))]
}

// ScoreText returns the BM25 score of a text for a query, with the index's statistics. The text need not
// be in the index; if it is, the score equals [Scores.Of]. Nil weights mean the index's own.
func (x *Index) ScoreText(query, text []string, by Weights) float64 {
	frequency := make(map[string]int, len(text))
	for _, term := range text {
		frequency[term]++
	}
	score := 0.0
	for _, term := range distinct(query) {
		if df := x.DocFreq(term.term); df > 0 && frequency[term.term] > 0 {
			weight := float64(term.times) * x.weight(term.term, df, by)
			score += x.bm25.contribution(weight, frequency[term.term], len(text), x.mean)
		}
	}
	return score
}

// Search returns the k best texts for a query, as [Index.Score] and [Scores.Best] do.
func (x *Index) Search(ctx context.Context, query []string, k int, keep func(ordinal int) bool) ([]Hit, error) {
	scores, err := x.Score(ctx, query, nil)
	if err != nil {
		return nil, err
	}
	defer scores.Release()
	return scores.Best(k, keep), nil
}

// positions finds the places of a query's terms by their numbers in the index: a hash table with
// at least four slots a term.
type positions struct {
	slots []struct{ number, place uint32 } // place is one more; 0 marks an empty slot
	shift uint32
}

func newPositions(terms int) positions {
	n := positions{shift: 32 - 2}
	for 1<<(32-n.shift) < 4*terms {
		n.shift--
	}
	n.slots = make([]struct{ number, place uint32 }, 1<<(32-n.shift))
	return n
}

// home returns where the search for a number begins, by Fibonacci hashing.
func (n *positions) home(number uint32) uint32 { return number * 0x9e3779b1 >> n.shift }

func (n *positions) add(number uint32, place int) {
	at := n.home(number)
	for n.slots[at].place != 0 {
		at = (at + 1) & uint32(len(n.slots)-1)
	}
	n.slots[at] = struct{ number, place uint32 }{number, uint32(place) + 1}
}

// at returns the place of a number, or -1.
func (n *positions) at(number uint32) int {
	for at := n.home(number); n.slots[at].place != 0; at = (at + 1) & uint32(len(n.slots)-1) {
		if n.slots[at].number == number {
			return int(n.slots[at].place) - 1
		}
	}
	return -1
}
