package fusion

import (
	"math"

	"lacuna/vecmath"
)

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
