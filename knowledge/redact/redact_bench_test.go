package redact

import (
	"bytes"
	"os"
	"testing"
)

// BenchmarkMessages redacts a request of some ten notes.
func BenchmarkMessages(b *testing.B) {
	notes, err := os.ReadFile("../../server/workspace/testdata/redaction.jsonl")
	if err != nil {
		b.Fatal(err)
	}
	text := string(bytes.ReplaceAll(notes[:12_000], []byte(`\n`), []byte("\n")))
	Messages([]string{text}, Options{}) // reads the lists
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		recent = recentTexts{found: make(map[string][]hit)}
		Messages([]string{text}, Options{})
	}
}
