package knowledge

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"lacuna/knowledge/dense"
	"lacuna/knowledge/passage"
	"lacuna/vecmath"
)

// madeUp returns passages of about 40 words that are as frequent as words of a language are, and
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

// benchLibrary returns a library of n made-up passages, and questions about them. Its encoder is trained
// on few of the passages, as its quality does not matter here.
func benchLibrary(b *testing.B, n int) (*Library, []string) {
	b.Helper()
	passages, questions := madeUp(n)
	ordinals := ordinalsOf(passages, passage.Text)
	few, err := buildCollection(b.Context(), b.TempDir(), passages[:1000], ordinals[:1000], passage.Text, nil, nil)
	if err != nil {
		b.Fatal(err)
	}
	if few, err = few.trainEncoder(b.Context(), passages, dense.Options{}); err != nil {
		b.Fatal(err)
	}
	collection, err := buildCollection(b.Context(), b.TempDir(), passages, ordinals, passage.Text, nil, nil)
	if err != nil {
		b.Fatal(err)
	}
	collection = collection.withEncoder(few.encoder, vecmath.NewIndex(collection.encodeAll(few.encoder)))
	return newLibrary(contents{passages: passages, collections: []*Collection{collection}}), questions
}

// BenchmarkSearch reports the time of a hybrid search and the memory a library holds for each passage,
// with the passage.
func BenchmarkSearch(b *testing.B) {
	for _, n := range []int{24_000, 200_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			before := held()
			l, questions := benchLibrary(b, n)
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
			reportTimes(b, times)
		})
	}
}

// BenchmarkOtherWork reports how late a goroutine with little to do runs while every processor searches:
// what a hover waits for while notes are judged.
func BenchmarkOtherWork(b *testing.B) {
	l, questions := benchLibrary(b, 24_000)
	ctx, cancel := context.WithCancel(b.Context())
	var searching sync.WaitGroup
	for first := range runtime.GOMAXPROCS(0) {
		searching.Go(func() {
			for i := first; ctx.Err() == nil; i++ {
				_, _ = l.Search(ctx, Query{Text: questions[i%len(questions)]})
			}
		})
	}
	const pause = time.Millisecond
	var times []time.Duration
	for b.Loop() {
		start := time.Now()
		time.Sleep(pause)
		times = append(times, time.Since(start)-pause)
	}
	cancel()
	searching.Wait()
	reportTimes(b, times)
}

func reportTimes(b *testing.B, times []time.Duration) {
	slices.Sort(times)
	b.ReportMetric(float64(times[len(times)/2].Microseconds())/1000, "ms/p50")
	b.ReportMetric(float64(times[len(times)*99/100].Microseconds())/1000, "ms/p99")
}

// held is how many bytes of the heap are in use.
func held() uint64 {
	runtime.GC()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return stats.HeapAlloc
}
