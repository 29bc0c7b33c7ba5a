package experiment

import (
	"testing"

	"lacuna/knowledge/experiment/dataset"
	"lacuna/prompts"
)

// TestMeasureReplies scores replies whose figures are counted by hand.
func TestMeasureReplies(t *testing.T) {
	options := []prompts.Option{{Letter: "A", Text: "yes"}, {Letter: "B", Text: "no"}, {Letter: "C", Text: "maybe"}}
	reply := func(text string, golds ...string) dataset.Reply {
		return dataset.Reply{Reply: text, Options: options, Golds: golds}
	}
	r := MeasureReplies([]dataset.Reply{
		reply(`{"answer_choice": "A"}`, "A"),
		reply("Dict{\"answer_choice\": \"B\"}", "A"),
		reply("The answer is maybe.", "C", "B"),
		reply("A/B", "A"),
		reply("A"),
	}, 1)
	if r.N != 4 || r.NoGold != 1 || *r.Accuracy != .5 || *r.Unparsed != .25 || *r.Majority != .75 || r.MajorityLetter != "A" || len(r.Unread) != 1 || r.Open != nil {
		t.Errorf("%+v", r)
	}
	if i := r.Intervals["accuracy"]; !(i[0] < .5 && i[1] > .5) {
		t.Errorf("interval %v", i)
	}
	open := MeasureReplies([]dataset.Reply{
		{Reply: "Paris", Golds: []string{"Paris"}},
		{Reply: "It was long disputed.\nAnswer: the city of Paris", Golds: []string{"Paris"}},
		{Reply: "", Golds: []string{"Paris"}},
		{Reply: "B", Golds: []string{"B"}}, // letters of options that are not listed
	}, 1)
	if o := open.Open; open.N != 1 || *open.Accuracy != 1 || o == nil || o.N != 3 || !near(o.EM, 1./3) || !near(o.Cover, 2./3) || !near(o.F1, (1+.5)/3) || !near(o.Empty, 1./3) {
		t.Errorf("%+v, %+v", open, o)
	}
}

func near(a, b float64) bool { return a-b < 1e-9 && b-a < 1e-9 }
