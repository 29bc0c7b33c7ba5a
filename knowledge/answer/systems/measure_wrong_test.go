package systems_test

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"

	"lacuna/knowledge"
	"lacuna/knowledge/lexical"
	"lacuna/knowledge/passage"
)

// TestWrongClaimsMeasured makes experts' sentences wrong in one thing and asks whether a passage still
// supports them that supports them as they are. Not every change makes a sentence wrong: what is "not
// demonstrated" may become "not not demonstrated", and a name of the passage may be as right as the one
// that it replaces.
func TestWrongClaimsMeasured(t *testing.T) {
	library := openLibrary(t, "pubmed", dataFile(t, pubmed))
	at := make(map[string]int)
	for ordinal, p := range library.Passages() {
		at[p.Record] = ordinal
	}
	f := newForger(library)
	right := 0
	made, believed := make(map[string]int), make(map[string]int)
	for _, q := range rows[question](t, "queries/bioasq.dev.jsonl.gz") {
		for _, span := range passage.Sentences(q.Ideal, passage.Plain) {
			sentence := q.Ideal[span.Start:span.End]
			supportedBy := func(id string) bool { return supports(library, sentence, at[id]) }
			i := slices.IndexFunc(q.Relevant, supportedBy)
			if i < 0 {
				continue
			}
			right++
			from := at[q.Relevant[i]]
			for how, wrong := range f.forge(sentence, library.Passages()[from].Text, right) {
				made[how]++
				believed[how] += count(supports(library, wrong, from))
			}
		}
	}
	t.Logf("%d sentences are supported as they are", right)
	for _, bar := range []struct {
		how  string
		most float64
	}{
		{"another figure", .01},
		{"a figure of the passage", .1},
		{"another unit", .15},
		{"another direction", .15},
		{"a negation more", .08},
		{"a negation less", .1},
		{"another subject", .01},
		{"another medicine", .03},
		{"another name", .04},
		{"a name of the passage", .6},
		{"names exchanged", 1}, // words alone cannot tell, and much of it is as right
	} {
		t.Logf("%-25s %s", bar.how, portion(believed[bar.how], made[bar.how]))
		if share := float64(believed[bar.how]) / float64(made[bar.how]); share > bar.most {
			t.Errorf("%s: more than %.2f are supported", bar.how, bar.most)
		}
	}
}

// portion is a share with its 95 % interval after Wilson (1927).
func portion(of, n int) string {
	const z = 1.96
	p, size := float64(of)/float64(n), float64(n)
	middle := (p + z*z/(2*size)) / (1 + z*z/size)
	half := z / (1 + z*z/size) * math.Sqrt(p*(1-p)/size+z*z/(4*size*size))
	return fmt.Sprintf("%d of %d, %.3f [%.3f, %.3f]", of, n, p, middle-half, middle+half)
}

var (
	someFigure = regexp.MustCompile(`\b\d+(?:\.\d+)?\b`)
	someUnit   = regexp.MustCompile(`(\d\s*)(%|mg|µg|mcg|g|kg|ml|mL|days?|weeks?|months?|years?|hours?|minutes?)\b`)
	direction  = regexp.MustCompile(`(?i)\b(?:increase[sd]?|increasing|decrease[sd]?|decreasing|reduce[sd]?|higher|lower|inhibits?|activates?|before|after|improves?|worsens?|upregulated|downregulated)\b`)
	auxiliary  = regexp.MustCompile(`\b(?:is|are|was|were|can|has been|have been)\b`)
	negation   = regexp.MustCompile(`\b(?:is|are|was|were|can|has|have|does|do|did)\s(not\s)|\b(no\s)`)
	reverse    = map[string]string{
		"increase": "decrease", "increases": "decreases", "increased": "decreased", "increasing": "decreasing",
		"decrease": "increase", "decreases": "increases", "decreased": "increased", "decreasing": "increasing",
		"reduce": "raise", "reduces": "raises", "reduced": "raised", "higher": "lower", "lower": "higher",
		"inhibit": "activate", "inhibits": "activates", "activate": "inhibit", "activates": "inhibits",
		"before": "after", "after": "before", "improve": "worsen", "improves": "worsens", "worsen": "improve", "worsens": "improves",
		"upregulated": "downregulated", "downregulated": "upregulated",
	}
	otherUnit = map[string]string{
		"%": "mg", "mg": "µg", "µg": "mg", "mcg": "mg", "g": "mg", "kg": "g", "ml": "l", "mL": "l",
		"day": "week", "days": "weeks", "week": "day", "weeks": "days", "month": "year", "months": "years",
		"year": "month", "years": "months", "hour": "day", "hours": "days", "minute": "hour", "minutes": "hours",
	}
	// medicine matches names by the endings that the WHO gives to medicines of one kind.
	medicine = regexp.MustCompile(`(?i)\b[a-z]{2,}(?:mab|nib|statin|pril|sartan|olol|azole|cillin|mycin|floxacin|vir|zepam|gliptin|` +
		`gliflozin|glitazone|parin|xaban|gatran|triptan|setron|dronate|lukast|formin|ciclib|parib|caine|oxetine|tidine|dipine|lisib|degib|zomib)\b`)
)

