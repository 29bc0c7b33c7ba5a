package knowledge_test

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"lacuna/knowledge"
	"lacuna/knowledge/eval"
	"lacuna/knowledge/lexical"
	"lacuna/knowledge/passage"
)

// row is a line of any of the measured data sets.
type row struct {
	ID, QID, PMID                string
	Source, Section, Title, Text string
	Ref                          string
	Question, Answer             string
	Focus                        any // a word, or a list in LiveQA
	QType                        string
	Synonyms                     []string
	Relevant                     []string
	Subject, Message, Summary    string
	Open                         map[string]int `json:"qrels_open"`
	Restricted                   map[string]int `json:"qrels_restricted"`
}

// rows reads a gzipped JSON Lines file below the data folder, or skips the test without one.
func rows(t testing.TB, name string) []row {
	t.Helper()
	folder := os.Getenv("LACUNA_DATA")
	if folder == "" {
		t.Skip("LACUNA_DATA names no folder with the data to measure on")
	}
	file, err := os.Open(filepath.Join(folder, name))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	unzipped, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	var list []row
	lines := bufio.NewScanner(unzipped)
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		var r row
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		list = append(list, r)
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return list
}

// texts returns the passages of running text in some files.
func texts(t testing.TB, names ...string) []*passage.Passage {
	var list []*passage.Passage
	for _, name := range names {
		for _, r := range rows(t, name) {
			p := &passage.Passage{
				ID: passage.IDOf(r.Text), Source: r.Source, Record: r.ID, Document: r.Ref,
				Kind: passage.Text, Title: r.Title, Section: r.Section, Text: r.Text,
			}
			if p.Document == "" {
				p.Document = r.ID
			}
			list = append(list, p)
		}
	}
	return list
}

// pairs returns the stored questions in some files.
func pairs(t testing.TB, names ...string) []*passage.Passage {
	var list []*passage.Passage
	for _, name := range names {
		for _, r := range rows(t, name) {
			focus, _ := r.Focus.(string)
			p := &passage.Passage{
				ID: passage.IDOf(r.Answer), Source: r.Source, Record: r.ID, Document: focus,
				Kind: passage.QA, Title: focus, Section: r.QType,
				Question: r.Question, Also: r.Synonyms, Text: r.Answer,
			}
			if r.Answer == "" {
				p.ID = passage.IDOf(r.Question)
			}
			if p.Document == "" {
				p.Document = r.ID
			}
			list = append(list, p)
		}
	}
	return list
}

// asked is a question with the records that answer it.
type asked struct {
	text   string
	grades map[string]int
}

// questions returns the questions of a file with binary judgements.
func questions(t testing.TB, name string) []asked {
	var list []asked
	for _, r := range rows(t, name) {
		grades := make(map[string]int)
		for _, id := range r.Relevant {
			grades[id] = 1
		}
		list = append(list, asked{r.Question, grades})
	}
	return list
}

// letters returns LiveQA's questions, as written (subject and body) or in one clear sentence, with the stored questions
// whose answers were judged 3 or better.
func letters(t testing.TB, text func(row) string) []asked {
	var list []asked
	for _, r := range rows(t, "queries/liveqa-med.dev.jsonl.gz") {
		grades := make(map[string]int)
		maps.Copy(grades, r.Open)
		maps.Copy(grades, r.Restricted)
		maps.DeleteFunc(grades, func(id string, grade int) bool { return grade < 3 || strings.HasPrefix(id, "J-") })
		for id := range grades {
			grades[id] = 1
		}
		if len(grades) > 0 {
			list = append(list, asked{text(r), grades})
		}
	}
	return list
}

// ndcg searches for all questions and returns the nDCG@10 of each.
func ndcg(t testing.TB, l *knowledge.Library, retriever knowledge.Retriever, questions []asked) []float64 {
	var values []float64
	for _, q := range questions {
		hits, err := l.Search(t.Context(), knowledge.Query{Text: q.text, Retriever: retriever})
		if err != nil {
			t.Fatal(err)
		}
		var ranked []string
		for _, hit := range hits {
			ranked = append(ranked, hit.Passage.Record)
		}
		values = append(values, eval.NDCG(ranked, q.grades, 10))
	}
	return values
}

func mean(values []float64) float64 {
	sum := 0.0
	for _, value := range values {
		sum += value
	}
	return sum / float64(len(values))
}

// measureSlips asks every third question with a slip of spelling in its rarest word.
func measureSlips(t *testing.T, l *knowledge.Library, list []asked) {
	var misspelt []asked
	for i := 0; i < len(list); i += 3 {
		misspelt = append(misspelt, asked{withSlip(l.Collection(passage.Text), list[i].text, uint64(i)), list[i].grades})
	}
	found := mean(ndcg(t, l, knowledge.Hybrid, misspelt))
	t.Logf("%d questions with a slip: hybrid %.4f", len(misspelt), found)
	if found < 0.76 {
		t.Errorf("slips of spelling: %.4f", found)
	}
}

