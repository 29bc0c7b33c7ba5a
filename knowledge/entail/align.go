package entail

import (
	"slices"
	"strings"
	"unicode/utf8"

	"lacuna/knowledge/lexicon"
)

// alignment says for each word of a claim how well each word of a source means it.
type alignment struct {
	claim, source *reading
	like          [][]float64 // of claim word i and source word j, 0..1
	excludes      [][]bool    // claim word i cannot be said where source word j is
	best          []int       // the source word chosen for claim word i, or -1
	score         []float64   // how well it means it
	anywhere      []float64   // how well the best of all source words means it
	idiom         [][]bool    // they are parts of phrases that mean the same, one of which denies
	evidence      []int       // sentences that hold most of the claim, the best first
}

// stands is the likeness from which on a source word means a claim word.
const stands = .6

// The worth of alignments that are not by the word itself.
const (
	sameWorth     = .95 // by a line of the lists
	impliedWorth  = .9  // the source's phrase implies the claim's
	specificWorth = .45 // the claim's phrase implies the source's
	familyWorth   = .85
	initialsWorth = .9
	synonymWorth  = .9 // times the weight of the synonym
)

func align(claim, source *reading) *alignment {
	a := &alignment{claim: claim, source: source}
	n, m := len(claim.words), len(source.words)
	a.like, a.excludes, a.idiom = make([][]float64, n), make([][]bool, n), make([][]bool, n)
	at := make(map[string][]int, m)
	for j, w := range source.words {
		at[w.key] = append(at[w.key], j)
	}
	language := lexicon.English
	if source.german && claim.german {
		language = lexicon.German
	}
	families := make(map[string][]int, m)
	for j, w := range source.words {
		if !w.han && w.weight > 0 && len(w.key) >= 4 {
			f := lexicon.Family(w.key, language)
			families[f] = append(families[f], j)
		}
	}
	for i, w := range claim.words {
		a.like[i], a.excludes[i], a.idiom[i] = make([]float64, m), make([]bool, m), make([]bool, m)
		if w.digits {
			for j, s := range source.words {
				if s.digits {
					a.like[i][j] = likeNumber(w, s)
				}
			}
			continue
		}
		for _, j := range at[w.key] {
			a.like[i][j] = 1
		}
		if w.weight == 0 {
			continue
		}
		for _, s := range synonyms(w, language) {
			if len(s.Terms) != 1 {
				continue
			}
			for _, j := range at[keyIn(s.Terms[0], language)] {
				a.raise(i, j, synonymWorth*s.Weight)
			}
		}
		if w.han {
			a.alignHan(i)
			continue
		}
		if len(w.key) >= 4 {
			for _, j := range families[lexicon.Family(w.key, language)] {
				a.raise(i, j, familyWorth)
			}
			for j := range source.words {
				a.excludes[i][j] = opposites(w.text, source.words[j].text)
				if s := source.words[j].key; w.key[0] == s0(s) && len(s) >= 4 && isSlip(w.key, s) {
					a.raise(i, j, .75)
				}
			}
		}
	}
	if language == lexicon.German {
		a.alignCompounds()
	}
	a.alignInitials()
	a.alignPhrases()
	return a
}

// denies reports whether a phrase has a word that denies.
func (r *reading) denies(p phrase) bool {
	for _, w := range r.words[p.from:p.to] {
		if w.negator || deniers[w.key] {
			return true
		}
	}
	return false
}

func s0(s string) byte {
	if s == "" {
		return 0
	}
	return s[0]
}

// isSlip reports whether two stems are spellings of one word: colour, color; oesophagus, esophagus.
func isSlip(a, b string) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	if len(a) < 5 || len(b)-len(a) > 3 {
		return false
	}
	return strings.HasPrefix(b, a) || len(b)-len(a) <= 1 && len(a) >= 6 && oneEdit(a, b)
}

func oneEdit(a, b string) bool {
	i := 0
	for i < len(a) && a[i] == b[i] {
		i++
	}
	if len(a) == len(b) {
		return i < len(a) && a[i+1:] == b[i+1:]
	}
	return a[i:] == b[i+1:]
}

func (a *alignment) raise(i, j int, worth float64) { a.like[i][j] = max(a.like[i][j], worth) }

func synonyms(w word, language lexicon.Language) []lexicon.Synonym {
	if language == lexicon.German {
		return lexicon.Synonyms(keyOf(w.text), language)
	}
	return lexicon.Synonyms(w.key, language)
}

// keyIn returns what forms of an analysed term share.
func keyIn(term string, language lexicon.Language) string {
	if language == lexicon.German {
		return lexicon.GermanStem(term)
	}
	return term
}

// The worth of a compound beside its parts, and of what is said more generally by its last part.
const (
	compoundWorth = .85
	headWorth     = .75
)

