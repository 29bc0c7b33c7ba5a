// Package dense is the embedded encoder: a bag-of-terms Siamese network trained on the user's own
// base in seconds, from spans cut out of its own passages. Alone it is weaker than BM25; mixed
// with it, it finds more.
package dense

// Encoder turns terms into unit vectors. It is immutable and safe for concurrent use.
type Encoder struct{}

// Dim is the number of components of every vector.
func (e *Encoder) Dim() int { panic("not built yet") }

// Encode returns the unit vector of a bag of terms, or false when the encoder knows none of them.
func (e *Encoder) Encode(terms []string) ([]float32, bool) { panic("not built yet") }

// WordVector returns the unit vector of one term, or false when the encoder does not know it. The
// slice must not be changed.
func (e *Encoder) WordVector(term string) ([]float32, bool) { panic("not built yet") }

// MaxSim is the idf-weighted mean, over the query's terms, of the largest cosine between the
// term's vector and any of the text's terms (spec: late interaction over word vectors).
func (e *Encoder) MaxSim(query, text []string) float64 { panic("not built yet") }
