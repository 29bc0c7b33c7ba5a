package entail

import (
	"math"
	"slices"
)

// agreement says how a quantity of a source stands to one of a claim; the greater, the better.
type agreement byte

const (
	unmatched agreement = iota // the source has none to compare with
	differs                    // of one dimension, and not the same
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
	others    []figureCandidate // all that can be compared, the best first
}

// figureCandidate is a quantity of a source that one of a claim can be compared with.
type figureCandidate struct {
	source    int
	agreement agreement
	kind      Kind
	sameHead  bool
	shared    int // content words of the clauses that both have
}

// compareQuantities compares each quantity of a claim with all of a source.
func compareQuantities(claim, source []quantity) []quantityMatch {
	matches := make([]quantityMatch, len(claim))
	for i, c := range claim {
		m := quantityMatch{claim: i, best: -1}
		for j, s := range source {
			x, ok := compareFigures(c, s)
			if !ok {
				continue
			}
			x.source = j
			x.shared = sharedWords(c.around, s.around)
			x.sameHead = sharedWords(c.heads, s.heads) > 0
			m.others = append(m.others, x)
		}
		if x, ok := product(c, claim, i, source); ok {
			m.others = append(m.others, x)
		}
		slices.SortStableFunc(m.others, func(a, b figureCandidate) int {
			if a.agreement != b.agreement {
				return int(b.agreement) - int(a.agreement)
			}
			return b.rank() - a.rank()
		})
		if len(m.others) > 0 {
			best := m.others[0]
			m.best, m.agreement, m.kind = best.source, best.agreement, best.kind
		}
		matches[i] = m
	}
	return matches
}

func (x figureCandidate) rank() int {
	rank := 2 * x.shared
	if x.sameHead {
		rank += 3
	}
	return rank
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
	same := c.dimension == s.dimension
	kind := Number
	if c.dimension == duration || c.dimension == frequency || c.dimension == calendar || c.dimension == clock {
		kind = Time
	}
	if !same {
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
	x := figureCandidate{kind: kind}
	switch {
	case sameFigure(c, s):
		x.agreement, x.kind = compareBounds(c, s, kind)
	case c.low == c.high && (c.bound == atMost || c.bound == fewer) && s.low < s.high && closeTo(c.high, s.high, tolerance(c, s)),
		c.low == c.high && (c.bound == atLeast || c.bound == more) && s.low < s.high && closeTo(c.low, s.low, tolerance(c, s)):
		x.agreement = implied
	case s.low == s.high && s.bound != exactly && c.low < c.high && (closeTo(c.high, s.high, 1e-6) || closeTo(c.low, s.low, 1e-6)):
		x.agreement = near
	case c.low >= s.low && c.high <= s.high && s.low < s.high && (c.about || s.about):
		x.agreement = near
	default:
		x.agreement = differs
	}
	if x.agreement > near && (c.dimension == counted || c.dimension == place) && len(c.heads) > 0 && len(s.heads) > 0 && sharedWords(c.heads, s.heads) == 0 {
		x.agreement = near
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
	case bare(c) && bareSide(s), bare(s) && bareSide(c):
	default:
		return figureCandidate{}, false
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
	case frequency, clock, edition, label, place:
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
	if closeTo(c.low, s.low, t) && closeTo(c.high, s.high, t) {
		return true
	}
	// 1,500 and 1.500
	return c.unit == s.unit && c.low == c.high && s.low == s.high && (c.other == s.face || c.face == s.other) && c.face != 0
}

// tolerance is what two values may differ by, relative: of rounding, of another unit, and of "about".
func tolerance(c, s quantity) float64 {
	switch {
	case c.dimension == share && c.about && (c.words || c.unit == ""):
		return .08
	case c.about && c.dimension != counted, c.about && c.low >= 20:
		return .05
	case c.dimension == share && c.unit != s.unit:
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

// product compares an amount in a period ("2,000 mg daily") with a dose and how often it is taken ("1 g twice a day").
func product(c quantity, claim []quantity, i int, source []quantity) (figureCandidate, bool) {
	if c.dimension != mass && c.dimension != volume && c.dimension != counted {
		return figureCandidate{}, false
	}
	for j := 0; j+1 < len(source); j++ {
		dose, often := source[j], source[j+1]
		if dose.dimension != c.dimension || often.dimension != frequency || often.total || often.low <= 1 || often.clause != dose.clause {
			continue
		}
		if closeTo(c.low, dose.low*often.low, .02) && closeTo(c.high, dose.high*often.high, .02) && (c.dimension != counted || sharedWords(c.heads, dose.heads) > 0) {
			return figureCandidate{source: j, agreement: implied, kind: Number, shared: sharedWords(c.around, dose.around)}, true
		}
	}
	return figureCandidate{}, false
}
