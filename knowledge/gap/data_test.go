package gap

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"lacuna/knowledge/passage"
)

// dataFile is a file of the development data, or skips the test.
func dataFile(t testing.TB, name string) string {
	t.Helper()
	root := os.Getenv("LACUNA_DATA")
	if root == "" {
		t.Skip("LACUNA_DATA is not set: no development data to measure on")
	}
	path := filepath.Join(root, name)
	if _, err := os.Stat(path); err != nil {
		t.Skipf("no development data: %v", err)
	}
	return path
}

// readRows reads a gzip-compressed JSON Lines file of the development data.
func readRows[T any](t testing.TB, name string) []T {
	t.Helper()
	file, err := os.Open(dataFile(t, name))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	unzipped, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	var rows []T
	scanner := bufio.NewScanner(unzipped)
	scanner.Buffer(nil, 16<<20)
	for scanner.Scan() {
		var row T
		if err := json.Unmarshal(scanner.Bytes(), &row); err != nil {
			t.Fatal(err)
		}
		rows = append(rows, row)
	}
	if err := scanner.Err(); err != nil {
		t.Fatal(err)
	}
	return rows
}

// passageRow is a row of running text.
type passageRow struct{ ID, Source, Section, Title, Text, Ref string }

func (r passageRow) passage() *passage.Passage {
	document := r.Ref
	if document == "" {
		document = r.ID
	}
	return &passage.Passage{
		ID: passage.IDOf(r.Text), Source: "data", Record: r.ID, Document: document, Kind: passage.Text,
		Format: passage.Plain, Title: r.Title, Section: r.Section, Text: r.Text,
	}
}

// askedRow is a question with the rows that answer it, or with whether they are there.
type askedRow struct {
	QID, Question string
	Relevant      []string
	Covered       bool
}
