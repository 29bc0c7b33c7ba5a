package query

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"lacuna/handlers/note"
	"lacuna/knowledge/lexical"
	"lacuna/knowledge/passage"
	"lacuna/knowledge/plaintext"
)

var fit = flag.Bool("fit", false, "write the weights that were fitted")

// labelled is a note whose questions people wrote out in full.
type labelled struct {
	ID, Lang, Format, Text string
	Spans                  []struct {
		StartLine  int `json:"start_line"`
		Text       string
		Label      string
		Searchable string
		Implicit   bool
	}
}

// example is an open question of such a note.
type example struct {
	note     *note.Note
	id       string
	lang     string
	question note.Question
	full     string
	asking   asking
	scope    *scope
	words    []*candidate
	right    []bool
}

// examples reads the notes of the file that LACUNA_NOTES names: JSON Lines, compressed by gzip.
func examples(t *testing.T) []*example {
	path := os.Getenv("LACUNA_NOTES")
	if path == "" {
		t.Skip("LACUNA_NOTES names no file of labelled notes")
	}
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	packed, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(packed)
	lines.Buffer(nil, 1<<24)
	var all []*example
	for lines.Scan() {
		var l labelled
		if err := json.Unmarshal(lines.Bytes(), &l); err != nil {
			t.Fatal(err)
		}
		ending := map[string]string{"markdown": "md", "text": "txt", "org": "org", "latex": "tex", "rst": "rst"}[l.Format]
		n := note.Parse(l.Text, note.LanguageOf("", "note."+ending))
		from := 0
		for _, s := range l.Spans {
			start, _ := n.Lines.Span(s.StartLine)
			from = max(from, start)
			at := strings.Index(l.Text[from:], s.Text)
			if at < 0 {
				t.Fatalf("%s: %q is not in the note", l.ID, s.Text)
			}
			span := passage.Span{Start: from + at, End: from + at + len(s.Text)}
			from = span.End
			if s.Label != "open" {
				continue
			}
			e := &example{note: n, id: l.ID, lang: l.Lang, full: s.Searchable,
				question: note.Question{Text: plaintext.OneLine(s.Text), Span: span, Answer: -1}}
			e.asking = read(e.question.Text)
			if e.asking.standsAlone() {
				all = append(all, e)
				continue
			}
			e.scope = scopeOf(n, span)
			e.words = e.asking.candidates(e.scope)
			wanted := make(map[string]bool)
			for _, term := range lexical.Terms(s.Searchable) {
				wanted[term] = true
			}
			for _, c := range e.words {
				e.right = append(e.right, wanted[c.term] || plaintext.HasHan(c.term) && strings.Contains(s.Searchable, c.term))
			}
			all = append(all, e)
		}
	}
	return all
}

// train fits weights by logistic regression with a ridge.
func train(rows []*example, penalty float64) *features {
	var w, first, second features
	n := 0.0
	for _, e := range rows {
		n += float64(len(e.words))
	}
	for step := 1; step <= 300; step++ {
		var gradient features
		for _, e := range rows {
			for i, c := range e.words {
				p := w.score(&c.features)
				if e.right[i] {
					p--
				}
				for j, x := range c.features {
					gradient[j] += p * x / n
				}
			}
		}
		for j := range w {
			g := gradient[j] + penalty*w[j]/n
			first[j] = .9*first[j] + .1*g
			second[j] = .999*second[j] + .001*g*g
			w[j] -= .05 * first[j] / (1 - math.Pow(.9, float64(step))) / (math.Sqrt(second[j]/(1-math.Pow(.999, float64(step)))) + 1e-9)
		}
	}
	return &w
}

// queryFigures are the measures of labelled notes: see the README of the set.
type queryFigures struct{ n, f1, contexts, context, untouched float64 }

var tokenPattern = regexp.MustCompile(`[\x{3400}-\x{9fff}\x{f900}-\x{faff}]|[\p{L}\p{N}]+`)

