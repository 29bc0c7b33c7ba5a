package vecmath

import "slices"

// Neighbor is a row and its Euclidean (not squared) distance from a query.
type Neighbor struct {
	Row      int
	Distance float32
}

// compare orders neighbours, nearest first; equal distances keep the order of rows.
func compare(a, b Neighbor) int {
	switch {
	case a.Distance < b.Distance:
		return -1
	case a.Distance > b.Distance:
		return 1
	}
	return a.Row - b.Row
}

// heap keeps the nearest of the neighbours offered; once it is full its first is the farthest.
type heap struct {
	room int
	list []Neighbor
}

// empty makes the heap one for room neighbours, without those it had.
func (h *heap) empty(room int) { h.room, h.list = room, h.list[:0] }

func (h *heap) full() bool { return len(h.list) >= h.room }

// push takes a neighbour if there is room or it is nearer than another, and reports whether it did.
func (h *heap) push(n Neighbor) bool {
	switch {
	case len(h.list) < h.room:
		h.list = append(h.list, n)
		h.rise(len(h.list) - 1)
		return true
	case h.room > 0 && compare(n, h.list[0]) < 0:
		h.list[0] = n
		h.sink(0)
		return true
	}
	return false
}

// sorted returns the neighbours, nearest first; the heap is none any more.
func (h *heap) sorted() []Neighbor {
	slices.SortFunc(h.list, compare)
	return h.list
}

func (h *heap) rise(at int) {
	for at > 0 {
		parent := (at - 1) / 2
		if compare(h.list[at], h.list[parent]) <= 0 {
			return
		}
		h.list[at], h.list[parent] = h.list[parent], h.list[at]
		at = parent
	}
}

func (h *heap) sink(at int) {
	for {
		child := 2*at + 1
		if child >= len(h.list) {
			return
		}
		if child+1 < len(h.list) && compare(h.list[child], h.list[child+1]) < 0 {
			child++
		}
		if compare(h.list[at], h.list[child]) >= 0 {
			return
		}
		h.list[at], h.list[child] = h.list[child], h.list[at]
		at = child
	}
}
