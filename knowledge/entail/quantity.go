package entail

import (
	"lacuna/knowledge/passage"
	"strings"
)

// readQuantities returns the quantities of a text, in order. They do not overlap, but a rate is two: an amount
// and how often ("5 mg twice a day").
func readQuantities(text string) []quantity { return readQuantitiesIn(text, isGerman(text)) }

func readQuantitiesIn(text string, german bool) []quantity {
	f := figuresIn(text, german)
	for i := 0; i < len(f.marks); {
		if next, skip := f.unread(i); skip {
			i = next
			continue
		}
		i = f.readAt(i)
	}
	f.findNeighbours()
	f.findLists()
	if german {
		f.putRatesBehind()
	}
	return f.all
}

// readAt adds what begins at a mark and returns where to go on.
func (f *figures) readAt(i int) int {
	if next := f.germanRateAt(i); next > i {
		return next
	}
	for _, read := range []func(int) (quantity, int, bool){f.dateAt, f.clockAt, f.frequencyAt, f.labelAt, f.vagueAt, f.amountAt} {
		if q, next, ok := read(i); ok && next > i {
			if q.face == 0 && q.faceHigh == 0 {
				q.face, q.faceHigh, q.other = q.low, q.high, q.low
			}
			next = f.add(q, i, next)
			return next
		}
	}
	if f.text(i) == "per" || f.text(i) == "pro" {
		if per, next, ok := f.periodAt(i); ok {
			return f.add(quantity{low: per, high: per, dimension: frequency, role: recurring, total: true}, i, next)
		}
	}
	return i + 1
}

// add completes a quantity that spans marks and returns where to go on.
func (f *figures) add(q quantity, from, next int) int {
	q.Number = passage.Span{Start: f.marks[from].Start, End: f.marks[next-1].End}
	start, end := f.bind(&q, from, next)
	q.Span = passage.Span{Start: f.marks[start].Start, End: f.marks[end-1].End}
	q.clause, q.sentence = f.clauses[from], f.sentences[from]
	f.all = append(f.all, q)
	// A rate: "500 mg a day", "three tablets a day".
	if q.dimension != frequency && q.dimension != calendar && q.dimension != clock {
		for j := next; j <= next+3 && j < len(f.marks) && !f.isEnd(j); j++ {
			switch f.text(j) {
			case "a", "an", "per", "/", "pro", "am", "im", "each", "every":
				if per, after, ok := f.periodAt(j); ok && !(j > next && q.dimension != counted && q.dimension != share && f.text(j) != "per" && f.text(j) != "each") {
					rate := quantity{low: per, high: per, dimension: frequency, role: recurring, total: true, face: per, faceHigh: per, other: per}
					if f.text(j) == "each" || f.text(j) == "every" {
						break
					}
					rate.Span = passage.Span{Start: f.marks[j].Start, End: f.marks[after-1].End}
					rate.Number, rate.clause, rate.sentence = rate.Span, q.clause, q.sentence
					f.all = append(f.all, rate)
					if bound, _, ok := f.boundBehind(after); ok && q.bound == exactly {
						f.all[len(f.all)-2].bound = bound
					}
					return after
				}
			}
			if f.kind(j) != wordMark || f.isNumeral(j) || timesWords[f.text(j)] != 0 || adverbs[f.text(j)] != 0 {
				break
			}
		}
	}
	return next
}

// fillers may stand between a number and its unit of time.
var fillers = map[string]bool{"business": true, "working": true, "consecutive": true, "full": true, "calendar": true, "whole": true, "more": true, "further": true, "additional": true, "extra": true, "successive": true, "good": true, "other": true, "weitere": true, "solid": true, "entire": true}

