package lexicon

import (
	"strings"
	"testing"
)

func TestGermanStem(t *testing.T) {
	for _, line := range []string{
		"senken senkt senkte gesenkt gesenkte gesenkten",
		"absetzen abgesetzt abzusetzen absetzt abgesetzte",
		"nehmen nimmt nahm genommen",
		"einnehmen eingenommen einzunehmen einnimmt eingenommene",
		"empfehlen empfiehlt empfohlen empfohlene",
		"vermeiden vermieden vermeidet",
		"erhöhen erhöht erhöhte erhöhten",
		"Kind Kinder Kindern Kindes",
		"Arzt Ärzte Ärztin Ärzten",
		"Tag Tage Tagen",
		"Patient Patienten Patientin Patientinnen",
		"Fuß Füße Füßen",
		"hoch hohe hohen",
		"verbieten verboten verbietet",
	} {
		words := strings.Fields(line)
		for _, w := range words[1:] {
			if one, two := GermanStem(words[0]), GermanStem(w); one != two {
				t.Errorf("%s: %s, %s: %s", words[0], one, w, two)
			}
		}
	}
	for _, line := range []string{"fördern fordern", "zählen zahlen", "Gewicht wichtig", "Nacht nach", "schon schön", "absetzen ansetzen", "zunehmen abnehmen",
		"Gesicht Sicht", "drücken drucken", "hoch höher", "ersetzen absetzen"} {
		words := strings.Fields(line)
		if one := GermanStem(words[0]); one == GermanStem(words[1]) {
			t.Errorf("%s and %s share %s", words[0], words[1], one)
		}
	}
}

func TestGermanVerb(t *testing.T) {
	for _, test := range []struct{ verb, particle, want string }{
		{"nimmt", "ein", "einnehmen"}, {"setzen", "ab", "absetzen"}, {"steigt", "an", "ansteigen"}, {"lässt", "nach", "nachlassen"}, {"weist", "zurück", ""},
		{"liegt", "ein", ""},
	} {
		joined, ok := GermanVerb(GermanStem(test.verb), test.particle)
		if ok != (test.want != "") || ok && joined != GermanStem(test.want) {
			t.Errorf("%s … %s: %q, %v; want %s", test.verb, test.particle, joined, ok, test.want)
		}
	}
}

// TestGermanRoot holds that a verb and its nouns share a root.
func TestGermanRoot(t *testing.T) {
	for _, words := range []string{
		"Kontrolle kontrollieren", "Einnahme einnehmen", "prüfen Prüfung", "vorbeugen Vorbeugung vorbeugend", "Anstieg ansteigen",
		"wiederherstellen wiederhergestellt Wiederherstellung", "hochstufen hochgestuft hochzustufen", "eingeben Eingabe",
	} {
		roots := make(map[string]bool)
		for word := range strings.FieldsSeq(words) {
			roots[GermanRoot(GermanStem(word))] = true
		}
		if len(roots) != 1 {
			t.Errorf("%s: %v", words, roots)
		}
	}
}
