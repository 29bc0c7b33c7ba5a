package entail

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
