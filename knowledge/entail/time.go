package entail

import (
	"strings"
)

// periods has the words of a period, with its length.
var periods = map[string]float64{
	"hour": hour, "day": day, "night": day, "morning": day, "evening": day, "afternoon": day, "bedtime": day, "week": week, "fortnight": 2 * week, "month": month, "quarter": 3 * month, "year": year,
	"hours": hour, "days": day, "weeks": week, "months": month, "years": year, "minute": minute, "minutes": minute, "second": 1, "seconds": 1, "nights": day,
	"24h": day, "decade": 10 * year, "annum": year, "sekunde": 1, "sekunden": 1, "minuten": minute,
	"stunde": hour, "stunden": hour, "tag": day, "tage": day, "woche": week, "wochen": week, "monat": month, "monate": month, "jahr": year, "jahre": year, "morgen": day, "abend": day, "nacht": day, "quartal": 3 * month,
	"h": hour, "hr": hour, "d": day, "wk": week, "mo": month, "yr": year, "min": minute,
}

// adverbs says how many times a day one of them is.
var adverbs = map[string]float64{
	"hourly": day / hour, "daily": 1, "nightly": 1, "weekly": day / week, "fortnightly": day / week / 2, "monthly": day / month, "quarterly": day / month / 3, "yearly": day / year, "annually": day / year, "annual": day / year,
	"everyday": 1, "täglich": 1, "tägliche": 1, "täglichen": 1, "täglicher": 1, "tägliches": 1, "wöchentlich": day / week, "wöchentliche": day / week, "wöchentlichen": day / week, "monatlich": day / month, "monatliche": day / month, "monatlichen": day / month,
	"jährlich": day / year, "jährliche": day / year, "jährlichen": day / year, "halbjährlich": 2 * day / year, "vierteljährlich": 4 * day / year, "stündlich": day / hour,
}

// shorthand are abbreviations of prescriptions.
var shorthand = map[string]float64{
	"od": 1, "qd": 1, "bd": 2, "bid": 2, "tds": 3, "tid": 3, "qds": 4, "qid": 4, "qod": .5, "qw": day / week, "biw": 2 * day / week, "tiw": 3 * day / week, "nocte": 1, "mane": 1,
}

var timesWords = map[string]float64{"once": 1, "twice": 2, "thrice": 3, "einmal": 1, "zweimal": 2, "dreimal": 3, "viermal": 4, "fünfmal": 5, "sechsmal": 6, "siebenmal": 7, "achtmal": 8, "neunmal": 9, "zehnmal": 10}

// hanPeriods has the characters of a period behind 每 or 一.
var hanPeriods = map[string]float64{
	"小时": hour, "个小时": hour, "天": day, "日": day, "晚": day, "早": day, "夜": day, "周": week, "星期": week, "个星期": week, "礼拜": week, "月": month, "个月": month, "季度": 3 * month, "年": year, "分钟": minute, "秒": 1, "半年": year / 2, "半个月": month / 2, "半月": month / 2, "半小时": hour / 2, "两年": 2 * year,
}

// hanPeriodAt reads a period in Chinese.
func (f *figures) hanPeriodAt(i int) (float64, int, bool) {
	for n := 3; n > 0; n-- {
		if name, ok := f.hanText(i, n); ok && hanPeriods[name] != 0 {
			return hanPeriods[name], i + n, true
		}
	}
	return 0, i, false
}

// hanTimesAt reads "两次", "2-3次", "1回".
func (f *figures) hanTimesAt(i int) (numeral, int, bool) {
	for _, skip := range []int{0, 1, 2} {
		n, ok := f.rangeAt(i + skip)
		if !ok {
			continue
		}
		switch f.text(n.next) {
		case "次", "回", "遍", "顿", "餐":
			return n, n.next + 1, true
		}
	}
	return numeral{}, i, false
}

