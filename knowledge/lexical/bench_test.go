package lexical_test

import (
	"bufio"
	"cmp"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"lacuna/knowledge/lexical"
	"lacuna/knowledge/passage"
)

// corpus is a base to measure on.
type corpus struct {
	texts     []string
	questions [][]string // terms
}

// medquad returns passages of up to three sentences, each but the first of an answer overlapping the
// one before it, and questions of 10 to 30 words, made by joining two or three of MedQuAD's that stand
// side by side. Words such as "symptoms" are in most of them: a hard case.
func medquad(b *testing.B) corpus {
	folder := os.Getenv("LACUNA_DATA")
	if folder == "" {
		b.Skip("LACUNA_DATA names no folder with the data to measure on")
	}
	file, err := os.Open(filepath.Join(folder, "kb", "medquad.jsonl.gz"))
	if err != nil {
		b.Fatal(err)
	}
	defer file.Close()
	unzipped, err := gzip.NewReader(file)
	if err != nil {
		b.Fatal(err)
	}
	var c corpus
	var questions []string
	rows := json.NewDecoder(bufio.NewReader(unzipped))
	for rows.More() {
		var row struct{ Question, Answer string }
		if err := rows.Decode(&row); err != nil {
			b.Fatal(err)
		}
		questions = append(questions, row.Question)
		sentences := passage.Sentences(row.Answer, passage.Plain)
		for i := range sentences {
			c.texts = append(c.texts, row.Answer[sentences[i].Start:sentences[min(i+2, len(sentences)-1)].End])
		}
	}
	random := rand.New(rand.NewPCG(2, 2))
	for len(c.questions) < 1000 {
		at := random.IntN(len(questions) - 3)
		joined := strings.Join(questions[at:at+2+random.IntN(2)], " ")
		if words := len(strings.Fields(joined)); words >= 10 && words <= 30 {
			c.questions = append(c.questions, lexical.Terms(joined))
		}
	}
	return c
}

// madeUp returns n synthetic texts of 20 to 60 words, and questions of 10 to 30 words. Words are as
// frequent as those of a language are (Zipf), and half of them are drawn from the vocabulary of one of
// a thousand topics, as texts on one subject share rare words.
func madeUp(n int) corpus {
	const topics, shared, own = 1000, 50_000, 200
	random := rand.New(rand.NewPCG(1, 1))
	common := rand.NewZipf(random, 1.07, 10, shared-1)
	topical := rand.NewZipf(random, 1.3, 4, own-1)
	words := func(topic, count int) string {
		list := make([]string, count)
		for i := range list {
			if random.IntN(2) == 0 {
				list[i] = fmt.Sprintf("c%d", common.Uint64())
			} else {
				list[i] = fmt.Sprintf("t%dx%d", topic, topical.Uint64())
			}
		}
		return strings.Join(list, " ")
	}
	c := corpus{texts: make([]string, n)}
	for i := range c.texts {
		c.texts[i] = words(i*topics/n, 20+random.IntN(41))
	}
	for range 1000 {
		c.questions = append(c.questions, strings.Fields(words(random.IntN(topics), 10+random.IntN(21))))
	}
	return c
}

// BenchmarkSearch compares searching with plain scoring over bluge's postings, question by question
// in turn.
func BenchmarkSearch(b *testing.B) {
	bases := map[string]func(b *testing.B) corpus{
		"medquad": medquad,
		"made-up": func(*testing.B) corpus { return madeUp(224_000) },
	}
	for _, name := range []string{"medquad", "made-up"} {
		b.Run(name, func(b *testing.B) {
			base := bases[name](b)
			x := indexed(b, base.texts)
			for _, k := range []int{32, 200} {
				b.Run(fmt.Sprintf("best%d", k), func(b *testing.B) { compare(b, x, base.questions, k) })
			}
		})
	}
}

func compare(b *testing.B, x *lexical.Index, questions [][]string, k int) {
	var plain, skipping []time.Duration
	clock := ownClock(b)
	for i := 0; b.Loop(); i++ {
		question := questions[i%len(questions)]
		start := clock()
		want, err := lexical.SearchPlainly(x, question, k)
		plain = append(plain, clock()-start)
		if err != nil {
			b.Fatal(err)
		}
		start = clock()
		got, err := x.Search(b.Context(), question, k, nil)
		skipping = append(skipping, clock()-start)
		if err != nil || !slices.Equal(got, want) {
			b.Fatalf("%q: other results than by plain scoring, %v", question, err)
		}
	}
	b.ReportMetric(milliseconds(plain, 50), "ms/plain-p50")
	b.ReportMetric(milliseconds(plain, 99), "ms/plain-p99")
	b.ReportMetric(milliseconds(skipping, 50), "ms/p50")
	b.ReportMetric(milliseconds(skipping, 99), "ms/p99")
}

// milliseconds is a percentile of times.
func milliseconds(times []time.Duration, percent int) float64 {
	times = slices.SortedFunc(slices.Values(times), cmp.Compare)
	return float64(times[len(times)*percent/100].Nanoseconds()) / 1e6
}

func indexed(b *testing.B, texts []string) *lexical.Index {
	dir := filepath.Join(b.TempDir(), "lexical")
	start := time.Now()
	all := lexical.Texts{N: len(texts), Text: func(i int) string { return texts[i] }}
	if err := lexical.Build(b.Context(), dir, lexical.Parameters{K1: 0.9, B: 0.4}, all, nil); err != nil {
		b.Fatal(err)
	}
	b.Logf("%d texts indexed in %v", len(texts), time.Since(start))
	x, err := lexical.Open(dir)
	if err != nil {
		b.Fatal(err)
	}
	return x
}
