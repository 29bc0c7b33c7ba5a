package handlers

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"go.lsp.dev/protocol"
	"golang.org/x/tools/txtar"

	"lacuna/handlers/lsp"
	"lacuna/handlers/note"
)

// answeredEditor is a note with two answered questions.
func answeredEditor(t *testing.T) *fakeEditor {
	t.Helper()
	archive, err := txtar.ParseFile("testdata/answered.txtar")
	if err != nil {
		t.Fatal(err)
	}
	d := newFakeEditor(t, archive)
	d.step("answer")
	return d
}

// page is the fake editor's note as a page, with others behind it.
func (d *fakeEditor) page(others ...Page) []Page {
	return append([]Page{{URI: d.now.URI, Path: d.now.Path, Note: d.now.Note}}, others...)
}

func TestReferences(t *testing.T) {
	d := answeredEditor(t)
	other := Page{URI: "untitled:two", Note: d.now.Note}
	tests := []struct {
		name, at    string
		declaration bool
		want        string
	}{
		{"from a mark", "[1]", false, "note.md 8, note.md 18, untitled:two 8, untitled:two 18"},
		{"from a listing, with the passage", "1. [kb/examplin.md:12]", true, "kb/examplin.md 12, note.md 17, untitled:two 17"},
		{"from a question, with itself", "And who", true, "note.md 12, note.md 20, note.md 21"},
		{"from words between", "# Visit", true, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			d.step("at " + test.at)
			found, err := References(t.Context(), d.now, d.cursor, test.declaration, slices.Values(d.page(other)), nil)
			if err != nil {
				t.Fatal(err)
			}
			if got := d.places(found); got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
}

// places names locations by their documents and lines.
func (d *fakeEditor) places(found []protocol.Location) string {
	var places []string
	for _, at := range found {
		name := strings.TrimPrefix(string(at.URI), string(lsp.URI(d.folder))+"/")
		places = append(places, fmt.Sprintf("%s %d", name, at.Range.Start.Line+1))
	}
	return strings.Join(places, ", ")
}

// TestReferencesOfAChangedPassage looks for a sentence whose passage has another identity by now.
func TestReferencesOfAChangedPassage(t *testing.T) {
	d := answeredEditor(t)
	pages := d.page()
	d.step("change kb/examplin.md: It is taken with water. => It is taken with much water.")
	d.reread()
	source := d.now
	source.Path = strings.TrimSuffix(d.now.Path, "note.md") + "kb/examplin.md"
	source.URI = lsp.URI(source.Path)
	p, span := d.passage("The usual dose")
	text, err := readTarget(source.Path)
	if err != nil {
		t.Fatal(err)
	}
	source.Note = note.Parse(text, note.Markdown)
	at := offsetPosition(source.Note.Lines, p.Place.Span.Start+span.Start, source.Client.Encoding)
	found, err := References(t.Context(), source, at, true, slices.Values(pages), nil)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := d.places(found), "kb/examplin.md 7, note.md 8, note.md 18"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestReferencesEndWithTheirContext(t *testing.T) {
	d := answeredEditor(t)
	d.step("at [1]")
	ctx, cancel := context.WithCancel(t.Context())
	taken := 0
	pages := func(yield func(Page) bool) {
		for range 3 {
			taken++
			cancel()
			if !yield(d.page()[0]) {
				return
			}
		}
	}
	if _, err := References(ctx, d.now, d.cursor, false, pages, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if taken != 1 {
		t.Errorf("%d pages were taken after the end", taken-1)
	}
}
