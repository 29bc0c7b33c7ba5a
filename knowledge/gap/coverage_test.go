package gap

import "testing"

func TestCovered(t *testing.T) {
	library := build(t, append(orchard(), pair("Do figs need pruning?", "Figs are pruned in early spring."))...)
	ordinal := func(text string) int {
		for i, p := range library.Passages() {
			if p.Text == text {
				return i
			}
		}
		t.Fatalf("no passage says %q", text)
		return -1
	}
	pests := ordinal("Codling moth caterpillars tunnel into apples in summer. Pheromone traps catch the males.")
	figs := ordinal("Figs are pruned in early spring.")
	for _, c := range []struct {
		text    string
		passage int
		want    bool
	}{
		{"traps for codling moths", pests, true},
		{"pests of apples", pests, true}, // title and heading count
		{"traps for vine weevils", pests, false},
		{"pruning quinces", pests, false},
		{"pruning of figs in spring", figs, true}, // the question and its answer count
		{"", pests, false},
		{"what is the", figs, false},
	} {
		if got := Covered(library, c.text, c.passage); got != c.want {
			t.Errorf("Covered(%q) = %v by %.2f, want %v", c.text, got, Coverage(library, c.text, c.passage), c.want)
		}
	}
}
