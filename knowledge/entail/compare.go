package entail

import (
	"slices"
	"strings"

	"lacuna/knowledge/passage"
)

// comparison is a claim beside some sources.
type comparison struct {
	*alignment
	from  int // of the sources
	above int // sentences that are not of a text
	parts []sourcePart
	features
	figures                     []Difference  // figures of the sources that exclude those of the claim
	figurePairs                 [][2]quantity // of the figures: the claim and the source
	misranked                   bool          // it is German and says more on a scale than its source, or frees where that binds
	states, contradicts, absent float64
}

// sourcePart says where the sentences of a source stand in a reading of several.
type sourcePart struct {
	sentences int // its first
	offset    int // bytes before its text
}

func compare(claim *reading, sources []Source, from, to int) *comparison {
	text := ""
	for _, s := range sources[from:to] {
		text += s.Above + "\n"
	}
	german := germanSources(claim, sources[from:to])
	if german != claim.german {
		claim = claim.in(german)
	}
	head := readAs(text, german)
	x := &comparison{from: from, above: len(head.spans)}
	all := &reading{text: text, german: german}
	if len(head.words) == 0 {
		x.above = 0
	} else {
		all = head
	}
	for _, s := range sources[from:to] {
		x.parts = append(x.parts, sourcePart{len(all.spans), len(all.text)})
		all.append(s)
	}
	all.relate()
	x.alignment = align(claim, all)
	if all.german {
		x.alignFigures()
	}
	x.choose(x.above, to-from)
	x.describe(x.above, &x.features)
	x.describeQuantities()
	x.describeFigures(sources[from:to])
	x.describeScales()
	_, misplaced := x.misplaced()
	x.add("misplaced", bit(misplaced))
	return x
}

// germanSources reports whether sources are to be read as German: they are, or the claim is and nothing in them is
// plainly English.
func germanSources(claim *reading, sources []Source) bool {
	text := ""
	for _, s := range sources {
		text += s.Above + "\n" + s.Text + "\n"
	}
	if isGerman(text) {
		return true
	}
	return claim.german && !slices.ContainsFunc(cut(text), func(p part) bool {
		w := strings.ToLower(text[p.Start:p.End])
		return p.Han || grammar[w] && !germanGrammar[w] && !englishHomographs[w]
	})
}

// quotes returns the sentences that hold most of the claim.
func (x *comparison) quotes() []Quote {
	var quotes []Quote
	for _, s := range x.evidence {
		quotes = append(quotes, x.quote(x.source.spans[s], s))
	}
	return quotes
}

// quote returns a span of the reading as a span of its source.
func (x *comparison) quote(span passage.Span, sentence int) Quote {
	at := 0
	for i, p := range x.parts {
		if p.sentences <= sentence {
			at = i
		}
	}
	offset := x.parts[at].offset
	return Quote{x.from + at, passage.Span{Start: span.Start - offset, End: span.End - offset}}
}

// describeQuantities adds how the figures of the claim stand to those of the sources.
func (x *comparison) describeQuantities() {
	unlike, vague, doubt := 0.0, 0.0, 0.0
	for _, m := range compareQuantities(readQuantitiesIn(x.claim.text, x.claim.german), readQuantitiesIn(x.source.text, x.source.german)) {
		switch m.agreement {
		case unmatched, differs:
			unlike++
		case near, instance:
			vague++
		}
		if m.rival >= 0 {
			doubt = max(doubt, m.doubt)
		}
	}
	x.add("figuresUnlike", unlike)
	x.add("figuresVague", vague)
	x.add("figuresDoubt", doubt)
}

// describeFigures finds the figures that exclude those of the claim, and adds what the figures of the sources hold
// of it.
func (x *comparison) describeFigures(sources []Source) {
	check := checkFigures(x.claim, sources)
	for i, d := range check.differences {
		if x.claim.borrowed > 0 && d.Claimed.Start >= x.claim.borrowed {
			continue
		}
		d.Claimed.Start, d.Claimed.End = d.Claimed.Start+x.claim.offset, d.Claimed.End+x.claim.offset
		d.Stated.Source += x.from
		x.figures, x.figurePairs = append(x.figures, d), append(x.figurePairs, check.pairs[i])
	}
	x.add("figuresDiffer", float64(len(x.figures)))
	x.add("figuresUnstated", float64(len(check.unstated)))
	x.add("figuresExample", float64(len(check.examples)))
}

