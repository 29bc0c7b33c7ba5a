package entail

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"lacuna/knowledge/passage"
)

// agreement says how a quantity of a source stands to one of a claim; the greater, the better.
type agreement byte

const (
	unmatched agreement = iota // the source has none to compare with
	differs                    // of one dimension, and not the same
	instance                   // a value that the source's range or bound takes in, as an example may be
	near                       // the same figure, said with another bound, without a unit, or of something else
	implied                    // follows from the source's
	equal
)

// quantityMatch is what a source's quantities hold of one of a claim.
type quantityMatch struct {
	claim     int // index of the claim's quantity
	agreement agreement
	kind      Kind              // of what differs: Number, Bound or Time
	best      int               // index of the source's quantity, or -1
	rival     int               // index of one that differs and whose sentence is more like the claim's, or -1
	doubt     float64           // by how much the words around the rival are more like those of the claim
	others    []figureCandidate // all that can be compared, the best first
}

// figureCandidate is a quantity of a source that one of a claim can be compared with.
type figureCandidate struct {
	source    int
	agreement agreement
	kind      Kind
	sameHead  bool
	shared    float64 // content words of the sentences that both have, less of those beyond another figure
}

// compareQuantities compares each quantity of a claim with all of a source.
func compareQuantities(claim, source []quantity) []quantityMatch {
	matches := make([]quantityMatch, len(claim))
	for i, c := range claim {
		m := quantityMatch{claim: i, best: -1, rival: -1}
		if c.role == listed { // the claim says no number
			m.agreement = equal
			matches[i] = m
			continue
		}
		for j, s := range source {
			x, ok := compareFigures(c, s)
			if !ok {
				continue
			}
			x.source = j
			x.shared = sharedContext(c, s)
			x.sameHead = sharedWords(c.heads, s.heads) > 0
			m.others = append(m.others, x)
		}
		if x, ok := boundedPair(c, source); ok {
			m.others = append(m.others, x)
		}
		if x, ok := product(c, claim, i, source); ok {
			m.others = append(m.others, x)
		}
		slices.SortStableFunc(m.others, func(a, b figureCandidate) int {
			if a.agreement <= near && b.agreement <= near && a.sameHead != b.sameHead && c.dimension == counted && len(c.heads) > 0 {
				return choose3(a.sameHead)
			}
			if a.agreement != b.agreement {
				return int(b.agreement) - int(a.agreement)
			}
			return cmp.Compare(b.rank(), a.rank())
		})
		if len(m.others) > 0 {
			best := m.others[0]
			m.best, m.agreement, m.kind = best.source, best.agreement, best.kind
		}
		m.weigh(c, source)
		m.turn(c, source)
		if m.agreement < near && c.dimension == counted && c.role != listed && namesAll(claim, c) {
			m.agreement, m.kind, m.best = near, Number, -1
		}
		matches[i] = m
	}
	pair(matches, claim, source)
	return matches
}

func choose3(first bool) int {
	if first {
		return -1
	}
	return 1
}

func (x figureCandidate) rank() float64 {
	rank := x.shared
	if x.sameHead {
		rank++
	}
	return rank
}

// namesAll reports whether a claim names as many things as it counts.
func namesAll(claim []quantity, c quantity) bool {
	return slices.ContainsFunc(claim, func(q quantity) bool {
		return q.role == listed && q.low == c.low && c.low == c.high && q.Start > c.Start
	})
}

// sharedContext sums up the words of the sentences of two quantities, by how near they stand.
func sharedContext(c, s quantity) float64 {
	const beyond = .4 // what a word counts that stands beyond another figure
	sum := 0.
	for word, x := range c.context {
		if y, ok := s.context[word]; ok {
			sum += math.Pow(beyond, float64(x+y))
		}
	}
	return sum
}

