package lexical

import (
	"cmp"
	"math"
	"slices"
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
// it follows the k-th highest upper bound so far. Those who remain are scored exactly.
type search struct {
	*room
	terms     []weighted
	bounds    *bounds
	windows   int
	k         int
	keep      func(ordinal int) bool // nil keeps all
	margin    int64
	threshold uint32 // upper bounds below it are out; at least 1
}

// room is the memory of one search at a time.
type room struct {
	sums        [windowSize]uint32 // of the texts of a window; 0 between windows
	frequencies []uint32           // of the query's terms in one text
	cursors     []uint32           // the next list, by term
	active      []active
	survivors   []uint16    // texts of a window that may still be among the best
	candidates  []candidate // of the windows that are done
	highest     []uint32    // the k highest upper bounds of candidates; a heap with the lowest first
}

// active is a term with a list in the window at hand.
type active struct {
	list
	cost  uint32
	bound uint32 // cost times highest
}

type candidate struct{ ordinal, bound uint32 }

// prepare empties the room for a query of so many terms.
func (r *room) prepare(terms int) {
	r.frequencies = slices.Grow(r.frequencies[:0], terms)[:terms]
	r.cursors = slices.Grow(r.cursors[:0], terms)[:terms]
	clear(r.sums[:]) // a fault may have ended the last search within a window
}

func newSearch(s *Scores, k int, keep func(int) bool) *search {
	q := &search{room: s.room, terms: s.terms, bounds: s.index.bounds, k: k, keep: keep, threshold: 1}
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
		q.cursors[i] = term.from
	}
	return q
}

// marginOf is how much, in units of upper bounds, one term can add to a bound beyond the score.
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
		q.sift(atLeast(q.threshold, rest))
	}
	for _, place := range q.survivors {
		q.admit(uint32(window<<windowBits)+uint32(place), q.sums[place])
	}
	clear(q.sums[:])
}

// atLeast is the sum from which a text may still reach the threshold; at least 1, as texts with
// none of the terms have 0.
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

// sift drops the survivors whose sum is too small.
func (q *search) sift(least uint32) {
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
