package ingest

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"lacuna/knowledge/ingest/ocr"
	"lacuna/knowledge/ingest/pdf"
	"lacuna/knowledge/ingest/pdf/pdftest"
	"lacuna/knowledge/passage"
)

// TestMain lets the test program be the child that reads a PDF.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "recognise" { // the command of TestRecognisedPages
		fmt.Print(pdftest.File("", pdftest.Lines(72, 700, 11, "The first page again."), pdftest.Lines(72, 700, 11, "The dose is 5 mg.")))
		os.Exit(0)
	}
	pdf.Child()
	os.Exit(m.Run())
}

func TestPDF(t *testing.T) {
	const x, size = 72, 11
	lines := func(y float64, text ...string) string { return pdftest.Lines(x, y, size, text...) }
	heading := func(y, size float64, text ...string) string { return pdftest.Lines(x, y, size, text...) }
	testDocuments(t, []documentTest{
		{"headings and pages", "a.pdf", pdftest.File("Apixaban in practice",
			heading(740, 18, "Apixaban")+lines(700, "The usual dose is 5 mg", "twice a day. Food does", "not matter.")+heading(640, 14, "Before", "surgery")+
				lines(600, "It is stopped two days", "before an operation."),
			lines(740, "It is resumed later.")),
			`a.pdf indexed
  1 a.pdf|Apixaban in practice|Apixaban: "The usual dose is 5 mg twice a day. Food does not matter."
  1 a.pdf|Apixaban in practice|Apixaban/Before surgery: "It is stopped two days before an operation.\n\nIt is resumed later."
`},
		{"a sentence over two pages", "a.pdf", pdftest.File("", lines(100, "The dose is reduced in"), lines(740, "patients of low weight.")),
			"a.pdf indexed\n  1 a.pdf|a|: \"The dose is reduced in patients of low weight.\"\n"},
		{"pages take the place of lines", "a.pdf", pdftest.File("One and two", lines(100, "One."), heading(700, 16, "Part")+lines(600, "Two.", "It is longer than the heading by far.")),
			"a.pdf indexed\n  1 a.pdf|One and two|: \"One.\"\n  2 a.pdf|One and two|Part: \"Two. It is longer than the heading by far.\"\n"},
		{"words broken at the end of a line", "a.pdf", pdftest.File("", lines(700, "The pharma-", "cology of low-", "dose and of drug-", "Eluting stents.", "A low-dose is 2-", "fold.")),
			"a.pdf indexed\n  1 a.pdf|a|: \"The pharmacology of low-dose and of drug-Eluting stents. A low-dose is 2- fold.\"\n"},
		{"a hyphen before a paragraph", "a.pdf", pdftest.File("", lines(700, "See over-")+lines(600, "leaf.")),
			"a.pdf indexed\n  1 a.pdf|a|: \"See over-\\n\\nleaf.\"\n"},
		{"lists and tables", "a.pdf", pdftest.File("", lines(700, "Reduced if:", "- age 80 or more", "- weight 60 kg or less")+
			"BT /F1 11 Tf 72 600 Td (Age) Tj 200 0 Td (80 years) Tj ET"),
			"a.pdf indexed\n  1 a.pdf|a|: \"Reduced if:\\n\\n- age 80 or more\\n- weight 60 kg or less\\n\\nAge\\n\\n80 years\"\n"},
		{"rows stand with the names of their columns", "a.pdf", pdftest.File("", lines(700, "Drug", "Apixaban", "Edoxaban")+
			pdftest.Lines(200, 700, size, "Dose", "5 mg", "60 mg")+pdftest.Lines(300, 700, size, "Interval", "12 h", "24 h")+lines(500, "More text.")),
			"a.pdf indexed\n  1 a.pdf|a|: \"| Drug | Dose | Interval |\\n| Apixaban | 5 mg | 12 h |\\n| Edoxaban | 60 mg | 24 h |\\n\\nMore text.\"\n"},
		{"the page of a table", "a.pdf", pdftest.File("", lines(700, "The first page has some text.")+lines(600, "Drug", "Apixaban", "Edoxaban")+pdftest.Lines(200, 600, size, "Dose", "5 mg", "60 mg"),
			lines(600, "Fruit", "Apple", "Pear")+pdftest.Lines(200, 600, size, "Price", "5 c", "6 c"), heading(700, 16, "End")+lines(650, "The last page has some text.")),
			"a.pdf indexed\n  1 a.pdf|a|: \"The first page has some text.\\n\\n| Drug | Dose |\\n| Apixaban | 5 mg |\\n| Edoxaban | 60 mg |\\n\\n| Fruit | Price |\\n| Apple | 5 c |\\n| Pear | 6 c |\"\n  3 a.pdf|a|End: \"The last page has some text.\"\n"},
		{"tables of contents are left out", "a.pdf", pdftest.File("", lines(700, "Contents", "One ....... 1", "Two ....... 2", "Three ....... 3", "Four ....... 4", "Five ....... 5")+
			lines(400, "The dose is 5 mg.")), "a.pdf indexed\n  1 a.pdf|a|: \"The dose is 5 mg.\"\n"},
		{"titles that say nothing", "a.pdf", pdftest.File("2 25", heading(740, 20, "Apixaban")+lines(700, "The dose is 5 mg.")), "a.pdf indexed\n  1 a.pdf|Apixaban|: \"The dose is 5 mg.\"\n"},
		{"what programs write as a title", "a.pdf", pdftest.File("Microsoft Word - dose.docx", lines(700, "One.")), "a.pdf indexed\n  1 a.pdf|a|: \"One.\"\n"},
		{"only pictures", "a.pdf", pdftest.File("", "0 0 9 9 re f"), "a.pdf skipped 0: no text, only images; run OCR on it first\n"},
		{"half a file", "a.pdf", pdftest.File("", lines(700, "One."))[:300],
			"a.pdf failed 0: not a readable PDF file: no pages found\n"},
		{"named so only", "a.pdf", "text", "a.pdf failed 0: not a readable PDF file: no pages found\n"},
	})
}

