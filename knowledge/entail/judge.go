package entail

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"lacuna/knowledge/passage"
	"lacuna/knowledge/plaintext"
)

// Judge compares a claim with sources, by each alone and by all together. question is what the claim answers, or
// empty; it tells what a sentence of one or two words is about. A source that has all of the claim with a word
// turned round outweighs sources that have less of it.
func Judge(claim, question string, sources ...Source) Judgement {
	c := readClaim(claim, question)
	if len(sources) == 0 || c.content() == 0 {
		return Judgement{Verdict: Unchecked}
	}
	var best, turned *comparison
	for i := range sources {
		found := compare(c, sources, i, i+1).decide()
		if best == nil || found.states > best.states {
			best = found
		}
		if found.opposesCopy() && (turned == nil || found.contradicts > turned.contradicts) {
			turned = found
		}
	}
	if turned != nil && !best.shortens() && !best.restates() {
		return turned.judgement(sources)
	}
	if len(sources) > 1 && best.states < best.statesFrom() {
		if found := compare(c, sources, 0, len(sources)).decide(); found.states > best.states {
			best = found
		}
	}
	return best.judgement(sources)
}

// opening matches how an answer to a yes-or-no question begins, and what refers to the source as a whole; the claim
// stands behind it.
var opening = regexp.MustCompile(`(?i)^\W*(?:(?:yes|no|yep|nope|correct|right)\s*[,.:;–—-]\s*|(?:是的?|不是的?|不|对|能|可以|会|不会|不能|有|没有)\s*[,:;，。；]\s*|` +
	`(?:according to|based on|as per|per)\s+(?:the|this|these|your|our)?\s*[^,.;:]{0,60}?[,:]\s*|` +
	`(?:the|this|these)\s+(?:guidelines?|guidance|sources?|passages?|documents?|texts?|articles?|leaflets?|contexts?|manuals?|handbooks?|policy|stud(?:y|ies)|page)\s+(?:says?|states?|notes?|recommends?|advises?|suggests?|asks?|explains?|mentions?|indicates?|reports?)\s+(?:that\s+|for\s+)?|` +
	`(?:根据|按照|依据|据)[^，,。:：]{0,30}[，,:：]\s*)+`)

// readClaim reads a claim without what introduces it. One that is too short to say what it is about is read with
// its question.
func readClaim(claim, question string) *reading {
	at := len(opening.FindString(claim))
	if at == len(claim) {
		at = 0
	}
	c := read(claim[at:])
	c.offset = at
	if c.content() < tooShort && question != "" {
		c = read(claim + "\n" + question)
		c.borrowed = len(claim)
	}
	for _, found := range c.phrases {
		if lists().frame[found.id] {
			for i := found.from; i < found.to; i++ {
				c.words[i].weight = 0 // "it is important to note that"
			}
		}
	}
	return c
}

// tooShort is the number of content words below which a claim is read with its question.
const tooShort = 3

// content counts the content words.
func (r *reading) content() int {
	n := 0
	for _, w := range r.words {
		if w.weight > 0 {
			n++
		}
	}
	return n
}

// judgement returns the verdict with its evidence.
func (x *comparison) judgement(sources []Source) Judgement {
	j := Judgement{Verdict: Unchecked, Confidence: x.states, Evidence: x.quotes()}
	if x.claim.borrowed > 0 {
		return x.shortJudgement(j)
	}
	differences := x.differences()
	switch {
	case (x.states >= x.statesFrom() && !x.differs() && !x.unknownName() && !x.deniedCopy() || x.shortens() || x.restates()) && !x.misstates() && x.value("figuresUnlike") == 0 && x.quoted():
		j.Verdict, j.Sure = States, x.shortens() || x.restates()
		return j
	case len(x.figures) > 0 || len(differences) > 0 && x.contradicted():
		j.Verdict, j.Differences, j.Sure = Contradicts, differences, x.opposesCopy()
		return j
	}
	if part, ok := x.partly(sources); ok {
		return part
	}
	if x.absent >= absentFrom || x.absent >= .5 && x.heldBesides() <= heldNothing {
		j.Verdict, j.Evidence = Absent, nil
	}
	return j
}

// shortJudgement returns the verdict on a claim of a word or two, which answers its question: a sentence states it
// that has all its words and holds enough of the question.
func (x *comparison) shortJudgement(j Judgement) Judgement {
	said, asked, words := 0.0, 0.0, 0.0
	answers, missing := true, true
	for i, w := range x.claim.words {
		if w.weight == 0 {
			continue
		}
		if w.Start < x.claim.borrowed {
			said++
			answers = answers && x.score[i] >= stands
			missing = missing && x.anywhere[i] < stands
		} else {
			asked += w.weight * x.score[i]
			words += w.weight
		}
	}
	switch {
	case said > 0 && answers && ratio(asked, words) >= askedHeld && x.quoted():
		j.Verdict, j.Confidence = States, statesFrom
	case said > 0 && missing:
		j.Verdict, j.Confidence, j.Evidence = Absent, 0, nil
	}
	return j
}