// describeScales adds how the words of the claim that stand on scales, and the order of its events, stand to those
// of the source.
func (x *comparison) describeScales() {
	var counts [equalRung + 1]float64
	var over [stageTime + 1]float64
	claimed, stated := readScalesIn(x.claim.text, x.claim.german), readScalesIn(x.source.text, x.source.german)
	for _, m := range compareScales(claimed, stated) {
		counts[m.standing]++
		if x.claim.german && m.source >= 0 {
			x.misranked = x.misranked || m.misranks(claimed, stated)
		}
		if m.claim >= 0 && m.standing <= overstated {
			over[claimed.rungs[m.claim].scale] = max(over[claimed.rungs[m.claim].scale], float64(3-m.standing))
		} else if m.claim < 0 && m.source >= 0 {
			over[stated.rungs[m.source].scale] = max(over[stated.rungs[m.source].scale], float64(3-m.standing))
		}
	}
	for s, name := range []string{"rungsAdded", "rungsOpposed", "rungsOver", "rungsUnder", "rungsEqual"} {
		x.add(name, counts[s])
	}
	for s, name := range []string{"howOften", "howMany", "howSure", "howBound", "exclusion"} {
		x.add(name, over[s])
	}
	turned, kept := 0.0, 0.0
	for _, m := range compareOrders(readOrdersIn(x.claim.text, x.claim.german), readOrdersIn(x.source.text, x.source.german)) {
		turned += bit(m.standing == opposed)
		kept += bit(m.standing == equalRung)
	}
	x.add("ordersTurned", turned)
	x.add("ordersKept", kept)
}

// misranks reports whether a rung of a claim says more than that of the source, or frees where that binds: "kann" for
// "muss", "muss nicht" for "darf nicht".
func (m rungMatch) misranks(claim, source scales) bool {
	if m.claim < 0 {
		return m.standing <= overstated
	}
	c, s := claim.rungs[m.claim], source.rungs[m.source]
	if c.weak {
		return false
	}
	free := c.effective()
	return m.standing <= overstated || c.scale == howBound && ((free == 2 || free == 3) && s.effective() == 5 || free == 2 && s.effective() <= 1)
}

// denials counts what denies in the claim and in the clauses that it is aligned with, in Chinese by characters.
func (x *comparison) denials() (claimed, stated int) {
	touched := x.touched()
	count := func(w word) int {
		if w.han {
			n := 0
			for _, r := range w.text {
				if strings.ContainsRune("不没无未非勿别禁忌避莫", r) {
					n++
				}
			}
			return n
		}
		return int(bit(w.negator || deniers[w.key]))
	}
	for _, w := range x.claim.words {
		claimed += count(w)
	}
	for _, w := range x.source.words {
		if touched[w.clause] && w.sentence >= x.above {
			stated += count(w)
		}
	}
	return claimed, stated
}

// alignFigures aligns the numbers of figures that say the same in other units or words, as "zwei Tage" and "48 Stunden",
// and the words that say how often.
func (a *alignment) alignFigures() {
	claimed, stated := readQuantitiesIn(a.claim.text, true), readQuantitiesIn(a.source.text, true)
	for _, m := range compareQuantities(claimed, stated) {
		if m.agreement < near || m.best < 0 || claimed[m.claim].role == listed {
			continue
		}
		c, s := claimed[m.claim], stated[m.best]
		if m.agreement == near && (c.dimension != s.dimension || !sameFigure(c, s)) {
			continue
		}
		often := c.dimension == frequency && s.dimension == frequency
		for i, w := range a.claim.words {
			if !w.digits && !(often && w.weight > 0) || w.Start < c.Start || w.End > c.End {
				continue
			}
			for j, v := range a.source.words {
				if (v.digits || often && v.weight > 0) && s.Start <= v.Start && v.End <= s.End {
					a.raise(i, j, sameWorth)
				}
			}
		}
	}
}
