package bibliography

import (
	"context"
	"fmt"
	"strings"
	"testing"
)

const list = `% a comment
@comment{@article{no, title={No}}}
@string{jt = "Journal of " # {Tea}}
@preamble{"x"}
@article{muster2021tea,
  author = {Muster, Ada and {Tea Group} and Jos{\\'e} da Silva and others},
  title = {{Tea} and \\"{U}bersleep: 5{\\%} more},
  journal = jt # " (online)",
  year = 2021, month = may,
  doi = "https://doi.org/10.1000/ABC.1",
  keywords = {tea; sleep},
  file = {Full Text:files/7/Tea.pdf:application/pdf},
  abstract = {Tea helps --- <b>much</b>.

A second part.},
  note = {in press}
}
@inproceedings(child, title="A chapter", crossref=parent, note={Read this one before the meeting})
@book{parent, title={The Book}, year={1999}, file={:C\\:\\Papers\\b.pdf:PDF}}
@article{open, title = {Not closed,
@misc{last, title={Last}, annote={Caf\\'e in G{\\"o}ttingen, \\ss and \\v{S}kvoreck\\'y: $\\alpha$ 2}}
`

func TestBibTeX(t *testing.T) {
	text := strings.ReplaceAll(list, `\\`, `\`)
	var b strings.Builder
	for _, e := range Parse("a.bib", []byte(text)) {
		fmt.Fprintf(&b, "%d %s: %q by %q in %q, %s, doi %q, %q, files %q\n", e.Line, e.Key, e.Title, e.Authors, e.In, e.Date, e.DOI, e.Keywords, e.Files)
		if e.Abstract != "" {
			fmt.Fprintf(&b, "  %d %q\n", e.AbstractLine, e.Abstract)
		}
		for _, note := range e.Notes {
			fmt.Fprintf(&b, "  %d %q\n", e.NoteLine, note)
		}
	}
	want := `5 muster2021tea: "Tea and Übersleep: 5% more" by ["Ada Muster" "Tea Group" "José da Silva"] in "Journal of Tea (online)", 2021-05, doi "10.1000/abc.1", ["tea" "sleep"], files ["files/7/Tea.pdf"]
  13 "Tea helps — much.\n\nA second part."
18 child: "A chapter" by [] in "The Book", 1999, doi "", [], files []
  18 "Read this one before the meeting"
19 parent: "The Book" by [] in "", 1999, doi "", [], files ["C:/Papers/b.pdf"]
20 open: "Not closed," by [] in "", , doi "", [], files []
21 last: "Last" by [] in "", , doi "", [], files []
  21 "Café in Göttingen, ßand Škvorecký: α 2"
`
	if b.String() != want {
		t.Errorf("got\n%s\nwant\n%s", b.String(), want)
	}
}

func TestCSL(t *testing.T) {
	content := []byte(`[
 {"id": 7, "type": "article-journal", "title": "Tea <i>now</i>", "author": [{"family": "Muster", "given": "Ada"}, {"literal": "Tea Group"}],
  "issued": {"date-parts": [["2021", 5, 3]]}, "container-title": ["J Tea"], "DOI": "10.1/X",
  "abstract": "<jats:p>Tea helps if p < 0.05.</jats:p>"},
 {"id": "x", "type": "book", "title": 5, "issued": {"raw": "1999"}}
]`)
	if !IsCSL(content) || IsCSL([]byte(`{"name": "x"}`)) || IsCSL([]byte(`[{"resourceType": "Patient", "type": "a", "title": "b", "issued": "c"}]`)) {
		t.Error("CSL is not told from other JSON")
	}
	got := fmt.Sprintf("%+v", parseCSL(content))
	want := `[{Key:7 Title:Tea now Short: Authors:[Ada Muster Tea Group] Date:2021-05-03 In:J Tea DOI:10.1/x Keywords:[] Files:[] Abstract:Tea helps if p < 0.05. Notes:[] Line:2 AbstractLine:4 NoteLine:2} {Key:x Title:5 Short: Authors:[] Date:1999 In: DOI: Keywords:[] Files:[] Abstract: Notes:[] Line:5 AbstractLine:5 NoteLine:5}]`
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestMatch(t *testing.T) {
	l := NewLibrary([]List{{Folder: "/kb/lists", Entries: []Entry{
		{Key: "muster2021", Title: "How green tea changes the sleep of nurses", DOI: "10.1000/abc", Files: []string{"files/7/Tea.pdf"}},
		{Key: "a:b_2020", Title: "Another work"},
		{Key: "same", Title: "One"}, {Key: "same", Title: "Two"},
	}}})
	title := func(e *Entry) string {
		if e == nil {
			return ""
		}
		return e.Title
	}
	for file, want := range map[string]string{
		"/kb/lists/files/7/Tea.pdf": "How green tea changes the sleep of nurses",
		"/else/TEA.pdf":             "How green tea changes the sleep of nurses",
		"/kb/Muster2021.pdf":        "How green tea changes the sleep of nurses",
		"/kb/ab2020.pdf":            "Another work",
		"/kb/same.pdf":              "", // two works have the key
		"/kb/other.pdf":             "",
	} {
		if got := title(l.OfFile(file)); got != want {
			t.Errorf("%s: %q, want %q", file, got, want)
		}
	}
	for page, want := range map[string]string{
		"A page. https://doi.org/10.1000/ABC. More.":                                  "How green tea changes the sleep of nurses",
		"It cites 10.1000/abc and 10.1000/def.":                                       "",
		"J Tea 3 HOW GREEN TEA CHANGES\nTHE SLEEP OF NURSES. A. Muster":               "How green tea changes the sleep of nurses",
		"How green tea changes the sleep of doctors":                                  "",
		strings.Repeat("word ", maxTop) + "How green tea changes the sleep of nurses": "",
	} {
		if got := title(l.OfPage(page)); got != want {
			t.Errorf("%.60q: %q, want %q", page, got, want)
		}
	}
}

func TestIsNameless(t *testing.T) {
	for title, want := range map[string]bool{"": true, "R": true, "2 25": true, "PowerPoint Presentation": true, "tea_final": true, "Microsoft Word - tea.doc": true, "paper.dvi": true, "Tea and sleep": false, "Tee": true, "Sepsis": false} {
		if got := IsNameless(title, "kb/tea-final.pdf"); got != want {
			t.Errorf("%q: %v", title, got)
		}
	}
}

// TestHostile reads lists made to take time.
func TestHostile(t *testing.T) {
	for _, text := range []string{
		strings.Repeat("@a{b,c={", 200_000),
		strings.Repeat("@a{b,c=\"", 200_000),
		"@string{a=\"xxxxxxxxxx\"}" + strings.Repeat("@string{a=a#a}", 10_000) + "@misc{x,title=a}",
		strings.Repeat("@misc{a,crossref=a,title={b}}", 20_000),
		"@misc{a,title={" + strings.Repeat("{", 1<<20),
		strings.Repeat("@", 1<<20),
	} {
		for _, e := range Parse("a.bib", []byte(text)) {
			if len(e.Title) > 2*maxValue {
				t.Errorf("a title of %d bytes", len(e.Title))
			}
		}
	}
	parseCSL([]byte(strings.Repeat("[", 1<<20)))
	parseCSL([]byte(`[{"issued":{"date-parts":[[]]}},{"issued":{"date-parts":{}}},{"title":[[]]},null,7]`))
}

func FuzzBibliography(f *testing.F) {
	f.Add("a.bib", []byte(strings.ReplaceAll(list, `\\`, `\`)))
	f.Add("a.json", []byte(`[{"type":"book","title":"a","issued":{"date-parts":[[2020]]},"abstract":"<p>b</p>"}]`))
	f.Fuzz(func(t *testing.T, name string, content []byte) {
		d, err := Read(context.Background(), name, content)
		if err != nil {
			return
		}
		last := 0
		for _, b := range d.Blocks {
			if b.Start < last || b.End <= b.Start || b.End > len(d.Text) {
				t.Fatalf("block %+v after %d in %d bytes", b, last, len(d.Text))
			}
			last = b.End
		}
		l := NewLibrary([]List{{Folder: "/kb", Entries: Parse(name, content)}})
		l.OfFile("/kb/" + name)
		l.OfPage(string(content))
	})
}
