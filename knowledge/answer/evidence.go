package answer

import (
	"strings"

	"lacuna/knowledge"
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

// key is what two documents of one text share: the MD5 of the papers for a passage. Stored questions
// without an answer share the empty text and are told apart by what they ask.
func (e Evidence) key() any {
	switch {
	case e.Generated():
		return passage.IDOf(e.Text)
	case e.Hit.Passage.Text == "":
		return e.Hit.Passage.Question
	}
	return e.Hit.Passage.ID
}

// dedup keeps the first of each text, by the papers' key.
func dedup(rounds ...[]Evidence) []Evidence {
	seen := make(map[any]bool)
	var kept []Evidence
	for _, round := range rounds {
		for _, e := range round {
			if !seen[e.key()] {
				seen[e.key()] = true
				kept = append(kept, e)
			}
		}
	}
	return kept
}

// interleave takes the best of each list in turn, then the second of each, until k are taken; it
// passes over texts that are held or taken already. A list that ends leaves its turns to the others.
func interleave(lists [][]Evidence, held []Evidence, k int) []Evidence {
	seen := make(map[any]bool)
	for _, e := range held {
		seen[e.key()] = true
	}
	var taken []Evidence
	next := make([]int, len(lists))
	for more := true; more && len(taken) < k; {
		more = false
		for i, list := range lists {
			for next[i] < len(list) && seen[list[next[i]].key()] {
				next[i]++
			}
			if next[i] == len(list) || len(taken) == k {
				continue
			}
			e := list[next[i]]
			seen[e.key()], more = true, true
			taken = append(taken, e)
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
