package handlers

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"go.lsp.dev/protocol"

	"lacuna/handlers/lsp"
	"lacuna/handlers/note"
	"lacuna/handlers/position"
)

// textIn returns what a range of the note holds.
func (d *fakeEditor) textIn(r protocol.Range) string {
	return d.now.Note.Text[d.now.offsetOf(r.Start):d.now.offsetOf(r.End)]
}

func (d *fakeEditor) links() string {
	d.now.Client.LinkTooltips = true
	links, err := DocumentLinks(d.t.Context(), d.now)
	if err != nil {
		d.t.Fatal(err)
	}
	var b strings.Builder
	for _, l := range links {
		target := strings.ReplaceAll(string(l.Target), string(lsp.URI(d.folder)), "FOLDER")
		fmt.Fprintf(&b, "%d: %s -> %s (%s)\n", l.Range.Start.Line+1, d.textIn(l.Range), target, l.Tooltip)
	}
	return b.String()
}

// outlined writes symbols, those inside others indented, and checks that they lie inside.
func (d *fakeEditor) outlined(b *strings.Builder, symbols []protocol.DocumentSymbol, indent string) {
	for _, s := range symbols {
		fmt.Fprintf(b, "%s%s (%s) %d-%d\n", indent, s.Name, s.Detail, s.Range.Start.Line+1, s.Range.End.Line+1)
		if !strings.HasPrefix(d.textIn(s.Range), d.textIn(s.SelectionRange)) {
			d.t.Errorf("%q does not begin with %q", d.textIn(s.Range), d.textIn(s.SelectionRange))
		}
		for _, inner := range s.Children {
			if inner.Range.Start.Line < s.Range.Start.Line || inner.Range.End.Line > s.Range.End.Line {
				d.t.Errorf("%q is not inside %q", inner.Name, s.Name)
			}
		}
		d.outlined(b, s.Children, indent+"  ")
	}
}

func (d *fakeEditor) folds() string {
	folds, err := FoldingRanges(d.t.Context(), d.now)
	if err != nil {
		d.t.Fatal(err)
	}
	var b strings.Builder
	for _, f := range folds {
		start, end := d.now.Note.Lines.Span(int(f.StartLine))
		fmt.Fprintf(&b, "%d-%d: %s\n", f.StartLine+1, f.EndLine+1, strings.TrimSpace(d.now.Note.Text[start:end]))
	}
	return b.String()
}

func TestFoldingRangesAreLimited(t *testing.T) {
	d := answeredEditor(t)
	d.now.Client.FoldLimit = 1
	if folds, err := FoldingRanges(t.Context(), d.now); err != nil || len(folds) != 1 {
		t.Errorf("got %v, %v", folds, err)
	}
}

func TestSymbolsOfAClientWithoutTrees(t *testing.T) {
	s := Snapshot{URI: "untitled:1", Note: note.Parse("# Visit\n\n## Dose\n\nHow much?\n\n## Rest\n", note.Markdown), Client: Client{Encoding: position.UTF16}}
	found, err := DocumentSymbols(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, symbol := range found.([]protocol.SymbolInformation) {
		names = append(names, symbol.ContainerName+"/"+symbol.Name)
	}
	if want := []string{"/Visit", "Visit/Dose", "Dose/How much?"}; !slices.Equal(names, want) {
		t.Errorf("got %q, want %q", names, want)
	}
}

func TestWorkspaceSymbols(t *testing.T) {
	pages := []Page{
		{URI: "file:///w/b%20c.md", Note: note.Parse("What is the dose?\n\nIs it a Dose of 漢字？\n", note.Markdown)},
		{URI: "untitled:2", Note: note.Parse("Who asks?\n", note.Plaintext)},
	}
	for query, want := range map[string]string{
		"":        "What is the dose? in b c.md; Is it a Dose of 漢字？ in b c.md; Who asks? in untitled:2",
		"DOSE":    "What is the dose? in b c.md; Is it a Dose of 漢字？ in b c.md",
		"is dose": "What is the dose? in b c.md; Is it a Dose of 漢字？ in b c.md",
		"字":       "Is it a Dose of 漢字？ in b c.md",
		"sesod":   "",
	} {
		found, err := WorkspaceSymbols(t.Context(), Client{Encoding: position.UTF16}, query, slices.Values(pages), nil)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, symbol := range found {
			got = append(got, symbol.Name+" in "+symbol.ContainerName)
		}
		if joined := strings.Join(got, "; "); joined != want {
			t.Errorf("%q: got %s, want %s", query, joined, want)
		}
	}
}
