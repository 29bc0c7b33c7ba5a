package answer_test

import (
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lacuna/knowledge"
	"lacuna/knowledge/answer"
	"lacuna/knowledge/eval"
	"lacuna/knowledge/ingest"
	"lacuna/knowledge/passage"
)

// The measurements of this file need the development data: set LACUNA_DATA to its folder. They
// print figures with the number of questions behind them and hold the ones we promise.

// dataFile returns the path of a file of the development data, or skips the test.
func dataFile(t testing.TB, name string) string {
	t.Helper()
	folder := os.Getenv("LACUNA_DATA")
	if folder == "" {
		t.Skip("LACUNA_DATA is not set; this measures on the development data")
	}
	return filepath.Join(folder, filepath.FromSlash(name))
}

// rows reads gzipped JSON Lines.
func rows[T any](t testing.TB, name string) []T {
	t.Helper()
	file, err := os.Open(dataFile(t, name))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	inflated, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	var all []T
	for decoder := json.NewDecoder(inflated); ; {
		var row T
		if err := decoder.Decode(&row); errors.Is(err, io.EOF) {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		all = append(all, row)
	}
}

type question struct {
	QID      string          `json:"qid"`
	Question string          `json:"question"`
	Type     string          `json:"type"`
	Relevant []string        `json:"relevant"`
	Exact    json.RawMessage `json:"exact"`
	Ideal    string          `json:"ideal"`
	Covered  bool            `json:"covered"`
}

// synonyms of a factoid's exact answer, which comes as a list of strings or of lists of strings.
func (q question) synonyms() []string {
	var flat []string
	var nested [][]string
	if json.Unmarshal(q.Exact, &nested) == nil {
		for _, names := range nested {
			flat = append(flat, names...)
		}
		return flat
	}
	_ = json.Unmarshal(q.Exact, &flat) // of yes/no questions it is a bare string
	return flat
}

func (q question) marks(record string) bool {
	for _, relevant := range q.Relevant {
		if relevant == record {
			return true
		}
	}
	return false
}

// shownText is all an answer shows.
func shownText(r answer.Result) string {
	var shown []string
	for _, s := range r.Statements {
		shown = append(shown, s.Lead, s.Text)
	}
	return strings.Join(shown, " ")
}

// library of one file of the data, less the records left out.
func library(t testing.TB, name string, kind passage.Kind, without map[string]bool) *knowledge.Library {
	t.Helper()
	path := dataFile(t, name)
	files, err := ingest.Read(t.Context(), []ingest.Source{{Name: "data", Kind: kind, Path: path}}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	var kept []*passage.Passage
	for _, p := range ingest.Distinct(files) {
		if !without[p.Record] {
			kept = append(kept, p)
		}
	}
	built, err := knowledge.Build(t.Context(), kept, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return built
}

func TestMeasureBioASQ(t *testing.T) {
	questions := rows[question](t, "queries/bioasq.dev.jsonl.gz")
	base := library(t, "kb/passages-pubmed.jsonl.gz", passage.Text, nil)
	for _, amount := range []answer.Amount{answer.LeadOnly, answer.UpToThree, answer.Three} {
		var sequence, pairs, recall, hit, onScreen, factoids, words float64
		for _, q := range questions {
			said, err := answer.AnswerUnguarded(t.Context(), base, q.Question, amount)
			if err != nil {
				t.Fatal(err)
			}
			var parts []string
			for _, b := range said.Bullets {
				parts = append(parts, b.Lead, b.Text)
			}
			shown, ideal := eval.Characters(strings.Join(parts, " ")), eval.Characters(q.Ideal)
			sequence += eval.ROUGEL(shown, ideal).F1
			pairs += eval.ROUGE(shown, ideal, 2).F1
			recall += eval.ROUGE(shown, ideal, 2).Recall
			words += float64(len(shown))
			if q.marks(said.Record) {
				hit++
			}
			if q.Type == "factoid" {
				factoids++
				if eval.CoverMatch(strings.Join(parts, " "), q.synonyms()) {
					onScreen++
				}
			}
		}
		n := float64(len(questions))
		t.Logf("%s: n %.0f, ROUGE-2 recall %.3f F1 %.3f, ROUGE-L %.3f, hit %.3f, on screen %.3f (of %.0f), words %.1f",
			amount, n, recall/n, pairs/n, sequence/n, hit/n, onScreen/factoids, factoids, words/n)
	}
}
