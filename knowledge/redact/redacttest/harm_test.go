package redacttest

import (
	"strings"
	"testing"
)

func TestHarmOf(t *testing.T) {
	for _, c := range []struct {
		text, part string
		want       Harm
	}{
		{"Power 4/5 in the left arm", "4/5", Score},
		{"Warfarin 1/2 tab", "1/2", Treatment},
		{"Bisoprolol 1-0-1/2", "1/2", Treatment},
		{"BP 128/74 seated", "128/74", Treatment},
		{"Hb 9.8 today", "9.8", Treatment},
		{"Started ramipril here", "ramipril", Treatment},
		{"5 mg of it", "5", Treatment},
		{"Ca 9.9 (corr 11.6), INR", "11.6", Treatment},
		{"BW 2.1. Palivizumab", "2.1", Treatment},
		{"WCC 14.8 ↑ from 11.2; CRP", "11.2", Treatment},
		{"Leuk 4.900 3.600", "3.600", Treatment},
		{"clocked out 22.04. Carer", "22.04", None},
		{"seen 3.4.2024", "3.4.2024", None},
		{"Ward 15, bed 3", "15", None},
		{"Norton called", "Norton", None},
		{"Seen in April", "April", None},
	} {
		at := strings.Index(c.text, c.part)
		if got := HarmOf(c.text, at, at+len(c.part)); got != c.want {
			t.Errorf("%s: %s is %d, want %d", c.text, c.part, got, c.want)
		}
	}
}
