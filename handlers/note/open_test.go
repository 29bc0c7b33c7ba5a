package note

import (
	"slices"
	"strings"
	"testing"

	"lacuna/knowledge/passage"
)

// TestOpen has one question with one block below it; open questions are the same for all that answer, list
// or count them.
func TestOpen(t *testing.T) {
	quote := Bullet{Text: "Fluids help.", Citations: []int{1}}
	place := Bullet{Basis: Place, Title: "Gout", Text: "Fluids help.", Citations: []int{1}}
	source := BlockSource{N: 1, Passage: someID, Label: "kb/a.md:1", Path: "kb/a.md", Line: 1}
	for _, c := range []struct {
		name  string
		block Block
		open  bool
	}{
		{"not answered", Block{Status: "Not answered: nothing on “pegloticase”: no passage mentions it"}, true},
		{"not answered, with a line of an earlier version", Block{Status: "Not answered: nothing on this subject in your sources",
			Notes: []string{"The model did not answer (127.0.0.1:1: nothing answers at this address). Your sources were searched without it."}}, true},
		{"not answered, with what comes nearest", Block{Status: "Not answered: your sources lack “children”", Bullets: []Bullet{quote}, Sources: []BlockSource{source}}, true},
		{"answered", Block{Status: "Answered from 1 source", Bullets: []Bullet{quote}, Sources: []BlockSource{source}}, false},
		{"partly answered", Block{Status: "Partly answered from 1 source: nothing on pregnancy", Bullets: []Bullet{quote}, Sources: []BlockSource{source}}, false},
		{"nearest places", Block{Status: Perhaps, Bullets: []Bullet{place}, Sources: []BlockSource{source}}, true},
		{"nearest places, and a gap", Block{Status: "Nothing on children. " + NearestPlaces, Bullets: []Bullet{place}, Sources: []BlockSource{source}}, true},
		{"nearest places of an earlier version", Block{Status: "Not answered. " + NearestPlaces, Bullets: []Bullet{place}, Sources: []BlockSource{source}}, true},
		{"nearest places of a still earlier one", Block{Status: "Not answered; the nearest places in your sources:", Bullets: []Bullet{quote}, Sources: []BlockSource{source}}, true},
		{"background alone", Block{Status: "Written by m alone, not from your sources", Bullets: []Bullet{{Basis: Background, Text: "It helps."}}}, false},
		{"a choice without a sentence", Block{Status: "Written by m alone, not from your sources", Notes: []string{"Chosen: B"}}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, language := range Languages() {
				n := Parse("How is gout treated?\n", language)
				e := n.Write(n.Questions[0], c.block)
				n = Parse(n.Text[:e.Span.Start]+e.NewText+n.Text[e.Span.End:], language)
				if len(n.Questions) != 1 || n.Questions[0].Answer < 0 {
					t.Fatalf("%s: no question with an answer in\n%s", language, n.Text)
				}
				if got := n.Open(n.Questions[0]); got != c.open || (len(n.OpenQuestions()) == 1) != c.open {
					t.Errorf("%s: open %v with status %q in\n%s", language, got, n.Answers[0].Status, n.Text)
				}
			}
		})
	}
}

func TestOpenAfterEditsByHand(t *testing.T) {
	const head, tail = "How is gout treated?\n\n<!-- lacuna:answer 0e163eec -->\n", "<!-- lacuna:end -->\n"
	for name, c := range map[string]struct {
		text string
		open bool
	}{
		"no block":                            {"How is gout treated?\n", true},
		"an empty block":                      {head + tail, true},
		"a blank line before the status":      {head + "\n**Not answered: the search failed**\n" + tail, true},
		"another emphasis":                    {head + "__Not answered: the search failed__\n" + tail, true},
		"a list of one's own below it":        {head + "**Not answered: the search failed**\n\n- I asked: colchicine.\n" + tail, false},
		"one's own words in its place":        {head + "I asked: colchicine.\n" + tail, false},
		"the question was changed afterwards": {strings.Replace(head, "gout", "gout now", 1) + "**Answered from 1 source**\n\n- \"a\" [1]\n" + tail, false},
		"a block that lost its end":           {head + "**Not answered: the search failed**\n\nBelow.\n", true},
		"not asked":                           {"<!-- lacuna: skip -->\n" + "How is gout treated?\n", false},
		"between off and on":                  {"<!-- lacuna: off -->\nHow is gout treated?\n<!-- lacuna: on -->\n", false},
		"private":                             {"---\nlacuna: private\n---\nHow is gout treated?\n", true}, // answered when it is asked for
	} {
		t.Run(name, func(t *testing.T) {
			n := Parse(c.text, Markdown)
			if got := len(n.OpenQuestions()) == 1; got != c.open {
				t.Errorf("open %v, want %v: %+v", got, c.open, n.Answers)
			}
		})
	}
}

// TestMissingKnowledgeReadsBack writes what is missing into a block of every language, edits the note around it,
// answers again without it, and takes the last line of the block away.
func TestMissingKnowledgeReadsBack(t *testing.T) {
	want := []string{"Nothing on “pegloticase”: no passage mentions it", "Your sources lack “a *dose* of 5_mg at $2 for <x> {y} #z [1]”"}
	for _, language := range Languages() {
		n := Parse("Above.\n\nQ: dose of pegloticase?\n\nBelow.\n", language)
		if len(n.Questions) != 1 {
			t.Fatalf("%s: %d questions", language, len(n.Questions))
		}
		block := Block{
			Status: "Nothing on “pegloticase”: no passage mentions it. " + NearestPlaces, Missing: want,
			Bullets: []Bullet{{Basis: Place, Title: "Gout", Text: "Colchicine is taken.", Citations: []int{1}}},
			Sources: []BlockSource{{N: 1, Passage: passage.ID{1}, Label: "kb/gout.md:3", Path: "kb/gout.md", Line: 3}},
		}
		write := func(n *Note) string {
			edit := n.Write(n.Questions[0], block)
			return n.Text[:edit.Span.Start] + edit.NewText + n.Text[edit.Span.End:]
		}
		check := func(when string, n *Note, want ...string) {
			t.Helper()
			if len(n.Questions) != 1 || n.Questions[0].Answer != 0 || !n.Open(n.Questions[0]) {
				t.Fatalf("%s, %s: the question has no open answer in\n%s", language, when, n.Text)
			}
			a := n.Answers[0]
			var got []string
			for _, m := range a.Missing {
				got = append(got, m.Text)
				if line := n.Text[m.Span.Start:m.Span.End]; !strings.HasPrefix(line, MissingKnowledge) || m.Span.Start < a.Span.Start || m.Span.End > a.Span.End {
					t.Errorf("%s, %s: %q stands at %v of a block at %v", language, when, line, m.Span, a.Span)
				}
			}
			if !slices.Equal(got, want) || len(a.Citations) != 1 || len(a.Statements) != 1 {
				t.Errorf("%s, %s: missing %q, %d citations, %d statements in\n%s", language, when, got, len(a.Citations), len(a.Statements), n.Text)
			}
		}
		written := Parse(write(n), language)
		check("written", written, want...)
		check("edited above", written.WithText("More. "+written.Text), want...)
		check("without its end", Parse(strings.Replace(written.Text, language.markup().close, "", 1), language), want...)
		block.Missing = nil
		check("answered again", Parse(write(written), language))
		if edit := written.Remove(written.Questions[0]); written.Text[:edit.Span.Start]+edit.NewText+written.Text[edit.Span.End:] != n.Text {
			t.Errorf("%s: removed, it left something", language)
		}
	}
}
