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
	"math/bits"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"lacuna/knowledge/par"
)

var update = flag.Bool("update", false, "write the weights")

// example is a labelled text.
type example struct {
	id, text string
	hand     string
	lang     string
	evidence
	coded  [][]int32 // the features by number
	labels []label
	spans  []Span // identifiers of the view
	weight float64
}

// yearAlone matches a date that is no more exact than a year.
var yearAlone = regexp.MustCompile(`^(?:(?:19|20)\d\d|'\d\d)$`)

// honorific matches what may stay of a name: a title, which names nobody.
var honorific = regexp.MustCompile(`^(?i:(?:mr|mrs|ms|miss|mx|dr|prof|professor|doctor|sister|sr|nurse|herrn?|frau|señora?|sra?|dra|don|doña|med)\b\.?\s+)+`)

var labelOf = map[string]label{"NAME": ofName, "PLACE": ofPlace, "DATE": ofDate, "ID": ofNumber, "CONTACT": ofContact, "AGE": ofAge}

// labelledNote is a line of a file of notes. Places count in characters.
type labelledNote struct {
	ID, Lang, Hand, Text string
	Spans                []struct {
		Start, End  int
		Text, Class string
	}
}

func parseNote(t *testing.T, line string) (n labelledNote) {
	if err := json.Unmarshal([]byte(line), &n); err != nil {
		t.Fatal(err)
	}
	return n
}

// spans returns the identifiers in bytes, without titles and years alone.
func (n labelledNote) spans() []Span {
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
	return spans
}

// quick, from LACUNA_TAGGER_QUICK, is how many copies of a note are read, to try something.
var quick, _ = strconv.Atoi(os.Getenv("LACUNA_TAGGER_QUICK"))