// frequencyAt reads how often something is: "twice a day", "every 8 hours", "weekly", "bd", 每天两次.
func (f *figures) frequencyAt(i int) (quantity, int, bool) {
	m := f.marks[i]
	text := m.text
	often := func(low, high float64, next int) (quantity, int, bool) {
		return quantity{low: min(low, high), high: max(low, high), dimension: frequency, role: recurring}, next, true
	}
	if m.kind == hanMark || m.kind == digitMark && i+1 < len(f.marks) && f.kind(i+1) == hanMark {
		return f.hanFrequencyAt(i)
	}
	if m.kind != wordMark && m.kind != digitMark {
		return quantity{}, i, false
	}
	if per, ok := adverbs[text]; ok && f.text(i-1) != "-" && !dailyThings[f.text(i+1)] && !(f.text(i+1) == "-" && dailyThings[f.text(i+2)]) {
		return often(per, per, i+1)
	}
	if per, ok := shorthand[text]; ok && f.isShorthand(i) {
		return often(per, per, i+1)
	}
	if per, ok := f.everyHours(text); ok {
		return often(per, per, i+1)
	}
	if text == "once" && f.isSingle(i) {
		return often(0, 0, i+1)
	}
	if (text == "in" || text == "during" || text == "within") && (f.text(i+2) == "calendar" || f.text(i+2) == "given" || f.text(i+2) == "single") {
		if per, next, ok := f.periodAt(i); ok {
			return quantity{low: per, high: per, dimension: frequency, role: recurring, total: true}, next, true
		}
	}
	switch text {
	case "every", "each", "alle", "jede", "jeden", "jedes", "jeder", "jedem", "all":
		return f.everyAt(i)
	case "alternate":
		if p := periods[f.text(i+1)]; p != 0 {
			return often(day/p/2, day/p/2, i+2)
		}
		return quantity{}, i, false
	}
	n, next, ok := f.timesAt(i)
	if !ok {
		return quantity{}, i, false
	}
	if next < 0 { // "6-hourly", "12-weekly"
		next = -next
		per := adverbs[f.text(next-1)]
		return often(per/n.high, per/n.low, next)
	}
	if per, after, ok := f.periodAt(next); ok {
		return often(n.low*per, n.high*per, after)
	}
	return quantity{}, i, false
}

// timesAt reads "twice", "three times", "2 to 4 times", "3x"; next is negative for "6-hourly".
func (f *figures) timesAt(i int) (numeral, int, bool) {
	if v, ok := timesWords[f.text(i)]; ok {
		n := numeral{low: v, high: v, next: i + 1}
		if (f.text(i+1) == "or" || f.text(i+1) == "to" || f.text(i+1) == "bis" || f.text(i+1) == "oder") && timesWords[f.text(i+2)] > v {
			n.high, n.next = timesWords[f.text(i+2)], i+3
		}
		if (f.text(i+1) == "or" || f.text(i+1) == "to") && timesWords[f.text(i+2)] == 0 {
			if m, ok := f.numeralAt(i + 2); ok && f.text(m.next) == "times" {
				n.high, n.next = m.high, m.next+1
			}
		}
		return n, n.next, true
	}
	n, ok := f.rangeAt(i)
	if !ok || n.version != "" || n.ordinal {
		return n, i, false
	}
	switch next := f.text(n.next); {
	case next == "times" || next == "time" || next == "x" || next == "×" || next == "mal":
		return n, n.next + 1, true
	case next == "doses" && f.text(n.next+1) != "of":
		return n, n.next + 1, true
	case next == "-" && adverbs[f.text(n.next+1)] != 0:
		return n, -(n.next + 2), true
	case adverbs[next] != 0 && next != "daily" && next != "weekly" && next != "annual":
		return n, -(n.next + 1), true
	}
	return n, i, false
}

// dailyThings are what "daily" before them says no frequency of.
var dailyThings = map[string]bool{"living": true, "life": true, "lives": true, "activity": true, "activities": true, "routine": true, "routines": true, "leben": true}

