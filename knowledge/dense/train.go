package dense

import (
	"context"
	"errors"
	"math"
)

// Options configure training. The zero value of each field means its default.
type Options struct {
	Dim  int    // default 256
	Seed uint64 // default 1
	// Progress hears after each batch how many of the pairs are done; it may be nil.
	Progress func(done, total int)
}

// Report says how training went.
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
	n := newNetwork(o.dim(), startVectors(c.Vocabulary, o.dim(), o.seed()), idf)
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
