package dense

import (
	"math"

	"lacuna/vecmath"
)

// Settings of the optimisation.
const (
	temperature  = 0.15 // of the softmax over cosines
	learningRate = 0.05
	firstSquare  = 1e-8 // what Adagrad's sums of squares begin with
	maskedLogit  = -30  // of a positive of the same text elsewhere in the batch
)

// network is an encoder being trained.
type network struct {
	dim     int
	vectors []float32 // one a term, one after the other
	idf     []float32 // by term
	squares []float32 // Adagrad's sum of mean squared gradients, by term

	// Of the batch in work; kept to be used again.
	query, positive side
	logits, turned  []float32
	columns         []float32
	gradients       []float32 // of the terms in the batch, by slot
	slots           []int32   // of each term in gradients, or -1
	touched         []int32   // terms in the batch, by slot
}

func newNetwork(dim int, vectors, idf []float32) *network {
	n := &network{dim: dim, vectors: vectors, idf: idf}
	n.squares = make([]float32, len(idf))
	n.slots = make([]int32, len(idf))
	for term := range idf {
		n.squares[term] = firstSquare
		n.slots[term] = -1
	}
	return n
}

// side is one side of a batch: its bags of terms and what they are encoded to.
type side struct {
	ends      []int // of the bags in terms
	terms     []uint32
	weights   []float32
	units     []float32 // the bags' vectors at length 1, one after the other
	lengths   []float32 // before that
	gradients []float32 // of the loss by units
	turned    []float32 // transpose of units
}

func (s *side) reset() { s.ends, s.terms, s.weights = s.ends[:0], s.terms[:0], s.weights[:0] }

// batch is a number of pairs; pair i belongs to text of[i].
type batch struct {
	queries, positives [][]uint32
	of                 []int
}

// step makes one step on a batch and returns the batch's loss before it.
func (n *network) step(b *batch) float64 {
	loss := n.loss(b)
	n.backward(b)
	n.update()
	return loss
}

// loss is the mean over the pairs, and over both directions, of the cross entropy of finding a
// query's positive among all positives of the batch: -log softmax(cosine / temperature). It
// leaves in logits the gradient by each cosine.
func (n *network) loss(b *batch) float64 {
	n.encode(&n.query, b.queries)
	n.encode(&n.positive, b.positives)
	size := len(b.of)
	n.logits = resized(n.logits, size*size)
	vecmath.MulTransposed(n.logits, n.query.units, n.positive.units, n.dim)
	vecmath.Scale(n.logits, 1/float32(temperature))
	loss := 0.0
	for i := range size {
		row := n.logits[i*size : (i+1)*size]
		loss -= 2 * float64(row[i])
		for j := range row {
			if j != i && b.of[j] == b.of[i] {
				row[j] = maskedLogit
			}
		}
	}
	return (loss + n.softmax(size)) / float64(2*size)
}

// softmax replaces the logits by the gradient of the loss by each cosine, and returns the sum of
// the logarithms of the denominators. Cosines are at most 1, so exp cannot overflow and a row and
// its column can share it.
func (n *network) softmax(size int) float64 {
	vecmath.Exp(n.logits)
	n.columns = resized(n.columns, size)
	clear(n.columns)
	for i := range size {
		vecmath.AddScaled(n.columns, n.logits[i*size:(i+1)*size], 1)
	}
	sum := 0.0
	for j, total := range n.columns {
		sum += math.Log(float64(total))
		n.columns[j] = 1 / total
	}
	scale := 1 / (2 * float32(size) * temperature)
	for i := range size {
		row := n.logits[i*size : (i+1)*size]
		total := vecmath.Sum(row)
		sum += math.Log(float64(total))
		for j, x := range row {
			row[j] = x * (1/total + n.columns[j]) * scale
		}
		row[i] -= 2 * scale
	}
	return sum
}

