package pdf

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"lacuna/knowledge/ingest/pdf/pdftest"
)

func TestMain(m *testing.M) {
	Child()
	os.Exit(m.Run())
}

func TestRead(t *testing.T) {
	running := func(n int) string {
		return pdftest.Lines(72, 760, 9, "Guideline") + pdftest.Lines(72, 600, 11, fmt.Sprintf("Text of page %c.", 'a'+n), "Second.") +
			pdftest.Lines(72, 500+float64(10*n), 11, "Third.") +
			pdftest.Lines(300, 30, 9, fmt.Sprint("Page ", n+1))
	}
	for _, test := range []struct{ name, file, want string }{
		{"words that lie apart", pdftest.File("", "BT /F1 10 Tf 72 700 Td [(Apix) 20 (aban) -300 (twice) -250 (a) -333 (day.)] TJ ET"),
			"1: Apixaban twice a day.\n"},
		{"words placed one by one", pdftest.File("", "BT /F1 10 Tf 72 700 Td (Five) Tj 22.5 0 Td (mg) Tj ET"), "1: Five mg\n"},
		{"letters of one word placed apart", pdftest.File("", "BT /F1 10 Tf 72 700 Td (Fi) Tj 10.4 0 Td (ve) Tj ET"), "1: Five\n"},
		{"columns stay apart", pdftest.File("", pdftest.Lines(72, 700, 10, "Left one", "left two")+pdftest.Lines(320, 700, 10, "Right one", "right two")),
			"1: Left one\n1: left two\n1: Right one\n1: right two\n"},
		{"a raised letter", pdftest.File("", "BT /F1 10 Tf 72 700 Td (10) Tj /F1 7 Tf 4 Ts (9) Tj /F1 10 Tf 0 Ts ( per litre) Tj ET"), "1: 109 per litre\n"},
		{"two bytes a letter", pdftest.File("", "BT /F2 10 Tf 72 700 Td <00350020006D0067> Tj ET"), "1: 5 mg\n"},
		{"ideographs have no spaces", pdftest.File("", "BT /F2 10 Tf 72 700 Td [<6BCF> -300 <65E5>] TJ ET"), "1: 每日\n"},
		{"a drawing that uses itself", pdftest.File("", "BT /F1 10 Tf 72 700 Td (page) Tj ET /X1 Do"), "1: page\n" + strings.Repeat("1: drawn\n", 8)},
		{"text that runs upwards is left out", pdftest.File("", "BT /F1 10 Tf 0 1 -1 0 50 300 Tm (stamp) Tj 1 0 0 1 72 700 Tm (text) Tj ET"), "1: text\n"},
		{"a moved and enlarged page", pdftest.File("", "q 2 0 0 2 10 10 cm BT /F1 10 Tf 0 100 Td (big) Tj ET Q BT /F1 10 Tf 72 50 Td (small) Tj ET"),
			"1: big\n1: small\n"},
		{"titles", pdftest.File("A \\(short\\) title", pdftest.Lines(72, 700, 10, "x")), "A (short) title\n1: x\n"},
		{"running heads and page numbers", pdftest.File("", running(0), running(1), running(2), running(3)),
			"1: Text of page a.\n1: Second.\n1: Third.\n2: Text of page b.\n2: Second.\n2: Third.\n" +
				"3: Text of page c.\n3: Second.\n3: Third.\n4: Text of page d.\n4: Second.\n4: Third.\n"},
		{"text beyond all numbers",
			pdftest.File("", "BT /F1 10 Tf (seen) Tj "+strings.Repeat("1"+strings.Repeat("0", 308)+".0 0 Td ", 2)+"(beyond) Tj ET"), "1: seen\n"},
		{"operators without arguments", pdftest.File("", "Tf Td TJ Tj ' \" Tm Do BT /F1 10 Tf (a) Tj Q Q ET"), "1: a\n"},
		{"no text", pdftest.File("", "0 0 10 10 re f"), "error: no text, only images; run OCR on it first\n"},
		{"no PDF", "%PDF-1.4\nnothing", "error: not a readable PDF file: "},
		{"empty", "", "error: not a readable PDF file: "},
		{"pages that refer to themselves", strings.Replace(pdftest.File("", "x"), "/Kids [8", "/Kids [2", 1),
			"error: no text, only images; run OCR on it first\n"},
		{"a page that is its own parent", strings.NewReplacer("/Parent 2", "/Parent 8", "/Resources", "/Recourses").Replace(
			pdftest.File("", pdftest.Lines(72, 700, 10, "x"))), "1: x\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			document, err := Read(context.Background(), []byte(test.file), Longest)
			if got := shown(document, err); got != test.want && !(err != nil && strings.HasPrefix(got, test.want)) {
				t.Errorf("got\n%swant\n%s", got, test.want)
			}
		})
	}
}

func shown(d Document, err error) string {
	if err != nil {
		return fmt.Sprintf("error: %v\n", err)
	}
	var b strings.Builder
	if d.Title != "" {
		fmt.Fprintln(&b, d.Title)
	}
	for _, page := range d.Pages {
		for _, line := range page.Lines {
			fmt.Fprintf(&b, "%d: %s\n", page.Number, line.Text)
		}
	}
	return b.String()
}

// The library reads a string that nobody closes for ever; that takes no longer than the context.
func TestReadEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
	defer cancel()
	if _, err := Read(ctx, []byte(pdftest.File("", "BT <")), Longest); err != context.DeadlineExceeded {
		t.Errorf("got %v, want the error of the context", err)
	}
}

func TestReadWithoutChild(t *testing.T) {
	defer func(name string) { program = name }(program)
	program = ""
	if _, err := Read(context.Background(), nil, Longest); err == nil {
		t.Error("read without a program that can be its own child")
	}
}

// FuzzContent follows whatever operators a page holds, in this process; strings are closed, for the
// library never comes back from one that is not.
func FuzzContent(f *testing.F) {
	f.Add(pdftest.Lines(72, 700, 10, "One.", "Two-"))
	f.Add("q 2 0 0 2 10 10 cm BT /F2 10 Tf 1 Tc 2 Tw 50 Tz 3 Ts [<6BCF> -300 (a)] TJ 1 2 (b) \" (c) ' ET Q /X1 Do")
	f.Fuzz(func(t *testing.T, content string) {
		content += " >>" + strings.Repeat(")", 1+strings.Count(content, "(")) + strings.Repeat("]", 1+strings.Count(content, "[")) + " >>"
		document, err := parse([]byte(pdftest.File("", content)))
		if err == nil && (len(document.Pages) != 1 || len(document.Pages[0].Lines) == 0) {
			t.Errorf("neither text nor an error: %+v", document)
		}
	})
}
