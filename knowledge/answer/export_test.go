package answer

import (
	"context"

	"lacuna/knowledge"
	"lacuna/knowledge/gap"
)

// Unguarded is what an answer would show if it never abstained, for measurements.
type Unguarded struct {
	Bullets    []Statement
	Lead       string // the best sentence alone
	Record     string // of the lead's passage
	Confidence float64
	Signals    [8]float64
}

// AnswerUnguarded reads what the library finds for a question; it is empty if nothing is found.
func AnswerUnguarded(ctx context.Context, library *knowledge.Library, question string, amount Amount) (Unguarded, error) {
	q := Question{Text: question}
	found, err := retrieve(ctx, library, q)
	if err != nil {
		return Unguarded{}, err
	}
	o := form(library, q, found, gap.Verdict{})
	if o.reading == nil {
		return Unguarded{}, nil
	}
	best := o.choose(o.scores, LeadOnly)
	if len(best) == 0 {
		return Unguarded{}, nil
	}
	lead := o.sentences[best[0]]
	s := o.signals(o.terms, found.texts[0], best[0])
	u := Unguarded{
		Lead: lead.text, Record: o.pages[lead.page].hit.Passage.Record, Confidence: o.confidence,
		Signals: [8]float64{s.bm25, s.unknown, s.covered, s.topmost, s.cosine5, s.maxSim, s.leadSim, s.closeSim},
	}
	for _, b := range o.quotations(o.choose(o.scores, amount)) {
		text := o.pages[b.page].hit.Passage.Text
		u.Bullets = append(u.Bullets, Statement{Lead: text[b.lead.Start:b.lead.End], Text: text[b.span.Start:b.span.End]})
	}
	return u, nil
}