// alignCompounds aligns German compounds with their parts: "Apixabanspiegel" with "Spiegel von Apixaban".
func (a *alignment) alignCompounds() {
	between := func(long, short *reading, set func(l, s int, worth float64), headsOnly float64) {
		for l, w := range long.words {
			if w.weight == 0 || w.digits || len(w.key) < 2*leastPart {
				continue
			}
			for s, head := range short.words {
				if head.weight == 0 || len(head.key) < leastPart && head.key != "tag" || len(head.key) >= len(w.key) {
					continue
				}
				rest, ok := strings.CutSuffix(w.key, head.key)
				if !ok || len(rest) < 3 {
					continue
				}
				found := false
				for t, first := range short.words {
					if first.weight > 0 && len(first.key) >= 3 && t != s && (strings.HasPrefix(rest, first.key) && len(rest)-len(first.key) <= 3 || endsInPart(first.key, rest)) {
						set(l, s, compoundWorth)
						set(l, t, compoundWorth)
						found = true
					}
				}
				if !found && headsOnly > 0 {
					set(l, s, headsOnly)
				}
			}
		}
	}
	between(a.claim, a.source, func(l, s int, worth float64) { a.raise(l, s, worth) }, specificWorth)
	between(a.source, a.claim, func(l, s int, worth float64) { a.raise(s, l, worth) }, headWorth)
}

// endsInPart reports whether a compound ends in the first part of another, which may have a joint: "Mitgliedsbeitrag" in
// that of "Beitragshöhe".
func endsInPart(compound, part string) bool {
	for _, joint := range []string{"", "s", "n", "en", "es"} {
		if plain, ok := strings.CutSuffix(part, joint); ok && len(plain) >= leastPart && strings.HasSuffix(compound, plain) {
			return true
		}
	}
	return false
}

// leastPart is the length of a stem from which on it may be a part of a compound.
const leastPart = 4

// alignHan aligns a Chinese word with those that share characters with it.
func (a *alignment) alignHan(i int) {
	w := a.claim.words[i].text
	n := utf8.RuneCountInString(w)
	for j, s := range a.source.words {
		if !s.han || s.weight == 0 && a.claim.words[i].weight == 0 {
			continue
		}
		shared := 0
		for _, r := range w {
			if strings.ContainsRune(s.text, r) {
				shared++
			}
		}
		if shared == 0 {
			continue
		}
		longer := max(n, utf8.RuneCountInString(s.text))
		if n == 1 || utf8.RuneCountInString(s.text) == 1 {
			a.raise(i, j, .7)
		} else {
			a.raise(i, j, .9*float64(shared)/float64(longer))
		}
	}
}

// alignInitials aligns abbreviations with words in a row that begin with their letters.
func (a *alignment) alignInitials() {
	expand := func(short, long *reading, set func(s, l int)) {
		for s, w := range short.words {
			if w.han || w.digits || len(w.text) < 2 || len(w.text) > 6 {
				continue
			}
			letters := strings.TrimSuffix(w.text, "s")
			for l := 0; l+len(letters) <= len(long.words) && len(letters) > 1; l++ {
				k := 0
				for k < len(letters) && long.words[l+k].text != "" && s0(long.words[l+k].text) == letters[k] {
					k++
				}
				if k == len(letters) && long.words[l].weight > 0 {
					for k := range letters {
						set(s, l+k)
					}
				}
			}
		}
	}
	expand(a.claim, a.source, func(s, l int) { a.raise(s, l, initialsWorth) })
	expand(a.source, a.claim, func(s, l int) { a.raise(l, s, initialsWorth) })
}

// alignPhrases aligns what the lists know.
func (a *alignment) alignPhrases() {
	p := lists()
	for _, c := range a.claim.phrases {
		for _, s := range a.source.phrases {
			worth := 0.0
			switch {
			case c.id == s.id:
				continue
			case p.same[c.id][s.id]:
				worth = sameWorth
			case p.implied(s.id, c.id):
				worth = impliedWorth
			case p.implied(c.id, s.id):
				worth = specificWorth
			}
			excludes := worth == 0 && p.excluded(c.id, s.id) && !(a.claim.german && (a.claim.isGrammar(c) || a.source.isGrammar(s)))
			idiom := worth > 0 && (a.claim.denies(c) || a.source.denies(s))
			for i := c.from; i < c.to; i++ {
				for j := s.from; j < s.to; j++ {
					if worth > 0 && (a.claim.words[i].weight > 0 || c.to-c.from == 1) {
						a.raise(i, j, worth)
					}
					a.idiom[i][j] = a.idiom[i][j] || idiom
					a.excludes[i][j] = a.excludes[i][j] || excludes
				}
			}
		}
	}
}

// isGrammar reports whether a phrase has words of grammar alone, as "sollen" and "nach": scales and contrasts tell these
// apart, not their lists.
func (r *reading) isGrammar(p phrase) bool {
	return !slices.ContainsFunc(r.words[p.from:p.to], func(w word) bool { return w.weight > 0 })
}

