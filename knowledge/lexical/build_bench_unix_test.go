//go:build unix

package lexical_test

import (
	"fmt"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"lacuna/knowledge/lexical"
)

// BenchmarkBuild indexes a base at once, and again with one text in a thousand changed. What it
// reports is per second of processor time, whoever else is using the machine.
func BenchmarkBuild(b *testing.B) {
	bases := map[string]func(b *testing.B) corpus{
		"medquad": medquad,
		"made-up": func(*testing.B) corpus { return madeUp(100_000) },
	}
	for _, name := range []string{"medquad", "made-up"} {
		texts := lexical.Texts{}
		var old *lexical.Index
		folder, dir := b.TempDir(), "" // which outlive the benchmark of the first
		build := func(b *testing.B) {
			base := bases[name](b)
			texts.N, texts.Text = len(base.texts), func(i int) string { return base.texts[i] }
			began := processorTime(b)
			for i := 0; b.Loop(); i++ {
				dir = filepath.Join(folder, fmt.Sprint(i))
				if err := lexical.Build(b.Context(), dir, lexical.Parameters{K1: 0.9, B: 0.4}, texts, nil); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(texts.N*b.N)/(processorTime(b)-began).Seconds(), "texts/cpu-s")
			var err error
			if old, err = lexical.Open(dir); err != nil {
				b.Fatal(err)
			}
		}
		change := func(b *testing.B) {
			if old == nil {
				b.Skip("nothing was built")
			}
			texts.Old, texts.OldDir = old, dir
			texts.Known = func(i int) (int, bool) { return i, i%1000 != 0 }
			began := processorTime(b)
			for i := 0; b.Loop(); i++ {
				changed := filepath.Join(b.TempDir(), fmt.Sprint(i))
				if err := lexical.Build(b.Context(), changed, lexical.Parameters{K1: 0.9, B: 0.4}, texts, nil); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(texts.N*b.N)/(processorTime(b)-began).Seconds(), "texts/cpu-s")
		}
		b.Run(name+"/new", build)
		b.Run(name+"/changed", change)
	}
}

// processorTime returns what this process has used so far.
func processorTime(b *testing.B) time.Duration {
	b.Helper()
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		b.Fatal(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
