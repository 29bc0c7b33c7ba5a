package systems_test

import (
	"testing"

	"lacuna/knowledge"
	"lacuna/knowledge/answer/systems"
	"lacuna/knowledge/eval"
)

// TestMeasureReranking holds that the reranker without a model is nowhere worse than the order of
// the search it is given.
func TestMeasureReranking(t *testing.T) {
	for _, set := range []struct {
		name, index, base, questions string
		atMost                       int // questions
	}{
		{"SciFact", "scifact", "scifact/corpus.jsonl.gz", "scifact/claims.dev.jsonl.gz", 809},
		{"PubMedQA", "pubmed", pubmed, "queries/pubmedqa.dev.jsonl.gz", 400},
		{"BioASQ", "pubmed", pubmed, "queries/bioasq.dev.jsonl.gz", 500},
		{"Huatuo", "huatuo", "zh/huatuo-answers.jsonl.gz", "zh/huatuo.dev.jsonl.gz", 603},
	} {
		questions := rows[question](t, set.questions)
		library := openLibrary(t, set.index, dataFile(t, set.base))
		stride := max(1, len(questions)/set.atMost)
		given, reranked := &tally{}, &tally{}
		for i := 0; i < len(questions); i += stride {
			q := questions[i]
			grades := make(map[string]int)
			for _, id := range q.Relevant {
				grades[id] = 1
			}
			hits, err := library.Search(t.Context(), knowledge.Query{Text: q.Question, K: 32})
			if err != nil {
				t.Fatal(err)
			}
			for list, hits := range map[*tally][]knowledge.Hit{given: hits, reranked: systems.Reranked(library, q.Question, hits)} {
				records := make([]string, len(hits))
				for i, hit := range hits {
					records[i] = hit.Passage.Record
				}
				list.n++
				list.add("nDCG@10", eval.NDCG(records, grades, 10))
				list.add("recall@5", eval.Recall(records, grades, 5))
			}
		}
		t.Logf("%s: as found %v; reranked %v", set.name, given, reranked)
		if reranked.mean("nDCG@10") < given.mean("nDCG@10")-.001 {
			t.Errorf("%s: reranking costs nDCG@10", set.name)
		}
	}
}
