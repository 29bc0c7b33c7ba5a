package knowledge

import (
	"slices"
	"strings"
	"testing"

	"lacuna/knowledge/lexical"
	"lacuna/knowledge/lexicon"
	"lacuna/knowledge/passage"
)

// TestWording holds that words of everyday speech find the words of a base.
func TestWording(t *testing.T) {
	english := build(t,
		text("handbook", "Annual leave is earned each pay period."),
		text("handbook", "Rehabilitation is paid after an occupational injury."),
		text("clinic", "Cystitis is treated for three days. A myocardial infarction is an emergency."),
		text("clinic", "An infarction without a myocardial part, and an attack of the heart."),
	)
	german := build(t,
		text("amt", "Der Urlaubsantrag und die Zellen der Tabelle sind zu fixieren und zu drucken."),
		text("amt", "Das Arbeitszeitkonto der Beschäftigten und die Höhe der Vergütung."),
		text("amt", "Die Prüfung der Unterlagen und das Konto der Arbeit, die Arbeitszeit."),
	)
	chinese := build(t, text("法", "电动自行车应当在非机动车道内行驶。"), text("法", "用人单位应当支付劳动报酬。"))
	for _, c := range []struct {
		library  *Library
		question string
		word     string // term
		kin      string // terms of one of its kin
	}{
		{english, "how much vacation", "vacat", "annual leav"},
		{english, "rehab", "rehab", "rehabilit"},
		{english, "bladder infection", "bladder", "cystiti"},
		{english, "bladder infection", "infect", "cystiti"},
		{english, "myocardial infarction", "infarct", "heart attack"},
		{german, "Zelle einfrieren", "zell", "zellen"},
		{german, "Zelle einfrieren", "einfrieren", "fixieren"},
		{german, "Urlaub", "urlaub", "urlaubsantrag"},
		{german, "Prüfungskonto", "prufungskonto", "prufung konto"},
		{german, "Lohn", "lohn", "vergutung"},
		{chinese, "骑电瓶车", "瓶车", "电动 动自 自行 行车"},
		{chinese, "老板不给工资", "工资", "劳动 动报 报酬"},
	} {
		w := c.library.Collection(passage.Text).Wording(lexical.Terms(c.question))
		word := w.Word(c.word)
		if !slices.ContainsFunc(word.Kin, func(k lexicon.Kin) bool { return strings.Join(k.Terms, " ") == c.kin }) {
			t.Errorf("%s: %s has no kin %q: %+v", c.question, c.word, c.kin, word.Kin)
		}
	}
}

// TestCoverage holds that a text covers the words whose kin it has in part, and that only words without kin
// are unknown.
func TestCoverage(t *testing.T) {
	base := build(t, text("clinic", "Cystitis is treated for three days."), text("clinic", "Ask about allergies.")).Collection(passage.Text)
	w := base.Wording(lexical.Terms("bladder infection zebrafish"))
	if got := w.Unknown(); !slices.Equal(got, []string{"zebrafish"}) {
		t.Errorf("unknown: %v", got)
	}
	has := func(terms ...string) func(string) bool {
		return func(term string) bool { return slices.Contains(terms, term) }
	}
	none, kin, all := w.Coverage(has()), w.Coverage(has("cystiti")), w.Coverage(has("bladder", "infect", "zebrafish"))
	if none != 0 || !(0 < kin && kin < 1) || all != 1 {
		t.Errorf("coverage %v, %v, %v", none, kin, all)
	}
	if empty := base.Wording(nil).Coverage(has("cystiti")); empty != 0 {
		t.Errorf("no words are covered by %v", empty)
	}
}