// amountAt reads a number with its unit, or what it counts.
func (f *figures) amountAt(i int) (quantity, int, bool) {
	from := i
	prefix := prefixUnits[f.text(i)]
	if prefix != "" {
		i++
	}
	negative := false
	if (f.text(i) == "-" || f.text(i) == "−") && i+1 < len(f.marks) && f.kind(i+1) == digitMark && f.tight(i+1) && f.spaced(i) {
		negative = true
		i++
	}
	if i > 0 && f.kind(i) == wordMark && f.tight(i) && f.text(i-1) == "-" && f.tight(i-1) && !negative {
		return quantity{}, from, false // "one-off" begins a word, "side-one" does not
	}
	n, ok := f.rangeAt(i)
	if !ok {
		return quantity{}, from, false
	}
	if n.version != "" {
		return quantity{dimension: edition, unit: n.version, heads: []string{n.version}, low: 1, high: 1}, n.next, true
	}
	if negative {
		n.low, n.high, n.other = -n.low, -n.high, -n.other
	}
	q := quantity{low: n.low, high: n.high, face: n.low, faceHigh: n.high, other: n.other, words: n.words, weak: n.weak, about: n.about}
	digits := !n.words
	if prefix != "" {
		u := units[prefix]
		q.dimension, q.unit = u.dimension, u.name
		next := n.next
		if u2, after, ok := f.simpleUnitAt(next, true); ok && u2.dimension == u.dimension {
			next = after
		}
		return q, next, true
	}
	if digits && n.low == n.high && f.tight(n.next) && f.text(n.next) == "s" {
		if old, ok := f.agedAt(q, n, i); ok {
			return old, n.next + 1, true
		}
	}
	if n.ordinal {
		return f.ordinalAt(q, n)
	}
	q.parts = n.parts
	if n.parts > 0 {
		q.over = n.low * n.parts
	}
	if part, next, ok := f.partAt(q, n); ok {
		if part.dimension == share {
			part.face, part.faceHigh, part.other = part.low, part.high, part.low
		}
		return part, next, true
	}
	next := n.next
	hyphen := f.text(next) == "-" && f.tight(next) && f.tight(next+1)
	if hyphen {
		next++
	} else if f.kind(i) == hanMark || next < len(f.marks) && f.kind(next) == hanMark {
		return f.hanAmountAt(q, n, from)
	}
	if fillers[f.text(next)] {
		if u, _, ok := f.simpleUnitAt(next+1, false); ok && u.dimension == duration {
			next++
		}
	}
	u, after, ok := f.unitAt(next, digits && !hyphen)
	if f.text(next) == "second" && n.words && !hyphen && n.weak {
		ok = ok && f.text(next+1) != "of"
	}
	if ok && hyphen && u.vague {
		ok = false
	}
	if !ok {
		if n.fraction && n.low < 1 {
			q.dimension = share
		}
		q.heads = f.headsAt(next)
		if f.text(n.next) == "°" {
			after = n.next + 1
		}
		return f.countOf(q, n, i)
	}
	f.measureBy(&q, u)
	q.weak = u.dimension == share && (q.low == .95 || q.low == .9 || q.low == .99) && confidence[f.text(after)] // of an interval
	// A range with its unit on both sides: "5 mg to 10 mg", "37 °C–38 °C".
	after = f.extend(&q, from, after)
	if u.dimension == duration {
		if before := f.text(from - 1); before == "of" && persons[f.text(from-2)] || u.factor >= month && (persons[before] || before == "age" || before == "aged" || before == "ages") {
			q.role = aged
		}
		if (f.text(after) == "-" || f.text(after) == "of") && (f.text(after+1) == "old" || f.text(after+1) == "age") {
			q.role, after = aged, after+2
		} else if f.text(after) == "old" || f.text(after) == "alt" {
			q.role, after = aged, after+1
		}
		// "1 hour 30 minutes", "two and a half hours" is read before
		if m, ok := f.numeralAt(after); ok && q.low == q.high && !m.fraction && !m.ordinal && m.low > 0 {
			if v, end, ok := f.simpleUnitAt(m.next, true); ok && v.dimension == duration && v.factor < u.factor && f.text(after-1) != "," {
				q.low += m.low * v.factor
				q.high, after = q.low, end
			}
		}
	}
	q.heads = f.headsAt(after)
	if u.dimension == share && u.factor == 1 { // "threefold", "3 倍"
		q.weak = false
	}
	return q, after, true
}

