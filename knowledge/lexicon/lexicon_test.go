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

// TestNames holds that abbreviations and aliases are read where a base defines them, and nowhere else.
func TestNames(t *testing.T) {
	names := NewNames(slices.Values([]string{
		"Plates of thin layer chromatography (TLC) are kept dry. The PPE (personal protective equipment) is blue.",
		"The office (IT) is open (see the RULES), and the committee (ABC) meets. Broken (TLC",
	}), slices.Values([][]string{{"Wilson disease", "Hepatolenticular degeneration"}}))
	for phrase, want := range map[string]string{
		"TLC": "thin layer chromatographi", "thin layer chromatography": "tlc",
		"PPE": "person protect equip", "ABC": "", "IT": "", "RULES": "",
		"wilson disease": "hepatolenticular degener", "hepatolenticular degeneration": "wilson diseas",
	} {
		got := ""
		for _, s := range names[Key(phrase)] {
			got += strings.Join(s.Terms, " ")
		}
		if got != want {
			t.Errorf("%s: %q, want %q", phrase, got, want)
		}
	}
}
