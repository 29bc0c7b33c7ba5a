package handlers

import (
	"strings"
	"testing"

	"lacuna/handlers/note"
)

// TestFates changes an answer that was written below a question.
func TestFates(t *testing.T) {
	tests := []struct {
		name, old, new string
		want           Disposition
	}{
		{"nothing", "", "", Standing},
		{"text elsewhere", "Before.", "Before that.", Standing},
		{"the source has another name", "[kb/examplin.md:3](kb/examplin.md#L3)", "[base/new.md:4](base/new.md#L4)", Standing},
		{"the source has another passage", "lacuna:cite ", "lacuna:cite 0000", Changed},
		{"a word", "5 mg", "50 mg", Changed},
		{"the status", "**Nothing on", "**Answered: all on", Changed},
		{"the question", "usual dose of examplin?", "usual price of examplin?", Gone},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			d := open(t)
			q := d.now.Note.Questions[0]
			d.run(commandAnswer, Arguments{Question: q.ID})
			text := strings.Replace(d.now.Note.Text, test.old, test.new, 1)
			if text == d.now.Note.Text && test.old != "" {
				t.Fatalf("%q is not in:\n%s", test.old, text)
			}
			if got := DispositionOf(note.Parse(text, note.Markdown), q.ID, d.results["usual dose"], d.now.Path); got != test.want {
				t.Errorf("%s, want %s", got, test.want)
			}
		})
	}
}
