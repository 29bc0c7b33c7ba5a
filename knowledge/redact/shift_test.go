package redact

import (
	"strings"
	"testing"
)

func TestShifted(t *testing.T) {
	for _, test := range []struct {
		text string
		by   int
		as   order
		want string // "" for none
	}{
		{"2024-03-14", 7, dayFirst, "2024-03-21"},
		{"2024-03-14T09:30:00Z", 7, dayFirst, "2024-03-21T09:30:00Z"},
		{"20240314", -14, dayFirst, "20240229"},
		{"202403140930", 7, dayFirst, "202403210930"},
		{"14/03/2024", 21, dayFirst, "04/04/2024"},
		{"3/9/24", 7, monthFirst, "3/16/24"},
		{"2.11.51", 70, dayFirst, "11.1.52"},
		{"14 March 2024", 28, dayFirst, "11 April 2024"},
		{"Thursday, 14 March 2024", 28, dayFirst, "Thursday, 11 April 2024"},
		{"March 30, 2024", 7, dayFirst, "April 6, 2024"},
		{"14MAR2024", 28, dayFirst, "11APR2024"},
		{"3. März 2024", 35, dayFirst, "7. April 2024"},
		{"3 de marzo de 2024", 35, dayFirst, "7 de abril de 2024"},
		{"2024年3月5日", 7, dayFirst, "2024年3月12日"},
		{"31/02/2024", 7, dayFirst, ""},
		{"14/3", 7, dayFirst, ""},
		{"March 2024", 7, dayFirst, ""},
		{"Easter Sunday", 7, dayFirst, ""},
		{"", 7, dayFirst, ""},
	} {
		got, ok := shifted(test.text, test.by, test.as)
		if ok != (test.want != "") || got != test.want {
			t.Errorf("%q by %d: %q, %t; want %q", test.text, test.by, got, ok, test.want)
		}
		if back, _ := shifted(got, -test.by, test.as); ok && back != test.text {
			t.Errorf("%q came back as %q", test.text, back)
		}
	}
}

func TestDatesKeepTheirDistance(t *testing.T) {
	text := "Mrs Hartwell was admitted on 03/14/2024, had surgery on 2024-03-15 and went home on March 20, 2024. She is well since April."
	r := Messages([]string{text}, Options{Shift: 70})
	const want = "was admitted on 05/23/2024, had surgery on 2024-05-24 and went home on May 29, 2024."
	if !strings.Contains(r.Messages[0], want) || strings.Contains(r.Messages[0], "Hartwell") {
		t.Errorf("%s", r.Messages[0])
	}
	if back := r.Restore(r.Messages[0]); back != text {
		t.Errorf("restored to %s", back)
	}
	if got := r.Restore("From 05/23/2024 to May 29, 2024 are six days."); got != "From 03/14/2024 to March 20, 2024 are six days." {
		t.Errorf("restored %s", got)
	}
}
