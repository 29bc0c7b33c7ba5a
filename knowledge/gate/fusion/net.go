// Package fusion is the attention fusion network of the CCSK paper (equations 5 and 6): from the
// encodings of a question and of a first response, and from what two modules say about them, it works
// out how far each module is to be trusted.
//
// The paper's attention has one query and one key, so that its softmax is always 1. Two readings make
// it work, [Sentences] and [Outer]; [Pooled] is the formula to the letter.
//
// Begin with [Train] and [Net.Forward].
package fusion

import (
	"fmt"
	"math"
	"math/rand/v2"

	"lacuna/vecmath"
)

// Attention says what a question attends to.
type Attention string

const (
	Sentences Attention = "sentences" // the sentences of the response; the default
	Outer     Attention = "outer"     // (W_Q q)(W_K r)ᵀ as a matrix with a softmax for each row, times W_V r
	Pooled    Attention = "pooled"    // the response as a whole: the softmax over one key is 1
)

const (
	heads    = 8
	mostKeys = 16 // sentences of a response that are attended to
)

// Sample holds the net's input for one question. All vectors have the net's dimension.
type Sample struct {
	Question  []float32
	Response  []float32
	Sentences [][]float32 // of the response; none stands for the response as a whole
	Scores    [2]float32  // of the modules, in 0..1: that retrieval is needed
}

// Output holds the net's output for a sample.
type Output struct {
	Confidence [2]float32 // g_a of each module, each in 0..1 by itself
	Weight     [2]float32 // g_w, which sum to 1
	Gate       [2]float32 // g, equation 6, which sum to 1
	Prediction float32    // Gate · Scores, a convex combination of the scores
	Features   []float32  // P, what the gates are made of
}

// Net is a network with its weights. It is immutable once trained and safe for concurrent use.
type Net struct {
	dim       int // of the encodings
	attention Attention
	query     matrix // dim x dim, heads one below the other
	key       matrix
	value     matrix
	hidden    matrix // dim x 3dim+2
	bias      []float32
	gates     matrix // 4 x dim: two rows of g_a, two of g_w
	gateBias  []float32
}

// matrix has rows of equal length, one after another.
type matrix struct {
	columns int
	values  []float32
}

func (m matrix) row(i int) []float32 { return m.values[i*m.columns : (i+1)*m.columns] }

func newMatrix(rows, columns int) matrix {
	return matrix{columns, make([]float32, rows*columns)}
}

// New returns an untrained net for encodings of dim numbers, which must be a positive multiple of
// eight. Its weights are drawn from the seed (Glorot and Bengio 2010, uniform).
func New(dim int, attention Attention, seed uint64) (*Net, error) {
	n, err := blank(dim, attention)
	if err != nil {
		return nil, err
	}
	random := rand.New(rand.NewPCG(seed, 0xf051))
	for _, m := range []matrix{n.query, n.key, n.value, n.hidden, n.gates} {
		bound := math.Sqrt(6 / float64(m.columns+len(m.values)/m.columns))
		for i := range m.values {
			m.values[i] = float32((2*random.Float64() - 1) * bound)
		}
	}
	return n, nil
}

// blank returns a net whose weights are all 0.
func blank(dim int, attention Attention) (*Net, error) {
	switch attention {
	case Sentences, Outer, Pooled:
	default:
		return nil, fmt.Errorf("attention %q, want sentences, outer or pooled", attention)
	}
	if dim <= 0 || dim%heads != 0 || dim > 1<<14 {
		return nil, fmt.Errorf("dimension %d, want a positive multiple of %d", dim, heads)
	}
	return &Net{
		dim: dim, attention: attention,
		query: newMatrix(dim, dim), key: newMatrix(dim, dim), value: newMatrix(dim, dim),
		hidden: newMatrix(dim, 3*dim+2), bias: make([]float32, dim),
		gates: newMatrix(4, dim), gateBias: make([]float32, 4),
	}, nil
}

// Dim is the length of the encodings.
func (n *Net) Dim() int { return n.dim }

// tensors returns all weights in a fixed order.
func (n *Net) tensors() [][]float32 {
	return [][]float32{
		n.query.values, n.key.values, n.value.values, n.hidden.values, n.bias, n.gates.values, n.gateBias,
	}
}

// check refuses a sample of another shape.
func (n *Net) check(s Sample) error {
	vectors := append([][]float32{s.Question, s.Response}, s.Sentences...)
	for _, v := range vectors {
		if len(v) != n.dim {
			return fmt.Errorf("encoding of %d numbers, the net takes %d", len(v), n.dim)
		}
	}
	for _, score := range s.Scores {
		if !(score >= 0 && score <= 1) {
			return fmt.Errorf("score %v, want 0..1", score)
		}
	}
	return nil
}

