package answer

import (
	"strings"

	"lacuna/knowledge"
	"lacuna/knowledge/lexical"
	"lacuna/knowledge/passage"
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

// passage is the document as one, whoever wrote it.
func (e Evidence) passage() *passage.Passage {
	if e.Generated() {
		return &passage.Passage{ID: passage.IDOf(e.Text), Text: e.Text}
	}
	return e.Hit.Passage
}

// key is what two documents of one text share, the deduplication key of the papers.
func (e Evidence) key() passage.TextID { return e.passage().ID.Text() }

// isNew adds a document to the texts, or reports that it says what one of them does.
func (e Evidence) isNew(texts *knowledge.Deduplicator) bool {
	return texts.Add(e.passage(), lexical.Terms(e.Query))
}

// dedup keeps the first of each text, by the papers' key; of a text on several pages also those that
// their own queries ask about, see [knowledge.Deduplicator].
func dedup(rounds ...[]Evidence) []Evidence {
	var texts knowledge.Deduplicator
	var kept []Evidence
	for _, round := range rounds {
		for _, e := range round {
			if e.isNew(&texts) {
				kept = append(kept, e)
			}
		}
	}
	return kept
}

// interleave takes the best of each list in turn, then the second of each, until k are taken; it
// passes over texts that are held or taken already. A list that ends leaves its turns to the others.
func interleave(lists [][]Evidence, held []Evidence, k int) []Evidence {
	var texts knowledge.Deduplicator
	for _, e := range held {
		e.isNew(&texts)
	}
	var taken []Evidence
	next := make([]int, len(lists))
	for more := true; more && len(taken) < k; {
		more = false
		for i, list := range lists {
			for fresh := false; !fresh && next[i] < len(list) && len(taken) < k; next[i]++ {
				if e := list[next[i]]; e.isNew(&texts) {
					taken, fresh, more = append(taken, e), true, true
				}
			}
		}
	}
	return taken
}

// hits are the documents of the sources, ranked anew.
func hits(evidence []Evidence) []knowledge.Hit {
	all := make([]knowledge.Hit, 0, len(evidence))
	for _, e := range evidence {
		if !e.Generated() {
			hit := *e.Hit
			hit.Rank = len(all) + 1
			all = append(all, hit)
		}
	}
	return all
}

// passages are those of the documents that are of the sources, in their order.
func passages(evidence []Evidence) []*passage.Passage {
	var all []*passage.Passage
	for _, e := range evidence {
		if !e.Generated() {
			all = append(all, e.Hit.Passage)
		}
	}
	return all
}

// How much of the title of a document and of a stored question a prompt shows, in tokens.
const (
	titleTokens    = 60
	questionTokens = 120
)

// uselessNote tells the integrator and the reader what the summariser found.
const uselessNote = "a first reading found nothing useful in it"

// contexts numbers evidence from first for a prompt, with the texts cut to the limits of the
// prompts. Of evidence that is too much for one prompt the last is left out.
func (r *run) contexts(evidence []Evidence, first int) []prompts.Context {
	all := make([]prompts.Context, len(evidence))
	for i, e := range evidence {
		c := prompts.Context{N: first + i, Text: e.Text, Generated: !r.Options.AsPublished}
		if from := e.Hit; from != nil {
			title := strings.Join(append([]string{from.Passage.Title}, from.Passage.Headings...), " – ")
			c = prompts.Context{
				N: first + i, Text: from.Passage.Text,
				Title:    prompts.Cut(strings.TrimPrefix(title, " – "), titleTokens),
				Question: prompts.Cut(from.Passage.Question, questionTokens),
			}
		}
		if e.Irrelevant && !r.Options.AsPublished {
			c.Note = uselessNote
		}
		all[i] = c
	}
	return prompts.Fit(all)
}