// TestRecognisedPages has a file of a page with text and a scanned page.
func TestRecognisedPages(t *testing.T) {
	const picture = "q 600 0 0 780 0 0 cm BI /W 1 /H 1 ID 0 EI Q"
	dir := folder(t, map[string]string{"a.pdf": pdftest.File("", pdftest.Lines(72, 700, 11, "The first page has text."), picture), "b.pdf": pdftest.File("", picture, picture)})
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	source := Source{Name: "s", Kind: passage.Text, Path: dir}
	before := read(t, source)
	if f := before[0]; len(f.Passages) != 1 || f.Share() > 0.5 || f.Reason != "no text on page 2, only images; run OCR on it" {
		t.Errorf("without a command: %d passages, %.2f, %s", len(f.Passages), f.Share(), f.Reason)
	}
	ocr.Use(ocr.Command{Words: []string{program, "recognise"}, Limit: time.Minute, Folder: t.TempDir()})
	defer ocr.Use(ocr.Command{})
	files, err := Read(t.Context(), DefaultLimits(), []Source{source}, before, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []struct{ text, reason string }{
		{"The first page has text.\n\nThe dose is 5 mg.", "page 2 read by ocr.command"},
		{"The first page again.\n\nThe dose is 5 mg.", "pages 1, 2 read by ocr.command"},
	} {
		f := files[i]
		if len(f.Passages) != 1 || f.Passages[0].Text != want.text || f.Reason != want.reason || f.State != Indexed {
			t.Errorf("%s: %d passages, %s %s", f.File, len(f.Passages), f.State, f.Reason)
			for _, p := range f.Passages {
				t.Errorf("%q", p.Text)
			}
			continue
		}
		if text, err := Resolve(f.Passages[0].Place); err != nil || text != want.text {
			t.Errorf("its place leads to %q, %v", text, err)
		}
	}
	ocr.Use(ocr.Command{Words: []string{"lacuna-no-such-command"}, Limit: time.Minute, Folder: t.TempDir()})
	for _, f := range read(t, source) {
		if !strings.Contains(f.Reason, "only images; run OCR on it") || !strings.Contains(f.Reason, "; ocr.command did not start: ") {
			t.Errorf("%s: %s", f.File, f.Reason)
		}
	}
}

// TestPrintedPages has the printed numbers of pages.
func TestPrintedPages(t *testing.T) {
	d, err := pdfDocument(pdf.Document{Pages: []pdf.Page{{Number: 1, Label: "i"}, {Number: 2, Label: "ii"}, {Number: 3, Label: "1"}, {Number: 4, Label: "2"}}})
	if err != nil || d.About.PageLabel(2) != "ii" || d.About.PageLabel(4) != "2" {
		t.Errorf("%v, %+v", err, d.About)
	}
}

// A place in a PDF file leads to its words again, and to nothing once the file is another one.
func TestResolvePDF(t *testing.T) {
	dir := folder(t, map[string]string{"a.pdf": pdftest.File("", pdftest.Lines(72, 700, 11, "Five mg. Twice a day."))})
	files := read(t, Source{Name: "s", Kind: passage.Text, Path: dir})
	place := files[0].Passages[0].Place
	write(t, place.File, pdftest.File("", pdftest.Lines(72, 700, 11, "Six.")))
	if text, err := Resolve(place); err != ErrChanged && !strings.Contains(err.Error(), ErrChanged.Error()) {
		t.Errorf("got %q, %v from a file that became shorter", text, err)
	}
	write(t, place.File, pdftest.File("", pdftest.Lines(72, 700, 11, "Four mg. Once a year.")))
	if text, err := Resolve(place); err != nil || text != "Four mg. Once a year." {
		t.Errorf("got %q, %v where other text stands now", text, err)
	}
}

// FuzzPDFText puts lines together as some reader may find them.
func FuzzPDFText(f *testing.F) {
	f.Add([]byte(`{"title":"T","pages":[{"number":1,"blocks":[{"kind":"heading","level":1,"lines":[{"text":"A","size":18,"y":740}]},{"kind":"text","lines":[{"text":"One. Two-","size":10,"x":72,"y":700,"end":140},{"text":"three.","size":10,"x":72,"y":690}]}]},{"number":2,"blocks":[{"kind":"text","lines":[{"text":"- B","size":10}]}],"broken":true}]}`))
	f.Add([]byte(`{"pages":[{"number":1,"blocks":[{"kind":"row","first":true,"header":true,"cells":["Drug","Dose"],"lines":[{"text":"Drug","size":10}]},{"kind":"row","cells":["One. | Two-","高血压。 |"],"lines":[{"text":"One.","size":10}]}]},{"number":2,"blocks":[{"kind":"row","cells":["| four. |\u00a0|"],"lines":[{"text":"four","size":10}]},{"kind":"text","chrome":"running head","lines":[{"text":"2"}]}]}]}`))
	f.Fuzz(func(t *testing.T, content []byte) {
		var d pdf.Document
		if json.Unmarshal(content, &d) != nil {
			t.Skip()
		}
		found, err := pdfDocument(d)
		if err != nil {
			t.Skip()
		}
		for _, b := range found.Blocks {
			if b.Start < 0 || b.Start > b.End || b.End > len(found.Text) {
				t.Errorf("block %+v of %d bytes", b, len(found.Text))
			}
		}
		if !slices.IsSortedFunc(found.Marks, func(a, b passage.Mark) int { return int(a.Offset - b.Offset) }) {
			t.Errorf("pages out of order: %v", found.Marks)
		}
		var file File
		c := candidate{source: &Source{Name: "s", Kind: passage.Text}, record: "a.pdf", path: "/a.pdf"}
		c.addDocument(fileDocument{Document: found, field: extractedField}, found.LineAt, &file)
		for _, p := range file.Passages {
			if at := p.Place.Span; found.Text[at.Start:at.End] != p.Text || p.LineAt(0) != found.LineAt(at.Start) {
				t.Errorf("%q at %+v, on page %d", p.Text, p.Place, p.LineAt(0))
			}
		}
	})
}
