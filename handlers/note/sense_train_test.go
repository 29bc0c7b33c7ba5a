package note

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"lacuna/handlers/note/sense"
	"lacuna/knowledge/gate/trees"
)

var updateWeights = flag.Bool("weights", false, "write the weights of package sense")

// labelledSpan is a question of a note, or what only looks like one, with what it is.
type labelledSpan struct {
	StartLine int    `json:"start_line"`
	EndLine   int    `json:"end_line"`
	Text      string `json:"text"`
	Label     string `json:"label"`
	Implicit  bool   `json:"implicit"`
}

type labelledNote struct {
	ID     string         `json:"id"`
	Lang   string         `json:"lang"`
	Format string         `json:"format"`
	Text   string         `json:"text"`
	Spans  []labelledSpan `json:"spans"`
}

func readLabelled(t testing.TB, path string) []labelledNote {
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	var notes []labelledNote
	in := bufio.NewScanner(z)
	in.Buffer(nil, 1<<24)
	for in.Scan() {
		var n labelledNote
		if err := json.Unmarshal(in.Bytes(), &n); err != nil {
			t.Fatal(err)
		}
		notes = append(notes, n)
	}
	return notes
}

// ownLabels are the marks of labels in testdata/sense, where "{{o|…}}" is an open question.
var ownLabels = map[string]string{
	"o": "open", "i": "open", "a": "answered-below", "r": "rhetorical", "l": "link-or-code", "s": "salutation-or-request",
	"q": "quoted", "f": "for-somebody-else", "c": "flashcard",
}

var ownMark = regexp.MustCompile(`\{\{(\w)\|(.*?)\}\}`)

// readOwn reads the notes of testdata/sense, each below a line "=== NAME LANGUAGE FORMAT".
func readOwn(t testing.TB) []labelledNote {
	var notes []labelledNote
	paths, _ := filepath.Glob(filepath.Join("testdata", "sense", "*.txt"))
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for part := range strings.SplitSeq("\n"+string(text), "\n=== ") {
			head, body, _ := strings.Cut(part, "\n")
			fields := strings.Fields(head)
			if len(fields) != 3 {
				continue
			}
			n := labelledNote{ID: fields[0], Lang: fields[1], Format: fields[2]}
			var lines []string
			for i, line := range strings.Split(body, "\n") {
				for _, m := range ownMark.FindAllStringSubmatch(line, -1) {
					label, known := ownLabels[m[1]]
					if !known {
						t.Fatalf("%s: label %q", path, m[1])
					}
					n.Spans = append(n.Spans, labelledSpan{i, i, m[2], label, m[1] == "i"})
				}
				lines = append(lines, ownMark.ReplaceAllString(line, "$2"))
			}
			n.Text = strings.Join(lines, "\n")
			notes = append(notes, n)
		}
	}
	return notes
}

var formats = map[string]Language{"markdown": Markdown, "text": Plaintext, "org": Org, "latex": Latex, "rst": RST}

// example is a candidate of a labelled note.
type example struct {
	note     int
	span     int // of the note that it meets, or none
	features []string
	reading  sense.Reading
	open     bool
	explicit bool
	weight   float64
	settled  bool
	q        Question
	p        float64
}

// words are compared as the scorer of the labelled notes does: Han by character.
func scoredWords(text string) []string {
	var words []string
	var word strings.Builder
	flush := func() {
		if word.Len() > 0 {
			words = append(words, word.String())
			word.Reset()
		}
	}
	for _, r := range strings.ToLower(text) {
		switch {
		case unicode.Is(unicode.Han, r):
			flush()
			words = append(words, string(r))
		case unicode.IsLetter(r), unicode.IsDigit(r):
			word.WriteRune(r)
		default:
			flush()
		}
	}
	flush()
	return words
}

func overlap(a, b string) float64 {
	x, y := scoredWords(a), scoredWords(b)
	if len(x)+len(y) == 0 {
		return 0
	}
	count := make(map[string]int)
	for _, w := range x {
		count[w]++
	}
	same := 0
	for _, w := range y {
		if count[w] > 0 {
			count[w]--
			same++
		}
	}
	return 2 * float64(same) / float64(len(x)+len(y))
}

