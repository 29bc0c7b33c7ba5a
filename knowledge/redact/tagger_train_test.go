package redact

import (
	"archive/tar"
	"bufio"
	"bytes"
	"cmp"
	"compress/gzip"
	"encoding/json"
	"flag"
	"fmt"
	"html"
	"io"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

var update = flag.Bool("update", false, "write the weights")

// example is a labelled text.
type example struct {
	id, text string
	hand     string // the first letter of the id
	evidence
	labels []label
	spans  []Span // identifiers of the view
	weight float64
}

// yearAlone matches a date that is no more exact than a year.
var yearAlone = regexp.MustCompile(`^(?:(?:19|20)\d\d|'\d\d)$`)

// honorific matches what may stay of a name: a title, which names nobody.
var honorific = regexp.MustCompile(`^(?i:(?:mr|mrs|ms|miss|mx|dr|prof|professor|doctor|sister|sr|nurse|herrn?|frau|señora?|sra?|dra|don|doña|med)\b\.?\s+)+`)

var labelOf = map[string]label{"NAME": ofName, "PLACE": ofPlace, "DATE": ofDate, "ID": ofNumber, "CONTACT": ofContact, "AGE": ofAge}

// readExamples reads labelled notes from files of JSON Lines.
func readExamples(t *testing.T, names []string) []example {
	t.Helper()
	var all []example
	for _, name := range names {
		file, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		scanner := bufio.NewScanner(file)
		scanner.Buffer(nil, 1<<24)
		for scanner.Scan() {
			var n struct {
				ID, Lang, Text string
				Spans          []struct {
					Start, End  int
					Text, Class string
				}
			}
			if err := json.Unmarshal(scanner.Bytes(), &n); err != nil {
				t.Fatal(err)
			}
			var at []int
			for i := range n.Text {
				at = append(at, i)
			}
			at = append(at, len(n.Text))
			var spans []Span
			for _, s := range n.Spans {
				if s.Class == "NAME" {
					s.Start += utf8.RuneCountInString(honorific.FindString(s.Text))
				}
				if s.Class != "DATE" || !yearAlone.MatchString(s.Text) {
					spans = append(spans, Span{Class(s.Class), at[s.Start], at[s.End]})
				}
			}
			flat, moved := flatten(n.Text, spans)
			for _, e := range []example{labelled(n.ID, n.Text, spans), labelled(n.ID+" flat", flat, moved), thinned(n.ID+" thin", n.Text, spans)} {
				e.hand = n.ID[:1]
				all = append(all, e)
			}
		}
		file.Close()
	}
	return all
}

// labelled returns a text with its identifiers as an example.
func labelled(id, text string, spans []Span) example {
	e, v := exampleOf(text), newView(text)
	e.id = id
	for _, s := range spans {
		s.Start, s.End = v.at(s.Start), v.at(s.End)
		e.spans = append(e.spans, s)
		for i, p := range e.pieces {
			if p.start < s.End && s.Start < p.end {
				e.labels[i] = labelOf[string(s.Class)]
			}
		}
	}
	return e
}

// thinned is labelled with lists that lack a part of the words of the text, as they will lack a part of the words of
// other notes: they were completed from these.
func thinned(id, text string, spans []Span) example {
	random := rand.New(rand.NewPCG(uint64(len(text)), 7))
	lists := known()
	hidden := map[string]bool{}
	for _, t := range tokens(text) {
		if startsUpper(t.text) {
			hidden[t.lower] = hidden[t.lower] || random.Float64() < 0.4
		}
	}
	taken := map[*map[string]bool][]string{}
	for _, list := range []*map[string]bool{&lists.clinical, &lists.brand, &lists.eponym, &lists.given, &lists.surname, &lists.worldGiven, &lists.worldSurname, &lists.towns} {
		for word, is := range hidden {
			if is && (*list)[word] {
				delete(*list, word)
				taken[list] = append(taken[list], word)
			}
		}
	}
	e := labelled(id, text, spans)
	for list, words := range taken {
		for _, word := range words {
			(*list)[word] = true
		}
	}
	return e
}

// flatten writes a text in one line, as it stands in a prompt.
func flatten(text string, spans []Span) (string, []Span) {
	var b strings.Builder
	moved := slices.Clone(spans)
	space := false
	for i, r := range text {
		if r == ' ' || r == '\n' || r == '\t' || r == '\r' {
			space = true
		} else {
			if space && b.Len() > 0 {
				b.WriteByte(' ')
			}
			space = false
			for k, s := range spans {
				if s.Start == i {
					moved[k].Start = b.Len()
				}
			}
			b.WriteRune(r)
		}
		for k, s := range spans {
			if s.End == i+utf8.RuneLen(r) {
				moved[k].End = b.Len()
			}
		}
	}
	return b.String(), moved
}

func exampleOf(text string) example {
	v := newView(text)
	e := example{text: v.text, weight: 1}
	e.evidence = v.evidence()
	e.labels = make([]label, len(e.pieces))
	return e
}

// readOthers reads texts that name hardly anybody: pages about medicine in English and Chinese, and the notes of
// folder/notes. What the rules for dates, numbers and contacts find in them counts as found; names and places do not.
func readOthers(t *testing.T, folder string) []example {
	t.Helper()
	var all []example
	for name, every := range map[string]int{"kb/medquad.jsonl.gz": 60, "kb/passages-pubmed.jsonl.gz": 30, "zh/huatuo-answers.jsonl.gz": 300, "notes/notes.dev.jsonl.gz": 1} {
		file, err := os.Open(filepath.Join(folder, name))
		if err != nil {
			t.Fatal(err)
		}
		packed, err := gzip.NewReader(file)
		if err != nil {
			t.Fatal(err)
		}
		scanner := bufio.NewScanner(packed)
		scanner.Buffer(nil, 1<<26)
		for row := 0; scanner.Scan(); row++ {
			if row%every != 7%every {
				continue
			}
			var pair struct{ Question, Answer, Text string }
			if err := json.Unmarshal(scanner.Bytes(), &pair); err != nil {
				t.Fatal(err)
			}
			text := pair.Question + "\n" + pair.Answer + pair.Text
			if len(text) > 6000 {
				continue
			}
			e := exampleOf(text)
			for i, c := range e.class {
				if l := labelOfClass[c]; l == ofDate || l == ofContact || l == ofAge || l == ofNumber && e.certain[i] {
					e.labels[i] = l
				}
			}
			start := -1
			for i, l := range e.labels {
				if l != nothing && (i == 0 || e.labels[i-1] != l) {
					start = e.pieces[i].start
				}
				if l != nothing && (i == len(e.labels)-1 || e.labels[i+1] != l) {
					e.spans = append(e.spans, Span{classOfLabel[l], start, e.pieces[i].end})
				}
			}
			all = append(all, e)
		}
		file.Close()
	}
	lookAlikes, err := os.ReadFile("testdata/clinical.txt")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(lookAlikes)) {
		for _, context := range []string{line, strings.TrimSpace(line), "The patient was seen in clinic today with her notes.\n" + line} {
			e := exampleOf(context)
			e.weight = 3 // what may never change
			all = append(all, e)
		}
	}
	for i, text := range readPages(t, filepath.Join(folder, "real/corpora/office-de.tar.gz")) {
		if i%4 == 0 && len(text) < 3000 {
			all = append(all, exampleOf(text))
		}
	}
	slices.SortFunc(all, func(a, b example) int { return cmp.Compare(a.text, b.text) })
	return all
}

