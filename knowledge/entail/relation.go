package entail

import (
	"strings"

	"lacuna/knowledge/lexical"
	"lacuna/knowledge/passage"
)

// describeSubstitutions counts the words of the claim that no source word means, by whether another word stands
// in their place in the source.
func (a *alignment) describeSubstitutions(above int, covered []float64, f *features) {
	replaced, inserted, names, common := 0.0, 0.0, 0.0, 0.0
	worst := 0.0
	for i, w := range a.claim.words {
		if w.weight <= lightWeight || a.score[i] >= .4 {
			continue
		}
		before, next := a.anchor(i, -1), a.anchor(i, 1)
		found := 0.0
		look := func(j, d int) {
			for k := 1; k <= 4; k++ {
				at := j + d*k
				if at < 0 || at >= len(a.source.words) || a.source.words[at].sentence != a.source.words[j].sentence {
					return
				}
				s := a.source.words[at]
				if s.weight > lightWeight && covered[at] < .4 && s.digits == w.digits {
					found = max(found, min(s.weight, w.weight))
					return
				}
				if s.weight > lightWeight {
					return
				}
			}
		}
		if before >= 0 {
			look(before, 1)
		}
		if next >= 0 {
			look(next, -1)
		}
		if found > 0 {
			replaced += w.weight
			worst = max(worst, found)
			names += bit(w.capital)
		} else {
			inserted += w.weight
		}
		common += bit(w.weight <= .5)
	}
	f.add("replaced", replaced)
	f.add("replacedWorst", worst)
	f.add("replacedNames", names)
	f.add("inserted", inserted)
	f.add("missingCommon", common)
}

// describePartners counts pairs of neighbours of the claim that stand apart in the source, each beside another of the
// like that the claim does not have: "2.40 for adults" where the source says "4.80 for adults and 2.40 for children".
func (a *alignment) describePartners(above int, covered []float64, f *features) {
	crossed, worst := 0.0, 0.0
	for i := range a.claim.words {
		k := a.claim.neighbour(i, 1)
		if k < 0 || !a.placed(i, above) || !a.placed(k, above) {
			continue
		}
		one, two := a.best[i], a.best[k]
		if one == two || a.source.words[one].sentence != a.source.words[two].sentence {
			continue
		}
		for _, d := range []int{1, -1} {
			other, rival := a.source.neighbour(one, d), a.source.neighbour(two, -d)
			if other < 0 || rival < 0 || other == two || rival == one || covered[other] >= .4 || covered[rival] >= .4 {
				continue
			}
			if a.source.alike(other, two) && a.source.alike(rival, one) {
				crossed++
				worst = max(worst, min(a.source.words[one].weight, a.source.words[two].weight))
			}
		}
	}
	f.add("partnersCrossed", crossed)
	f.add("partnersWorst", worst)
}

// placed reports whether the source means a content word of the claim in its text.
func (a *alignment) placed(i, above int) bool {
	return a.claim.words[i].weight > 0 && a.best[i] >= 0 && a.score[i] >= stands && a.source.words[a.best[i]].sentence >= above
}

// neighbour returns the nearest content word in a direction in the same clause, or -1.
func (r *reading) neighbour(i, direction int) int {
	for k := i + direction; k >= 0 && k < len(r.words) && r.words[k].clause == r.words[i].clause; k += direction {
		if r.words[k].weight > 0 {
			return k
		}
	}
	return -1
}

// alike reports whether two words may stand in each other's place.
func (r *reading) alike(i, j int) bool {
	v, w := r.words[i], r.words[j]
	return v.digits == w.digits && v.verb == w.verb && v.han == w.han
}

// anchor returns the source word that the nearest aligned word of the claim in a direction is aligned with, or -1.
func (a *alignment) anchor(i, direction int) int {
	for k := i + direction; k >= 0 && k < len(a.claim.words); k += direction {
		w := a.claim.words[k]
		if w.sentence != a.claim.words[i].sentence {
			return -1
		}
		if w.weight > 0 && a.best[k] >= 0 && a.score[k] >= .6 {
			return a.best[k]
		}
	}
	return -1
}

