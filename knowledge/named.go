package knowledge

import (
	"lacuna/knowledge/entity"
	"lacuna/knowledge/passage"
)

// bySubject moves the pages of other things than the query names to the end: of sixty pages that say "No
// dose adjustment is needed." one is asked about. Running text alone is moved, since a stored question says
// itself what it is about; and only where the mixed search is asked for, because a retriever that is asked
// for by name does what its paper says.
func (r *ranking) bySubject(hits []Hit) []Hit {
	if len(hits) == 0 || r.query.Retriever != "" && r.query.Retriever != Hybrid {
		return hits
	}
	found := make([]*passage.Passage, len(hits))
	for i := range hits {
		found[i] = hits[i].Passage
	}
	subject := entity.Link(r.query.Text, found, r.shelf)
	if subject == nil {
		return hits
	}
	for i := range hits {
		hits[i].Subject = subject
	}
	if r.shelf.kind != passage.Text {
		return hits
	}
	ordered := make([]Hit, 0, len(hits))
	var others []Hit
	for _, hit := range hits {
		if subject.Relation(hit.Passage) == entity.Other {
			others = append(others, hit)
		} else {
			ordered = append(ordered, hit)
		}
	}
	ordered = append(ordered, others...)
	for i := 1; i < len(ordered); i++ { // a merged list is ordered by scores
		ordered[i].Score = min(ordered[i].Score, ordered[i-1].Score)
	}
	return ordered
}
