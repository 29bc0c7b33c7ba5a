package systems

import (
	"strings"
	"testing"

	"lacuna/knowledge"
	"lacuna/knowledge/answer"
	"lacuna/knowledge/answer/answertest"
)

func TestFusionAddsReciprocalRanks(t *testing.T) {
	library, _ := answertest.Library(t, map[string]string{"a.md": "alpha one", "b.md": "beta two", "c.md": "gamma three"})
	document := func(name string) answer.Evidence {
		for ordinal, p := range library.Passages() {
			if p.Record == name {
				return answer.Evidence{Hit: &knowledge.Hit{Passage: p, Ordinal: ordinal}}
			}
		}
		t.Fatalf("no passage is called %s", name)
		return answer.Evidence{}
	}
	a, b, c := document("a.md"), document("b.md"), document("c.md")
	got := fuse([][]answer.Evidence{{a, b}, {c, a}})
	want := map[string]float64{"a.md": 1./101 + 1./102, "c.md": 1. / 101, "b.md": 1. / 102}
	order := []string{"a.md", "c.md", "b.md"}
	for i, e := range got {
		name := e.Hit.Passage.Record
		if name != order[i] || e.Score != want[name] {
			t.Errorf("place %d: %s with %v, want %s with %v", i+1, name, e.Score, order[i], want[order[i]])
		}
	}
	if len(got) != 3 {
		t.Errorf("%d documents", len(got))
	}
}

// TestBackgroundIsRatedBesidePassages gives the reranker the texts of passages as if a model had
// written them, too.
func TestBackgroundIsRatedBesidePassages(t *testing.T) {
	library, _ := answertest.Library(t, map[string]string{
		"gout.md": "Colchicine treats an attack of gout.", "iron.md": "Iron is taken before breakfast.",
	})
	r := &run{library: library}
	var documents []answer.Evidence
	for ordinal, p := range library.Passages() {
		documents = append(documents,
			answer.Evidence{Text: p.Text}, answer.Evidence{Hit: &knowledge.Hit{Passage: p, Ordinal: ordinal}})
	}
	ranked := byScore(documents, r.searchSignals("What treats an attack of gout?", documents))
	for i, e := range ranked {
		if gout := strings.Contains(rerankText(e), "gout"); gout != (i < 2) {
			t.Errorf("place %d: %q with %v", i+1, rerankText(e), e.Score)
		}
	}
}