// weigh finds the candidate that differs and stands among words more like the claim's than the best that agrees.
func (m *quantityMatch) weigh(c quantity, source []quantity) {
	held, against := -1., -1.
	for _, x := range m.others {
		switch s := source[x.source]; {
		case x.agreement >= near:
			held = max(held, x.shared)
		case s.dimension == c.dimension && s.role == c.role && x.shared > against:
			against, m.rival = x.shared, x.source
		}
	}
	if held < 0 || against < 0 {
		m.rival = -1
		return
	}
	m.doubt = against - held
	if m.doubt <= 0 {
		m.rival = -1
	}
}

// turn takes the candidate of one value and the opposite bound as the best if the others only come near: for
// "at most 1", "at least 1" and not "1 second" or "a few".
func (m *quantityMatch) turn(c quantity, source []quantity) {
	if m.agreement == equal || m.agreement == implied || m.best < 0 || c.bound == exactly {
		return
	}
	best := source[m.best]
	loose := m.agreement == instance || m.agreement == differs || best.dimension != c.dimension || best.vague != c.vague
	for _, x := range m.others {
		if x.agreement == differs && x.kind == Bound && source[x.source].dimension == c.dimension && (loose || x.shared > m.others[0].shared) {
			m.agreement, m.kind, m.best = differs, Bound, x.source
			return
		}
	}
}

// pair finds a rate whose amount the source has with another frequency ("5 mg once a day" where it says "5 mg twice
// a day").
func pair(matches []quantityMatch, claim, source []quantity) {
	for i := 0; i+1 < len(claim); i++ {
		dose, often := claim[i], claim[i+1]
		if isRate(dose, often) && matches[i].agreement == implied && matches[i+1].agreement == differs {
			if j := matches[i].best; j+1 < len(source) && isProduct(dose, often, source[j], source[j+1]) {
				matches[i+1].agreement, matches[i+1].best = implied, j+1
			}
		}
		if !isRate(dose, often) || matches[i].agreement < near || matches[i+1].agreement < near {
			continue
		}
		other, held := -1, false
		for _, x := range matches[i].others {
			j := x.source
			if x.agreement < near || j+1 >= len(source) || !isRate(source[j], source[j+1]) {
				continue
			}
			y, ok := compareFigures(often, source[j+1])
			if ok && y.agreement >= near || isProduct(dose, often, source[j], source[j+1]) {
				held = true
			} else if ok && other < 0 {
				other = j + 1
			}
		}
		if other >= 0 && !held {
			matches[i+1].agreement, matches[i+1].kind, matches[i+1].best = differs, Time, other
		}
	}
}

// isProduct reports whether an amount in a period is that of a dose that is taken so often.
func isProduct(total, period, dose, often quantity) bool {
	return period.dimension == frequency && period.total && often.dimension == frequency && !often.total && total.dimension == dose.dimension && closeTo(total.low*period.low, dose.low*often.low, .02)
}

// isRate reports whether an amount and how often stand together.
func isRate(dose, often quantity) bool {
	return often.dimension == frequency && dose.dimension != frequency && dose.dimension != duration && dose.sentence == often.sentence && often.Start-dose.End < 40
}

func sharedWords(a, b []string) int {
	n := 0
	for i, word := range a {
		if !slices.Contains(a[:i], word) && slices.Contains(b, word) {
			n++
		}
	}
	return n
}

