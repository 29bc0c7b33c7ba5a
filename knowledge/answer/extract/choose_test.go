package extract

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lacuna/knowledge/passage"
	"lacuna/knowledge/sanitise"
)

func TestChoose(t *testing.T) {
	long := strings.Repeat("urate ", 78) + "rises."
	for _, c := range []struct {
		name      string
		sentences []string
		scores    []float64
		amount    Amount
		want      []int
	}{
		{"those within the margin, at most three", []string{"A one.", "B two.", "C three.", "D four."}, []float64{.50, .46, .55, .52}, UpToThree, []int{2, 3, 0}},
		{"nothing below the margin", []string{"A one.", "B two."}, []float64{.50, .44}, UpToThree, []int{0}},
		{"the lead alone", []string{"A one.", "B two."}, []float64{.50, .50}, LeadOnly, []int{0}},
		{"three whatever they score", []string{"A one.", "B two.", "C three.", "D four."}, []float64{.1, .9, .2, .3}, Three, []int{1, 3, 2}},
		{"ties go to the earlier one", []string{"A one.", "B two.", "C three."}, []float64{.5, .5, .5}, UpToThree, []int{0, 1, 2}},
		{"not the same again", []string{"Red cells break.", "Red cells break early.", "Iron is given."}, []float64{.50, .49, .48}, UpToThree, []int{0, 2}},
		{"at most eighty words", []string{"A one.", long, "C three."}, []float64{.50, .49, .48}, UpToThree, []int{0, 2}},
		{"the best one whatever its length", []string{long + " " + long, "B two six seven eight nine."}, []float64{.50, .49}, UpToThree, []int{0}},
		{"nothing to show", []string{"See here:"}, []float64{1}, UpToThree, nil},
		{"an empty base", nil, nil, UpToThree, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := read("?", even, list(plain(c.sentences...)...))
			if len(r.sentences) == len(c.sentences)+1 { // the two long ones of one text
				c.scores = append([]float64{c.scores[0], 0}, c.scores[1:]...)
			}
			if diff := cmp.Diff(c.want, r.choose(c.scores, c.amount)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestNeighboursBecomeOneBullet(t *testing.T) {
	text := plain("Gout hurts. It comes at night. Urate is high. Colchicine helps.")[0]
	r := read("?", even, list(text))
	for _, c := range []struct {
		chosen []int
		want   []string
	}{
		{[]int{0, 1}, []string{"Gout hurts. It comes at night."}},
		{[]int{1, 0}, []string{"Gout hurts. It comes at night."}},
		{[]int{1}, []string{"(Gout hurts.) It comes at night."}},
		{[]int{3, 0}, []string{"Colchicine helps.", "Gout hurts."}},
		{[]int{3, 1, 2}, []string{"(Gout hurts.) It comes at night. Urate is high. Colchicine helps."}},
	} {
		var got []string
		for _, q := range r.quotations(c.chosen) {
			bullet := text.Text[q.span.Start:q.span.End]
			if len(q.leads) > 0 {
				bullet = "(" + q.leadText() + ") " + bullet
			}
			got = append(got, bullet)
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%v: %s", c.chosen, diff)
		}
	}
}

func TestTwoSentencesBringTheOneBetween(t *testing.T) {
	r := read("?", even, list(plain("Ankles swell. Faces flush. Doses fall. Gums grow.")...))
	for _, c := range []struct {
		scores []float64
		want   []int
	}{
		{[]float64{.5, .1, .49, .1}, []int{0, 2, 1}},
		{[]float64{.5, .1, .1, .49}, []int{0, 3}},
		{[]float64{.5, .49, .1, .1}, []int{0, 1}},
	} {
		if diff := cmp.Diff(c.want, r.choose(c.scores, "")); diff != "" {
			t.Errorf("%v: %s", c.scores, diff)
		}
	}
}

func TestSentencesOfTwoParagraphsStayApart(t *testing.T) {
	r := read("?", even, list(markdown(t, "Gout hurts.\n\nUrate is high.\n")))
	if got := len(r.quotations([]int{0, 1})); got != 2 {
		t.Errorf("%d bullets, want 2", got)
	}
}

func TestCountWords(t *testing.T) {
	for text, want := range map[string]int{"": 0, "One, two-three.": 3, "痛风": 1, "痛风是病": 2, "服 B12 片": 2} {
		if got := countWords(text); got != want {
			t.Errorf("%q: %d words, want %d", text, got, want)
		}
	}
}

// FuzzReading holds what must be true of every answer, whatever the question and the sources.
func FuzzReading(f *testing.F) {
	f.Add("What is gout?", "Gout is an arthritis. It hurts.", "# Gout\n\n- a\n- Gout is old.\n\n| a | b |\n|---|---|\n| gout | old |\n", "Is gout old?")
	f.Add("痛风是什么？", "痛风是一种关节炎。它很痛！", "痛风：\n\n1. 秋水仙碱\n", "\xff\xfe.")
	f.Add("", "", "|", "a\r\n\r\nb.\r- c?")
	f.Fuzz(func(t *testing.T, question, one, two, three string) {
		passages := plain(one, two, three)
		passages[1].Format = passage.Markdown
		r := read(question, even, list(passages...))
		scores := r.scores()
		for i, score := range scores {
			if score != score {
				t.Fatalf("sentence %q scores NaN", r.sentences[i].text)
			}
		}
		for _, amount := range []Amount{LeadOnly, UpToThree, Three} {
			checkBullets(t, r, r.choose(scores, amount))
		}
	})
}

func checkBullets(t *testing.T, r *reading, chosen []int) {
	t.Helper()
	if len(chosen) > maxChosen {
		t.Fatalf("%d sentences", len(chosen))
	}
	words := 0
	bullets := r.quotations(chosen)
	for _, q := range bullets {
		text := r.pages[q.page].hit.Passage.Text
		if q.span.Start < 0 || q.span.End > len(text) || q.span.Len() <= 0 {
			t.Fatalf("span %v of %q", q.span, text)
		}
		quote := r.pages[q.page].shown.Span(q.span)
		if !sanitise.Literal(quote) {
			t.Fatalf("quoted: %q", quote)
		}
		for _, l := range q.leads {
			if l.Span.End > q.span.Start {
				t.Fatalf("lead %v overlaps %v in %q", l.Span, q.span, text)
			}
		}
		words += countWords(quote)
	}
	if len(chosen) > 1 && words > maxWords {
		t.Fatalf("%d words", words)
	}
}
