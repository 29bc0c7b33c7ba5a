package entail

import (
	"math"

	"lacuna/knowledge/lexical"
)

// describe computes what a decision is made of.
func (a *alignment) describe(above int, f *features) {
	claim, source := a.claim, a.source
	total, held, exact, heaviest := 0.0, 0.0, 0.0, 0.0
	missing, missingVerb, missingName, missingDigits := 0, 0, 0, 0
	inSentence := make([]float64, len(source.spans))
	for i, w := range claim.words {
		if w.weight == 0 {
			continue
		}
		total += w.weight
		held += w.weight * a.score[i]
		if a.score[i] == 1 {
			exact += w.weight
		}
		if a.score[i] < .4 && w.weight > lightWeight {
			missing++
			heaviest = max(heaviest, w.weight)
			missingVerb += int(bit(w.verb))
			missingName += int(bit(w.capital && !w.digits))
			missingDigits += int(bit(w.digits))
		}
	}
	// the share of the claim in the best sentence and the best two
	perWord := make([][]float64, len(claim.words))
	for i, w := range claim.words {
		perWord[i] = make([]float64, len(source.spans))
		if w.weight == 0 {
			continue
		}
		for j, like := range a.like[i] {
			s := source.words[j].sentence
			if like > perWord[i][s] {
				perWord[i][s] = like
			}
		}
		for s, v := range perWord[i] {
			// what stands above a passage is said of all of it
			for t := range above {
				v = max(v, perWord[i][t])
			}
			inSentence[s] += v * w.weight
		}
	}
	best, two := 0.0, 0.0
	bestSentence := 0
	for s, v := range inSentence {
		if v > best && (s >= above || above >= len(inSentence)) {
			best, bestSentence = v, s
		}
	}
	for s := range inSentence {
		v := 0.0
		for i, w := range claim.words {
			if w.weight > 0 {
				x := max(perWord[i][s], perWord[i][bestSentence])
				for t := range above {
					x = max(x, perWord[i][t])
				}
				v += x * w.weight
			}
		}
		two = max(two, v)
	}
	everywhere := 0.0
	for i, w := range claim.words {
		everywhere += w.weight * a.anywhere[i]
	}
	f.add("held", ratio(held, total))
	f.add("elsewhere", ratio(everywhere-held, total))
	f.add("exact", ratio(exact, total))
	f.add("best", ratio(best, total))
	f.add("copied", a.copied())
	f.add("two", ratio(two-best, total))
	f.add("heaviest", heaviest)
	f.add("missing", float64(missing))
	f.add("missingVerb", float64(missingVerb))
	f.add("missingName", float64(missingName))
	f.add("missingDigits", float64(missingDigits))
	f.add("words", math.Log(1+total))

	// polarity
	flips, flipWeight, aligned := 0.0, 0.0, 0.0
	for i, w := range claim.words {
		if a.best[i] < 0 || w.weight == 0 && !w.verb || a.score[i] < .6 {
			continue
		}
		s := source.words[a.best[i]]
		aligned += w.weight
		if w.denied%2 != s.denied%2 && !a.idiom[i][a.best[i]] {
			flips++
			flipWeight += w.weight
		}
	}
	f.add("flips", ratio(flipWeight, aligned))
	f.add("flipCount", flips)
	negC, negS := 0, 0
	touched := map[int]bool{}
	for i := range claim.words {
		if j := a.best[i]; j >= 0 && claim.words[i].weight > 0 && a.score[i] >= .6 {
			touched[source.words[j].clause] = true
		}
	}
	for i, w := range claim.words {
		negC += int(bit((w.negator || deniers[w.key]) && (w.key != "ohne" || a.held(claim.nounBehind(i)))))
	}
	for j, w := range source.words {
		if touched[w.clause] {
			negS += int(bit((w.negator || deniers[w.key]) && (w.key != "ohne" || a.covered(source.nounBehind(j)))))
		}
	}
	f.add("negClaim", float64(negC))
	f.add("negSource", float64(negS))
	f.add("negParity", bit(negC%2 != negS%2))

	// exclusive words
	excluded, excludedHard := 0.0, 0.0
	covered := make([]float64, len(source.words)) // what of the source the claim says
	for i := range claim.words {
		for j, like := range a.like[i] {
			covered[j] = max(covered[j], like)
		}
	}
	for i, w := range claim.words {
		for j, x := range a.excludes[i] {
			if !x || !touched[source.words[j].clause] {
				continue
			}
			if a.score[i] < .6 {
				excluded = max(excluded, 1)
			}
			if covered[j] < .6 && a.score[i] < .6 {
				excludedHard = max(excludedHard, max(w.weight, .5))
			}
		}
	}
	f.add("excluded", excluded)
	f.add("excludedHard", excludedHard)
	anyExclusive := 0.0
	for i := range claim.words {
		for j, x := range a.excludes[i] {
			if x && source.words[j].sentence == bestSentence {
				anyExclusive++
			}
		}
	}
	f.add("exclusivePairs", min(anyExclusive, 5))

	// order and distance of neighbours
	inversions, pairs, far, apart := 0.0, 0.0, 0.0, 0.0
	lastOf := map[int]int{}
	clausesOf := map[int]map[int]bool{}
	sentencesOf := map[int]map[int]bool{}
	for i, w := range claim.words {
		if w.weight == 0 || a.best[i] < 0 || a.score[i] < .6 {
			continue
		}
		c := w.clause
		if clausesOf[c] == nil {
			clausesOf[c], sentencesOf[c] = map[int]bool{}, map[int]bool{}
		}
		s := source.words[a.best[i]]
		if s.sentence >= above {
			clausesOf[c][s.clause] = true
			sentencesOf[c][s.sentence] = true
		}
		if k, ok := lastOf[c]; ok && a.best[k] != a.best[i] {
			pairs++
			d := a.best[i] - a.best[k]
			if d < 0 {
				inversions++
				d = -d
			}
			if source.words[a.best[k]].sentence >= above && s.sentence >= above {
				far += min(float64(d), 20)
				if source.words[a.best[k]].clause != s.clause {
					apart++
				}
			}
		}
		lastOf[c] = i
	}
	spread, sentences := 0, 0
	for c := range clausesOf {
		spread = max(spread, len(clausesOf[c]))
		sentences = max(sentences, len(sentencesOf[c]))
	}
	f.add("inversions", ratio(inversions, pairs))
	f.add("inversionCount", inversions)
	f.add("far", ratio(far, pairs))
	f.add("apart", ratio(apart, pairs))
	f.add("spread", float64(spread))
	f.add("spreadSentences", float64(sentences))

	// what the source's touched clauses say and the claim does not
	left, whole, conditions := 0.0, 0.0, 0.0
	for j, w := range source.words {
		if w.sentence < above || !touched[w.clause] {
			continue
		}
		whole += w.weight
		left += w.weight * (1 - covered[j])
		if covered[j] < .5 && conditionWords[w.text] {
			conditions++
		}
	}
	f.add("left", ratio(left, whole))
	f.add("leftWeight", left)
	f.add("leftConditions", conditions)
	claimConditions := 0.0
	for i, w := range claim.words {
		if conditionWords[w.text] && a.score[i] < .5 {
			claimConditions++
		}
	}
	f.add("claimConditions", claimConditions)
	a.describeQualifiers(touched, above, f)
	a.describeRoles(f)
	a.describeSyntax(above, f)
	a.describeSubstitutions(above, covered, f)
	a.describeSegments(above, f)
	a.describePartners(above, covered, f)
	f.add("han", bit(len(claim.words) > 0 && claim.words[0].han))
}

// held reports whether the source means a word of the claim.
func (a *alignment) held(i int) bool { return a.best[i] >= 0 && a.score[i] >= stands }

// copied returns the share of the claim's words that one sentence has in their order, the greatest of the evidence.
func (a *alignment) copied() float64 {
	var claim []string
	for _, w := range a.claim.words {
		claim = append(claim, w.key)
	}
	share := 0.0
	for _, s := range a.evidence {
		var keys []string
		for _, w := range a.source.words {
			if w.sentence == s {
				keys = append(keys, w.key)
			}
		}
		share = max(share, ratio(float64(lexical.CommonSubsequence(claim, keys)), float64(len(claim))))
	}
	return share
}

var conditionWords = map[string]bool{"if": true, "unless": true, "when": true, "only": true, "except": true, "without": true, "under": true, "over": true,
	germanText("wenn"): true, germanText("falls"): true, germanText("sofern"): true, germanText("nur"): true, germanText("außer"): true,
	"以上": true, "以下": true, "如果": true, "除": true, "除了": true, "仅": true, "只": true, "当": true}