// periodAt reads "a day", "per week", "every 24 hours", "daily", "/day"; per is how many of it a day has.
func (f *figures) periodAt(i int) (per float64, next int, ok bool) {
	text := f.text(i)
	if text == "-" {
		i++
		text = f.text(i)
	}
	if per, ok := adverbs[text]; ok {
		return per, i + 1, true
	}
	switch text {
	case "a", "an", "per", "every", "each", "/", "in", "am", "pro", "im", "je", "jeden", "jede", "during", "within":
	default:
		return 0, i, false
	}
	j := i + 1
	for f.text(j) == "a" || f.text(j) == "the" || f.text(j) == "any" || f.text(j) == "der" || f.text(j) == "each" || f.text(j) == "every" || f.text(j) == "single" || f.text(j) == "calendar" || f.text(j) == "given" {
		j++
	}
	if p := periods[f.text(j)]; p != 0 {
		return day / p, j + 1, true
	}
	if n, ok := f.numeralAt(j); ok && n.low > 0 {
		if f.text(n.next) == "-" {
			n.next++
		}
		if p := periods[f.text(n.next)]; p != 0 {
			return day / p / n.low, n.next + 1, true
		}
	}
	return 0, i, false
}

// everyAt reads "every 8 hours", "every other day", "each year", "every one to two weeks", "alle 8 Stunden".
func (f *figures) everyAt(i int) (quantity, int, bool) {
	often := func(low, high float64, next int) (quantity, int, bool) {
		return quantity{low: min(low, high), high: max(low, high), dimension: frequency, role: recurring}, next, true
	}
	j := i + 1
	if f.text(j) == "single" || f.text(j) == "calendar" {
		j++
	}
	step := 1.
	switch f.text(j) {
	case "other", "second", "zweiten", "zweite", "2nd", "alternate":
		step, j = 2, j+1
	case "third", "dritten":
		step, j = 3, j+1
	case "few":
		return quantity{}, i, false
	}
	if p := periods[f.text(j)]; p != 0 && f.text(i) != "all" && f.text(j+1) != "counts" {
		if f.text(i) == "alle" && !strings.HasSuffix(f.text(j), "e") {
			return quantity{}, i, false
		}
		return often(day/p/step, day/p/step, j+1)
	}
	n, ok := f.rangeAt(j)
	if !ok || n.low <= 0 {
		return quantity{}, i, false
	}
	next := n.next
	if f.text(next) == "-" {
		next++
	}
	p := periods[f.text(next)]
	if p == 0 {
		return quantity{}, i, false
	}
	return often(day/p/n.high, day/p/n.low, next+1)
}

// isSingle reports whether "once" says that something is done a single time.
func (f *figures) isSingle(i int) bool {
	switch f.text(i - 1) {
	case "only", "just", "exactly":
		return f.text(i+1) != "a" && f.text(i+1) != "per" && f.text(i+1) != "every" && f.text(i+1) != "the"
	}
	switch f.text(i + 1) {
	case "at":
		return i > 0 && !f.isEnd(i-1) && f.text(i+2) != "least" && f.text(i+2) != "most" && f.text(i-1) != "at" && !f.isNumeral(i+2)
	case "only", "in", "and", "during", "before":
		_, _, period := f.periodAt(i + 1)
		return i > 0 && !f.isEnd(i-1) && f.text(i-1) != "at" && !period && !(f.text(i+1) == "in" && f.text(i+2) == "a")
	}
	return false
}

// everyHours reads "q8h".
func (f *figures) everyHours(text string) (float64, bool) {
	if inner, ok := strings.CutPrefix(text, "q"); ok {
		for suffix, p := range map[string]float64{"h": hour, "d": day, "w": week} {
			if digits, ok := strings.CutSuffix(inner, suffix); ok && digits != "" {
				if v, _, ok := digitsValue(digits); ok && v > 0 {
					return day / p / v, true
				}
			}
		}
	}
	return 0, false
}

// isShorthand reports whether an abbreviation of a prescription stands where it can be one: in capitals, or behind
// a unit or a number.
func (f *figures) isShorthand(i int) bool {
	m := f.marks[i]
	written := f.source[m.Start:m.End]
	if written == strings.ToUpper(written) && written != "OD" {
		return true
	}
	if i == 0 {
		return false
	}
	_, unit := units[f.text(i-1)]
	return unit || f.kind(i-1) == digitMark || f.text(i+1) == "dosing" || strings.HasSuffix(f.text(i-1), "tablet") || written == "OD" && f.spaced(i) && len(f.marks) < 40
}

