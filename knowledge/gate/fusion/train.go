package fusion

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
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
