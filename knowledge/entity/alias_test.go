package entity

import (
	"testing"

	"lacuna/knowledge/passage"
)

// An alias names the page as its title does, with or without headings below it.
func TestAliases(t *testing.T) {
	page := func(title, text string, also ...string) *passage.Passage {
		return &passage.Passage{Kind: passage.Text, Title: title, Also: also, Text: text}
	}
	foxglove := page("Foxglove", "It slows the heart.", "Digitalis")
	lily := page("Lily", "It smells.")
	s := Link("How does Digitalis act?", []*passage.Passage{foxglove, lily}, frequencies{"digitali": 1, "foxglov": 1, "lili": 1})
	if got := s.Relation(foxglove); got != Own {
		t.Errorf("the page of the alias is %v", got)
	}
	if got := s.Relation(lily); got == Own {
		t.Errorf("another page is %v", got)
	}
}

type frequencies map[string]int

func (f frequencies) DocFreq(term string) int { return f[term] }
