package answer

import (
	"lacuna/knowledge"
	"lacuna/knowledge/passage"
)

// Evidence is one document on its way to a reader: a passage or stored question of the sources, or
// background that a model wrote. Only evidence with a Hit is ever cited.
type Evidence struct {
	Hit   *knowledge.Hit // nil: written by a model
	Text  string         // of what was written by a model
	Point string         // the gap that it was written about or found for; empty for the question
	Query string         // that found it
	Round int            // of retrieval, from 1
	Score float64        // of the reranker, where one ran
	// Irrelevant says that the summariser found nothing useful in it.
	Irrelevant bool
}

// Generated reports whether a model wrote it.
func (e Evidence) Generated() bool { return e.Hit == nil }

// AsPassage returns the document as a passage, whether from a source or generated.
func (e Evidence) AsPassage() *passage.Passage {
	if e.Generated() {
		return &passage.Passage{ID: passage.IDOf(e.Text), Text: e.Text}
	}
	return e.Hit.Passage
}

// Key returns what two documents with the same text share, the deduplication key of the papers.
func (e Evidence) Key() passage.TextID { return e.AsPassage().ID.Text() }

// Passages returns the passages of the documents that come from the sources, in their order.
func Passages(evidence []Evidence) []*passage.Passage {
	var all []*passage.Passage
	for _, e := range evidence {
		if !e.Generated() {
			all = append(all, e.Hit.Passage)
		}
	}
	return all
}
