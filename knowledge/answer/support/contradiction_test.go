package support_test

import (
	"slices"
	"strings"
	"testing"

	"lacuna/knowledge"
	"lacuna/knowledge/answer"
	"lacuna/knowledge/answer/answertest"
	"lacuna/knowledge/answer/support"
	"lacuna/knowledge/passage"
)

// leaflet holds what is easily mixed up: figures of one unit, opposite directions, and denials.
const leaflet = `# Metformin and others

In kidney disease the dose of metformin is reviewed when the eGFR falls below 45, and metformin is avoided when the eGFR is below 30. The usual starting dose of metformin is 500 mg once daily. The highest dose of metformin is 2000 mg a day in divided doses. Vitamin B12 falls in one patient in ten. Stop metformin before a scan with contrast and start it again after 48 hours if kidney function is stable. Warfarin increases the risk of bleeding when it is given with aspirin. Methotrexate for arthritis is taken once weekly. Metformin lowers blood glucose and does not cause weight gain. ACE inhibitors are contraindicated in pregnancy.
`

// TestWhatSourcesDoNotSay asks for the support of claims that share nearly all their words with a
// source and say something else.
func TestWhatSourcesDoNotSay(t *testing.T) {
	library, _ := answertest.Library(t, map[string]string{
		"leaflet.md": leaflet, "aspirin.md": "# Aspirin\n\nA medicine.\n", "colchicine.md": "# Colchicine\n\nColchicine relieves an attack of gout. The first dose is 1.2 mg, followed by 0.6 mg after one hour. It must not be given with clarithromycin. More at https://formulary.example/gout?x=1 today.\n",
	})
	at := slices.IndexFunc(library.Passages(), func(p *passage.Passage) bool { return strings.Contains(p.Text, "B12") })
	check := support.NewChecker(library, "", nil)
	source := answer.Evidence{Hit: &knowledge.Hit{Passage: library.Passages()[at], Ordinal: at}}
	for _, c := range []struct {
		claim string
		held  bool
	}{
		{"Metformin is avoided when the eGFR is below 30.", true},
		{"Metformin is avoided when the eGFR is below 45.", false},
		{"Metformin is avoided when the eGFR is above 30.", false},
		{"Metformin is recommended when the eGFR is below 30.", false},
		{"Colchicine is avoided when the eGFR is below 30.", false},
		{"Warfarin increases the risk of bleeding when it is given with colchicine.", false},
		{"Metformin should be given when the eGFR is below 30.", false},
		{"The usual starting dose of metformin is 500 mg once daily.", true},
		{"The usual starting dose of metformin is 2000 mg once daily.", false},
		{"The usual starting dose of metformin is 50 mg once daily.", false},
		{"The usual starting dose of metformin is 500 mg twice daily.", false},
		{"The highest dose of metformin is 2000 mg a day in divided doses.", true},
		{"The highest dose of metformin is 500 mg a day in divided doses.", false},
		{"Stop metformin before a scan with contrast.", true},
		{"Stop metformin after a scan with contrast.", false},
		{"Start metformin before a scan with contrast and stop it after 48 hours.", false},
		{"Warfarin increases the risk of bleeding when it is given with aspirin.", true},
		{"Warfarin raises the risk of bleeding when it is given with aspirin.", true},
		{"Warfarin reduces the risk of bleeding when it is given with aspirin.", false},
		{"Methotrexate for arthritis is taken once weekly.", true},
		{"Methotrexate for arthritis is taken once daily.", false},
		{"Metformin lowers blood glucose and does not cause weight gain.", true},
		{"Metformin does not lower blood glucose and causes weight gain.", false},
		{"ACE inhibitors are contraindicated in pregnancy.", true},
		{"ACE inhibitors are not contraindicated in pregnancy.", false},
		{"Vitamin B12 falls in one patient in ten.", true},
		{"Vitamin B12 rises in one patient in ten.", false},
		{"Vitamin B12 falls in nine patients in ten.", false},
	} {
		if held := check.Supports(c.claim, source); held != c.held {
			t.Errorf("%q is supported: %t", c.claim, held)
		}
	}
}
