package passage

import (
	"encoding/binary"
	"iter"
)

// Places finds things by their identity, of which a few may have the same. It is a hash table of
// eight bytes a thing, since there may be millions; identities are hashes already.
type Places struct {
	id    func(place int) ID
	slots []uint32 // place plus one, 0 for an empty slot; a power of two of them, at most half taken
	taken int
}

// NewPlaces returns a table for n things; id returns the identity of the thing at a place below n.
func NewPlaces(n int, id func(place int) ID) *Places {
	size := 2
	for size < 2*n {
		size *= 2
	}
	return &Places{id: id, slots: make([]uint32, size)}
}

// Add adds the thing at a place. More than n cannot be added.
func (p *Places) Add(place int) {
	at := p.home(p.id(place))
	for p.slots[at] != 0 {
		at = (at + 1) & (len(p.slots) - 1)
	}
	if p.taken++; 2*p.taken > len(p.slots) {
		panic("passage: more things than there are places for")
	}
	p.slots[at] = uint32(place) + 1
}

func (p *Places) home(id ID) int {
	return int(binary.LittleEndian.Uint64(id[:8]) & uint64(len(p.slots)-1))
}

// Of returns the places of an identity, in the order in which they were added.
func (p *Places) Of(id ID) iter.Seq[int] {
	return func(yield func(int) bool) {
		for at := p.home(id); p.slots[at] != 0; at = (at + 1) & (len(p.slots) - 1) {
			if place := int(p.slots[at]) - 1; p.id(place) == id && !yield(place) {
				return
			}
		}
	}
}

// First returns the place of an identity that was added first, or false if there is none.
func (p *Places) First(id ID) (int, bool) {
	for place := range p.Of(id) {
		return place, true
	}
	return 0, false
}
