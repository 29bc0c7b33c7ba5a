package entail

import (
	"strings"
)

// boundPhrases are words before a number that bound it, by phrase.
var boundPhrases = map[string]limit{}

// aboutPhrases are words before a number that blur it.
var aboutPhrases = map[string]bool{}

// endPhrases are words behind a number that bound it.
var endPhrases = map[string]limit{}

func init() {
	for bound, phrases := range map[limit]string{
		atLeast: "at least|no less than|not less than|no fewer than|not fewer than|no lower than|not below|not under|no sooner than|no earlier than|a minimum of|minimum of|minimum|min|min .|≥|> =|⩾|greater than or equal to|more than or equal to|equal to or greater than|equal to or more than|starting at|a good|as much as at least|mindestens|wenigstens|nicht weniger als|ab|mind|nicht unter|frühestens|nicht vor|not earlier than|never less than|lower limit of|lower limit|at the least|至少|最少|不少于|不低于|起码|不小于|最低",
		more:    "more than|over|above|greater than|higher than|exceeding|exceeds|exceed|exceeded|in excess of|>|beyond|older than|longer than|upwards of|past|later than|heavier than|larger than|bigger than|well over|just over|mehr als|über|länger als|älter als|höher als|größer als|schwerer als|später als|oberhalb von|oberhalb|超过|大于|高于|多于|逾|超|高过|上",
		atMost:  "at most|up to|no more than|not more than|a maximum of|maximum of|maximum|max|max .|≤|< =|⩽|less than or equal to|equal to or less than|not exceeding|not exceed|not over|not above|no longer than|no later than|no higher than|no greater than|limit of|upper limit of|upper limit|cap of|within|never more than|as many as|as much as|at the most|at the very most|höchstens|maximal|bis zu|nicht mehr als|innerhalb von|innerhalb|binnen|nicht über|bis maximal|maximal bis zu|spätestens|nicht später als|not beyond|不超过|最多|至多|不高于|不大于|不多于|最长|最高|不超",
		fewer:   "less than|under|below|fewer than|lower than|<|younger than|shorter than|smaller than|short of|sooner than|earlier than|lighter than|weniger als|unter|jünger als|kürzer als|niedriger als|kleiner als|geringer als|leichter als|früher als|unterhalb von|unterhalb|低于|小于|少于|不到|不足|未满|未达|不满",
	} {
		for phrase := range strings.SplitSeq(phrases, "|") {
			boundPhrases[phrase] = bound
		}
	}
	for phrase := range strings.SplitSeq("about|around|approximately|approx|approx .|roughly|~|≈|circa|ca|ca .|c .|some|close to|nearly|almost|an estimated|estimated|an average of|on average|in the region of|just under|etwa|ungefähr|rund|fast|knapp|nahezu|zirka|约|大约|大概|将近|近|接近|差不多|平均", "|") {
		aboutPhrases[phrase] = true
	}
	for bound, phrases := range map[limit]string{
		atLeast: "or more|or over|or above|or older|or higher|or greater|or longer|or later|or beyond|or heavier|or upwards|and over|and above|and older|and up|and upwards|and more|and higher|and beyond|plus|+|at least|at minimum|minimum|at the least|at the very least|or better|oder mehr|und mehr|oder älter|und älter|oder höher|oder darüber|und darüber|und höher|oder länger|und länger|oder größer|aufwärts|nicht unterschreiten|nicht unterschritten|nicht unterschreitet|以上|及以上|或以上|或更多|或更高",
		atMost:  "or less|or under|or below|or fewer|or lower|or younger|or shorter|or earlier|or lighter|and under|and below|and younger|and less|and lower|at most|at the most|at the very most|maximum|max|tops|or smaller|oder weniger|und weniger|oder jünger|oder darunter|und darunter|oder kürzer|oder niedriger|nicht überschreiten|nicht überschritten|nicht überschreitet|nicht übersteigen|nicht übersteigt|以下|及以下|或以下|以内|之内|内|或更少|或更低",
	} {
		for phrase := range strings.SplitSeq(phrases, "|") {
			endPhrases[phrase] = bound
		}
	}
}

