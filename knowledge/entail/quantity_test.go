package entail

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// brief spells a quantity in one line.
func (q quantity) brief() string {
	s := fmt.Sprintf("%.4g", q.low)
	if q.high != q.low {
		s += fmt.Sprintf("–%.4g", q.high)
	}
	s = [...]string{"", "≥", ">", "≤", "<"}[q.bound] + s
	if q.about {
		s = "~" + s
	}
	if q.dimension == edition {
		s = q.unit
	}
	if q.dimension != counted {
		s += " " + string(q.dimension)
	}
	if q.when != "" {
		s += " " + q.when
	}
	s += [...]string{"", "", " old", "", " point", " listed"}[q.role]
	if q.total {
		s += " total"
	}
	return s
}

func briefs(all []quantity) string {
	var s []string
	for _, q := range all {
		if q.role == listed {
			continue
		}
		s = append(s, q.brief())
	}
	return strings.Join(s, "; ")
}

// TestReadQuantities reads figures of many spellings.
func TestReadQuantities(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"5 mg twice a day", "0.005 mass; 2 frequency"},
		{"500 mg a day", "0.5 mass; 1 frequency total"},
		{"5 mg b.d. with food", "0.005 mass; 2 frequency"},
		{"5 mg o.d.", "0.005 mass; 1 frequency"},
		{"250 mg t.d.s. for five days", "0.25 mass; 3 frequency; 4.32e+05 time"},
		{"ten milligrams every 8 hours for seven days", "0.01 mass; 3 frequency; 6.048e+05 time"},
		{"two to four times daily", "2–4 frequency"},
		{"every one to two weeks", "0.07143–0.1429 frequency"},
		{"checked each year", "0.002738 frequency"},
		{"5 mg BD", "0.005 mass; 2 frequency"},
		{"take it q6h", "4 frequency"},
		{"a 12-hourly dose", "2 frequency"},
		{"no more than 20 mg", "≤0.02 mass"},
		{"should not be more than 20 mg a day", "≤0.02 mass; 1 frequency total"},
		{"80 years or over", "≥2.525e+09 time"},
		{"adults aged 65 and over", "≥2.051e+09 time old"},
		{"a 65-year-old woman", "2.051e+09 time old"},
		{"weight ≤60 kg", "≤6e+04 mass"},
		{"less than 133 micromol/l", "<0.000133 substance/volume"},
		{"15 mL per minute", "0.00025 volume/time"},
		{"roughly one in five people", "~0.2 ratio"},
		{"nearly half of them", "~0.5 ratio"},
		{"two thirds, a third of them and three quarters", "0.6667 ratio; 0.3333 ratio; 0.75 ratio"},
		{"9 out of 10", "0.9 ratio"},
		{"1.6 per 100,000", "1.6e-05 ratio"},
		{"5 %", "0.05 ratio"},
		{"half an hour", "1800 time"},
		{"two and a half", "2.5"},
		{"twenty-one women", "21"},
		{"a dozen eggs", "~12"},
		{"10,800 people", "1.08e+04"},
		{"1,5 ml", "0.0015 volume"},
		{"38.5 °C is 101.3 °F", "38.5 temperature; 38.5 temperature"},
		{"between 5 and 10 cm", "0.05–0.1 length"},
		{"week 20 of pregnancy onwards", "1.21e+07 time from point"},
		{"until the 20th week", "1.21e+07 time until point"},
		{"30 minutes before breakfast", "1800 time before"},
		{"on February 1st and 3 May 2011", "201 date; 2.011e+07 date"},
		{"Kubernetes 1.24.3", "1.24.3 version"},
		{"type 2 diabetes", "2 label"},
		{"CYP3A4 and B12 and 22q11", ""},
		{"as shown [1] and [2,3]", ""},
		{"three times the dose", "3 ratio"},
		{"one should rest", ""},
		{"by 8 pm", "1200 clock"},
		{"mindestens zwei Wochen lang zweimal täglich", "≥1.21e+06 time; 2 frequency"},
		{"alle 8 Stunden", "3 frequency"},
		{"bis zu 1,5 Liter am Tag", "≤1.5 volume; 1 frequency total"},
		{"每天两次，每次5毫克", "2 frequency; 0.005 mass"},
		{"每8小时一次，连用十天", "3 frequency; 8.64e+05 time"},
		{"一日三次", "3 frequency"},
		{"38.5℃以上", "≥38.5 temperature"},
		{"37度5", "37.5 temperature"},
		{"不要让水位线超过锅体的 2/3", "≤0.6667 ratio"},
		{"COVID-19, IL-6 and OCT3/4", ""},
		{"1/2000 of people", "0.0005 ratio"},
		{"3·5 million in 1979–2000", "3.5e+06; 1.979e+07 date; 2e+07 date"},
		{"25 and older", "≥7.889e+08 time old"},
		{"不得超过三十日", "≤2.592e+06 time"},
		{"三分之一和一半", "0.3333 ratio; 0.5 ratio"},
		{"两周到一个半月", "1.21e+06–3.945e+06 time"},
		{"二十一天左右", "~1.814e+06 time"},
		{"第12周前后", "~7.258e+06 time point"},
		{"3～5天", "2.592e+05–4.32e+05 time"},
		{"半小时以内", "≤1800 time"},
		{"65岁以上", "≥2.051e+09 time old"},
		{"百分之二十", "0.2 ratio"},
	} {
		if got := briefs(readQuantities(c.text)); got != c.want {
			t.Errorf("%s\n got: %s\nwant: %s", c.text, got, c.want)
		}
	}
}