// withSlip replaces, drops, swaps or doubles a letter of the rarest word that the collection has, of six
// letters or more; not its first.
func withSlip(collection *knowledge.Collection, text string, seed uint64) string {
	rarest, start, end := 0.0, 0, 0
	for _, token := range lexical.Content(text) {
		word := text[token.Start:token.End]
		plain := len(word) >= 6 && word != strings.ToUpper(word) && !strings.ContainsAny(word, "0123456789")
		if idf := collection.IDF(token.Term); plain && collection.DocFreq(token.Term) > 0 && idf > rarest {
			rarest, start, end = idf, token.Start, token.End
		}
	}
	if end == 0 {
		return text
	}
	random := rand.New(rand.NewPCG(seed, 1))
	word := []byte(text[start:end])
	at := 1 + random.IntN(len(word)-2)
	switch random.IntN(4) {
	case 0:
		word[at] = "aeioustrn"[random.IntN(9)]
	case 1:
		word = slices.Delete(word, at, at+1)
	case 2:
		word[at], word[at+1] = word[at+1], word[at]
	case 3:
		word = slices.Insert(word, at, word[at])
	}
	return text[:start] + string(word) + text[end:]
}

// TestQuality measures how well passages are found on public data and prints a table. The figures
// it asks for were set as goals before anything was built; they leave room for another machine's
// rounding, not for a worse search.
func TestQuality(t *testing.T) {
	for _, base := range []struct {
		name      string
		passages  func(testing.TB) []*passage.Passage
		questions map[string]func(testing.TB) []asked
		goals     map[string]float64
	}{
		{"scifact", func(t testing.TB) []*passage.Passage { return texts(t, "scifact/corpus.jsonl.gz") },
			map[string]func(testing.TB) []asked{
				"claims": func(t testing.TB) []asked { return questions(t, "scifact/claims.dev.jsonl.gz") }},
			map[string]float64{"claims": 0.72}},
		{"pubmed", func(t testing.TB) []*passage.Passage { return texts(t, "kb/passages-pubmed.jsonl.gz") },
			map[string]func(testing.TB) []asked{
				"bioasq":   func(t testing.TB) []asked { return questions(t, "queries/bioasq.dev.jsonl.gz") },
				"pubmedqa": func(t testing.TB) []asked { return questions(t, "queries/pubmedqa.dev.jsonl.gz") }},
			map[string]float64{"bioasq": 0.82, "pubmedqa": 0.79}},
		{"huatuo", func(t testing.TB) []*passage.Passage { return texts(t, "zh/huatuo-answers.jsonl.gz") },
			map[string]func(testing.TB) []asked{
				"questions": func(t testing.TB) []asked { return questions(t, "zh/huatuo.dev.jsonl.gz") }},
			map[string]float64{"questions": 0.35}},
		{"medquad", func(t testing.TB) []*passage.Passage {
			return pairs(t, "kb/medquad.jsonl.gz", "kb/medquad-questions-only.jsonl.gz")
		},
			map[string]func(testing.TB) []asked{
				"summary": func(t testing.TB) []asked { return letters(t, func(r row) string { return r.Summary }) },
				"message": func(t testing.TB) []asked {
					return letters(t, func(r row) string { return r.Subject + "\n" + r.Message })
				}},
			map[string]float64{"summary": 0.57, "message": 0.46}},
	} {
		t.Run(base.name, func(t *testing.T) {
			passages := base.passages(t)
			start := time.Now()
			l, err := knowledge.Build(t.Context(), passages, t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%d passages built in %v", len(passages), time.Since(start).Round(time.Second/10))
			for name, read := range base.questions {
				list := read(t)
				if name == "bioasq" {
					measureSlips(t, l, list)
				}
				line := fmt.Sprintf("%-10s %5d queries", name, len(list))
				found := make(map[knowledge.Retriever]float64)
				for _, retriever := range []knowledge.Retriever{knowledge.BM25, knowledge.Dense, knowledge.Hybrid} {
					values := ndcg(t, l, retriever, list)
					found[retriever] = mean(values)
					low, high := eval.Bootstrap(values, mean, 10_000, 1)
					line += fmt.Sprintf("  %s %.4f [%.3f-%.3f]", retriever, found[retriever], low, high)
				}
				t.Log(line)
				if found[knowledge.Hybrid] < found[knowledge.BM25] || found[knowledge.Hybrid] < base.goals[name] {
					t.Errorf("%s: hybrid %.4f, bm25 %.4f, goal %.2f", name, found[knowledge.Hybrid], found[knowledge.BM25], base.goals[name])
				}
			}
		})
	}
}
