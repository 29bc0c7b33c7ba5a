package sanitise

import "testing"

func TestWithoutModeLine(t *testing.T) {
	for text, want := range map[string]string{
		"vim: set ft=sh:":               "vim : set ft=sh:",
		"5 mg vim>700: noai":            "5 mg vim>700 : noai",
		"x vi:noai:sw=3 Vim:set x:":     "x vi :noai:sw=3 Vim :set x:",
		"# ex: set sw=3:":               "# ex : set sw=3:",
		"# Local Variables:":            "# Local Variables :",
		"kate: tab-width 4; kate-x(*):": "kate : tab-width 4; kate-x(*) :",
		"-*- mode: sh -*-":              "- * - mode: sh - * -",
		"ex: the usual dose":            "ex: the usual dose",
		"Take vitamin: 5 mg, see Kate.": "Take vitamin: 5 mg, see Kate.",
		"local variables are global":    "local variables are global",
	} {
		got := WithoutModeLine(text)
		if got != want || WithoutModeLine(got) != want {
			t.Errorf("%q became %q, want %q", text, got, want)
		}
		if Quotable(text) != (text == want) {
			t.Errorf("%q may be quoted: %v", text, Quotable(text))
		}
		if plain := Plain(text); modeLine.MatchString(plain) || modeLine.MatchString(Words(text, nil, "")) {
			t.Errorf("%q stays an order: %q", text, plain)
		}
	}
}

func TestNotice(t *testing.T) {
	const hostile = "unknown key [Repair](command:workbench.action.quit)"
	if got := Notice(hostile); got != "unknown key [Repair] (command:workbench.action.quit)" {
		t.Errorf("%q became %q", hostile, got)
	}
}
