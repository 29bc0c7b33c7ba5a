package redact

import (
	"archive/tar"
	"bufio"
	"cmp"
	"compress/gzip"
	"encoding/json"
	"html"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"lacuna/knowledge/par"
)

// example is a labelled text.
type example struct {
	id, text string
	hand     string
	lang     string
	evidence
	coded  [][]int32 // the features by number
	second [][]int32 // those of the second pass alone
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
			if quick == 0 && len(makers)%4 == 0 {
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
