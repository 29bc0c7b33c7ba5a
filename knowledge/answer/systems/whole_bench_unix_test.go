//go:build unix

package systems_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"lacuna/knowledge"
	"lacuna/knowledge/answer"
	"lacuna/knowledge/answer/extract"
	"lacuna/knowledge/gap"
	"lacuna/knowledge/ingest"
	"lacuna/knowledge/passage"
)

// madeUpBase is a synthetic base: it writes n passages of three sentences to a file and returns it
// with questions. There are as many subjects as two hundredths of the passages, each with forty
// words of its own; the other half of a text's words are common to all. Within both, word frequencies are
// like a language's (Zipf).
func madeUpBase(b *testing.B, n int) (file string, questions []string) {
	const common, own, perSubject = 40_000, 40, 200
	random := rand.New(rand.NewPCG(20261121, uint64(n)))
	shared := rand.NewZipf(random, 1.07, 10, common-1)
	topical := rand.NewZipf(random, 1.2, 3, own-1)
	subjects := max(1, n/perSubject)
	words := func(subject, count int) []string {
		list := make([]string, count)
		for i := range list {
			if random.IntN(2) == 0 {
				list[i] = syllables(shared.Uint64())
			} else {
				list[i] = syllables(common + uint64(subject*own) + topical.Uint64())
			}
		}
		return list
	}
	sentence := func(subject int) string {
		text := strings.Join(words(subject, 8+random.IntN(10)), " ")
		return strings.ToUpper(text[:1]) + text[1:] + "."
	}
	file = filepath.Join(cacheDir(b), fmt.Sprintf("made-up-%d.jsonl", n))
	f, err := os.Create(file)
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	buffered := bufio.NewWriter(f)
	rows := json.NewEncoder(buffered)
	for i := range n {
		subject := i / perSubject % subjects
		row := map[string]string{
			"id": fmt.Sprint(i), "ref": fmt.Sprint("subject ", subject),
			"text": sentence(subject) + " " + sentence(subject) + " " + sentence(subject),
		}
		if err := rows.Encode(row); err != nil {
			b.Fatal(err)
		}
	}
	if err := buffered.Flush(); err != nil {
		b.Fatal(err)
	}
	for range 500 {
		questions = append(questions, "What is known of "+strings.Join(words(random.IntN(subjects), 6+random.IntN(18)), " ")+"?")
	}
	return file, questions
}

// syllables spells a number as a word that no two numbers share.
func syllables(n uint64) string {
	const consonants, vowels = "bdfgklmnprstvz", "aeiou"
	var word strings.Builder
	for n += 70; n > 0; n /= 70 {
		word.WriteByte(consonants[n%14])
		word.WriteByte(vowels[n/14%5])
	}
	return word.String() + "k" // which no ending is cut off
}

// BenchmarkWholeQuestion reports the time of an offline answer from the question to the verdict, of
// opening the index until the first answer, and the memory a base takes up when opened, mapped files
// aside. LACUNA_CACHE_DIR keeps the index, whose encoder takes minutes to train. A million passages
// are measured only if LACUNA_BIG is set, and with an encoder if that is "encoder".
func BenchmarkWholeQuestion(b *testing.B) {
	for _, n := range []int{100_000, 1_000_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			if n > 100_000 && os.Getenv("LACUNA_BIG") == "" {
				b.Skip("LACUNA_BIG is not set; this takes minutes and a gigabyte")
			}
			file, questions := madeUpBase(b, n)
			options := knowledge.Options{
				Sources:    []ingest.Source{{Name: "made up", Kind: passage.Text, Path: file}},
				Dir:        filepath.Join(cacheDir(b), fmt.Sprintf("made-up-%d", n)),
				Companions: []knowledge.Companion{gap.Companion()},
			}
			if err := ready(b, options, n <= 100_000 || os.Getenv("LACUNA_BIG") == "encoder"); err != nil {
				b.Fatal(err)
			}
			before := heldMemory()
			began, start := processorTime(b), time.Now()
			index, err := knowledge.Open(options)
			if err != nil {
				b.Fatal(err)
			}
			defer index.Close()
			opened := time.Since(start)
			opening := processorTime(b) - began
			offline := &extract.Offline{Judge: gap.NewJudge()}
			ask := func(i int) {
				question := answer.Question{Text: questions[i%len(questions)]}
				if _, err := offline.Answer(b.Context(), index.Library(), question); err != nil {
					b.Fatal(err)
				}
			}
			ask(0)
			first := time.Since(start)
			held := heldMemory() - before
			var times, work []time.Duration
			for i := 1; b.Loop(); i++ {
				start, began := time.Now(), processorTime(b)
				ask(i)
				times, work = append(times, time.Since(start)), append(work, processorTime(b)-began)
			}
			slices.Sort(times)
			slices.Sort(work)
			b.ReportMetric(work[len(work)/2].Seconds()*1000, "ms-cpu/p50")
			b.ReportMetric(times[len(times)/2].Seconds()*1000, "ms/p50")
			b.ReportMetric(times[len(times)*99/100].Seconds()*1000, "ms/p99")
			b.ReportMetric(opened.Seconds()*1000, "ms/open")
			b.ReportMetric(opening.Seconds()*1000, "ms-cpu/open")
			b.ReportMetric(first.Seconds()*1000, "ms/first")
			b.ReportMetric(float64(held)/1e6, "MB/held")
		})
	}
}

// ready brings an index up to date in its folder, as far as the encoder or with it.
func ready(b *testing.B, options knowledge.Options, trained bool) error {
	ctx, cancel := context.WithCancel(b.Context())
	defer cancel()
	options.Report = func(e knowledge.Event) {
		if e.Stage == knowledge.Training && !trained {
			cancel()
		}
	}
	index, err := knowledge.Open(options)
	if err != nil {
		return err
	}
	defer index.Close()
	began, start := processorTime(b), time.Now()
	err = index.Refresh(ctx)
	b.Logf("%d passages ready after %v, of which the processors worked %v",
		len(index.Library().Passages()), time.Since(start), processorTime(b)-began)
	if !trained && errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}

// heldMemory is how many bytes of the heap are in use.
func heldMemory() uint64 {
	runtime.GC()
	runtime.GC() // what had cleanups is free only now
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return stats.HeapInuse + stats.StackInuse
}
