package knowledge

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"lacuna/knowledge/passage"
	"lacuna/vecmath"
)

// markVectors gives every text a vector that no encoding would, so that one that is encoded again is
// told from one that is kept.
func markVectors(t *testing.T, x *Index) {
	t.Helper()
	x.state = x.state.with(func(s *state) {
		collection := s.collections[0]
		rows := vecmath.NewRows(collection.encoder.Dim())
		for range collection.N() {
			mark := make([]float32, collection.encoder.Dim())
			mark[0] = 1
			if err := rows.Append(mark); err != nil {
				t.Fatal(err)
			}
		}
		s.collections = append([]*Collection{collection.withEncoder(collection.encoder, vecmath.NewIndex(rows))}, s.collections[1:]...)
	})
	x.publish(x.state.library(false))
}

// encoded counts the texts whose vector is not the mark.
func encoded(l *Library) int {
	n := 0
	collection := l.Collection(passage.Text)
	for ordinal, p := range l.Passages() {
		if p.Kind == passage.Text && collection.Vector(ordinal)[0] != 1 {
			n++
		}
	}
	return n
}

// Text that stood in the last state is neither analysed nor encoded again, wherever it stands now; that of
// a copy once.
func TestUnchangedTextIsNeverEncodedAgain(t *testing.T) {
	d := newDesk(t)
	d.addNotes(0, 60)
	d.write("notes/metals.md", "# Metals\n\n## Iron\n\nIron rusts.\n\n## Zinc\n\nZinc does not rust.\n")
	d.open()
	d.refresh()
	notes := func(name string) string { return filepath.Join(d.sources, "notes", name) }
	move := func(from, to string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(notes(to)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(notes(from), notes(to)); err != nil {
			t.Fatal(err)
		}
	}
	steps := []struct {
		name   string
		change func()
		parsed int // files whose passages are other objects than before
		fresh  int // texts that were analysed and encoded
	}{
		{"a touched file", func() {
			if err := os.Chtimes(notes("n007.md"), time.Now(), time.Now()); err != nil {
				t.Fatal(err)
			}
		}, 0, 0},
		{"a renamed file", func() { move("n003.md", "a003.md") }, 1, 0},
		{"a renamed folder", func() { move("n004.md", "deep/n004.md"); move("n005.md", "deep/n005.md") }, 2, 0},
		{"a moved paragraph", func() {
			d.write("notes/metals.md", "# Metals\n\n## Zinc\n\nZinc does not rust.\n\n\n## Iron\n\nIron rusts.\n")
		}, 1, 0},
		{"a section more", func() {
			d.write("notes/metals.md", "# Metals\n\n## Zinc\n\nZinc does not rust.\n\n## Iron\n\nIron rusts.\n\n## Tin\n\nTin whistles.\n")
		}, 1, 1},
		{"a copy", func() { d.write("notes/copy.md", "# Zinc\n\nZinc lozenges shorten a cold.\n") }, 1, 1},
		{"a new file", func() { d.write("notes/new.md", "# New\n\nLead is soft.\n") }, 1, 1},
		{"a removed file", func() {
			if err := os.Remove(notes("n009.md")); err != nil {
				t.Fatal(err)
			}
		}, 0, 0},
		{"two files that trade places", func() { move("n010.md", "x.md"); move("n011.md", "n010.md"); move("x.md", "n011.md") }, 2, 0},
	}
	for _, step := range steps {
		markVectors(t, d.index)
		known := make(map[*passage.Passage]bool)
		for _, p := range d.index.state.passages {
			known[p] = true
		}
		step.change()
		d.refresh()
		parsed := make(map[string]bool)
		for _, p := range d.index.state.passages {
			if !known[p] {
				parsed[p.Place.File] = true
			}
		}
		if n := encoded(d.index.Library()); n != step.fresh || len(parsed) != step.parsed {
			t.Errorf("%s: %d texts encoded and %d files parsed, want %d and %d", step.name, n, len(parsed), step.fresh, step.parsed)
		}
		if d.index.Library().Collection(passage.Text).Encoder() == nil {
			t.Fatal("no encoder")
		}
	}
}

// The places that are recognised differ, though equal texts stand in several sources.
func TestEqualTextsAreRecognisedOnce(t *testing.T) {
	make := func(texts ...string) (all []*passage.Passage, ordinals []int) {
		for i, text := range texts {
			all = append(all, &passage.Passage{Source: fmt.Sprint(i), Kind: passage.Text, Text: text, ID: passage.IDOf(text)})
			ordinals = append(ordinals, i)
		}
		return all, ordinals
	}
	last, places := make("iron", "iron", "zinc", "tin")
	next, ordinals := make("zinc", "iron", "iron", "iron", "lead")
	next[2] = last[0]
	old, err := buildCollection(t.Context(), t.TempDir(), last, ordinalsOf(last, passage.Text), passage.Text, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(old.match(last, next, ordinals)); len(places) != 4 || got != "[2 1 0 -1 -1]" {
		t.Errorf("recognised %s", got)
	}
}