var joins = map[string]bool{"and": true, "or": true, "but": true, "while": true, "whereas": true, "than": true, "versus": true, "vs": true, "then": true, "和": true, "与": true, "而": true, "或": true, "以及": true, "比": true}

// describeSegments says whether words that stand together in the claim stand nearer to others in the source.
func (a *alignment) describeSegments(above int, f *features) {
	segment := make([]int, len(a.claim.words))
	n := 0
	for i, w := range a.claim.words {
		if i > 0 && (w.clause != a.claim.words[i-1].clause || joins[w.text]) {
			n++
		}
		segment[i] = n
	}
	crossed, compared, between := 0.0, 0.0, 0.0
	for i, w := range a.claim.words {
		if w.weight == 0 || a.best[i] < 0 || a.score[i] < .6 || a.source.words[a.best[i]].sentence < above {
			continue
		}
		own, other := 1e9, 1e9
		for k, v := range a.claim.words {
			if k == i || v.weight == 0 || a.best[k] < 0 || a.score[k] < .6 || a.best[k] == a.best[i] || a.source.words[a.best[k]].sentence < above {
				continue
			}
			d := float64(a.best[k] - a.best[i])
			if d < 0 {
				d = -d
			}
			if a.source.words[a.best[k]].clause != a.source.words[a.best[i]].clause {
				d += 4
			}
			if segment[k] == segment[i] {
				own = min(own, d)
			} else {
				other = min(other, d)
			}
		}
		if own < 1e9 && other < 1e9 {
			compared++
			if other < own {
				crossed++
				between = max(between, min(own-other, 20))
			}
		}
	}
	f.add("crossedSegments", ratio(crossed, compared))
	f.add("crossedBy", between)
	f.add("segments", float64(n))
}

// order is two events of which a text says which comes first.
type order struct {
	passage.Span          // of the word that says so
	first, then  []string // keys of the words of the events
}

// orderWords say which of the events around them comes first; true if it is the one that stands before them.
var orderWords = map[string]bool{
	"before": true, "prior": true, "until": true, "then": true, "afterwards": true, "subsequently": true, "followed": true, "bevor": true, "danach": true, "dann": true, "precedes": true, "preceding": true,
	"after": false, "following": false, "once": false, "nachdem": false, "follows": false, "nach": false, "vor": true,
}

// readOrders returns the pairs of events whose order a text says: "A before B", "after A, B", "first A, then B", 先A再B, A后B.
func readOrders(text string) []order { return readOrdersIn(text, isGerman(text)) }

func readOrdersIn(text string, german bool) []order {
	f := figuresIn(text, german)
	var all []order
	for i, m := range f.marks {
		if m.kind == hanMark {
			if m.text != "先" && m.text != "前" && m.text != "后" {
				continue
			}
			from, to := f.sentenceAt(i)
			if o, ok := f.hanOrderAt(i, from, to); ok {
				all = append(all, o)
			}
			continue
		}
		firstBefore, ok := orderWords[m.text]
		if !ok {
			continue
		}
		from, to := f.sentenceAt(i)
		before, behind := f.keysBetween(f.phraseStart(i, from), i), f.keysBetween(i+1, f.phraseEnd(i+1, to))
		if i == from || f.isEnd(i-1) && !(m.text == "then" || m.text == "afterwards" || m.text == "subsequently") { // "After A, B"
			comma := f.phraseEnd(i+1, to)
			if comma >= to {
				continue
			}
			before = f.keysBetween(comma+1, f.phraseEnd(comma+1, to))
		} else if len(before) == 0 && i > from { // "A, then B"
			before = f.keysBetween(f.phraseStart(i-1, from), i-1)
		}
		if len(before) == 0 || len(behind) == 0 {
			continue
		}
		o := order{Span: m.Span, first: before, then: behind}
		if !firstBefore || m.text == "until" && f.negated(f.phraseStart(i, from), i) { // not until
			o.first, o.then = behind, before
		}
		all = append(all, o)
	}
	return all
}

