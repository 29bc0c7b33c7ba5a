package entail

import (
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
	head := read(text)
	x := &comparison{from: from, above: len(head.spans)}
	all := &reading{text: text}
	if len(head.words) == 0 {
		x.above = 0
	} else {
		all = head
	}
	for _, s := range sources[from:to] {
		x.parts = append(x.parts, sourcePart{len(all.spans), len(all.text)})
		all.append(s)
	}
	all.deny()
	all.findPhrases()
	x.alignment = align(claim, all)
	x.choose(x.above, to-from)
	x.describe(x.above, &x.features)
	x.describeQuantities()
	x.describeFigures(sources[from:to])
	x.describeScales()
	_, misplaced := x.misplaced()
	x.add("misplaced", bit(misplaced))
	return x
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
	for _, m := range compareQuantities(readQuantities(x.claim.text), readQuantities(x.source.text)) {
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
	check := checkFigures(x.claim.text, sources)
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
	claimed, stated := readScales(x.claim.text), readScales(x.source.text)
	for _, m := range compareScales(claimed, stated) {
		counts[m.standing]++
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
	for _, m := range compareOrders(readOrders(x.claim.text), readOrders(x.source.text)) {
		turned += bit(m.standing == opposed)
		kept += bit(m.standing == equalRung)
	}
	x.add("ordersTurned", turned)
	x.add("ordersKept", kept)
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