func examplesOf(notes []labelledNote) []example {
	var all []example
	for i, l := range notes {
		n := Parse(l.Text, formats[l.Format])
		taken := make(map[int]bool)
		for _, q := range n.candidates {
			c := n.candidate(q)
			e := example{note: i, span: none, weight: weightOf(l), q: q, explicit: q.explicit || headsNothing(c), settled: q.Replied || q.Answer >= 0 && !n.Open(q),
				features: sense.Features(c), reading: sense.Read(c)}
			start, end := n.Lines.LineAt(q.Span.Start), n.Lines.LineAt(q.Span.End)
			best := .5
			for j, s := range l.Spans {
				if f := overlap(q.Text, s.Text); !taken[j] && s.StartLine <= end && start <= s.EndLine && f >= best {
					e.span, best = j, f
				}
			}
			if e.span != none {
				taken[e.span] = true
				e.open = l.Spans[e.span].Label == "open"
			}
			all = append(all, e)
		}
	}
	return all
}

// weightOf returns how much the examples of a note count. Short notes stand for all the notes with a question or two
// in little else, which nobody labels.
func weightOf(n labelledNote) float64 {
	if strings.Count(n.Text, "\n") < 16 {
		return 1.5
	}
	return 1
}

// train fits a logistic regression with a quadratic penalty, and leaves out features that occur in one note only.
func train(examples []example) map[string]float64 {
	notes := make(map[string]map[int]bool)
	for _, e := range examples {
		for _, f := range e.features {
			if notes[f] == nil {
				notes[f] = make(map[int]bool)
			}
			notes[f][e.note] = true
		}
	}
	weights := make(map[string]float64)
	for f, in := range notes {
		if len(in) >= leastNotes {
			weights[f] = 0
		}
	}
	// Accelerated gradient descent on indices.
	index, names := make(map[string]int, len(weights)), slices.Sorted(maps.Keys(weights))
	penalties := make([]float64, len(names))
	for i, f := range names {
		index[f], penalties[i] = i, penaltyOfOne*penaltyOf(f)
	}
	rows := make([][]int, len(examples))
	for i, e := range examples {
		for _, f := range e.features {
			if at, known := index[f]; known {
				rows[i] = append(rows[i], at)
			}
		}
	}
	w, ahead, gradient := make([]float64, len(names)), make([]float64, len(names)), make([]float64, len(names))
	const rounds, rate = 800, .001
	for round := range rounds {
		for i := range gradient {
			gradient[i] = penalties[i] * ahead[i]
		}
		for i, row := range rows {
			sum := 0.0
			for _, at := range row {
				sum += ahead[at]
			}
			wrong := 1 / (1 + math.Exp(-sum))
			if examples[i].open {
				wrong--
			}
			for _, at := range row {
				gradient[at] += wrong * examples[i].weight
			}
		}
		momentum := float64(round) / float64(round+3)
		for i := range w {
			next := ahead[i] - rate*gradient[i]
			ahead[i] = next + momentum*(next-w[i])
			w[i] = next
		}
	}
	for i, f := range names {
		weights[f] = w[i]
	}
	return weights
}

// penaltyOf is larger for words, of which there are many, than for classes of words and forms.
func penaltyOf(feature string) float64 {
	feature = strings.TrimPrefix(feature, "u ")
	starts := func(prefixes ...string) bool {
		return slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(feature, p) })
	}
	switch {
	case feature == "one":
		return .01
	case starts("reply "):
		return 1.5
	case starts("below", "next ", "title:", "section:", "behind:", "ahead:"):
		return aroundPenalty
	case strings.Contains(feature, "<"), starts("len:", "who:", "asked:"):
		return 1.5
	case strings.Contains(feature, ":"):
		return wordPenalty
	}
	return 1
}

const (
	aroundPenalty = 4
	wordPenalty   = 3
	leastNotes    = 2
	penaltyOfOne  = .8
)

func logOdds(weights map[string]float64, features []string) float64 {
	sum := 0.0
	for _, f := range features {
		sum += weights[f]
	}
	return sum
}

