package dense

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// topicCorpus has texts on a few topics; the words of a topic occur together, and half of the
// words of every text are anybody's.
func topicCorpus(texts int) *Corpus {
	const topics, words, common = 5, 12, 40
	c := &Corpus{}
	for topic := range topics {
		for word := range words {
			c.Vocabulary = append(c.Vocabulary, fmt.Sprintf("t%dw%d", topic, word))
		}
	}
	for word := range common {
		c.Vocabulary = append(c.Vocabulary, fmt.Sprintf("common%d", word))
	}
	random := rand.New(rand.NewPCG(7, 7))
	for text := range texts {
		topic := text % topics
		var terms []uint32
		for range 8 + random.IntN(8) {
			if random.IntN(2) == 0 {
				terms = append(terms, uint32(topic*words+random.IntN(words)))
			} else {
				terms = append(terms, uint32(topics*words+random.IntN(common)))
			}
		}
		c.Texts = append(c.Texts, terms)
		c.Titles = append(c.Titles, 2*(text%2))
		c.Answers = append(c.Answers, slices.Repeat(terms, 10*(text%3)))
		c.Topics = append(c.Topics, topic)
	}
	return c
}

func TestTrainingLearnsWhichWordsGoTogether(t *testing.T) {
	for name, train := range map[string]func(context.Context, *Corpus, Options) (*Encoder, Report, error){
		"passages": TrainPassages, "questions": TrainQuestions,
	} {
		t.Run(name, func(t *testing.T) {
			e, report, err := train(t.Context(), topicCorpus(300), Options{Dim: 32})
			if err != nil {
				t.Fatal(err)
			}
			if first, last := report.Losses[0], report.Losses[len(report.Losses)-1]; !(last < 0.95*first) {
				t.Errorf("losses %v do not fall", report.Losses)
			}
			same, other := 0.0, 0.0
			for word := 1; word < 12; word++ {
				for topic := range 5 {
					a, _ := e.Encode([]string{fmt.Sprintf("t%dw0", topic)})
					b, _ := e.Encode([]string{fmt.Sprintf("t%dw%d", topic, word)})
					c, _ := e.Encode([]string{fmt.Sprintf("t%dw%d", (topic+1)%5, word)})
					for i := range a {
						same += float64(a[i] * b[i])
						other += float64(a[i] * c[i])
					}
				}
			}
			if !(same/55 > other/55+0.2) {
				t.Errorf("mean cosine %.3f within a topic, %.3f across", same/55, other/55)
			}
		})
	}
}

func TestTrainingIsDeterministic(t *testing.T) {
	c := topicCorpus(60)
	var encoders []*Encoder
	for _, seed := range []uint64{1, 1, 2} {
		e, _, err := TrainPassages(t.Context(), c, Options{Dim: 16, Seed: seed})
		if err != nil {
			t.Fatal(err)
		}
		encoders = append(encoders, e)
	}
	if !slices.Equal(encoders[0].units, encoders[1].units) {
		t.Error("one seed gave two encoders")
	}
	if slices.Equal(encoders[0].units, encoders[2].units) {
		t.Error("two seeds gave one encoder")
	}
}

func TestTrainingStopsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	stopAt := 0
	_, _, err := TrainPassages(ctx, topicCorpus(200), Options{Dim: 16, Progress: func(done, total int) {
		if done > total/3 && stopAt == 0 {
			stopAt = done
			cancel()
		}
		if stopAt != 0 && done > stopAt {
			t.Error("training went on")
		}
	}})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