// TestCompareQuantities compares figures said in other ways.
func TestCompareQuantities(t *testing.T) {
	for _, c := range []struct {
		claim, source string
		want          agreement
		kind          Kind
	}{
		{"0.5 mg", "500 micrograms", equal, Number},
		{"500 mg", "500 micrograms", differs, Number},
		{"over 30", "below 30", differs, Bound},
		{"20 mg at most", "should not be more than 20 mg", equal, Number},
		{"once a week", "7.5 mg daily", differs, Time},
		{"half", "50 %", equal, Number},
		{"the 7 mm gap", "the 3 mm gap", differs, Number},
		{"2,000 mg", "1 g twice a day", implied, Number},
		{"from week 20 on", "until week 20", differs, Time},
		{"3 kg", "3 hours", unmatched, ""},
		{"up to 3", "from 2 to 3", implied, Number},
		{"133 mmol/l", "133 micromol/l", differs, Number},
		{"1,500 steps", "1500 steps", equal, Number},
		{"每天两次", "twice a day", equal, Time},
		{"for 5/7", "for five days", near, Time},
		{"an interval of 12 weeks", "every twelve weeks", near, Time},
		{"for a month", "4 weeks", equal, Time},
		{"an 8-month-old", "children under 1 year", instance, Time},
		{"a few hours", "several days", differs, Time},
		{"no longer than a week", "for a week at most", equal, Time},
		{"not for anyone under 16", "children under 16", equal, ""},
		{"the maximum is 1", "the minimum is 1, and 1 second", differs, Bound},
		{"200–399", "at least 200 and less than 400", implied, Number},
		{"three colours", "red, green and blue", near, Number},
		{"four colours", "red, green and blue", unmatched, ""},
		{"more than half", "57 %", near, Number},
		{"76-85%", "76.3% to 85.4%", equal, Number},
		{"half of them", "a 53-fold increase", unmatched, ""},
		{"for seven days", "children aged 5 years", unmatched, ""},
		{"48 % or more", "42 %", differs, Number},
	} {
		got := compareQuantities(readQuantities(c.claim), readQuantities(c.source))
		if len(got) != 1 && c.source != "7.5 mg daily" || len(got) == 0 {
			t.Errorf("%s / %s: %d figures", c.claim, c.source, len(got))
			continue
		}
		if got[0].agreement != c.want || c.kind != "" && got[0].kind != c.kind {
			t.Errorf("%s / %s: %d %s, want %d %s", c.claim, c.source, got[0].agreement, got[0].kind, c.want, c.kind)
		}
	}
}

type figureRow struct {
	ID, Lang, Claim, Label, Kind, Style string
	Passages                            []struct{ Title, Text string }
}

