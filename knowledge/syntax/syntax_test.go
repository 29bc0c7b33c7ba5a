package syntax

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

var update = flag.Bool("update", false, "write testdata/predicates.golden anew")

func describe(s Sentence, p Predicate) string {
	names := func(words []int) string {
		var all []string
		for _, k := range words {
			all = append(all, s.Words[k].Text)
		}
		return strings.Join(all, "+")
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s(%s", s.Words[p.Word].Text, names(p.Subject))
	if len(p.Object) > 0 {
		fmt.Fprintf(&b, " → %s", names(p.Object))
	}
	if len(p.Recipient) > 0 {
		fmt.Fprintf(&b, ", to %s", names(p.Recipient))
	}
	for _, o := range p.Others {
		fmt.Fprintf(&b, "; %s %s", o.Preposition, s.Words[o.Word].Text)
	}
	b.WriteString(")")
	if p.Negated {
		b.WriteString(" not")
	}
	if p.Modal != "" {
		b.WriteString(" " + p.Modal)
	}
	if len(p.Conditions) > 0 {
		b.WriteString(" if " + names(p.Conditions))
	}
	return b.String()
}

// TestPredicates reads who does what to whom in the sentences of a file. What the parser gets wrong stands there as well.
func TestPredicates(t *testing.T) {
	name := filepath.Join("testdata", "predicates.golden")
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	var got strings.Builder
	language := "en"
	for _, line := range strings.Split(strings.ReplaceAll(string(data), "\r\n", "\n"), "\n") {
		switch {
		case line == "" || strings.HasPrefix(line, "\t"):
		case strings.HasPrefix(line, "#"):
			if strings.Contains(line, "German") {
				language = "de"
			}
			fmt.Fprintln(&got, line)
		default:
			fmt.Fprintln(&got, line)
			for _, s := range Parse(line, language) {
				for _, p := range s.Predicates() {
					fmt.Fprintf(&got, "\t%s\n", describe(s, p))
				}
			}
		}
	}
	if *update {
		if err := os.WriteFile(name, []byte(got.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if want := strings.ReplaceAll(string(data), "\r\n", "\n"); got.String() != want {
		t.Errorf("predicates differ from %s (write them with -update, then read the diff):\n%s", name, got.String())
	}
}

// check fails unless sentences are trees over words in order inside a text.
func check(t *testing.T, text string, sentences []Sentence) {
	t.Helper()
	at := 0
	for _, s := range sentences {
		roots := 0
		for i, w := range s.Words {
			if w.Start < at || w.End <= w.Start || w.End > len(text) || text[w.Start:w.End] != w.Text {
				t.Fatalf("word %d of %q has span %v", i, text, w.Span)
			}
			at = w.End
			if w.Head < -1 || w.Head >= len(s.Words) || w.Tag == "" || w.Relation == "" || w.Head == -1 != (w.Relation == "root") {
				t.Fatalf("word %d of %q: %+v", i, text, w)
			}
			if w.Head == -1 {
				roots++
			}
			steps := 0
			for h := i; h >= 0; h = s.Words[h].Head {
				if steps++; steps > len(s.Words) {
					t.Fatalf("a circle at word %d of %q", i, text)
				}
			}
			if p := s.Phrase(i); p.Start > w.Start || p.End < w.End {
				t.Fatalf("phrase %v does not hold word %d of %q", p, i, text)
			}
		}
		if roots != 1 {
			t.Fatalf("%d roots in %q", roots, text)
		}
		s.Predicates()
	}
}

func FuzzParse(f *testing.F) {
	for _, text := range []string{"", ".", "Lisinopril raises lithium.", "don't can't cannot 5mg b.i.d. e.g. 3,000.5-4", "zum Arzt\n- Liste\n1. Punkt", "\xff\xfe a\x00b", "'s 's n't -", strings.Repeat("a ", 300)} {
		f.Add(text, true)
		f.Add(text, false)
	}
	f.Fuzz(func(t *testing.T, text string, german bool) {
		if len(text) > 4096 {
			return
		}
		language := "en"
		if german {
			language = "de"
		}
		check(t, text, Parse(text, language))
	})
}

func TestWords(t *testing.T) {
	for text, want := range map[string]string{
		"Don't give 5mg b.i.d. to Ann's father.":    "Do n't give 5 mg b.i.d. to Ann 's father .",
		"It cannot be a long-term, non-drug remedy": "It can not be a long - term , non-drug remedy",
		"Dr. Lee saw 1,500.5 ml/h (50%) on Monday.": "Dr. Lee saw 1,500.5 ml / h ( 50 % ) on Monday .",
	} {
		var words []string
		for _, s := range Parse(text, "en") {
			for _, w := range s.Words {
				words = append(words, w.Text)
			}
		}
		if got := strings.Join(words, " "); got != want {
			t.Errorf("%q has the words\n%s, want\n%s", text, got, want)
		}
	}
	if got := Parse("他吃药。", "zh"); got != nil {
		t.Errorf("Chinese is not parsed, got %v", got)
	}
}

func TestParseAtOnce(t *testing.T) {
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() { check(t, "Lithium is raised by lisinopril.", Parse("Lithium is raised by lisinopril.", "en")) })
	}
	group.Wait()
}

func BenchmarkParse(b *testing.B) {
	text := strings.Repeat("Lisinopril, which lowers blood pressure, may raise the level of lithium if the kidneys of the patient do not work well. Check the level within a week of each change of dose. ", 20)
	words := 0
	for _, s := range Parse(text, "en") {
		words += len(s.Words)
	}
	weights := models["en"]()
	b.ReportAllocs()
	for b.Loop() {
		parse(text, "en", weights)
	}
	b.ReportMetric(float64(words*b.N)/b.Elapsed().Seconds(), "words/s")
}
