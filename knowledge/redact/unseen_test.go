package redact

import (
	"fmt"
	"maps"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"lacuna/knowledge/par"
	"lacuna/knowledge/redact/redacttest"
)

// TestUnseenHands judges rules and tagger on the notes of each hand, with the tagger fitted to those of all others: that
// is what notes of a hand that nobody has seen can expect. It needs LACUNA_LONG and LACUNA_DATA, takes some minutes, and only reports. LACUNA_TAGGER_HANDS
// names the hands to judge, with commas between them, which LACUNA_TAGGER_TOGETHER leaves out all at once, and LACUNA_TAGGER_ERRORS a file for each error.
func TestUnseenHands(t *testing.T) {
	if os.Getenv("LACUNA_LONG") == "" || os.Getenv("LACUNA_DATA") == "" {
		t.Skip("LACUNA_LONG and LACUNA_DATA are unset")
	}
	table, all := readAll(t)
	hands := map[string]bool{}
	for _, e := range all {
		hands[e.hand] = e.hand != "medicine"
	}
	maps.DeleteFunc(hands, func(_ string, is bool) bool { return !is })
	if names := os.Getenv("LACUNA_TAGGER_HANDS"); names != "" {
		hands = map[string]bool{}
		for name := range strings.SplitSeq(names, ",") {
			hands[name] = true
		}
	}
	t.Logf("%d texts, %d features, hands %v", len(all), len(table.names), slices.Sorted(maps.Keys(hands)))
	trials := trials()
	results := make([][]*score, len(trials))
	order := slices.Sorted(maps.Keys(hands))
	groups := slices.Collect(slices.Chunk(order, 1))
	if os.Getenv("LACUNA_TAGGER_TOGETHER") != "" {
		groups = [][]string{order}
	}
	for _, group := range groups {
		var both stack
		for k := range trials {
			if k == 0 || trials[k].fitting != trials[k-1].fitting {
				both = trainBoth(table, all, group, trials[k].fitting, 1)
			}
			results[k] = append(results[k], par.Gather(len(group), func(i int) (*score, bool) {
				s := newScore()
				for _, e := range all {
					if e.hand == group[i] && !strings.Contains(e.id, " ") {
						s.add(e, chosen(e, both.probabilities(e), trials[k].thresholds))
					}
				}
				return s, true
			})...)
		}
	}
	for k, trial := range trials {
		sum := newScore()
		for i, s := range results[k] {
			t.Logf("%s, hand %s: %s", trial.name, order[i], s)
			sum.join(s)
		}
		t.Logf("%s, all hands: %s\n%s", trial.name, sum, sum.table())
		if name := os.Getenv("LACUNA_TAGGER_ERRORS"); name != "" && k == 0 {
			if err := os.WriteFile(name, []byte(sum.errors.String()), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// trial is a way to fit the tagger and to choose what it is to replace.
type trial struct {
	name       string
	fitting    fitting
	thresholds *thresholds
}

// trials returns what ships, and what LACUNA_TAGGER_TRIALS names: assignments such as "dropout=0.3,blind=0.2", divided by semicolons.
func trials() []trial {
	all := []trial{{"shipped", usual, shipped}}
	for text := range strings.SplitSeq(os.Getenv("LACUNA_TAGGER_TRIALS"), ";") {
		if text == "" {
			continue
		}
		one := trial{text, usual, shipped}
		for part := range strings.SplitSeq(text, ",") {
			key, value, _ := strings.Cut(part, "=")
			n, _ := strconv.ParseFloat(value, 64)
			switch key {
			case "epochs":
				one.fitting.epochs = int(n)
			case "rate":
				one.fitting.rate = float32(n)
			case "decay":
				one.fitting.decay = float32(n)
			case "dropout":
				one.fitting.dropout = n
			case "blind":
				one.fitting.blind = n
			case "notes":
				one.fitting.leastNotes = int(n)
			case "hands":
				one.fitting.leastHands = int(n)
			case "least":
				one.fitting.leastWeight = float32(n)
			case "name", "place", "date", "number": // times those of a class
				from := *one.thresholds
				l := map[string]label{"name": ofName, "place": ofPlace, "date": ofDate, "number": ofNumber}[key]
				from.alone[l], from.found[l] = from.alone[l]*n, from.found[l]*n
				one.thresholds = &from
			case "times": // all thresholds
				from := *one.thresholds
				for l := range labelCount {
					from.alone[l], from.found[l] = from.alone[l]*n, from.found[l]*n
				}
				one.thresholds = &from
			}
		}
		all = append(all, one)
	}
	return all
}

// chosen returns what would be replaced in one text.
func chosen(e *example, p [][labelCount]float64, from *thresholds) []Span {
	hits := [][]hit{e.choose(e.text, p, from)}
	seenAgain([]view{{text: e.text}}, hits, origins{})
	var spans []Span
	for _, h := range trimHits(e.text, joinHits(e.text, mergeHits(withoutDoses(e.text, hits[0])))) {
		spans = append(spans, Span{h.class, h.start, h.end})
	}
	return spans
}

// score counts whole identifiers by class, and words that are replaced without need, as the shipped test does.
type score struct {
	found, n      map[string]int // by class, and by class and language
	words, wrong  int
	harms, scores int // wrong replacements that touch a treatment or a value, and two other numbers
	errors        strings.Builder
}

func newScore() *score { return &score{found: map[string]int{}, n: map[string]int{}} }

func (s *score) join(o *score) {
	for key, n := range o.n {
		s.n[key] += n
		s.found[key] += o.found[key]
	}
	s.words, s.wrong, s.harms, s.scores = s.words+o.words, s.wrong+o.wrong, s.harms+o.harms, s.scores+o.scores
	s.errors.WriteString(o.errors.String())
}

func (s *score) add(e *example, covered []Span) {
	in := func(at int) bool {
		return slices.ContainsFunc(covered, func(c Span) bool { return c.Start <= at && at < c.End })
	}
	for _, id := range e.spans {
		whole := true
		for i, r := range e.text[id.Start:id.End] {
			if (unicode.IsLetter(r) || unicode.IsDigit(r)) && !in(id.Start+i) {
				whole = false
			}
		}
		for _, key := range []string{string(id.Class), string(id.Class) + " " + e.lang} {
			s.n[key]++
			if whole {
				s.found[key]++
			}
		}
		if !whole {
			fmt.Fprintf(&s.errors, "%s missed %s %q in %q\n", e.id, id.Class, e.text[id.Start:id.End], nearby(e.text, id.Start, id.End))
		}
	}
	s.words += countPieces(e.text)
	for _, c := range covered {
		if !slices.ContainsFunc(e.spans, func(id Span) bool { return c.Start < id.End && id.Start < c.End }) {
			s.wrong += countPieces(e.text[c.Start:c.End])
			harm := ""
			switch redacttest.HarmOf(e.text, c.Start, c.End) {
			case redacttest.Treatment:
				s.harms++
				harm = " HARM"
			case redacttest.Score:
				s.scores++
				harm = " score"
			}
			fmt.Fprintf(&s.errors, "%s wrong%s %s %q in %q\n", e.id, harm, c.Class, e.text[c.Start:c.End], nearby(e.text, c.Start, c.End))
		}
	}
}

// String is the shares in one line.
func (s *score) String() string {
	var b strings.Builder
	for _, class := range slices.Sorted(maps.Keys(s.n)) {
		if !strings.Contains(class, " ") {
			fmt.Fprintf(&b, "%s %.3f (%d) ", class, float64(s.found[class])/float64(s.n[class]), s.n[class])
		}
	}
	fmt.Fprintf(&b, "wrong %.1f, harm %d, scores %d", 1000*float64(s.wrong)/float64(s.words), s.harms, s.scores)
	return b.String()
}

// table is the shares with their 95 % intervals, and those of each language.
func (s *score) table() string {
	var b strings.Builder
	for _, key := range slices.Sorted(maps.Keys(s.n)) {
		p, m := float64(s.found[key])/float64(s.n[key]), float64(s.n[key])
		const z = 1.96
		mid, half := (p+z*z/(2*m))/(1+z*z/m), z/(1+z*z/m)*math.Sqrt(p*(1-p)/m+z*z/(4*m*m))
		fmt.Fprintf(&b, "  %-11s %4d of %4d  %.3f [%.3f, %.3f]\n", key, s.found[key], s.n[key], p, max(0, mid-half), min(1, mid+half))
	}
	return b.String()
}

// countPieces counts words, numbers and Chinese characters, as the shipped test does.
func countPieces(text string) int {
	n, in := 0, false
	for _, r := range text {
		switch {
		case unicode.Is(unicode.Han, r):
			n++
			in = false
		case unicode.IsLetter(r) || unicode.IsDigit(r):
			if !in {
				n++
			}
			in = true
		case r == '\'' || r == '-' || r == '’' || r == '.':
		default:
			in = false
		}
	}
	return n
}

// nearby returns a part of a text with what stands next to it.
func nearby(text string, start, end int) string {
	return strings.ToValidUTF8(text[max(0, start-24):min(len(text), end+24)], "")
}
