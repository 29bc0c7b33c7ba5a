package entail

import (
	"lacuna/knowledge/passage"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// numeral is a number as it stands, or a range of numbers.
type numeral struct {
	low, high float64
	other     float64 // low, were its comma or point read in the other way
	next      int     // the mark behind it
	words     bool    // it is not in digits
	weak      bool    // "one", which is often no number
	ordinal   bool
	fraction  bool
	parts     float64 // what a fraction in digits is of: 7 of "5/7"
	version   string
	about     bool // "a dozen", "a couple", 十几
}

// numberWords has numbers that are one word, English and German.
var numberWords = map[string]float64{}

// scaleWords multiply what stands before them.
var scaleWords = map[string]float64{
	"hundred": 100, "thousand": 1e3, "million": 1e6, "billion": 1e9, "hundert": 100, "tausend": 1e3, "millionen": 1e6, "milliarden": 1e9, "mio": 1e6,
	"万": 1e4, "亿": 1e8, "千": 1e3, "百": 100,
}

// ordinalWords has the places of an order that are one word.
var ordinalWords = map[string]float64{}

// partWords has what parts a whole is cut into.
var partWords = map[string]float64{
	"half": 2, "halves": 2, "third": 3, "thirds": 3, "quarter": 4, "quarters": 4, "fourth": 4, "fourths": 4, "fifth": 5, "fifths": 5, "sixth": 6, "sixths": 6,
	"seventh": 7, "sevenths": 7, "eighth": 8, "eighths": 8, "ninth": 9, "ninths": 9, "tenth": 10, "tenths": 10, "hundredth": 100, "hundredths": 100,
	"drittel": 3, "viertel": 4, "fünftel": 5, "sechstel": 6, "achtel": 8, "zehntel": 10,
}

var hanNumerals = map[string]float64{
	"零": 0, "〇": 0, "一": 1, "二": 2, "两": 2, "三": 3, "四": 4, "五": 5, "六": 6, "七": 7, "八": 8, "九": 9, "十": 10, "百": 100, "千": 1e3, "万": 1e4, "亿": 1e8, "壹": 1, "貳": 2, "兩": 2, "萬": 1e4,
}

func init() {
	small := strings.Fields("zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen")
	german := strings.Fields("null ein zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn fünfzehn sechzehn siebzehn achtzehn neunzehn")
	for n := range small {
		numberWords[small[n]], numberWords[german[n]] = float64(n), float64(n)
	}
	for _, form := range strings.Fields("eins eine einen einem einer eines") {
		numberWords[form] = 1
	}
	germanTens := strings.Fields("zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig")
	for i, word := range strings.Fields("twenty thirty forty fifty sixty seventy eighty ninety") {
		tens := float64(i+2) * 10
		numberWords[word], numberWords[germanTens[i]] = tens, tens
		ordinalWords[strings.TrimSuffix(word, "y")+"ieth"] = tens
		for n, digit := range german[1:10] {
			numberWords[digit+"und"+germanTens[i]] = tens + float64(n+1)
		}
	}
	numberWords["forty"], numberWords["fourty"], numberWords["anderthalb"], numberWords["eineinhalb"], numberWords["zweieinhalb"] = 40, 40, 1.5, 1.5, 2.5
	for n, word := range strings.Fields("first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth") {
		ordinalWords[word] = float64(n + 1)
	}
	for n, stem := range strings.Fields("erst zweit dritt viert fünft sechst siebt acht neunt zehnt") {
		for _, ending := range strings.Fields("e en er es em") {
			if word := stem + ending; word != "achter" {
				ordinalWords[word] = float64(n + 1)
			}
		}
	}
}

// numeralAt reads a number that begins at a mark. Outside the text there is none.
func (f *figures) numeralAt(i int) (numeral, bool) {
	if i < 0 || i >= len(f.marks) {
		return numeral{}, false
	}
	switch f.kind(i) {
	case digitMark:
		return f.digitsAt(i)
	case wordMark:
		return f.wordsAt(i)
	case hanMark:
		return f.hanAt(i)
	}
	return numeral{}, false
}

func (f *figures) digitsAt(i int) (numeral, bool) {
	text := f.marks[i].text
	n := numeral{next: i + 1}
	if r, _ := utf8.DecodeRuneInString(text); isNumeralSign(r) {
		value := fractionSigns[r]
		return numeral{low: value, high: value, other: value, next: i + 1, fraction: true}, true
	}
	value, other, ok := digitsValue(text)
	if !ok {
		return numeral{low: -1, high: -1, other: -1, next: i + 1, version: text}, true
	}
	n.low, n.other = value, other
	switch next := f.text(n.next); {
	case f.tight(n.next) && (next == "st" || next == "nd" || next == "rd" || next == "th"):
		n.ordinal = true
		n.next++
	case f.tight(n.next) && scaleWords[next] != 0 && f.kind(n.next) == hanMark, scaleWords[next] != 0 && f.kind(n.next) == wordMark:
		n.low, n.other = n.low*scaleWords[next], n.other*scaleWords[next]
		n.next++
	case f.tight(n.next) && next == "k" && value < 1000 && i > 0 && strings.Contains("$€£¥", f.text(i-1)):
		n.low, n.other = n.low*1000, n.other*1000
		n.next++
	case next == "/" && f.tight(n.next) && f.tight(n.next+1) && f.isFractionLine(i):
		under, _, _ := digitsValue(f.text(n.next + 1))
		n.low, n.other, n.fraction, n.parts = value/under, value/under, true, under
		n.next += 2
	case f.tight(n.next) && f.kind(n.next) == digitMark:
		if r, _ := utf8.DecodeRuneInString(next); isNumeralSign(r) {
			n.low += fractionSigns[r]
			n.other = n.low
			n.next++
		}
	case next == "and" && f.text(n.next+1) == "a" && f.text(n.next+2) == "half":
		n.low, n.other = n.low+.5, n.other+.5
		n.next += 3
	}
	n.high = n.low
	return n, true
}

// isFractionLine reports whether a number and the one behind its slash are a fraction, "2/3", not a pair of values.
func (f *figures) isFractionLine(i int) bool {
	over, under := f.text(i), f.text(i+2)
	if over == "1" && len(under) <= 7 && len(under) > 2 && f.kind(i+2) == digitMark && !strings.ContainsAny(under, ".") { // 1/2000
		return f.text(i+3) != "/" && f.text(i-1) != "/"
	}
	return i+2 < len(f.marks) && f.kind(i+2) == digitMark && len(over) <= 2 && len(under) <= 2 && over < "9" && under != "0" &&
		f.text(i+3) != "/" && f.text(i-1) != "/" && less(over, under) && !strings.ContainsAny(over+under, ".,")
}

func less(a, b string) bool { return len(a) < len(b) || len(a) == len(b) && a < b }

// digitsValue reads digits with separators; other is the value were a lone comma or point with three figures
// behind it of the other kind. A number with several points is a version.
func digitsValue(text string) (value, other float64, ok bool) {
	text = strings.NewReplacer("'", "", "’", "", "\u00a0", "", "\u202f", "", "\u2009", "").Replace(text)
	points, commas := strings.Count(text, "."), strings.Count(text, ",")
	plain := strings.NewReplacer(".", "", ",", "").Replace(text)
	last := strings.LastIndexAny(text, ".,")
	tail := len(text) - last - 1
	switch {
	case points == 0 && commas == 0:
	case points > 0 && commas > 0: // both: the last one is decimal
		plain = strings.NewReplacer(".", "", ",", "").Replace(text[:last]) + "." + text[last+1:]
	case points > 1 && tail != 3:
		return 0, 0, false
	case points > 1 || commas > 1:
	case tail == 3: // 1,500 or 1.500
		thousands, err := strconv.ParseFloat(plain, 64)
		if err != nil {
			return 0, 0, false
		}
		decimal, err := strconv.ParseFloat(text[:last]+"."+text[last+1:], 64)
		if commas == 1 {
			return thousands, decimal, err == nil
		}
		return decimal, thousands, err == nil
	default:
		plain = text[:last] + "." + text[last+1:]
	}
	value, err := strconv.ParseFloat(plain, 64)
	return value, value, err == nil
}

// wordsAt reads a number in words, English or German.
func (f *figures) wordsAt(i int) (numeral, bool) {
	n := numeral{next: i, words: true}
	first := f.text(i)
	if f.german && germanArticles["-"+first] && !f.countsOne(i) {
		return n, false
	}
	set := func(value float64, next int) (numeral, bool) {
		n.low, n.high, n.other, n.next = value, value, value, next
		return n, true
	}
	switch {
	case first == "half" || first == "halb" || first == "halbe" || first == "halben" || first == "hälfte":
		if f.text(i+1) == "-" {
			return n, false // a half-life
		}
		n.fraction = true
		return set(.5, i+1)
	case first == "dozen" || first == "dutzend":
		n.about = true
		return set(12, i+1)
	case (first == "a" || first == "an" || first == "ein" || first == "one") && (scaleWords[f.text(i+1)] != 0 || f.text(i+1) == "dozen" || f.text(i+1) == "dutzend"):
		m, ok := f.wordsAt(i + 1)
		return m, ok
	case first == "a" && f.text(i+1) == "couple":
		n.about = true
		next := i + 2
		if f.text(next) == "of" {
			next++
		}
		return set(2, next)
	case (first == "a" || first == "ein" || first == "one") && partWords[f.text(i+1)] > 2 && (first == "one" || f.text(i+1) == "drittel" || f.text(i+1) == "viertel" || f.text(i+2) == "of" || f.text(i+2) == ""):
		n.fraction = true
		return set(1/partWords[f.text(i+1)], i+2)
	case first == "quarter" && f.text(i+1) == "of":
		n.fraction = true
		return set(.25, i+1)
	}
	if value, ok := ordinalWords[first]; ok {
		n.ordinal = true
		return set(value, i+1)
	}
	total, group, any := 0.0, 0.0, false
	j := i
	for j < len(f.marks) {
		word := f.text(j)
		value, small := numberWords[word]
		scale := scaleWords[word]
		switch {
		case small && any && !joins2(group, value): // "two three": another number
			small = false
		case small:
			group, any = group+value, true
		case scale != 0:
			if !any {
				group, any = 1, true
			}
			if scale == 100 {
				group *= 100
			} else {
				total, group = total+group*scale, 0
			}
		case ordinalWords[word] != 0 && any && j > i && f.text(j-1) == "-" && ordinalWords[word] < 10: // twenty-first
			n.ordinal = true
			return set(total+group+ordinalWords[word], j+1)
		}
		if !small && scale == 0 {
			break
		}
		j++
		if f.text(j) == "-" && f.tight(j) && f.tight(j+1) && (numberWords[f.text(j+1)] != 0 && group >= 20 || ordinalWords[f.text(j+1)] != 0 && group >= 20 || scaleWords[f.text(j+1)] != 0) {
			j++
		} else if f.text(j) == "and" && (scale == 100 || scale == 1000) && numberWords[f.text(j+1)] != 0 {
			j++
		}
	}
	if !any {
		return n, false
	}
	value := total + group
	n.weak = value == 1 && j == i+1
	switch {
	case partWords[f.text(j)] > 2 && strings.HasSuffix(f.text(j), "s") || strings.HasSuffix(f.text(j), "tel") && partWords[f.text(j)] > 0,
		f.text(j) == "-" && partWords[f.text(j+1)] > 2 && strings.HasSuffix(f.text(j+1), "s"):
		if f.text(j) == "-" {
			j++
		}
		n.fraction, n.weak = true, false
		return set(value/partWords[f.text(j)], j+1)
	case f.text(j) == "and" && f.text(j+1) == "a" && (f.text(j+2) == "half" || f.text(j+2) == "quarter"):
		n.weak = false
		return set(value+1/partWords[f.text(j+2)], j+3)
	case f.text(j) == "point" && numberWords[f.text(j+1)] != 0 && numberWords[f.text(j+1)] < 10:
		n.weak = false
		return set(value+numberWords[f.text(j+1)]/10, j+2)
	}
	return set(value, j)
}

// joins2 reports whether a number in words goes on with a smaller one, as "twenty" does with "one".
func joins2(group, value float64) bool {
	rest := int(group) % 100
	return rest == 0 || rest >= 20 && rest%10 == 0 && 0 < value && value < 10
}

// hanAt reads a number in Chinese characters. It is one only before a measure, or after 第 or 每; the caller asks.
func (f *figures) hanAt(i int) (numeral, bool) {
	n := numeral{next: i, words: true}
	if f.text(i) == "半" {
		return numeral{low: .5, high: .5, other: .5, next: i + 1, words: true, fraction: true}, true
	}
	if f.text(i) == "一" && f.text(i+1) == "半" {
		return numeral{low: .5, high: .5, other: .5, next: i + 2, words: true, fraction: true}, true
	}
	var digits []float64
	total, group, last := 0.0, 0.0, -1.0
	j := i
	for ; j < len(f.marks) && f.kind(j) == hanMark; j++ {
		value, ok := hanNumerals[f.text(j)]
		if !ok {
			break
		}
		switch {
		case value < 10:
			digits = append(digits, value)
			last = value
		case value <= 1000:
			if last < 0 {
				last = 1
			}
			group, last = group+last*value, -1
			digits = append(digits, -1)
		default:
			if last > 0 {
				group += last
			}
			total, group, last = total+group*value, 0, -1
			digits = append(digits, -1)
		}
	}
	if j == i {
		return n, false
	}
	n.next = j
	switch {
	case len(digits) >= 2 && digits[0] > 0 && digits[1] == digits[0]+1 && (len(digits) == 2 || digits[len(digits)-1] < 0 && !hasPositive(digits[2:])): // 三四天, 六七十度, 八九千元
		scale := 1.
		for k := i + 2; k < j; k++ {
			scale *= hanNumerals[f.text(k)]
		}
		n.low, n.high = digits[0]*scale, digits[1]*scale
	case len(digits) >= 3 && !hasNegative(digits): // 二〇一一
		for _, d := range digits {
			n.low = n.low*10 + d
		}
		n.high = n.low
	default:
		if last > 0 {
			group += last
		}
		n.low = total + group
		n.high = n.low
	}
	n.other = n.low
	if f.text(j) == "几" && f.text(j-1) == "十" {
		n.low, n.high, n.about, n.next = n.low+1, n.low+9, true, j+1
	}
	if f.text(j) == "分" && f.text(j+1) == "之" {
		if over, ok := f.numeralAt(j + 2); ok && n.low > 0 {
			return numeral{low: over.low / n.low, high: over.high / n.low, other: over.low / n.low, next: over.next, words: true, fraction: true}, true
		}
	}
	n.weak = n.low == 1 && j == i+1
	return n, true
}

func hasNegative(all []float64) bool {
	for _, v := range all {
		if v < 0 {
			return true
		}
	}
	return false
}

// changes are words of change before "from 3 to 5".
var changes = map[string]bool{}

func init() {
	for word := range strings.FieldsSeq("increase increased increases rose rise rises raised decreased decrease decreases fell fall falls dropped drop reduced reduction lowered lower went goes changed change improved improvement cut grew declined doubled moved switched") {
		changes[word] = true
	}
}

// rangeAt reads a number or a range of numbers.
func (f *figures) rangeAt(i int) (numeral, bool) {
	n, ok := f.numeralAt(i)
	if !ok || n.version != "" || n.ordinal {
		return n, ok
	}
	j := n.next
	joined := false
	if f.text(i-1) == "from" && (changes[f.text(i-2)] || changes[f.text(i-3)]) { // "rose from 3 to 5" is no range
		return n, true
	}
	switch f.text(j) {
	case "-", "–", "—", "~", "～", "−", "‐", "‑":
		joined = j+1 < len(f.marks) && f.kind(j+1) != signMark
		if f.text(j+1) == "-" {
			joined = false
		}
	case "to", "bis", "至", "到", "through":
		joined = true
	case "or", "oder":
		joined = n.low < 12
	case "and", "und":
		joined = f.text(i-1) == "between" || f.text(i-1) == "zwischen"
	}
	if !joined {
		return n, true
	}
	m, ok := f.numeralAt(j + 1)
	if !ok || m.version != "" || m.ordinal || m.fraction != n.fraction && m.low < 1 && n.low >= 1 || m.low <= n.low || (f.text(j) == "or" || f.text(j) == "oder") && m.low > n.low+2 {
		return n, true
	}
	if n.low < 1000 && m.low >= 1e5 && scaleWords[f.text(m.next-1)] >= 1e5 { // 2 to 3 million
		n.low, n.other = n.low*scaleWords[f.text(m.next-1)], n.low*scaleWords[f.text(m.next-1)]
	}
	n.high, n.next, n.weak, n.about = m.high, m.next, false, n.about || m.about
	return n, true
}

func (f *figures) isNumeral(i int) bool {
	_, ok := f.numeralAt(i)
	return ok
}

// headsAt returns the keys of up to three content words that follow directly, nearest first.
func (f *figures) headsAt(i int) []string {
	if i >= len(f.marks) {
		return nil
	}
	if f.text(i) == "-" || f.text(i) == "of" {
		i++
	}
	end := i
	for end < len(f.marks) && end < i+3 && f.kind(end) == wordMark && !f.isNumeral(end) && !headEnds[f.text(end)] {
		end++
	}
	if end == i {
		for end < len(f.marks) && end < i+2 && f.kind(end) == hanMark {
			end++
		}
	}
	if end == i {
		return nil
	}
	return f.terms(f.source[f.marks[i].Start:f.marks[end-1].End])
}

// headEnds are words behind which nothing is counted.
var headEnds = map[string]bool{}

func init() {
	for word := range strings.FieldsSeq("a an the and or of in on at to for from with by is are was were be been has have had can may should must will would if when then than as that which who it they per each every within after before during until so because but not no und oder der die das mit von bei zu für im am ist sind") {
		headEnds[word] = true
	}
}

func hasPositive(all []float64) bool {
	for _, v := range all {
		if v >= 0 {
			return true
		}
	}
	return false
}

// findLists adds the number of the items of each list, at its place: "a, b and c", 甲、乙和丙, lines with a dash.
func (f *figures) findLists() {
	for i := 0; i < len(f.marks); {
		n, next := f.listAt(i)
		if n >= 2 {
			f.all = append(f.all, quantity{
				Span: passage.Span{Start: f.marks[i].Start, End: f.marks[next-1].End}, Number: passage.Span{Start: f.marks[i].Start, End: f.marks[next-1].End},
				low: float64(n), high: float64(n), face: float64(n), faceHigh: float64(n), other: float64(n), role: listed, weak: true, clause: f.clauses[i], sentence: f.sentences[i],
			})
		}
		i = max(next, i+1)
	}
	slices.SortStableFunc(f.all, func(a, b quantity) int { return a.Number.Start - b.Number.Start })
}

// listAt counts the items of a list that begins at a mark.
func (f *figures) listAt(i int) (n, next int) {
	if f.marks[i].opens && isBullet(f.text(i)) {
		return f.bulletsAt(i)
	}
	items, length, j, comma := 1, 0, i, ""
	for ; j < len(f.marks); j++ {
		m := f.marks[j]
		switch {
		case m.opens && j > i:
			return 0, j
		case m.text == "," || m.text == "、" || m.text == "，":
			if length == 0 || length > longestItem || comma != "" && comma != m.text {
				return 0, j
			}
			items, length, comma = items+1, 0, m.text
		case m.text == "and" || m.text == "or" || m.text == "und" || m.text == "oder" || m.text == "和" || m.text == "及" || m.text == "或" || m.text == "与":
			if comma == "" && m.kind == hanMark || length > longestItem {
				return 0, j
			}
			if length > 0 {
				items++
			}
			if comma == "" {
				return 0, j
			}
			return items, j + 1
		case f.isEnd(j):
			if comma == "、" {
				return items, j
			}
			return 0, j
		default:
			length++
		}
	}
	if comma == "、" {
		return items, j
	}
	return 0, j
}

// longestItem is how many words an item of a list has at most.
const longestItem = 8

func isBullet(sign string) bool { return sign == "-" || sign == "•" || sign == "*" || sign == "–" }

// bulletsAt counts the lines with a dash from one on.
func (f *figures) bulletsAt(i int) (n, next int) {
	sign := f.text(i)
	for j := i; j < len(f.marks); j++ {
		if f.marks[j].opens {
			if f.text(j) != sign {
				return n, j
			}
			n++
		}
		next = j + 1
	}
	return n, next
}

// unread passes over figures that are none: references "[1]" and the markers of a list.
func (f *figures) unread(i int) (int, bool) {
	m := f.marks[i]
	if m.text == "[" {
		j := i + 1
		for ; j < len(f.marks) && (f.kind(j) == digitMark && !strings.Contains(f.text(j), ".") && len(f.text(j)) <= 3 || f.text(j) == "," || f.text(j) == "-" || f.text(j) == "–"); j++ {
		}
		if f.text(j) == "]" && j > i+1 {
			return j + 1, true
		}
	}
	if m.kind == digitMark && f.isNamePart(i) {
		return i + 1, true
	}
	if m.kind == digitMark && len(m.text) <= 2 && !strings.ContainsAny(m.text, ".,") {
		switch f.text(i + 1) {
		case ".", ")", "、":
			next := i + 2
			open := m.opens || f.isEnd(i-1)
			if open && next < len(f.marks) && f.tight(i+1) && (f.kind(next) == wordMark || f.kind(next) == hanMark) && (f.spaced(next) || f.kind(next) == hanMark) {
				return next, true
			}
		}
	}
	return i, false
}

// isName reports whether a word is a name of capitals or with digits.
func (f *figures) isName(i int) bool {
	if i < 0 || i >= len(f.marks) || f.kind(i) != wordMark {
		return false
	}
	word := f.source[f.marks[i].Start:f.marks[i].End]
	return len(word) > 2 && (word == strings.ToUpper(word) || strings.ContainsAny(word, "0123456789")) && !measured[f.text(i)]
}

// measured are abbreviations in capitals that have a value behind them.
var measured = map[string]bool{"inr": true, "egfr": true, "gcs": true, "bmi": true, "sbp": true, "dbp": true, "hba1c": true, "spo2": true, "max": true, "min": true, "dose": true}

// isNamePart reports whether a number is a part of a name: "COVID-19", "IL-6", "omega-3".
func (f *figures) isNamePart(i int) bool {
	if i > 0 && f.text(i-1) == "/" && f.tight(i) && f.tight(i-1) && i > 1 && f.isName(i-2) || f.text(i+1) == "/" && f.tight(i+1) && f.isName(i-1) { // "OCT3/4", "MEK 1/2"
		return true
	}
	if i < 2 || !f.tight(i) || !f.tight(i-1) || f.text(i-1) != "-" || f.kind(i-2) != wordMark {
		return false
	}
	before := f.text(i - 2)
	u := units[before]
	unit := u.factor != 0 && !u.vague
	return !labels[before] && !unit && !f.isNumeral(i-2) && before != "age" && before != "to" && before != "under" && before != "over" && before != "mid"
}

// labels are words whose number names one of a kind.
var labels = map[string]bool{}

func init() {
	for label := range strings.FieldsSeq("type types phase stage stages grade grades chapter step level class table figure section part no number code codes group tier line status category appendix trimester typ stufe phase grad kapitel schritt abschnitt week day month year hour woche tag monat") {
		labels[label] = true
	}
}

// spelledLabels are labels whose number may be in words.
var spelledLabels = map[string]bool{"type": true, "grade": true, "stage": true, "phase": true, "group": true, "class": true, "level": true, "step": true, "chapter": true, "week": true}

func (f *figures) isYearNumber(i int) bool {
	y, _ := f.yearAt(i)
	return y != 0
}

// codes are labels that may have an "of" before their number.
var codes = map[string]bool{"code": true, "status": true, "level": true, "stage": true, "grade": true, "class": true}

// labelAt reads "type 2", "stage 3a", "week 20", 第12周, 2型.
func (f *figures) labelAt(i int) (quantity, int, bool) {
	text := f.text(i)
	switch {
	case f.kind(i) == wordMark && spelledLabels[text] && i+1 < len(f.marks) && f.kind(i+1) == wordMark && numberWords[f.text(i+1)] != 0:
		n, ok := f.rangeAt(i + 1)
		if _, _, unit := f.unitAt(n.next, false); !ok || unit {
			return quantity{}, i, false
		}
		if p := periods[text]; p != 0 {
			return quantity{low: n.low * p, high: n.high * p, face: n.low, faceHigh: n.high, other: n.other, dimension: duration, unit: text, role: point, words: true}, n.next, true
		}
		return quantity{low: n.low, high: n.high, dimension: label, heads: f.terms(text), words: true}, n.next, true
	case f.kind(i) == wordMark && labels[text] && i+1 < len(f.marks) && !f.isYearNumber(i+1) && (f.kind(i+1) == digitMark || codes[text] && f.text(i+1) == "of" && i+2 < len(f.marks) && f.kind(i+2) == digitMark):
		j := i + 1
		if f.kind(j) != digitMark {
			j++
		}
		n, ok := f.rangeAt(j)
		if !ok || n.version != "" || n.ordinal {
			return quantity{}, i, false
		}
		if u, next, ok := f.unitAt(n.next, true); ok && next > n.next && !u.vague {
			return quantity{}, i, false // "step 10 mg"
		}
		if p := periods[text]; p != 0 {
			return quantity{low: n.low * p, high: n.high * p, face: n.low, faceHigh: n.high, other: n.other, dimension: duration, unit: text, role: point}, n.next, true
		}
		return quantity{low: n.low, high: n.high, dimension: label, heads: f.terms(text)}, n.next, true
	case text == "第":
		n, ok := f.rangeAt(i + 1)
		if !ok {
			return quantity{}, i, false
		}
		j := n.next
		if f.text(j) == "个" {
			j++
		}
		if p, next, ok := f.hanPeriodAt(j); ok {
			return quantity{low: n.low * p, high: n.high * p, face: n.low, faceHigh: n.high, other: n.other, dimension: duration, role: point, words: n.words, weak: n.words && n.low < 3}, next, true
		}
		return quantity{low: n.low, high: n.high, dimension: place, words: n.words, weak: n.words, heads: f.headsAt(j)}, n.next, true
	case f.kind(i) == digitMark && (f.text(i+1) == "型" || f.text(i+1) == "期" || f.text(i+1) == "级"):
		if v, _, ok := digitsValue(text); ok {
			return quantity{low: v, high: v, dimension: label, heads: []string{f.text(i + 1)}}, i + 2, true
		}
	}
	return quantity{}, i, false
}

// doses are what a German article before them counts.
var doses = map[string]bool{"tablette": true, "kapsel": true, "tropfen": true, "hub": true, "sprühstoß": true, "messlöffel": true, "beutel": true, "ampulle": true, "dosis": true, "stück": true, "pflaster": true, "spritze": true, "portion": true, "zäpfchen": true, "glas": true, "tasse": true}

// countsOne reports whether a German article is a number: "eine Woche", "höchstens einen".
func (f *figures) countsOne(i int) bool {
	next := f.text(i + 1)
	if _, unit := units[next]; unit && len(next) > 2 || periods[next] != 0 || partWords[next] != 0 || scaleWords[next] != 0 || next == "dutzend" || next == "mal" || next == "von" || strings.HasPrefix(next, "halb") || strings.HasPrefix(next, "einzig") || next == "oder" && f.text(i+2) == "zwei" {
		return true
	}
	if doses[next] {
		return true
	}
	before := f.text(i - 1)
	return boundPhrases[before] != exactly && before != "über" && before != "unter" && before != "ab" && before != "innerhalb" && before != "oberhalb" && before != "unterhalb" || before == "nur" || before == "genau" || before == "zu" && f.text(i-2) == "bis"
}
