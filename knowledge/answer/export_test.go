package answer

import (
	"context"
	"strings"

	"lacuna/knowledge"
	"lacuna/knowledge/gap"
)

// Unguarded is what an answer would show if it never abstained.
type Unguarded struct {
	Shown      string // all of it
	Record     string // of the lead's passage
	Confidence float64
}

// AnswerUnguarded reads what the library finds for a question; it is empty if there is nothing to
// show.
func AnswerUnguarded(ctx context.Context, library *knowledge.Library, text string, amount Amount) (Unguarded, error) {
	question := Question{Text: text}
	found, err := retrieve(ctx, library, question)
	if err != nil {
		return Unguarded{}, err
	}
	o := form(library, question, found, gap.Verdict{})
	if o.reading == nil {
		return Unguarded{}, nil
	}
	chosen := o.choose(o.scores, amount)
	if len(chosen) == 0 {
		return Unguarded{}, nil
	}
	var shown []string
	for _, q := range o.quotations(chosen) {
		from := o.pages[q.page].hit.Passage.Text
		shown = append(shown, from[q.lead.Start:q.lead.End], from[q.span.Start:q.span.End])
	}
	return Unguarded{
		Shown:      strings.Join(shown, " "),
		Record:     o.pages[o.sentences[chosen[0]].page].hit.Passage.Record,
		Confidence: o.confidence,
	}, nil
}
