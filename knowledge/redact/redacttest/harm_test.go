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
