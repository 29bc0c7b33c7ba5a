package ingest

import (
	"fmt"
	"strings"
	"testing"

	"lacuna/knowledge/ingest/pdf/pdftest"
	"lacuna/knowledge/passage"
)

// The place of a quote is where the quote stands, not where its passage begins.
func TestPlaceOfQuote(t *testing.T) {
	cell := func(text string) string { return "<w:tc>" + styled("", text) + "</w:tc>" }
	box := `<mc:AlternateContent><mc:Choice><w:txbxContent>` + styled("", "In the box.") + `</w:txbxContent></mc:Choice><mc:Fallback><w:txbxContent>` +
		styled("", "In the box.") + `</w:txbxContent></mc:Fallback></mc:AlternateContent>`
	for name, c := range map[string]struct {
		content string
		lines   map[string]int // of quotes
	}{
		"a.md":  {"# T\n\nOne. Two\ngoes on. Three.\r\nFour.\n", map[string]int{"One.": 3, "Two": 3, "goes on": 4, "Three.": 4, "Four.": 5}},
		"a.txt": {"One.\rTwo.\r\n\r\nThree.\n\rFour.\n", map[string]int{"One.": 1, "Two.": 2, "Three.": 4, "Four.": 6}},
		"a.org": {"* H\n\nOne.\n\nTwo.\n", map[string]int{"One.": 3, "Two.": 5}},
		"a.html": {"<!doctype html>\n<title>T</title>\n<body><p>One.\nTwo <b>goes\n on</b>.\n<p>Three\n<pre>\nFour.\nFive.\n</pre>\n<table>\n<tr><td>Six.\n<td>Seven.\n</table>\n<!-- a\nb -->\n<p>Eight.",
			map[string]int{"One.": 3, "Two": 4, "on": 5, "Three": 6, "Four.": 8, "Five.": 9, "Six.": 12, "Seven.": 13, "Eight.": 17}},
		"old.html": {"<p>One.\r<p>Two.\r\n<p>Three.\r", map[string]int{"One.": 1, "Two.": 2, "Three.": 3}},
		"a.docx": {
			word(styled("", "One. Two.")+"<w:p/>"+styled("", "Three.")+"<w:tbl><w:tr>"+cell("Four.")+cell("Five.")+"</w:tr></w:tbl>"+
				`<w:p><w:r><w:t>Six.</w:t></w:r><w:r>`+box+"</w:r><w:r><w:t>Seven\n.</w:t><w:br/><w:t>Eight.</w:t></w:r></w:p>"+styled("", "Nine."), ""),
			map[string]int{"One.": 1, "Two.": 1, "Three.": 3, "Four.": 4, "Five.": 5, "Six.": 6, "In the box.": 7, "Seven": 6, "Eight.": 6, "Nine.": 9},
		},
		"a.pdf": {
			pdftest.File("", pdftest.Lines(72, 700, 11, "One is on the first page. Two begins there and"), pdftest.Lines(72, 700, 11, "ends on the second. Three is there."),
				pdftest.Lines(72, 700, 11, "Four is alone.")),
			map[string]int{"One": 1, "Two": 1, "ends on": 2, "Three": 2, "Four": 3},
		},
		"a.csv":   {"id,text\n1,One.\n2,\"Two.\r\n\r\nThree.\"\n\"3\n\",\"Four.\nFive.\"\n", map[string]int{"One.": 2, "Two.": 3, "Three.": 5, "Four.": 7, "Five.": 8}},
		"a.jsonl": {"{\"text\":\"One.\\nTwo.\"}\n{\"text\":\"Three.\"}\n", map[string]int{"One.": 1, "Two.": 1, "Three.": 2}},
	} {
		dir := folder(t, map[string]string{name: c.content})
		files := read(t, Source{Name: "s", Kind: passage.Text, Path: dir})
		for quote, line := range c.lines {
			found := false
			for _, p := range files[0].Passages {
				at := strings.Index(p.Text, quote)
				if at < 0 {
					continue
				}
				found = true
				place := p.PlaceOf(passage.Span{Start: at, End: at + len(quote)})
				if text, err := Resolve(place); place.Line != line || text != quote || err != nil {
					t.Errorf("%s: %q is on %d, want %d; there stands %q, %v", name, quote, place.Line, line, text, err)
				}
			}
			if !found {
				t.Errorf("%s: no passage holds %q: %s", name, quote, listing(dir, files))
			}
		}
	}
}

// A place in a text of many passages is told by each of them.
func TestPlaceOfQuoteInLaterPassages(t *testing.T) {
	var page strings.Builder
	for i := range 900 {
		page.WriteString("<p>This is what stands on line " + ordinal(i+1) + " of it.\n")
	}
	dir := folder(t, map[string]string{"a.html": page.String()})
	files := read(t, Source{Name: "s", Kind: passage.Text, Path: dir})
	if len(files[0].Passages) < 10 {
		t.Fatalf("%d passages", len(files[0].Passages))
	}
	for i := range 900 {
		quote, seen := "line "+ordinal(i+1)+" of", false
		for _, p := range files[0].Passages {
			if at := strings.Index(p.Text, quote); at >= 0 {
				seen = true
				if line := p.LineAt(at); line != i+1 {
					t.Fatalf("line %d is told as %d", i+1, line)
				}
			}
		}
		if !seen {
			t.Fatalf("line %d is lost", i+1)
		}
	}
}

// ordinal writes a number with letters, by which no list begins.
func ordinal(n int) string {
	return strings.Map(func(r rune) rune { return r - '0' + 'a' }, fmt.Sprintf("%03d", n))
}
