package knowledge

import (
	"archive/tar"
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"lacuna/knowledge/gate/trees"
	"lacuna/knowledge/ingest"
	"lacuna/knowledge/passage"
	"lacuna/knowledge/rerank"
)

// The trainer of the reranker's weights. It reads the folder LACUNA_DATA, and further collections of real
// documents in the folders of LACUNA_REAL, separated as in PATH, and takes a quarter of an hour; so it runs with
// LACUNA_LONG=1 only. With -update it writes the weights.

// lesson is a question with its candidates and what each is worth.
type lesson struct {
	rows   [][]float64
	grades []int // of the rows: 2 for what answers, 1 for what only stands on the right page
	best   int   // how many passages of the collection have the best grade
}

// training are the lessons of one collection.
type training struct {
	name    string
	lessons []lesson
}

// lessonsOf searches for questions in a collection of passages.
func lessonsOf(t *testing.T, name string, passages []*passage.Passage, questions []gradedQuestion) training {
	l, err := Build(t.Context(), passages, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	out := training{name: name}
	for _, q := range questions[:min(mostLessons, len(questions))] {
		s := &search{library: l, query: Query{Text: q.text}}
		collection := l.Collection(passage.Text)
		r := ranker{search: s, collection: collection, terms: s.terms(collection), depth: candidates}
		own := lesson{}
		rows, list := r.lesson(t)
		own.rows = rows
		for _, c := range list {
			own.grades = append(own.grades, q.grade(c.Passage))
		}
		for _, p := range passages {
			if q.grade(p) == answering {
				own.best++
			}
		}
		out.lessons = append(out.lessons, own)
	}
	return out
}

// lesson returns the candidates of a search before they are put in another order, and their features.
func (r *ranker) lesson(t *testing.T) ([][]float64, []rerank.Candidate) {
	var err error
	r.wording = r.collection.Wording(r.terms)
	if r.scores, err = r.collection.index.ScoreWays(t.Context(), r.terms, r.weights(), r.alternatives()); err != nil {
		t.Fatal(err)
	}
	defer r.scores.Release()
	var known bool
	if r.vector, known = r.collection.encoder.Encode(r.meant()); !known {
		return nil, nil
	}
	found, best, err := r.mixture(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if best == 0 {
		return nil, nil
	}
	q, list := r.reranked(found[:min(reordered, len(found))])
	return rerank.Features(q, list), list
}

// gradedQuestion is a question that says of a passage whether it answers.
type gradedQuestion struct {
	text  string
	grade func(*passage.Passage) int
}

// Grades of a passage.
const (
	onPage    = 1 // of the page that answers, but without the answer
	answering = 2
)

// jsonRows reads lines of JSON, which may be compressed.
func jsonRows[T any](t *testing.T, file string) []T {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Skip(err)
	}
	if strings.HasSuffix(file, ".gz") {
		z, err := gzip.NewReader(bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		if data, err = io.ReadAll(z); err != nil {
			t.Fatal(err)
		}
	}
	var all []T
	lines := bufio.NewScanner(bytes.NewReader(data))
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		var row T
		if err := json.Unmarshal(lines.Bytes(), &row); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		all = append(all, row)
	}
	return all
}

// recordsOf reads the passages of a file of records.
func recordsOf(t *testing.T, file string) []*passage.Passage {
	var list []*passage.Passage
	for _, r := range jsonRows[struct{ ID, Source, Section, Title, Text, Ref string }](t, file) {
		p := &passage.Passage{
			ID: passage.IDOf(r.Text), Source: r.Source, Record: r.ID, Document: r.Ref,
			Kind: passage.Text, Title: r.Title, Section: r.Section, Text: r.Text,
		}
		if p.Title != "" && p.Section != "" {
			p.Headings = []string{p.Section}
		}
		if p.Document == "" {
			p.Document = r.ID
		}
		list = append(list, p)
	}
	return list
}

// relevantOf reads questions that name the records that answer, at most some of them, in random order.
func relevantOf(t *testing.T, file string, most int) []gradedQuestion {
	rows := jsonRows[struct {
		Question string
		Relevant []string
	}](t, file)
	rand.New(rand.NewPCG(1, 2)).Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
	var list []gradedQuestion
	for _, r := range rows[:min(most, len(rows))] {
		list = append(list, gradedQuestion{r.Question, func(p *passage.Passage) int {
			if slices.Contains(r.Relevant, p.Record) {
				return answering
			}
			return 0
		}})
	}
	return list
}

// some returns a part of the passages, half of it for what they answer, with the questions that it answers.
func some(all []*passage.Passage, questions []gradedQuestion, size int) ([]*passage.Passage, []gradedQuestion) {
	random := rand.New(rand.NewPCG(1, 7))
	chosen := make(map[*passage.Passage]bool)
	for _, i := range random.Perm(len(questions)) {
		for _, p := range all {
			if len(chosen) < size/2 && questions[i].grade(p) > 0 {
				chosen[p] = true
			}
		}
		if len(chosen) == size/2 {
			break
		}
	}
	for len(chosen) < size {
		chosen[all[random.IntN(len(all))]] = true
	}
	part := slices.DeleteFunc(slices.Clone(all), func(p *passage.Passage) bool { return !chosen[p] })
	answered := slices.DeleteFunc(slices.Clone(questions), func(q gradedQuestion) bool {
		return !slices.ContainsFunc(part, func(p *passage.Passage) bool { return q.grade(p) > 0 })
	})
	return part, answered
}

// documents unpacks an archive and reads its passages.
func documents(t *testing.T, archive string) []*passage.Passage {
	folder := t.TempDir()
	file, err := os.Open(archive)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	unzipped, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	for entries := tar.NewReader(unzipped); ; {
		entry, err := entries.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if entry.Typeflag != tar.TypeReg || !filepath.IsLocal(entry.Name) {
			continue
		}
		data, err := io.ReadAll(entries)
		if err != nil {
			t.Fatal(err)
		}
		to := filepath.Join(folder, entry.Name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(to), 0o700), os.WriteFile(to, data, 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	source := ingest.Source{Name: "kb", Kind: passage.Text, Path: folder, Implicit: true, Confined: true}
	files, err := ingest.Read(t.Context(), ingest.DefaultLimits(), []ingest.Source{source}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	return ingest.Passages(files)
}

var (
	links  = regexp.MustCompile(`!?\[([^\]]*)\]\([^)]*\)`)
	wiki   = regexp.MustCompile(`\[\[(?:[^\]|]*\|)?([^\]]*)\]\]`)
	quotes = regexp.MustCompile(`\n\s*>+ ?`)
	marks  = strings.NewReplacer("*", "", "`", "")
)

// wordings returns a text on one line, as it stands and without the marks of Markdown.
func wordings(text string) []string {
	text = quotes.ReplaceAllString(strings.NewReplacer("\u00ad", "", "\u2011", "-").Replace(text), "\n")
	plain := marks.Replace(wiki.ReplaceAllString(links.ReplaceAllString(text, "$1"), "$1"))
	return []string{strings.Join(strings.Fields(text), " "), strings.Join(strings.Fields(plain), " ")}
}

// keyedOf reads questions that name pages and what stands in an answer.
func keyedOf(t *testing.T, file string) []gradedQuestion {
	var list []gradedQuestion
	for _, r := range jsonRows[struct {
		Question    string
		Answerable  bool
		Pages, Keys []string
	}](t, file) {
		if !r.Answerable {
			continue
		}
		var keys []*regexp.Regexp
		for _, key := range r.Keys {
			if compiled, err := regexp.Compile(key); err == nil { // some need what only Python's have
				keys = append(keys, compiled)
			}
		}
		list = append(list, gradedQuestion{r.Question, func(p *passage.Passage) int {
			switch {
			case !slices.ContainsFunc(r.Pages, func(page string) bool { return strings.HasPrefix(p.Record, page) }):
				return 0
			case slices.ContainsFunc(wordings(p.Text), func(text string) bool {
				return slices.ContainsFunc(keys, func(key *regexp.Regexp) bool { return key.MatchString(text) })
			}):
				return answering
			}
			return onPage
		}})
	}
	return list
}

// trainings reads everything there is to learn from.
func trainings(t *testing.T) []training {
	root := os.Getenv("LACUNA_DATA")
	if root == "" || os.Getenv("LACUNA_LONG") == "" {
		t.Skip("LACUNA_DATA names no folder with the data to learn from, or LACUNA_LONG is not 1")
	}
	var all []training
	for _, folder := range append([]string{filepath.Join(root, "real")}, filepath.SplitList(os.Getenv("LACUNA_REAL"))...) {
		files, _ := filepath.Glob(filepath.Join(folder, "questions", "*.jsonl"))
		for _, file := range files {
			name := strings.TrimSuffix(filepath.Base(file), ".jsonl")
			all = append(all, lessonsOf(t, name, documents(t, filepath.Join(folder, "corpora", name+".tar.gz")), keyedOf(t, file)))
		}
	}
	for _, set := range []struct{ name, records, questions string }{
		{"scifact", "scifact/corpus.jsonl.gz", "scifact/claims.dev.jsonl.gz"},
		{"bioasq", "kb/passages-pubmed.jsonl.gz", "queries/bioasq.dev.jsonl.gz"},
		{"pubmedqa", "kb/passages-pubmed.jsonl.gz", "queries/pubmedqa.dev.jsonl.gz"},
		{"huatuo", "zh/huatuo-answers.jsonl.gz", "zh/huatuo.dev.jsonl.gz"},
	} {
		records := recordsOf(t, filepath.Join(root, set.records))
		all = append(all, lessonsOf(t, set.name, records, relevantOf(t, filepath.Join(root, set.questions), mostLessons)))
		if set.name != "pubmedqa" {
			few, answered := some(records, relevantOf(t, filepath.Join(root, set.questions), math.MaxInt), 400)
			all = append(all, lessonsOf(t, set.name+", 400 texts", few, answered))
		}
	}
	return all
}

// How the trees are trained. Chosen by collections that were left out of the training; near these it makes
// little difference, but trees of 16 leaves or with leaves of 50 rows lose on strangers' documents.
const (
	mostLessons = 150 // of one collection
	evenRows    = 30  // first candidates that are all learnt from; of the others a third
)

var treeOptions = trees.Options{Leaves: 8, MinRows: 400, Rate: .05, Rounds: 150, Bins: 64}

// learn trains on collections. One counts as the root of the number of its questions.
func learn(t *testing.T, all []training) *trees.Model {
	var rows [][]float64
	var grades, start []float64
	var groups []trees.Group
	for _, own := range all {
		useful := slices.DeleteFunc(slices.Clone(own.lessons), func(l lesson) bool { return !slices.Contains(l.grades, answering) })
		useful = useful[:min(mostLessons, len(useful))]
		for _, l := range useful {
			from := len(rows)
			for i, row := range l.rows {
				if i >= evenRows && l.grades[i] != answering && i%3 > 0 {
					continue
				}
				rows = append(rows, row)
				grades = append(grades, float64(l.grades[i]/answering))
				start = append(start, rerank.Start*row[0])
			}
			groups = append(groups, trees.Group{Start: from, End: len(rows), Weight: math.Sqrt(10 / float64(len(useful)))})
		}
	}
	m, err := trees.Rank(rows, grades, start, groups, treeOptions)
	if err != nil {
		t.Fatal(err)
	}
	m.Names = rerank.Names()
	return m
}

// quality returns the mean nDCG@10 of what answers, and how often one of it is among the first five.
func (own training) quality(order func(rows [][]float64) []int) (ndcg, first float64) {
	for _, l := range own.lessons {
		gain, ideal, hit := 0.0, 0.0, 0.0
		for place := range min(10, l.best) {
			ideal += 1 / math.Log2(float64(place+2))
		}
		for place, i := range order(l.rows) {
			if l.grades[i] == answering && place < 10 {
				gain += 1 / math.Log2(float64(place+2))
				if place < 5 {
					hit = 1
				}
			}
		}
		if ideal > 0 {
			ndcg += gain / ideal / float64(len(own.lessons))
		}
		first += hit / float64(len(own.lessons))
	}
	return ndcg, first
}

func asFound(rows [][]float64) []int {
	order := make([]int, len(rows))
	for i := range order {
		order[i] = i
	}
	return order
}

// TestReranker trains the reranker without each sixth of the collections and prints what it gains on those.
// With -update it trains on all and writes the weights.
func TestReranker(t *testing.T) {
	all := trainings(t)
	if *update {
		file, err := os.Create(filepath.Join("rerank", "weights.txt"))
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(learn(t, all).Write(file), file.Close()); err != nil {
			t.Fatal(err)
		}
	}
	family := func(name string) string {
		if name == "pubmedqa" { // of the same texts
			name = "bioasq"
		}
		family, _, _ := strings.Cut(name, ",")
		return family
	}
	var families []string
	for _, own := range all {
		if f := family(own.name); !slices.Contains(families, f) {
			families = append(families, f)
		}
	}
	const folds = 6
	gained, n := 0.0, 0.0
	for fold := range folds {
		isOut := func(own training) bool { return slices.Index(families, family(own.name))%folds == fold }
		m := learn(t, slices.DeleteFunc(slices.Clone(all), isOut))
		for _, own := range all {
			if !isOut(own) {
				continue
			}
			before, firstBefore := own.quality(asFound)
			after, firstAfter := own.quality(func(rows [][]float64) []int { return rerank.By(m, rows) })
			t.Logf("%-24s %4d questions  nDCG@10 %.3f, left out %.3f  among the first five %.3f, left out %.3f", own.name, len(own.lessons), before, after, firstBefore, firstAfter)
			gained, n = gained+after-before, n+1
		}
	}
	t.Logf("mean gain %+.3f over %.0f collections", gained/n, n)
	if gained < 0 {
		t.Error("trees lose on collections that they have not seen")
	}
}
