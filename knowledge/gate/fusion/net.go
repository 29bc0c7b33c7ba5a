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

// Sample is what the net sees of one question. All vectors have the net's dimension.
type Sample struct {
	Question  []float32
	Response  []float32
	Sentences [][]float32 // of the response; none stands for the response as a whole
	Scores    [2]float32  // of the modules, in 0..1: that retrieval is needed
}

// Output is what the net makes of a sample.
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

// tensors are all weights in a fixed order.
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

// keys are what the question attends to.
func (n *Net) keys(s Sample) [][]float32 {
	if n.attention != Sentences || len(s.Sentences) == 0 {
		return [][]float32{s.Response}
	}
	return s.Sentences[:min(len(s.Sentences), mostKeys)]
}
