package knowledge

import (
	"fmt"

	"lacuna/knowledge/dense"
	"lacuna/knowledge/lexical"
	"lacuna/knowledge/passage"
)

// Shelf is one kind of passage with its own statistics and encoder. Ordinals are those of the
// library. It is immutable and safe for concurrent use.
type Shelf struct {
	kind     passage.Kind
	index    *lexical.Index
	ordinals []int          // of the library, ascending, by place on the shelf
	places   map[int]int    // the reverse
	encoder  *dense.Encoder // nil until trained
}

// shelved returns the ordinals of the passages of one kind, ascending: the passage at place i of
// the shelf is the i-th of them.
func shelved(passages []*passage.Passage, kind passage.Kind) []int {
	var ordinals []int
	for ordinal, p := range passages {
		if p.Kind == kind {
			ordinals = append(ordinals, ordinal)
		}
	}
	return ordinals
}

// newShelf joins the passages of one kind with the index of their texts.
func newShelf(kind passage.Kind, ordinals []int, index *lexical.Index) (*Shelf, error) {
	if index.N() != len(ordinals) {
		return nil, fmt.Errorf("index of %d texts for %d passages of kind %s", index.N(), len(ordinals), kind)
	}
	places := make(map[int]int, len(ordinals))
	for place, ordinal := range ordinals {
		places[ordinal] = place
	}
	return &Shelf{kind: kind, index: index, ordinals: ordinals, places: places}, nil
}

// N is the number of texts on the shelf.
func (s *Shelf) N() int { return s.index.N() }

// DocFreq is the number of texts on the shelf in which the term occurs.
func (s *Shelf) DocFreq(term string) int { return s.index.DocFreq(term) }

// IDF is ln(1 + (N - df + 0.5)/(df + 0.5)), the weight of BM25; a term the shelf does not know
// gets df 0.
func (s *Shelf) IDF(term string) float64 { return lexical.IDF(s.N(), s.DocFreq(term)) }

// Encoder is nil until one has been trained, and on a shelf too small to train one.
func (s *Shelf) Encoder() *dense.Encoder { return s.encoder }

// Terms returns the analysed terms of a passage's indexed text, or nil if the passage is not on
// this shelf.
func (s *Shelf) Terms(ordinal int) []string {
	place, ok := s.places[ordinal]
	if !ok {
		return nil
	}
	return s.index.Terms(place)
}

// Vector returns the unit vector of a passage, or nil without an encoder.
func (s *Shelf) Vector(ordinal int) []float32 { panic("not built yet") }

// Nearest returns the k passages of the shelf nearest to a unit vector by exact L2, nearest
// first.
func (s *Shelf) Nearest(vector []float32, k int) []Neighbor { panic("not built yet") }

// Neighbor is a passage and its cosine with a query.
type Neighbor struct {
	Ordinal int
	Cosine  float64
}