// keys returns the vectors that the question attends to.
func (n *Net) keys(s Sample) [][]float32 {
	if n.attention != Sentences || len(s.Sentences) == 0 {
		return [][]float32{s.Response}
	}
	return s.Sentences[:min(len(s.Sentences), mostKeys)]
}

// pass is one sample on its way through the net, with all that the way back needs.
type pass struct {
	keys       [][]float32
	query      []float32   // W_Q q
	projected  [][]float32 // W_K of each key
	values     [][]float32 // W_V of each key
	attended   []float32   // softmax weights, head by head; see attend
	input      []float32   // [q; r; I; F]
	hidden     []float32   // P, dropout applied
	dropped    []float32   // factor of each hidden unit: 0, or what makes up for the dropped ones
	confidence [2]float32
	weight     [2]float32
	gate       [2]float32
	prediction float32
}

// Forward works out the gates for a sample.
func (n *Net) Forward(s Sample) (Output, error) {
	if err := n.check(s); err != nil {
		return Output{}, err
	}
	p := n.forward(s, nil)
	return Output{p.confidence, p.weight, p.gate, p.prediction, p.hidden}, nil
}

func (n *Net) forward(s Sample, dropped []float32) *pass {
	p := &pass{keys: n.keys(s), query: apply(n.query, s.Question), dropped: dropped}
	for _, k := range p.keys {
		p.projected = append(p.projected, apply(n.key, k))
		p.values = append(p.values, apply(n.value, k))
	}
	p.input = make([]float32, 0, 3*n.dim+2)
	p.input = append(append(p.input, s.Question...), s.Response...)
	p.input = append(append(p.input, n.attend(p)...), s.Scores[0], s.Scores[1])

	p.hidden = apply(n.hidden, p.input)
	for i := range p.hidden {
		p.hidden[i] = max(p.hidden[i]+n.bias[i], 0)
		if dropped != nil {
			p.hidden[i] *= dropped[i]
		}
	}
	z := apply(n.gates, p.hidden)
	for i := range z {
		z[i] += n.gateBias[i]
	}
	p.confidence = [2]float32{sigmoid(z[0]), sigmoid(z[1])}
	p.weight[1] = sigmoid(z[3] - z[2])
	p.weight[0] = 1 - p.weight[1]
	a, b := p.confidence[0]*p.weight[0], p.confidence[1]*p.weight[1]
	sum := max(a+b, smallest)
	p.gate = [2]float32{a / sum, b / sum}
	p.prediction = p.gate[0]*s.Scores[0] + p.gate[1]*s.Scores[1]
	return p
}

// smallest keeps the denominator of equation 6 from vanishing where the net trusts neither module.
const smallest = 1e-6

// attend returns the interaction I: for each head the values, weighed by how well their keys fit the
// question. The outer product is the same with each number of a head as a query and as a key of its
// own.
func (n *Net) attend(p *pass) []float32 {
	size := n.dim / heads
	scale := float32(1 / math.Sqrt(float64(size)))
	out := make([]float32, n.dim)
	for h := range heads {
		at, end := h*size, (h+1)*size
		if n.attention == Outer {
			for i := at; i < end; i++ {
				w := make([]float32, size)
				for j := range w {
					w[j] = p.query[i] * p.projected[0][at+j]
				}
				softmax(w)
				p.attended = append(p.attended, w...)
				out[i] = vecmath.Dot(w, p.values[0][at:end])
			}
			continue
		}
		w := make([]float32, len(p.keys))
		for k := range w {
			w[k] = vecmath.Dot(p.query[at:end], p.projected[k][at:end]) * scale
		}
		softmax(w)
		p.attended = append(p.attended, w...)
		for k, weight := range w {
			vecmath.AddScaled(out[at:end], p.values[k][at:end], weight)
		}
	}
	return out
}

// apply multiplies a matrix with a vector.
func apply(m matrix, x []float32) []float32 {
	y := make([]float32, len(m.values)/m.columns)
	for i := range y {
		y[i] = vecmath.Dot(m.row(i), x)
	}
	return y
}

func softmax(x []float32) {
	top := x[0]
	for _, v := range x {
		top = max(top, v)
	}
	var sum float32
	for i, v := range x {
		x[i] = float32(math.Exp(float64(v - top)))
		sum += x[i]
	}
	vecmath.Scale(x, 1/sum)
}

func sigmoid(x float32) float32 { return float32(1 / (1 + math.Exp(-float64(x)))) }
