package support

import (
	"testing"
)

func TestAmounts(t *testing.T) {
	for _, c := range []struct {
		claim, source string
		held          bool
	}{
		{"5 mg", "5mg", true},
		{"5 mg", "5 milligrams", true},
		{"5 mg", "50 mg", false},
		{"5 mg", "5 g", false},
		{"0.50 mg", "0.5 mg", true},
		{"0,5 mg", "0.5 mg", true},
		{"1,200 patients", "1200 people", true},
		{"1.2 mg", "12 mg", false},
		{"45%", "45 percent", true},
		{"two years", "2 years", true},
		{"twice a day", "2 times a day", true},
		{"twice a day", "three times a day", false},
		{"2 to 3 days", "2-3 days", true},
		{"one of the causes", "a cause", true},
		{"once daily", "1 time a day", true},
		{"once daily", "twice daily", false},
		{"once the fever has gone", "when the fever has gone", true},
		{"nine patients in ten", "one patient in ten", false},
		{"the 3 causes", "causes", false},
		{"每天两次", "每天2次", true},
		{"每次5毫克", "每次5mg", true},
		{"每次5毫克", "每次5克", false},
		{"no figure", "none", true},
	} {
		if held := !lacksAny(quantities(c.claim), quantities(c.source)); held != c.held {
			t.Errorf("%q held by %q: %t; %v and %v", c.claim, c.source, held, quantities(c.claim), quantities(c.source))
		}
	}
}
