package entail

import "lacuna/knowledge/passage"

// partly returns the judgement of a claim of which the sources state a part and do not speak of the rest.
func (x *comparison) partly(sources []Source) (Judgement, bool) {
	if x.claim.borrowed > 0 {
		return Judgement{}, false
	}
	said, unsaid := []int{}, []int{}
	for _, c := range x.claim.clauseList() {
		switch held, words := x.heldOf(c); {
		case words < 2:
			said = append(said, c)
		case held < unsaidHeld:
			unsaid = append(unsaid, c)
		default:
			said = append(said, c)
		}
	}
	if len(said) == 0 || len(unsaid) == 0 {
		return Judgement{}, false
	}
	text := ""
	for _, c := range said {
		span := x.claim.clauseSpan(c)
		text += x.claim.text[span.Start:span.End] + ", "
	}
	rest := compare(read(text), sources, x.from, x.from+len(x.parts)).decide()
	if rest.claim.content() < tooShort || rest.states < partFrom || rest.differs() || rest.unknownName() {
		return Judgement{}, false
	}
	j := Judgement{Verdict: Partly, Confidence: rest.states, Evidence: rest.quotes()}
	for _, c := range unsaid {
		span := x.claim.clauseSpan(c)
		j.Unstated = append(j.Unstated, passage.Span{Start: span.Start + x.claim.offset, End: span.End + x.claim.offset})
	}
	return j, true
}

// The share of a clause by weight below which the sources do not speak of it, and the probability from which on
// they state the rest.
const (
	unsaidHeld = .35
	partFrom   = .93
)

// clauseList returns the clauses of a text in order.
func (r *reading) clauseList() []int {
	var all []int
	for _, w := range r.words {
		if len(all) == 0 || all[len(all)-1] != w.clause {
			all = append(all, w.clause)
		}
	}
	return all
}

// clauseSpan returns the bytes of a clause.
func (r *reading) clauseSpan(clause int) passage.Span {
	span := passage.Span{Start: -1}
	for _, w := range r.words {
		if w.clause == clause {
			if span.Start < 0 {
				span.Start = w.Start
			}
			span.End = w.End
		}
	}
	return span
}

// heldOf returns the share of a clause that the source means, by weight, and its number of content words.
func (a *alignment) heldOf(clause int) (held float64, words int) {
	total := 0.0
	for i, w := range a.claim.words {
		if w.clause == clause && w.weight > 0 {
			held += w.weight * a.score[i]
			total += w.weight
			words++
		}
	}
	return ratio(held, total), words
}
