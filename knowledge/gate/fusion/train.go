package fusion

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"lacuna/vecmath"
)

// Options of a training; the zero value has the paper's dropout of 0.1 and batches of 64 and, where
// it is silent, Adam with a rate of 0.001 and decoupled weight decay of 0.0001, and an end after ten
// epochs without improvement on the samples for validation.
type Options struct {
	Attention Attention // empty means Sentences
	Epochs    int       // at most; 0 means 100
	Patience  int       // 0 means 10
	Batch     int       // 0 means 64
	Dropout   float64   // 0 means 0.1; negative means none
	Rate      float64   // 0 means 0.001
	Decay     float64   // 0 means 0.0001; negative means none
	Seed      uint64
}

// Report says how a training went.
type Report struct {
	Epochs    int     // run
	Best      int     // the epoch whose weights were kept, from 1; 0 where none improved
	TrainLoss float64 // mean, of the last epoch
	HeldLoss  float64 // mean, of the kept weights on the samples for validation
}

// Labelled is a sample with what should have come out.
type Labelled struct {
	Sample
	Retrieve bool // retrieval was needed
}

// Train fits a net. Equal samples and options give equal weights, bit for bit, on processors with the
// same vector instructions.
func Train(dim int, train, held []Labelled, o Options) (*Net, Report, error) {
	o = o.defaults()
	if len(train) == 0 || len(held) == 0 {
		return nil, Report{}, errors.New("no samples to train on, or none for validation")
	}
	net, err := New(dim, o.Attention, o.Seed)
	if err != nil {
		return nil, Report{}, err
	}
	for _, set := range [][]Labelled{train, held} {
		for i := range set {
			if err := net.check(set[i].Sample); err != nil {
				return nil, Report{}, fmt.Errorf("sample %d: %w", i, err)
			}
		}
	}
	t := newTrainer(net, o)
	return t.run(train, held)
}

func (o Options) defaults() Options {
	ints := func(v *int, d int) {
		if *v <= 0 {
			*v = d
		}
	}
	ints(&o.Epochs, 100)
	ints(&o.Patience, 10)
	ints(&o.Batch, 64)
	floats := func(v *float64, d float64) {
		if *v == 0 {
			*v = d
		}
		*v = max(*v, 0)
	}
	floats(&o.Dropout, .1)
	floats(&o.Rate, .001)
	floats(&o.Decay, .0001)
	if o.Attention == "" {
		o.Attention = Sentences
	}
	return o
}

// trainer holds what Adam (Kingma and Ba 2015) remembers of each weight.
type trainer struct {
	net, grad *Net
	options   Options
	random    *rand.Rand
	steps     int
	mean      [][]float32
	square    [][]float32
}

func newTrainer(net *Net, o Options) *trainer {
	grad, _ := blank(net.dim, net.attention) // the shape of net is good already
	t := &trainer{net: net, grad: grad, options: o, random: rand.New(rand.NewPCG(o.Seed, 0x7ea1))}
	for _, w := range net.tensors() {
		t.mean, t.square = append(t.mean, make([]float32, len(w))), append(t.square, make([]float32, len(w)))
	}
	return t
}

func (t *trainer) run(train, held []Labelled) (*Net, Report, error) {
	report := Report{HeldLoss: meanLoss(t.net, held)}
	best := t.net.clone()
	for epoch := 1; epoch <= t.options.Epochs && epoch-report.Best <= t.options.Patience; epoch++ {
		report.Epochs, report.TrainLoss = epoch, t.epoch(train)
		if l := meanLoss(t.net, held); l < report.HeldLoss {
			report.Best, report.HeldLoss = epoch, l
			best = t.net.clone()
		}
	}
	return best, report, nil
}