// agedAt reads "over-65s" and "in their 60s".
func (f *figures) agedAt(q quantity, n numeral, i int) (quantity, bool) {
	if n.low < 10 || n.low > 110 {
		return q, false
	}
	switch f.text(i - 1) {
	case "-", "over", "under", "the":
	case "their", "his", "her", "early", "late", "mid":
		q.high += 9
	default:
		return q, false
	}
	q.low, q.high, q.dimension, q.role, q.weak = q.low*year, q.high*year, duration, aged, false
	return q, true
}

// vagueAt reads "a few days", "several weeks", and "an hour" behind a word of time.
func (f *figures) vagueAt(i int) (quantity, int, bool) {
	j := i
	if (f.text(j) == "a" || f.text(j) == "the" || f.text(j) == "first") && f.text(j+1) == "few" {
		j++
	}
	q := quantity{words: true}
	switch text := f.text(j); {
	case vagueNumbers[text]:
		if f.text(j+1) == "more" {
			j++
		}
		u, next, ok := f.simpleUnitAt(j+1, false)
		if !ok || u.dimension != duration || f.kind(j) == hanMark && f.text(j+1) == "年" && f.text(j+2) == "级" {
			return q, i, false
		}
		q.low, q.high, q.dimension, q.unit, q.about, q.vague = 1.5*u.factor, 10*u.factor, duration, u.name, true, true
		return q, next, true
	case text == "a" || text == "an" || text == "eine" || text == "einer" || text == "einem":
		p := periods[f.text(j+1)]
		if p == 0 || len(f.text(j+1)) < 3 || f.text(j+1) == "quarter" {
			return q, i, false
		}
		before, behind := f.text(j-1), f.text(j+2)
		if !(beforeSpan[before] || whens[before] != "" || whens[behind] != "" || behind == "old" || behind == "or") || before == "times" {
			return q, i, false
		}
		q.low, q.high, q.face, q.faceHigh, q.other, q.dimension, q.unit = p, p, 1, 1, 1, duration, f.text(j+1)
		if behind == "old" {
			q.role = aged
			return q, j + 3, true
		}
		return q, j + 2, true
	case barePeriods[text] != 0: // "within minutes", "for weeks or months"
		if u, ok := units[text]; ok && (!f.isNumeral(i-1) || f.text(i-1) == "first") && (beforeSpan[f.text(i-1)] || f.text(i-1) == "first" || f.text(i-1) == "or" || f.text(i-1) == "many" || whens[f.text(i-1)] != "" || whens[f.text(i+1)] != "") {
			q.low, q.high, q.dimension, q.unit, q.about, q.vague, q.weak = 1.5*u.factor, 10*u.factor, duration, u.name, true, true, true
			return q, j + 1, true
		}
	case text == "both":
		if behind := f.text(j + 1); len(behind) > 3 && strings.HasSuffix(behind, "s") && f.text(j+2) != "and" {
			q.low, q.high, q.face, q.faceHigh, q.other, q.weak = 2, 2, 2, 2, 2, true
			q.heads = f.headsAt(j + 1)
			return q, j + 1, true
		}
	}
	return q, i, false
}

// barePeriods are periods of which some are meant where no number stands.
var barePeriods = map[string]float64{"minutes": minute, "hours": hour, "days": day, "weeks": week, "months": month, "years": year}

var vagueNumbers = map[string]bool{"few": true, "several": true, "some": true, "einige": true, "einigen": true, "mehrere": true, "mehreren": true, "wenige": true, "wenigen": true, "几": true, "数": true}

// beforeSpan are words before "an hour" that make it a time.
var beforeSpan = map[string]bool{"within": true, "for": true, "about": true, "over": true, "under": true, "least": true, "than": true, "to": true, "nearly": true, "almost": true, "around": true, "roughly": true, "half": true, "innerhalb": true, "etwa": true, "in": true, "lasts": true}

