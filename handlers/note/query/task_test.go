package query

import "testing"

func TestWithoutTask(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"find out dose of dapagliflozin at eGFR 38", "dose of dapagliflozin at eGFR 38"},
		{"TODO: look up whether the flap is cut", "the flap is cut"},
		{"Unclear if a biopsy is due", "a biopsy is due"},
		{"klären, ob der Zaun stehen darf", "der Zaun stehen darf"},
		{"查一下左甲状腺素的间隔", "左甲状腺素的间隔"},
		{"他莫昔芬的获益有多大，待查。", "他莫昔芬的获益有多大"},
		{"check dose", "check dose"},
		{"checkpoint inhibitors and colitis", "checkpoint inhibitors and colitis"},
		{"Check this dose?", "Check this dose?"},
	} {
		if got := withoutTask(test.text); got != test.want {
			t.Errorf("%q: %q, want %q", test.text, got, test.want)
		}
	}
}