// forger makes sentences wrong.
type forger struct {
	weight    func(term string) float64
	medicines []string // of the base, each once, in order
	names     []string // the rarest words of the base's passages
}

func newForger(library *knowledge.Library) *forger {
	f := &forger{weight: library.Collection(passage.Text).IDF}
	seen := make(map[string]bool)
	for _, p := range library.Passages() {
		for _, name := range medicine.FindAllString(p.Text, -1) {
			if name = strings.ToLower(name); !seen[name] {
				seen[name] = true
				f.medicines = append(f.medicines, name)
			}
		}
		if rarest := f.rarest(p.Text, p.Text); rarest != "" {
			f.names = append(f.names, rarest)
		}
	}
	return f
}

// draw takes the n-th of some names, or the next one that neither the sentence nor the passage holds.
func draw(names []string, n int, texts ...string) string {
	held := strings.ToLower(strings.Join(texts, "\n"))
	for i := range names {
		if name := names[(n*7919+i)%len(names)]; !strings.Contains(held, strings.ToLower(name)) {
			return name
		}
	}
	return ""
}

// forge returns wrong variants of a sentence by what is wrong with them. Which names are put in follows
// from n.
func (f *forger) forge(sentence, passage string, n int) map[string]string {
	wrong := make(map[string]string)
	if m := someFigure.FindStringIndex(sentence); m != nil {
		wrong["another figure"] = sentence[:m[0]] + sentence[m[0]:m[1]] + "7" + sentence[m[1]:]
		of := someFigure.FindAllString(passage, -1)
		if i := slices.IndexFunc(of, func(n string) bool { return !strings.Contains(sentence, n) }); i >= 0 {
			wrong["a figure of the passage"] = sentence[:m[0]] + of[i] + sentence[m[1]:]
		}
	}
	if m := someUnit.FindStringSubmatchIndex(sentence); m != nil {
		wrong["another unit"] = sentence[:m[4]] + otherUnit[sentence[m[4]:m[5]]] + sentence[m[5]:]
	}
	if m := direction.FindStringIndex(sentence); m != nil {
		wrong["another direction"] = sentence[:m[0]] + reverse[strings.ToLower(sentence[m[0]:m[1]])] + sentence[m[1]:]
	}
	if m := auxiliary.FindStringIndex(sentence); m != nil {
		wrong["a negation more"] = sentence[:m[1]] + " not" + sentence[m[1]:]
	}
	if m := negation.FindStringSubmatchIndex(sentence); m != nil {
		start, end := max(m[2], m[4]), max(m[3], m[5])
		wrong["a negation less"] = sentence[:start] + sentence[end:]
	}
	if name := medicine.FindString(sentence); name != "" {
		wrong["another medicine"] = strings.ReplaceAll(sentence, name, draw(f.medicines, n, sentence, passage))
	}
	if rarest := f.rarest(sentence, passage); rarest != "" {
		if !strings.Contains(passage, "nfliximab") {
			wrong["another subject"] = strings.Replace(sentence, rarest, "infliximab", 1)
		}
		wrong["another name"] = strings.ReplaceAll(sentence, rarest, draw(f.names, n, sentence, passage))
		if other := f.rarest(passage, passage, lexical.Terms(sentence)...); other != "" {
			wrong["a name of the passage"] = strings.ReplaceAll(sentence, rarest, other)
		}
		if other := f.rarest(sentence, passage, lexical.Terms(rarest)...); other != "" {
			wrong["names exchanged"] = strings.NewReplacer(rarest, other, other, rarest).Replace(sentence)
		}
	}
	return wrong
}

// rarest is the word of a text that the base knows least of those that the passage holds, but for some
// terms.
func (f *forger) rarest(text, passage string, but ...string) (rarest string) {
	held, most := lexical.Terms(passage), 0.0
	for _, word := range strings.Fields(text) {
		terms := lexical.Terms(word)
		if len(terms) == 1 && slices.Contains(held, terms[0]) && !slices.Contains(but, terms[0]) && f.weight(terms[0]) > most {
			rarest, most = strings.Trim(word, ".,;:()"), f.weight(terms[0])
		}
	}
	return rarest
}
