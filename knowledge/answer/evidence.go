package answer

import (
	"lacuna/knowledge"
	"lacuna/prompts"
)

// Evidence is one document on its way to a reader: a passage or stored pair of the sources, or
// background that a model wrote. Only what has a Hit is ever cited.
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

// contexts numbers evidence from first for a prompt.
func (r *run) contexts(evidence []Evidence, first int) []prompts.Context { panic("not built yet") }

// dedup keeps the first of each text, by the papers' key.
func dedup(rounds ...[]Evidence) []Evidence { panic("not built yet") }
