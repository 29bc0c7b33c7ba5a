package notebook

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lacuna/knowledge/document"
	"lacuna/knowledge/passage"
)

// markdown finds headings and paragraphs.
func markdown(source string) document.Document {
	d := document.Document{Text: source}
	at := 0
	for line := range strings.Lines(source) {
		text := strings.TrimSpace(line)
		b := document.Block{Kind: passage.Paragraph, Span: passage.Span{Start: at, End: at + len(strings.TrimRight(line, "\n"))}}
		if label, found := strings.CutPrefix(text, "# "); found {
			b.Kind, b.Level = passage.Heading, 1
			d.Title = label
		}
		if text != "" {
			d.Blocks = append(d.Blocks, b)
		}
		at += len(line)
	}
	return d
}

func outline(d document.Document) string {
	var b strings.Builder
	d.Link()
	fmt.Fprintf(&b, "%s\n", d.Title)
	for i, block := range d.Blocks {
		fmt.Fprintf(&b, "%d cell %d %s below %d %q: %q\n", i+1, d.LineAt(block.Start), block.Kind, block.Lead, block.Label, d.Text[block.Start:block.End])
	}
	for _, o := range d.Omitted {
		fmt.Fprintf(&b, "without %s: %d\n", o.What, o.Words)
	}
	return b.String()
}

func TestRead(t *testing.T) {
	for _, test := range []struct{ name, file, want string }{
		{"cells", `{"cells": [
			{"cell_type": "markdown", "source": ["# Doses\n", "Compute them:"]},
			{"cell_type": "code", "source": "\ndose(70)\n", "outputs": [
				{"output_type": "stream", "text": "\u001b[31m5 mg\u001b[0m\n"},
				{"output_type": "display_data", "data": {"image/png": "AAAA", "text/plain": "<Figure>"}},
				{"output_type": "execute_result", "data": {"text/plain": ["` + strings.Repeat("1 ", 400) + `"]}},
				{"output_type": "error", "text": "no such drug"}]},
			{"cell_type": "raw", "source": "two words"},
			{"cell_type": "markdown", "source": ["# Risks\n", "Few."]}],
			"metadata": {"authors": [{"name": "A"}]}, "nbformat": 4}`, `Doses
1 cell 1 heading below 0 "": "# Doses"
2 cell 1 paragraph below 0 "": "Compute them:"
3 cell 2 code below 2 "": "dose(70)"
4 cell 2 code below 3 "": "5 mg"
5 cell 4 heading below 0 "Risks": "# Risks"
6 cell 4 paragraph below 0 "": "Few."
without pictures: 0
without output of code: 400
without errors of code: 3
without raw cells: 2
`},
		{"version 3", `{"worksheets": [{"cells": [{"cell_type": "heading", "level": 2, "source": "Old"}, {"cell_type": "code", "input": ["a = 1"]}]}]}`, `
1 cell 1 heading below 0 "Old": "Old"
2 cell 2 code below 0 "": "a = 1"
`},
		{"fields of other types", `{"cells": [{"cell_type": "markdown", "source": 7, "outputs": 3}, {"cell_type": "markdown", "source": "Text."}], "metadata": []}`, `
1 cell 2 paragraph below 0 "": "Text."
`},
	} {
		t.Run(test.name, func(t *testing.T) {
			d, err := Read(context.Background(), []byte(test.file), markdown)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, outline(d)); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
	for _, file := range []string{"", "{}", "[]", "{\"cells\": ", strings.Repeat("[", 1_000_000), `{"cells": ` + strings.Repeat(`[{"a":`, 1_000_000)} {
		if _, err := Read(context.Background(), []byte(file), markdown); err == nil {
			t.Errorf("%.20q is read", file)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(`{"cells": [{"cell_type": "markdown", "source": ["# a\n", "b"]}, {"cell_type": "code", "source": "c", "outputs": [{"text": "d"}, {"data": {"text/plain": ["e"]}}]}]}`))
	f.Fuzz(func(t *testing.T, content []byte) {
		d, err := Read(context.Background(), content, markdown)
		if err != nil {
			return
		}
		end := 0
		for _, b := range d.Blocks {
			if b.Start < end || b.End <= b.Start || b.End > len(d.Text) {
				t.Fatalf("block %v behind %d in %q", b.Span, end, d.Text)
			}
			end = b.End
		}
	})
}

func TestTitleInBold(t *testing.T) {
	for source, want := range map[string]string{
		`["**Chapter 3 – Pumps**\n", "Read this."]`: "Chapter 3 – Pumps",
		`["**Mind:** read this."]`:                  "Setup",
	} {
		d, err := Read(t.Context(), []byte(`{"cells": [{"cell_type": "markdown", "source": `+source+`}, {"cell_type": "markdown", "source": ["# Setup\n", "Few."]}]}`), markdown)
		if err != nil || d.Title != want {
			t.Errorf("%s: title %q, want %q (%v)", source, d.Title, want, err)
		}
	}
}
