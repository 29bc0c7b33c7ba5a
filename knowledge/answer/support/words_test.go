package support

import (
	"testing"

	"lacuna/knowledge"
	"lacuna/knowledge/answer"
	"lacuna/knowledge/entail"
	"lacuna/knowledge/passage"
)

// TestWordsAreEvidence compares a claim with the sentence whose words the model gave, if they stand where it
// says, and with nothing if they do not.
func TestWordsAreEvidence(t *testing.T) {
	const text = "Gout hurts for days. Colchicine relieves an attack of gout. It must not be given with clarithromycin."
	check := NewChecker(knowledge.Pending(), "", func(*passage.Passage, passage.Span) bool { return true })
	page := func(text string) *source {
		return newSource(answer.Evidence{Hit: &knowledge.Hit{Passage: &passage.Passage{Text: text, Format: passage.Plain}}})
	}
	w := writer{Checker: check, sources: []*source{page("Asthma is a narrowing of the airways."), page(text)}}
	const claim = "Colchicine relieves an attack of gout."
	for _, c := range []struct {
		words   citedWords
		verdict entail.Verdict
		quote   string
	}{
		{citedWords{2, "relieves an attack of gout"}, entail.States, claim},
		{citedWords{2, "eases an attack of gout"}, entail.Absent, ""},
		{citedWords{1, "relieves an attack of gout"}, entail.Absent, ""},
		{citedWords{7, "relieves an attack of gout"}, entail.Absent, ""},
	} {
		found := w.quoted(claim, []citedWords{c.words})
		quote := ""
		for _, q := range found.citations() {
			quote += q.Quote
		}
		if found.Verdict != c.verdict || quote != c.quote {
			t.Errorf("%+v: %s %q, want %s %q", c.words, found.Verdict, quote, c.verdict, c.quote)
		}
	}
}
