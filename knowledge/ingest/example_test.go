package ingest_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"lacuna/knowledge/ingest"
	"lacuna/knowledge/passage"
)

// A folder becomes passages, each with its place on disk, from which the same words can be read again.
func ExampleRead() {
	folder, err := os.MkdirTemp("", "kb")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(folder)
	page := "# Orvanta\n\n## Dose\n\nAdults take one tablet. Take it with water.\n"
	if err := os.WriteFile(filepath.Join(folder, "orvanta.md"), []byte(page), 0o600); err != nil {
		panic(err)
	}

	source := ingest.Source{Name: "kb", Kind: passage.Text, Path: folder}
	files, err := ingest.Read(context.Background(), ingest.DefaultLimits(), []ingest.Source{source}, nil, nil)
	if err != nil {
		panic(err)
	}
	for _, p := range ingest.Passages(files) {
		quote, _ := ingest.Resolve(p.Place)
		fmt.Printf("%s, %s, line %d: %s\n", p.Title, p.Section, p.Place.Line, quote)
	}
	// Output: Orvanta, Dose, line 5: Adults take one tablet. Take it with water.
}
