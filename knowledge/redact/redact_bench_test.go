package redact

import (
	"bytes"
	"os"
	"strconv"
	"strings"
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

// BenchmarkCopies redacts a request that was copied from ten texts of twice its size: at first, and when the origins are known, as
// in all further requests of a question.
func BenchmarkCopies(b *testing.B) {
	notes, err := os.ReadFile("../../server/workspace/testdata/redaction.jsonl")
	if err != nil {
		b.Fatal(err)
	}
	text := string(bytes.ReplaceAll(notes[:24_000], []byte(`\n`), []byte("\n")))
	var origins []string
	request := "What is known of this?"
	for at := 0; at+2400 <= len(text); at += 2400 {
		origins = append(origins, strings.ToValidUTF8(text[at:at+2400], ""))
		request += "\n[1] " + strings.ToValidUTF8(strings.Join(strings.Fields(text[at+600:at+1800]), " "), "")
	}
	Messages([]string{request}, Options{Origins: origins})
	for _, first := range []bool{true, false} {
		b.Run(map[bool]string{true: "first", false: "again"}[first], func(b *testing.B) {
			b.SetBytes(int64(len(request)))
			for i := 0; b.Loop(); i++ {
				if first {
					recent = recentTexts{found: make(map[string][]hit)}
				}
				Messages([]string{request + strconv.Itoa(i)}, Options{Origins: origins})
			}
		})
	}
}

// BenchmarkLoad unpacks the tagger, as the first request to another machine does.
func BenchmarkLoad(b *testing.B) {
	for b.Loop() {
		readTagger()
	}
}
