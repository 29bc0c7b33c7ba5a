package systems_test

import (
	"slices"
	"strings"
	"testing"

	"lacuna/knowledge"
	"lacuna/knowledge/answer"
	"lacuna/knowledge/answer/support"
	"lacuna/knowledge/passage"
)

// TestSupportMeasured asks of the sentences of experts' answers whether a passage supports them: one
// of those that the experts marked; the nearest of a document that they did not mark, though it is on
// the subject and may say the same; and one that was marked for another question. Experts put
// things in their own words, so that the first share is no recall.
func TestSupportMeasured(t *testing.T) {
	library := openLibrary(t, "pubmed", dataFile(t, "kb/passages-pubmed.jsonl.gz"))
	at := make(map[string]int)
	for ordinal, p := range library.Passages() {
		at[p.Record] = ordinal
	}
	questions := rows[question](t, "queries/bioasq.dev.jsonl.gz")
	var sentences, marked, near, other int
	for i, q := range questions {
		foreign := questions[(i+1)%len(questions)].Relevant
		documents := make(map[string]bool)
		for _, id := range q.Relevant {
			documents[library.Passages()[at[id]].Document] = true
		}
		for _, span := range passage.Sentences(q.Ideal, passage.Plain) {
			sentence := q.Ideal[span.Start:span.End]
			supportedBy := func(id string) bool { return supports(library, sentence, at[id]) }
			sentences++
			marked += count(slices.ContainsFunc(q.Relevant, supportedBy))
			other += count(slices.ContainsFunc(foreign, supportedBy))
			hits, err := library.Search(t.Context(), knowledge.Query{Text: q.Question + " " + sentence, K: 40, Retriever: knowledge.BM25})
			if err != nil {
				t.Fatal(err)
			}
			unmarked := slices.IndexFunc(hits, func(h knowledge.Hit) bool {
				return !documents[h.Passage.Document] && !strings.EqualFold(h.Passage.Text, sentence)
			})
			near += count(unmarked >= 0 && supports(library, sentence, hits[unmarked].Ordinal))
		}
	}
	share := func(n int) float64 { return float64(n) / float64(sentences) }
	t.Logf("%d sentences: supported by a marked passage %.3f, by the nearest unmarked one %.3f, by one of another question %.4f",
		sentences, share(marked), share(near), share(other))
	if share(marked) < .5 || share(other) > .005 {
		t.Error("less than half of the sentences are supported, or more than one in 200 by a foreign passage")
	}
}

func count(is bool) int {
	if is {
		return 1
	}
	return 0
}

// supports reports whether a passage supports a sentence, without looking at the disk.
func supports(library *knowledge.Library, sentence string, ordinal int) bool {
	document := answer.Evidence{Hit: &knowledge.Hit{Passage: library.Passages()[ordinal], Ordinal: ordinal}}
	return support.NewChecker(library, "", nil).Supports(sentence, document)
}
