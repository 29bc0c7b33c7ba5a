package entail

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