// encode fills in the bags' terms with their weights, and their vectors.
func (n *network) encode(s *side, bags [][]uint32) {
	s.reset()
	s.units = resized(s.units, len(bags)*n.dim)
	s.lengths = resized(s.lengths, len(bags))
	clear(s.units)
	for i, bag := range bags {
		start := len(s.terms)
		n.weigh(s, bag)
		unit := s.units[i*n.dim : (i+1)*n.dim]
		for at := start; at < len(s.terms); at++ {
			vecmath.AddScaled(unit, n.vector(s.terms[at]), s.weights[at])
		}
		s.ends = append(s.ends, len(s.terms))
		s.lengths[i] = max(vecmath.Norm(unit), 1e-12)
		vecmath.Scale(unit, 1/s.lengths[i])
	}
}

// weigh appends a bag's distinct terms with their weights. It counts in slots, which it leaves at
// -1 as it found them.
func (n *network) weigh(s *side, bag []uint32) {
	start := len(s.terms)
	for _, term := range bag {
		if n.slots[term] < 0 {
			n.slots[term] = int32(len(s.terms))
			s.terms = append(s.terms, term)
			s.weights = append(s.weights, 0)
		}
		s.weights[n.slots[term]]++
	}
	for at := start; at < len(s.terms); at++ {
		term := s.terms[at]
		n.slots[term] = -1
		s.weights[at] = n.idf[term] * saturation(int(s.weights[at]))
	}
}

func (n *network) vector(term uint32) []float32 {
	return n.vectors[int(term)*n.dim : (int(term)+1)*n.dim]
}

// backward carries the gradients in logits back to the terms' vectors.
func (n *network) backward(b *batch) {
	size := len(b.of)
	q, p := &n.query, &n.positive
	n.turned = resized(n.turned, size*size)
	vecmath.Transpose(n.turned, n.logits, size)
	for _, s := range []*side{q, p} {
		s.turned = resized(s.turned, len(s.units))
		s.gradients = resized(s.gradients, len(s.units))
		vecmath.Transpose(s.turned, s.units, n.dim)
	}
	vecmath.MulTransposed(q.gradients, n.logits, p.turned, size)
	vecmath.MulTransposed(p.gradients, n.turned, q.turned, size)
	n.touched, n.gradients = n.touched[:0], n.gradients[:0]
	n.scatter(q)
	n.scatter(p)
}

// scatter adds one side's gradients to those of its terms: through the normalisation,
// dz = (du - u (u . du)) / |z|, and through the weighted sum.
func (n *network) scatter(s *side) {
	start := 0
	for i, end := range s.ends {
		unit, gradient := s.units[i*n.dim:(i+1)*n.dim], s.gradients[i*n.dim:(i+1)*n.dim]
		vecmath.AddScaled(gradient, unit, -vecmath.Dot(unit, gradient))
		for at := start; at < end; at++ {
			vecmath.AddScaled(n.gradient(s.terms[at]), gradient, s.weights[at]/s.lengths[i])
		}
		start = end
	}
}

// gradient returns where the gradient of a term's vector is summed up.
func (n *network) gradient(term uint32) []float32 {
	slot := n.slots[term]
	if slot < 0 {
		slot = int32(len(n.touched))
		n.slots[term] = slot
		n.touched = append(n.touched, int32(term))
		end := len(n.gradients) + n.dim
		n.gradients = extended(n.gradients, end)
		clear(n.gradients[end-n.dim:])
	}
	return n.gradients[int(slot)*n.dim : (int(slot)+1)*n.dim]
}

// update makes a step of Adagrad (Duchi, Hazan & Singer 2011) with one rate a row: the sum of the
// mean squared gradients of a term's vector.
func (n *network) update() {
	for slot, term := range n.touched {
		gradient := n.gradients[slot*n.dim : (slot+1)*n.dim]
		n.squares[term] += vecmath.Dot(gradient, gradient) / float32(n.dim)
		rate := learningRate / math.Sqrt(float64(n.squares[term]))
		vecmath.AddScaled(n.vector(uint32(term)), gradient, float32(-rate))
		n.slots[term] = -1
	}
}

// resized returns a slice of that length, the old one if it has room. Its contents are arbitrary.
func resized(s []float32, length int) []float32 {
	if cap(s) < length {
		return make([]float32, length)
	}
	return s[:length]
}

// extended lengthens a slice, keeping what is in it.
func extended(s []float32, length int) []float32 {
	if cap(s) < length {
		grown := make([]float32, len(s), max(length, 2*cap(s)))
		copy(grown, s)
		s = grown
	}
	return s[:length]
}