// readExamples reads labelled notes from files of JSON Lines.
func readExamples(t *testing.T, names []string, table *featureTable) []*example {
	t.Helper()
	var all []*example
	var makers, thin []func() *example
	var hands [][2]string
	for _, name := range names {
		file, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		scanner := bufio.NewScanner(file)
		scanner.Buffer(nil, 1<<24)
		for scanner.Scan() {
			n := parseNote(t, scanner.Text())
			spans := n.spans()
			flat, moved := flatten(n.Text, spans)
			makers = append(makers, func() *example { e := labelled(n.ID, n.Text, spans); return &e })
			if quick == 0 && len(makers)%2 == 0 {
				makers = append(makers, func() *example { e := labelled(n.ID+" flat", flat, moved); return &e })
			}
			for len(hands) < len(makers) {
				hands = append(hands, [2]string{n.Hand, n.Lang})
			}
			if len(n.Hand) == 1 && n.Hand >= "a" { // the lists were completed from the notes of these hands
				thin = append(thin, func() *example { e := thinned(n.ID+" thin", n.Text, spans); e.hand, e.lang = n.Hand, n.Lang; return &e })
			}
		}
		file.Close()
	}
	const batch = 64
	for from := 0; from < len(makers); from += batch {
		part := makers[from:min(len(makers), from+batch)]
		for i, e := range par.Gather(len(part), func(i int) (*example, bool) { return part[i](), true }) {
			e.hand, e.lang = hands[from+i][0], hands[from+i][1]
			table.code(e)
			all = append(all, e)
		}
	}
	for _, make := range thin {
		e := make()
		table.code(e)
		all = append(all, e)
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
	var texts []string
	for name, every := range map[string]int{"kb/medquad.jsonl.gz": 120, "kb/passages-pubmed.jsonl.gz": 60, "zh/huatuo-answers.jsonl.gz": 600, "notes/notes.dev.jsonl.gz": 1} {
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
			texts = append(texts, text)
		}
		file.Close()
	}
	all := par.Gather(len(texts), func(k int) (example, bool) {
		e := exampleOf(texts[k])
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
		return e, true
	})
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

// vocabularies number the features of all examples, and remember where each occurs.
type featureTable struct {
	number map[string]int32
	names  []string
	notes  []int32  // in how many texts, copies apart
	hands  []uint64 // by whom, as bits
	last   []int32  // the text that it was counted in last
	bit    map[string]int
	texts  map[string]int32
}

func newFeatureTable() *featureTable {
	return &featureTable{number: map[string]int32{}, bit: map[string]int{}, texts: map[string]int32{}}
}

// code replaces the features of an example by their numbers.
func (f *featureTable) code(e *example) {
	if _, ok := f.bit[e.hand]; !ok {
		f.bit[e.hand] = len(f.bit)
	}
	id, _, _ := strings.Cut(e.id, " ")
	if id == "" {
		id = e.text
	}
	if _, ok := f.texts[id]; !ok {
		f.texts[id] = int32(len(f.texts) + 1)
	}
	text := f.texts[id]
	for _, names := range e.features {
		row := make([]int32, 0, len(names))
		for _, n := range names {
			j, ok := f.number[n]
			if !ok {
				j = int32(len(f.names))
				n = strings.Clone(n)
				f.number[n] = j
				f.names, f.notes, f.hands, f.last = append(f.names, n), append(f.notes, 0), append(f.hands, 0), append(f.last, 0)
			}
			f.hands[j] |= 1 << f.bit[e.hand]
			if f.last[j] != text {
				f.last[j] = text
				f.notes[j]++
			}
			row = append(row, j)
		}
		e.coded = append(e.coded, row)
	}
	e.features = nil
}

// fitting says how a tagger is fitted.
type fitting struct {
	epochs                 int
	rate, decay            float32
	dropout                float64 // the share of features that a step does without, so that no word alone decides
	blind                  float64 // the share of texts of a pass whose features of words are left out altogether
	leastNotes, leastHands int     // that a feature occurs in
	leastWeight            float32
}

var usual = fitting{epochs: 8, rate: 0.15, decay: 1e-4, dropout: 0.5, leastNotes: 2, leastHands: 2, leastWeight: 0.05}

type row = [labelCount]float32

// trainer holds the weights by number of feature.
type trainer struct {
	fitting
	w, g    []row
	use     []bool
	lexical []bool // features of single words
	follows [labelCount][labelCount]float64
	fg      [labelCount][labelCount]float64
	random  *rand.Rand
}

// model is a tagger whose features are numbers.
type model struct {
	w       []row
	follows [labelCount][labelCount]float64
}

var lexicalFeature = regexp.MustCompile(`^(?:[w<>] |w[-+]\d|[23][-+]? |town . )`)

// train fits the weights by stochastic gradient ascent of the likelihood with steps as AdaGrad takes them, to all
// examples but those of some hands.
func train(table *featureTable, examples []*example, without []string, how fitting) *model {
	n := len(table.names)
	tr := &trainer{fitting: how, w: make([]row, n), g: make([]row, n), use: make([]bool, n), lexical: make([]bool, n), random: rand.New(rand.NewPCG(3, 4))}
	mask := ^uint64(0)
	for _, hand := range without {
		if b, ok := table.bit[hand]; ok {
			mask &^= 1 << b
		}
	}
	for j := range n {
		tr.use[j] = table.notes[j] >= int32(how.leastNotes) && bits.OnesCount64(table.hands[j]&mask) >= how.leastHands
		tr.lexical[j] = lexicalFeature.MatchString(table.names[j])
	}
	var order []*example
	for _, e := range examples {
		if !slices.Contains(without, e.hand) {
			order = append(order, e)
		}
	}
	random := rand.New(rand.NewPCG(1, 2))
	m := &model{w: make([]row, n)}
	averaged := 0
	for epoch := range how.epochs {
		random.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
		for _, e := range order {
			tr.step(e)
		}
		if epoch >= how.epochs/2 {
			averaged++
			for j := range tr.w {
				for l := range labelCount {
					m.w[j][l] += tr.w[j][l]
				}
			}
			for a := range labelCount {
				for b := range labelCount {
					m.follows[a][b] += tr.follows[a][b]
				}
			}
		}
	}
	for j := range m.w {
		for l := range labelCount {
			if m.w[j][l] *= float32(1-how.dropout) / float32(averaged); max(m.w[j][l], -m.w[j][l]) < how.leastWeight {
				m.w[j][l] = 0
			}
		}
	}
	for a := range labelCount {
		for b := range labelCount {
			m.follows[a][b] /= float64(averaged)
		}
	}
	return m
}

// step moves the weights along the gradient of one text.
func (tr *trainer) step(e *example) {
	blind := tr.random.Float64() < tr.blind
	coded := make([][]int32, len(e.coded))
	scores := make([][labelCount]float64, len(coded))
	for i, features := range e.coded {
		kept := make([]int32, 0, len(features))
		var sum row
		for _, j := range features {
			if tr.use[j] && tr.random.Float64() >= tr.dropout && !(blind && tr.lexical[j]) {
				kept = append(kept, j)
				w := &tr.w[j]
				for l := range labelCount {
					sum[l] += w[l]
				}
			}
		}
		coded[i] = kept
		for l := range labelCount {
			scores[i][l] = float64(sum[l])
		}
	}
	p, pairs := expected(scores, &tr.follows)
	for i, features := range coded {
		var grad row
		for l := range labelCount {
			grad[l] = float32(-p[i][l] * e.weight)
		}
		grad[e.labels[i]] += float32(e.weight)
		small := true
		for _, g := range grad {
			small = small && g < 1e-3 && g > -1e-3
		}
		if small {
			continue
		}
		for _, j := range features {
			w, sum := &tr.w[j], &tr.g[j]
			for l := range labelCount {
				g := grad[l] - tr.decay*w[l]
				sum[l] += g * g
				w[l] += tr.rate * g / float32(math.Sqrt(float64(sum[l]+1e-6)))
			}
		}
	}
	for i := 1; i < len(e.labels); i++ {
		pairs[e.labels[i-1]][e.labels[i]]--
	}
	for a := range labelCount {
		for b := range labelCount {
			g := -pairs[a][b]*e.weight - float64(tr.decay)*tr.follows[a][b]
			tr.fg[a][b] += g * g
			tr.follows[a][b] += float64(tr.rate) * g / math.Sqrt(tr.fg[a][b]+1e-6)
		}
	}
}

// probabilities returns for each piece of an example the probability of each label.
func (m *model) probabilities(e *example) [][labelCount]float64 {
	scores := make([][labelCount]float64, len(e.coded))
	for i, features := range e.coded {
		for _, j := range features {
			for l := range labelCount {
				scores[i][l] += float64(m.w[j][l])
			}
		}
	}
	return marginals(scores, &m.follows)
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
	found, n            map[string]int // by class, and by class and language
	words, wrong, harms int
	errors              strings.Builder
}

func newScore() *score { return &score{found: map[string]int{}, n: map[string]int{}} }

func (s *score) join(o *score) {
	for key, n := range o.n {
		s.n[key] += n
		s.found[key] += o.found[key]
	}
	s.words, s.wrong, s.harms = s.words+o.words, s.wrong+o.wrong, s.harms+o.harms
	s.errors.WriteString(o.errors.String())
}

func (s *score) add(e *example, covered []Span) {
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
		for _, key := range []string{string(id.Class), string(id.Class) + " " + e.lang} {
			s.n[key]++
			if whole {
				s.found[key]++
			}
		}
		if !whole {
			fmt.Fprintf(&s.errors, "%s missed %s %q in %q\n", e.id, id.Class, e.text[id.Start:id.End], nearby(e.text, id.Start, id.End))
		}
	}
	s.words += countPieces(e.text)
	for _, c := range covered {
		if !slices.ContainsFunc(e.spans, func(id Span) bool { return c.Start < id.End && id.Start < c.End }) {
			s.wrong += countPieces(e.text[c.Start:c.End])
			harm := ""
			if isHarm(e.text, c) {
				s.harms++
				harm = " HARM"
			}
			fmt.Fprintf(&s.errors, "%s wrong%s %s %q in %q\n", e.id, harm, c.Class, e.text[c.Start:c.End], nearby(e.text, c.Start, c.End))
		}
	}
}

