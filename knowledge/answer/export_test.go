package answer

import (
	"os"
	"path/filepath"
	"testing"

	"lacuna/knowledge"
	"lacuna/knowledge/ingest"
	"lacuna/knowledge/passage"
)

// parcel builds a library of files of running text, given by name.
func parcel(t testing.TB, files map[string]string) *knowledge.Library {
	t.Helper()
	folder := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	read, err := ingest.Read(t.Context(), ingest.DefaultLimits(), []ingest.Source{{Name: "data", Kind: passage.Text, Path: folder}}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	library, err := knowledge.Build(t.Context(), ingest.Passages(read), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return library
}

// Reranked is what the measurements see of the reranker without a model.
func Reranked(library *knowledge.Library, question string, hits []knowledge.Hit) []knowledge.Hit {
	documents := make([]Evidence, len(hits))
	for i := range hits {
		documents[i] = Evidence{Hit: &hits[i]}
	}
	r := &run{library: library}
	ranked := make([]knowledge.Hit, len(hits))
	for i, e := range ordered(documents, r.signals(question, documents)) {
		ranked[i] = *e.Hit
	}
	return ranked
}