// compareFigures compares two quantities; false if they measure different things.
func compareFigures(c, s quantity) (figureCandidate, bool) {
	if s.weak && s.dimension == share {
		return figureCandidate{}, false // how sure an interval is
	}
	same := c.dimension == s.dimension
	kind := Number
	if c.dimension == duration || c.dimension == frequency || c.dimension == calendar || c.dimension == clock {
		kind = Time
	}
	if c.role == listed || s.role == listed {
		return figureCandidate{agreement: near, kind: Number}, s.role == listed && c.role != listed && c.dimension == counted && c.bound == exactly && c.low == s.low && c.low == c.high
	}
	if !same {
		if x, ok := compareIntervals(c, s); ok {
			return x, true
		}
		return compareFaces(c, s, kind)
	}
	switch c.dimension {
	case edition:
		return figureCandidate{agreement: choose2(c.unit == s.unit, equal, differs), kind: Number}, true
	case calendar:
		return figureCandidate{agreement: compareDates(c.low, s.low), kind: Time}, true
	case label:
		if !slices.Equal(c.heads, s.heads) {
			return figureCandidate{}, false
		}
	case counted, place:
		if len(c.heads) > 0 && len(s.heads) > 0 && sharedWords(c.heads, s.heads) == 0 && !sameFigure(c, s) {
			return figureCandidate{}, false
		}
	}
	if c.dimension == share && (c.high <= 1 && s.low > 1 || s.high <= 1 && c.low > 1) && (c.unit == "fold" || s.unit == "fold" || c.unit == "" || s.unit == "") {
		return figureCandidate{}, false // a share and a multiple
	}
	x := figureCandidate{kind: kind}
	switch {
	case c.vague && s.vague:
		x.agreement = choose2(c.low == s.low, equal, differs)
	case c.vague || s.vague:
		x.agreement = choose2(c.low <= s.high && s.low <= c.high, near, differs)
	case sameFigure(c, s):
		x.agreement, x.kind = compareBounds(c, s, kind)
	case c.low == c.high && (c.bound == atMost || c.bound == fewer) && s.low < s.high && closeTo(c.high, s.high, tolerance(c, s)),
		c.low == c.high && (c.bound == atLeast || c.bound == more) && s.low < s.high && closeTo(c.low, s.low, tolerance(c, s)):
		x.agreement = implied
	case s.low == s.high && s.bound != exactly && c.low < c.high && (closeTo(c.high, s.high, 1e-6) || closeTo(c.low, s.low, 1e-6)):
		x.agreement = near
	case c.low >= s.low && c.high <= s.high && s.low < s.high && (c.about || s.about),
		s.bound == exactly && c.bound == more && c.high < s.low && c.high > .86*s.low && rounder(c, s),
		s.bound == exactly && c.bound == fewer && c.low > s.high && .86*c.low < s.high && rounder(c, s),
		c.dimension == label && c.low >= s.low && c.high <= s.high:
		x.agreement = near
	case exemplary(c, s) && (holdsFor(s, c.low) || s.low <= c.low && c.high <= s.high && s.low < s.high), c.low == c.high && s.low < s.high && (c.low == s.low || c.low == s.high):
		x.agreement = instance
	default:
		x.agreement = differs
	}
	if x.agreement > near && (c.dimension == counted || c.dimension == place) && len(c.heads) > 0 && len(s.heads) > 0 && sharedWords(c.heads, s.heads) == 0 {
		x.agreement = near
	}
	if x.agreement == differs && c.dimension == duration && c.face != s.face && ageless(c, s) {
		return figureCandidate{}, false
	}
	return x, true
}

// exemplary reports whether a value may be an example of what a bound or a range of a source takes in: a patient's age,
// a time that went by, a reading.
func exemplary(c, s quantity) bool {
	if c.bound != exactly || c.about {
		return false
	}
	switch c.dimension {
	case duration:
		return c.role == aged || c.unit == s.unit && s.role != aged
	case counted, celsius, pressure:
		return c.dimension != counted || len(c.heads) == 0 && !c.words
	}
	return false
}

// rounder reports whether a figure is told with fewer digits than another.
func rounder(c, s quantity) bool {
	return c.dimension == share && c.words || digitsOf(c.face) < digitsOf(s.face)
}

// digitsOf counts the digits of a number without the zeros at its ends.
func digitsOf(v float64) int {
	text := strconv.FormatFloat(v, 'f', -1, 64)
	return len(strings.Trim(strings.ReplaceAll(text, ".", ""), "0"))
}

// holdsFor reports whether a bounded quantity allows a value.
func holdsFor(s quantity, value float64) bool {
	switch s.bound {
	case atLeast, more:
		return value > s.high || s.bound == atLeast && value == s.high
	case atMost, fewer:
		return value < s.low
	}
	return false
}

