//go:build unix

package answer_test

import (
	"syscall"
	"testing"
	"time"

	"lacuna/knowledge"
	"lacuna/knowledge/answer"
)

// BenchmarkMedRGAGOwnTime reports the processor time of one question to MedRGAG: with the scripted
// server's own work, which stands in the same process, and of the search alone.
func BenchmarkMedRGAGOwnTime(b *testing.B) {
	library := openLibrary(b, "pubmed", dataFile(b, pubmed))
	questions := rows[question](b, "queries/bioasq.dev.jsonl.gz")
	bench, server := table(b, playing())
	next := 0
	one := func() answer.Question {
		next++
		return answer.Question{Text: questions[next%len(questions)].Question}
	}
	run(b, bench, "medrgag", library, one()) // opens the connections
	began := processorTime(b)
	for b.Loop() {
		server.Forget()
		run(b, bench, "medrgag", library, one())
	}
	all := processorTime(b) - began

	began = processorTime(b)
	for range b.N {
		if _, err := library.Search(b.Context(), knowledge.Query{Text: one().Text, K: 32}); err != nil {
			b.Fatal(err)
		}
	}
	search := processorTime(b) - began
	perQuestion := func(d time.Duration) float64 { return d.Seconds() * 1000 / float64(b.N) }
	b.ReportMetric(perQuestion(all), "ms-cpu/op")
	b.ReportMetric(perQuestion(search), "ms-cpu-of-search/op")
	b.ReportMetric(perQuestion(all-search), "ms-cpu-beside-search/op")
}

// processorTime is what this process has used so far.
func processorTime(b *testing.B) time.Duration {
	b.Helper()
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		b.Fatal(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
