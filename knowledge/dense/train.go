package dense

import (
	"context"
	"errors"
	"hash/crc32"
	"math"
	"math/rand/v2"
	"unicode"
	"unicode/utf8"

	"lacuna/vecmath"
)

// Options configure training. The zero value of each field means its default.
type Options struct {
	Dim  int    // default 256
	Seed uint64 // default 1
	// Progress hears after each batch how many of the pairs are done; it may be nil.
	Progress func(done, total int)
}

// Report describes a training run.
type Report struct {
	Pairs  int       // seen, repetitions included
	Losses []float64 // mean loss of each epoch
}

// ErrTooSmall is returned for a corpus that no pairs to learn from can be drawn from.
var ErrTooSmall = errors.New("too few texts to train an encoder on")

const (
	defaultDim  = 256
	defaultSeed = 1
	batchSize   = 512
	maxPairs    = 1_000_000
	perText     = 70 // pairs
	epochs      = 8
	// Stored questions have few terms from few templates; longer training on them washes out
	// the kind of question.
	questionEpochs = 4
	questionSpans  = 30_000 // at most, in each epoch
)

// TrainPassages trains an encoder on running text, from spans cut out of it and from titles. It
// runs in the calling goroutine until it is done or ctx ends, whose error it then returns. The
// same corpus and seed give the same encoder on one machine; between machines the last bits
// differ.
func TrainPassages(ctx context.Context, c *Corpus, o Options) (*Encoder, Report, error) {
	s := newSampler(c, o.seed())
	pairs := min(maxPairs, perText*len(c.Texts))
	return train(ctx, s, o, epochs, func(int) []task {
		return append(s.spans(pairs/epochs), s.titles()...)
	})
}

// TrainQuestions trains an encoder on stored questions: from spans of them, from their answers,
// and from other questions of the same topic. Otherwise it is as [TrainPassages].
func TrainQuestions(ctx context.Context, c *Corpus, o Options) (*Encoder, Report, error) {
	s := newSampler(c, o.seed())
	once := append(s.answers(), s.siblings()...)
	s.shuffle(once)
	return train(ctx, s, o, questionEpochs, func(epoch int) []task {
		start, end := epoch*len(once)/questionEpochs, (epoch+1)*len(once)/questionEpochs
		return append(s.spans(min(questionSpans, len(s.order))), once[start:end]...)
	})
}

func (o Options) seed() uint64 {
	if o.Seed == 0 {
		return defaultSeed
	}
	return o.Seed
}

func (o Options) dim() int {
	if o.Dim <= 0 {
		return defaultDim
	}
	return o.Dim
}

// train runs epochs over the tasks that lessons returns for each.
func train(ctx context.Context, s *sampler, o Options, epochs int, lessons func(epoch int) []task) (*Encoder, Report, error) {
	c := s.corpus
	if len(s.order) < 2 {
		return nil, Report{}, ErrTooSmall
	}
	idf := inverseFrequencies(c)
	n := newNetwork(o.dim(), initialVectors(c.Vocabulary, o.dim(), o.seed()), idf)
	size := max(2, min(batchSize, len(c.Texts)/2))
	var report Report
	for epoch := range epochs {
		tasks := lessons(epoch)
		s.shuffle(tasks)
		loss, steps := 0.0, 0
		for start := 0; start+1 < len(tasks); start += size {
			if err := ctx.Err(); err != nil {
				return nil, report, err
			}
			b := s.batch(tasks[start:min(start+size, len(tasks))])
			loss += n.step(b)
			steps++
			report.Pairs += len(b.of)
			if o.Progress != nil {
				// Epochs are of nearly one length.
				o.Progress(epoch*len(tasks)+start+len(b.of), epochs*len(tasks))
			}
		}
		report.Losses = append(report.Losses, loss/float64(max(1, steps)))
	}
	return newEncoder(o.dim(), c.Vocabulary, idf, n.vectors), report, nil
}

// batch draws the pairs of some tasks.
func (s *sampler) batch(tasks []task) *batch {
	b := &batch{}
	for _, t := range tasks {
		query, positive := s.pair(t)
		b.queries = append(b.queries, query)
		b.positives = append(b.positives, positive)
		b.of = append(b.of, int(t.text))
	}
	return b
}

// inverseFrequencies returns each term's ln(1 + (N - df + 0.5)/(df + 0.5)), the weight of BM25.
func inverseFrequencies(c *Corpus) []float32 {
	documents := make([]int, len(c.Vocabulary))
	last := make([]int, len(c.Vocabulary))
	for text, terms := range c.Texts {
		for _, term := range terms {
			if last[term] != text+1 {
				last[term] = text + 1
				documents[term]++
			}
		}
	}
	idf := make([]float32, len(c.Vocabulary))
	for term, df := range documents {
		idf[term] = float32(math.Log1p((float64(len(c.Texts)-df) + 0.5) / (float64(df) + 0.5)))
	}
	return idf
}

