package note

import (
	"strings"
	"testing"
)

// TestAnswersGoBelowWhatBelongsToTheQuestion writes an answer to each question, where the arrow is, and reads it
// again.
func TestAnswersGoBelowWhatBelongsToTheQuestion(t *testing.T) {
	for _, test := range []struct {
		name     string
		language Language
		text     string
	}{
		{"a list of its own", Markdown, "What may cause it?\n\n- drugs\n  of all kinds\n- age→\n\nMore."},
		{"a list that asks", Markdown, "What about:→\n- age?\n"},
		{"the rest of the paragraph", Markdown, "Is there a second edition? (The library\nhas the first, I think.)→\n\nMore."},
		{"a table", Markdown, "| a | b |\n|---|---|\n| c | is it safe? |\n| d | e |→\n\nMore."},
		{"a callout", Markdown, "> [!question] Is it safe?\n> in old age→\n\nMore."},
		{"properties of Logseq", Markdown, "- Is it safe?\n  id:: 64f0→\n- more"},
		{"a block id", Markdown, "Is it safe?\n^safe→\n\nMore."},
		{"a drawer of Org", Org, "* Is it safe?\nSCHEDULED: <2026-01-01>\n:PROPERTIES:\n:ID: 1\n:END:→\nMore."},
	} {
		t.Run(test.name, func(t *testing.T) {
			before, after, _ := strings.Cut(test.text, "→")
			n := Parse(before+after, test.language)
			if test.name == "a list that asks" {
				if len(n.Questions) != 1 || n.Questions[0].Text != "age?" {
					t.Fatalf("questions %q", questions(n))
				}
				return
			}
			if len(n.Questions) != 1 {
				t.Fatalf("questions %q", questions(n))
			}
			edit := n.Write(n.Questions[0], block("x"))
			if edit.Span.Start != len(before) {
				t.Errorf("the answer goes behind %q", n.Text[:edit.Span.Start])
			}
			again := Parse(before+edit.NewText+after, test.language)
			if len(again.Questions) != 1 || again.Questions[0].Answer != 0 || again.Questions[0].ID != n.Questions[0].ID {
				t.Errorf("read again: %+v", again.Questions)
			}
		})
	}
}

// TestQuestionsOnOneLineHaveAnswersOfTheirOwn answers two questions of a line in either order.
func TestQuestionsOnOneLineHaveAnswersOfTheirOwn(t *testing.T) {
	for _, text := range []string{
		"What is the dose? How long is it given?\n\nMore.", "| What is the dose? |\n| How long is it given? |\n",
		"- What is the dose? How long is it given? #todo\n- more",
	} {
		for _, first := range []int{0, 1} {
			n := Parse(text, Markdown)
			for _, i := range []int{first, 1 - first} {
				if len(n.Questions) != 2 {
					t.Fatalf("questions %q", questions(n))
				}
				edit := n.Write(n.Questions[i], block("answer "+n.Questions[i].Text))
				n = Parse(n.Text[:edit.Span.Start]+edit.NewText+n.Text[edit.Span.End:], Markdown)
			}
			for _, q := range n.Questions {
				if q.Answer < 0 || !strings.HasPrefix(string(q.ID), n.Answers[q.Answer].Question) {
					t.Errorf("%q has the wrong answer in\n%s", q.Text, n.Text)
				}
			}
			for _, q := range n.Questions {
				at := strings.Index(n.Text, q.Text)
				if found, ok := n.QuestionAt(at); !ok || found.ID != q.ID {
					t.Errorf("at %q stands %q", q.Text, found.Text)
				}
			}
		}
	}
}