// harmful matches a drug by its ending, a dose, or a value with its unit or its name, as the shipped test does.
var harmful = regexp.MustCompile(`(?i)(?:statin|pril|sartan|olol|azole|cillin|mycin|floxacin|gliptin|gliflozin|formin|prazole|dipine|parin|xaban|mab|nib|vir|pam|lukast|triptan|sone|lone|aspirin|insulin|paracetamol|ibuprofen)\b|` +
	`\d\s*(?:mg|µg|mcg|g|ml|l|mmol|mol|mmhg|units?|iu|ie|ui|%|bpm|kg|cm|mm|meq|kpa|h|/\d)\b|` +
	`\b(?:hb|hgb|bp|hr|rr|fc|ta|spo2|sao2|crp|pcr|egfr|k|na|cl|ca|mg|ag|cr|bun|inr|hba1c|a1c|wbc|leukos?|leucos|plts?|platelets?|temp|alt|ast|ggt|ldh|tsh|ft4|bnp|psa|ca125|lactate|ph|fio2|peep|gcs|news|apgar|mews|sofa|phq-?9|gad-?7|ecog|nihss|mrs)\s*[:=]?\s*(?:of )?\d+(?:[.,/-]\d+)*|\d\s*(?:毫克|克|片|次)`)

// isHarm reports whether a replaced part of a text holds a drug, a dose or a value, or a part of one, or touches one.
func isHarm(text string, s Span) bool {
	from, to := max(s.Start-24, 0), min(s.End+24, len(text))
	return slices.ContainsFunc(harmful.FindAllStringIndex(text[from:to], -1), func(at []int) bool {
		before, behind := from+at[1], from+at[0] // where the match ends, and where it begins
		return before >= s.Start && behind <= s.End ||
			before < s.Start && strings.Trim(text[before:s.Start], " ") == "" || behind > s.End && strings.Trim(text[s.End:behind], " ") == "" && strings.ContainsAny(text[s.Start:s.End], "0123456789")
	})
}