// epoch goes through all samples in an order of its own and returns their mean loss.
func (t *trainer) epoch(train []Labelled) float64 {
	order := t.random.Perm(len(train))
	sum := 0.0
	for len(order) > 0 {
		n := min(t.options.Batch, len(order))
		for _, g := range t.grad.tensors() {
			clear(g)
		}
		for _, i := range order[:n] {
			s := train[i]
			p := t.net.forward(s.Sample, t.dropout())
			sum += loss(p, s.Sample, s.label())
			t.net.backward(p, s.Sample, s.label(), t.grad)
		}
		t.step(1 / float32(n))
		order = order[n:]
	}
	return sum / float64(len(train))
}

func (l Labelled) label() float32 {
	if l.Retrieve {
		return 1
	}
	return 0
}

// dropout draws which hidden units take part.
func (t *trainer) dropout() []float32 {
	if t.options.Dropout == 0 {
		return nil
	}
	factors := make([]float32, t.net.dim)
	for i := range factors {
		if t.random.Float64() >= t.options.Dropout {
			factors[i] = float32(1 / (1 - t.options.Dropout))
		}
	}
	return factors
}

// step moves the weights against the mean gradient.
func (t *trainer) step(share float32) {
	const beta1, beta2, epsilon = .9, .999, 1e-8
	t.steps++
	correct1 := 1 - math.Pow(beta1, float64(t.steps))
	correct2 := 1 - math.Pow(beta2, float64(t.steps))
	rate := float32(t.options.Rate * math.Sqrt(correct2) / correct1)
	keep := float32(1 - t.options.Rate*t.options.Decay)
	for i, weights := range t.net.tensors() {
		mean, square := t.mean[i], t.square[i]
		for j, g := range t.grad.tensors()[i] {
			g *= share
			mean[j] = beta1*mean[j] + (1-beta1)*g
			square[j] = beta2*square[j] + (1-beta2)*g*g
			weights[j] = keep*weights[j] - rate*mean[j]/(float32(math.Sqrt(float64(square[j])))+epsilon)
		}
	}
}

func meanLoss(n *Net, of []Labelled) float64 {
	sum := 0.0
	for _, s := range of {
		sum += loss(n.forward(s.Sample, nil), s.Sample, s.label())
	}
	return sum / float64(len(of))
}

func (n *Net) clone() *Net {
	c, _ := blank(n.dim, n.attention)
	for i, w := range c.tensors() {
		copy(w, n.tensors()[i])
	}
	return c
}

// What the paper leaves open about the loss: cross-entropy of the prediction, clipped, and half as
// much of the weights towards the module that is nearer to the label.
const (
	clip         = .001
	moduleWeight = .5
)

// loss of a pass for a label, 1 where retrieval was needed.
func loss(p *pass, s Sample, label float32) float64 {
	pred := float64(min(max(p.prediction, clip), 1-clip))
	y := float64(label)
	l := -y*math.Log(pred) - (1-y)*math.Log(1-pred)
	return l - moduleWeight*math.Log(math.Max(float64(p.weight[nearer(s, label)]), 1e-12))
}

// nearer is the module whose score is nearer to the label, of two equally near the first.
func nearer(s Sample, label float32) int {
	if math.Abs(float64(s.Scores[1]-label)) < math.Abs(float64(s.Scores[0]-label)) {
		return 1
	}
	return 0
}

// backward adds to grad, a net of the same shape, the derivatives of the loss by every weight.
func (n *Net) backward(p *pass, s Sample, label float32, grad *Net) {
	dz := gateGradient(p, s, label)
	dHidden := make([]float32, n.dim)
	for i, d := range dz {
		grad.gateBias[i] += d
		vecmath.AddScaled(grad.gates.row(i), p.hidden, d)
		vecmath.AddScaled(dHidden, n.gates.row(i), d)
	}
	dInput := make([]float32, len(p.input))
	for i, d := range dHidden {
		if p.hidden[i] == 0 { // below zero, or dropped
			continue
		}
		if p.dropped != nil {
			d *= p.dropped[i]
		}
		grad.bias[i] += d
		vecmath.AddScaled(grad.hidden.row(i), p.input, d)
		vecmath.AddScaled(dInput, n.hidden.row(i), d)
	}
	n.attendBackward(p, s, dInput[2*n.dim:3*n.dim], grad)
}

