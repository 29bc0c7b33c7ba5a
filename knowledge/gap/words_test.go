package gap

import (
	"testing"

	"lacuna/knowledge/lexical"
	"lacuna/knowledge/lexicon"
	"lacuna/knowledge/question"
)

// TestSaysOtherwise finds words that the first passages say in another way, so that no gap is named by them.
func TestSaysOtherwise(t *testing.T) {
	e := evidence{
		candidates: []candidate{{terms: []string{"plane", "loader"}}, {terms: []string{"portabl", "comput"}}},
		wording: wording{lexicon: &lexicon.Wording{Words: []lexicon.Word{
			{Term: "airplan", Kin: []lexicon.Kin{{Terms: []string{"plane"}, Weight: .7, Why: lexicon.Meaning}}},
			{Term: "laptop", Kin: []lexicon.Kin{{Terms: []string{"portabl", "comput"}, Weight: .7, Why: lexicon.Meaning}}},
			{Term: "docker", Kin: []lexicon.Kin{{Terms: []string{"loader"}, Weight: .7, Why: lexicon.Meaning}}},
			{Term: "glider", Kin: []lexicon.Kin{{Terms: []string{"sailplan"}, Weight: .8, Why: lexicon.Meaning}}},
		}}},
	}
	for word, want := range map[string]bool{"airplane": true, "laptop": true, "Docker": false, "glider": false, "kite": false} {
		if got := e.saysOtherwise(word, question.English); got != want {
			t.Errorf("%s: %v", word, got)
		}
	}
}

// TestCourtesyNamesNoGap names no gap by greetings and days.
func TestCourtesyNamesNoGap(t *testing.T) {
	s := termScorer{unknown: func(string) bool { return true }, class: func(w string) wordClass { return levelClass(lexical.Terms(w)[0], question.English) }}
	for text, want := range map[string]string{
		"Hello Monday": "", "Damen Herren": "", "funeral": "funeral", "tirzepatide on Tuesday": "tirzepatide",
	} {
		if got, _ := unknownWord(text, s); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
