package systems

import (
	"lacuna/knowledge"
	"lacuna/knowledge/answer"
)

// Reranked returns what the measurements see of the reranker without a model.
func Reranked(library *knowledge.Library, question string, hits []knowledge.Hit) []knowledge.Hit {
	documents := make([]answer.Evidence, len(hits))
	for i := range hits {
		documents[i] = answer.Evidence{Hit: &hits[i]}
	}
	r := &run{library: library}
	ranked := make([]knowledge.Hit, len(hits))
	for i, e := range byScore(documents, r.searchSignals(question, documents)) {
		ranked[i] = *e.Hit
	}
	return ranked
}