// String is the shares in one line.
func (s *score) String() string {
	var b strings.Builder
	for _, class := range slices.Sorted(maps.Keys(s.n)) {
		if !strings.Contains(class, " ") {
			fmt.Fprintf(&b, "%s %.3f (%d) ", class, float64(s.found[class])/float64(s.n[class]), s.n[class])
		}
	}
	fmt.Fprintf(&b, "wrong %.1f, harm %d", 1000*float64(s.wrong)/float64(s.words), s.harms)
	return b.String()
}

// table is the shares with their 95 % intervals, and those of each language.
func (s *score) table() string {
	var b strings.Builder
	for _, key := range slices.Sorted(maps.Keys(s.n)) {
		p, m := float64(s.found[key])/float64(s.n[key]), float64(s.n[key])
		const z = 1.96
		mid, half := (p+z*z/(2*m))/(1+z*z/m), z/(1+z*z/m)*math.Sqrt(p*(1-p)/m+z*z/(4*m*m))
		fmt.Fprintf(&b, "  %-11s %4d of %4d  %.3f [%.3f, %.3f]\n", key, s.found[key], s.n[key], p, max(0, mid-half), min(1, mid+half))
	}
	return b.String()
}

// countPieces counts words, numbers and Chinese characters, as the shipped test does.
func countPieces(text string) int {
	n, in := 0, false
	for _, r := range text {
		switch {
		case unicode.Is(unicode.Han, r):
			n++
			in = false
		case unicode.IsLetter(r) || unicode.IsDigit(r):
			if !in {
				n++
			}
			in = true
		case r == '\'' || r == '-' || r == '’' || r == '.':
		default:
			in = false
		}
	}
	return n
}

// nearby returns a part of a text with what stands next to it.
func nearby(text string, start, end int) string {
	return strings.ToValidUTF8(text[max(0, start-24):min(len(text), end+24)], "")
}

// readAll reads the labelled notes of LACUNA_TAGGER, files divided by colons, or those of the repository, and what names
// nobody from the folder LACUNA_DATA, if there is one.
func readAll(t *testing.T) (*featureTable, []*example) {
	table := newFeatureTable()
	var all []*example
	for _, e := range readExamples(t, strings.Split(cmp.Or(os.Getenv("LACUNA_TAGGER"), "../../server/workspace/testdata/redaction.jsonl"), ":"), table) {
		all = append(all, e)
	}
	if folder := os.Getenv("LACUNA_DATA"); folder != "" {
		for _, e := range readOthers(t, folder) {
			e.hand = "medicine"
			table.code(&e)
			all = append(all, &e)
		}
	}
	return table, all
}

// TestTagger fits the tagger to all notes and writes its weights. LACUNA_DATA is a folder with the texts of readOthers.
func TestTagger(t *testing.T) {
	if !*update || os.Getenv("LACUNA_DATA") == "" {
		t.Skip("the tagger is fitted again only with -update and LACUNA_DATA, when there are more notes")
	}
	table, all := readAll(t)
	writeTagger(t, table, train(table, all, nil, usual))
}