// sentenceAt returns the marks of the sentence around one, as far as they can tell of what it orders.
func (f *figures) sentenceAt(i int) (from, to int) {
	const far = 60
	from, to = i, i
	for from > 0 && from > i-far && f.sentences[from-1] == f.sentences[i] {
		from--
	}
	for to < len(f.marks) && to < i+far && f.sentences[to] == f.sentences[i] {
		to++
	}
	return from, to
}

// phraseStart and phraseEnd return where the words around a mark begin and end, at a sign.
func (f *figures) phraseStart(i, from int) int {
	for i > from && !f.isEnd(i-1) {
		i--
	}
	return i
}

func (f *figures) phraseEnd(i, to int) int {
	for i < to && !f.isEnd(i) {
		i++
	}
	return i
}

// negated reports whether a negation stands between two marks.
func (f *figures) negated(from, to int) bool {
	for i := from; i < to; i++ {
		if f.denies(i) || f.text(i) == "no" || f.text(i) == "cannot" {
			return true
		}
	}
	return false
}

// keysBetween returns the keys of the content words between two marks.
func (f *figures) keysBetween(from, to int) []string {
	if from < 0 || from >= to || to > len(f.marks) {
		return nil
	}
	var keys []string
	part := f.source[f.marks[from].Start:f.marks[to-1].End]
	for _, t := range f.analyse(part) {
		word := strings.ToLower(part[t.Start:t.End])
		if !lexical.IsAskingWord(word) && periods[word] == 0 && !isFigure(rune(word[0])) {
			keys = append(keys, t.Term)
		}
	}
	return keys
}

// hanOrderAt reads the order that a character says.
func (f *figures) hanOrderAt(i, from, to int) (order, bool) {
	text, next := f.text(i), f.text(i+1)
	start, end := f.phraseStart(i, from), f.phraseEnd(i+1, to)
	o := order{Span: f.marks[i].Span}
	switch {
	case text == "先" && next != "天" && next != "生" && next != "进":
		for j := i + 1; j < to; j++ {
			if f.text(j) == "再" || f.text(j) == "后" || f.text(j) == "然" && f.text(j+1) == "后" {
				behind := j + 1
				if f.text(j) == "然" {
					behind++
				}
				o.first, o.then = f.keysBetween(i+1, j), f.keysBetween(behind, f.phraseEnd(behind, to))
				return o, len(o.first) > 0 && len(o.then) > 0
			}
		}
	case (text == "后" || text == "前") && i > start && next != "期" && next != "者" && next != "果" && next != "续" && next != "提" && next != "后" && f.text(i-1) != "然" && f.text(i-1) != "最" && f.text(i-1) != "先" && f.text(i-1) != "目":
		before := f.keysBetween(start, i)
		behind := f.keysBetween(i+1, end)
		if len(behind) == 0 && end < to {
			behind = f.keysBetween(end+1, f.phraseEnd(end+1, to))
		}
		o.first, o.then = before, behind
		if text == "前" {
			o.first, o.then = behind, before
		}
		return o, len(before) > 0 && len(behind) > 0
	}
	return o, false
}

// orderMatch is the order of a source that one of a claim agrees with or turns around.
type orderMatch struct {
	claim, source int
	standing      standing // equalRung, opposed or added
}

// compareOrders compares the orders of events: opposed if the source says them the other way round.
func compareOrders(claim, source []order) []orderMatch {
	all := make([]orderMatch, len(claim))
	for i, c := range claim {
		best := orderMatch{claim: i, source: -1, standing: added}
		most := 1
		for j, s := range source {
			ff, tt, ft, tf := sharedWords(c.first, s.first), sharedWords(c.then, s.then), sharedWords(c.first, s.then), sharedWords(c.then, s.first)
			switch {
			case ff > 0 && tt > 0 && ff+tt >= ft+tf && ff+tt > most:
				best.source, best.standing, most = j, equalRung, ff+tt
			case ft > 0 && tf > 0 && ft+tf > ff+tt && ft+tf > most:
				best.source, best.standing, most = j, opposed, ft+tf
			}
		}
		all[i] = best
	}
	return all
}
