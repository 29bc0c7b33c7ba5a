package claims

import (
	"path/filepath"
	"strings"
	"testing"

	"lacuna/handlers/note"
	"lacuna/knowledge/answer/answertest"
	"lacuna/knowledge/entail"
	"lacuna/knowledge/passage"
)

// figures judges by figures alone: a sentence that stands in a source is stated, and one that differs from a
// sentence there in "nine" for "two" is contradicted.
func figures(claim, _ string, sources ...entail.Source) entail.Judgement {
	for i, s := range sources {
		for _, said := range []string{claim, strings.Replace(claim, "nine", "two", 1)} {
			at := strings.Index(s.Text, strings.TrimRight(said, "."))
			if at < 0 {
				continue
			}
			quote := entail.Quote{Source: i, Span: passage.Span{Start: at, End: at + len(said)}}
			if said == claim {
				return entail.Judgement{Verdict: entail.States, Evidence: []entail.Quote{quote}}
			}
			by := strings.Index(claim, "nine")
			stated := entail.Quote{Source: i, Span: passage.Span{Start: at + by, End: at + by + len("two")}}
			return entail.Judgement{Verdict: entail.Contradicts, Evidence: []entail.Quote{quote}, Differences: []entail.Difference{
				{Kind: entail.Number, Claimed: passage.Span{Start: by, End: by + len("nine")}, Stated: stated},
			}}
		}
	}
	return entail.Judgement{Verdict: entail.Absent}
}

func TestCheck(t *testing.T) {
	library, folder := answertest.Library(t, map[string]string{
		"gout.md":  "# Gout\n\nAn attack lasts two weeks.\n\n## Signs\n\nOne joint is *red* and swollen.\n",
		"fever.md": "# Fever\n\nA fever lasts two days.\n",
	})
	path := filepath.Join(folder, "note.md")
	gout, err := filepath.Rel(folder, library.Passages()[0].Place.File)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range library.Passages() {
		if strings.HasSuffix(p.Place.File, "gout.md") {
			gout, _ = filepath.Rel(folder, p.Place.File)
		}
	}
	gout = filepath.ToSlash(gout)
	for _, test := range []struct {
		text  string
		known bool
		want  entail.Verdict
		quote string
		other bool
	}{
		{"An attack lasts two weeks. [a/b](GOUT#L3)", true, entail.States, "An attack lasts two weeks.", false},
		{"An attack lasts nine weeks. [a/b](GOUT#L3)", true, entail.Contradicts, "An attack lasts two weeks.", false},
		{"An attack lasts nine weeks [[gout]].", true, entail.Contradicts, "An attack lasts two weeks.", false},
		{"One joint is red and swollen. [a/b](GOUT#L3)", true, entail.States, "One joint is red and swollen.", false}, // elsewhere in the file
		{"A fever lasts two days. [[gout]]", true, entail.Absent, "", true},
		{"An attack lasts two weeks. [a/b](other.md#L3)", false, "", "", false},
		{"An attack lasts two weeks. [a/b](GOUT#L3) (own opinion)", false, "", "", false},
		{"An attack lasts nine weeks.", true, entail.Contradicts, "An attack lasts two weeks.", false},
		{"Nothing like it was seen before.", false, "", "", false},
	} {
		c := New()
		c.judge = figures
		n := note.Parse(strings.ReplaceAll(test.text, "GOUT", gout)+"\n", note.Markdown)
		sentences := n.Sentences(true)
		if len(sentences) != 1 {
			t.Fatalf("%q: %d sentences", test.text, len(sentences))
		}
		s := sentences[0]
		c.Check(t.Context(), library, path, s)
		f, known := c.Find(path, s)
		if known != test.known || known && (f.Verdict != test.want || f.Quote != test.quote || (f.Elsewhere != nil) != test.other) {
			t.Errorf("%q: %v %+v", test.text, known, f)
		}
		if !c.IsFresh(path, s, library.Generation()) || c.IsFresh(path, s, "another") {
			t.Errorf("%q is not fresh, or always", test.text)
		}
		if f.Verdict == entail.Contradicts {
			if d := f.Differences[0]; d.Said != "nine" || d.Stated != "two" || f.Quote[f.Stated[0].Start:f.Stated[0].End] != "two" {
				t.Errorf("%q: %+v", test.text, f)
			}
			if stands := f.Passage.Text[f.Span.Start:f.Span.End]; stands != test.quote {
				t.Errorf("%q is at %q", test.quote, stands)
			}
		}
	}
}

// TestJudgedOnce does not judge the same words and passages again, and forgets what is in no note.
func TestJudgedOnce(t *testing.T) {
	library, folder := answertest.Library(t, map[string]string{"gout.md": "# Gout\n\nAn attack lasts two weeks.\n"})
	c, times := New(), 0
	c.judge = func(claim, question string, sources ...entail.Source) entail.Judgement {
		times++
		return figures(claim, question, sources...)
	}
	s := note.Parse("An attack lasts two weeks. [[gout]]\n", note.Markdown).Sentences(false)[0]
	for _, name := range []string{"a.md", "a.md", "b.md"} {
		c.Check(t.Context(), library, filepath.Join(folder, name), s)
	}
	if times != 1 {
		t.Errorf("judged %d times", times)
	}
	for range 2 * mostForgotten {
		s.Key += "x"
		c.Check(t.Context(), library, filepath.Join(folder, "a.md"), s)
	}
	c.Retain(func(yield func(string, note.Sentence) bool) { yield(filepath.Join(folder, "a.md"), s) })
	if len(c.known) != 1 {
		t.Errorf("%d sentences are remembered", len(c.known))
	}
}
