package sense

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// TestOpen has sentences that nobody should doubt; README.md has the figures on notes.
func TestOpen(t *testing.T) {
	for _, test := range []struct {
		c    Candidate
		open bool
	}{
		{Candidate{Text: "What is the usual dose of apixaban?"}, true},
		{Candidate{Text: "When should metformin be stopped?", Form: Item}, true},
		{Candidate{Text: "Can the tablets be crushed?", Form: Item, Section: "Questions for the pharmacist"}, true},
		{Candidate{Text: "find out the dose of colchicine at eGFR 30", Form: Task, Unmarked: true}, true},
		{Candidate{Text: "look up whether it may be frozen", Form: Item, Unmarked: true}, true},
		{Candidate{Text: "Wie oft muss der Filter gewechselt werden?"}, true},
		{Candidate{Text: "二甲双胍什么时候停？"}, true},
		{Candidate{Text: "Dear colleague, would you be able to review this lady?"}, false},
		{Candidate{Text: "Could you please send me the scan?", Form: Item}, false},
		{Candidate{Text: "How are you today?"}, false},
		{Candidate{Text: "Shall we meet on Monday?", Form: Item}, false},
		{Candidate{Text: "How satisfied are you with your rota?", Form: Item, Title: "Survey of the staff"}, false},
		{Candidate{Text: "Is it blinded?", Form: Item, Behind: "No, that cannot be done."}, false},
		{Candidate{Text: "check her blood pressure", Form: Task, Unmarked: true}, false},
		{Candidate{Text: "Könnten Sie uns bitte den Befund schicken?"}, false},
		{Candidate{Text: "能不能麻烦您帮我带一份？"}, false},
	} {
		if p := Open([]Reading{Read(test.c)})[0]; p >= .5 != test.open {
			t.Errorf("%+v: %.2f", test.c, p)
		}
	}
}

func FuzzFeatures(f *testing.F) {
	f.Add("What is it?", "Note:", "No.", "# x", "- y", uint8(2), true)
	f.Add("多少？\xff", "", "\x00", "?", "？", uint8(0), false)
	f.Fuzz(func(t *testing.T, text, ahead, behind, below, section string, form uint8, unmarked bool) {
		c := Candidate{Text: text, Ahead: ahead, Behind: behind, Below: below, Section: section, Form: Form(form % 8), Unmarked: unmarked}
		seen := make(map[string]bool)
		for _, name := range Features(c) {
			if seen[name] || strings.ContainsAny(name, "\t\n") && utf8.ValidString(text+ahead+behind+below+section) {
				t.Errorf("feature %q", name)
			}
			seen[name] = true
		}
		if p := Open([]Reading{Read(c), Read(Candidate{Text: section})})[0]; !(p >= 0 && p <= 1) {
			t.Errorf("probability %v", p)
		}
	})
}

func BenchmarkOpen(b *testing.B) {
	c := Candidate{
		Text: "What is the usual dose of apixaban in atrial fibrillation?", Form: Item, Above: "- Which medicines raise potassium?",
		Below: "- When should metformin be avoided?", Section: "Questions before the visit", Title: "Medication review",
	}
	for b.Loop() {
		Open([]Reading{Read(c)})
	}
}
