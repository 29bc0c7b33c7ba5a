package knowledge

import (
	"testing"

	"lacuna/knowledge/passage"
)

// TestSurroundings: the neighbours of a passage in its document, as many as there is room for, under its title and headings.
func TestSurroundings(t *testing.T) {
	text := func(document, heading, text string) *passage.Passage {
		return &passage.Passage{Source: "kb", Document: document, Kind: passage.Text, Title: document, Headings: []string{heading}, Text: text}
	}
	all := []*passage.Passage{
		text("a.md", "One", "0123456789"),
		text("b.md", "Head", "Re: Anna Mayfield"),
		text("b.md", "Body", "The wound healed."),
		text("b.md", "Body", "Mayfield may drive."),
		{Source: "kb", Document: "b.md", Kind: passage.QA, Question: "Why?", Text: "So."},
	}
	l := &Library{contents: contents{passages: all}}
	for _, c := range []struct {
		name    string
		ordinal int
		bytes   int
		want    string
	}{
		{"the whole document", 3, 1500, "b.md\nHead\nRe: Anna Mayfield\nBody\nThe wound healed.\nMayfield may drive.\n"},
		{"one before", 3, 10, "b.md\nBody\nThe wound healed.\nMayfield may drive.\n"},
		{"alone", 2, 0, "b.md\nBody\nThe wound healed.\n"},
		{"the first", 0, 1500, "a.md\nOne\n0123456789\n"},
		{"a stored answer", 4, 1500, "Why?\nSo.\n"},
	} {
		if got := l.Surroundings(&Hit{Passage: all[c.ordinal], Ordinal: c.ordinal}, c.bytes); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
	if got := l.Surroundings(&Hit{Passage: text("c.md", "", "Other."), Ordinal: 1}, 1500); got != "Other." {
		t.Errorf("of another library: %q", got)
	}
}