// readPages returns the texts of the HTML pages of an archive.
func readPages(t *testing.T, name string) []string {
	t.Helper()
	file, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	packed, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	pages := tar.NewReader(packed)
	for {
		header, err := pages.Next()
		if err != nil {
			return all
		}
		if strings.HasSuffix(header.Name, ".html") {
			text, err := io.ReadAll(pages)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, strings.Join(strings.Fields(html.UnescapeString(markup.ReplaceAllString(string(text), " "))), " "))
		}
	}
}

var markup = regexp.MustCompile(`(?s)<style.*?</style>|<[^<>]*>`)

// trainer holds the weights by number of feature.
type trainer struct {
	number  map[string]int
	names   []string
	w, g    [][labelCount]float64
	follows [labelCount][labelCount]float64
	fg      [labelCount][labelCount]float64
	random  *rand.Rand
}

// train fits the weights by stochastic gradient ascent of the likelihood with steps as AdaGrad takes them.
func train(examples []example, epochs int, decay float64) *tagger {
	tr := &trainer{number: map[string]int{}, random: rand.New(rand.NewPCG(3, 4))}
	count := map[string]int{}
	for _, e := range examples {
		for _, names := range e.features {
			for _, n := range names {
				count[n]++
			}
		}
	}
	for _, n := range slices.Sorted(maps.Keys(count)) {
		if count[n] >= leastCount {
			tr.number[n] = len(tr.names)
			tr.names = append(tr.names, n)
		}
	}
	tr.w, tr.g = make([][labelCount]float64, len(tr.names)), make([][labelCount]float64, len(tr.names))
	coded := make([][][]int32, len(examples))
	for k, e := range examples {
		coded[k] = make([][]int32, len(e.features))
		for i, names := range e.features {
			for _, n := range names {
				if j, ok := tr.number[n]; ok {
					coded[k][i] = append(coded[k][i], int32(j))
				}
			}
		}
	}
	random := rand.New(rand.NewPCG(1, 2))
	order := make([]int, len(examples))
	for i := range order {
		order[i] = i
	}
	average := make([][labelCount]float64, len(tr.names))
	var averageFollows [labelCount][labelCount]float64
	averaged := 0
	for epoch := range epochs {
		random.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
		for _, k := range order {
			tr.step(&examples[k], coded[k], decay)
		}
		if epoch >= epochs/2 {
			averaged++
			for j := range tr.w {
				for l := range labelCount {
					average[j][l] += tr.w[j][l]
				}
			}
			for a := range labelCount {
				for b := range labelCount {
					averageFollows[a][b] += tr.follows[a][b]
				}
			}
		}
	}
	t := &tagger{weights: map[string]*[labelCount]float64{}}
	for j, n := range tr.names {
		w := average[j]
		for l := range w {
			if w[l] *= (1 - dropout) / float64(averaged); math.Abs(w[l]) < leastWeight {
				w[l] = 0
			}
		}
		t.weights[n] = &w
	}
	for a := range labelCount {
		for b := range labelCount {
			t.follows[a][b] = averageFollows[a][b] / float64(averaged)
		}
	}
	return t
}