// TestUnseenHands judges rules and tagger on the notes of each hand, with the tagger fitted to those of all others: that
// is what notes of a hand that nobody has seen can expect. It needs LACUNA_LONG and LACUNA_DATA, takes some minutes, and only reports. LACUNA_TAGGER_HANDS
// names the hands to judge, with commas between them, which LACUNA_TAGGER_TOGETHER leaves out all at once, and LACUNA_TAGGER_ERRORS a file for each error.
func TestUnseenHands(t *testing.T) {
	if os.Getenv("LACUNA_LONG") == "" || os.Getenv("LACUNA_DATA") == "" {
		t.Skip("LACUNA_LONG and LACUNA_DATA are unset")
	}
	table, all := readAll(t)
	hands := map[string]bool{}
	for _, e := range all {
		hands[e.hand] = e.hand != "medicine"
	}
	maps.DeleteFunc(hands, func(_ string, is bool) bool { return !is })
	if names := os.Getenv("LACUNA_TAGGER_HANDS"); names != "" {
		hands = map[string]bool{}
		for name := range strings.SplitSeq(names, ",") {
			hands[name] = true
		}
	}
	t.Logf("%d texts, %d features, hands %v", len(all), len(table.names), slices.Sorted(maps.Keys(hands)))
	trials := trials()
	results := make([][]*score, len(trials))
	order := slices.Sorted(maps.Keys(hands))
	for k := range trials {
		var together *model
		if os.Getenv("LACUNA_TAGGER_TOGETHER") != "" {
			together = train(table, all, order, trials[k].fitting)
		}
		results[k] = par.Gather(len(order), func(i int) (*score, bool) {
			s := newScore()
			m := together
			if m == nil {
				m = train(table, all, order[i:i+1], trials[k].fitting)
			}
			for _, e := range all {
				if e.hand == order[i] && !strings.Contains(e.id, " ") {
					s.add(e, chosen(e, m.probabilities(e), trials[k].thresholds))
				}
			}
			return s, true
		})
	}
	for k, trial := range trials {
		sum := newScore()
		for i, s := range results[k] {
			t.Logf("%s, hand %s: %s", trial.name, order[i], s)
			sum.join(s)
		}
		t.Logf("%s, all hands: %s\n%s", trial.name, sum, sum.table())
		if name := os.Getenv("LACUNA_TAGGER_ERRORS"); name != "" && k == 0 {
			if err := os.WriteFile(name, []byte(sum.errors.String()), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// trial is a way to fit the tagger and to choose what it is to replace.
type trial struct {
	name       string
	fitting    fitting
	thresholds *thresholds
}

// trials returns what ships, and what LACUNA_TAGGER_TRIALS names: assignments such as "dropout=0.3,blind=0.2", divided by semicolons.
func trials() []trial {
	all := []trial{{"shipped", usual, shipped}}
	for text := range strings.SplitSeq(os.Getenv("LACUNA_TAGGER_TRIALS"), ";") {
		if text == "" {
			continue
		}
		one := trial{text, usual, shipped}
		for part := range strings.SplitSeq(text, ",") {
			key, value, _ := strings.Cut(part, "=")
			n, _ := strconv.ParseFloat(value, 64)
			switch key {
			case "epochs":
				one.fitting.epochs = int(n)
			case "rate":
				one.fitting.rate = float32(n)
			case "decay":
				one.fitting.decay = float32(n)
			case "dropout":
				one.fitting.dropout = n
			case "blind":
				one.fitting.blind = n
			case "notes":
				one.fitting.leastNotes = int(n)
			case "hands":
				one.fitting.leastHands = int(n)
			case "least":
				one.fitting.leastWeight = float32(n)
			case "times": // all thresholds
				from := *one.thresholds
				for l := range labelCount {
					from.alone[l], from.found[l] = from.alone[l]*n, from.found[l]*n
				}
				one.thresholds = &from
			}
		}
		all = append(all, one)
	}
	return all
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
func writeTagger(t *testing.T, table *featureTable, model *model) {
	var b strings.Builder
	line := func(w []float64) string {
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
		fmt.Fprintf(&b, "follows %c\t%s\n", labelLetters[l], line(model.follows[l][:]))
	}
	for _, name := range slices.SortedFunc(maps.Keys(table.number), cmp.Compare[string]) {
		var w []float64
		for _, v := range model.w[table.number[name]] {
			w = append(w, float64(v))
		}
		if r := line(w); r != "" {
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
