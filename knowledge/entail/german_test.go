package entail

import (
	"strings"
	"testing"
)

// TestGerman compares German sentences by what does not depend on the trees: which words of the claim the source
// means, and whether one certainly differs.
func TestGerman(t *testing.T) {
	for _, test := range []struct{ name, source, claim, missing, differs string }{
		{"inflection", "Die Dosis wird gesenkt.", "Man senkt die Dosen.", "", ""},
		{"separable verb", "Erwachsene nehmen Ferrol morgens ein.", "Ferrol wird von Erwachsenen am Morgen eingenommen.", "", ""},
		{"particle for another verb", "Das Mittel wird abgesetzt.", "Setzen Sie das Mittel ab.", "", ""},
		{"compound and its parts", "Ferrol erhöht den Spiegel von Marlin.", "Ferrol steigert den Marlinspiegel.", "", ""},
		{"parts and compound", "Der Mitgliedsbeitrag beträgt 60,00 Euro.", "Der Beitrag der Mitglieder beträgt 60 Euro.", "", ""},
		{"another second part", "Der Mitgliedsbeitrag wird festgelegt.", "Die Mitgliedsliste wird festgelegt.", "mitgliedsliste", ""},
		{"frequency in short", "Ferrol wird zweimal täglich gegeben.", "Ferrol 2-mal tgl.", "", ""},
		{"umlaut and sharp s", "Der Weiße Fluß schützt Äcker.", "Äcker schützt der weisse Fluss.", "", ""},
		{"decimal comma", "Die Dosis beträgt 2,5 mg.", "Die Dosis beträgt 2,50 mg.", "", ""},
		{"thousands", "Das Amt zahlt 1.700 Euro.", "Das Amt zahlt 1700 Euro.", "", ""},
		{"framing", "Erwachsene beginnen mit Ferrol.", "Laut Leitlinie beginnen Erwachsene mit Ferrol.", "", ""},
		{"implied", "Kinder erhalten Penicillin.", "Kinder erhalten ein Antibiotikum.", "", ""},
		{"verb before its noun", "Das Stimmrecht ruht.", "Es ruht das Stimmrecht.", "", ""},
		{"other figure", "Die Dosis beträgt 2,5 mg.", "Die Dosis beträgt 5 mg.", "5", "differs"},
		{"direction", "Ferrol senkt den Blutdruck.", "Ferrol erhöht den Blutdruck.", "erhöht", "differs"},
		{"direction by nouns", "Ein Anstieg der Werte ist häufig.", "Ein Rückgang der Werte ist häufig.", "rückgang", "differs"},
		{"direction, both in the source", "Ferrol senkt den Blutdruck und erhöht den Puls.", "Ferrol erhöht den Blutdruck und erhöht den Puls.", "", "differs"},
		{"before, after", "Vor dem Essen werden Tabletten genommen.", "Nach dem Essen werden Tabletten genommen.", "", "differs"},
		{"denied at the end", "Ferrol hilft Kindern nicht.", "Ferrol hilft Kindern.", "", "differs"},
		{"denied by kein", "Ferrol braucht keine Kontrollen.", "Ferrol braucht Kontrollen.", "", "differs"},
		{"no denial: not more than", "Es sind nicht mehr als drei Tabletten.", "Es sind höchstens drei Tabletten.", "", ""},
		{"a case is no fall", "In diesem Fall steigt der Wert.", "Der Wert steigt in diesem Fall.", "", ""},
	} {
		x := compare(readClaim(test.claim, "").in(true), []Source{{Text: test.source}}, 0, 1)
		var missing []string
		for i, w := range x.claim.words {
			if w.weight > lightWeight && x.score[i] < stands {
				missing = append(missing, strings.ToLower(x.claim.text[w.Start:w.End]))
			}
		}
		if got := strings.Join(missing, " "); got != test.missing {
			t.Errorf("%s: %q is not found, want %q", test.name, got, test.missing)
		}
		if got := x.differs() || x.deniedCopy() || len(x.figures) > 0; got != (test.differs != "") {
			t.Errorf("%s: differs %v (%v)", test.name, got, x.differences())
		}
	}
}

