//go:build unix

package answer_test

import (
	"testing"

	"lacuna/knowledge"
	"lacuna/knowledge/answer"
	"lacuna/knowledge/llm/llmtest"
)

// BenchmarkMisknowOwnTime reports the processor time of one question to Misknow-RAG while somebody
// watches: with the scripted server's own work, which stands in the same process, and of its two
// searches alone.
func BenchmarkMisknowOwnTime(b *testing.B) {
	library := openLibrary(b, "pubmed", dataFile(b, pubmed))
	questions := rows[question](b, "queries/bioasq.dev.jsonl.gz")
	server := llmtest.New(b, llmtest.Obliging())
	at := bench(b, server)
	at.Watch = func(answer.Progress) {}
	next := 0
	one := func() answer.Question {
		next++
		return answer.Question{Text: questions[next%len(questions)].Question}
	}
	run(b, at, "misknow/merged", library, one()) // opens the connections
	began := processorTime(b)
	for b.Loop() {
		server.Forget()
		run(b, at, "misknow/merged", library, one())
	}
	all := processorTime(b) - began

	began = processorTime(b)
	for range b.N {
		asked := one().Text
		for _, query := range []knowledge.Query{{Text: asked, K: 2}, {Text: "limits and exceptions of " + asked, K: 4}} {
			if _, err := library.Search(b.Context(), query); err != nil {
				b.Fatal(err)
			}
		}
	}
	search := processorTime(b) - began
	b.ReportMetric(all.Seconds()*1000/float64(b.N), "ms-cpu/op")
	b.ReportMetric(search.Seconds()*1000/float64(b.N), "ms-cpu-of-search/op")
	b.ReportMetric((all-search).Seconds()*1000/float64(b.N), "ms-cpu-beside-search/op")
}
