package ingest

import (
	"os"
	"path/filepath"
	"testing"

	"lacuna/knowledge/passage"
)

// dataSource is a file of the measurement data, which is not part of the repository.
func dataSource(t testing.TB, kind passage.Kind, name string) Source {
	t.Helper()
	dir := os.Getenv("LACUNA_DATA")
	if dir == "" {
		t.Skip("LACUNA_DATA does not name the folder of measurement data")
	}
	return Source{Name: name, Kind: kind, Path: filepath.Join(dir, filepath.FromSlash(name))}
}

// Every passage of every data set stands on disk where it says it does.
func TestDataResolves(t *testing.T) {
	for name, kind := range map[string]passage.Kind{
		"kb/medquad.jsonl.gz": passage.QA, "kb/medquad-questions-only.jsonl.gz": passage.QA,
		"kb/passages-pubmed.jsonl.gz": passage.Text, "scifact/corpus.jsonl.gz": passage.Text, "zh/huatuo-answers.jsonl.gz": passage.Text,
	} {
		t.Run(name, func(t *testing.T) {
			files := read(t, dataSource(t, kind, name))
			t.Logf("%s: %d passages, %q", files[0].State, len(files[0].Passages), files[0].Reason)
			if len(files[0].Passages) < 5000 || files[0].Reason != "" {
				t.Error("records are missing")
			}
		})
	}
}

func BenchmarkReadData(b *testing.B) {
	for name, kind := range map[string]passage.Kind{"kb/medquad.jsonl.gz": passage.QA, "kb/passages-pubmed.jsonl.gz": passage.Text} {
		b.Run(name, func(b *testing.B) {
			source := dataSource(b, kind, name)
			passages := 0
			for b.Loop() {
				files, err := Read(b.Context(), DefaultLimits(), []Source{source}, nil, nil)
				if err != nil {
					b.Fatal(err)
				}
				passages += len(files[0].Passages)
			}
			b.ReportMetric(float64(passages)/b.Elapsed().Seconds(), "passages/s")
		})
	}
}