// trained are the weights of package sense.
type trained struct {
	linear map[string]float64
	trees  *trees.Model
}

// innerFolds is the number of parts of the notes trained on, each of which is read by a regression that did not see it:
// the trees learn how far the regression can be trusted on what it does not know.
const innerFolds = 5

// learn trains the regression and the trees. Examples of a note must follow each other.
func learn(t testing.TB, examples []example) trained {
	read := slices.Clone(examples)
	for fold := range innerFolds {
		in := func(e example) bool { return (e.note/10+e.note)%innerFolds == fold }
		weights := train(slices.DeleteFunc(slices.Clone(examples), in))
		for i := range read {
			if e := &read[i]; in(*e) {
				e.reading.LogOdds = logOdds(weights, e.features)
			}
		}
	}
	rows, targets := rowsOf(read), make([]float64, len(read))
	for i, e := range read {
		if e.open {
			targets[i] = 1
		}
	}
	model, _, err := trees.Train(rows, targets, trees.Options{Leaves: 6, Rate: .04, Rounds: 150, MinRows: 20})
	if err != nil {
		t.Fatal(err)
	}
	model.Names = sense.Names()
	return trained{train(examples), model}
}

// rowsOf returns what the trees decide by, note by note.
func rowsOf(examples []example) [][]float64 {
	var rows [][]float64
	for from := 0; from < len(examples); {
		var readings []sense.Reading
		to := from
		for ; to < len(examples) && examples[to].note == examples[from].note; to++ {
			readings = append(readings, examples[to].reading)
		}
		rows = append(rows, sense.Values(readings)...)
		from = to
	}
	return rows
}

// apply sets the probabilities of examples.
func (l trained) apply(t testing.TB, examples []example) {
	for i := range examples {
		e := &examples[i]
		e.reading.LogOdds = logOdds(l.linear, e.features)
	}
	for i, row := range rowsOf(examples) {
		p, err := l.trees.Predict(row)
		if err != nil {
			t.Fatal(err)
		}
		examples[i].p = p
	}
}

// figures of some examples at a threshold, as the scorer of the labelled notes counts.
func figures(notes []labelledNote, examples []example, from float64) string {
	explicit, implicit := 0, 0
	wrong := make(map[string]int)
	labels := make(map[string]int)
	in := make(map[int]bool)
	for _, e := range examples {
		in[e.note] = true
	}
	for i := range in {
		for _, s := range notes[i].Spans {
			labels[s.Label]++
			if s.Label == "open" && s.Implicit {
				implicit++
			} else if s.Label == "open" {
				explicit++
			}
		}
	}
	found, foundImplicit, marks := 0, 0, 0
	for _, e := range examples {
		if e.settled || e.p < from && !e.explicit {
			continue
		}
		marks++
		switch {
		case e.span != none && e.open && notes[e.note].Spans[e.span].Implicit:
			foundImplicit++
		case e.span != none && e.open:
			found++
		default:
			label := "no span"
			if e.span != none {
				label = notes[e.note].Spans[e.span].Label
			}
			wrong[label]++
		}
	}
	var by []string
	for _, label := range slices.Sorted(maps.Keys(wrong)) {
		by = append(by, fmt.Sprintf("%s %d/%d", label, wrong[label], labels[label]))
	}
	wrongs := marks - found - foundImplicit
	return fmt.Sprintf("from %.2f: explicit P %.3f R %.3f (%d), implicit R %.3f (%d), all P %.3f; wrong: %s", from,
		float64(found)/float64(max(marks-foundImplicit, 1)), float64(found)/float64(max(explicit, 1)), explicit,
		float64(foundImplicit)/float64(max(implicit, 1)), implicit, float64(marks-wrongs)/float64(max(marks, 1)), strings.Join(by, ", "))
}