const (
	dropout     = 0.5 // the share of features that a step does without, so that no word alone decides
	leastCount  = 3   // of a feature in all texts
	leastWeight = 0.1
)

// step moves the weights along the gradient of one text.
func (tr *trainer) step(e *example, all [][]int32, decay float64) {
	coded := make([][]int32, len(all))
	for i, features := range all {
		for _, j := range features {
			if tr.random.Float64() >= dropout {
				coded[i] = append(coded[i], j)
			}
		}
	}
	const rate = 0.15
	scores := make([][labelCount]float64, len(coded))
	for i, features := range coded {
		for _, j := range features {
			for l := range labelCount {
				scores[i][l] += tr.w[j][l]
			}
		}
	}
	p, pairs := expected(scores, &tr.follows)
	for i, features := range coded {
		var grad [labelCount]float64
		for l := range labelCount {
			grad[l] = -p[i][l] * e.weight
		}
		grad[e.labels[i]] += e.weight
		small := true
		for _, g := range grad {
			small = small && math.Abs(g) < 1e-3
		}
		if small {
			continue
		}
		for _, j := range features {
			for l := range labelCount {
				g := grad[l] - decay*tr.w[j][l]
				tr.g[j][l] += g * g
				tr.w[j][l] += rate * g / math.Sqrt(tr.g[j][l]+1e-6)
			}
		}
	}
	for i := 1; i < len(e.labels); i++ {
		pairs[e.labels[i-1]][e.labels[i]]--
	}
	for a := range labelCount {
		for b := range labelCount {
			g := -pairs[a][b]*e.weight - decay*tr.follows[a][b]
			tr.fg[a][b] += g * g
			tr.follows[a][b] += rate * g / math.Sqrt(tr.fg[a][b]+1e-6)
		}
	}
}

// expected returns the probabilities of labels and the expected numbers of pairs of neighbours.
func expected(scores [][labelCount]float64, follows *[labelCount][labelCount]float64) ([][labelCount]float64, [labelCount][labelCount]float64) {
	p := marginals(scores, follows)
	var pairs [labelCount][labelCount]float64
	// The pairs follow from forward and backward sums; computing both again costs little beside the features.
	n := len(scores)
	forward, backward := make([][labelCount]float64, n), make([][labelCount]float64, n)
	local := make([][labelCount]float64, n)
	var step [labelCount][labelCount]float64
	for a := range labelCount {
		for b := range labelCount {
			step[a][b] = math.Exp(follows[a][b])
		}
	}
	for i := range n {
		most := slices.Max(scores[i][:])
		for l := range labelCount {
			local[i][l] = math.Exp(scores[i][l] - most)
			if i == 0 {
				forward[i][l] = local[i][l]
				continue
			}
			for a := range labelCount {
				forward[i][l] += forward[i-1][a] * step[a][l]
			}
			forward[i][l] *= local[i][l]
		}
		scale(&forward[i])
	}
	for l := range labelCount {
		backward[n-1][l] = 1
	}
	for i := n - 2; i >= 0; i-- {
		for l := range labelCount {
			for b := range labelCount {
				backward[i][l] += step[l][b] * local[i+1][b] * backward[i+1][b]
			}
		}
		scale(&backward[i])
	}
	for i := 1; i < n; i++ {
		var pair [labelCount][labelCount]float64
		sum := 0.0
		for a := range labelCount {
			for b := range labelCount {
				pair[a][b] = forward[i-1][a] * step[a][b] * local[i][b] * backward[i][b]
				sum += pair[a][b]
			}
		}
		for a := range labelCount {
			for b := range labelCount {
				pairs[a][b] += pair[a][b] / sum
			}
		}
	}
	return p, pairs
}

