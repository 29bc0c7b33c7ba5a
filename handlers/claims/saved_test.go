package claims

import (
	"fmt"
	"maps"
	"path/filepath"
	"testing"
	"time"

	"lacuna/handlers/note"
	"lacuna/knowledge"
	"lacuna/knowledge/answer/answertest"
	"lacuna/knowledge/entail"
)

// citing is notes that cite pages, three sentences each, and the library before and after one page was saved.
type citing struct {
	before, after *knowledge.Library
	notes         map[string][]note.Sentence // by path
	onChanged     int                        // sentences that cite the page
}

// newCiting makes notes about pages; the first page changes. In every tenth sentence a figure differs from its page.
func newCiting(t testing.TB, notes, pages int) citing {
	t.Helper()
	files := make(map[string]string)
	line := func(page, kiln, degrees int) string {
		return fmt.Sprintf("Kiln %d of workshop %d is fired at %d degrees.", kiln, page, degrees)
	}
	for p := range pages {
		files[fmt.Sprintf("page-%d.md", p)] = fmt.Sprintf("# Workshop %d\n\n## First\n\n%s\n\n## Second\n\n%s\n\n## Third\n\n%s\n", p, line(p, 1, 1000+p), line(p, 2, 1100+p), line(p, 3, 1200+p))
	}
	var c citing
	c.before, _ = answertest.Library(t, files)
	changed := maps.Clone(files)
	changed["page-0.md"] = fmt.Sprintf("# Workshop 0\n\n## First\n\n%s\n\n## Second\n\n%s\n\n## Third\n\n%s\n", line(0, 1, 900), line(0, 2, 910), line(0, 3, 920))
	c.after, _ = answertest.Library(t, changed)
	c.notes = make(map[string][]note.Sentence)
	for i := range notes {
		text := "# Note\n"
		for kiln := 1; kiln <= 3; kiln++ {
			page := (i + kiln) % pages
			degrees := 900 + 100*kiln + page
			if (3*i+kiln)%10 == 0 {
				degrees += 7
			}
			if page == 0 {
				c.onChanged++
			}
			text += fmt.Sprintf("\n%s [[page-%d]]\n", line(page, kiln, degrees), page)
		}
		path := filepath.Join("notes", fmt.Sprint("note-", i, ".md"))
		c.notes[path] = note.Parse(text, note.Markdown).Sentences(false)
		if len(c.notes[path]) != 3 {
			t.Fatalf("%d sentences in %s", len(c.notes[path]), text)
		}
	}
	return c
}

// judge compares all sentences with a library and returns how many are said otherwise than before, and when that was
// known first.
func (c citing) judge(t testing.TB, with *Checker, library *knowledge.Library) (changed int, first time.Duration) {
	began := time.Now()
	for path, sentences := range c.notes {
		for _, s := range sentences {
			if with.IsFresh(path, s, library.Generation()) {
				t.Fatal("a sentence is fresh")
			}
			if with.Check(t.Context(), library, path, s) {
				if changed++; changed == 1 {
					first = time.Since(began)
				}
			}
		}
	}
	return changed, first
}

// TestOnlyWhatRestsOnASavedSource holds that when a page is saved, the sentences that cite it are compared again and no
// others.
func TestOnlyWhatRestsOnASavedSource(t *testing.T) {
	c := newCiting(t, 60, 20)
	with, compared := New(), 0
	with.judge = func(claim, question string, sources ...entail.Source) entail.Judgement {
		compared++
		return entail.Judge(claim, question, sources...)
	}
	c.judge(t, with, c.before)
	if compared < 3*len(c.notes)/4 { // some sentences are the same
		t.Errorf("%d comparisons of %d sentences", compared, 3*len(c.notes))
	}
	compared = 0
	changed, _ := c.judge(t, with, c.after)
	if compared == 0 || compared > 3*c.onChanged {
		t.Errorf("%d comparisons when %d sentences cite what changed", compared, c.onChanged)
	}
	if changed == 0 || changed > c.onChanged {
		t.Errorf("%d findings changed, %d sentences cite what changed", changed, c.onChanged)
	}
}

// BenchmarkSourceSaved judges 1,000 notes with three cited sentences each after one of 200 pages was saved.
func BenchmarkSourceSaved(b *testing.B) {
	c := newCiting(b, 1000, 200)
	var first, all, cold time.Duration
	compared, changed := 0, 0
	for b.Loop() {
		with := New()
		began := time.Now()
		c.judge(b, with, c.before)
		cold += time.Since(began)
		compared = 0
		with.judge = func(claim, question string, sources ...entail.Source) entail.Judgement {
			compared++
			return entail.Judge(claim, question, sources...)
		}
		began = time.Now()
		n, at := c.judge(b, with, c.after)
		changed, first, all = n, first+at, all+time.Since(began)
	}
	per := func(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 / float64(b.N) }
	b.ReportMetric(per(cold), "all-at-first-ms")
	b.ReportMetric(per(first), "first-change-ms")
	b.ReportMetric(per(all), "all-after-ms")
	b.ReportMetric(float64(compared), "compared")
	b.ReportMetric(float64(changed), "changed")
	b.ReportMetric(float64(c.onChanged), "rest-on-it")
}