// hanFrequencyAt reads 每天两次, 每8小时一次, 一日三次, 隔天, 日服3次.
func (f *figures) hanFrequencyAt(i int) (quantity, int, bool) {
	often := func(low, high float64, next int) (quantity, int, bool) {
		return quantity{low: min(low, high), high: max(low, high), dimension: frequency, role: recurring}, next, true
	}
	text := f.text(i)
	switch {
	case text == "每" || text == "隔" && (f.text(i+1) == "天" || f.text(i+1) == "日" || f.text(i+1) == "周"):
		j, step := i+1, 1.
		if text == "隔" {
			step = 2
		}
		if f.text(j) == "隔" {
			j++
		}
		low, high := 1., 1.
		if n, ok := f.rangeAt(j); ok && n.low > 0 {
			low, high, j = n.low, n.high, n.next
		}
		p, next, ok := f.hanPeriodAt(j)
		if !ok {
			return quantity{}, i, false
		}
		if n, after, ok := f.hanTimesAt(next); ok {
			return often(n.low*day/p/high/step, n.high*day/p/low/step, after)
		}
		return often(day/p/high/step, day/p/low/step, next)
	case text == "天" && f.text(i+1) == "天" || text == "日" && f.text(i+1) == "日":
		return often(1, 1, i+2)
	case text == "日" && f.text(i+1) == "服":
		if n, after, ok := f.hanTimesAt(i + 2); ok {
			return often(n.low, n.high, after)
		}
	}
	if n, ok := f.rangeAt(i); ok && n.low == n.high && n.low > 0 {
		if p, next, ok := f.hanPeriodAt(n.next); ok {
			if times, after, ok := f.hanTimesAt(next); ok && after-next <= 5 {
				return often(times.low*day/p/n.low, times.high*day/p/n.low, after)
			}
		}
	}
	return quantity{}, i, false
}

var months = map[string]float64{
	"january": 1, "february": 2, "march": 3, "april": 4, "may": 5, "june": 6, "july": 7, "august": 8, "september": 9, "october": 10, "november": 11, "december": 12,
	"jan": 1, "feb": 2, "mar": 3, "apr": 4, "jun": 6, "jul": 7, "aug": 8, "sept": 9, "sep": 9, "oct": 10, "nov": 11, "dec": 12,
	"januar": 1, "februar": 2, "märz": 3, "mai": 5, "juni": 6, "juli": 7, "oktober": 10, "dezember": 12,
}