// figureRows reads the sets of claims in the folders that LACUNA_CLAIMS names.
func figureRows(t *testing.T) []figureRow {
	t.Helper()
	folders := os.Getenv("LACUNA_CLAIMS")
	if folders == "" {
		t.Skip("LACUNA_CLAIMS names no folder of claims (*.jsonl, *.jsonl.gz)")
	}
	var rows []figureRow
	for _, folder := range filepath.SplitList(folders) {
		names, _ := filepath.Glob(filepath.Join(folder, "*.jsonl*"))
		for _, name := range names {
			if strings.HasPrefix(filepath.Base(name), "conflicts") {
				continue
			}
			data, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			var in io.Reader = bytes.NewReader(data)
			if strings.HasSuffix(name, ".gz") {
				if in, err = gzip.NewReader(in); err != nil {
					t.Fatal(err)
				}
			}
			lines := bufio.NewScanner(in)
			lines.Buffer(nil, 1<<22)
			for lines.Scan() {
				var r figureRow
				if json.Unmarshal(lines.Bytes(), &r) == nil && r.Claim != "" {
					rows = append(rows, r)
				}
			}
		}
	}
	return rows
}

// TestQuantitiesOfClaims measures, over sets of claims, how many of the faithful have only figures that their
// passages hold, and how many with a wrong figure have one that they do not. LACUNA_CLAIMS_LIST lists the others.
func TestQuantitiesOfClaims(t *testing.T) {
	const doubtful = 1.
	list := os.Getenv("LACUNA_CLAIMS_LIST") != ""
	type tally struct{ found, all int }
	count := map[string]*tally{}
	add := func(key string, found bool) {
		if count[key] == nil {
			count[key] = &tally{}
		}
		count[key].all++
		if found {
			count[key].found++
		}
	}
	for _, r := range figureRows(t) {
		text := ""
		for _, p := range r.Passages {
			text += p.Title + "\n" + p.Text + "\n"
		}
		claim, source := readQuantities(r.Claim), readQuantities(text)
		var missed []string
		doubt := -9.
		for _, m := range compareQuantities(claim, source) {
			if c := claim[m.claim]; !c.weak && m.rival >= 0 {
				doubt = max(doubt, m.doubt)
			}
			if len(neighbours(claim[m.claim])) == 0 && list {
				t.Logf("%s: nothing stands around %s", r.ID, claim[m.claim].brief())
			}
			if c := claim[m.claim]; !c.weak && m.agreement <= differs {
				missed = append(missed, fmt.Sprintf("%s (%s, %s)", r.Claim[c.Start:c.End], c.brief(), [...]string{"absent", "differs " + string(m.kind), "instance"}[m.agreement]))
			}
		}
		set, _, _ := strings.Cut(r.ID, "-")
		firm := slices.ContainsFunc(claim, func(q quantity) bool { return !q.weak })
		wrong := r.Label == "refuted" && slices.Contains([]string{"number", "unit", "comparator", "time", "quantity-of-list"}, r.Kind)
		switch {
		case r.Label == "supported" && firm:
			add(set+" supported "+r.Lang, len(missed) == 0)
			add(set+" supported, no doubt", len(missed) == 0 && doubt <= doubtful)
			if list && (len(missed) > 0 || doubt > doubtful) {
				t.Logf("%s SUPPORTED %s doubt %.2f\n   %s\n   %s\n   %s", r.ID, strings.Join(missed, "; "), doubt, r.Claim, text, briefs(source))
			}
		case wrong && firm:
			add(set+" refuted "+r.Kind, len(missed) > 0)
			add(set+" refuted "+r.Kind+" with doubt", len(missed) > 0 || doubt > doubtful)
			if list && len(missed) == 0 {
				t.Logf("%s REFUTED %s [%s] doubt %.2f\n   %s\n   %s\n   %s", r.ID, r.Kind, briefs(claim), doubt, r.Claim, text, briefs(source))
			}
		}
	}
	var keys []string
	for key := range count {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	for _, key := range keys {
		t.Logf("%-40s %4d of %4d = %.3f", key, count[key].found, count[key].all, float64(count[key].found)/float64(count[key].all))
	}
}

// FuzzReadQuantities reads anything without a panic; spans lie in the text, on the borders of characters.
func FuzzReadQuantities(f *testing.F) {
	for _, text := range []string{"5 mg twice a day", "每8小时一次，一个半月", "between 5 and 10 cm, 2011-05-03 or 8:30 pm", "1 in 5 of ½ %", "2–3 ml/kg/h for a few", "第12周前后 37度5", "from week 20 on, at least", "一半 三分之二 half a", "1.2.3 1,5 1.500 $5k over-65s"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		all := readQuantities(text)
		for _, q := range all {
			if q.Start < 0 || q.End > len(text) || q.Start > q.Number.Start || q.Number.Start >= q.Number.End {
				t.Fatalf("%q: %+v", text, q)
			}
		}
		compareQuantities(all, all)
		words := readScales(text)
		compareScales(words, words)
		orders := readOrders(text)
		compareOrders(orders, orders)
	})
}

