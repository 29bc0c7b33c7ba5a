package messages

import (
	"testing"

	"lacuna/knowledge/question"
)

func TestUnderstood(t *testing.T) {
	for asked, want := range map[string]string{
		"": "",
		"What dose of apixaban is given in children with kidney disease?": "Understood as: “apixaban” · dosage · how much (dose) · for: child, kidney disease",
		"How do I reset the router?":                                      "Understood as: “router” · steps",
		"Is metformin safe in pregnancy?":                                 "Understood as: “metformin” · safety · yes or no · for: pregnancy",
		"Wie lange müssen Belege aufbewahrt werden?":                      "Understood as: “Belege” · storage · how long",
	} {
		if got := Understood(question.Read(asked)); got != want {
			t.Errorf("%q: %q, want %q", asked, got, want)
		}
	}
}