// dateAt reads a date; its value is that of the year, the month and the day, 0 for what is not said, as
// year*10000+month*100+day.
func (f *figures) dateAt(i int) (quantity, int, bool) {
	at := func(y, mo, d float64, next int) (quantity, int, bool) {
		v := y*10000 + mo*100 + d
		return quantity{low: v, high: v, dimension: calendar, role: dated}, next, true
	}
	dayAt := func(j int) (float64, int) {
		if j < len(f.marks) && f.kind(j) == digitMark {
			if v, _, ok := digitsValue(f.text(j)); ok && v >= 1 && v <= 31 && !strings.ContainsAny(f.text(j), ".,") {
				switch f.text(j + 1) {
				case "st", "nd", "rd", "th", ".":
					if f.tight(j+1) && (f.text(j+1) != "." || months[f.text(j+2)] != 0) {
						return v, j + 2
					}
				}
				return v, j + 1
			}
		}
		if v := ordinalWords[f.text(j)]; v != 0 {
			return v, j + 1
		}
		return 0, j
	}
	yearAt := func(j int) (float64, int) {
		if f.text(j) == "," || f.text(j) == "of" {
			if y, next := f.yearAt(j + 1); y != 0 {
				return y, next
			}
		}
		y, next := f.yearAt(j)
		return y, next
	}
	m := f.marks[i]
	switch {
	case m.kind == wordMark && months[m.text] != 0:
		if (m.text == "may" || m.text == "march" || m.text == "mar" || m.text == "mai" || m.text == "dec" || m.text == "sep") && f.source[m.Start] > 'Z' {
			return quantity{}, i, false
		}
		d, next := dayAt(i + 1)
		y, next := yearAt(next)
		if d == 0 && y == 0 && (m.text == "may" || m.text == "march") && m.opens {
			return quantity{}, i, false
		}
		if (m.text == "may" || m.text == "march") && d == 0 && y == 0 && f.text(i-1) != "in" && f.text(i-1) != "until" && f.text(i-1) != "since" && f.text(i-1) != "by" {
			return quantity{}, i, false
		}
		return at(y, months[m.text], d, next)
	case m.kind == digitMark || ordinalWords[m.text] != 0 && m.kind == wordMark:
		if v, next, ok := f.germanDateAt(i); ok {
			return quantity{low: v, high: v, dimension: calendar, role: dated}, next, true
		}
		d, next := dayAt(i)
		if d != 0 && f.text(next) == "of" {
			next++
		}
		if d != 0 && months[f.text(next)] != 0 && f.source[f.marks[next].Start] <= 'Z' {
			y, after := yearAt(next + 1)
			return at(y, months[f.text(next)], d, after)
		}
		if y, next := f.yearAt(i); y != 0 {
			if f.text(next) == "-" && f.text(next+2) == "-" && f.tight(next) { // 2011-05-03
				mo, _, ok1 := digitsValue(f.text(next + 1))
				d, _, ok2 := digitsValue(f.text(next + 3))
				if ok1 && ok2 && mo >= 1 && mo <= 12 && d <= 31 {
					return at(y, mo, d, next+4)
				}
			}
			if f.text(next) == "年" {
				next++
				mo, _, ok := digitsValue(f.text(next))
				if ok && f.text(next+1) == "月" {
					next += 2
					if d, _, ok := digitsValue(f.text(next)); ok && (f.text(next+1) == "日" || f.text(next+1) == "号") {
						return at(y, mo, d, next+2)
					}
					return at(y, mo, 0, next)
				}
				return at(y, 0, 0, next)
			}
			if f.isYear(i) {
				return at(y, 0, 0, next)
			}
			return quantity{}, i, false
		}
		if v, _, ok := digitsValue(m.text); ok && v >= 1 && v <= 12 && f.text(i+1) == "月" && f.text(i+2) != "龄" {
			if d, _, ok := digitsValue(f.text(i + 2)); ok && (f.text(i+3) == "日" || f.text(i+3) == "号") {
				return at(0, v, d, i+4)
			}
			return at(0, v, 0, i+2)
		}
	}
	return quantity{}, i, false
}

// yearAt reads four figures that can be a year.
func (f *figures) yearAt(i int) (float64, int) {
	if i < len(f.marks) && f.kind(i) == digitMark && len(f.text(i)) == 4 && !strings.ContainsAny(f.text(i), ".,") {
		if v, _, ok := digitsValue(f.text(i)); ok && v >= 1500 && v < 2100 {
			return v, i + 1
		}
	}
	return 0, i
}

// isYear reports whether four figures are a year and count nothing.
func (f *figures) isYear(i int) bool {
	if next, _ := f.yearAt(i + 2); next != 0 && (f.text(i+1) == "-" || f.text(i+1) == "–") { // 1979–2000
		return true
	}
	switch f.text(i - 1) {
	case "in", "since", "by", "until", "from", "of", "during", "before", "after", "(", "the", "early", "late", "mid", "year", "and", "seit", "im", "jahr", "bis", "ab", "to", "-", "–", ",":
	default:
		return false
	}
	_, _, unit := f.unitAt(i+1, true)
	switch f.text(i - 1) {
	case "and", ",", "(", "the", "of", "to", "-", "–", "from":
		if next := f.text(i + 1); f.kind(i+1) == wordMark && !headEnds[next] && f.text(i-1) != "from" && f.text(i-1) != "-" && f.text(i-1) != "–" {
			return f.text(i-1) == "the" || f.text(i-1) == "of" && months[f.text(i-2)] != 0
		}
	}
	return !unit
}