// askedHeld is the share of a question that the source of an answer of one or two words must hold.
const askedHeld = .4

// statesFrom returns the probability from which on the claim is stated.
func (x *comparison) statesFrom() float64 {
	if x.value("han") > 0 {
		return statesFromHan
	}
	return statesFrom
}

// contradicted reports whether the source says what excludes the claim. The less is left of the claim besides the
// words that differ, the surer the trees must be.
func (x *comparison) contradicted() bool {
	if x.contradicts >= contradictsFrom || x.opposesCopy() {
		return true
	}
	held := x.heldBesides()
	return x.differs() && (held >= heldToContradict && x.contradicts >= differsFrom || held >= heldNearly && x.contradicts >= nearlyFrom)
}

// differs reports whether a word of the claim certainly differs from one in its place: a figure, a side of a
// contrast, a rival of the source's word. Nothing else makes up for it.
func (x *comparison) differs() bool {
	if _, ok := x.misplaced(); ok {
		return true
	}
	if _, ok := x.mispaired(); ok {
		return true
	}
	return x.value("flips") >= .5 && x.value("negParity") > 0 || x.value("missingDigits") > 0 || x.value("opposed") > 0 || x.value("excludedHard") > 0 ||
		x.value("ordersTurned") > 0
}

// opposesCopy reports whether a sentence of the source is the claim denied, or no longer denied, or with a word turned
// round, such as "less" for "more".
func (x *comparison) opposesCopy() bool {
	if x.claim.borrowed > 0 || x.value("copied") < copiedMostly || x.heldBesides() < heldNearly {
		return false
	}
	return x.value("opposed") > 0 || x.value("flips") >= .5 && x.value("negParity") > 0 && x.value("copied") >= copiedNearly
}

// heldBesides returns the share of the claim that the source means, besides the words that differ.
func (x *comparison) heldBesides() float64 {
	held, total := 0.0, 0.0
	for i, w := range x.claim.words {
		if x.score[i] < stands && (w.digits || contrastSide[w.text] != 0 || slices.Contains(x.excludes[i], true)) {
			continue
		}
		held += w.weight * x.score[i]
		total += w.weight
	}
	return ratio(held, total)
}

// unknownName reports whether the claim has a word that no reader is sure to know and that the source does not
// mean: the name of another medicine, place or person.
func (x *comparison) unknownName() bool {
	for i, w := range x.claim.words {
		if w.weight >= nameWeight && !w.digits && !inflected.MatchString(w.text) && x.anywhere[i] < stands && (x.claim.borrowed == 0 || w.Start < x.claim.borrowed) {
			return true
		}
	}
	return false
}

var inflected = regexp.MustCompile(`(?:ly|ed|ings?|able|ible|ful|ness|ments?|less|tions?)$`)

// deniedCopy reports whether the claim has most words of a sentence in its order, and denies where that affirms or
// the other way round.
func (x *comparison) deniedCopy() bool {
	claimed, stated := x.denials()
	return claimed%2 != stated%2 && x.value("copied") >= copiedMostly
}

// copiedMostly is the share of a sentence's words from which on a claim is a copy of it.
const copiedMostly = .6

// quotation matches what a sentence puts into quotation marks.
var quotation = regexp.MustCompile(`“([^”]+)”|"([^"]+)"|「([^」]+)」`)

// quoted reports whether what the claim puts into quotation marks stands in the source.
func (x *comparison) quoted() bool {
	source := plaintext.Fold(x.source.text)
	for _, m := range quotation.FindAllStringSubmatch(x.claim.text, -1) {
		words := strings.TrimRight(plaintext.Fold(m[1]+m[2]+m[3]), ".,;:!?。，；")
		if words != "" && !strings.Contains(source, words) {
			return false
		}
	}
	return true
}

// shortens reports whether the claim is a sentence of the source, or one without some words that change nothing in
// what it says; it may add words of the title.
func (x *comparison) shortens() bool {
	titled := make(map[string]bool)
	for _, w := range x.source.words {
		if w.sentence < x.above {
			titled[w.key] = true
		}
	}
	telling := func(w word) bool {
		return w.weight > 0 || w.negator || deniers[w.key] || classOf[w.text] != 0 || contrastSide[w.text] != 0
	}
	var claim []string
	for _, w := range x.claim.words {
		if telling(w) && !titled[w.key] {
			claim = append(claim, numberKey(w))
		}
	}
	return len(claim) > 0 && slices.ContainsFunc(x.evidence, func(s int) bool {
		at := 0
		for _, w := range x.source.words {
			switch {
			case w.sentence != s || !telling(w):
			case at < len(claim) && claim[at] == numberKey(w):
				at++
			case w.negator || deniers[w.key] || classOf[w.text]&binding != 0:
				return false
			}
		}
		return at == len(claim)
	})
}