// extend makes an amount the lower end of a range if another of its dimension is joined to it: "5 mg to 10 mg",
// 两周到一个半月.
func (f *figures) extend(q *quantity, from, after int) int {
	switch f.text(after) {
	case "-", "–", "to", "bis", "~", "到", "至", "～":
	case "and", "und":
		if before := f.text(from - 1); before != "between" && before != "zwischen" {
			return after
		}
	default:
		return after
	}
	if q.low != q.high || f.extending || !f.isNumeral(after+1) {
		return after
	}
	f.extending = true
	upper, next, ok := f.amountAt(after + 1)
	f.extending = false
	if !ok || upper.dimension != q.dimension || upper.low <= q.low {
		return after
	}
	q.high, q.faceHigh = upper.high, upper.faceHigh
	return next
}

var confidence = map[string]bool{"ci": true, "cis": true, "confidence": true, "credible": true, "cri": true}

// persons are those of whom a time says how old they are.
var persons = map[string]bool{"child": true, "children": true, "baby": true, "infant": true, "infants": true, "boy": true, "girl": true, "man": true, "woman": true, "men": true, "women": true, "patient": true, "adult": true, "adults": true, "person": true, "people": true, "someone": true}

// measureBy gives a number its unit.
func (f *figures) measureBy(q *quantity, u measure) {
	q.low, q.high = (q.low+u.offset)*u.factor, (q.high+u.offset)*u.factor
	q.dimension, q.unit, q.weak = u.dimension, u.name, false
}

// ordinalAt reads "the first week" as a time, "third-line" as a place.
func (f *figures) ordinalAt(q quantity, n numeral) (quantity, int, bool) {
	next := n.next
	if f.text(next) == "-" || f.text(next) == "full" {
		next++
	}
	if p := periods[f.text(next)]; p != 0 && p >= hour && f.text(next) != "quarter" && !strings.HasSuffix(f.text(next), "s") {
		q.low, q.high, q.dimension, q.role, q.unit, q.weak = q.low*p, q.low*p, duration, point, f.text(next), false
		return q, next + 1, true
	}
	if f.text(next) == "birthday" {
		q.low, q.high, q.dimension, q.role = q.low*year, q.high*year, duration, aged
		return q, next + 1, true
	}
	if vagueNumbers[f.text(next)] || barePeriods[f.text(next)] != 0 || f.isNumeral(next) && !f.isEnd(next) { // "the first three days"
		return q, n.next, false
	}
	if f.text(next) == "trimester" {
		q.low, q.high, q.dimension, q.role, q.unit = q.low*3*month, q.low*3*month, duration, point, "month"
		return q, next + 1, true
	}
	q.dimension, q.heads = place, f.headsAt(next)
	q.weak = n.words
	return q, n.next, true
}

