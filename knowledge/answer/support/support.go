package support

import (
	"cmp"
	"slices"

	"lacuna/knowledge/answer"
	"lacuna/knowledge/answer/extract"
	"lacuna/knowledge/entail"
	"lacuna/knowledge/passage"
)

// source is a document that an answer may rest on, ready to be compared with claims.
type source struct {
	answer.Evidence
	from         *passage.Passage // or what a model wrote, as one
	text         entail.Source
	otherSubject bool // it is about something else than the question names
}

func newSource(e answer.Evidence) *source {
	s := &source{Evidence: e, from: &passage.Passage{Format: passage.Plain, Text: e.Text}}
	if !e.Generated() {
		s.from = e.Hit.Passage
	}
	s.text = SourceOf(s.from)
	return s
}

// SourceOf returns a passage as what a claim is compared with: the sentences that may be quoted, and what stands
// above them. Spans of the text are spans of [passage.Passage.Text].
func SourceOf(p *passage.Passage) entail.Source {
	above := extract.Heading(p) + "\n" + p.Question
	for _, l := range p.Leads {
		above += "\n" + l.Text
	}
	shown := p.Render()
	quotable := slices.DeleteFunc(slices.Clone(extract.Sentences(p)), func(span passage.Span) bool { return !extract.StandsAlone(shown, span) })
	if quotable == nil {
		quotable = []passage.Span{} // none, and not all
	}
	return entail.Source{Above: above, Text: p.Text, Sentences: quotable}
}

// finding is what some sources hold of a claim.
type finding struct {
	entail.Judgement
	sources []*source // that Judgement.Evidence numbers
}

// stated reports whether the claim may stand with its citations.
func (f finding) stated() bool { return f.Verdict == entail.States || f.Verdict == entail.Partly }

// judge compares a claim with sources, alone and together.
func (check *Checker) judge(claim string, sources ...*source) finding {
	texts := make([]entail.Source, len(sources))
	for i, s := range sources {
		texts[i] = s.text
	}
	return finding{entail.Judge(claim, check.question, texts...), sources}
}

// citations returns what a finding rests on: spans in a row of one source are one quote.
func (f finding) citations() []answer.Citation {
	quotes := slices.Clone(f.Evidence)
	slices.SortStableFunc(quotes, func(a, b entail.Quote) int {
		return cmp.Or(cmp.Compare(a.Source, b.Source), cmp.Compare(a.Start, b.Start))
	})
	var all []answer.Citation
	for i, q := range quotes {
		from := f.sources[q.Source].from
		if i > 0 && quotes[i-1].Source == q.Source && extract.Adjoin(from.Render(), quotes[i-1].Span, q.Span) {
			last := &all[len(all)-1]
			last.Span.End = q.End
			last.Quote = from.Text[last.Span.Start:last.Span.End]
			continue
		}
		all = append(all, answer.Citation{Passage: from, Span: q.Span, Quote: from.Text[q.Start:q.End]})
	}
	return all
}
