package entail

import (
	"os"
	"slices"
	"strings"
	"testing"
)

// TestReadScales finds words on scales and leaves others.
func TestReadScales(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"All patients should rest.", "All should"},
		{"It is taken each day by most people.", "most"},
		{"They help each other in May.", ""},
		{"Not all of them must go.", "-All must"},
		{"It must not be taken in the evening.", "-must evening"},
		{"有些人可能需要在睡前服用，一般不必担心。", "有些 可能 需要 睡前 一般 不必"},
		{"Manchmal muss man nüchtern bleiben.", "Manchmal muss nüchtern"},
		{"in a few days, no later than Monday", ""},
	} {
		var got []string
		for i, r := range readScales(c.text).rungs {
			word := c.text[r.Start:r.End]
			if r.denied {
				word = "-" + word
			}
			if i == 0 || got[len(got)-1] != word {
				got = append(got, word)
			}
		}
		if strings.ToLower(strings.Join(got, " ")) != strings.ToLower(c.want) {
			t.Errorf("%s: %v, want %s", c.text, got, c.want)
		}
	}
}

// TestCompareScales tells what follows from a word of a scale and what does not.
func TestCompareScales(t *testing.T) {
	for _, c := range []struct {
		claim, source string
		want          standing
	}{
		{"some patients recover", "all patients recover", understated},
		{"all patients recover", "some patients recover", overstated},
		{"nobody of the patients ever recovers", "some patients recover", opposed},
		{"not all patients recover", "some patients recover", equalRung},
		{"it always hurts patients", "it often hurts patients", overstated},
		{"it rarely hurts patients", "it often hurts patients", opposed},
		{"it sometimes hurts patients", "it usually hurts patients", understated},
		{"patients must rest at home", "patients may rest at home", overstated},
		{"patients should rest", "patients must rest", understated},
		{"patients must not rest", "patients must rest", opposed},
		{"resting is optional for patients", "resting is required for patients", opposed},
		{"tablets in the evening", "tablets are for the morning", opposed},
		{"tablets at bedtime", "tablets in the evening", equalRung},
		{"tablets go on an empty stomach", "tablets go after meals", opposed},
		{"it probably helps patients", "it may help patients", overstated},
		{"所有病人都要休息", "部分病人需要休息", overstated},
		{"病人禁止饮酒", "病人可以饮酒", opposed},
	} {
		claim, source := readScales(c.claim), readScales(c.source)
		found := slices.ContainsFunc(compareScales(claim, source), func(m rungMatch) bool { return m.claim >= 0 && m.source >= 0 && m.standing == c.want })
		if !found {
			t.Errorf("%s / %s: %+v, want %d", c.claim, c.source, compareScales(claim, source), c.want)
		}
	}
	left := compareScales(readScales("smoking causes cancer"), readScales("smoking may cause cancer"))
	if !slices.ContainsFunc(left, func(m rungMatch) bool { return m.claim < 0 && m.standing == overstated && m.kind == Modality }) {
		t.Errorf("what a claim leaves out: %+v", left)
	}
}

// TestScalesOfClaims measures, over sets of claims, in how many of the faithful, and of those with a wrong scope,
// certainty or time, a word of a scale says more than the passages or excludes what they say.
func TestScalesOfClaims(t *testing.T) {
	list := os.Getenv("LACUNA_CLAIMS_LIST") != ""
	type tally struct{ found, all int }
	count := map[string]*tally{}
	for _, r := range figureRows(t) {
		text := ""
		for _, p := range r.Passages {
			text += p.Title + "\n" + p.Text + "\n"
		}
		claim, source := readScales(r.Claim), readScales(text)
		var told []string
		sourceOrders, claimOrders := readOrders(text), readOrders(r.Claim)
		for _, m := range compareOrders(claimOrders, sourceOrders) {
			if m.standing == opposed {
				told = append(told, "turned "+r.Claim[claimOrders[m.claim].Start:claimOrders[m.claim].End])
			}
		}
		for _, m := range compareScales(claim, source) {
			if m.claim >= 0 && claim.rungs[m.claim].weak || m.standing != opposed && m.standing != overstated {
				continue
			}
			s, said := source.rungs[m.source], "nothing"
			if m.claim >= 0 {
				said = r.Claim[claim.rungs[m.claim].Start:claim.rungs[m.claim].End]
			}
			told = append(told, [...]string{"", "opposed", "overstated"}[m.standing]+" "+said+" / "+text[s.Start:s.End])
		}
		set, _, _ := strings.Cut(r.ID, "-")
		key := ""
		switch {
		case r.Label == "supported":
			key = set + " supported"
		case r.Label == "refuted" && slices.Contains([]string{"scope", "certainty", "time", "negation", "exception"}, r.Kind):
			key = set + " refuted " + r.Kind
		default:
			continue
		}
		if count[key] == nil {
			count[key] = &tally{}
		}
		count[key].all++
		if len(told) > 0 {
			count[key].found++
		}
		if list && (r.Label == "supported") == (len(told) > 0) {
			t.Logf("%s %s %s %s\n   %s\n   %s", r.ID, r.Label, r.Kind, strings.Join(told, "; "), r.Claim, text)
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

// TestCompareOrders tells which of two events comes first.
func TestCompareOrders(t *testing.T) {
	for _, c := range []struct {
		claim, source string
		want          standing
	}{
		{"Blanch the leaves before slicing them.", "First slice the leaves, then blanch them.", opposed},
		{"Blanch the leaves, then slice.", "The leaves are sliced after you blanch them.", equalRung},
		{"After the scan, aspirin is given.", "Aspirin is given before the scan.", opposed},
		{"After the scan, aspirin is given.", "Aspirin is not given until the scan is done.", equalRung},
		{"叶菜先切片，再焯水。", "叶菜应先焯水再切片。", opposed},
		{"睡觉前吃药", "吃药后睡觉", equalRung},
		{"It is raining after noon.", "Aspirin is given before the scan.", added},
	} {
		got := compareOrders(readOrders(c.claim), readOrders(c.source))
		if len(got) == 0 || got[0].standing != c.want {
			t.Errorf("%s / %s: %+v, want %d (%+v, %+v)", c.claim, c.source, got, c.want, readOrders(c.claim), readOrders(c.source))
		}
	}
}
