package entail

import (
	"slices"

	"lacuna/knowledge/syntax"
)

// role says what a word is in its clause, by its place around the verb: a coarse substitute for a parse.
type role uint8

const (
	noRole role = iota
	subject
	verbal
	object
	agent // behind "by" of a passive
	oblique
)

var (
	auxiliaries  = map[string]bool{"is": true, "are": true, "was": true, "were": true, "be": true, "been": true, "being": true, "get": true, "gets": true, "got": true}
	prepositions = map[string]bool{"in": true, "on": true, "at": true, "with": true, "for": true, "from": true, "to": true, "into": true, "of": true, "during": true, "after": true, "before": true, "without": true, "among": true, "between": true, "through": true, "under": true, "over": true, "than": true, "as": true, "per": true, "within": true, "against": true, "about": true}
)

// roles returns the role of each word and, of each clause, whether it is passive.
func (r *reading) roles() ([]role, map[int]bool) {
	roles := make([]role, len(r.words))
	passive := map[int]bool{}
	for from := 0; from < len(r.words); {
		to := from
		for to < len(r.words) && r.words[to].clause == r.words[from].clause {
			to++
		}
		r.rolesIn(from, to, roles, passive)
		from = to
	}
	return roles, passive
}

func (r *reading) rolesIn(from, to int, roles []role, passive map[int]bool) {
	verb := -1
	for i := from; i < to; i++ {
		w := r.words[i]
		if i > from && (auxiliaries[w.text] || modals[w.text]) {
			verb = i
			break
		}
		if w.verb && i > from {
			verb = i
			break
		}
	}
	if verb < 0 {
		for i := from; i < to; i++ {
			if r.words[i].weight > 0 {
				roles[i] = object
			}
		}
		return
	}
	isPassive := false
	end := verb
	for end+1 < to && (auxiliaries[r.words[end].text] || modals[r.words[end].text] || r.words[end].weight == 0 && !prepositions[r.words[end].text] || r.words[end].negator) {
		if auxiliaries[r.words[end].text] && end+1 < to {
			for k := end + 1; k < min(to, end+3); k++ {
				if r.words[k].past {
					isPassive = true
				}
			}
		}
		end++
	}
	passive[r.words[from].clause] = isPassive
	now := object
	for i := from; i < to; i++ {
		w := r.words[i]
		switch {
		case i < verb:
			roles[i] = subject
		case i <= end:
			roles[i] = verbal
		default:
			if w.text == "by" && isPassive {
				now = agent
			} else if prepositions[w.text] {
				now = oblique
			}
			roles[i] = now
		}
	}
}

var modals = map[string]bool{"can": true, "could": true, "may": true, "might": true, "must": true, "shall": true, "should": true, "will": true, "would": true, "has": true, "have": true, "had": true, "do": true, "does": true, "did": true}

// describeRoles compares who does what to whom.
func (a *alignment) describeRoles(f *features) {
	rc, pc := a.claim.roles()
	rs, ps := a.source.roles()
	deep := func(r role, passive bool) role {
		switch {
		case passive && r == subject:
			return object
		case r == agent:
			return subject
		}
		return r
	}
	same, crossed, total := 0.0, 0.0, 0.0
	swappedBoth := map[int]int{}
	for i, w := range a.claim.words {
		j := a.best[i]
		if j < 0 || w.weight == 0 || a.score[i] < .6 {
			continue
		}
		x, y := deep(rc[i], pc[w.clause]), deep(rs[j], ps[a.source.words[j].clause])
		total++
		switch {
		case x == y:
			same++
		case x == subject && (y == object || y == oblique):
			crossed++
			swappedBoth[w.clause] |= 1
		case y == subject && (x == object || x == oblique):
			crossed++
			swappedBoth[w.clause] |= 2
		}
	}
	both := 0.0
	for _, v := range swappedBoth {
		if v == 3 {
			both = 1
		}
	}
	f.add("rolesSame", ratio(same, total))
	f.add("rolesCrossed", ratio(crossed, total))
	f.add("rolesBoth", both)
	passives := 0.0
	for _, v := range pc {
		passives += bit(v)
	}
	f.add("passive", passives)
}

// parsed is a reading with its syntax.
type parsed struct {
	sentences []syntax.Sentence
	words     [][][]int // words of the reading by word of the sentence
}

// parse reads the syntax of a text in English or German.
func (r *reading) parse() parsed {
	if len(r.words) > 0 && r.words[0].han {
		return parsed{}
	}
	language := "en"
	if r.german {
		language = "de"
	}
	p := parsed{sentences: syntax.Parse(r.text, language)}
	at := 0
	for _, s := range p.sentences {
		of := make([][]int, len(s.Words))
		for i, w := range s.Words {
			for at > 0 && at < len(r.words) && r.words[at-1].End > w.Start {
				at--
			}
			for at < len(r.words) && r.words[at].End <= w.Start {
				at++
			}
			for k := at; k < len(r.words) && r.words[k].Start < w.End; k++ {
				of[i] = append(of[i], k)
			}
		}
		p.words = append(p.words, of)
	}
	return p
}

// phrase returns the content words of the reading in the noun phrases of some words.
func (p parsed) phrase(r *reading, sentence int, heads []int) []int {
	var all []int
	s := p.sentences[sentence]
	for _, h := range heads {
		for i := range s.Words {
			up, ok := i, i == h
			for depth := 0; !ok && depth < 3 && s.Words[up].Head >= 0; depth++ {
				switch s.Words[up].Relation {
				case "compound", "amod", "nmod", "nummod", "flat", "appos", "nmod:poss", "conj":
				default:
					depth = 3
					continue
				}
				up = s.Words[up].Head
				ok = up == h
			}
			if !ok {
				continue
			}
			for _, k := range p.words[sentence][i] {
				if r.words[k].weight > 0 && !slices.Contains(all, k) {
					all = append(all, k)
				}
			}
		}
	}
	return all
}