// TestSense trains the weights of package sense on labelled notes, without each tenth of them in turn, and prints how
// well they tell open questions on those. LACUNA_NOTES lists files of such notes; those of testdata/sense are always
// among the notes trained on. With -weights it trains on all and writes the weights.
func TestSense(t *testing.T) {
	paths := filepath.SplitList(os.Getenv("LACUNA_NOTES"))
	if len(paths) == 0 {
		t.Skip("LACUNA_NOTES names no labelled notes")
	}
	var notes []labelledNote
	firstPart := 0
	for i, path := range paths {
		notes = append(notes, readLabelled(t, path)...)
		if i == 0 {
			firstPart = len(notes)
		}
	}
	tested := len(notes)
	notes = append(notes, readOwn(t)...)
	examples := examplesOf(notes)
	const folds = 10
	var left []example
	for fold := range folds {
		in := func(e example) bool { return e.note < tested && e.note%folds == fold }
		out := slices.DeleteFunc(slices.Clone(examples), func(e example) bool { return !in(e) })
		learn(t, slices.DeleteFunc(slices.Clone(examples), in)).apply(t, out)
		left = append(left, out...)
	}
	slices.SortStableFunc(left, func(a, b example) int { return a.note - b.note })
	for _, from := range []float64{.3, likelyFrom, .5, .6, certainFrom, .7, .75, .8} {
		t.Log("left out, ", figures(notes, left, from))
	}
	t.Log("left out, first file: ", figures(notes, slices.DeleteFunc(slices.Clone(left), func(e example) bool { return e.note >= firstPart }), likelyFrom))
	t.Log("left out, first file: ", figures(notes, slices.DeleteFunc(slices.Clone(left), func(e example) bool { return e.note >= firstPart }), certainFrom))
	if path := os.Getenv("LACUNA_ERRORS"); path != "" {
		writeErrors(t, path, notes, left)
	}
	if !*updateWeights {
		return
	}
	all := learn(t, examples)
	var out bytes.Buffer
	for _, f := range slices.Sorted(maps.Keys(all.linear)) {
		if w := all.linear[f]; math.Abs(w) >= .005 {
			fmt.Fprintf(&out, "%s\t%.3f\n", f, w)
		}
	}
	if err := os.WriteFile(filepath.Join("sense", "weights.txt"), out.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	out.Reset()
	if err := all.trees.Write(&out); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join("sense", "weights.trees"), out.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}

// writeErrors writes each candidate with its label and its probability, a line each.
func writeErrors(t testing.TB, path string, notes []labelledNote, examples []example) {
	var out bytes.Buffer
	for _, e := range examples {
		l := notes[e.note]
		label := "none"
		if e.span != none {
			label = l.Spans[e.span].Label
		}
		c := Parse(l.Text, formats[l.Format]).candidate(e.q)
		fmt.Fprintf(&out, "%s\t%.2f\t%s\t%v\t%+v\n", label, e.p, l.ID, e.settled, c)
	}
	if err := os.WriteFile(path, out.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestFoundQuestions writes what the product holds for open questions of the notes in LACUNA_NOTES to the file
// LACUNA_FOUND: a line for each note with its questions, as their scorer reads it. LACUNA_QUESTIONS is
// diagnostics.questions.
func TestFoundQuestions(t *testing.T) {
	paths := filepath.SplitList(os.Getenv("LACUNA_NOTES"))
	if len(paths) == 0 || os.Getenv("LACUNA_FOUND") == "" {
		t.Skip("LACUNA_NOTES names no labelled notes, or LACUNA_FOUND no file")
	}
	out, err := os.Create(os.Getenv("LACUNA_FOUND"))
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	type found struct {
		StartLine int    `json:"start_line"`
		EndLine   int    `json:"end_line"`
		Text      string `json:"text"`
	}
	lines := json.NewEncoder(out)
	for _, path := range paths {
		for _, l := range readLabelled(t, path) {
			n := Parse(l.Text, formats[l.Format]).Reading(os.Getenv("LACUNA_QUESTIONS"))
			questions := []found{}
			for _, q := range n.OpenQuestions() {
				questions = append(questions, found{n.Lines.LineAt(q.Span.Start), n.Lines.LineAt(q.Span.End), q.Text})
			}
			if err := lines.Encode(map[string]any{"id": l.ID, "questions": questions}); err != nil {
				t.Fatal(err)
			}
		}
	}
}