// partAt reads fractions of a unit ("half an hour"), shares ("1 in 10", "9 out of 10", "1.6 per 100,000") and multiples
// ("twice as", "three times the").
func (f *figures) partAt(q quantity, n numeral) (quantity, int, bool) {
	next := n.next
	if n.fraction && n.low < 1 {
		j := next
		if f.text(j) == "of" || f.text(j) == "von" {
			j++
		}
		if f.text(j) == "a" || f.text(j) == "an" || f.text(j) == "einer" || f.text(j) == "eines" || f.text(j) == "one" {
			j++
		}
		if scale := scaleWords[f.text(j)]; scale > 100 || f.text(j) == "dozen" {
			if f.text(j) == "dozen" {
				scale = 12
			}
			q.low, q.high, q.other = q.low*scale, q.high*scale, q.low*scale
			q.face, q.faceHigh, q.heads = q.low, q.high, f.headsAt(j+1)
			return q, j + 1, true
		}
		if f.text(j) == "-" {
			j++
		}
		if u, after, ok := f.simpleUnitAt(j, !n.words); ok && u.dimension != share && f.text(j) != "second" && f.kind(j) != hanMark {
			f.measureBy(&q, u)
			q.heads = f.headsAt(after)
			return q, after, true
		}
		if j < len(f.marks) && f.kind(j) == hanMark {
			return q, next, false
		}
		q.dimension = share
		q.heads = f.headsAt(next)
		return q, next, true
	}
	j := next
	switch f.text(j) {
	case "in", "per", "von":
		j++
	case "out":
		if f.text(j+1) != "of" {
			return q, next, false
		}
		j += 2
	case "of":
		j++
	case ":":
		if q.low != 1 || !f.tight(j) || !f.tight(j+1) {
			return q, next, false
		}
		j++
	default:
		if at := f.oneAmong(q, n); at > 0 {
			m, _ := f.numeralAt(at)
			q.low, q.high, q.dimension, q.weak = q.low/m.low, q.high/m.low, share, false
			q.heads = f.headsAt(next)
			return q, m.next, true
		}
		if (f.text(j) == "times" || f.text(j) == "×" || f.text(j) == "x" || f.text(j) == "mal") && !f.perPeriod(j+1) {
			switch f.text(j + 1) {
			case "as", "the", "more", "higher", "greater", "lower", "less", "that", "larger", "faster", "likelier", "so", "mehr", "höher", "longer", "his", "her", "their", "its":
				q.dimension, q.heads = share, f.headsAt(j+1)
				return q, j + 1, true
			}
		}
		return q, next, false
	}
	if f.text(j) == "every" || f.text(j) == "the" || f.text(j) == "all" {
		j++
	}
	m, ok := f.numeralAt(j)
	if !ok || f.text(next) == "of" && m.words && n.words && m.low < 3 || m.low <= q.high || m.ordinal || m.fraction || m.version != "" || m.weak {
		return q, next, false
	}
	if u, _, ok := f.unitAt(m.next, !m.words); ok && u.dimension != share && (u.dimension == duration || !u.vague) {
		return q, next, false
	}
	if y, _ := f.yearAt(j); y >= 1900 && f.text(next) == "in" && q.low != 1 {
		return q, next, false
	}
	q.over, q.parts = q.low, m.low
	q.low, q.high, q.dimension, q.weak = q.low/m.low, q.high/m.low, share, false
	q.heads = f.headsAt(m.next)
	return q, m.next, true
}

// oneAmong finds the whole of "one person in a thousand", or 0.
func (f *figures) oneAmong(q quantity, n numeral) int {
	if q.low != 1 || q.high != 1 {
		return 0
	}
	for j := n.next + 1; j <= n.next+4 && j+1 < len(f.marks) && !f.isEnd(j); j++ {
		if f.text(j) == "in" || f.text(j) == "per" {
			m, ok := f.numeralAt(j + 1)
			if !ok || m.low < 5 || m.ordinal || m.fraction || m.version != "" {
				return 0
			}
			if y, _ := f.yearAt(j + 1); y != 0 {
				return 0
			}
			if _, _, unit := f.unitAt(m.next, !m.words); unit {
				return 0
			}
			return j + 1
		}
	}
	return 0
}

// perPeriod reports whether a period follows, as behind "three times".
func (f *figures) perPeriod(i int) bool {
	_, _, ok := f.periodAt(i)
	return ok
}

// countOf completes a number without a unit.
func (f *figures) countOf(q quantity, n numeral, i int) (quantity, int, bool) {
	if q.weak && n.words {
		if before := f.text(i - 1); before == "any" || before == "only" || before == "just" || before == "exactly" {
			q.weak = len(q.heads) == 0
		} else if len(q.heads) == 0 || f.text(i-1) == "no" || f.text(i-1) == "this" || f.text(i-1) == "that" || f.text(i-1) == "the" || f.text(n.next) == "of" && f.text(n.next+1) != "the" {
			return q, n.next, false
		}
	}
	if n.words && f.text(i-1) == "the" && (len(q.heads) == 0 || f.text(n.next) == "together") { // "the two together"
		q.weak = true
	}
	switch before := f.text(i - 1); before {
	case "age", "aged", "ages", "alter":
		q.low, q.high, q.dimension, q.role = q.low*year, q.high*year, duration, aged
	case "of", "=", "≥", "≤", ">", "<", "over", "under", "above", "below":
		if f.text(i-2) == "age" || f.text(i-2) == "aged" || f.text(i-2) == "ages" {
			q.low, q.high, q.dimension, q.role = q.low*year, q.high*year, duration, aged
		}
	}
	return q, n.next, true
}

