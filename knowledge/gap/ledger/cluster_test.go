package ledger

import (
	"fmt"
	"strings"
	"testing"
)

func listed(note string, texts ...string) []Item {
	var gaps []Item
	for i, text := range texts {
		gaps = append(gaps, Item{Ref: QuestionRef{Note: note, Question: fmt.Sprint(i)}, Gap: missed(text, "")})
	}
	return gaps
}

func TestClusters(t *testing.T) {
	library := build(t, orchard()...)
	gaps := listed("/notes/garden.md",
		"when quince trees are pruned",
		"storage of plums",
		"pruning of quince trees",
		"how quince trees are pruned in a hedge",
		"how long plums keep in storage",
		"planting distance of walnuts",
		"dose of copper spray for children",
		"dose of copper spray for adults",
		"side effects of copper spray",
	)
	var got strings.Builder
	for _, c := range Clusters(library, gaps) {
		fmt.Fprintf(&got, "%s:", c.Name)
		for _, g := range c.Gaps {
			fmt.Fprintf(&got, " %s", g.Ref.Question)
		}
		got.WriteString("\n")
	}
	want := `pruning of quince trees: 0 2 3
storage of plums: 1 4
dose of copper spray for adults: 7
dose of copper spray for children: 6
planting distance of walnuts: 5
side effects of copper spray: 8
`
	if got.String() != want {
		t.Errorf("clusters:\n%swant:\n%s", got.String(), want)
	}
}

func TestClustersLoseNothing(t *testing.T) {
	library := build(t, orchard()...)
	words := strings.Fields("quince pear apple plum pruning storage pests harvest")
	var texts []string
	for i := range 60 {
		texts = append(texts, words[i%len(words)]+" "+words[(i*5+3)%len(words)])
	}
	n := 0
	for _, c := range Clusters(library, listed("/n.md", texts...)) {
		n += len(c.Gaps)
	}
	if n != len(texts) {
		t.Errorf("%d gaps in all clusters, want %d", n, len(texts))
	}
	if c := Clusters(library, nil); len(c) != 0 {
		t.Errorf("clusters of nothing: %v", c)
	}
}
