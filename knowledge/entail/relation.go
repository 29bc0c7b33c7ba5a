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