// hanMeasures count things in Chinese.
const hanMeasures = "个种次片粒颗袋支瓶杯勺滴条根块张位名例人只枚针针支头类项步层组份盒碗顿口遍回点成步道瓣克岁度斤两件台座章节"

// hanAmountAt reads a number with a unit or a measure in Chinese: 两周, 三片, 半个月, 一个半月, 十多天, 37度5.
func (f *figures) hanAmountAt(q quantity, n numeral, from int) (quantity, int, bool) {
	next := n.next
	switch f.text(next) {
	case "多", "余", "几":
		if _, _, ok := f.simpleUnitAt(next+1, true); ok || f.isHanMeasure(next+1) {
			q.about, next = true, next+1
		}
	}
	digits := !n.words
	// a range with its unit twice: 5天到7天
	half := false
	if f.text(next) == "个" && f.text(next+1) == "半" {
		q.low, q.high, half = q.low+.5, q.high+.5, true
		next += 2
	} else if f.text(next) == "个" {
		if _, after, ok := f.simpleUnitAt(next, digits); ok && after > next+1 {
		} else if u, _, ok := f.simpleUnitAt(next+1, digits); ok && (u.dimension == duration || u.dimension == "activity") {
			next++
		}
	}
	if f.text(next) == "周" && f.text(next+1) == "岁" || f.text(next) == "岁" {
		next++
		if f.text(next-1) == "周" {
			next++
		}
		q.low, q.high, q.dimension, q.role, q.unit, q.weak = q.low*year, q.high*year, duration, aged, "岁", false
		if f.text(next) == "半" {
			q.low, q.high, next = q.low+year/2, q.high+year/2, next+1
		}
		return q, f.extend(&q, from, next), true
	}
	if f.text(next) == "成" && n.words && n.low < 10 && f.text(next+1) != "人" && f.text(next+1) != "功" && f.text(next+1) != "为" && f.text(next+1) != "立" {
		q.low, q.high, q.dimension, q.weak = q.low/10, q.high/10, share, false
		return q, next + 1, true
	}
	u, after, ok := f.unitAt(next, digits)
	if ok && (u.name == "bit" && n.words || u.name == "日" && n.words && f.text(after) == "常") {
		ok = false
	}
	if ok && u.name == "year" && n.words && f.text(after) == "级" {
		ok = false
	}
	if !ok {
		if n.fraction && n.low < 1 && !f.isHanMeasure(next) {
			if f.text(from) == "半" && !f.isHalf(from) {
				return q, from, false
			}
			q.dimension = share
			q.heads = f.headsAt(next)
			return q, next, true
		}
		if f.isHanMeasure(next) && !half {
			if share, after, ok := f.hanShareAt(q, next+1); ok {
				return share, after, true
			}
			q.heads = f.headsAt(next + 1)
			if f.text(next) == "度" {
				q.dimension, q.unit = celsius, "°c"
				if v, _, ok := digitsValue(f.text(next + 1)); ok && f.kind(next+1) == digitMark && v < 10 {
					q.low, q.high = q.low+v/10, q.low+v/10
					q.face, q.faceHigh, q.other = q.low, q.high, q.low
					return q, next + 2, true
				}
			}
			return q, next + 1, true
		}
		if n.words && n.low < 100 || n.words && n.weak {
			return q, from, false
		}
		if half {
			return q, from, false
		}
		q.weak = false
		return q, n.next, true
	}
	if n.weak && u.dimension != duration && u.dimension != mass && u.dimension != volume {
		q.weak = true
	}
	weak := q.weak && (u.name == "日" || u.name == "day" && f.text(next) == "日")
	f.measureBy(&q, u)
	q.weak = weak
	if u.dimension == celsius {
		if v, _, ok := digitsValue(f.text(after)); ok && after < len(f.marks) && f.kind(after) == digitMark && f.tight(after) && v < 10 {
			q.low, q.high, after = q.low+v/10, q.low+v/10, after+1
			q.face, q.faceHigh, q.other = q.low, q.high, q.low
		}
	}
	if f.text(after) == "半" && u.dimension == duration {
		q.low, q.high, after = q.low+u.factor/2, q.high+u.factor/2, after+1
	}
	after = f.extend(&q, from, after)
	q.heads = f.headsAt(after)
	return q, after, true
}

