package evaluation

import (
	"bytes"
	"strings"
	"testing"

	"lacuna/knowledge/eval"
	"lacuna/knowledge/experiment"
)

// TestPage has two systems, of which one is better, abstains and failed once.
func TestPage(t *testing.T) {
	figure := func(name string, value, low, high float64, n int) experiment.Figure {
		return experiment.Figure{Name: name, Value: value, Low: low, High: high, N: n}
	}
	results := experiment.Results{Tables: []experiment.Table{{Dataset: "towns", Rows: []experiment.Row{
		{Cell: experiment.Cell{System: "plain"}, Planned: 20, Asked: 20, Figures: []experiment.Figure{figure("EM", .25, .1, .45, 20), figure("precision", .5, .4, .6, 20)}},
		{Cell: experiment.Cell{System: "<b>better"}, Planned: 20, Asked: 20, Failed: 1,
			Figures: []experiment.Figure{figure("EM", .75, .55, .9, 19), figure("right, of those answered", .9, .7, 1, 10)},
			Gains:   []experiment.Gain{{Figure: figure("EM", .5, .3, .7, 19), Chance: .0001}},
			Times:   experiment.Times{Calls: 3, Prompt: 900, Written: 50, Cost: .0012, Currency: "EUR"},
			Curve:   []eval.Risk{{Coverage: .5, Risk: .1}, {Coverage: 1, Risk: .25}}},
	}}}}
	plan := experiment.Plan{Systems: []string{"plain", "<b>better"}, Datasets: []experiment.PlannedSet{{Name: "towns"}}}
	page, err := pageOf(plan, "out", results, Provenance{})
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	if err := page.WriteText(&text); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"<b>better has more EM than plain: +0.500 [+0.300, +0.700] on 19 questions, p < 0.001.",
		"system", "plain n = 20", "0.250 [0.100, 0.450]", "0.900 [0.700, 1.000] n = 10", "1.20 EUR for 1,000 3.0 calls, 900 + 50 tokens",
		"<b>better: 1 of 20 failed and left out.", "towns: all measures", "precision", "- Left out because something failed: 1 question.",
	} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("%q is not in\n%s", want, text.String())
		}
	}
	var drawn bytes.Buffer
	if err := page.WriteHTML(&drawn); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(drawn.String(), "<svg"); n != 2 {
		t.Errorf("%d pictures, want one of EM and one of wrong answers over coverage", n)
	}
	if strings.Contains(drawn.String(), "<b>better") {
		t.Error("a name is not escaped")
	}
}

func TestPageOfNothing(t *testing.T) {
	plan := experiment.Plan{Systems: []string{"plain"}, Datasets: []experiment.PlannedSet{{Name: "towns"}}}
	results := experiment.Results{Tables: []experiment.Table{{Dataset: "towns", Rows: []experiment.Row{{Cell: experiment.Cell{System: "plain"}, Planned: 5}}}}}
	page, err := pageOf(plan, "out", results, Provenance{})
	if err != nil || len(page.Sections) != 1 || page.Sections[0].Text[0] != "Nothing could be measured." || !strings.Contains(page.Lead[1], "0 of 5 questions") {
		t.Errorf("%+v, %v", page, err)
	}
}
