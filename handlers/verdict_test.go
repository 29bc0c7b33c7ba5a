package handlers

import (
	"strings"
	"testing"

	"go.lsp.dev/protocol"
	"golang.org/x/tools/txtar"
)

// TestAnswerAndGapsAreOneVerdict shows one result in every place that speaks of it.
func TestAnswerAndGapsAreOneVerdict(t *testing.T) {
	for _, c := range []struct {
		gap          string // in place of the one of oneQuestion
		status, lens string
		marks        int
	}{
		{"missing-topic | 0.93 | Nothing on “children” | children", "**Nothing on “children”. Nearest places:**", "Answer again · 1 nearest place, 1 gap", 1},
		{"missing-topic | 0.65 | Nothing on “children” | children", "**Nothing on “children”. Nearest places:**", "Answer again · 1 nearest place, 1 gap", 1},
		{"missing-topic | 0.59 | Nothing on “children” | children", "**Answered from 1 source**", "Answer again · 1 source", 0},
		{"missing-knowledge | 0.65 | the dose in children | children", "**Your sources lack “the dose in children”. Nearest places:**", "Answer again · 1 nearest place, 1 gap", 1},
		{"missing-knowledge | 0.5 | the dose in children | children", "**Answered from 1 source**", "Answer again · 1 source", 0}, // a hint
	} {
		files := strings.Replace(oneQuestion, "missing-topic | 0.8 | Nothing on “children” | ../../examplin: children / <b>", c.gap, 1)
		d := newFakeEditor(t, txtar.Parse([]byte(files)))
		d.now.Settings.Lens.Enabled = true
		d.run(commandAnswer, Arguments{Question: d.question()})
		if !strings.Contains(d.now.Note.Text, c.status+"\n") {
			t.Errorf("%s: the note has no %s:\n%s", c.gap, c.status, d.now.Note.Text)
		}
		lenses, err := CodeLens(t.Context(), d.now)
		if err != nil || len(lenses) != 1 || lenses[0].Command.Title != c.lens {
			t.Errorf("%s: lenses %v, %v; want %q", c.gap, lenses, err, c.lens)
		}
		if n := len(Problems(d.now)); n != c.marks {
			t.Errorf("%s: %d marks, want %d", c.gap, n, c.marks)
		}
		hover, err := Hover(t.Context(), d.now, protocol.Position{Line: 2})
		if err != nil || hover == nil {
			t.Fatalf("%s: hover %v, %v", c.gap, hover, err)
		}
		said := hover.Contents.Value
		if outright := strings.Contains(said, "Answered from"); outright != strings.Contains(c.status, "Answered from") {
			t.Errorf("%s: the hover says:\n%s", c.gap, said)
		}
	}
}
