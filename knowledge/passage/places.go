package passage

import (
	"encoding/binary"
	"iter"
)

// Key is a key of [Places], already a hash.
type Key interface {
	comparable
	home() uint64
}

func (id ID) home() uint64 {
	return binary.LittleEndian.Uint64(id[:8]) ^ binary.LittleEndian.Uint64(id[8:])
}

func (id TextID) home() uint64 { return binary.LittleEndian.Uint64(id[:]) }

// Places maps keys to places; places may share a key. It is a hash table of eight bytes per place, or
// twelve if keys are shared, because there may be millions.
type Places[K Key] struct {
	key   func(place int) K
	slots []uint32 // the last place of a key plus one, 0 for an empty slot; a power of two in length, at most half full
	next  []uint32 // the next place with the same key; the last one leads to the first; nil while no two share a key
	room  int
	taken int
}

// NewPlaces returns a table for n places. key returns the key of a place below n.
func NewPlaces[K Key](n int, key func(place int) K) *Places[K] {
	size := 2
	for size < 2*n {
		size *= 2
	}
	return &Places[K]{key: key, slots: make([]uint32, size), room: n}
}

// Add adds a place, once. It panics after n places.
func (p *Places[K]) Add(place int) {
	if p.taken++; p.taken > p.room {
		panic("passage: too many places")
	}
	key := p.key(place)
	at := p.slot(key)
	if p.slots[at] != 0 {
		p.link(int(p.slots[at])-1, place)
	}
	p.slots[at] = uint32(place) + 1
}

// slot returns the slot of a key, or the free slot for it.
func (p *Places[K]) slot(key K) int {
	at := int(key.home() & uint64(len(p.slots)-1))
	for p.slots[at] != 0 && p.key(int(p.slots[at])-1) != key {
		at = (at + 1) & (len(p.slots) - 1)
	}
	return at
}

// link puts a place after the last one with the same key.
func (p *Places[K]) link(last, place int) {
	if p.next == nil {
		p.next = make([]uint32, p.room)
		for i := range p.next {
			p.next[i] = uint32(i)
		}
	}
	p.next[place], p.next[last] = p.next[last], uint32(place)
}

// Of returns the places of a key, in the order in which they were added.
func (p *Places[K]) Of(key K) iter.Seq[int] {
	return func(yield func(int) bool) {
		found := p.slots[p.slot(key)]
		if found == 0 {
			return
		}
		last := int(found) - 1
		if p.next == nil {
			yield(last)
			return
		}
		for place := int(p.next[last]); ; place = int(p.next[place]) {
			if !yield(place) || place == last {
				return
			}
		}
	}
}

// First returns the first place added for a key, or false if there is none.
func (p *Places[K]) First(key K) (int, bool) {
	for place := range p.Of(key) {
		return place, true
	}
	return 0, false
}