var stop = plaintext.Set(`a an and are as at be by can do does for from has have how if in into is it its of on or should that
the their there they this to was we what when where which who whom why will with would der die das den dem des ein eine
einer eines und oder ist sind wird werden bei mit nach von vom zu zum zur im in am an auf für wie was wann wer welche
welcher welches ob man es 的 了 吗 呢 是 在 和 与 有 什 么 怎 哪 多 少 否 能`)

// measured cuts a text into the words of the scorer: Han characters, and runs of other letters and digits.
func measured(text string) []string {
	var all []string
	for _, w := range tokenPattern.FindAllString(strings.ToLower(text), -1) {
		for len(w) > 0 {
			at := strings.IndexFunc(w, func(r rune) bool { return plaintext.HasHan(string(r)) })
			switch {
			case at < 0:
				all, w = append(all, w), ""
			case at == 0:
				size := len(string([]rune(w)[0]))
				all, w = append(all, w[:size]), w[size:]
			default:
				all, w = append(all, w[:at]), w[at:]
			}
		}
	}
	return all
}

func content(text string) []string {
	return slices.DeleteFunc(measured(text), func(w string) bool { return stop[w] })
}

func shared(a, b []string) float64 {
	count := make(map[string]int)
	for _, w := range a {
		count[w]++
	}
	n := 0.0
	for _, w := range b {
		if count[w] > 0 {
			count[w]--
			n++
		}
	}
	return n
}

func (f *queryFigures) add(e *example, query string) {
	want, given := content(e.full), content(query)
	f.n++
	if len(want)+len(given) > 0 {
		f.f1 += 2 * shared(want, given) / float64(len(want)+len(given))
	}
	if query == e.question.Text {
		f.untouched++
	}
	own := make(map[string]bool)
	for _, w := range measured(e.question.Text) {
		own[w] = true
	}
	extra := slices.DeleteFunc(slices.Clone(want), func(w string) bool { return own[w] })
	if len(extra) >= 2 {
		f.contexts++
		f.context += shared(extra, given) / float64(len(extra))
	}
}

func (f queryFigures) String() string {
	return fmt.Sprintf("%4.0f questions: query_f1 %.3f, query_context %.3f (%.0f), left as they are %.0f", f.n, f.f1/f.n, f.context/f.contexts, f.contexts, f.untouched)
}

// TestWeights fits the weights and measures them on notes that they were not fitted on.
func TestWeights(t *testing.T) {
	all := examples(t)
	var ids []string
	for _, e := range all {
		if !slices.Contains(ids, e.id) {
			ids = append(ids, e.id)
		}
	}
	const folds = 12
	of := func(e *example) int { return slices.Index(ids, e.id) % folds }
	var models [folds]*features
	for k := range folds {
		var rows []*example
		for _, e := range all {
			if of(e) != k {
				rows = append(rows, e)
			}
		}
		models[k] = train(rows, 1)
	}
	var plain, best queryFigures
	for _, e := range all {
		plain.add(e, e.question.Text)
		var taken []*candidate
		for i, c := range e.words {
			if e.right[i] {
				taken = append(taken, c)
			}
		}
		if e.asking.standsAlone() {
			best.add(e, e.question.Text)
		} else {
			best.add(e, e.scope.render(taken)+": "+e.question.Text)
		}
	}
	t.Logf("as written      %v", plain)
	t.Logf("all right words %v", best)
	for _, from := range []float64{.08, .1, .12, .14, .16, .2, .25, .3} {
		var f queryFigures
		for _, e := range all {
			query := e.question.Text
			if !e.asking.standsAlone() {
				if words := e.scope.render(e.asking.chooseBy(e.scope, models[of(e)], from)); words != "" {
					query = words + ": " + query
				}
			}
			f.add(e, query)
			if from == chosenFrom {
				t.Logf("%s %s\n    => %s", e.id, query, e.full)
			}
		}
		t.Logf("from %.2f       %v", from, f)
	}
	if !*fit {
		return
	}
	w := train(all, 1)
	var b strings.Builder
	for i, name := range featureNames {
		fmt.Fprintf(&b, "%s %.4f\n", name, w[i])
	}
	if err := os.WriteFile("weights.txt", []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}
