package quotation_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lacuna/knowledge"
	"lacuna/knowledge/ingest"
	"lacuna/knowledge/passage"
	"lacuna/knowledge/quotation"
)

// library indexes pages, by file name.
func library(t testing.TB, pages map[string]string) *knowledge.Library {
	dir := t.TempDir()
	for name, text := range pages {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	x, err := knowledge.Open(knowledge.Options{Dir: t.TempDir(), Sources: []ingest.Source{{Name: "pages", Path: dir, Kind: passage.Text}}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { x.Close() })
	if err := x.Refresh(context.Background()); err != nil {
		t.Fatal(err)
	}
	return x.Library()
}

var pages = map[string]string{
	"kiln.md":  "# Kiln\n\nThe *east* kiln is fired at 980 °C for eleven hours. It cools for two days — never less – before the door is opened.\n\nCones of size 06 stand behind the spy-hole.\n",
	"glaze.md": "# Glaze\n\nThe “blue” glaze holds two per cent of cobalt and must be sieved twice through a mesh of 120.\n\n| glaze | cobalt |\n|---|---|\n| blue | 2 % |\n",
	"zh.md":    "# 窑\n\n东窑烧至摄氏980度，保温十一小时。冷却两天后才能开门。\n",
}

func TestVerify(t *testing.T) {
	l := library(t, pages)
	for _, c := range []struct{ quote, file, want string }{
		{"The east kiln is fired at 980 °C for eleven hours.", "", "verbatim: The east kiln is fired at 980 °C for eleven hours"},
		{"the east kiln is fired at\n 980 °C", "kiln.md", "verbatim: The east kiln is fired at 980 °C"},
		{"It cools for two days - never less - before the door is opened", "", "verbatim: It cools for two days — never less – before the door is opened"},
		{"“The \"blue\" glaze holds two per cent of cobalt”", "", "verbatim: The “blue” glaze holds two per cent of cobalt"},
		{"东窑烧至摄氏980度，保温十一小时", "", "verbatim: 东窑烧至摄氏980度，保温十一小时"},
		{"The east [PLACE-1] is fired at [DATE-2b] for eleven hours", "", "verbatim: The east kiln is fired at 980 °C for eleven hours"},
		{"[NAME-1] east kiln is fired at [DATE-2] for eleven days", "", `altered: east kiln is fired at 980 °C for eleven hours ["[…]" for "980 °C", "days" for "hours"]`},
		{"The east kiln is fired at 980 °C", "glaze.md", "elsewhere: The east kiln is fired at 980 °C"},
		{"The east kiln is fired at 1080 °C for eleven hours.", "", `altered: The east kiln is fired at 980 °C for eleven hours ["1080" for "980"]`},
		{"The east kiln is not fired at 980 °C for eleven hours.", "", `altered: The east kiln is fired at 980 °C for eleven hours ["not" for ""]`},
		{"The east kiln is fired for eleven hours.", "", `altered: The east kiln is fired at 980 °C for eleven hours ["" for "at 980 °C"]`},
		{"The east kiln is fired at 980 °C … must be sieved twice through a mesh", "", "stitched: The east kiln is fired at 980 °C + must be sieved twice through a mesh"},
		{"It cools for two days and cones of size 06 stand behind the spy-hole", "", "absent:"},
		{"Porcelain shrinks by a seventh while it is fired.", "", "absent:"},
		{"", "", "absent:"},
		{"...", "", "absent:"},
	} {
		f, err := quotation.Verify(context.Background(), l, c.quote, c.file)
		if err != nil {
			t.Fatal(err)
		}
		if got := describe(f); got != c.want {
			t.Errorf("%q of %q:\n got %s\nwant %s", c.quote, c.file, got, c.want)
		}
	}
}

func describe(f quotation.Finding) string {
	var parts []string
	for _, p := range f.Parts {
		parts = append(parts, p.Text)
	}
	s := strings.TrimSpace(string(f.Verdict) + ": " + strings.Join(parts, " + "))
	if len(f.Differences) > 0 {
		var all []string
		for _, d := range f.Differences {
			all = append(all, fmt.Sprintf("%q for %q", d.Quoted, d.Stated))
		}
		s += " [" + strings.Join(all, ", ") + "]"
	}
	return s
}

// TestMadeQuotes makes quotes of invented pages: true ones in other dress, with a character altered, stitched, given to another
// file, and invented. With LACUNA_LONG it makes 10,000.
func TestMadeQuotes(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 7))
	syllables := strings.Fields("bar mil har fur slu her tal an bel riv gas pis fla cis gut tre ar qui med dam thi hol rid mea byr gra lan cop")
	word := func() string {
		w := ""
		for range 2 + random.IntN(2) {
			w += syllables[random.IntN(len(syllables))]
		}
		return w
	}
	sentence := func() string {
		s := make([]string, 9+random.IntN(6))
		for i := range s {
			s[i] = word()
			if random.IntN(7) == 0 {
				s[i] = fmt.Sprint(2 + random.IntN(900))
			}
		}
		return "The " + strings.Join(s, " ") + "."
	}
	all := map[string]string{}
	type stated struct{ file, text string }
	var sentences []stated
	for page := range 60 {
		name, text := fmt.Sprintf("page%02d.md", page), fmt.Sprintf("# Page %d\n", page)
		for range 4 {
			for range 5 {
				s := sentence()
				sentences = append(sentences, stated{name, s})
				text += "\n" + s
			}
			text += "\n"
		}
		all[name] = text
	}
	l := library(t, all)
	n := 400
	if os.Getenv("LACUNA_LONG") != "" {
		n = 10_000
	}
	for i := range n {
		s, other := sentences[random.IntN(len(sentences))], sentences[random.IntN(len(sentences))]
		quote, file, want := s.text, "", quotation.Verbatim
		switch i % 5 {
		case 0: // in other dress
			quote = "“" + strings.ReplaceAll(strings.TrimSuffix(quote, "."), " ", []string{" ", "  ", "\n", "\u00a0"}[random.IntN(4)]) + "”"
		case 1: // one character
			at := 4 + random.IntN(len(quote)-5)
			for quote[at] == ' ' {
				at--
			}
			quote, want = quote[:at]+"x"+quote[at+1:], quotation.Altered
			if quote == s.text {
				want = quotation.Verbatim
			}
		case 2:
			if s == other {
				continue
			}
			a, b := strings.Fields(s.text), strings.Fields(other.text)
			quote, want = strings.Join(append(a[:6:6], b[len(b)-6:]...), " "), quotation.Stitched
		case 3:
			if s.file == other.file {
				continue
			}
			file, want = other.file, quotation.Elsewhere
		case 4:
			quote, want = sentence(), quotation.Absent
		}
		f, err := quotation.Verify(context.Background(), l, quote, file)
		if err != nil {
			t.Fatal(err)
		}
		if f.Verdict != want {
			t.Errorf("%q of %q (from %q): %s, want %s", quote, file, s.text, describe(f), want)
		}
		for _, p := range f.Parts {
			if p.Span.End > len(p.Passage.Text) || p.Span.Len() <= 0 {
				t.Errorf("%q stands at %v of %d bytes", p.Text, p.Span, len(p.Passage.Text))
			}
		}
	}
}

func FuzzVerify(f *testing.F) {
	l := library(f, pages)
	for _, quote := range []string{"The east kiln", "东窑", "\xff“", "a\u00adb", strings.Repeat("kiln ", 900)} {
		f.Add(quote, "kiln.md")
	}
	f.Fuzz(func(t *testing.T, quote, file string) {
		if _, err := quotation.Verify(context.Background(), l, quote, file); err != nil {
			t.Error(err)
		}
	})
}

func BenchmarkVerify(b *testing.B) {
	l := library(b, pages)
	for b.Loop() {
		if _, err := quotation.Verify(context.Background(), l, "The east kiln is fired at 1080 °C for eleven hours.", ""); err != nil {
			b.Fatal(err)
		}
	}
}