// hanShareAt reads 四个人中有一个.
func (f *figures) hanShareAt(q quantity, i int) (quantity, int, bool) {
	for j := i; j < i+3 && j < len(f.marks); j++ {
		if f.text(j) != "中" && f.text(j) != "里" {
			continue
		}
		j++
		if f.text(j) == "就" {
			j++
		}
		if f.text(j) == "有" {
			j++
		}
		if n, ok := f.numeralAt(j); ok && f.isHanMeasure(n.next) && n.high < q.low {
			q.over, q.parts = n.low, q.low
			q.low, q.high, q.dimension, q.weak = n.low/q.parts, n.high/q.parts, share, false
			q.face, q.faceHigh, q.other = q.low, q.high, q.low
			return q, n.next + 1, true
		}
		break
	}
	return q, i, false
}

// isHalf reports whether 半 means a half, not a part of a word as in 半夜.
func (f *figures) isHalf(i int) bool {
	return f.text(i-1) == "减" || f.text(i-1) == "一" || f.text(i-1) == "大" || f.text(i-1) == "过"
}

func (f *figures) isHanMeasure(i int) bool {
	return i < len(f.marks) && f.kind(i) == hanMark && strings.Contains(hanMeasures, f.text(i))
}

// germanRateAt reads "2 x 50 mg täglich" and "3 x 1 g/d", the amount before how often, and returns where to go on, or i.
func (f *figures) germanRateAt(i int) int {
	if !f.german {
		return i
	}
	n, ok := f.numeralAt(i)
	if !ok || n.low < 1 || n.low > 24 || n.fraction || n.ordinal || n.version != "" || f.text(n.next) != "x" && f.text(n.next) != "×" && f.text(n.next) != "mal" {
		return i
	}
	from := n.next + 1
	q, next, ok := f.amountAt(from)
	if !ok || q.dimension == counted || q.dimension == share || q.dimension == duration {
		return i
	}
	per, after, ok := f.periodAt(next)
	if !ok {
		return i
	}
	if q.face == 0 {
		q.face, q.faceHigh, q.other = q.low, q.high, q.low
	}
	before := len(f.all)
	if read := f.add(q, from, next); read > next && len(f.all) == before+2 { // the period was read with the amount
		f.all = f.all[:before+1]
	}
	often := n.low * per
	return f.add(quantity{low: often, high: often, face: often, faceHigh: often, other: often, dimension: frequency, role: recurring}, next, after)
}

// putRatesBehind puts how often behind the amount before which it stands, as elsewhere: "täglich 500 mg".
func (f *figures) putRatesBehind() {
	for i := 0; i+1 < len(f.all); i++ {
		often, amount := f.all[i], f.all[i+1]
		if often.dimension != frequency || often.low < 1 || amount.dimension != mass && amount.dimension != volume && amount.dimension != "activity" || often.clause != amount.clause || amount.Start-often.End > 20 {
			continue
		}
		if i+2 < len(f.all) && isRate(amount, f.all[i+2]) && f.all[i+2].clause == amount.clause || i > 0 && isRate(f.all[i-1], often) && f.all[i-1].clause == often.clause {
			continue
		}
		f.all[i], f.all[i+1] = amount, often
		i++
	}
}