// boundFillers may stand between a number and what bounds it: "over the age of 60", "the minimum value is 1".
var boundFillers = map[string]bool{}

func init() {
	for word := range strings.FieldsSeq("the age aged ages of a an value values is are was be to : ( total about around only dose level score = limit alter von einem einer 在 为 是 的 岁 他") {
		boundFillers[word] = true
	}
}

// whens say how a time lies to what is spoken of.
var whens = map[string]string{
	"before": "before", "after": "after", "until": "until", "till": "until", "from": "from", "since": "from", "following": "after", "bis": "until", "nach": "after", "vor": "before", "seit": "from", "earlier": "before", "later": "after", "prior": "before", "ago": "before", "ahead": "before",
}

// bind finds the words before and behind a quantity that bound it, and returns the marks that span all of it.
func (f *figures) bind(q *quantity, from, next int) (start, end int) {
	start, end = from, next
	if q.dimension == label || q.dimension == place || q.dimension == edition {
		return start, end
	}
	edge := from
	for range 3 {
		bound, about, at, ok := f.boundBefore(edge)
		if !ok {
			break
		}
		if about {
			q.about = true
		} else if q.bound == exactly {
			q.bound = bound
		}
		start, edge = at, at
	}
	if q.bound == more && f.text(start) == "over" && (f.kind(start-1) == digitMark && q.dimension == counted) { // 185 over 112
		q.bound = exactly
	}
	if q.bound == more && f.text(start) == "over" && q.dimension == duration && q.low < day && !overs[f.text(start-1)] { // "given over 3 hours"
		q.bound = exactly
	}
	if q.low != q.high && q.bound == more && f.text(start) == "over" { // over two to three days
		q.bound = exactly
	}
	if f.kind(from) == digitMark || f.kind(from) == hanMark {
		f.bindHanBefore(q, from)
	}
	at := start - 1
	for at > start-4 && (f.text(at) == "the" || f.text(at) == "der" || f.text(at) == "about" || q.role == aged && boundFillers[f.text(at)]) {
		at--
	}
	if w := whens[f.text(at)]; w != "" && (q.dimension == duration || q.dimension == calendar || q.dimension == clock) && !(w == "from" && q.low != q.high) {
		q.when = w
		if q.role == aged && q.bound == exactly && q.low == q.high {
			q.bound = map[string]limit{"before": fewer, "after": more, "until": atMost, "from": atLeast}[w]
		}
	}
	if q.bound == exactly && q.low == q.high {
		f.bindFar(q, start)
	}
	if bound, at, ok := f.boundBehind(next); ok && q.bound == exactly {
		q.bound = bound
		if last := f.text(at - 1); q.dimension == counted && (last == "older" || last == "younger" || last == "älter" || last == "jünger") {
			q.low, q.high, q.dimension, q.role, q.face, q.faceHigh = q.low*year, q.high*year, duration, aged, q.low, q.high
		}
		if at <= next+2 {
			end = at
		}
	}
	if f.text(next) == "or" && f.text(next+1) == "so" || f.text(next) == "左" && f.text(next+1) == "右" || f.text(next) == "上" && f.text(next+1) == "下" || f.text(next) == "前" && f.text(next+1) == "后" || f.text(next) == "odd" {
		q.about, end = true, min(next+2, len(f.marks))
	}
	if q.dimension == duration || q.dimension == calendar {
		f.placeTime(q, next)
	}
	if first := f.text(start); q.when == "before" && (first == "spätestens" || first == "frühestens") { // the later, the nearer
		q.bound = map[limit]limit{atMost: atLeast, atLeast: atMost}[q.bound]
	}
	return start, end
}

// bindFar finds what says that a number is the greatest or the least, farther before it: "the maximum value of x is 1".
func (f *figures) bindFar(q *quantity, from int) {
	for j := from - 1; j >= 0 && j >= from-7 && !f.isEnd(j) && !f.isNumeral(j); j-- {
		switch f.text(j) {
		case "maximum", "maximal", "max", "highest", "longest", "limit":
			q.bound = atMost
			return
		case "minimum", "minimal", "lowest", "shortest":
			q.bound = atLeast
			return
		}
	}
}

