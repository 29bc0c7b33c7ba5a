package knowledge

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"lacuna/knowledge/dense"
	"lacuna/knowledge/passage"
	"lacuna/vecmath"
)

// madeUp are passages of about 40 words that are as frequent as words of a language are, and
// questions of eight words of theirs.
func madeUp(n int) (passages []*passage.Passage, questions []string) {
	random := rand.New(rand.NewPCG(1, 1))
	zipf := rand.NewZipf(random, 1.1, 8, 60_000)
	for range n {
		words := make([]string, 20+random.IntN(40))
		for i := range words {
			words[i] = fmt.Sprintf("word%d", zipf.Uint64())
		}
		p := text("made up", strings.Join(words, " "))
		passages = append(passages, p)
		if len(questions) < 300 {
			questions = append(questions, strings.Join(words[:8], " "))
		}
	}
	return passages, questions
}

// BenchmarkSearch reports the time of a hybrid search and the memory a library holds for each
// passage besides the passage itself. The encoder is trained on few of the passages, as its
// quality does not matter here.
func BenchmarkSearch(b *testing.B) {
	for _, n := range []int{24_000, 200_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			passages, questions := madeUp(n)
			before := held()
			few, err := buildCollection(b.Context(), b.TempDir(), passages[:1000], ordinalsOf(passages[:1000], passage.Text), passage.Text, nil, nil)
			if err != nil {
				b.Fatal(err)
			}
			if few, err = few.trainEncoder(b.Context(), passages, dense.Options{}); err != nil {
				b.Fatal(err)
			}
			collection, err := buildCollection(b.Context(), b.TempDir(), passages, ordinalsOf(passages, passage.Text), passage.Text, nil, nil)
			if err != nil {
				b.Fatal(err)
			}
			l := newLibrary(contents{passages: passages, collections: []*Collection{collection.withEncoder(few.encoder, vecmath.NewIndex(collection.encodeAll(few.encoder)))}})
			perPassage := float64(held()-before) / float64(n)
			var times []time.Duration
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				start := time.Now()
				if _, err := l.Search(b.Context(), Query{Text: questions[i%len(questions)]}); err != nil {
					b.Fatal(err)
				}
				times = append(times, time.Since(start))
			}
			b.ReportMetric(perPassage, "B/passage") // not before Loop, which forgets it
			slices.Sort(times)
			b.ReportMetric(float64(times[len(times)/2].Microseconds())/1000, "ms/p50")
			b.ReportMetric(float64(times[len(times)*99/100].Microseconds())/1000, "ms/p99")
		})
	}
}

// held is how many bytes of the heap are in use.
func held() uint64 {
	runtime.GC()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return stats.HeapAlloc
}