func TestTooSmallACorpus(t *testing.T) {
	for name, c := range map[string]*Corpus{
		"empty":       {},
		"one text":    {Vocabulary: []string{"a"}, Texts: [][]uint32{{0, 0, 0, 0, 0}}},
		"short texts": {Vocabulary: []string{"a"}, Texts: [][]uint32{{0}, {0, 0}, {}, {0, 0, 0}}},
	} {
		if _, _, err := TrainPassages(t.Context(), c, Options{}); !errors.Is(err, ErrTooSmall) {
			t.Errorf("%s: %v", name, err)
		}
		if _, _, err := TrainQuestions(t.Context(), c, Options{}); !errors.Is(err, ErrTooSmall) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestGradientsAgreeWithFiniteDifferences moves single components of term vectors up and down and
// compares the change of the loss with the gradient.
func TestGradientsAgreeWithFiniteDifferences(t *testing.T) {
	const dim, terms = 6, 9
	random := rand.New(rand.NewPCG(1, 2))
	vectors := make([]float32, dim*terms)
	fillGaussian(vectors, random)
	vectorScale := float32(math.Sqrt(float64(len(vectors)) / dim)) // length about 1 a row
	idf := make([]float32, terms)
	for i := range vectors {
		vectors[i] *= vectorScale
	}
	for i := range idf {
		idf[i] = 0.5 + random.Float32()
	}
	b := &batch{
		queries:   [][]uint32{{0, 1}, {2, 2, 3}, {4, 0}, {1, 5}},
		positives: [][]uint32{{1, 6, 6, 7}, {3, 8}, {4, 5}, {6, 2}},
		of:        []int{0, 1, 2, 0}, // the first and the last mask each other's positives
	}
	n := newNetwork(dim, vectors, idf)
	n.loss(b)
	n.backward(b)
	if len(n.touched) != terms {
		t.Fatalf("%d terms touched, want %d", len(n.touched), terms)
	}
	const step = 1e-2
	for slot, term := range n.touched {
		for d := range dim {
			at := int(term)*dim + d
			loss := func(value float32) float64 {
				old := vectors[at]
				vectors[at] = value
				defer func() { vectors[at] = old }()
				return newNetwork(dim, vectors, idf).loss(b)
			}
			want := (loss(vectors[at]+step) - loss(vectors[at]-step)) / (2 * step)
			if got := float64(n.gradients[slot*dim+d]); math.Abs(got-want) > 2e-3+0.02*math.Abs(want) {
				t.Errorf("term %d, component %d: gradient %.5f, measured %.5f", term, d, got, want)
			}
		}
	}
}

func TestSpansLeaveTheirTextAndAreBounded(t *testing.T) {
	s := newSampler(&Corpus{}, 3)
	for length := shortestText; length < 60; length++ {
		terms := make([]uint32, length)
		for i := range terms {
			terms[i] = uint32(i)
		}
		for range 200 {
			query, positive := s.cut(terms)
			if len(query) < leastTerms || len(query) > min(13, length/2) || len(positive) < length/2 {
				t.Fatalf("of %d terms: query %v, positive of %d", length, query, len(positive))
			}
			if !slices.IsSorted(query) || !slices.IsSorted(positive) {
				t.Fatalf("of %d terms: query %v, positive %v", length, query, positive)
			}
			if len(positive) < length && slices.Contains(positive, query[0]) {
				t.Fatalf("of %d terms: positive %v holds the query %v", length, positive, query)
			}
		}
	}
}

func TestSpansTakeAllTextsEquallyOften(t *testing.T) {
	c := topicCorpus(50)
	c.Texts[7] = c.Texts[7][:3] // too short
	counts := make([]int, 50)
	for _, task := range newSampler(c, 5).spans(49 * 3) {
		counts[task.text]++
	}
	for text, count := range counts {
		if want := map[bool]int{true: 0, false: 3}[text == 7]; count != want {
			t.Errorf("text %d drawn %d times, want %d", text, count, want)
		}
	}
}

func TestSiblingsComeUpOnce(t *testing.T) {
	c := &Corpus{Topics: []int{0, 0, 0, -1, -1, 1, 2, 2}, Texts: make([][]uint32, 8)}
	for i := range c.Texts {
		c.Texts[i] = []uint32{0}
	}
	seen := map[[2]int32]int{}
	for _, pair := range newSampler(c, 1).siblings() {
		seen[[2]int32{min(pair.text, pair.mate), max(pair.text, pair.mate)}]++
	}
	want := map[[2]int32]int{{0, 1}: 1, {0, 2}: 1, {1, 2}: 1, {6, 7}: 1}
	if fmt.Sprint(seen) != fmt.Sprint(want) {
		t.Errorf("%v, want %v", seen, want)
	}
}

// BenchmarkTrainPassages reports how many pairs a second one goroutine learns from.
func BenchmarkTrainPassages(b *testing.B) {
	c := topicCorpus(1000)
	pairs := 0
	for b.Loop() {
		_, report, err := TrainPassages(b.Context(), c, Options{})
		if err != nil {
			b.Fatal(err)
		}
		pairs += report.Pairs
	}
	b.ReportMetric(float64(pairs)/b.Elapsed().Seconds(), "pairs/s")
}
