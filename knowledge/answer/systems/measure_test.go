package systems_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"lacuna/knowledge"
	"lacuna/knowledge/answer"
	"lacuna/knowledge/answer/extract"
	"lacuna/knowledge/eval"
	"lacuna/knowledge/gap"
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

// openLibrary indexes one file of passages, trained and fitted as in use.
func openLibrary(t testing.TB, name, file string) *knowledge.Library {
	t.Helper()
	return openSource(t, name, ingest.Source{Name: "data", Kind: passage.Text, Path: file}, gap.Companion())
}

// openSource indexes a source. Set LACUNA_CACHE_DIR to keep the index from one run to the next;
// training takes about a minute.
func openSource(t testing.TB, name string, source ingest.Source, companions ...knowledge.Companion) *knowledge.Library {
	t.Helper()
	index, err := knowledge.Open(knowledge.Options{
		Sources: []ingest.Source{source}, Dir: filepath.Join(cacheDir(t), name), Companions: companions,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { index.Close() })
	if err := index.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	return index.Library()
}

// cacheDir returns the folder LACUNA_CACHE_DIR names, made where it is missing, or a temporary one.
func cacheDir(t testing.TB) string {
	dir := os.Getenv("LACUNA_CACHE_DIR")
	if dir == "" {
		return t.TempDir()
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestCacheDirIsMade(t *testing.T) {
	want := filepath.Join(t.TempDir(), "not", "there", "yet")
	t.Setenv("LACUNA_CACHE_DIR", want)
	if info, err := os.Stat(cacheDir(t)); err != nil || !info.IsDir() {
		t.Errorf("%s is no folder: %v", want, err)
	}
}

// writeRows writes JSON Lines and returns the file's path.
func writeRows[T any](t testing.TB, name string, rows []T) string {
	t.Helper()
	var lines bytes.Buffer
	encoder := json.NewEncoder(&lines)
	for _, row := range rows {
		if err := encoder.Encode(row); err != nil {
			t.Fatal(err)
		}
	}
	file := filepath.Join(cacheDir(t), name+".jsonl")
	if err := os.WriteFile(file, lines.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// withoutRecords copies a file of the data less the records of another file.
func withoutRecords(t testing.TB, name, removed string) string {
	t.Helper()
	gone := make(map[string]bool)
	for _, row := range rows[struct{ ID string }](t, removed) {
		gone[row.ID] = true
	}
	var kept []map[string]string
	for _, row := range rows[map[string]string](t, name) {
		if !gone[row["id"]] {
			kept = append(kept, row)
		}
	}
	return writeRows(t, "knockout", kept)
}

// tally sums figures over questions and prints their means.
type tally struct {
	n    int
	sums map[string]float64
}

func (s *tally) add(figure string, value float64) {
	if s.sums == nil {
		s.sums = make(map[string]float64)
	}
	s.sums[figure] += value
}

func (s *tally) mean(figure string) float64 { return s.sums[figure] / float64(s.n) }

func (s *tally) String() string {
	parts := []string{fmt.Sprintf("n %d", s.n)}
	for _, figure := range slices.Sorted(maps.Keys(s.sums)) {
		parts = append(parts, fmt.Sprintf("%s %.3f", figure, s.mean(figure)))
	}
	return strings.Join(parts, ", ")
}

func one(yes bool) float64 {
	if yes {
		return 1
	}
	return 0
}

const pubmed = "kb/passages-pubmed.jsonl.gz"

// shown is all an answer shows.
func shown(r answer.Result) string {
	var parts []string
	for _, s := range r.Statements {
		parts = append(parts, s.Lead, s.Text)
	}
	return strings.Join(parts, " ")
}

// TestMeasureReading looks at the sentences alone, whatever the confidence in them.
func TestMeasureReading(t *testing.T) {
	questions := rows[question](t, "queries/bioasq.dev.jsonl.gz")
	library := openLibrary(t, "pubmed", dataFile(t, pubmed))
	means := make(map[extract.Amount]*tally)
	for _, amount := range []extract.Amount{extract.LeadOnly, extract.UpToThree, extract.Three} {
		strategy := &extract.Offline{Amount: amount, NoAbstain: true}
		all, factoids := &tally{}, &tally{}
		for _, q := range questions {
			result, err := strategy.Answer(t.Context(), library, answer.Question{Text: q.Question})
			if err != nil {
				t.Fatal(err)
			}
			text := shown(result)
			words, ideal := eval.Characters(text), eval.Characters(q.Ideal)
			all.n++
			all.add("rouge-2 recall", eval.ROUGE(words, ideal, 2).Recall)
			all.add("rouge-2", eval.ROUGE(words, ideal, 2).F1)
			all.add("rouge-l", eval.ROUGEL(words, ideal).F1)
			all.add("words", float64(len(words)))
			all.add("hit", one(len(result.Citations) > 0 && slices.Contains(q.Relevant, result.Citations[0].Passage.Record)))
			if q.Type == "factoid" {
				factoids.n++
				factoids.add("on screen", one(eval.Mentions(text, q.synonyms())))
			}
		}
		t.Logf("%-6s %v; factoids %v", amount, all, factoids)
		all.add("on screen", factoids.mean("on screen")*float64(all.n))
		means[amount] = all
	}
	if got := means[extract.LeadOnly].mean("rouge-l"); got < .355 {
		t.Errorf("ROUGE-L of the lead %.3f, promised .355", got)
	}
	if got := means[extract.UpToThree].mean("on screen"); got < .55 {
		t.Errorf("exact answers on screen %.3f, promised .55", got)
	}
}

// answers asks everything and checks that every citation of every answer resolves.
func answers(t *testing.T, library *knowledge.Library, questions []question) []answer.Result {
	t.Helper()
	strategy := &extract.Offline{Judge: gap.NewJudge()}
	results := make([]answer.Result, len(questions))
	for i, q := range questions {
		var err error
		if results[i], err = strategy.Answer(t.Context(), library, answer.Question{Text: q.Question}); err != nil {
			t.Fatal(err)
		}
		if results[i].Dropped > 0 || results[i].Failure != nil {
			t.Errorf("%q: %d quotes dropped, failure %v", q.Question, results[i].Dropped, results[i].Failure)
		}
	}
	return results
}

func TestMeasureAnswering(t *testing.T) {
	questions := rows[question](t, "queries/bioasq.dev.jsonl.gz")
	library := openLibrary(t, "pubmed", dataFile(t, pubmed))
	all, said := &tally{}, &tally{}
	var places []passage.Place
	var quotes []string
	for i, r := range answers(t, library, questions) {
		all.n++
		all.add(string(r.State), 1)
		all.add("milliseconds", r.Timings.Total.Seconds()*1000)
		all.add("milliseconds to read", r.Timings.Read.Seconds()*1000)
		for _, c := range r.Citations {
			places, quotes = append(places, c.Place()), append(quotes, c.Quote)
		}
		if r.State == answer.Answered {
			said.n++
			said.add("hit", one(slices.Contains(questions[i].Relevant, r.Citations[0].Passage.Record)))
		}
	}
	for i, found := range ingest.ResolveAll(places) {
		if found.Err != nil || found.Text != quotes[i] {
			t.Errorf("%q resolves to %q, %v", quotes[i], found.Text, found.Err)
		}
	}
	t.Logf("%v; answered %v; %d citations resolve", all, said, len(places))
}

func TestMeasureOffTopic(t *testing.T) {
	library := openLibrary(t, "pubmed", dataFile(t, pubmed))
	for _, name := range []string{"open/nq-open.dev.jsonl.gz", "open/webquestions.dev.jsonl.gz"} {
		all := &tally{}
		for _, r := range answers(t, library, rows[question](t, name)) {
			all.n++
			all.add("no citation", one(len(r.Citations) == 0))
			all.add(string(r.State), 1)
			all.add("reason "+string(r.Reason), 1)
		}
		t.Logf("%s: %v", name, all)
		if got := all.mean("no citation"); got < .95 {
			t.Errorf("%s: %.3f get no citation, promised .95", name, got)
		}
	}
}

// TestMeasureAbstention takes the evidence of half of the questions away, out of the base and out
// of the encoder's training.
func TestMeasureAbstention(t *testing.T) {
	relevant := make(map[string][]string)
	for _, q := range rows[question](t, "queries/bioasq.dev.jsonl.gz") {
		relevant[q.QID] = q.Relevant
	}
	questions := rows[question](t, "gaps/bioasq-knockout.dev.jsonl.gz")
	library := openLibrary(t, "knockout", withoutRecords(t, pubmed, "gaps/bioasq-knockout-removed.dev.jsonl.gz"))
	tallies := map[bool]*tally{true: {}, false: {}}
	said := &tally{}
	for i, r := range answers(t, library, questions) {
		covered := tallies[questions[i].Covered]
		covered.n++
		covered.add(string(r.State), 1)
		if r.State == answer.Answered {
			said.n++
			said.add("hit", one(slices.Contains(relevant[questions[i].QID], r.Citations[0].Passage.Record)))
		}
	}
	t.Logf("covered: %v; uncovered: %v; answered: %v", tallies[true], tallies[false], said)
}
