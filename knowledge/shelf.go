package knowledge

import "lacuna/knowledge/dense"

// Shelf is one kind of passage with its own statistics and encoder.
type Shelf struct{}

// N is the number of texts on the shelf.
func (s *Shelf) N() int { panic("not built yet") }

// DocFreq is the number of texts on the shelf in which the term occurs.
func (s *Shelf) DocFreq(term string) int { panic("not built yet") }

// IDF is ln(1 + (N - df + 0.5)/(df + 0.5)), the weight of BM25; a term the shelf does not know
// gets df 0.
func (s *Shelf) IDF(term string) float64 { panic("not built yet") }

// Encoder is nil until one has been trained, and on a shelf too small to train one.
func (s *Shelf) Encoder() *dense.Encoder { panic("not built yet") }

// Terms returns the analysed terms of a passage's indexed text. The slice must not be changed.
func (s *Shelf) Terms(ordinal int) []string { panic("not built yet") }

// Vector returns the unit vector of a passage, or nil without an encoder.
func (s *Shelf) Vector(ordinal int) []float32 { panic("not built yet") }

// NearestText returns the k passages of the shelf nearest to a unit vector by exact L2, nearest
// first.
func (s *Shelf) Nearest(vector []float32, k int) []Neighbor { panic("not built yet") }

// Neighbor is a passage and its cosine with a query.
type Neighbor struct {
	Ordinal int
	Cosine  float64
}