// describeSyntax compares who does what to whom, and what is said of what, by the trees of both texts.
func (a *alignment) describeSyntax(above int, f *features) {
	claim, source := a.claim.parse(), a.source.parse()
	means := func(of, by []int) float64 { // the share of words that others mean
		if len(of) == 0 {
			return 0
		}
		total, held := 0., 0.
		for _, i := range of {
			best := 0.
			for _, j := range by {
				best = max(best, a.like[i][j])
			}
			total += a.claim.words[i].weight
			held += a.claim.words[i].weight * best
		}
		return ratio(held, total)
	}
	kept, swapped, predicates, negated, modal, condition := 0., 0., 0., 0., 0., 0.
	for cs, s := range claim.sentences {
		for _, p := range s.Predicates() {
			subject, object := claim.phrase(a.claim, cs, p.Subject), claim.phrase(a.claim, cs, p.Object)
			for _, o := range p.Others {
				object = append(object, claim.phrase(a.claim, cs, []int{o.Word})...)
			}
			verb := claim.words[cs][p.Word]
			bestKept, bestSwapped, bestVerb := 0., 0., 0.
			differs, modalDiffers, conditionDiffers := 0., 0., 0.
			for ss, t := range source.sentences {
				for _, q := range t.Predicates() {
					qSubject, qObject := source.phrase(a.source, ss, q.Subject), source.phrase(a.source, ss, q.Object)
					for _, o := range q.Others {
						qObject = append(qObject, source.phrase(a.source, ss, []int{o.Word})...)
					}
					v := means(verb, source.words[ss][q.Word])
					same := min(means(subject, qSubject), means(object, qObject))
					turned := min(means(subject, qObject), means(object, qSubject))
					if len(subject) == 0 || len(object) == 0 {
						same, turned = max(means(subject, qSubject), means(object, qObject)), 0
					}
					if same+.5*v > bestKept+.5*bestVerb {
						bestKept, bestVerb = same, v
						differs, modalDiffers = bit(p.Negated != q.Negated), bit((p.Modal == "") != (q.Modal == ""))
						conditionDiffers = bit(len(p.Conditions) == 0 && len(q.Conditions) > 0)
					}
					bestSwapped = max(bestSwapped, turned)
				}
			}
			predicates++
			if len(subject) > 0 && len(object) > 0 {
				kept += bestKept
				swapped = max(swapped, bestSwapped-bestKept)
			}
			if bestKept+.5*bestVerb >= .8 {
				negated += differs
				modal += modalDiffers
				condition += conditionDiffers
			}
		}
	}
	f.add("argumentsKept", ratio(kept, predicates))
	f.add("argumentsSwapped", swapped)
	f.add("predicates", predicates)
	f.add("predicateNegated", negated)
	f.add("predicateModal", modal)
	f.add("predicateCondition", condition)

	// what hangs together in the claim, and how far apart it hangs in the source
	edges, near, far, crossed := 0., 0., 0., 0.
	for cs, s := range claim.sentences {
		for i, w := range s.Words {
			head := claim.head(a.claim, cs, i)
			if head < 0 {
				continue
			}
			_ = w
			one, two := claim.words[cs][i], claim.words[cs][head]
			if len(one) == 0 || len(two) == 0 || a.claim.words[one[0]].weight == 0 || a.claim.words[two[0]].weight == 0 {
				continue
			}
			edges++
			best := 9
			for ss := range source.sentences {
				for j := range source.sentences[ss].Words {
					if !a.meant(one, source.words[ss][j]) {
						continue
					}
					for k := range source.sentences[ss].Words {
						if k != j && a.meant(two, source.words[ss][k]) {
							best = min(best, source.distance(ss, j, k))
						}
					}
				}
			}
			switch {
			case best <= 2:
				near++
			case best == 9:
				crossed++
			case best > 4:
				far++
			}
		}
	}
	f.add("edgesNear", ratio(near, edges))
	f.add("edgesFar", ratio(far, edges))
	f.add("edgesFarCount", far)
	f.add("edgesGone", ratio(crossed, edges))
	f.add("edges", edges)
}

// meant reports whether a source word means one of some words of the claim.
func (a *alignment) meant(claim, source []int) bool {
	for _, i := range claim {
		for _, j := range source {
			if a.like[i][j] >= stands {
				return true
			}
		}
	}
	return false
}

// head returns the nearest word above a word that says something by itself, or -1.
func (p parsed) head(r *reading, sentence, i int) int {
	words := p.sentences[sentence].Words
	for h := words[i].Head; h >= 0; h = words[h].Head {
		if of := p.words[sentence][h]; len(of) > 0 && r.words[of[0]].weight > 0 {
			return h
		}
	}
	return -1
}

// distance returns the number of steps between two words of a tree, 8 at most.
func (p parsed) distance(sentence, i, j int) int {
	words := p.sentences[sentence].Words
	steps := map[int]int{}
	for n, up := 0, i; up >= 0 && n <= 8; n, up = n+1, words[up].Head {
		steps[up] = n
	}
	for n, up := 0, j; up >= 0 && n <= 8; n, up = n+1, words[up].Head {
		if m, ok := steps[up]; ok {
			return min(n+m, 8)
		}
	}
	return 8
}
