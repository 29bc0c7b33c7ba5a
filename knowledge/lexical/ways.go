package lexical

import (
	"math"
	"slices"
)

// Alternative is another way in which a text can say a term of a query.
type Alternative struct {
	Terms []string // a text says it if it has all of them
	Share float64  // of the term's weight, in 0..1
}

// way is a way to earn the weight of a query's term: all of some terms of the index.
type way struct {
	numbers []uint32
	places  []int // of the terms' frequencies, in the order of numbers
	share   float64
}

// waysOf returns the ways to say a term: itself and the alternatives whose terms the index has. It is nil if
// there is none but the term itself.
func (x *Index) waysOf(term string, alternatives []Alternative) []way {
	var ways []way
	for _, alternative := range alternatives {
		w := way{share: min(1, max(0, alternative.Share))}
		for _, term := range alternative.Terms {
			if number, known := x.forward.number(term); known {
				w.numbers = append(w.numbers, number)
			}
		}
		if len(w.numbers) == len(alternative.Terms) && len(w.numbers) > 0 && w.share > 0 {
			w.places = make([]int, len(w.numbers))
			ways = append(ways, w)
		}
	}
	if number, known := x.forward.number(term); known && ways != nil {
		ways = append(ways, way{numbers: []uint32{number}, places: make([]int, 1), share: 1})
	}
	return ways
}

// size returns the number of terms in some ways.
func size(ways []way) int {
	n := 0
	for _, w := range ways {
		n += len(w.numbers)
	}
	return n
}

// earned returns the share of a term's weight that the text whose terms were counted earns by the best way.
func (s *Scores) earned(ways []way, length int) float64 {
	best := 0.0
	for _, w := range ways {
		least := math.Inf(1)
		for _, place := range w.places {
			frequency := s.room.frequencies[place]
			if frequency == 0 {
				least = 0
				break
			}
			least = min(least, s.index.bm25.saturation(int(frequency), length, s.index.mean))
		}
		best = max(best, w.share*least)
	}
	return best
}

// merge returns the lists of a term with several ways: in each window the greatest bound of any way.
func (x *Index) merge(ways []way) ([]list, error) {
	var each [][]list
	for _, w := range ways {
		lists, err := x.intersect(w.numbers)
		if err != nil {
			return nil, err
		}
		each = append(each, lists)
	}
	var merged []list
	var impacts [windowSize]byte
	for window := range (x.N() + windowSize - 1) >> windowBits {
		some := false
		for i, w := range ways {
			if len(each[i]) == 0 || each[i][0].window != window {
				continue
			}
			some = true
			l := each[i][0]
			each[i] = each[i][1:]
			for j, place := range l.places {
				impacts[place] = max(impacts[place], scaleImpact(l.impacts[j], w.share))
			}
		}
		if !some {
			continue
		}
		l := list{window: window}
		for place, impact := range impacts {
			if impact > 0 {
				l.places = append(l.places, uint16(place))
				l.impacts = append(l.impacts, impact)
				l.highest = max(l.highest, impact)
			}
		}
		merged = append(merged, l)
		clear(impacts[:])
	}
	return merged, nil
}

// scaleImpact returns a share of an impact, rounded up.
func scaleImpact(impact byte, share float64) byte {
	return byte(min(255, math.Ceil(float64(impact)*share)))
}

// intersect returns the lists of the texts that have all of some terms, with the least of their bounds.
func (x *Index) intersect(numbers []uint32) ([]list, error) {
	var common []list
	for i, number := range numbers {
		lists, err := x.lists(number)
		if err != nil {
			return nil, err
		}
		if i == 0 {
			common = lists
			continue
		}
		var both []list
		for _, a := range common {
			at := slices.IndexFunc(lists, func(b list) bool { return b.window == a.window })
			if at < 0 {
				continue
			}
			if l := a.intersect(lists[at]); len(l.places) > 0 {
				both = append(both, l)
			}
		}
		common = both
	}
	return common, nil
}

// lists returns the lists of a term, common or not.
func (x *Index) lists(number uint32) ([]list, error) {
	from, to := x.bounds.lists(number)
	if from == to {
		return x.rare(x.forward.vocabulary[number])
	}
	lists := make([]list, 0, to-from)
	for at := from; at < to; at++ {
		lists = append(lists, x.bounds.list(at))
	}
	return lists, nil
}

// intersect returns the texts of both lists of one window.
func (l list) intersect(other list) list {
	both := list{window: l.window}
	for i, j := 0, 0; i < len(l.places) && j < len(other.places); {
		switch a, b := l.places[i], other.places[j]; {
		case a < b:
			i++
		case b < a:
			j++
		default:
			impact := min(l.impacts[i], other.impacts[j])
			both.places = append(both.places, a)
			both.impacts = append(both.impacts, impact)
			both.highest = max(both.highest, impact)
			i++
			j++
		}
	}
	return both
}