// overs are words before "over" that make it a bound of a time: "for over 3 hours".
var overs = map[string]bool{"for": true, "in": true, "well": true, "just": true, "last": true, "lasts": true, "is": true, "by": true}

// placeTime reads "30 minutes before", "two weeks ago", "from week 20 on", 24小时后.
func (f *figures) placeTime(q *quantity, next int) {
	behind := f.text(next)
	switch {
	case behind == "before" || behind == "ago" || behind == "earlier" || behind == "prior" || behind == "ahead" || behind == "beforehand" || behind == "vorher" || behind == "vor" || behind == "zuvor" || behind == "in" && f.text(next+1) == "advance":
		q.when = "before"
	case behind == "after" || behind == "later" || behind == "afterwards" || behind == "following" || behind == "danach" || behind == "später" || behind == "nach":
		q.when = "after"
	case behind == "后" || (behind == "以" || behind == "之") && f.text(next+1) == "后":
		q.when = "after"
	case behind == "前" && f.text(next+1) != "后" || (behind == "以" || behind == "之") && f.text(next+1) == "前":
		q.when = "before"
	case behind == "起" || behind == "开" && f.text(next+1) == "始":
		q.when = "from"
	}
	for j := next; j < next+4 && j < len(f.marks) && !f.isEnd(j); j++ {
		if f.text(j) == "onwards" || f.text(j) == "onward" || f.text(j) == "on" && q.when == "from" || f.text(j) == "forward" {
			q.when = "from"
		}
	}
}

// boundBefore finds words directly before a mark that bound or blur a number; at is where they begin.
func (f *figures) boundBefore(i int) (bound limit, about bool, at int, ok bool) {
	edge := i
	for range 5 {
		for n := 5; n > 0; n-- {
			phrase, whole := f.phraseBefore(edge, n)
			if !whole {
				continue
			}
			if aboutPhrases[phrase] && !(phrase == "some" && edge != i) {
				return exactly, true, edge - n, true
			}
			bound, ok := boundPhrases[phrase]
			if !ok {
				continue
			}
			if n == 1 && edge != i && (phrase == "over" || phrase == "under" || phrase == "above" || phrase == "below" || phrase == "ab" || phrase == "past" || phrase == "within" || phrase == "min" || phrase == "上") && f.text(edge) != "the" && f.text(edge) != "age" && f.text(edge) != "a" && f.text(edge) != "-" {
				continue
			}
			if phrase == "上" && f.kind(edge) == wordMark {
				continue
			}
			at := edge - n
			if f.denied(at) || strings.HasSuffix(phrase, " than") && f.denies(at-2) && f.kind(at-1) == wordMark {
				switch bound {
				case more:
					bound = atMost
				case fewer:
					bound = atLeast
				}
			}
			return bound, false, at, true
		}
		// "higher or equal to", "more than or equal to" are phrases; "larger … than" is not: look behind "than"
		if f.text(edge-1) == "than" {
			for j := edge - 2; j >= 0 && j >= edge-5; j-- {
				switch f.text(j) {
				case "more", "greater", "higher", "longer", "older", "larger", "later", "heavier", "bigger":
					if f.denied(j) {
						return atMost, false, j, true
					}
					return more, false, j, true
				case "less", "fewer", "lower", "shorter", "younger", "smaller", "earlier", "lighter", "sooner":
					if f.denied(j) {
						return atLeast, false, j, true
					}
					return fewer, false, j, true
				}
			}
		}
		if edge == 0 || !boundFillers[f.text(edge-1)] && !(f.text(edge-1) == "-" && f.tight(edge-1)) {
			return exactly, false, i, false
		}
		edge--
	}
	return exactly, false, i, false
}

// denied reports whether a negation stands up to three words before a mark, in its clause.
func (f *figures) denied(i int) bool {
	for j := i - 1; j >= 0 && j >= i-5 && !f.isEnd(j); j-- {
		switch f.text(j) {
		case "not", "never", "no", "cannot", "nicht", "nie", "t", "不", "勿", "别":
			return true
		}
		if !deniedFillers[f.text(j)] {
			return false
		}
	}
	return false
}