// score counts whole identifiers by class, and words that are replaced without need, as the shipped test does.
type score struct {
	found, n     map[string]int
	words, wrong int
	errors       *strings.Builder
}

func (s *score) add(e example, covered []Span) {
	in := func(at int) bool {
		return slices.ContainsFunc(covered, func(c Span) bool { return c.Start <= at && at < c.End })
	}
	for _, id := range e.spans {
		whole := true
		for i, r := range e.text[id.Start:id.End] {
			if (unicode.IsLetter(r) || unicode.IsDigit(r)) && !in(id.Start+i) {
				whole = false
			}
		}
		s.n[string(id.Class)]++
		if whole {
			s.found[string(id.Class)]++
		} else if s.errors != nil {
			fmt.Fprintf(s.errors, "%s missed %s %q in %q\n", e.id, id.Class, e.text[id.Start:id.End], nearby(e.text, id.Start, id.End))
		}
	}
	s.words += countPieces(e.text)
	for _, c := range covered {
		if !slices.ContainsFunc(e.spans, func(id Span) bool { return c.Start < id.End && id.Start < c.End }) {
			s.wrong += countPieces(e.text[c.Start:c.End])
			if s.errors != nil {
				fmt.Fprintf(s.errors, "%s wrong %s %q in %q\n", e.id, c.Class, e.text[c.Start:c.End], nearby(e.text, c.Start, c.End))
			}
		}
	}
}

// countPieces counts words, numbers and Chinese characters.
func countPieces(text string) int {
	n := 0
	for _, p := range pieces(text) {
		if p.kind != 'm' && p.kind != 'l' {
			n++
		}
	}
	return n
}

// nearby returns a part of a text with what stands next to it.
func nearby(text string, start, end int) string {
	return strings.ToValidUTF8(text[max(0, start-24):min(len(text), end+24)], "")
}

func (s *score) String() string {
	var b strings.Builder
	for _, class := range slices.Sorted(maps.Keys(s.n)) {
		fmt.Fprintf(&b, "%s %.3f (%d) ", class, float64(s.found[class])/float64(s.n[class]), s.n[class])
	}
	fmt.Fprintf(&b, "wrong %.1f", 1000*float64(s.wrong)/float64(s.words))
	return b.String()
}

