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

// TestWhatIsMissingIsNoPartOfAnAnswer holds that an answer counts as unchanged whether it names its gaps or not.
func TestWhatIsMissingIsNoPartOfAnAnswer(t *testing.T) {
	d := open(t)
	d.now.Settings.Answer.ShowMissing = true
	q := d.now.Note.Questions[0]
	d.run(commandAnswer, Arguments{Question: q.ID})
	text := d.now.Note.Text
	block := d.now.Note.Answers[0]
	if len(block.Missing) != 1 {
		t.Fatalf("it names %v in\n%s", block.Missing, text)
	}
	line := block.Missing[0].Span
	for _, test := range []struct {
		name, text string
		want       Disposition
	}{
		{"as it is", text, Standing},
		{"without the gap", text[:line.Start] + strings.TrimLeft(text[line.End:], "\n"), Standing},
		{"with other words", strings.Replace(text, "5 mg", "50 mg", 1), Changed},
	} {
		if got := DispositionOf(note.Parse(test.text, note.Markdown), q.ID, d.results["usual dose"], d.now.Path); got != test.want {
			t.Errorf("%s: %s, want %s in\n%s", test.name, got, test.want, test.text)
		}
	}
}
