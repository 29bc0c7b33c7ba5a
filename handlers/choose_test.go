package handlers

import (
	"slices"
	"strings"
	"testing"

	"lacuna/knowledge/answer/systems"
)

// TestChooseSystem goes through the menu of systems with every choice that it offers.
func TestChooseSystem(t *testing.T) {
	d := open(t)
	d.now.Models.Configured = true
	d.now.Client.ShowMessageActions = true
	chosen := func(choices ...int) (items []string, asked []string) {
		d.choices, d.said, d.asked = choices, nil, nil
		d.run(commandWith, Arguments{Question: d.question()})
		for _, said := range d.said {
			_, menu, _ := strings.Cut(said, "\n- ")
			items = strings.Split(menu, "\n- ")
		}
		return items, d.asked
	}
	first, asked := chosen()
	if len(asked) > 0 {
		t.Errorf("without a choice %q is asked", asked)
	}
	reached := make(map[string]bool)
	reach := func(choices ...int) {
		_, asked := chosen(choices...)
		if len(asked) != 1 {
			t.Fatalf("with the choices %v %q is asked", choices, asked)
		}
		_, system, _ := strings.Cut(asked[0], " | ")
		reached[system] = true
	}
	for i, item := range first {
		if !strings.HasPrefix(item, "Another system of ") {
			reach(i)
			continue
		}
		second, _ := chosen(i)
		for j := range second {
			reach(i, j)
		}
	}
	for _, s := range systems.All() {
		if !reached[s.ID] {
			t.Errorf("%s cannot be chosen", s.ID)
		}
	}
	for _, id := range usual {
		if _, known := systems.Lookup(id); known && !slices.ContainsFunc(first, func(item string) bool { return strings.HasPrefix(item, id) }) {
			t.Errorf("%s is not among the first: %q", id, first)
		}
	}
}

func TestChooseSystemWithoutButtons(t *testing.T) {
	d := open(t)
	d.now.Models.Configured = true
	d.run(commandWith, Arguments{Question: d.question()})
	if len(d.asked) > 0 || len(d.said) != 1 || !strings.Contains(d.said[0], "misknow/merged") {
		t.Errorf("asked %q, said %q", d.asked, d.said)
	}
}
