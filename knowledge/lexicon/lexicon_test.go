package lexicon

import (
	"slices"
	"strings"
	"testing"
)

func TestSynonyms(t *testing.T) {
	for phrase, want := range map[string]string{
		"heart attack":          "myocardi infarct",
		"myocardial infarction": "heart attack",
		"Kühlschrank":           "kuhlgerat",
		"电瓶车":                   "电动 动自 自行 行车",
	} {
		synonyms := Synonyms(Key(phrase), English)
		if !slices.ContainsFunc(synonyms, func(s Synonym) bool { return strings.Join(s.Terms, " ") == want }) {
			t.Errorf("%s: %v, want %s among them", phrase, synonyms, want)
		}
	}
}

func TestFamily(t *testing.T) {
	for _, c := range []struct {
		a, b     string
		language Language
		want     bool
	}{
		{"arrang", "arranger", English, true},
		{"prufung", "prufen", German, true},
		{"kundigung", "kundigen", German, true},
		{"kuehlschrank", "kuhlschrank", German, true},
		{"haus", "hauser", German, true},
		{"urlaub", "urban", German, false},
		{"contract", "contrast", English, false},
	} {
		if got := Family(c.a, c.language) == Family(c.b, c.language); got != c.want {
			t.Errorf("%s (%s) and %s (%s): %v", c.a, Family(c.a, c.language), c.b, Family(c.b, c.language), got)
		}
	}
}

func TestParts(t *testing.T) {
	words := []string{"arbeit", "zeit", "konto", "arbeitszeit", "urlaub", "antrag"}
	known := func(term string) (string, bool) { return term, slices.Contains(words, term) }
	for term, want := range map[string]string{
		"urlaubsantrag":    "urlaub antrag",
		"arbeitszeitkonto": "arbeitszeit konto",
		"antragsteller":    "",
		"konto":            "",
	} {
		first, second, _ := Parts(term, known)
		if got := strings.TrimSpace(first + " " + second); got != want {
			t.Errorf("%s: %q, want %q", term, got, want)
		}
	}
}
