package quotation_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"lacuna/knowledge"
	"lacuna/knowledge/ingest"
	"lacuna/knowledge/passage"
	"lacuna/knowledge/quotation"
)

// index reads pages, by file name.
func index(t testing.TB, pages map[string]string) *quotation.Index {
	return quotation.New(passagesOf(t, pages))
}

func passagesOf(t testing.TB, pages map[string]string) []*passage.Passage {
	t.Helper()
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
	return x.Library().Passages()
}

var pages = map[string]string{
	"kiln.md":  "# Kiln\n\nThe *east* kiln is fired at 980 °C for eleven hours. It cools for two days — never less – before the door is opened.\n\nCones of size 06 stand behind the spy-hole.\n",
	"glaze.md": "# Glaze\n\nThe “blue” glaze holds two per cent of cobalt and must be sieved twice through a mesh of 120.\n\n| glaze | cobalt |\n|---|---|\n| blue | 2 % |\n",
	"zh.md":    "# 窑\n\n东窑烧至摄氏980度，保温十一小时。冷却两天后才能开门。\n",
}

func TestVerify(t *testing.T) {
	x := index(t, pages)
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
		if got := describe(x.Verify(c.quote, c.file)); got != c.want {
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

// maker makes pages of invented words, and quotes of them.
type maker struct {
	random    *rand.Rand
	common    []string // words that stand in most sentences; none to make every word anew
	pages     map[string]string
	sentences []stated
}

type stated struct{ file, text string }

var syllables = strings.Fields("bar mil har fur slu her tal an bel riv gas pis fla cis gut tre ar qui med dam thi hol rid mea byr gra lan cop")

func (m *maker) word() string {
	if len(m.common) > 0 && m.random.IntN(2) == 0 {
		return m.common[m.random.IntN(1+m.random.IntN(len(m.common)))]
	}
	if m.random.IntN(7) == 0 {
		return fmt.Sprint(2 + m.random.IntN(900))
	}
	w := ""
	for range 2 + m.random.IntN(2) {
		w += syllables[m.random.IntN(len(syllables))]
	}
	return w
}

func (m *maker) sentence() string {
	s := make([]string, 9+m.random.IntN(6))
	for i := range s {
		s[i] = m.word()
	}
	return "The " + strings.Join(s, " ") + "."
}

// make makes pages with four paragraphs of five sentences each.
func (m *maker) make(pages int) {
	m.pages = make(map[string]string)
	for page := range pages {
		name, text := fmt.Sprintf("page%02d.md", page), fmt.Sprintf("# Page %d\n", page)
		for range 4 {
			for range 5 {
				s := m.sentence()
				m.sentences = append(m.sentences, stated{name, s})
				text += "\n" + s
			}
			text += "\n"
		}
		m.pages[name] = text
	}
}

type madeQuote struct {
	quote, file, of string
	want            quotation.Verdict
}

// quotes makes quotes, a fifth each true in other dress, with one character altered, stitched, given to another file, and invented.
func (m *maker) quotes(n int) []madeQuote {
	var all []madeQuote
	for len(all) < n {
		s, other := m.sentences[m.random.IntN(len(m.sentences))], m.sentences[m.random.IntN(len(m.sentences))]
		q := madeQuote{s.text, "", s.text, quotation.Verbatim}
		switch len(all) % 5 {
		case 0: // in other dress
			q.quote = "“" + strings.ReplaceAll(strings.TrimSuffix(q.quote, "."), " ", []string{" ", "  ", "\n", "\u00a0"}[m.random.IntN(4)]) + "”"
		case 1: // one character
			at := 4 + m.random.IntN(len(q.quote)-5)
			for q.quote[at] == ' ' {
				at--
			}
			q.quote, q.want = q.quote[:at]+"x"+q.quote[at+1:], quotation.Altered
			if q.quote == s.text {
				q.want = quotation.Verbatim
			}
		case 2:
			if s == other {
				continue
			}
			a, b := strings.Fields(s.text), strings.Fields(other.text)
			q.quote, q.want = strings.Join(append(a[:6:6], b[len(b)-6:]...), " "), quotation.Stitched
		case 3:
			if s.file == other.file {
				continue
			}
			q.file, q.want = other.file, quotation.Elsewhere
		case 4:
			q.quote, q.want = m.sentence(), quotation.Absent
		}
		all = append(all, q)
	}
	return all
}

// TestMadeQuotes verifies 2,000 made quotes, and with LACUNA_LONG 10,000.
func TestMadeQuotes(t *testing.T) {
	n := 500
	if os.Getenv("LACUNA_LONG") != "" {
		n = 10_000
	}
	m := maker{random: rand.New(rand.NewPCG(7, 7))}
	m.make(60)
	x := index(t, m.pages)
	for _, q := range m.quotes(n) {
		f := x.Verify(q.quote, q.file)
		if f.Verdict != q.want {
			t.Errorf("%q of %q (from %q): %s, want %s", q.quote, q.file, q.of, describe(f), q.want)
		}
		for _, p := range f.Parts {
			if p.Span.End > len(p.Passage.Text) || p.Span.Len() <= 0 {
				t.Errorf("%q stands at %v of %d bytes", p.Text, p.Span, len(p.Passage.Text))
			}
		}
	}
}

func FuzzVerify(f *testing.F) {
	x := index(f, pages)
	for _, quote := range []string{"The east kiln", "东窑", "\xff“", "a\u00adb", strings.Repeat("kiln ", 900), strings.Repeat("the [NAME-1] ", 300)} {
		f.Add(quote, "kiln.md")
	}
	f.Fuzz(func(t *testing.T, quote, file string) {
		found := x.Verify(quote, file)
		for _, p := range found.Parts {
			if !strings.Contains(p.Passage.Text, p.Passage.Text[p.Span.Start:p.Span.End]) {
				t.Errorf("%q of %q: %s", quote, file, describe(found))
			}
		}
	})
}

// BenchmarkVerify verifies 10,000 made quotes in pages of 1,000 and of 100,000 sentences, in half of whose words stand 200 common ones,
// and prints the time of the median and of the slowest but one in a hundred, in µs.
func BenchmarkVerify(b *testing.B) {
	for _, pages := range []int{50, 5000} {
		b.Run(fmt.Sprintf("sentences=%d", pages*20), func(b *testing.B) {
			m := maker{random: rand.New(rand.NewPCG(7, 7))}
			for range 200 {
				m.common = append(m.common, m.word())
			}
			m.make(pages)
			x, quotes := index(b, m.pages), m.quotes(10_000)
			var times []time.Duration
			b.ResetTimer()
			for i := 0; b.Loop(); i++ {
				q := quotes[i%len(quotes)]
				begin := time.Now()
				x.Verify(q.quote, q.file)
				times = append(times, time.Since(begin))
			}
			slices.Sort(times)
			b.ReportMetric(float64(times[len(times)/2].Nanoseconds())/1000, "p50-µs")
			b.ReportMetric(float64(times[len(times)*99/100].Nanoseconds())/1000, "p99-µs")
		})
	}
}

// BenchmarkNew reads pages of 20,000 sentences.
func BenchmarkNew(b *testing.B) {
	m := maker{random: rand.New(rand.NewPCG(7, 7))}
	m.make(1000)
	passages := passagesOf(b, m.pages)
	for b.Loop() {
		quotation.New(passages)
	}
}