// compareIntervals compares an interval with a frequency ("an interval of 12 weeks", "every twelve weeks"), a number
// of doses with how often they are taken, and the fractions of prescriptions with their times ("5/7", five days).
func compareIntervals(c, s quantity) (figureCandidate, bool) {
	x := figureCandidate{agreement: near, kind: Time}
	often, time := c, s
	if s.dimension == frequency {
		often, time = s, c
	}
	switch {
	case often.dimension == frequency && often.low > 0 && time.dimension == duration && !time.vague:
		return x, closeTo(day/often.high, time.low, .03) && closeTo(day/often.low, time.high, .03)
	case c.unit == "lb" && s.unit == "£", c.unit == "£" && s.unit == "lb": // pounds
		return figureCandidate{agreement: near, kind: Number}, c.face == s.face && c.faceHigh == s.faceHigh
	case often.dimension == frequency && time.dimension == counted:
		return x, closeTo(often.low, time.low, 1e-6) && closeTo(often.high, time.high, 1e-6) && sharedWords(time.heads, []string{"dose", "time", "portion", "tablet", "gab", "einnahm", "dosis", "mal", "anwend"}) > 0
	}
	part, time := c, s
	if s.dimension == share {
		part, time = s, c
	}
	unit := map[float64]float64{7: day, 52: week, 12: month}[part.parts]
	if part.dimension != share || time.dimension != duration || unit == 0 || !closeTo(part.low*part.parts*unit, time.low, .01) {
		return x, false
	}
	if c.bound.opposite(s.bound) {
		x.agreement, x.kind = differs, Bound
	}
	return x, true
}

func choose2(yes bool, a, b agreement) agreement {
	if yes {
		return a
	}
	return b
}

// compareFaces compares quantities of different dimensions by their bare numbers, where one has no unit.
func compareFaces(c, s quantity, kind Kind) (figureCandidate, bool) {
	bare := func(q quantity) bool { return q.dimension == counted && !q.weak }
	switch {
	case c.dimension == counted && s.dimension == share && s.parts > 0 && (c.low == s.parts || c.low == s.over):
		return figureCandidate{agreement: near, kind: Number}, true
	case bare(c) && bareSide(s), bare(s) && bareSide(c):
	default:
		return figureCandidate{}, false
	}
	if c.dimension == label || s.dimension == label {
		c.face, c.faceHigh, s.face, s.faceHigh = c.low, c.high, s.low, s.high
	}
	if !closeTo(c.face, s.face, 1e-6) || !closeTo(c.faceHigh, s.faceHigh, 1e-6) {
		return figureCandidate{}, false
	}
	agreement, kind := compareBounds(c, s, kind)
	return figureCandidate{agreement: min(agreement, near), kind: kind}, true
}

// bareSide reports whether a quantity may be written without its unit elsewhere.
func bareSide(q quantity) bool {
	switch q.dimension {
	case frequency, clock, edition, place:
		return false
	case calendar:
		return q.low >= 1e7 && math.Mod(q.low, 10000) == 0
	}
	return true
}

// compareDates compares what both dates say.
func compareDates(c, s float64) agreement {
	part := func(v, of, modulo float64) float64 { return math.Mod(math.Floor(v/of), modulo) }
	shared, lacks := false, false
	for _, p := range [][2]float64{{10000, 10000}, {100, 100}, {1, 100}} {
		x, y := part(c, p[0], p[1]), part(s, p[0], p[1])
		switch {
		case x != 0 && y != 0 && x != y:
			return differs
		case x != 0 && y != 0:
			shared = true
		case x != 0:
			lacks = true
		}
	}
	switch {
	case !shared:
		return differs
	case lacks:
		return near
	}
	return equal
}

