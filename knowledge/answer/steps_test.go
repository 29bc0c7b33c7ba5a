package answer

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lacuna/knowledge"
	"lacuna/knowledge/passage"
	"lacuna/knowledge/sanitise"
	"lacuna/prompts"
)

// pile makes evidence of texts.
func pile(texts ...string) []Evidence {
	var all []Evidence
	for _, text := range texts {
		all = append(all, Evidence{Hit: &knowledge.Hit{Passage: &passage.Passage{ID: passage.IDOf(text), Text: text}}})
	}
	return all
}

// texts are those of evidence, joined.
func texts(evidence []Evidence) string {
	var all []string
	for _, p := range passages(evidence) {
		all = append(all, p.Text)
	}
	return strings.Join(all, " ")
}

func TestInterleave(t *testing.T) {
	for _, c := range []struct {
		name  string
		lists [][]Evidence
		held  []Evidence
		k     int
		want  string
	}{
		{"in turn", [][]Evidence{pile("a", "b", "c"), pile("x", "y")}, nil, 4, "a x b y"},
		{"until there are enough", [][]Evidence{pile("a", "b"), pile("x"), pile("m")}, nil, 2, "a x"},
		{"without what is held", [][]Evidence{pile("a", "b"), pile("x")}, pile("a", "x"), 2, "b"},
		{"each once", [][]Evidence{pile("a", "b"), pile("a", "b", "c")}, nil, 9, "a b c"},
		{"a list that ends leaves its turns", [][]Evidence{pile("a"), nil, pile("x", "y", "z")}, nil, 9, "a x y z"},
		{"none", nil, nil, 3, ""},
		{"no room", [][]Evidence{pile("a")}, nil, 0, ""},
	} {
		if got := texts(interleave(c.lists, c.held, c.k)); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// unanswered is a stored question without an answer.
func unanswered(question string) *passage.Passage {
	p := &passage.Passage{Kind: passage.QA, Question: question}
	p.Identify("")
	return p
}

func TestDedupKeepsTheFirst(t *testing.T) {
	one, two := pile("same  text", "other"), pile("Same text", "same text", "new")
	if got := texts(dedup(one, two)); got != "same  text other Same text new" {
		t.Errorf("got %q", got)
	}
	evidence := []Evidence{
		{Hit: &knowledge.Hit{Passage: unanswered("Why?")}}, {Hit: &knowledge.Hit{Passage: unanswered("How?")}},
		{Text: "written"}, {Text: "written"},
	}
	if got := len(dedup(evidence)); got != 3 {
		t.Errorf("%d kept of two stored questions without answers and one text written twice", got)
	}
}

func TestContexts(t *testing.T) {
	hit := func(p passage.Passage) Evidence { return Evidence{Hit: &knowledge.Hit{Passage: &p}} }
	evidence := []Evidence{
		hit(passage.Passage{Title: "Gout", Headings: []string{"Prevention"}, Text: "Allopurinol prevents."}),
		hit(passage.Passage{Headings: []string{"Alone"}, Text: strings.Repeat("word ", 1000)}),
		hit(passage.Passage{Question: "How?", Text: "So."}),
		{Text: "Written.", Irrelevant: true},
	}
	r := &run{Bench: &Bench{}}
	got := r.contexts(evidence, 3)
	if tokens := prompts.Tokens(got[1].Text); tokens > prompts.ItemTokens || tokens < prompts.ItemTokens-10 {
		t.Errorf("a long text is cut to %d tokens", tokens)
	}
	got[1].Text = ""
	want := []prompts.Context{
		{N: 3, Title: "Gout – Prevention", Text: "Allopurinol prevents."},
		{N: 4, Title: "Alone"},
		{N: 5, Question: "How?", Text: "So."},
		{N: 6, Text: "Written.", Generated: true, Note: uselessNote},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	published := &run{Bench: &Bench{Options: Options{AsPublished: true}}}
	if last := published.contexts(evidence, 1)[3]; last.Generated || last.Note != "" {
		t.Errorf("as published: %+v", last)
	}
	if many := r.contexts(slices.Repeat(evidence[1:2], 40), 1); len(many) > prompts.EvidenceTokens/prompts.ItemTokens+1 {
		t.Errorf("%d long texts go into one prompt", len(many))
	}
}

func TestCompressKeepsWhatIsAboutTheMatter(t *testing.T) {
	r := &run{library: knowledge.Pending()}
	filler := strings.Repeat("Nothing of note happens here while the hours go by slowly. ", 40)
	reasoning := "The colchicine dose is what matters. " + filler + "So the dose in children is open. It has to be looked up."
	got := r.compress(reasoning, "dose of colchicine", "children")
	if !strings.HasPrefix(got, "The colchicine dose is what matters.") || !strings.HasSuffix(got, "So the dose in children is open. It has to be looked up.") {
		t.Errorf("got %q", got)
	}
	if tokens := prompts.Tokens(got); tokens > reasoningTokens {
		t.Errorf("%d tokens", tokens)
	}
	if got := r.compress(strings.Repeat("x", 1<<16), "x"); prompts.Tokens(got) > reasoningTokens {
		t.Errorf("one endless sentence becomes %d tokens", prompts.Tokens(got))
	}
	if got := r.compress("", "x"); got != "" {
		t.Errorf("nothing becomes %q", got)
	}
}

func TestAmounts(t *testing.T) {
	for _, c := range []struct {
		claim, source string
		held          bool
	}{
		{"5 mg", "5mg", true},
		{"5 mg", "5 milligrams", true},
		{"5 mg", "50 mg", false},
		{"5 mg", "5 g", false},
		{"0.50 mg", "0.5 mg", true},
		{"0,5 mg", "0.5 mg", true},
		{"1,200 patients", "1200 people", true},
		{"1.2 mg", "12 mg", false},
		{"45%", "45 percent", true},
		{"two years", "2 years", true},
		{"twice a day", "2 times a day", true},
		{"twice a day", "three times a day", false},
		{"2 to 3 days", "2-3 days", true},
		{"one of the causes", "a cause", true},
		{"once daily", "1 time a day", true},
		{"once daily", "twice daily", false},
		{"once the fever has gone", "when the fever has gone", true},
		{"nine patients in ten", "one patient in ten", false},
		{"the 3 causes", "causes", false},
		{"每天两次", "每天2次", true},
		{"每次5毫克", "每次5mg", true},
		{"每次5毫克", "每次5克", false},
		{"no figure", "none", true},
	} {
		if held := !lacking(amounts(c.claim), amounts(c.source)); held != c.held {
			t.Errorf("%q held by %q: %t; %v and %v", c.claim, c.source, held, amounts(c.claim), amounts(c.source))
		}
	}
}

func TestUnmarked(t *testing.T) {
	for _, c := range []struct {
		text, bare string
		numbers    []int
	}{
		{"Gout hurts [1].", "Gout hurts.", []int{1}},
		{"Gout hurts [1, 3][2] badly [1].", "Gout hurts badly.", []int{1, 3, 2}},
		{"Gout hurts [1-3].", "Gout hurts.", []int{1, 2, 3}},
		{"Gout hurts [3-1].", "Gout hurts.", []int{3}},
		{"痛风很痛【2】。", "痛风很痛。", []int{2}},
		{"Gout hurts (1) and [a].", "Gout hurts (1) and [a].", nil},
		{"Gout hurts [Context 2].", "Gout hurts.", []int{2}},
		{"Gout hurts [1], [2].", "Gout hurts.", []int{1, 2}},
	} {
		bare, numbers := unmarked(c.text)
		if bare != c.bare || !slices.Equal(numbers, c.numbers) {
			t.Errorf("%q: %q %v", c.text, bare, numbers)
		}
	}
}

func FuzzUtterances(f *testing.F) {
	for _, seed := range []string{
		"Gout hurts [1]. It is treated [2][3].", "- a [1]\n- b\n", "# H\n\nText:\n\n1. one [1]\n", "【1】【2】", "[1][2]", "```\ncode\n```", "[1-999]. [999-1]",
	} {
		f.Add(seed)
	}
	r := &run{library: knowledge.Pending()}
	s := newSource(Evidence{Text: "Gout hurts for 3 days, says “the board”."})
	f.Fuzz(func(t *testing.T, text string) {
		all := utterances(text)
		if len(all) > mostUtterances {
			t.Errorf("%d sentences", len(all))
		}
		for _, u := range all {
			shown := sanitise.Plain(u.head + u.text)
			if sanitise.Line(shown) != shown {
				t.Errorf("%q would be shown", shown)
			}
			if slices.Max(append(u.cites, 0)) > 999 {
				t.Errorf("cites %v", u.cites)
			}
			c := r.newClaim(shown)
			if share := share(c.terms, r.weight, s.terms); share < 0 || share > 1+1e-9 {
				t.Errorf("share %f", share)
			}
			c.faithful(s.amounts, s)
		}
	})
}