// restates reports whether the claim is a sentence of the source with words exchanged for others that mean the same,
// in the same order.
func (x *comparison) restates() bool {
	if x.claim.borrowed > 0 || x.value("copied") < copiedMostly || x.value("inversions") > 0 || x.heldBesides() < heldNearly || x.differs() || x.deniedCopy() {
		return false
	}
	sentence := x.evidenceOf(func(word) bool { return true })
	if sentence < 0 {
		return false
	}
	for i, w := range x.claim.words {
		if w.weight > 0 && (x.best[i] < 0 || x.score[i] < restated || x.source.words[x.best[i]].sentence != sentence) {
			return false
		}
	}
	for j, w := range x.source.words {
		if w.sentence == sentence && w.weight > 0 && !slices.ContainsFunc(x.like, func(like []float64) bool { return like[j] >= restated }) {
			return false
		}
	}
	return true
}

// misstates reports whether a German claim is ranked otherwise than its source, or leaves out "nur".
func (x *comparison) misstates() bool {
	copied := x.value("copied")
	return x.misranked && copied < 1 || x.claim.german && copied >= copiedMostly && x.opened()
}

// opened reports whether the sentence of a source that is most like the claim says "nur" where the claim does not.
func (x *comparison) opened() bool {
	if slices.ContainsFunc(x.claim.words, func(w word) bool { return classOf[w.text]&(1<<exclusive) != 0 }) {
		return false
	}
	sentence := x.evidenceOf(func(word) bool { return true })
	return slices.ContainsFunc(x.source.words, func(w word) bool {
		return w.sentence == sentence && classOf[w.text]&(1<<exclusive) != 0 && x.touched()[w.clause]
	})
}

// restated is how alike two words must be to be exchanged for one another.
const restated = .95

// binding are the classes of words that a shorter sentence cannot leave out.
const binding = 1<<partial | 1<<exclusive | 1<<possible | 1<<conditional | 1<<excepting

// numberKey is what two words share that say the same: the amount of a number with a unit, else the stem.
func numberKey(w word) string {
	if w.unit != "" {
		return strconv.FormatFloat(w.amount, 'g', 6, 64) + w.unit
	}
	return w.key
}

// partly returns the judgement of a claim of which the sources state a part and do not speak of the rest.
func (x *comparison) partly(sources []Source) (Judgement, bool) {
	if x.claim.borrowed > 0 {
		return Judgement{}, false
	}
	said, unsaid := []int{}, []int{}
	for _, c := range x.claim.clauseList() {
		switch held, words := x.heldOf(c); {
		case words < 2:
			said = append(said, c)
		case held < unsaidHeld:
			unsaid = append(unsaid, c)
		default:
			said = append(said, c)
		}
	}
	if len(said) == 0 || len(unsaid) == 0 {
		return Judgement{}, false
	}
	text := ""
	for _, c := range said {
		span := x.claim.clauseSpan(c)
		text += x.claim.text[span.Start:span.End] + ", "
	}
	rest := compare(read(text), sources, x.from, x.from+len(x.parts)).decide()
	if rest.claim.content() < tooShort || rest.states < partFrom || rest.differs() || rest.unknownName() {
		return Judgement{}, false
	}
	j := Judgement{Verdict: Partly, Confidence: rest.states, Evidence: rest.quotes()}
	for _, c := range unsaid {
		span := x.claim.clauseSpan(c)
		j.Unstated = append(j.Unstated, passage.Span{Start: span.Start + x.claim.offset, End: span.End + x.claim.offset})
	}
	return j, true
}

// The share of a clause by weight below which the sources do not speak of it, and the probability from which on
// they state the rest.
const (
	unsaidHeld = .35
	partFrom   = .93
)

// clauseList returns the clauses of a text in order.
func (r *reading) clauseList() []int {
	var all []int
	for _, w := range r.words {
		if len(all) == 0 || all[len(all)-1] != w.clause {
			all = append(all, w.clause)
		}
	}
	return all
}

// clauseSpan returns the bytes of a clause.
func (r *reading) clauseSpan(clause int) passage.Span {
	span := passage.Span{Start: -1}
	for _, w := range r.words {
		if w.clause == clause {
			if span.Start < 0 {
				span.Start = w.Start
			}
			span.End = w.End
		}
	}
	return span
}

// heldOf returns the share of a clause that the source means, by weight, and its number of content words.
func (a *alignment) heldOf(clause int) (held float64, words int) {
	total := 0.0
	for i, w := range a.claim.words {
		if w.clause == clause && w.weight > 0 {
			held += w.weight * a.score[i]
			total += w.weight
			words++
		}
	}
	return ratio(held, total), words
}
