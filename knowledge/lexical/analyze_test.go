package lexical

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

func TestTerms(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"stop words and stems", "The patients were treated with antibiotics", "patient were treat antibiot"},
		{"possessive", "Crohn's disease, Ménière’s, the patients' wish", "crohn diseas menier patient wish"},
		{"apostrophe inside", "don't rock'n'roll O’Brien", "dont rocknrol obrien"},
		{"hyphens separate", "beta-blocker well–known", "beta blocker well known"},
		{"digits with letters", "B12 5mg CD4+ 3.5", "b12 5mg cd4 3 5"},
		{"lone Greek letter", "TNF-α IL1β β2-agonist", "tnf alpha il1 beta beta 2 agonist"},
		{"Greek word", "Ιπποκράτης", "ιπποκρατης"},
		{"micro", "5 µg and 5 μg", "5 mu g 5 mu g"},
		{"accents", "naïve café na\u0131ve cafe\u0301", "naiv cafe naıve cafe"},
		{"full width", "ＡＢＣ１２", "abc12"},
		{"sub- and superscripts", "CO₂ m² PGE₂", "co2 m2 pge2"},
		{"ligature", "e\ufb03cacy", "efficaci"},
		{"soft hyphen", "treat\u00adment", "treatment"},
		{"Han", "高血压。维生素B12缺乏 的", "高血 血压 维生 生素 b12 缺乏 的"},
		{"kana", "アスピリン", "アス スピ ピリ リン"},
		{"Hangul by words", "고혈압 치료", "고혈압 치료"},
		{"Cyrillic keeps its marks", "йод", "йод"},
		{"invalid UTF-8", "iron\xfftablet\xc3", "iron tablet"},
		{"mark alone", "\u0301 x", "x"},
		{"nothing", " …,'’", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(strings.Fields(c.want), append([]string{}, Terms(c.text)...)); diff != "" {
				t.Errorf("Terms(%q): %s", c.text, diff)
			}
		})
	}
}

func TestAnalyzeSaysWhereTermsStand(t *testing.T) {
	text := "The Crohn’s 维生素 run"
	var got []string
	for _, token := range Analyze(text) {
		got = append(got, text[token.Start:token.End]+"="+token.Term)
	}
	want := []string{"Crohn’s=crohn", "维生=维生", "生素=生素", "run=run"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestLongWordsAreCut(t *testing.T) {
	for _, word := range []string{strings.Repeat("x", 1000), strings.Repeat("é", 1000), strings.Repeat("й", 1000)} {
		terms := Terms(word)
		if len(terms) != 1 || len(terms[0]) > maxTerm || !utf8.ValidString(terms[0]) {
			t.Errorf("Terms(%.10q…) = %q", word, terms)
		}
	}
}

func FuzzAnalyze(f *testing.F) {
	for _, text := range []string{"The patients' β-blockers don't", "维生素B12", "e\u0301\xff’s", "ıİſK", "\ufdfa ½"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		tokens := Analyze(text)
		last := 0
		for i, token := range tokens {
			switch {
			case token.Start < last || token.End <= token.Start || token.End > len(text):
				t.Fatalf("%q: token %d stands at %d..%d after %d", text, i, token.Start, token.End, last)
			case token.Term == "" || !utf8.ValidString(token.Term) || len(token.Term) > maxTerm:
				t.Fatalf("%q: term %q", text, token.Term)
			case strings.ContainsAny(token.Term, " \t\n'"):
				t.Fatalf("%q: term %q has a separator in it", text, token.Term)
			}
			last = token.Start
		}
		if len(Terms(text)) != len(tokens) {
			t.Fatalf("%q: Terms and Analyze disagree", text)
		}
	})
}

func BenchmarkTerms(b *testing.B) {
	text := strings.Repeat("Patients with stable angina were treated with beta-blockers, and Crohn's disease was excluded. ", 20)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		Terms(text)
	}
}
