package redact

import (
	"math/bits"
	"strings"
)

// featureTable numbers the features of all examples, and remembers where each occurs.
type featureTable struct {
	number map[string]int32
	names  []string
	notes  []int32   // in how many texts, copies apart
	hands  []handSet // by whom
	last   []int32   // the text that it was counted in last
	bit    map[string]int
	texts  map[string]int32
}

// handSet is a set of hands, by number.
type handSet [4]uint64

func (s *handSet) add(hand int) { s[hand/64] |= 1 << (hand % 64) } // panics at hand 256

// without returns how many hands are in a set and not in another.
func (s *handSet) without(o *handSet) int {
	n := 0
	for i := range s {
		n += bits.OnesCount64(s[i] &^ o[i])
	}
	return n
}

func newFeatureTable() *featureTable {
	return &featureTable{number: map[string]int32{}, bit: map[string]int{}, texts: map[string]int32{}}
}

// code replaces the features of an example by their numbers.
func (f *featureTable) code(e *example) {
	if _, ok := f.bit[e.hand]; !ok {
		f.bit[e.hand] = len(f.bit)
	}
	e.coded = f.numbers(e, e.features)
	e.features = nil
}

// numbers returns the numbers of features that the pieces of an example have.
func (f *featureTable) numbers(e *example, features [][]string) [][]int32 {
	id, _, _ := strings.Cut(e.id, " ")
	if id == "" {
		id = e.text
	}
	if _, ok := f.texts[id]; !ok {
		f.texts[id] = int32(len(f.texts) + 1)
	}
	text := f.texts[id]
	rows := make([][]int32, len(features))
	for i, names := range features {
		rows[i] = make([]int32, 0, len(names))
		for _, n := range names {
			j, ok := f.number[n]
			if !ok {
				j = int32(len(f.names))
				n = strings.Clone(n)
				f.number[n] = j
				f.names, f.notes, f.hands, f.last = append(f.names, n), append(f.notes, 0), append(f.hands, handSet{}), append(f.last, 0)
			}
			f.hands[j].add(f.bit[e.hand])
			if f.last[j] != text {
				f.last[j] = text
				f.notes[j]++
			}
			rows[i] = append(rows[i], j)
		}
	}
	return rows
}
