package knowledge_test

import (
	"math/rand/v2"
	"testing"

	"lacuna/knowledge"
	"lacuna/knowledge/passage"
)

// TestQualityOfSmallCollections measures searches in parts of public data and prints a table. An
// encoder that few texts have trained must not cost what the words find.
func TestQualityOfSmallCollections(t *testing.T) {
	const draws = 5
	for _, base := range []struct{ name, passages, questions string }{
		{"scifact", "scifact/corpus.jsonl.gz", "scifact/claims.dev.jsonl.gz"},
		{"huatuo", "zh/huatuo-answers.jsonl.gz", "zh/huatuo.dev.jsonl.gz"},
		{"bioasq", "kb/passages-pubmed.jsonl.gz", "queries/bioasq.dev.jsonl.gz"},
	} {
		t.Run(base.name, func(t *testing.T) {
			all, list := texts(t, base.passages), questions(t, base.questions)
			for _, size := range []int{60, 80, 100, 150, 300} {
				found := make(map[knowledge.Retriever][]float64)
				for draw := range uint64(draws) {
					some, answered := part(all, list, size, rand.New(rand.NewPCG(draw, uint64(size))))
					l, err := knowledge.Build(t.Context(), some, t.TempDir())
					if err != nil {
						t.Fatal(err)
					}
					for _, retriever := range []knowledge.Retriever{knowledge.BM25, knowledge.Hybrid} {
						found[retriever] = append(found[retriever], ndcg(t, l, retriever, answered)...)
					}
				}
				words, both := mean(found[knowledge.BM25]), mean(found[knowledge.Hybrid])
				t.Logf("%3d passages, %4d questions  bm25 %.4f  hybrid %.4f", size, len(found[knowledge.BM25]), words, both)
				if both < words-0.01 {
					t.Errorf("%d passages: hybrid %.4f, bm25 %.4f", size, both, words)
				}
			}
		})
	}
}

// part draws some of the passages, half of them for what they answer, and returns the questions that
// any of them answers.
func part(all []*passage.Passage, list []asked, size int, random *rand.Rand) (some []*passage.Passage, answered []asked) {
	chosen := make(map[string]bool)
	for _, i := range random.Perm(len(list)) {
		for _, p := range all {
			if len(chosen) < size/2 && list[i].grades[p.Record] > 0 {
				chosen[p.Record] = true
			}
		}
		if len(chosen) == size/2 {
			break
		}
	}
	for len(chosen) < size {
		chosen[all[random.IntN(len(all))].Record] = true
	}
	for _, p := range all {
		if chosen[p.Record] {
			some = append(some, p)
		}
	}
	for _, q := range list {
		grades := make(map[string]int)
		for id, grade := range q.grades {
			if chosen[id] {
				grades[id] = grade
			}
		}
		if len(grades) > 0 {
			answered = append(answered, asked{q.text, grades})
		}
	}
	return some, answered
}