// gateGradient is the derivative of the loss by the four numbers before the gates.
func gateGradient(p *pass, s Sample, label float32) [4]float32 {
	var dPrediction float32
	if p.prediction > clip && p.prediction < 1-clip {
		dPrediction = (p.prediction - label) / (p.prediction * (1 - p.prediction))
	}
	sum := max(p.confidence[0]*p.weight[0]+p.confidence[1]*p.weight[1], smallest)
	var dz [4]float32
	var dWeight [2]float32
	for i := range 2 {
		// ∂pred/∂(confidence·weight)_i = (F_i − pred) / sum
		d := dPrediction * (s.Scores[i] - p.prediction) / sum
		dz[i] = d * p.weight[i] * p.confidence[i] * (1 - p.confidence[i])
		dWeight[i] = d * p.confidence[i]
	}
	mean := dWeight[0]*p.weight[0] + dWeight[1]*p.weight[1]
	near := nearer(s, label)
	for i := range 2 {
		dz[2+i] = p.weight[i] * (dWeight[i] - mean)
		target := float32(0)
		if i == near {
			target = 1
		}
		dz[2+i] += moduleWeight * (p.weight[i] - target)
	}
	return dz
}

// attendBackward carries the derivative by the interaction on to the three projections.
func (n *Net) attendBackward(p *pass, s Sample, dOut []float32, grad *Net) {
	dQuery := make([]float32, n.dim)
	dKeys, dValues := make([][]float32, len(p.keys)), make([][]float32, len(p.keys))
	for k := range p.keys {
		dKeys[k], dValues[k] = make([]float32, n.dim), make([]float32, n.dim)
	}
	if n.attention == Outer {
		n.outerBackward(p, dOut, dQuery, dKeys[0], dValues[0])
	} else {
		n.headsBackward(p, dOut, dQuery, dKeys, dValues)
	}
	addOuter(grad.query, dQuery, s.Question)
	for k, key := range p.keys {
		addOuter(grad.key, dKeys[k], key)
		addOuter(grad.value, dValues[k], key)
	}
}

func (n *Net) headsBackward(p *pass, dOut, dQuery []float32, dKeys, dValues [][]float32) {
	size := n.dim / heads
	scale := float32(1 / math.Sqrt(float64(size)))
	for h := range heads {
		at, end := h*size, (h+1)*size
		w := p.attended[h*len(p.keys) : (h+1)*len(p.keys)]
		d := make([]float32, len(w))
		var mean float32
		for k := range w {
			d[k] = vecmath.Dot(dOut[at:end], p.values[k][at:end])
			mean += w[k] * d[k]
			vecmath.AddScaled(dValues[k][at:end], dOut[at:end], w[k])
		}
		for k := range w {
			ds := w[k] * (d[k] - mean) * scale
			vecmath.AddScaled(dQuery[at:end], p.projected[k][at:end], ds)
			vecmath.AddScaled(dKeys[k][at:end], p.query[at:end], ds)
		}
	}
}

func (n *Net) outerBackward(p *pass, dOut, dQuery, dKey, dValue []float32) {
	size := n.dim / heads
	for i := range n.dim {
		at := i / size * size
		w := p.attended[i*size : (i+1)*size]
		values := p.values[0][at : at+size]
		vecmath.AddScaled(dValue[at:at+size], w, dOut[i])
		mean := vecmath.Dot(w, values)
		for j := range w {
			ds := dOut[i] * w[j] * (values[j] - mean)
			dQuery[i] += ds * p.projected[0][at+j]
			dKey[at+j] += ds * p.query[i]
		}
	}
}

// addOuter adds the outer product of two vectors to a matrix.
func addOuter(m matrix, rows, columns []float32) {
	for i, d := range rows {
		if d != 0 {
			vecmath.AddScaled(m.row(i), columns, d)
		}
	}
}
