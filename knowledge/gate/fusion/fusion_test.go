package fusion

import (
	"bytes"
	"math"
	"math/rand/v2"
	"testing"
)

// problem makes samples in which the first module is right where the first number of the question is
// positive, and the second one elsewhere.
func problem(n, dim int, seed uint64) []Labelled {
	r := rand.New(rand.NewPCG(seed, 1))
	vector := func() []float32 {
		v := make([]float32, dim)
		for i := range v {
			v[i] = float32(r.NormFloat64() / math.Sqrt(float64(dim)))
		}
		return v
	}
	var samples []Labelled
	for range n {
		s := Labelled{Retrieve: r.IntN(2) == 0}
		s.Question, s.Response = vector(), vector()
		for range 1 + r.IntN(4) {
			s.Sentences = append(s.Sentences, vector())
		}
		right, wrong := float32(.2), float32(.8)
		if s.Retrieve {
			right, wrong = wrong, right
		}
		s.Scores = [2]float32{wrong, right}
		if s.Question[0] > 0 {
			s.Scores = [2]float32{right, wrong}
		}
		samples = append(samples, s)
	}
	return samples
}

func TestGradientsAgreeWithFiniteDifferences(t *testing.T) {
	for _, attention := range attentions {
		t.Run(string(attention), func(t *testing.T) {
			const dim = 16
			net, err := New(dim, attention, 3)
			if err != nil {
				t.Fatal(err)
			}
			for i := range net.bias { // away from the corner of ReLU
				net.bias[i] += 1.5
			}
			for _, s := range problem(4, dim, 5) {
				grad, _ := blank(dim, attention)
				net.backward(net.forward(s.Sample, nil), s.Sample, s.label(), grad)
				for i, weights := range net.tensors() {
					agree(t, net, s, weights, grad.tensors()[i], i)
				}
			}
		})
	}
}

// agree moves a tensor along its gradient, where the loss must change by the gradient's length.
func agree(t *testing.T, net *Net, s Labelled, weights, gradient []float32, tensor int) {
	t.Helper()
	length := 0.0
	for _, g := range gradient {
		length += float64(g) * float64(g)
	}
	if length = math.Sqrt(length); length < 1e-4 {
		return // rounding would be all that is measured
	}
	const epsilon = 2e-2
	at := func(by float64) float64 {
		kept := append([]float32(nil), weights...)
		defer copy(weights, kept)
		for i, g := range gradient {
			weights[i] += float32(by * float64(g) / length)
		}
		return loss(net.forward(s.Sample, nil), s.Sample, s.label())
	}
	// Richardson's extrapolation takes the error of the difference from the second to the fourth order.
	slope := func(e float64) float64 { return (at(e) - at(-e)) / (2 * e) }
	measured := (4*slope(epsilon/2) - slope(epsilon)) / 3
	if math.Abs(measured-length) > 1e-3*max(length, .1) {
		t.Errorf("tensor %d: slope %.6f, the gradient says %.6f", tensor, measured, length)
	}
}

func TestTrainingLearnsWhomToTrust(t *testing.T) {
	train, held, fresh := problem(600, 16, 1), problem(150, 16, 2), problem(300, 16, 3)
	for _, attention := range attentions {
		net, report, err := Train(16, train, held, Options{Attention: attention, Rate: .01, Epochs: 40, Seed: 4})
		if err != nil {
			t.Fatal(err)
		}
		right := 0
		for _, s := range fresh {
			out, err := net.Forward(s.Sample)
			if err != nil {
				t.Fatal(err)
			}
			if (out.Prediction > .5) == s.Retrieve {
				right++
			}
			if sum := out.Gate[0] + out.Gate[1]; math.Abs(float64(sum)-1) > 1e-5 {
				t.Fatalf("gates sum to %v", sum)
			}
		}
		if right < 240 {
			t.Errorf("%s: %d of 300 right after %+v", attention, right, report)
		}
	}
}

func TestTwoTrainingsGiveTheSameBytes(t *testing.T) {
	train, held := problem(100, 16, 1), problem(40, 16, 2)
	var files [2]bytes.Buffer
	for i := range files {
		net, _, err := Train(16, train, held, Options{Epochs: 3, Seed: 9})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := net.WriteTo(&files[i]); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(files[0].Bytes(), files[1].Bytes()) {
		t.Error("the files differ")
	}
	net, err := Read(bytes.NewReader(files[0].Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	var again bytes.Buffer
	if _, err := net.WriteTo(&again); err != nil || !bytes.Equal(again.Bytes(), files[0].Bytes()) {
		t.Errorf("reading and writing changes the file (%v)", err)
	}
}

func TestDamagedFilesAreRefused(t *testing.T) {
	net, err := New(8, Sentences, 1)
	if err != nil {
		t.Fatal(err)
	}
	var file bytes.Buffer
	if _, err := net.WriteTo(&file); err != nil {
		t.Fatal(err)
	}
	good := file.Bytes()
	for at := 0; at < len(good); at += 7 {
		bad := bytes.Clone(good)
		bad[at] ^= 0x10
		if _, err := Read(bytes.NewReader(bad)); err == nil {
			t.Errorf("a changed byte %d goes unnoticed", at)
		}
		if _, err := Read(bytes.NewReader(good[:at])); err == nil {
			t.Errorf("a file cut at %d is read", at)
		}
	}
}

func TestSamplesOfAnotherShapeAreRefused(t *testing.T) {
	net, err := New(8, Sentences, 1)
	if err != nil {
		t.Fatal(err)
	}
	good := problem(1, 8, 1)[0].Sample
	short, bad := good, good
	short.Response = short.Response[:7]
	bad.Scores[1] = float32(math.NaN())
	for _, s := range []Sample{short, bad} {
		if _, err := net.Forward(s); err == nil {
			t.Error("no error")
		}
	}
	for _, dim := range []int{0, -8, 12} {
		if _, err := New(dim, Sentences, 1); err == nil {
			t.Errorf("dimension %d is taken", dim)
		}
	}
}

// TestAttentionPicksTheSentence: with projections that change nothing, the sentence most like the
// question decides the interaction.
func TestAttentionPicksTheSentence(t *testing.T) {
	net, _ := blank(8, Sentences)
	for i := range 8 {
		net.query.row(i)[i], net.key.row(i)[i], net.value.row(i)[i] = 20, 20, 1
	}
	s := Sample{
		Question: []float32{1, 1, 1, 1, 1, 1, 1, 1}, Response: make([]float32, 8),
		Sentences: [][]float32{{-1, -1, -1, -1, -1, -1, -1, -1}, {1, 1, 1, 1, 1, 1, 1, 1}},
	}
	p := net.forward(s, nil)
	for _, v := range p.input[16:24] {
		if math.Abs(float64(v)-1) > 1e-4 {
			t.Fatalf("interaction %v", p.input[16:24])
		}
	}
}

func BenchmarkTrainingEpoch(b *testing.B) {
	train := problem(500, 256, 1)
	net, err := New(256, Sentences, 1)
	if err != nil {
		b.Fatal(err)
	}
	t := newTrainer(net, Options{}.defaults())
	for b.Loop() {
		t.epoch(train)
	}
}

func BenchmarkForward(b *testing.B) {
	s := problem(1, 256, 1)[0].Sample
	net, err := New(256, Sentences, 1)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := net.Forward(s); err != nil {
			b.Fatal(err)
		}
	}
}