// initialVectors returns the vectors training begins with, one after the other: for each term a
// random vector of its own and half as much of random vectors that it shares with the terms
// spelt like it, so that inflections the stemmer leaves apart begin near each other.
func initialVectors(vocabulary []string, dim int, seed uint64) []float32 {
	own := rand.New(rand.NewPCG(seed, 0))
	shared := &pieceVectors{dim: dim, seed: seed, byPiece: make(map[uint32][]float32)}
	vectors := make([]float32, len(vocabulary)*dim)
	for row, term := range vocabulary {
		vector := vectors[row*dim : (row+1)*dim]
		fillGaussian(vector, own)
		pieces := piecesOf(term)
		for _, piece := range pieces {
			vecmath.AddScaled(vector, shared.of(piece), float32(0.5/math.Sqrt(float64(len(pieces)))))
		}
	}
	scaleToMeanSquare(vectors, len(vocabulary))
	return vectors
}

func fillGaussian(vector []float32, random *rand.Rand) {
	deviation := 1 / math.Sqrt(float64(len(vector)))
	for i := range vector {
		vector[i] = float32(random.NormFloat64() * deviation)
	}
}

// scaleToMeanSquare makes the mean squared length of the rows 1.
func scaleToMeanSquare(vectors []float32, rows int) {
	square := float64(vecmath.Norm(vectors))
	square *= square
	if square > 0 {
		vecmath.Scale(vectors, float32(math.Sqrt(float64(rows)/square)))
	}
}

// piecesOf returns the pieces of spelling a term shares with others: the characters of a Chinese
// term; of other terms of more than three letters the runs of 3 to 5 letters, ends marked.
func piecesOf(term string) []string {
	if first, _ := utf8.DecodeRuneInString(term); unicode.Is(unicode.Han, first) {
		var characters []string
		for _, r := range term {
			characters = append(characters, string(r))
		}
		return characters
	}
	if utf8.RuneCountInString(term) <= 3 {
		return nil
	}
	letters := []rune("<" + term + ">")
	var grams []string
	for size := 3; size <= 5; size++ {
		for start := 0; start+size <= len(letters); start++ {
			grams = append(grams, string(letters[start:start+size]))
		}
	}
	return grams
}

// pieceVectors holds the random vectors of pieces, which are hashed to a bounded number of vectors.
type pieceVectors struct {
	dim     int
	seed    uint64
	byPiece map[uint32][]float32 // by hash
}

const hashedPieces = 50_000

func (p *pieceVectors) of(piece string) []float32 {
	hash := crc32.ChecksumIEEE([]byte(piece)) % hashedPieces
	vector, ok := p.byPiece[hash]
	if !ok {
		vector = make([]float32, p.dim)
		fillGaussian(vector, rand.New(rand.NewPCG(p.seed, 1+uint64(hash))))
		p.byPiece[hash] = vector
	}
	return vector
}

// Settings of the optimisation.
const (
	temperature  = 0.15 // of the softmax over cosines
	learningRate = 0.05
	firstSquare  = 1e-8 // what Adagrad's sums of squares begin with
	maskedLogit  = -30  // of a positive of the same text elsewhere in the batch
)

// network is an encoder in training.
type network struct {
	dim     int
	vectors []float32 // one per term, concatenated
	idf     []float32 // by term
	squares []float32 // Adagrad's sum of mean squared gradients, by term

	// Of the current batch; the memory is reused.
	query, positive tower
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

// tower is one side of a batch: its bags of terms and what they are encoded to.
type tower struct {
	ends      []int // of the bags in terms
	terms     []uint32
	weights   []float32
	units     []float32 // the bags' vectors at length 1, concatenated
	lengths   []float32 // before that
	gradients []float32 // of the loss by units
	turned    []float32 // transpose of units
}

func (s *tower) reset() { s.ends, s.terms, s.weights = s.ends[:0], s.terms[:0], s.weights[:0] }

// batch is a list of pairs; pair i belongs to text of[i].
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
	n.logits = resize(n.logits, size*size)
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
	n.columns = resize(n.columns, size)
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
func (n *network) encode(s *tower, bags [][]uint32) {
	s.reset()
	s.units = resize(s.units, len(bags)*n.dim)
	s.lengths = resize(s.lengths, len(bags))
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
func (n *network) weigh(s *tower, bag []uint32) {
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
	n.turned = resize(n.turned, size*size)
	vecmath.Transpose(n.turned, n.logits, size)
	for _, s := range []*tower{q, p} {
		s.turned = resize(s.turned, len(s.units))
		s.gradients = resize(s.gradients, len(s.units))
		vecmath.Transpose(s.turned, s.units, n.dim)
	}
	vecmath.MulTransposed(q.gradients, n.logits, p.turned, size)
	vecmath.MulTransposed(p.gradients, n.turned, q.turned, size)
	n.touched, n.gradients = n.touched[:0], n.gradients[:0]
	n.scatter(q)
	n.scatter(p)
}

// scatter adds one side's gradients to its terms' gradients: through the normalisation,
// dz = (du - u (u . du)) / |z|, and through the weighted sum.
func (n *network) scatter(s *tower) {
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
		n.gradients = extend(n.gradients, end)
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

// resize returns a slice of that length, the old one if it has room. Its contents are arbitrary.
func resize(s []float32, length int) []float32 {
	if cap(s) < length {
		return make([]float32, length)
	}
	return s[:length]
}

// extend lengthens a slice, keeping what is in it.
func extend(s []float32, length int) []float32 {
	if cap(s) < length {
		grown := make([]float32, len(s), max(length, 2*cap(s)))
		copy(grown, s)
		s = grown
	}
	return s[:length]
}