// clockAt reads a time of day: "8:30", "8 am", 8点.
func (f *figures) clockAt(i int) (quantity, int, bool) {
	if f.kind(i) != digitMark {
		return quantity{}, i, false
	}
	h, _, ok := digitsValue(f.text(i))
	if !ok || h > 24 || strings.ContainsAny(f.text(i), ".,") {
		return quantity{}, i, false
	}
	minutes, next, until := 0., i+1, 0.
	if f.text(next) == ":" && f.tight(next) && f.tight(next+1) && len(f.text(next+1)) == 2 {
		v, _, ok := digitsValue(f.text(next + 1))
		if !ok || v >= 60 {
			return quantity{}, i, false
		}
		minutes, next = v, next+2
	}
	spelled := next > i+1
	switch text := f.text(next); {
	case text == "am" || text == "a" && f.text(next+1) == "." && f.text(next+2) == "m":
		next, spelled = next+1, true
		if h == 12 {
			h = 0
		}
	case text == "pm" || text == "p" && f.text(next+1) == "." && f.text(next+2) == "m":
		next, spelled = next+1, true
		if h < 12 {
			h += 12
		}
	case (text == "-" || text == "–" || text == "~" || text == "到" || text == "至") && f.isHanHour(next+1):
		until, _, _ = digitsValue(f.text(next + 1))
		next, spelled = next+3, true
	case (text == "bis" || text == "-" || text == "–") && f.kind(next+1) == digitMark && f.text(next+2) == "uhr":
		until, _, _ = digitsValue(f.text(next + 1))
		next, spelled = next+3, true
	case text == "uhr" || text == "o'clock" || text == "点" && f.text(next+1) != "几":
		next, spelled = next+1, true
	}
	if !spelled {
		return quantity{}, i, false
	}
	if f.text(next-1) == "点" {
		if (f.text(next) == "到" || f.text(next) == "至" || f.text(next) == "-" || f.text(next) == "–") && f.isHanHour(next+1) {
			until, _, _ = digitsValue(f.text(next + 1))
			next += 3
		}
		if f.text(next) == "钟" {
			next++
		}
		if late := f.text(i-2) + f.text(i-1); h < 12 && (late == "下午" || late == "晚上" || late == "傍晚" || late == "夜里") {
			h += 12
			if until > 0 {
				until += 12
			}
		}
	}
	v := h*60 + minutes
	return quantity{low: v, high: max(v, until*60), dimension: clock, role: dated}, next, true
}

// isHanHour reports whether an hour of the day stands at a mark: 8点.
func (f *figures) isHanHour(i int) bool {
	v, _, ok := digitsValue(f.text(i))
	return i < len(f.marks) && f.kind(i) == digitMark && ok && v <= 24 && f.text(i+1) == "点"
}

// germanDateAt reads "01.07." and "01.07.2024" as [figures.dateAt] values them.
func (f *figures) germanDateAt(i int) (value float64, next int, ok bool) {
	if !f.german || f.kind(i) != digitMark {
		return 0, i, false
	}
	parts := strings.Split(f.text(i), ".")
	var v [3]float64
	if len(parts) < 2 || len(parts) > 3 {
		return 0, i, false
	}
	for k, part := range parts {
		if v[k], _, ok = digitsValue(part); !ok {
			return 0, i, false
		}
	}
	next = i + 1
	if v[0] < 1 || v[0] > 31 || v[1] < 1 || v[1] > 12 || len(parts[1]) > 2 || len(parts[0]) > 2 {
		return 0, i, false
	}
	if len(parts) == 2 {
		if f.text(next) != "." || !f.tight(next) {
			return 0, i, false
		}
		next++
	} else if v[2] < 100 {
		v[2] += 2000
	}
	return v[2]*10000 + v[1]*100 + v[0], next, true
}
