package gate

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"strings"
	"testing"

	"lacuna/prompts"
	"lacuna/vecmath"
)

// hashing is an encoder of 256 numbers: the sum of a random vector for each word.
type hashing struct{}

func (hashing) Dim() int         { return 256 }
func (hashing) Identity() string { return "hashing" }

func (hashing) Encode(text string) []float32 {
	v := make([]float32, 256)
	for _, word := range strings.Fields(text) {
		h := fnv.New64a()
		h.Write([]byte(word))
		random := rand.New(rand.NewPCG(h.Sum64(), 1))
		for i := range v {
			v[i] += random.Float32() - .5
		}
	}
	if norm := vecmath.Norm(v); norm > 0 {
		vecmath.Scale(v, 1/norm)
	}
	return v
}

// invented is a history of n multiple-choice questions about words drawn by chance.
func invented(n int) []Item {
	random := rand.New(rand.NewPCG(9, 9))
	words := func(n int) string {
		var all []string
		for range n {
			all = append(all, fmt.Sprintf("word%d", random.IntN(4000)))
		}
		return strings.Join(all, " ")
	}
	var history []Item
	for i := range n {
		i := Item{
			Question: Question{ID: fmt.Sprint(i), Model: "m", Text: words(30) + "?", Closed: &Response{
				Text: words(30) + ". " + words(30) + ". The answer is B.", Choice: string(rune('A' + random.IntN(4))),
			}},
			Retrieved: Response{Text: words(60) + ".", Choice: string(rune('A' + random.IntN(4)))},
			Score:     [2]float64{float64(random.IntN(2)), float64(random.IntN(2))}, Golds: []string{"B"},
		}
		for _, letter := range []string{"A", "B", "C", "D"} {
			i.Options = append(i.Options, prompts.Option{Letter: letter, Text: words(3)})
		}
		history = append(history, i)
	}
	return history
}

// BenchmarkTrain trains each policy on 2,500 questions with encodings of 256 numbers.
func BenchmarkTrain(b *testing.B) {
	history, encoder := invented(2500), CacheEncodings(hashing{})
	for _, name := range []string{"default", "sn", "rqm", "ccsk", "ccsk-outer"} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				learner, err := Find(name, DefaultPrice)
				if err != nil {
					b.Fatal(err)
				}
				if _, err := learner.Fit(b.Context(), history, encoder, 1); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkDecide decides about one question, after 2,500 past ones.
func BenchmarkDecide(b *testing.B) {
	history, encoder := invented(2501), hashing{}
	last := history[2500]
	for _, name := range []string{"default", "sn", "ccsk", "ccsk-outer"} {
		learner, err := Find(name, DefaultPrice)
		if err != nil {
			b.Fatal(err)
		}
		policy, err := learner.Fit(b.Context(), history[:2500], CacheEncodings(encoder), 1)
		if err != nil {
			b.Fatal(err)
		}
		dir := b.TempDir()
		if err := Save(b.Context(), dir, policy, About{}); err != nil {
			b.Fatal(err)
		}
		kept, err := Open(dir, encoder) // which remembers nothing
		if err != nil {
			b.Fatal(err)
		}
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				kept.Policy.Decide(last.Question)
			}
		})
	}
}
