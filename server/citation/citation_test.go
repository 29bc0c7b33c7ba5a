package citation

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/text/unicode/norm"

	"lacuna/knowledge/ingest"
	"lacuna/knowledge/ingest/bibliography"
	"lacuna/knowledge/passage"
	"lacuna/knowledge/plaintext"
	"lacuna/knowledge/sanitise"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", file, diff)
	}
}

func written(t testing.TB, format string, works []Work) string {
	t.Helper()
	var b bytes.Buffer
	if err := Write(&b, format, works); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// cite returns a citation of a page of a document.
func cite(record, title, date, place string, about *passage.Metadata) Cited {
	return Cited{
		Passage: &passage.Passage{Source: "kb", Record: record, Document: record, Kind: passage.Text, Title: title, Date: date, About: about, Place: passage.Place{File: "/kb/" + record}},
		Place:   "kb/" + record + place, File: "kb/" + record,
	}
}

func examples() []Cited {
	tea := &passage.Metadata{Authors: []string{"Ada Muster", "Tea Group", "José da Silva", "World Health Organization", "Food and Drug Board"}, Page: "doi:10.1000/ABC.1", Version: "2"}
	stored := cite("faq-1", "", "2024-05-02", "", nil)
	stored.Passage.Kind, stored.Passage.Question, stored.Passage.Document, stored.File = passage.QA, "How is a spacer cleaned?", "spacer", ""
	private := cite("record.xml", "Record of a patient", "", ":3", nil)
	private.Passage.Private = true
	return []Cited{
		cite("b/tea.pdf", "Tea & sleep: 5 % more_than {one} \\ $2 #1 ~^", "2021-05-03", ", p. 12", tea),
		cite("b/tea.pdf", "Tea & sleep: 5 % more_than {one} \\ $2 #1 ~^", "2021-05-03", ", p. 14", tea),
		cite("copies/Tea (1).pdf", "tea", "", ", p. 12", &passage.Metadata{Page: "https://doi.org/10.1000/abc.1"}),
		cite("metformin.md", "Metformin", "2025-02", ":31", nil),
		cite("web.html", "A page", "3 May 2021", ":1", &passage.Metadata{Page: "https://www.example.org/a_b?c=1&d=%20", Authors: []string{"Muster, Ada"}}),
		cite("odd.html", "Odd", "spring 2020 or 2021", ":1", &passage.Metadata{Page: "javascript:alert(1)"}),
		cite("trial.xml", "A trial", "2020", ":9", &passage.Metadata{Page: "pmid:31452104", Authors: []string{"王小明"}}),
		cite("民法典.md", "民法典", "2020-05-28", ":97", nil),
		cite("x.md", "``--- '' {\\input{/etc/passwd}}\n@misc{evil,\nER  - \n<b>bold</b> \u202eback", "", ":1", &passage.Metadata{Authors: []string{"A} and {B", "Muster, Jr"}}),
		stored, private,
	}
}

func TestFormats(t *testing.T) {
	works := Works(examples(), nil)
	golden(t, "works.bib", written(t, BibTeX, works))
	golden(t, "works.ris", written(t, RIS, works))
	golden(t, "works.json", written(t, CSL, works))
	if err := Write(&bytes.Buffer{}, "endnote", works); err == nil {
		t.Error("an unknown format is written")
	}
	if got := written(t, CSL, nil); got != "[]\n" {
		t.Errorf("no works as CSL: %q", got)
	}
}

// TestWhatIsWrittenIsReadBack reads both formats with the readers that the sources are read with.
func TestWhatIsWrittenIsReadBack(t *testing.T) {
	works := Works(examples(), nil)
	for name, entries := range map[string][]bibliography.Entry{
		"a.bib": bibliography.Parse("a.bib", []byte(written(t, BibTeX, works))), "a.json": bibliography.Parse("a.json", []byte(written(t, CSL, works))),
	} {
		if len(entries) != len(works) {
			t.Errorf("%s: %d entries of %d works", name, len(entries), len(works))
			continue
		}
		for i, w := range works {
			e := entries[i]
			var authors []string
			for _, a := range w.Authors {
				authors = append(authors, strings.TrimSpace(a.Given+" "+a.Family+a.Literal))
			}
			if e.Key != w.Key || e.DOI != w.DOI || !slices.Equal(e.Authors, authors) || name == "a.bib" && e.Title != w.Title {
				t.Errorf("%s: %+v, want %+v", name, e, w)
			}
		}
	}
}

// TestKeysDoNotDependOnOtherWorks holds that a key stays when more is cited, and in another order.
func TestKeysDoNotDependOnOtherWorks(t *testing.T) {
	all := examples()
	keys := map[string]bool{}
	for _, w := range Works(all, nil) {
		if keys[w.Key] {
			t.Errorf("two works have the key %s", w.Key)
		}
		keys[w.Key] = true
	}
	for i, c := range all {
		if alone := Works([]Cited{c}, nil); i != 2 && (len(alone) != 1 || !keys[alone[0].Key]) { // 2 is a copy that does not say who wrote it
			t.Errorf("%s alone: %+v", c.Place, alone)
		}
	}
	slices.Reverse(all)
	for _, w := range Works(all, nil) {
		if !keys[w.Key] {
			t.Errorf("another key in another order: %s", w.Key)
		}
	}
}

func TestNames(t *testing.T) {
	for text, want := range map[string]Name{
		"Ada Muster":                {Family: "Muster", Given: "Ada"},
		"Muster, Ada B.":            {Family: "Muster", Given: "Ada B."},
		"José da Silva":             {Family: "da Silva", Given: "José"},
		"Ludwig van der Berg":       {Family: "van der Berg", Given: "Ludwig"},
		"J.-P. O'Neill":             {Family: "O'Neill", Given: "J.-P."},
		"Robert Koch-Institut":      {Family: "Koch-Institut", Given: "Robert"},
		"World Health Organization": {Literal: "World Health Organization"},
		"Food and Drug Board":       {Literal: "Food and Drug Board"},
		"Acme, Inc.":                {Literal: "Acme, Inc."},
		"Ada Muster, Jr":            {Literal: "Ada Muster, Jr"},
		"Plato":                     {Literal: "Plato"},
		"王 小明":                      {Literal: "王 小明"},
		"the whole team of writers": {Literal: "the whole team of writers"},
		"ada@example.org":           {Literal: "ada@example.org"},
	} {
		if got := nameOf(text); got != want {
			t.Errorf("%s: %+v, want %+v", text, got, want)
		}
	}
}

// TestListsSayWhatTheyKnow reads a list beside a PDF, and a passage of the list itself.
func TestListsSayWhatTheyKnow(t *testing.T) {
	dir := t.TempDir()
	list := filepath.Join(dir, "refs.bib")
	text := "@article{muster2021tea,\n  title = {Tea and the sleep of nurses},\n  author = {Muster, Ada},\n  journal = {J Tea},\n  year = 2021,\n  doi = {10.1000/abc},\n  file = {Tea.pdf},\n  abstract = {Tea helps.}\n}\n@book{other, title={Another work}, year=1999, abstract={It does.}}\n"
	if err := os.WriteFile(list, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	lists := ReadLists([]ingest.FileReport{{Source: "kb", File: list}, {Source: "kb", File: filepath.Join(dir, "gone.bib")}})
	paper := cite("Tea.pdf", "Tea", "", ", p. 2", nil)
	paper.Passage.Place.File = filepath.Join(dir, "Tea.pdf")
	abstract := cite("refs.bib", "Refs", "", ":8", nil)
	abstract.Passage.Place = passage.Place{File: list, Line: 8}
	abstract.Passage.Headings = []string{"Tea and the sleep of nurses"}
	other := cite("refs.bib", "Refs", "", ":10", nil)
	other.Passage.Place = passage.Place{File: list, Line: 10}
	other.Passage.Headings = []string{"Another work"}
	golden(t, "lists.bib", written(t, BibTeX, Works([]Cited{paper, abstract, other}, lists)))
}

var risLine = regexp.MustCompile(`^(?:[A-Z][A-Z0-9]  - .*)?$`)

func FuzzWorks(f *testing.F) {
	for _, c := range examples() {
		page := ""
		author := ""
		if c.Passage.About != nil {
			page = c.Passage.About.Page
			author = strings.Join(c.Passage.About.Authors, " and ")
		}
		f.Add(c.Passage.Title, author, c.Passage.Date, page, c.File)
	}
	f.Add("-'`-\u00ad-", "a\\", "\x00", "https://doi.org/10.1000/}", "a}b")
	f.Fuzz(func(t *testing.T, title, author, date, page, file string) {
		c := cite("r", title, date, ":1", &passage.Metadata{Authors: []string{author}, Page: page, Version: date})
		c.File = file
		works := Works([]Cited{c}, nil)
		w := works[0]
		entries := bibliography.Parse("a.bib", []byte(written(t, BibTeX, works)))
		shown := func(text string) string { // what the reader leaves out of any text
			text = strings.NewReplacer("\u00ad", "", "\u200b", "", "\ufeff", "").Replace(text)
			return plaintext.OneLine(norm.NFC.String(text))
		}
		if len(entries) != 1 || entries[0].Key != w.Key || shown(entries[0].Title) != shown(w.Title) || w.DOI != "" && entries[0].DOI != w.DOI {
			t.Fatalf("BibTeX reads as %+v, want %+v", entries, w)
		}
		for line := range strings.Lines(written(t, RIS, works)) {
			if !risLine.MatchString(strings.TrimSuffix(line, "\n")) {
				t.Fatalf("a line %q of RIS", line)
			}
		}
		if n := strings.Count("\n"+written(t, RIS, works), "\nER  - "); n != 1 {
			t.Fatalf("%d references of RIS", n)
		}
		var items []cslItem
		if err := json.Unmarshal([]byte(written(t, CSL, works)), &items); err != nil || len(items) != 1 || items[0].Title != w.Title {
			t.Fatalf("CSL: %v, %+v", err, items)
		}
		for _, format := range []string{BibTeX, RIS, CSL} {
			if text := written(t, format, works); sanitise.Visible(text) != text {
				t.Fatalf("%s has characters that hide: %q", format, text)
			}
		}
	})
}