// denies reports whether a mark is a negation: "do not give more than".
func (f *figures) denies(i int) bool {
	switch f.text(i) {
	case "not", "never", "t", "nicht":
		return true
	}
	return false
}

// deniedFillers may stand between a negation and what it turns around: "should not be used for more than".
var deniedFillers = map[string]bool{"be": true, "been": true, "is": true, "are": true, "any": true, "much": true, "a": true, "go": true, "rise": true, "last": true, "take": true, "have": true, "exceed": true, "for": true, "used": true, "taken": true, "given": true, "stay": true, "do": true, "let": true, "set": true, "to": true, "at": true, "wait": true, "in": true, "contain": true, "get": true, "it": true}

// phraseBefore joins the n marks before a mark.
func (f *figures) phraseBefore(i, n int) (string, bool) {
	if i-n < 0 || i > len(f.marks) {
		return "", false
	}
	var b strings.Builder
	for j := i - n; j < i; j++ {
		if j > i-n && !(f.kind(j) == hanMark && f.kind(j-1) == hanMark) {
			b.WriteByte(' ')
		}
		b.WriteString(f.text(j))
	}
	return b.String(), true
}

// bindHanBefore looks farther back for what bounds a number in Chinese: 不要让水位线超过锅体的2/3.
func (f *figures) bindHanBefore(q *quantity, from int) {
	if q.bound != exactly {
		if q.bound == more || q.bound == fewer {
			f.denyHan(q, from)
		}
		return
	}
	for j := from - 2; j >= 0 && j >= from-7 && !f.isEnd(j) && !f.isEnd(j+1); j-- {
		pair, ok := f.hanText(j, 2)
		if !ok {
			return
		}
		switch pair {
		case "超过", "高于", "大于", "低于", "小于", "少于", "多于", "至少", "最多", "至多", "最少":
			q.bound = boundPhrases[pair]
			f.denyHan(q, j+2)
			return
		}
	}
}

// denyHan turns a bound around that is denied in Chinese.
func (f *figures) denyHan(q *quantity, from int) {
	for j := from - 1; j >= 0 && j >= from-12 && !f.isEnd(j); j-- {
		switch f.text(j) {
		case "不", "勿", "别", "莫":
			if f.text(j+1) == "足" || f.text(j+1) == "到" || f.text(j+1) == "满" {
				return
			}
			switch q.bound {
			case more:
				q.bound = atMost
			case fewer:
				q.bound = atLeast
			}
			return
		}
	}
}

// boundBehind finds words behind a number that bound it.
func (f *figures) boundBehind(i int) (bound limit, next int, ok bool) {
	if f.text(i) == "(" { // 48 mmol/mol (6.5 %) or more
		for j := i; j < i+8 && j < len(f.marks); j++ {
			if f.text(j) == ")" {
				i = j + 1
				break
			}
		}
	}
	for j := i; j <= i+4 && j < len(f.marks); j++ {
		if f.isEnd(j) && f.text(j) != ")" {
			break
		}
		for n := 4; n > 0; n-- {
			phrase, whole := f.phraseBefore(j+n, n)
			if j+n > len(f.marks) || !whole {
				continue
			}
			if bound, ok := endPhrases[phrase]; ok {
				if n == 1 && j > i || f.kind(j) == hanMark && j > i || phrase == "内" && f.text(j+1) == "科" || phrase == "plus" && j+1 < len(f.marks) && f.kind(j+1) == digitMark || (phrase == "minimum" || phrase == "maximum" || phrase == "max") && j+1 < len(f.marks) && !f.isEnd(j+1) ||
					(phrase == "at least" || phrase == "at most") && f.isNumeral(j+n) {
					continue
				}
				return bound, j + n, true
			}
		}
		if f.kind(j) == signMark && f.text(j) != ")" && f.text(j) != "/" || f.isNumeral(j) {
			break
		}
	}
	return exactly, i, false
}
