package extract

import (
	"lacuna/knowledge"
	"lacuna/knowledge/answer"
	"lacuna/knowledge/passage"
)

// maxPlaces bounds the places shown where nothing answers, and maxPlaceWords the words of one: a longer
// block is cut to its best sentence.
const (
	maxPlaces     = 3
	maxPlaceWords = 90
)

// places returns the blocks of the best sentences, best first, each once.
func (r *reading) places(scores []float64) []quotation {
	var found []quotation
	for _, i := range r.ranking(scores) {
		if len(found) == maxPlaces {
			break
		}
		q := r.whole(r.quotation(i))
		known := false
		for _, other := range found {
			known = known || other.page == q.page && other.span.Start < q.span.End && q.span.Start < other.span.End
		}
		if !known {
			found = append(found, q)
		}
	}
	return found
}

// whole widens a quotation to the sentences of its block, if they are not too many.
func (r *reading) whole(q quotation) quotation {
	from := &r.pages[q.page]
	block := from.shown.BlockAt(q.span.Start)
	wide := q
	for wide.first > 0 && from.shown.BlockAt(from.spans[wide.first-1].Start) == block {
		wide.first--
	}
	for wide.last+1 < len(from.spans) && from.shown.BlockAt(from.spans[wide.last+1].Start) == block {
		wide.last++
	}
	wide.span = passage.Span{Start: from.spans[wide.first].Start, End: max(q.span.End, from.spans[wide.last].End)}
	if block < 0 || countWords(from.shown.Span(wide.span)) > maxPlaceWords {
		return q
	}
	wide.leads = leadsOf(from, wide.first)
	return wide
}

// showPlaces makes the places that come nearest the result.
func (o *Offline) showPlaces(library *knowledge.Library, result *answer.Result, text opinion) {
	if text.reading == nil {
		return
	}
	result.Nearest = o.statements(library, result, text.reading, text.places(text.scores))
	if len(result.Nearest) > 0 {
		result.State = answer.Nearest
	}
}
