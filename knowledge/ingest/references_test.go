package ingest

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"lacuna/knowledge/ingest/pdf/pdftest"
	"lacuna/knowledge/passage"
)

// TestReferencesDescribePDFs reads papers beside a reference list, and again after the list has changed:
// only the paper whose entry changed is read again.
func TestReferencesDescribePDFs(t *testing.T) {
	dir := t.TempDir()
	age := time.Hour
	write := func(name, content string) {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		age -= time.Minute
		if err := os.Chtimes(path, time.Time{}, time.Now().Add(-age)); err != nil {
			t.Fatal(err)
		}
	}
	paper := func(title string, lines ...string) string {
		return pdftest.File(title, pdftest.Lines(72, 700, 11, lines...))
	}
	write("scan1.pdf", paper("PowerPoint Presentation", "Green tea was given to nurses."))
	write("muster2020.pdf", paper("Sleep of nurses", "Nurses sleep less than others."))
	write("other.pdf", paper("", "Published as https://doi.org/10.1000/abc in a journal."))
	write("none.pdf", paper("", "A paper that is in no list."))
	list := `@article{a, title={Tea for nurses}, author={Muster, Ada}, year=2021, file={:scan1.pdf:PDF}}
@article{muster2020, title={How nurses sleep}, author={Muster, Eva}, year=2020}
@article{c, title={On coffee}, doi={10.1000/ABC}, year=2019}
`
	write("list.bib", list)
	source := Source{Name: "kb", Kind: passage.Text, Path: dir}
	read := func(known []File) []File {
		t.Helper()
		files, err := Read(t.Context(), DefaultLimits(), []Source{source}, known, nil)
		if err != nil {
			t.Fatal(err)
		}
		return files
	}
	told := func(files []File) string {
		var b strings.Builder
		for _, f := range files {
			for _, p := range f.Passages {
				fmt.Fprintf(&b, "%s: %q %q %s", filepath.Base(f.File), p.Title, p.Also, p.Date)
				if p.About != nil {
					fmt.Fprintf(&b, " %q %s", p.About.Authors, p.About.Page)
				}
				b.WriteByte('\n')
			}
		}
		return b.String()
	}
	first := read(nil)
	want := `muster2020.pdf: "Sleep of nurses" ["How nurses sleep"] 2020 ["Eva Muster"] 
none.pdf: "none" [] 
other.pdf: "On coffee" [] 2019 [] doi:10.1000/abc
scan1.pdf: "Tea for nurses" [] 2021 ["Ada Muster"] 
`
	if got := told(first); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	again := read(first)
	for i := range first {
		if len(first[i].Passages) > 0 && first[i].Passages[0] != again[i].Passages[0] {
			t.Errorf("%s is read again", filepath.Base(first[i].File))
		}
	}
	write("list.bib", strings.Replace(list, "On coffee", "On green coffee", 1))
	changed := read(again)
	for i := range changed {
		if len(changed[i].Passages) == 0 {
			continue
		}
		if name := filepath.Base(changed[i].File); (name == "other.pdf") != (changed[i].Passages[0] != again[i].Passages[0]) {
			t.Errorf("%s: read again: %v", name, changed[i].Passages[0] != again[i].Passages[0])
		}
	}
	if got := told(changed); !strings.Contains(got, `other.pdf: "On green coffee"`) {
		t.Errorf("after the change:\n%s", got)
	}
	if err := os.Remove(filepath.Join(dir, "list.bib")); err != nil {
		t.Fatal(err)
	}
	if got := told(read(changed)); !strings.Contains(got, `scan1.pdf: "PowerPoint Presentation"`) && !strings.Contains(got, `scan1.pdf: "scan1"`) {
		t.Errorf("without the list:\n%s", got)
	}
}
