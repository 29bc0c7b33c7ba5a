package extract

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lacuna/knowledge/passage"
	"lacuna/knowledge/question"
)

func TestTheLeadBringsTheSentenceThatHoldsTheRest(t *testing.T) {
	long := strings.Repeat("plain ", 78)
	for _, c := range []struct {
		name     string
		question string
		text     *passage.Passage
		want     []string
	}{
		{
			"a span of time, the topic named again", "How long does a fishing permit last?",
			plain("Anglers on the upper lake need a fishing permit. The permit lasts three seasons. Boats need none.")[0],
			[]string{"Anglers on the upper lake need a fishing permit. The permit lasts three seasons."},
		},
		{
			"a verb, after a pronoun", "When does the ferry return?",
			plain("The ferry leaves the pier at seven. It returns at dusk. Dogs travel free.")[0],
			[]string{"The ferry leaves the pier at seven. It returns at dusk."},
		},
		{
			"not without a word of the question or a figure", "Who mends the ferry?",
			plain("The ferry is mended by the yard. It is white.")[0],
			[]string{"The ferry is mended by the yard."},
		},
		{
			"not where the lead has the figure", "How much does the ferry cost?",
			plain("The ferry costs four crowns. It was 3 crowns before.")[0],
			[]string{"The ferry costs four crowns."},
		},
		{
			"not about something else", "How long does the ferry crossing take?",
			plain("The ferry crossing takes longer in wind. Tickets are kept for 30 days.")[0],
			[]string{"The ferry crossing takes longer in wind."},
		},
		{
			"not over the end of a paragraph", "How long does the ferry crossing take?",
			markdown(t, "The ferry crossing takes longer in wind.\n\nIt is 30 years old.\n"),
			[]string{"The ferry crossing takes longer in wind."},
		},
		{
			"not beyond eighty words", "How long does the ferry crossing take?",
			plain("The ferry crossing is " + long + "long. It takes 20 minutes.")[0],
			[]string{"The ferry crossing is " + long + "long."},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, shown(read(c.question, even, list(c.text)), LeadOnly)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestAnEncoderLeavesTheLeadAlone(t *testing.T) {
	r := read("When does the ferry return?", even, list(plain("The ferry leaves the pier at seven. It returns at dusk.")...))
	r.encoded = true
	if next, ok := r.continuation(0); ok {
		t.Errorf("brings %q", r.sentences[next].text)
	}
	if r.asks = question.Read("How long is the ferry?"); r.lacksFigure(nil) {
		t.Error("asks for a figure")
	}
}

func TestFigures(t *testing.T) {
	for _, c := range []struct {
		question, text string
		wants          bool
	}{
		{"What does a berth cost?", "Berths are paid in spring.", true},
		{"What does a berth cost?", "A berth costs 40 crowns.", false},
		{"What does a berth cost?", "A berth is free for members.", false},
		{"What is the usual dose of colchicine?", "Colchicine is given with food.", true},
		{"What is the price of a berth?", "A berth is twelve crowns.", false},
		{"How long is a berth kept?", "A berth is kept for a year.", false},
		{"How long is a berth kept?", "A berth is kept for life.", false},
		{"How long is a berth kept?", "A berth is kept yearly.", true},
		{"How often is the mooring checked?", "The mooring is checked yearly.", false},
		{"How often is the mooring checked?", "The mooring is checked by divers.", true},
		{"How many boats fit?", "Many boats fit.", true},
		{"How are boats moored?", "Boats are moored by the bow.", false},
		{"What causes the cost to rise?", "Storms do.", false},
		{"泊位多少钱？", "泊位按年付费。", true},
		{"泊位多少钱？", "泊位每年四百元。", false},
	} {
		r := read(c.question, even, list(plain(c.text)...))
		if got := r.wantsFigure(c.text); got != c.wants {
			t.Errorf("%q after %q: wants a figure: %v", c.text, c.question, got)
		}
	}
}

func TestASentenceThatHoldsTheWholeSubjectLeads(t *testing.T) {
	const whole = "A harbour berth is let for at most five years when the boat is under 9 metres."
	r := read("How long may a harbour berth be let?", even, list(plain(
		"The berth is let to whoever asks how long it may be let.", whole)...))
	if got := shown(r, LeadOnly); len(got) != 1 || got[0] != whole {
		t.Errorf("shown: %q", got)
	}
}