// sameFigure reports whether two quantities have one value.
func sameFigure(c, s quantity) bool {
	t := tolerance(c, s)
	if c.low < 0 && s.low > 0 && s.low == -c.low && s.high == -c.high || s.low < 0 && c.low == -s.low && c.high == -s.high {
		return true // "2.62 points below" is -2.62
	}
	if closeTo(c.low, s.low, t) && closeTo(c.high, s.high, t) {
		return true
	}
	if roundsTo(c.face, s.face) && roundsTo(c.faceHigh, s.faceHigh) && c.unit == s.unit && c.dimension == s.dimension {
		return true
	}
	// 1,500 and 1.500
	return c.unit == s.unit && c.low == c.high && s.low == s.high && (c.other == s.face || c.face == s.other) && c.face != 0
}

// ageless reports whether one of two times is an age or a matter of years, the other of days.
func ageless(c, s quantity) bool {
	short, long := min(c.high, s.high), max(c.low, s.low)
	return (c.role == aged) != (s.role == aged) && c.unit != s.unit || short < month && long >= 2*year
}

// roundsTo reports whether a number of two figures or more before its point is another without its decimals.
func roundsTo(v, exact float64) bool {
	return v >= 10 && v == math.Trunc(v) && v == math.Round(exact)
}

// tolerance is what two values may differ by, relative: of rounding, of another unit, and of "about".
func tolerance(c, s quantity) float64 {
	switch {
	case c.dimension == duration && coarse(c.unit) != coarse(s.unit) && max(c.low, s.low) < year:
		return .09
	case c.dimension == share && c.about && (c.words || c.unit == ""):
		return .08
	case c.about && c.dimension != counted, c.about && c.low >= 20:
		return .05
	case c.dimension == duration && coarse(c.unit) != coarse(s.unit) && max(c.low, s.low) < year:
		return .09
	case c.dimension == share && (c.unit != s.unit || c.parts > 0 || c.words):
		return .03
	case c.dimension != counted && c.unit != s.unit && (c.dimension != duration || coarse(c.unit) != coarse(s.unit)):
		return .05
	case c.dimension == frequency:
		return .03
	}
	return 1e-6
}

// coarse tells months and years, whose days are not counted, from weeks and less.
func coarse(unit string) bool {
	u := units[unit]
	return u.dimension == duration && u.factor >= month
}

func closeTo(a, b, tolerance float64) bool {
	return math.Abs(a-b) <= tolerance*max(math.Abs(a), math.Abs(b))
}

// compareBounds compares how two quantities of one value bound it.
func compareBounds(c, s quantity, kind Kind) (agreement, Kind) {
	switch {
	case c.when != "" && s.when != "" && c.when != s.when && opposedTimes[c.when] == s.when:
		return differs, Time
	case c.bound.opposite(s.bound):
		return differs, Bound
	case c.bound == s.bound && (c.dimension != frequency || c.total == s.total):
		return equal, kind
	case c.bound == s.bound:
		return implied, kind
	}
	return near, Bound
}

var opposedTimes = map[string]string{"before": "after", "after": "before", "until": "from", "from": "until"}

// boundedPair compares a range with two bounds that stand one after the other ("at least 200 and below 400").
func boundedPair(c quantity, source []quantity) (figureCandidate, bool) {
	if c.low >= c.high {
		return figureCandidate{}, false
	}
	for j := 0; j+1 < len(source); j++ {
		lower, upper := source[j], source[j+1]
		if lower.bound != atLeast && lower.bound != more || upper.bound != atMost && upper.bound != fewer || lower.dimension != upper.dimension || lower.dimension != c.dimension && lower.dimension != counted {
			continue
		}
		last := upper.high
		if upper.bound == fewer && c.high == last-1 {
			last--
		}
		if closeTo(c.low, lower.low, 1e-6) && closeTo(c.high, last, 1e-6) {
			return figureCandidate{source: j, agreement: implied, kind: Number, shared: sharedContext(c, lower)}, true
		}
	}
	return figureCandidate{}, false
}

