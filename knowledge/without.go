package knowledge

import "lacuna/knowledge/lexical"

// Without returns the library as it would be searched if it lacked the passages of some ordinals: they
// are neither found nor counted. The encoder stays, and with it what it has learnt from them. Ordinals
// and [Library.Passages] stay too, and what is asked of a single passage is answered for all. It takes
// the time of reading the terms of those passages.
func (l *Library) Without(ordinals []int) *Library {
	fewer := *l
	fewer.shelves = make([]*Collection, len(l.shelves))
	for i, shelf := range l.shelves {
		fewer.shelves[i] = shelf.without(ordinals)
	}
	return &fewer
}

// hidden are texts of a shelf that a search does not see.
type hidden struct {
	places map[int]bool
	terms  map[string]int // in how many of them a term occurs
	before *hidden        // those that were hidden before; nil if none were
	count  int            // of them all
}

// without returns the shelf without the passages of some ordinals, or the shelf itself where it has
// none of them.
func (s *Collection) without(ordinals []int) *Collection {
	h := &hidden{places: make(map[int]bool), terms: make(map[string]int), before: s.hidden}
	for _, ordinal := range ordinals {
		place, here := s.place(ordinal)
		if !here || h.has(place) {
			continue
		}
		h.places[place] = true
		seen := make(map[string]bool)
		for _, term := range s.index.Terms(place) {
			if !seen[term] {
				seen[term] = true
				h.terms[term]++
			}
		}
	}
	if len(h.places) == 0 {
		return s
	}
	h.count = len(h.places) + h.before.texts()
	fewer := *s
	fewer.hidden, fewer.recent = h, new(searches)
	return &fewer
}

// has reports whether a place is hidden. It is false for nil.
func (h *hidden) has(place int) bool {
	for ; h != nil; h = h.before {
		if h.places[place] {
			return true
		}
	}
	return false
}

// texts is how many texts are hidden, with the term or at all; 0 for nil.
func (h *hidden) texts() int {
	if h == nil {
		return 0
	}
	return h.count
}

func (h *hidden) with(term string) int {
	n := 0
	for ; h != nil; h = h.before {
		n += h.terms[term]
	}
	return n
}

// seen accepts the places that are not hidden and that keep accepts; nil is all.
func (s *Collection) seen(keep func(place int) bool) func(place int) bool {
	switch {
	case s.hidden == nil:
		return keep
	case keep == nil:
		return func(place int) bool { return !s.hidden.has(place) }
	}
	return func(place int) bool { return !s.hidden.has(place) && keep(place) }
}

// weigh is how a search weighs terms; nil where that is by the counts of the index.
func (s *Collection) weigh() lexical.Weights {
	if s.hidden == nil {
		return nil
	}
	return s.IDF
}