// TestTurned holds that a side of a contrast is compared with what stands in its place.
func TestTurned(t *testing.T) {
	for _, test := range []struct {
		source, claim string
		want          bool
	}{
		{"Ferrol raises blood pressure and lowers the pulse.", "Ferrol lowers blood pressure and lowers the pulse.", true},
		{"Ferrol raises blood pressure and lowers the pulse.", "Ferrol lowers the pulse and raises blood pressure.", false},
		{"运动增加食欲，睡眠减少疲劳。", "运动减少食欲，睡眠减少疲劳。", true},
		{"运动增加食欲，睡眠减少疲劳。", "睡眠减少疲劳，运动增加食欲。", false},
		{"Ferrol is taken weekly, on the same day. Marlin is taken on a different day from ferrol.", "Ferrol is taken on the same day.", false},
		{"胃炎分为急性和慢性两种。", "胃炎分为慢性和慢性两种。", true},
	} {
		_, got := compare(read(test.claim), []Source{{Text: test.source}}, 0, 1).turned()
		if got != test.want {
			t.Errorf("%s / %s: %v", test.source, test.claim, got)
		}
	}
}

// TestGermanFigures compares the figures of German sentences.
func TestGermanFigures(t *testing.T) {
	for _, test := range []struct {
		source, claim string
		want          agreement // the least of the claim's figures
	}{
		{"Ferrol wird mit 2 x 50 mg täglich gegeben.", "Erwachsene nehmen 100 mg/d Ferrol.", implied},
		{"Ferrol wird mit 2 x 50 mg täglich gegeben.", "Erwachsene nehmen 3 x 50 mg täglich Ferrol.", differs},
		{"Ferrol wird zweimal täglich gegeben.", "Ferrol nimmt man 2 x tgl. mit dem Essen.", equal},
		{"Das Herz schlägt mehr als 30-mal pro Minute.", "Das Herz schlägt mehr als 30 mal pro Minute.", equal},
		{"Das gilt für über 75-Jährige.", "Das gilt für Menschen, die älter als 75 Jahre sind.", equal},
		{"Ab 12 J. ist das Spray erlaubt.", "Das Spray ist ab 12 Jahren erlaubt.", equal},
		{"Am 3. Tag wird der Verband gewechselt.", "Der Verband wird am dritten Tag gewechselt.", equal},
		{"Die Regel gilt ab dem 01.07. eines Jahres.", "Die Regel gilt ab dem 1. Juli.", equal},
		{"Ruhe ist von 13 bis 15 Uhr.", "Ruhe ist von 13–15 Uhr.", equal},
		{"Die Sperre dauert 15 Minuten.", "Die Sperre dauert eine Viertelstunde.", equal},
		{"Den Antrag stellen Sie spätestens einen Tag vor dem Urlaub.", "Den Antrag stellen Sie mindestens einen Tag vor dem Urlaub.", equal},
		{"Es sind mindestens 16 Grad.", "Die Wärme soll 16 Grad nicht unterschreiten.", equal},
		{"Es sind mindestens 16 Grad.", "Die Wärme soll 16 Grad nicht überschreiten.", differs},
		{"Die Dosis wird bei einem Kind gesenkt.", "Bei einem Kind und einer Schwangeren wird die Dosis gesenkt.", equal},
	} {
		least := equal
		for _, m := range compareQuantities(readQuantitiesIn(test.claim, true), readQuantitiesIn(test.source, true)) {
			least = min(least, m.agreement)
		}
		if least != test.want {
			t.Errorf("%s / %s: %d, want %d", test.source, test.claim, least, test.want)
		}
	}
}

// TestGermanScales compares how surely, how often and of how many German sentences speak.
func TestGermanScales(t *testing.T) {
	names := map[standing]string{added: "added", opposed: "opposed", overstated: "overstated", understated: "understated", equalRung: "equal"}
	for _, test := range []struct{ source, claim, want string }{
		{"Ferrol darf bei Kindern unter 6 Jahren nicht angewendet werden.", "Ferrol darf bei Kindern angewendet werden.", "opposed"},
		{"Ferrol darf bei Kindern nicht angewendet werden.", "Bei Kindern ist Ferrol verboten.", "equal"},
		{"Werte müssen nicht gemessen werden.", "Das Messen der Werte ist freiwillig.", "equal"},
		{"Werte sind monatlich zu messen.", "Werte müssen monatlich gemessen werden.", "equal"},
		{"Ferrol kann zu Schwindel führen.", "Ferrol führt zwangsläufig zu Schwindel.", "overstated"},
		{"Manche Kinder bekommen Ausschlag.", "Alle Kinder bekommen Ausschlag.", "overstated"},
		{"Ausschlag tritt häufig auf.", "Ausschlag tritt selten auf.", "opposed"},
		{"Werte werden alle drei Monate gemessen.", "Alle Werte werden gemessen.", "added"},
		{"Ferrol wird gemessen.", "Ferrol wird gemessen.", ""},
	} {
		got := ""
		for _, m := range compareScales(readScalesIn(test.claim, true), readScalesIn(test.source, true)) {
			got = names[m.standing]
		}
		if got != test.want {
			t.Errorf("%s / %s: %s, want %s", test.source, test.claim, got, test.want)
		}
	}
}