// excluded reports whether two phrases, or what means the same as one of them, exclude one another.
func (p *paraphrases) excluded(a, b int) bool {
	if p.exclude[a][b] {
		return true
	}
	for m := range p.same[a] {
		if p.exclude[m][b] {
			return true
		}
	}
	for m := range p.same[b] {
		if p.exclude[a][m] {
			return true
		}
	}
	return false
}

// implied reports whether phrase a implies phrase b, perhaps by a phrase between them.
func (p *paraphrases) implied(a, b int) bool {
	if p.implies[a][b] {
		return true
	}
	for m := range p.implies[a] {
		if p.implies[m][b] || p.same[m][b] {
			return true
		}
	}
	for m := range p.same[a] {
		if p.implies[m][b] {
			return true
		}
	}
	return false
}

// choose aligns each word of the claim with one of the source, first anywhere, then only in the sentences that hold
// most of the claim and in what stands above them.
func (a *alignment) choose(above, sources int) {
	a.chooseIn(func(int) bool { return true })
	a.anywhere = a.score
	worth := aboveWorth
	if sources > 1 {
		worth = othersAboveWorth
	}
	a.evidence = a.bestSentences(above, worth)
	a.chooseIn(func(s int) bool {
		return s < above || slices.Contains(a.evidence, s)
	})
}

// The share of the claim's weight that each further sentence must add to be evidence, and how many may be.
const (
	sentenceAdds  = .12
	mostSentences = 3
)

// bestSentences returns the sentences that hold most of the claim together, the best first.
func (a *alignment) bestSentences(above int, worth float64) []int {
	total := 0.0
	held := make([][]float64, len(a.claim.words)) // of each word, by sentence
	base := make([]float64, len(a.claim.words))
	for i, w := range a.claim.words {
		total += w.weight
		held[i] = make([]float64, len(a.source.spans))
		for j, like := range a.like[i] {
			if s := a.source.words[j].sentence; like >= stands {
				held[i][s] = max(held[i][s], like)
			}
		}
		for s := range above {
			base[i] = max(base[i], held[i][s]*worth)
		}
	}
	var chosen []int
	for len(chosen) < mostSentences {
		best, top := -1, 0.0
		for s := above; s < len(a.source.spans); s++ {
			gain := 0.0
			for i, w := range a.claim.words {
				if len(chosen) == 0 || w.weight > lightWeight {
					gain += w.weight * max(0, held[i][s]-base[i])
				}
			}
			if gain > top+1e-9 {
				best, top = s, gain
			}
		}
		if best < 0 || len(chosen) > 0 && top < sentenceAdds*total {
			return chosen
		}
		chosen = append(chosen, best)
		for i := range base {
			base[i] = max(base[i], held[i][best])
		}
	}
	return chosen
}

// The worth of a title's word beside one of a sentence, and where there are titles of several sources.
const (
	aboveWorth       = .9
	othersAboveWorth = .4
)

// chooseIn aligns each word of the claim with the most like word of some sentences, and of equals the nearest to
// what its neighbours are aligned with.
func (a *alignment) chooseIn(in func(sentence int) bool) {
	n := len(a.claim.words)
	a.best, a.score = make([]int, n), make([]float64, n)
	density := make([]float64, len(a.source.words)) // how much of the claim each sentence holds
	held := make([]float64, len(a.source.spans))
	total := .01
	for i, w := range a.claim.words {
		total += w.weight
		here := make([]float64, len(held))
		for j, like := range a.like[i] {
			s := a.source.words[j].sentence
			here[s] = max(here[s], like*w.weight)
		}
		for s, v := range here {
			held[s] += v
		}
	}
	for j, w := range a.source.words {
		density[j] = held[w.sentence]
	}
	for i := range a.best {
		a.best[i] = -1
	}
	for round := range 3 {
		for i := range a.claim.words {
			top := 0.0
			for j, like := range a.like[i] {
				if like < .3 || !in(a.source.words[j].sentence) {
					continue
				}
				v := like + .5*density[j]/total
				if round > 0 {
					v += .3 * a.nearness(i, j)
				}
				if v > top {
					top, a.best[i], a.score[i] = v, j, like
				}
			}
		}
	}
}

// nearness says how near a source word is to those of the claim word's neighbours, in 0..1.
func (a *alignment) nearness(i, j int) float64 {
	sum, n := 0.0, 0.0
	for d := -3; d <= 3; d++ {
		k := i + d
		if d == 0 || k < 0 || k >= len(a.best) || a.best[k] < 0 || a.claim.words[k].weight == 0 || a.claim.words[k].clause != a.claim.words[i].clause {
			continue
		}
		n++
		if a.best[k] == j {
			continue
		}
		distance := a.best[k] - j
		if distance < 0 {
			distance = -distance
		}
		v := 1 / (1 + float64(distance)/3)
		if a.source.words[a.best[k]].clause != a.source.words[j].clause {
			v *= .7
		}
		sum += v
	}
	if n == 0 {
		return 0
	}
	return sum / n
}
