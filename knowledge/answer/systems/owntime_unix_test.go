//go:build unix

package systems_test

import (
	"syscall"
	"testing"
	"time"

	"lacuna/knowledge"
	"lacuna/knowledge/answer"
	"lacuna/knowledge/llm/llmtest"
)

// BenchmarkOwnTime reports the processor time of one question while its progress is shown: with the scripted
// server's own work, which stands in the same process, and of the searches alone.
func BenchmarkOwnTime(b *testing.B) {
	for _, c := range []struct {
		system   string
		script   llmtest.Script
		searches [2]int // passages asked for the question, and for each gap
	}{
		{"misknow/merged", llmtest.Obliging(), [2]int{2, 4}},
		{"medrgag", playing(), [2]int{32, 5}},
	} {
		b.Run(c.system, func(b *testing.B) {
			library := openLibrary(b, "pubmed", dataFile(b, pubmed))
			questions := rows[question](b, "queries/bioasq.dev.jsonl.gz")
			server := llmtest.New(b, c.script)
			at := environment(b, server)
			at.Watch = func(answer.Progress) {}
			next := 0
			one := func() answer.Question {
				next++
				return answer.Question{Text: questions[next%len(questions)].Question}
			}
			run(b, at, c.system, library, one()) // opens the connections
			var searches []knowledge.Query
			began := processorTime(b)
			for b.Loop() {
				server.Forget()
				result := run(b, at, c.system, library, one())
				searches = append(searches, knowledge.Query{Text: result.Question.Text, K: c.searches[0]})
				for _, g := range result.Gaps {
					searches = append(searches, knowledge.Query{Text: g.Query, K: c.searches[1]})
				}
			}
			all := processorTime(b) - began

			began = processorTime(b)
			for _, query := range searches {
				if _, err := library.Search(b.Context(), query); err != nil {
					b.Fatal(err)
				}
			}
			search := processorTime(b) - began
			perQuestion := func(d time.Duration) float64 { return d.Seconds() * 1000 / float64(b.N) }
			b.ReportMetric(perQuestion(all), "ms-cpu/op")
			b.ReportMetric(perQuestion(search), "ms-cpu-of-search/op")
			b.ReportMetric(perQuestion(all-search), "ms-cpu-beside-search/op")
		})
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