// TestTagger fits the tagger and judges it, by fifths or by the hands in LACUNA_TAGGER_HANDS (first letters of ids, with commas
// between them), on notes that it was not fitted to. LACUNA_DATA is a folder with
// the texts of readOthers. LACUNA_TAGGER names other files of labelled notes, divided by colons, LACUNA_TAGGER_ONLY the
// beginning of the ids that are judged, with " flat" behind it as they stand in a prompt, and LACUNA_TAGGER_ERRORS a file for each error. With -update the weights are
// written, and nothing is judged.
func TestTagger(t *testing.T) {
	if os.Getenv("LACUNA_DATA") == "" {
		t.Skip("LACUNA_DATA is unset: the tagger is fitted again only when there are more notes")
	}
	notes := readExamples(t, strings.Split(cmp.Or(os.Getenv("LACUNA_TAGGER"), "../../server/workspace/testdata/redaction.jsonl"), ":"))
	clinical := readOthers(t, os.Getenv("LACUNA_DATA"))
	t.Logf("%d notes, %d texts about medicine", len(notes), len(clinical))
	const epochs, decay = 8, 1e-4
	type setting struct {
		name string
		from *thresholds
	}
	settings := []setting{{"shipped", shipped}}
	even := func(alone, found float64) *thresholds {
		var t thresholds
		for l := range labelCount {
			t.alone[l], t.found[l] = alone, found
		}
		return &t
	}
	never := even(2, 2)
	for _, at := range [][2]float64{{.02, .01}, {.05, .02}, {.1, .05}, {.2, .05}, {.5, .2}, {.5, .5}} {
		settings = append(settings, setting{fmt.Sprint(at), even(at[0], at[1])})
	}
	for l := ofName; l < ofAge; l++ {
		for _, at := range [][2]float64{{.02, .01}, {.05, .02}, {.1, .02}, {.1, .05}, {.2, .05}, {.3, .1}, {.5, .1}, {.5, .3}} {
			one := *never
			one.alone[l], one.found[l] = at[0], at[1]
			settings = append(settings, setting{string(labelLetters[l]) + fmt.Sprint(at), &one})
		}
	}
	only, flat := strings.CutSuffix(os.Getenv("LACUNA_TAGGER_ONLY"), " flat")
	scores := make([]score, len(settings))
	for i := range scores {
		scores[i] = score{found: map[string]int{}, n: map[string]int{}}
	}
	var errors strings.Builder
	scores[0].errors = &errors
	defer func() {
		if name := os.Getenv("LACUNA_TAGGER_ERRORS"); name != "" {
			os.WriteFile(name, []byte(errors.String()), 0o600)
		}
	}()
	negatives := make([]score, len(settings))
	for i := range negatives {
		negatives[i] = score{found: map[string]int{}, n: map[string]int{}}
	}
	// A fold is a fifth of the notes, or all of one hand.
	const copies = 3 // of a note
	foldOf := func(i int) string { return fmt.Sprint(i / copies % 5) }
	folds := []string{"0", "1", "2", "3", "4"}
	if hands := os.Getenv("LACUNA_TAGGER_HANDS"); hands != "" {
		folds = strings.Split(hands, ",")
		foldOf = func(i int) string { return notes[i].hand }
	}
	if *update {
		folds = nil
	}
	for number, fold := range folds {
		var fit []example
		for i, e := range notes {
			if foldOf(i) != fold {
				fit = append(fit, e)
			}
		}
		for i, e := range clinical {
			if i%5 != number {
				fit = append(fit, e)
			}
		}
		model := train(fit, epochs, decay)
		before := fmt.Sprint(&scores[0])
		for i, e := range notes {
			if foldOf(i) == fold && strings.HasPrefix(e.id, only) && strings.HasSuffix(e.id, " flat") == flat && !strings.HasSuffix(e.id, " thin") {
				p := model.probabilities(e.features)
				for k, set := range settings {
					scores[k].add(e, chosen(&e, p, set.from))
				}
			}
		}
		t.Logf("fold %s: up to it %s, with it %s", fold, before, &scores[0])
		for i, e := range clinical {
			if i%5 == number {
				p := model.probabilities(e.features)
				for k, set := range settings {
					negatives[k].add(e, chosen(&e, p, set.from))
				}
			}
		}
	}
	if *update {
		writeTagger(t, train(slices.Concat(notes, clinical), epochs, decay))
		return
	}
	for k, set := range settings {
		t.Logf("%s: %s; others %.2f of %d", set.name, &scores[k], 1000*float64(negatives[k].wrong)/float64(max(1, negatives[k].words)), negatives[k].words)
	}
}

// chosen returns what would be replaced in one text.
func chosen(e *example, p [][labelCount]float64, from *thresholds) []Span {
	hits := [][]hit{e.choose(e.text, p, from)}
	seenAgain([]view{{text: e.text}}, hits)
	var spans []Span
	for _, h := range trimHits(e.text, joinHits(e.text, mergeHits(hits[0]))) {
		spans = append(spans, Span{h.class, h.start, h.end})
	}
	return spans
}

// writeTagger writes the weights that matter.
func writeTagger(t *testing.T, model *tagger) {
	var b strings.Builder
	row := func(w [labelCount]float64) string {
		var parts []string
		for l, v := range w {
			if n := int(math.Round(100 * v)); n > 4 || n < -4 {
				parts = append(parts, fmt.Sprintf("%c%d", labelLetters[l], n))
			}
		}
		return strings.Join(parts, " ")
	}
	b.WriteString("# The weights of the tagger, in hundredths: see tagger.go.\n")
	for l := range labelCount {
		fmt.Fprintf(&b, "follows %c\t%s\n", labelLetters[l], row(model.follows[l]))
	}
	for _, name := range slices.SortedFunc(maps.Keys(model.weights), cmp.Compare[string]) {
		if r := row(*model.weights[name]); r != "" {
			fmt.Fprintf(&b, "%s\t%s\n", strings.ReplaceAll(name, "\n", "\v"), r)
		}
	}
	var packed bytes.Buffer
	w, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write([]byte(b.String())); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("tagger.txt.gz", packed.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	t.Logf("%d features, %d kB", strings.Count(b.String(), "\n"), packed.Len()/1000)
}
