package entail

import (
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

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
	if d, ok := x.mispaired(); ok {
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

// opposites reports whether one of two words is the other with a prefix that denies it: regular, irregular.
func opposites(a, b string) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	prefix, isDenied := strings.CutSuffix(b, a)
	if !isDenied || len(a) < 5 {
		return false
	}
	switch prefix {
	case "un", "ir", "il", "non", "non-", "dis":
		return true
	case "in", "im":
		return gradable.MatchString(a) && !strings.HasPrefix(a, "valuabl")
	}
	return false
}

// gradable matches adjectives, adverbs and nouns of qualities.
var gradable = regexp.MustCompile(`(?:[ai]bl[ey]|[ae]nt(?:ly)?|[ae]nc[ey]|[cq]uate(?:ly)?|ive(?:ly)?|[rf]ect(?:ly)?|lete(?:ly)?|ous(?:ly)?|al(?:ly)?|[ai]bility|ivity|ure)$`)

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
	if r.german {
		for k := i + 1; k < len(r.words) && r.words[k].clause == r.words[i].clause; k++ {
			if r.words[k].negator || deniers[r.words[k].key] {
				return k
			}
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
	if x.claim.german {
		return x.turned()
	}
	return Difference{}, false
}

// turned returns a side of a contrast where the source has the other side between the same words. That both sides
// stand elsewhere in a long sentence makes no difference.
func (x *comparison) turned() (Difference, bool) {
	for i, w := range x.claim.words {
		side := contrastSide[w.text]
		if side == 0 || !w.tells() {
			continue
		}
		before, behind := x.claim.neighbouring(i, -1), x.claim.neighbouring(i, 1)
		if before < 0 && behind < 0 {
			continue
		}
		same := func(claim, source int) bool {
			return claim < 0 && source < 0 || claim >= 0 && source >= 0 && x.like[claim][source] >= sameWorth
		}
		main := x.evidenceOf(func(v word) bool { return v.Start != w.Start })
		rival := -1
		for j, s := range x.source.words {
			other := contrastSide[s.text]
			if s.sentence != main || other == 0 || !s.tells() || s.denied%2 != w.denied%2 || !same(before, x.source.neighbouring(j, -1)) || !same(behind, x.source.neighbouring(j, 1)) {
				continue
			}
			if side&other != 0 || x.like[i][j] >= stands {
				rival = -1
				break
			}
			if contrary(side, other) && rival < 0 {
				rival = j
			}
		}
		if rival >= 0 {
			return x.difference(Direction, i, rival), true
		}
	}
	return Difference{}, false
}

// tells reports whether a word by itself takes a side: many Chinese characters do so only in a longer word.
func (w word) tells() bool { return !w.negator && (!w.han || utf8.RuneCountInString(w.text) > 1) }

// neighbouring returns the nearest content word in a direction in the sentence, or -1.
func (r *reading) neighbouring(i, direction int) int {
	for k := i + direction; k >= 0 && k < len(r.words) && r.words[k].sentence == r.words[i].sentence; k += direction {
		if r.words[k].weight > 0 {
			return k
		}
	}
	return -1
}

// contrary reports whether two words stand on two sides of one contrast.
func contrary(a, b uint64) bool {
	for _, axis := range contrastAxes {
		if a&axis != 0 && b&axis != 0 && a&b&axis == 0 {
			return true
		}
	}
	return false
}

// mispaired returns a figure of the claim that the source gives for another group: "2.40 for adults" where it says
// "4.80 for adults and 2.40 for children".
func (x *comparison) mispaired() (Difference, bool) {
	for i, w := range x.claim.words {
		j := x.best[i]
		if !w.digits || j < 0 || x.score[i] < stands {
			continue
		}
		claimed, stated := x.claim.groupOf(i), x.source.groupOf(j)
		if len(claimed) == 0 || len(stated) == 0 || x.share(claimed, stated) {
			continue
		}
		for k, s := range x.source.words {
			if s.digits && s.sentence == x.source.words[j].sentence && s.unit == x.source.words[j].unit && !x.covered(k) && x.share(claimed, x.source.groupOf(k)) {
				return x.difference(Number, i, k), true
			}
		}
	}
	return Difference{}, false
}

// share reports whether one of some words of the claim means one of the source's.
func (a *alignment) share(claimed, stated []int) bool {
	return slices.ContainsFunc(claimed, func(i int) bool {
		return slices.ContainsFunc(stated, func(j int) bool { return a.like[i][j] >= stands })
	})
}

// groupOf returns the content words for which a figure holds: what stands behind it and "for", "in" or "among", up to
// the next figure.
func (r *reading) groupOf(figure int) []int {
	var group []int
	inside := false
	for i := figure + 1; i < len(r.words) && i <= figure+maxToGroup && r.words[i].sentence == r.words[figure].sentence && !r.words[i].digits; i++ {
		switch w := r.words[i]; {
		case w.text == "for" || w.text == "in" || w.text == "among" || w.text == "für" || w.text == "bei":
			inside = true
		case w.weight == 0 && inside && len(group) > 0:
			return group
		case w.weight > 0 && inside:
			group = append(group, i)
		}
	}
	if len(group) == 0 && r.german { // "Kinder: 5 mg"
		for k := figure - 1; k >= 0 && r.words[k].sentence == r.words[figure].sentence; k-- {
			if groups[strings.ToLower(r.text[r.words[k].Start:r.words[k].End])] != 0 {
				return []int{k}
			}
		}
	}
	return group
}

// maxToGroup is how many words behind a figure its group ends at the latest.
const maxToGroup = 8

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
