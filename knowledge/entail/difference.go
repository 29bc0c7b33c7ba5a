package entail

import (
	"slices"

	"lacuna/knowledge/passage"
)

// differences returns the words in which a claim differs from its source, the surest kind first. A difference that
// cannot be shown is none.
func (x *comparison) differences() []Difference {
	touched := x.touched()
	all := slices.Clone(x.figures)
	if d, ok := x.misplaced(); ok {
		all = append(all, d)
	}
	all = append(all, x.opposed(touched)...)
	all = append(all, x.exchanged(touched)...)
	all = append(all, x.negated()...)
	all = append(all, x.qualified(touched)...)
	var apart []Difference
	for _, d := range all {
		if !slices.ContainsFunc(apart, func(e Difference) bool { return d.Claimed.Start < e.Claimed.End && e.Claimed.Start < d.Claimed.End }) {
			apart = append(apart, d)
		}
	}
	return apart
}

// touched returns the clauses of the source that the claim is aligned with.
func (a *alignment) touched() map[int]bool {
	clauses := map[int]bool{}
	for i, w := range a.claim.words {
		if j := a.best[i]; j >= 0 && w.weight > 0 && a.score[i] >= stands {
			clauses[a.source.words[j].clause] = true
		}
	}
	return clauses
}

func (x *comparison) difference(kind Kind, i, j int) Difference {
	d := Difference{Kind: kind}
	if i >= 0 {
		w := x.claim.words[i]
		if x.claim.borrowed > 0 && w.Start >= x.claim.borrowed {
			return d
		}
		d.Claimed = passage.Span{Start: w.Start + x.claim.offset, End: w.End + x.claim.offset}
	}
	if j >= 0 {
		w := x.source.words[j]
		d.Stated = x.quote(w.Span, w.sentence)
	}
	return d
}

// exchanged returns the words of the claim that stand where the source has one that excludes them.
func (x *comparison) exchanged(touched map[int]bool) []Difference {
	var all []Difference
	for i, w := range x.claim.words {
		if x.score[i] >= stands {
			continue
		}
		for j, excludes := range x.excludes[i] {
			if excludes && touched[x.source.words[j].clause] && x.source.words[j].sentence >= x.above && !x.covered(j) {
				all = append(all, x.difference(Name, i, j))
				break
			}
		}
		if w.digits && x.score[i] < stands {
			for j, s := range x.source.words {
				if s.digits && touched[s.clause] && s.sentence >= x.above && !x.covered(j) {
					all = append(all, x.difference(Number, i, j))
					break
				}
			}
		}
	}
	return all
}

// covered reports whether a word of the claim means a source word.
func (a *alignment) covered(j int) bool {
	for i := range a.claim.words {
		if a.like[i][j] >= stands {
			return true
		}
	}
	return false
}

// opposed returns pairs of words on two sides of a contrast.
func (x *comparison) opposed(touched map[int]bool) []Difference {
	_, claimed := x.claim.qualifiers(func(word) bool { return true })
	_, stated := x.source.qualifiers(func(w word) bool { return touched[w.clause] && w.sentence >= x.above })
	var all []Difference
	for _, axis := range contrastAxes {
		if claimed&axis == 0 || stated&axis == 0 || claimed&stated&axis != 0 {
			continue
		}
		i := x.claim.onAxis(axis, func(word) bool { return true })
		j := x.source.onAxis(axis, func(w word) bool { return touched[w.clause] && w.sentence >= x.above })
		if i >= 0 && j >= 0 {
			all = append(all, x.difference(Direction, i, j))
		}
	}
	return all
}

// onAxis returns the first word on an axis, or -1.
func (r *reading) onAxis(axis uint64, in func(w word) bool) int {
	for i, w := range r.words {
		if in(w) && contrastSide[w.text]&axis != 0 {
			return i
		}
	}
	return -1
}

// negated returns the negations that one of both has where the other affirms.
func (x *comparison) negated() []Difference {
	for i, w := range x.claim.words {
		j := x.best[i]
		if j < 0 || w.weight == 0 || x.score[i] < stands || x.source.words[j].sentence < x.above {
			continue
		}
		if s := x.source.words[j]; w.denied%2 != s.denied%2 {
			if w.denied > s.denied {
				return []Difference{x.difference(Negation, x.claim.negatorOf(i), j)}
			}
			return []Difference{x.difference(Negation, i, x.source.negatorOf(j))}
		}
	}
	return nil
}

// negatorOf returns the nearest negator before a word in its clause, or the word.
func (r *reading) negatorOf(i int) int {
	for k := i - 1; k >= 0 && r.words[k].clause == r.words[i].clause; k-- {
		if r.words[k].negator || deniers[r.words[k].key] {
			return k
		}
	}
	return i
}

// qualified returns the words by which the claim says more than the source: all for some, surely for perhaps.
func (x *comparison) qualified(touched map[int]bool) []Difference {
	all := func(word) bool { return true }
	in := func(w word) bool { return touched[w.clause] && w.sentence >= x.above }
	claimed, _ := x.claim.qualifiers(all)
	stated, _ := x.source.qualifiers(in)
	var found []Difference
	for _, pair := range []struct {
		stronger, weaker int
		kind             Kind
	}{{universal, partial, Scope}, {universal, majority, Scope}, {sure, possible, Modality}, {necessary, possible, Modality}, {exclusive, partial, Scope}} {
		if claimed[pair.stronger] > 0 && stated[pair.stronger] == 0 && stated[pair.weaker] > 0 {
			found = append(found, x.difference(pair.kind, x.claim.inClass(pair.stronger, all), x.source.inClass(pair.weaker, in)))
		}
	}
	return found
}

// inClass returns the first word of a class, or -1.
func (r *reading) inClass(class int, in func(w word) bool) int {
	for i, w := range r.words {
		if in(w) && classOf[w.text]&(1<<class) != 0 {
			return i
		}
	}
	return -1
}

// misplaced returns a figure or a side of a contrast of the claim that stands in another sentence than what the claim
// says of it, while that sentence has another figure of its kind or the other side: the dose of another patient.
func (x *comparison) misplaced() (Difference, bool) {
	rivals := func(i, j int) bool {
		w, s := x.claim.words[i], x.source.words[j]
		return w.digits && s.digits && s.unit == w.unit || x.excludes[i][j]
	}
	for i, w := range x.claim.words {
		if x.best[i] < 0 || x.score[i] < stands || !w.digits && !slices.Contains(x.excludes[i], true) {
			continue
		}
		main := x.evidenceOf(func(v word) bool { return !v.digits && v.Start != w.Start })
		if main < 0 || x.source.words[x.best[i]].sentence == main {
			continue
		}
		for j, s := range x.source.words {
			if s.sentence == main && rivals(i, j) && !x.covered(j) {
				kind := Name
				if w.digits {
					kind = Number
				}
				return x.difference(kind, i, j), true
			}
		}
	}
	return Difference{}, false
}

// evidenceOf returns the sentence that holds most of some words of the claim, or -1.
func (x *comparison) evidenceOf(use func(w word) bool) int {
	best, top := -1, 0.0
	for _, s := range x.evidence {
		held := 0.0
		for i, w := range x.claim.words {
			if !use(w) {
				continue
			}
			most := 0.0
			for j, like := range x.like[i] {
				if x.source.words[j].sentence == s {
					most = max(most, like)
				}
			}
			held += w.weight * most
		}
		if held > top {
			best, top = s, held
		}
	}
	return best
}
