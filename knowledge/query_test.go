package knowledge

import (
	"testing"

	"lacuna/knowledge/passage"
)

// TestOtherNamesOfATopicAreFound asks for the topic of a stored question by a name that the question
// does not use, by every retriever that goes by words, also misspelt.
func TestOtherNamesOfATopicAreFound(t *testing.T) {
	named := pair("desk", "What are the treatments for Wilson disease?", "Copper is bound.")
	named.Title, named.Also = "Wilson disease", []string{"hepatolenticular degeneration", "肝豆状核变性"}
	l := build(t, append(topics(), named, pair("desk", "What are the treatments for Menkes disease?", "Copper is given."))...)
	for _, query := range []Query{
		{Text: "How is hepatolenticular degeneration treated?"},
		{Text: "How is hepatolenticular degeneration treated?", Retriever: BM25},
		{Text: "How is hepatolenticuler degeneration treated?"}, // a slip
		{Text: "My brother has it. It is called hepatolentcular degeneraton. What could help?"},
		{Text: "肝豆状核变性怎么治疗？"},
		{Text: "Wilson"},
	} {
		query.Kind = passage.QA
		hits, err := l.Search(t.Context(), query)
		if err != nil {
			t.Fatal(err)
		}
		if len(hits) == 0 || hits[0].Passage != named {
			t.Errorf("%+v: %v", query, records(hits))
		}
	}
}

func TestIsLetter(t *testing.T) {
	for text, want := range map[string]bool{
		"": false, "What helps?": false, "gout attack treatment": false,
		"He has gout. What helps?": true, "他得了痛风。怎么治疗？": true,
	} {
		if got := IsLetter(text); got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}