// TestTextsOfOneWord: a text may be any word that has a meaning to quantities, and may begin or end with it.
func TestTextsOfOneWord(t *testing.T) {
	for _, words := range []iter.Seq[string]{maps.Keys(units), maps.Keys(barePeriods), maps.Keys(vagueNumbers), maps.Keys(beforeSpan), maps.Keys(scaleWords), maps.Keys(numberWords), maps.Keys(whens)} {
		for word := range words {
			for _, text := range []string{word, word + " 1 to 3", "1 to 3 " + word, word + " " + word} {
				readQuantities(text)
			}
		}
	}
}

// TestCheckFigures tells figures that exclude a claim's from those that are only not there, and from examples.
func TestCheckFigures(t *testing.T) {
	sources := []Source{
		{Above: "Sparfan: dose", Text: "Adults take 5 mg of sparfan twice a day for at least ten days."},
		{Above: "Sparfan: children", Text: "Children under 12 years take 2 mg of sparfan once a day. Sparfan tablets hold 3 mg."},
	}
	for _, c := range []struct {
		claim                           string
		differences, unstated, examples int
		kind                            Kind
		stated                          string
	}{
		{"Adults take 5 mg of sparfan twice a day.", 0, 0, 0, "", ""},
		{"Adults take 7 mg of sparfan twice a day.", 1, 1, 0, Number, "5 mg"},
		{"Adults take 5 mg of sparfan once a day.", 1, 1, 0, Time, "twice a day"},
		{"Adults take 10 mg of sparfan twice a day.", 1, 1, 0, Number, "5 mg"},
		{"Adults take 10 mg of sparfan a day.", 0, 0, 0, "", ""},
		{"Adults take sparfan for at most ten days.", 1, 1, 0, Bound, "at least ten days"},
		{"A 9-year-old child takes 2 mg of sparfan.", 0, 0, 1, "", ""},
		{"Keep the pot at 40 °C.", 0, 1, 0, "", ""},
		{"Sparfan is taken daily in a total of 10 mg.", 0, 0, 0, "", ""},
	} {
		got := checkFigures(read(c.claim), sources)
		if len(got.differences) != c.differences || len(got.unstated) != c.unstated || len(got.examples) != c.examples {
			t.Errorf("%s: %+v", c.claim, got)
			continue
		}
		if c.differences > 0 {
			d := got.differences[0]
			if stated := sources[d.Stated.Source].Text[d.Stated.Start:d.Stated.End]; d.Kind != c.kind || stated != c.stated {
				t.Errorf("%s: %s %q, want %s %q", c.claim, d.Kind, stated, c.kind, c.stated)
			}
		}
	}
}

// TestCheckFiguresOfClaims measures, over sets of claims, what verdicts by figures alone are worth.
func TestCheckFiguresOfClaims(t *testing.T) {
	count := map[string]int{}
	var keys []string
	add := func(key string) {
		if count[key]++; count[key] == 1 {
			keys = append(keys, key)
		}
	}
	for _, r := range figureRows(t) {
		var sources []Source
		for _, p := range r.Passages {
			sources = append(sources, Source{Above: p.Title, Text: p.Text})
		}
		check := checkFigures(read(r.Claim), sources)
		set, _, _ := strings.Cut(r.ID, "-")
		for _, d := range check.differences {
			_ = sources[d.Stated.Source].Text[d.Stated.Start:d.Stated.End]
		}
		was := Judge(r.Claim, "", sources...).Verdict
		switch {
		case len(check.differences) > 0:
			add(fmt.Sprintf("%s differ, of %-11s judged %s", set, r.Label, was))
		case len(check.unstated) > 0:
			add(fmt.Sprintf("%s unstated, of %-11s judged %s", set, r.Label, was))
		case len(check.examples) > 0:
			add(fmt.Sprintf("%s example, of %-11s judged %s", set, r.Label, was))
		}
	}
	slices.Sort(keys)
	for _, key := range keys {
		t.Logf("%-60s %4d", key, count[key])
	}
}
