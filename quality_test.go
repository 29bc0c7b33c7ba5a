package main

import (
	"cmp"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"lacuna/knowledge"
	"lacuna/knowledge/answer"
	"lacuna/knowledge/answer/extract"
	"lacuna/knowledge/answer/support"
	"lacuna/knowledge/eval"
	"lacuna/knowledge/experiment/testset"
	"lacuna/knowledge/gap"
	"lacuna/knowledge/ingest"
	"lacuna/knowledge/par"
	"lacuna/knowledge/passage"
)

var update = flag.Bool("update", false, "write testdata/quality.txt again")

// TestQuality measures ranking, judge, reader and the check of claims on three small collections and
// compares four lines of figures with testdata/quality.txt, so that a change shows as a number in review.
// The figures are rounded so that every processor gives the same. testdata/quality/README.md says what the
// questions are and what a difference means.
func TestQuality(t *testing.T) {
	names := []string{"clinic", "ferry", "garden"}
	figures := make([]figures, len(names))
	par.Each(len(names), func(i int) { figures[i] = measureQuality(t, names[i]) })
	all := figures[0]
	for _, f := range figures[1:] {
		all.add(f)
	}
	golden := filepath.Join("testdata", "quality.txt")
	if *update {
		if err := os.WriteFile(golden, []byte(all.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if got := all.String(); got != string(want) {
		t.Errorf("the quality is\n%s\nand was\n%s\nIf that is meant, run with -update and say why in the commit; -v names the questions.", got, want)
	}
}

// figures holds what is measured on collections, question by question.
type figures struct {
	ndcg         []float64
	gaps         []eval.Prediction
	right, asked int // answers on screen that have the fact, of the questions that the pages answer
	wrong, other int // answers to questions that the pages do not answer, of those questions
	held, true   int // right claims that are accepted, of the right claims
	kept, false  int // wrong claims that are refused, of the wrong claims
}

func (f *figures) add(g figures) {
	f.ndcg, f.gaps = append(f.ndcg, g.ndcg...), append(f.gaps, g.gaps...)
	f.right, f.asked, f.wrong, f.other = f.right+g.right, f.asked+g.asked, f.wrong+g.wrong, f.other+g.other
	f.held, f.true, f.kept, f.false = f.held+g.held, f.true+g.true, f.kept+g.kept, f.false+g.false
}

func (f figures) String() string {
	sum := 0.0
	for _, v := range f.ndcg {
		sum += v
	}
	var b strings.Builder
	fmt.Fprintf(&b, "ranking: nDCG@10 %.2f over %d questions\n", sum/float64(len(f.ndcg)), len(f.ndcg))
	fmt.Fprintf(&b, "gaps: AUC %.2f over %d questions\n", eval.AUC(f.gaps), len(f.gaps))
	fmt.Fprintf(&b, "answers: %d of %d right on screen, %d of %d where the pages say nothing\n", f.right, f.asked, f.wrong, f.other)
	fmt.Fprintf(&b, "claims: %d of %d right ones accepted, %d of %d wrong ones refused\n", f.held, f.true, f.kept, f.false)
	return b.String()
}

// measureQuality measures on one collection.
func measureQuality(t *testing.T, name string) (f figures) {
	library := openCollection(t, name)
	file, err := os.Open(filepath.Join("testdata", "quality", name+".jsonl"))
	if err != nil {
		t.Error(err)
		return f
	}
	defer file.Close()
	queries, err := eval.ReadQueries(file)
	if err != nil {
		t.Error(err)
		return f
	}
	judge := gap.NewJudge()
	reader := &extract.Offline{Judge: judge}
	for _, q := range queries {
		v, err := judge.Judge(t.Context(), library, q.Text, nil)
		r, err2 := reader.Answer(t.Context(), library, answer.Question{Text: q.Text})
		hits, err3 := library.Search(t.Context(), knowledge.Query{Text: q.Text, K: 40, Kind: passage.Text})
		if err := cmp.Or(err, err2, err3); err != nil {
			t.Error(err)
			return f
		}
		f.gaps = append(f.gaps, eval.Prediction{Score: v.Probability, True: !*q.Covered})
		item := testset.Item{Query: q, Missing: !*q.Covered}
		if len(q.Exact) > 0 {
			item.Answers = q.Exact[0]
		}
		outcome := testset.Judge(item, r, hits, "")
		var shown []string
		for _, s := range r.Shown() {
			shown = append(shown, s.Text)
		}
		if !*q.Covered {
			f.other++
			if outcome.Trouble == testset.AnswerOfNone {
				f.wrong++
				t.Logf("%s %q is answered: %s", q.ID, q.Text, strings.Join(shown, " / "))
			}
			continue
		}
		ndcg := eval.NDCG(documentsOf(hits), q.Grades, 10)
		f.ndcg = append(f.ndcg, ndcg)
		f.asked++
		if outcome.Says {
			f.right++
		} else {
			t.Logf("%s %q (nDCG %.2f, missing %.2f) does not show %q: %s", q.ID, q.Text, ndcg, v.Probability, q.Exact[0], strings.Join(shown, " / "))
		}
	}
	f.checkClaims(t, name, library)
	return f
}

// openCollection indexes the pages of an example, or those in testdata/quality.
func openCollection(t *testing.T, name string) *knowledge.Library {
	sources := map[string][]ingest.Source{
		"clinic": {
			{Name: "guidelines", Kind: passage.Text, Path: "examples/clinic/kb/guidelines"},
			{Name: "history", Kind: passage.QA, Path: "examples/clinic/kb/history.jsonl"},
		},
		"garden": {{Name: "kb", Kind: passage.Text, Path: "examples/garden/kb"}, {Name: "questions", Kind: passage.QA, Path: "examples/garden/kb/questions.csv"}},
		"ferry":  {{Name: "kb", Kind: passage.Text, Path: "testdata/quality/ferry"}},
	}[name]
	for i := range sources {
		path, err := filepath.Abs(sources[i].Path)
		if err != nil {
			t.Error(err)
		}
		sources[i].Path = path
	}
	index, err := knowledge.Open(knowledge.Options{
		Dir: t.TempDir(), Sources: sources, Companions: []knowledge.Companion{gap.Companion(), extract.QuestionTypes{}},
	})
	if err != nil {
		t.Error(err)
		return knowledge.Pending()
	}
	t.Cleanup(func() { index.Close() })
	if err := index.Refresh(t.Context()); err != nil {
		t.Error(err)
	}
	return index.Library()
}

// documentsOf returns the documents of hits, each once, in order.
func documentsOf(hits []knowledge.Hit) []string {
	var documents []string
	for _, hit := range hits {
		if !slices.Contains(documents, hit.Passage.Record) {
			documents = append(documents, hit.Passage.Record)
		}
	}
	return documents
}

// checkClaims holds the claims about a collection against the pages that they are about.
func (f *figures) checkClaims(t *testing.T, name string, library *knowledge.Library) {
	claims, err := os.ReadFile(filepath.Join("testdata", "quality", "claims.txt"))
	if err != nil {
		t.Error(err)
		return
	}
	check := support.NewChecker(library, "", nil)
	for line := range strings.Lines(string(claims)) {
		fields := strings.SplitN(strings.TrimSpace(line), " ", 4)
		if fields[0] != name {
			continue
		}
		var page []answer.Evidence
		for at, p := range library.Passages() {
			if p.Record == fields[1] && p.Kind == passage.Text {
				page = append(page, answer.Evidence{Hit: &knowledge.Hit{Passage: p, Ordinal: at}})
			}
		}
		switch held := check.Supports(fields[3], page...); {
		case len(page) == 0:
			t.Errorf("no page %s in %s", fields[1], name)
		case fields[2] == "right":
			f.true++
			if held {
				f.held++
			} else {
				t.Logf("%s: refused though right: %s", name, fields[3])
			}
		default:
			f.false++
			if held {
				t.Logf("%s: accepted though wrong: %s", name, fields[3])
			} else {
				f.kept++
			}
		}
	}
}