// product compares an amount in a period ("2,000 mg daily") with a dose and how often it is taken ("1 g twice a day").
func product(c quantity, claim []quantity, i int, source []quantity) (figureCandidate, bool) {
	if c.dimension != mass && c.dimension != volume && c.dimension != counted || c.bound != exactly {
		return figureCandidate{}, false
	}
	if i+1 < len(claim) { // a dose that is taken several times is no amount in a period
		if often := claim[i+1]; often.dimension == frequency && !often.total && often.low > 1 && often.clause == c.clause {
			return figureCandidate{}, false
		}
	}
	for j := 0; j+1 < len(source); j++ {
		dose, often := source[j], source[j+1]
		if dose.dimension != c.dimension || often.dimension != frequency || often.total || often.low <= 1 || often.clause != dose.clause {
			continue
		}
		if closeTo(c.low, dose.low*often.low, .02) && closeTo(c.high, dose.high*often.high, .02) && (c.dimension != counted || sharedWords(c.heads, dose.heads) > 0) {
			return figureCandidate{source: j, agreement: implied, kind: Number, shared: sharedContext(c, dose)}, true
		}
	}
	return figureCandidate{}, false
}

// figureCheck is what the figures of sources hold of those of a claim.
type figureCheck struct {
	differences []Difference   // figures that exclude those of the claim, said of the like
	pairs       [][2]quantity  // of the differences: the claim's and the source's
	unstated    []passage.Span // figures of the claim that no source has, or has otherwise
	examples    []passage.Span // values that a bound or a range of a source takes in: words cannot tell
}

// figureAlike is the share of the context of a claim's figure that one of a source must have around it to exclude it.
const figureAlike = .3

// checkFigures compares the figures of a claim with those of all its sources.
func checkFigures(claim *reading, sources []Source) figureCheck {
	claimed := readQuantitiesIn(claim.text, claim.german)
	if !slices.ContainsFunc(claimed, func(q quantity) bool { return !q.weak }) {
		return figureCheck{}
	}
	var stated []quantity
	var owners []int
	const apart = 1 << 20 // sentences of two sources are not one
	for i, s := range sources {
		for _, q := range readQuantitiesIn(s.Above+"\n"+s.Text, claim.german) {
			q.sentence, q.clause = q.sentence+i*apart, q.clause+i*apart
			stated, owners = append(stated, q), append(owners, i)
		}
	}
	var check figureCheck
	for _, m := range compareQuantities(claimed, stated) {
		c := claimed[m.claim]
		switch {
		case c.weak || m.agreement > instance:
			continue
		case m.agreement == instance:
			check.examples = append(check.examples, c.Span)
			continue
		}
		check.unstated = append(check.unstated, c.Span)
		if m.agreement != differs || m.best < 0 {
			continue
		}
		s := stated[m.best]
		offset := len(sources[owners[m.best]].Above) + 1
		if s.Start >= offset && m.like(c, s) {
			check.pairs = append(check.pairs, [2]quantity{c, s})
			claimed, stated := c.Span, s.Span
			if m.kind == Number && c.bound == s.bound {
				claimed, stated = c.Number, s.Number // they are bounded in the same way
			}
			check.differences = append(check.differences, Difference{
				Kind: m.kind, Claimed: claimed,
				Stated: Quote{Source: owners[m.best], Span: passage.Span{Start: stated.Start - offset, End: stated.End - offset}},
			})
		}
	}
	return check
}

// like reports whether the best candidate stands among words that are enough like those around the claim's figure.
func (m quantityMatch) like(c, s quantity) bool {
	if c.dimension == calendar && m.agreement == differs && len(m.others) > 1 {
		return false // other events have other years
	}
	if c.dimension == counted && (len(c.heads) > 0 || len(s.heads) > 0) && sharedWords(c.heads, s.heads) == 0 && m.kind == Number {
		return false
	}
	for _, x := range m.others {
		if x.source == m.best {
			return x.shared >= 1 && x.shared >= figureAlike*float64(len(c.context))
		}
	}
	return false
}
