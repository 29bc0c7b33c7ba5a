package dense

import (
	"math"

	"lacuna/vecmath"
	"lacuna/vecmath/mapped"
)

// Encoder turns terms into unit vectors. It is immutable and safe for concurrent use.
//
// A text's vector is the normalised sum of its terms' vectors, each weighed by idf * tf/(tf+1).
type Encoder struct {
	dim        int
	vocabulary []string
	rows       map[string]int32 // by term
	idf        []float32        // by row, of the base it was trained on
	lengths    []float32        // of the trained vectors, by row
	units      []float32        // the trained vectors scaled to length 1, concatenated
	file       *mapped.File     // that holds the units; nil if they are in ordinary memory
}

// newEncoder keeps the trained vectors, which it scales in place.
func newEncoder(dim int, vocabulary []string, idf, vectors []float32) *Encoder {
	e := &Encoder{dim: dim, vocabulary: vocabulary, idf: idf, units: vectors, lengths: make([]float32, len(vocabulary))}
	for row := range vocabulary {
		unit := e.unit(int32(row))
		e.lengths[row] = vecmath.Norm(unit)
		if e.lengths[row] > 0 {
			vecmath.Scale(unit, 1/e.lengths[row])
		}
	}
	e.indexTerms()
	return e
}

func (e *Encoder) indexTerms() {
	e.rows = make(map[string]int32, len(e.vocabulary))
	for row, term := range e.vocabulary {
		e.rows[term] = int32(row)
	}
}

// Dim returns the number of components of every vector.
func (e *Encoder) Dim() int { return e.dim }

// Len returns the number of terms the encoder knows.
func (e *Encoder) Len() int { return len(e.vocabulary) }

func (e *Encoder) unit(row int32) []float32 {
	start, end := int(row)*e.dim, (int(row)+1)*e.dim
	return e.units[start:end:end]
}

// Encode returns the unit vector of a bag of terms, or false when the encoder knows none of them.
// Unknown terms are skipped.
func (e *Encoder) Encode(terms []string) ([]float32, bool) {
	defer mapped.Release(e, mapped.Guard())
	sum := make([]float32, e.dim)
	for _, term := range e.bag(terms) {
		weight := e.idf[term.row] * saturation(term.frequency)
		vecmath.AddScaled(sum, e.unit(term.row), weight*e.lengths[term.row])
	}
	length := vecmath.Norm(sum)
	if !(length > 0) || math.IsInf(float64(length), 0) {
		return nil, false
	}
	vecmath.Scale(sum, 1/length)
	return sum, true
}

// saturation returns the weight of tf occurrences of a term, in 0.5..1.
func saturation(tf int) float32 { return float32(tf) / float32(tf+1) }

// termCount is a known term of a text with its frequency.
type termCount struct {
	row       int32
	frequency int
}

// bag counts the known terms of a text, in order of first occurrence.
func (e *Encoder) bag(terms []string) []termCount {
	bag := make([]termCount, 0, len(terms))
	at := make(map[int32]int, len(terms))
	for _, term := range terms {
		row, known := e.rows[term]
		if !known {
			continue
		}
		i, seen := at[row]
		if !seen {
			i = len(bag)
			at[row] = i
			bag = append(bag, termCount{row: row})
		}
		bag[i].frequency++
	}
	return bag
}

// WordVector returns the unit vector of one term, or false when the encoder does not know it. The
// slice must not be changed.
func (e *Encoder) WordVector(term string) ([]float32, bool) {
	row, known := e.rows[term]
	if !known {
		return nil, false
	}
	return e.unit(row), true
}
