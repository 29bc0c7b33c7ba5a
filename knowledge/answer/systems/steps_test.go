package systems

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lacuna/knowledge"
	"lacuna/knowledge/answer"
	"lacuna/knowledge/answer/support"
	"lacuna/knowledge/passage"
	"lacuna/prompts"
)

// pile makes evidence of texts.
func pile(texts ...string) []answer.Evidence {
	var all []answer.Evidence
	for _, text := range texts {
		all = append(all, answer.Evidence{Hit: &knowledge.Hit{Passage: &passage.Passage{ID: passage.IDOf(text), Text: text}}})
	}
	return all
}

// texts returns the texts of evidence, joined.
func texts(evidence []answer.Evidence) string {
	var all []string
	for _, p := range answer.Passages(evidence) {
		all = append(all, p.Text)
	}
	return strings.Join(all, " ")
}

func TestInterleave(t *testing.T) {
	for _, c := range []struct {
		name  string
		lists [][]answer.Evidence
		held  []answer.Evidence
		k     int
		want  string
	}{
		{"in turn", [][]answer.Evidence{pile("a", "b", "c"), pile("x", "y")}, nil, 4, "a x b y"},
		{"until there are enough", [][]answer.Evidence{pile("a", "b"), pile("x"), pile("m")}, nil, 2, "a x"},
		{"without what is held", [][]answer.Evidence{pile("a", "b"), pile("x")}, pile("a", "x"), 2, "b"},
		{"each once", [][]answer.Evidence{pile("a", "b"), pile("a", "b", "c")}, nil, 9, "a b c"},
		{"a list that ends leaves its turns", [][]answer.Evidence{pile("a"), nil, pile("x", "y", "z")}, nil, 9, "a x y z"},
		{"none", nil, nil, 3, ""},
		{"no room", [][]answer.Evidence{pile("a")}, nil, 0, ""},
	} {
		if got := texts(roundRobin(c.lists, c.held, c.k)); got != c.want {
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
	evidence := []answer.Evidence{
		{Hit: &knowledge.Hit{Passage: unanswered("Why?")}}, {Hit: &knowledge.Hit{Passage: unanswered("How?")}},
		{Text: "written"}, {Text: "written"},
	}
	if got := len(dedup(evidence)); got != 3 {
		t.Errorf("%d kept of two stored questions without answers and one text written twice", got)
	}
}

func TestContexts(t *testing.T) {
	hit := func(p passage.Passage) answer.Evidence { return answer.Evidence{Hit: &knowledge.Hit{Passage: &p}} }
	evidence := []answer.Evidence{
		hit(passage.Passage{Title: "Gout", Headings: []string{"Prevention"}, Text: "Allopurinol prevents."}),
		hit(passage.Passage{Headings: []string{"Alone"}, Text: strings.Repeat("word ", 1000)}),
		hit(passage.Passage{Question: "How?", Text: "So."}),
		{Text: "Written.", Irrelevant: true},
	}
	r := &run{Environment: &Environment{}}
	got := r.contexts(evidence, 3)
	if tokens := prompts.Tokens(got[1].Text); tokens > prompts.ItemTokens || tokens < prompts.ItemTokens-10 {
		t.Errorf("a long text is cut to %d tokens", tokens)
	}
	got[1].Text = ""
	want := []prompts.Context{
		{N: 3, Title: "Gout – Prevention", Text: "Allopurinol prevents.", Origin: "Allopurinol prevents."},
		{N: 4, Title: "Alone", Origin: strings.Repeat("word ", 1000)},
		{N: 5, Question: "How?", Text: "So.", Origin: "So."},
		{N: 6, Text: "Written.", Generated: true, Note: irrelevantNote},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	published := &run{Environment: &Environment{Options: Options{AsPublished: true}}}
	if last := published.contexts(evidence, 1)[3]; last.Generated || last.Note != "" {
		t.Errorf("as published: %+v", last)
	}
	if many := r.contexts(slices.Repeat(evidence[1:2], 40), 1); len(many) > prompts.EvidenceTokens/prompts.ItemTokens+1 {
		t.Errorf("%d long texts go into one prompt", len(many))
	}
}

func TestCompressKeepsWhatIsAboutTheMatter(t *testing.T) {
	weight := support.NewChecker(knowledge.Pending(), "", nil).Weight
	filler := strings.Repeat("Nothing of note happens here while the hours go by slowly. ", 40)
	reasoning := "The colchicine dose is what matters. " + filler + "So the dose in children is open. It has to be looked up."
	got := compress(weight, reasoning, "dose of colchicine", "children")
	if !strings.HasPrefix(got, "The colchicine dose is what matters.") || !strings.HasSuffix(got, "So the dose in children is open. It has to be looked up.") {
		t.Errorf("got %q", got)
	}
	if tokens := prompts.Tokens(got); tokens > reasoningTokens {
		t.Errorf("%d tokens", tokens)
	}
	if got := compress(weight, strings.Repeat("x", 1<<16), "x"); prompts.Tokens(got) > reasoningTokens {
		t.Errorf("one endless sentence becomes %d tokens", prompts.Tokens(got))
	}
	if got := compress(weight, "", "x"); got != "" {
		t.Errorf("nothing becomes %q", got)
	}
}
