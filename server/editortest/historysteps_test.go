package editortest_test

import (
	"fmt"
	"path/filepath"
	"strings"

	policies "lacuna/knowledge/gate"
)

// train keeps a gate that has learnt from past questions that the sources do not help with open ones.
func (s *scenario) train() {
	var past []policies.Item
	for i := range 40 {
		past = append(past, policies.Item{
			Question:  policies.Question{ID: fmt.Sprint(i), Model: "scripted", Text: "Which medicine?", Closed: &policies.Response{Text: "Aspirin."}},
			Retrieved: policies.Response{Text: "Another."}, Score: [2]float64{.6, .4},
		})
	}
	learner, err := policies.Find("default", policies.DefaultPrice)
	if err != nil {
		s.t.Fatal(err)
	}
	policy, err := learner.Fit(s.t.Context(), past, nil, 0)
	if err != nil {
		s.t.Fatal(err)
	}
	if err := policies.Save(s.t.Context(), s.gate.workspace().GateDir(), policy, policies.About{}); err != nil {
		s.t.Fatal(err)
	}
}

// history prints what the workspace keeps of what the person made of answers.
func (s *scenario) history() string {
	w := s.gate.workspace()
	pairs, err := w.History().Check(w.Library())
	if err != nil {
		s.t.Fatal(err)
	}
	labels, err := w.History().Labels()
	if err != nil {
		s.t.Fatal(err)
	}
	var b strings.Builder
	for _, p := range pairs {
		mark := "*"
		if p.Inactive != nil {
			mark = "-"
		}
		fmt.Fprintf(&b, "%s %s\n  %s\n  %s, %s, %s\n", mark, p.Question, strings.ReplaceAll(p.Answer, "\n\n", " / "), p.System, filepath.Base(p.Note), p.Date)
		for _, c := range p.Cited {
			fmt.Fprintf(&b, "  from %s/%s\n", c.Source, c.Record)
		}
	}
	for _, l := range labels {
		fmt.Fprintf(&b, "%s: %s (%s, %s)\n", l.Question, l.Label, l.How, l.Model)
		for _, said := range []struct {
			by   string
			text *string
		}{{"alone", l.Closed}, {"from sources", l.Retrieved}} {
			if said.text != nil {
				fmt.Fprintf(&b, "  %s: %s\n", said.by, *said.text)
			}
		}
	}
	if b.Len() == 0 {
		return "nothing is kept\n"
	}
	return s.tidy(b.String())
}
