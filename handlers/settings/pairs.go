package settings

import (
	"bufio"
	"compress/gzip"
	"encoding/csv"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"lacuna/vecmath/regular"
)

// maxPeek is how many bytes of a file are read to see what it holds.
const maxPeek = 1 << 20

// pairFiles returns the names of the files in a folder whose first record has the columns of a
// question-answer pair, sorted.
func pairFiles(folder string) []string {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil
	}
	var names []string
	for _, entry := range entries {
		if entry.Type().IsRegular() && holdsPairs(filepath.Join(folder, entry.Name())) {
			names = append(names, entry.Name())
		}
	}
	return names
}

func holdsPairs(path string) bool {
	name := strings.ToLower(path)
	plain := strings.TrimSuffix(name, ".gz")
	if !strings.HasSuffix(plain, ".jsonl") && !strings.HasSuffix(name, ".csv") {
		return false
	}
	file, err := regular.Open(path)
	if err != nil {
		return false
	}
	defer file.Close()
	var text io.Reader = file
	if plain != name {
		if text, err = gzip.NewReader(file); err != nil {
			return false
		}
	}
	columns := firstColumns(io.LimitReader(text, maxPeek), strings.HasSuffix(plain, ".csv"))
	return slices.Contains(columns, "question") && slices.Contains(columns, "answer")
}

// firstColumns returns the column names of a CSV file's head, or of the first JSON Lines record.
func firstColumns(text io.Reader, isCSV bool) []string {
	if isCSV {
		head, _ := csv.NewReader(text).Read()
		for i, column := range head {
			head[i] = strings.ToLower(strings.TrimSpace(strings.TrimPrefix(column, "\ufeff")))
		}
		return head
	}
	lines := bufio.NewScanner(text)
	lines.Buffer(nil, maxPeek)
	for lines.Scan() {
		line := strings.TrimSpace(strings.TrimPrefix(lines.Text(), "\ufeff"))
		if line == "" {
			continue
		}
		var record map[string]json.RawMessage
		if json.Unmarshal([]byte(line), &record) != nil {
			return nil
		}
		columns := make([]string, 0, len(record))
		for column := range record {
			columns = append(columns, column)
		}
		return columns
	}
	return nil
}
