package extract

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestAnAimBringsItsFinding(t *testing.T) {
	const aim = "To determine whether daily walks lower the blood pressure of sailors."
	for _, c := range []struct {
		name string
		text []string
		want []string
	}{
		{
			"of the same study", []string{aim + " Forty sailors kept a diary. Walks were associated with lower blood pressure."},
			[]string{aim, "Walks were associated with lower blood pressure."},
		},
		{"not of another", []string{aim, "Night watches were associated with higher blood pressure of sailors."}, []string{aim}},
		{"not what was done", []string{aim + " Forty sailors kept a diary of their walks."}, []string{aim}},
		{
			"not where the lead says what came out", []string{"Daily walks lowered the blood pressure of sailors. Rest was associated with no change."},
			[]string{"Daily walks lowered the blood pressure of sailors."},
		},
	} {
		r := read("Do daily walks lower the blood pressure of sailors?", even, list(plain(c.text...)...))
		if diff := cmp.Diff(c.want, shown(r, LeadOnly)); diff != "" {
			t.Errorf("%s:\n%s", c.name, diff)
		}
	}
}

func TestStatesAim(t *testing.T) {
	for text, want := range map[string]bool{
		"OBJECTIVE: To assess the effect of tea on sleep.":                     true,
		"The purpose of this study was to compare two splints.":                true,
		"This study examined the impact of tea on sleep.":                      true,
		"We investigated whether tea delays sleep.":                            true,
		"We investigated whether tea delays sleep and found that it does not.": false,
		"Tea is given to delay sleep.":                                         false,
		"The aim of treatment is a normal temperature.":                        false,
		"目的：探讨茶对睡眠的影响。":                                                        true,
		"本研究旨在比较两种夹板。":                                                         true,
		"结果表明茶延迟睡眠。":                                                           false,
	} {
		if statesAim(text) != want {
			t.Errorf("%q: %v", text, !want)
		}
	}
}
