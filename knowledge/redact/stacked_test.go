package redact

import (
	"slices"
	"strings"
	"testing"
)

// TestSecondFeatures: what the first pass thought of the text around a piece, of the same word and of the lines next to it.
func TestSecondFeatures(t *testing.T) {
	const text = "3/5 Berg seen\n3/6 power 3/5 Berg"
	v := newView(text)
	e := v.evidence()
	p := make([][labelCount]float64, len(e.pieces))
	for i, q := range e.pieces {
		p[i][nothing] = 1
		switch {
		case q.text == "Berg" && q.start < strings.Index(text, "\n"):
			p[i] = [labelCount]float64{nothing: .05, ofName: .95}
		case q.text == "Berg":
			p[i] = [labelCount]float64{nothing: .5, ofName: .3, ofPlace: .2}
		case q.kind == 'd' && q.start < strings.Index(text, "power"):
			p[i] = [labelCount]float64{nothing: .01, ofDate: .99}
		}
	}
	all := e.secondFeatures(p)
	for _, c := range []struct {
		piece string
		want  []string
	}{
		{"3 /", []string{"q D6", "q fine D16", "q-1 ED6", "q line 1 D6 D6 true", "q same D6 D6"}},
		{"Berg seen", []string{"q N5", "q same N3 N5"}},
		{"seen", []string{"q -0", "q-1 N5-0", "q line 1 -0 -0 false"}},
		{"Berg", []string{"q N3", "q fine N10", "q same N5 N3"}},
	} {
		word, next, _ := strings.Cut(c.piece, " ")
		found := false
		for i, q := range e.pieces {
			if q.text != word || next != "" && (i+1 == len(e.pieces) || e.pieces[i+1].text != next) || next == "" && word == "Berg" && i+1 < len(e.pieces) {
				continue
			}
			for _, want := range c.want {
				if !slices.Contains(all[i], want) {
					t.Errorf("%s has no %q: %q", c.piece, want, all[i])
				}
			}
			found = true
			break
		}
		if !found {
			t.Errorf("no piece %q", c.piece)
		}
	}
}
