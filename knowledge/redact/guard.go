package redact

import (
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"lacuna/knowledge/plaintext"
)

// What has the form of an identifier and is none: doses, values, scores, strengths, fractions, times of day and codes of
// medicine. Of each piece that the tagger takes for a part of something, these say how sure it must be, or that it is wrong.

// guard is the least probability from which a piece is taken for a part of something that it does not look like. What is
// replaced wrongly in notes is mostly a number of a table, or a word of medicine that no list of names has.
func (e *evidence) guard(text string, i int, as label) float64 {
	p := e.pieces[i]
	ruled := e.class[i] != "" && labelOfClass[e.class[i]] == as
	if as == ofDate && (isMonthly(text, p.start, p.end) || isSize(text, p)) {
		return 1
	}
	switch p.kind {
	case 'd':
		switch {
		case as == ofNumber && codeKey.MatchString(text[max(0, p.start-32):p.start]):
			return 1
		case as == ofNumber && len(p.text) <= 3 && thousandsBehind.MatchString(text[p.end:]):
			return 1 // platelets 42K
		case as == ofDate && (e.isOverDose(text, i) || e.isSpanOfWeeks(text, i)):
			return 1 // bd 5/7
		case (as == ofNumber || as == ofContact) && e.isDecimalAlone(i):
			return 1 // 32.4 in a row of a table
		case as == ofDate && (diagnosisAt.MatchString(text[max(0, p.start-1):]) || inTrend(text, p.start, p.end)):
			return 1
		case as == ofNumber && titreBefore.MatchString(text[max(0, p.start-3):p.start]):
			return 1
		case as == ofDate && (e.isPressureOrTablet(text, i) || isValue(text, p.start) || bandBefore.MatchString(text[max(0, p.start-8):p.start])):
			return 1
		case as != ofName && (inRow(text, p.start, p.end) || inPressures(text, p.start, p.end)), (as == ofNumber || as == ofContact) && inDecimals(text, p.start), (as == ofNumber || as == ofContact) && e.isDose(i):
			return 1
		case as == ofName:
			return guardStrange
		case (as == ofNumber || as == ofContact) && isItem(text, p), as == ofAge && i > 0 && e.medicine[i-1]:
			return 1 // of "Platelets 98", too
		case e.isClock(i) && (as == ofNumber || as == ofContact):
			return 1
		case e.isClock(i), (as == ofNumber || as == ofContact) && e.isHour(i):
			return guardStrange
		case ruled:
			return 0
		case (as == ofNumber || as == ofContact) && (e.isSeries(text, i) || isMiddled(text, p.start, p.end)):
			return 1
		case as == ofNumber && e.public[i] && (len(p.text) <= 4 && standsAlone(e.pieces, i) || e.isCompoundNumber(i)):
			return 1 // "recipe no. 104"
		case as == ofNumber && e.public[i]:
			return guardPublic
		case as == ofNumber && (p.word() == "year" || i > 0 && e.isSmallCode(i-1)):
			return guardStrange
		case as == ofAge && (numberBefore.MatchString(text[max(0, p.start-8):p.start]) || numberAfter.MatchString(text[p.end:])):
			return 1 // glucose 91, 93, 89
		case as == ofAge:
			return guardAge
		case len(p.text) <= 4 && standsAlone(e.pieces, i):
			if as == ofNumber && e.isGroup(i) {
				return guardGroup
			}
			return guardNumber
		case as == ofDate && e.public[i] && e.pair[i].month != "":
			return 1 // [1.9-21.6]
		case as == ofDate && e.public[i]:
			return guardStrange
		case as == ofDate && e.pair[i].month == "no" && e.pair[i].year != "now" && e.pair[i].year != "recent" && !e.pair[i].ofYear:
			return guardStrange
		case as == ofDate && e.isScored(text, i):
			return guardStrange
		case as == ofDate && e.isShare(i) && e.pair[i].month != "same":
			return guardShare
		}
	case 'h':
		switch {
		case as == ofName && e.inRole(text, i):
			return 1
		case e.medicine[i] && (as == ofName || as == ofPlace):
			return guardStrange
		}
	case 'w':
		switch as {
		case ofDate, ofAge:
			if !monthWord.MatchString(p.text) && !weekdayWord.MatchString(p.text) && !ruled {
				return guardStrange
			}
			if as == ofDate && (p.text == "march" || p.text == "may" || p.text == "mar") && !e.isNumberAt(i-1) && !e.isNumberAt(i+1) {
				return 1
			}
			if as == ofDate && !ruled && e.lang[i] == english && alsoVerb[p.text] {
				return guardDate // type 3 may include
			}
		case ofNumber, ofContact:
			if e.public[i] && compounds[p.text] {
				return 1
			}
			if !ruled && (e.isApart(i) || e.isSmallCode(i)) {
				return guardStrange
			}
		case ofName, ofPlace:
			switch {
			case as == ofName && len(p.text) == 1 && strings.Contains(e.choices, p.text), unitWord[p.text] && i > 0 && e.pieces[i-1].kind == 'd':
				return 1 // 2 u DR
			case ruled && e.class[i] == Place, p.lower != p.text && isTitledAt(e, i):
				return 0
			case as == ofName && isEponymAt(text, p) && !(i > 0 && isGiven(e.pieces[i-1].lower)), routes[p.lower] && !isCaps(p.text) && amountBefore.MatchString(text[max(0, p.start-12):p.start]),
				!ruled && measured[p.text] && valueAfter.MatchString(text[p.end:]):
				return guardClock
			case nationalities[p.lower] && as == ofName, weekdayWord.MatchString(p.text), seasonWord.MatchString(p.text) && i > 0 && beforeSeason[e.pieces[i-1].lower], !ruled && dosed.MatchString(text[p.end:]):
				return guardStrange
			case e.medicine[i]:
				return guardMedicine
			case roman.MatchString(p.text) && as == ofName:
				return 1
			case len(p.text) == 1 && !ruled:
				return guardInitial
			}
		}
	}
	return 0
}

var (
	numberBefore = regexp.MustCompile(`\d, ?$|(?i:score of )$`)
	valueAfter   = regexp.MustCompile(`^[ \t:=]{1,3}[<>]?\d{1,3}(?:[.,]\d+)?(?:$|[^\w-])`)
	numberAfter  = regexp.MustCompile(`^, ?\d`)
	// routes are ways to give a drug, and how often.
	routes = plaintext.Set(`po iv sc im pr sl od bd tds qds prn neb inh top`)
	// amountBefore matches a dose before a word such as "Po".
	amountBefore = regexp.MustCompile(`\d ?(?:` + unit + `|g|L)\.? $`)
)

// isDecimalPair reports whether a number is a side of two with a stop between them that may be a decimal number as well as a day: 9.8, and
// not 09.8, or in German "9.8."
func (e *evidence) isDecimalPair(text string, i int) bool {
	switch {
	case !e.isDotted(i):
		return false
	case i+2 < len(e.pieces) && e.pieces[i+1].text == "." && e.pieces[i+2].kind == 'd':
	default:
		i -= 2
	}
	first, second := e.pieces[i], e.pieces[i+2]
	isClosed := second.end < len(text) && text[second.end] == '.' && e.lang[i] == german
	return first.text[0] != '0' && (second.text[0] != '0' || len(first.text) == 1) && !isClosed
}

// leastOfDecimal returns how sure it must be that a number is a part of a day and not of a decimal number, by what else the text says of
// its dates; 0 if it is in no decimal number. Of 5,623 numbers such as 9.8 in English notes whose whole
// dates have other marks 61 were days, of 5,076 in notes without whole dates 209, of 1,581 in others 163; of 754 in Spanish notes 10.
func (e *evidence) leastOfDecimal(text string, i int) float64 {
	switch {
	case e.pieces[i].kind != 'd':
		return 0
	case withComma.MatchString(text[max(0, e.pieces[i].start-4):min(len(text), e.pieces[i].end+4)]):
		return guardClock
	case !e.isDecimalPair(text, i):
		return 0
	}
	switch stops := e.pair[i].stops; {
	case e.lang[i] == spanish && stops != "own", e.lang[i] == english && (stops == "other" || stops == "both"):
		return 1
	case e.lang[i] == spanish, e.lang[i] == english && stops == "":
		return guardStrange
	case e.lang[i] == english:
		return guardDecimal
	case e.lang[i] == chinese:
		return guardDecimalHan
	}
	return guardDecimalGerman
}

var (
	// withComma matches a decimal number with a comma.
	withComma = regexp.MustCompile(`(?:^|[^\d.,/])\d{1,3},\d{1,2}(?:$|[^\d.,/])`)
	// diagnosisAt matches the code of a diagnosis at the place before its number.
	diagnosisAt = regexp.MustCompile(`^[A-Z]\d\d\.\d`)
)

// isDecimalAlone reports whether a number is a side of a decimal one that nothing joins to what stands around it. Argentine doctors
// have a licence of two times three digits: M.N. 44.182.
func (e *evidence) isDecimalAlone(i int) bool {
	if !e.isDecimal(i) {
		return false
	}
	if e.pieces[i-min(i, 1)].text == "." || e.pieces[i-min(i, 1)].text == "," {
		i -= 2
	}
	return len(e.pieces[i].text) <= 3 && len(e.pieces[i+2].text) <= 2 && (i == 0 || e.pieces[i].spaced || e.pieces[i-1].kind == 'l') && (i+3 >= len(e.pieces) || e.pieces[i+3].spaced || e.pieces[i+3].kind == 'l')
}

// alsoVerb holds small English words that are months or weekdays, too.
var alsoVerb = plaintext.Set(`may march so do sat sun mar`)

// unitWord holds units that are no initials behind a number.
var unitWord = plaintext.Set(`u mg ml mcg µg kg mmol mmHg`)

// The thresholds of guard, and guardDate of dates that stand as doses and values do.
const (
	guardDate          = 0.5
	guardClock         = 0.9
	guardStrange       = 0.6
	guardNumber        = 0.4
	guardAge           = 0.15
	guardGroup         = 0.2
	guardPublic        = 0.5
	guardMedicine      = 0.5
	guardInitial       = 0.35
	guardShare         = 0.6
	guardDecimal       = 0.3
	guardDecimalHan    = 0.3
	guardDecimalGerman = 0.1
)

var (
	seasonWord   = regexp.MustCompile(`^(?i:` + season + `|abend|morgen|mittag|nacht|tag)$`)
	beforeSeason = plaintext.Set(`im am in den der dieser diesem letzten nächsten vom zum gegen this last next the en el la este`)
)

// isSize reports whether a piece is a part of a number of a thing, as Chinese writes days, too: 7号管.
func isSize(text string, p piece) bool {
	rest := text[p.end:]
	if p.kind == 'd' {
		var found bool
		if rest, found = strings.CutPrefix(rest, "号"); !found {
			return false
		}
	} else if p.text != "号" {
		return false
	}
	return behindDay.MatchString(rest)
}

// isNumberAt reports whether there is a number at a place.
func (e *evidence) isNumberAt(i int) bool {
	return i >= 0 && i < len(e.pieces) && e.pieces[i].kind == 'd'
}

// isMonthly reports whether a part of a text says how often something is done in so many months: 3月1次.
func isMonthly(text string, start, end int) bool {
	from := max(0, start-len("12月12"))
	for !utf8.RuneStart(text[from]) {
		from++
	}
	for _, at := range monthly.FindAllStringIndex(text[from:min(len(text), end+len("月12次"))], -1) {
		if from+at[0] <= start && end <= from+at[1] {
			return true
		}
	}
	return false
}

var monthly = regexp.MustCompile(`\d{1,2}月\d{1,2}次`)

// isCompoundNumber reports whether a number is that of a substance or a transcript, behind the letters of who made it: LY294002.
func (e *evidence) isCompoundNumber(i int) bool {
	k := i - 1
	if k > 0 && e.pieces[k].text == "-" && !e.pieces[k].spaced {
		k--
	}
	return k >= 0 && !e.pieces[i].spaced && compounds[e.pieces[k].text]
}

// compounds holds the letters of makers before the numbers of their substances.
var compounds = plaintext.Set(`LY GSK BMS JNJ REGN SAR GLPG GS TEV AZD MK PF ABT ABBV AMG RO RG BAY BI CC INCB LINC BQ SB NVP TAK ONO VX MEDI SCH SKF WAY YM MLN DS LOXO XL CPI EPZ ARRY PD ML CHIR SP TNP NBI CAS NSC SKI SR SSR UK ICI KW MDL`)

// bandBefore matches a band of a chromosome up to its last numbers: 17p13.3.
var bandBefore = regexp.MustCompile(`(?:^|\W)(?:1?\d|2[0-2]|X|Y)[pq](?:\d{1,2}\.)?$`)

// isDose reports whether a number of at most four digits, or a range of two, stands behind the name of its drug.
func (e *evidence) isDose(i int) bool {
	k := i - 1
	if k > 0 && strings.Contains("-/", e.pieces[k].text) && e.pieces[k-1].kind == 'd' && len(e.pieces[k-1].text) <= 4 {
		k -= 2
	}
	return k >= 0 && len(e.pieces[i].text) <= 4 && e.pieces[k].kind == 'w' && e.pieces[k+1].spaced && (isDrug(e.pieces[k].lower) || known().brand[e.pieces[k].lower])
}

// roman matches the number of a grade or a stage.
var roman = regexp.MustCompile(`^(?:II|III|IV|VI|VII|VIII|IX)$`)

// hanRoles holds Chinese words that stand before who did something, of which a character is also a surname.
var hanRoles = plaintext.Set(`主任 责任 主管 经管 开单 查床 查房 全麻 局麻 麻醉 值班 带教 主治 知晓 苏醒 管床`)

// inRole reports whether a character is a part of such a word.
func (e *evidence) inRole(text string, i int) bool {
	p := e.pieces[i]
	return i > 0 && e.pieces[i-1].end == p.start && hanRoles[text[e.pieces[i-1].start:p.end]] ||
		i+1 < len(e.pieces) && e.pieces[i+1].start == p.end && hanRoles[text[p.start:e.pieces[i+1].end]]
}

// isGroup reports whether a number is one of two or three of the same line, with a space between them, that have six digits together and
// no value behind them: 118 403.
func (e *evidence) isGroup(i int) bool {
	joined := func(k int) bool { // with the one before
		return k > 0 && k < len(e.pieces) && e.pieces[k].kind == 'd' && e.pieces[k-1].kind == 'd' && e.pieces[k].start == e.pieces[k-1].end+1
	}
	from, to := i, i
	for joined(from) && to-from <= 2 {
		from--
	}
	for joined(to+1) && to-from <= 2 {
		to++
	}
	digits := 0
	for _, p := range e.pieces[from : to+1] {
		digits += len(p.text)
	}
	decimal := to+1 < len(e.pieces) && !e.pieces[to+1].spaced && strings.Contains(".,/%", e.pieces[to+1].text) && to+2 < len(e.pieces) && e.pieces[to+2].kind == 'd' && !e.pieces[to+2].spaced
	return to-from >= 1 && to-from <= 2 && digits >= 6 && !decimal
}

// isItem reports whether a number opens a line as that of an item: "1. ", "2) " or "4 | ".
func isItem(text string, p piece) bool {
	return len(p.text) <= 2 && (p.start == 0 || strings.HasSuffix(strings.TrimRight(text[:p.start], " \t"), "\n")) && itemLine.MatchString(text[p.start:])
}

// codeKey matches the key of JSON for a code of a terminology, up to the code.
var codeKey = regexp.MustCompile(`"code" ?: ?"[\w.-]*$`)

// isClock reports whether a number is a part of a time of day such as 10:40, or of a shift such as 0700-1930.
func (e *evidence) isClock(i int) bool {
	part := func(k int, mark string, digits int) bool { // a number of so many digits, and a mark before it
		return k > 0 && k < len(e.pieces) && e.pieces[k].kind == 'd' && len(e.pieces[k].text) == digits && !e.pieces[k].spaced && e.pieces[k-1].text == mark
	}
	number := func(k int) int {
		if k < 0 || k >= len(e.pieces) || e.pieces[k].kind != 'd' {
			return -1
		}
		n, _ := strconv.Atoi(e.pieces[k].text)
		return n
	}
	switch n := number(i); {
	case part(i+2, ":", 2):
		return n < 24 && number(i+2) < 60 && len(e.pieces[i].text) <= 2 && !part(i, ":", len(e.pieces[i].text))
	case part(i, ":", 2):
		return number(i-2) >= 0 && number(i-2) < 24 && n < 60 && !part(i+2, ":", len("00")+1)
	case len(e.pieces[i].text) == 4 && n < 2400 && n%100 < 60:
		return part(i+2, "-", 4) && number(i+2) <= 2400 && number(i+2)%100 < 60 && !part(i, "-", 4) || part(i, "-", 4) && number(i-2) < 2400 && number(i-2)%100 < 60 && len(e.pieces[i-2].text) == 4
	}
	return false
}

// isHour reports whether a number of four digits is a time of day as charts have it: at the beginning of several lines, or
// among other such times.
func (e *evidence) isHour(i int) bool {
	is := func(k int) bool {
		if k < 0 || k >= len(e.pieces) || e.pieces[k].kind != 'd' || len(e.pieces[k].text) != 4 {
			return false
		}
		n := number(e.pieces[k].text)
		return n <= 2400 && n%100 < 60
	}
	if !is(i) || !standsAlone(e.pieces, i) {
		return false
	}
	if is(i-1) || is(i+1) {
		return true
	}
	return (i == 0 || e.pieces[i-1].kind == 'l') && e.charted
}

// isSmallCode reports whether a word in small letters, with digits behind it, is all of a code such as the name of a file: cb003.
func (e *evidence) isSmallCode(i int) bool {
	if i+1 >= len(e.pieces) {
		return false
	}
	p, digits := e.pieces[i], e.pieces[i+1]
	return p.kind == 'w' && p.text == p.lower && len(p.text) <= 3 && digits.kind == 'd' && !digits.spaced && len(digits.text) <= 3
}

// isSeries reports whether a number is one of several values in a row of a table: at least three of at most four digits, with tabs
// between them.
func (e *evidence) isSeries(text string, i int) bool {
	is := func(k int) bool { return e.pieces[k].kind == 'd' && len(e.pieces[k].text) <= 4 }
	if !is(i) {
		return false
	}
	n := 1
	for _, step := range []int{-1, 1} {
		for k := i + step; k >= 0 && k < len(e.pieces) && is(k); k += step {
			between := text[e.pieces[min(k, k-step)].end:e.pieces[max(k, k-step)].start]
			if strings.Trim(between, "\t ") != "" || !strings.Contains(between, "\t") {
				break
			}
			if n++; n == 3 {
				return true
			}
		}
	}
	return false
}

// isFraction reports whether a number is one of two pressures of a ventilator, such as 18/5, a part of a tablet, a number of
// days out of seven, or the number of a bed.
func (e *evidence) isFraction(text string, i int) bool {
	p := e.pair[i]
	if p.month == "" {
		return false
	}
	start := e.pieces[i].start
	for start > 0 && (isDigit(text[start-1]) || text[start-1] == '/') {
		start--
	}
	before := text[max(0, start-16):start]
	if pressed.MatchString(before) {
		return true
	}
	if fractions.MatchString(text[start:]) && p.month != "same" && !dayBefore.MatchString(before) {
		return true
	}
	days := numbers(text[start:min(len(text), start+5)])[0]
	if p.over == "7" && p.month != "same" && (days <= 7 || days%7 == 0 || days == 10) && !dayBefore.MatchString(before) && !clockBehind.MatchString(pairEnd.ReplaceAllString(text[start:min(len(text), start+24)], "")) {
		return true // of days: "bowels not open 3/7"
	}
	return e.ventilated && p.month != "same" && p.high && !dayBefore.MatchString(before)
}

// isCount reports whether a number is a part of two that are no date whatever stands before them: a part of a tablet, the
// loudness of a murmur, "24/7 care", the number of a session before its date, months in the notes of a season that has no December.
func (e *evidence) isCount(text string, i int) bool {
	p := e.pair[i]
	if p.month == "" || i+2 >= len(e.pieces) && i < 2 {
		return false
	}
	start := e.pieces[i].start
	if i >= 2 && !e.pieces[i].spaced && e.pieces[i-1].text == "/" {
		start = e.pieces[i-2].start
	}
	rest := text[start:min(len(text), start+64)]
	before := beforeInLine(text, start)
	if p.over == "5" && strengths.MatchString(before) || p.over == "10" && (pains.MatchString(before) || painsBehind.MatchString(rest)) {
		if !dayBefore.MatchString(before) && !clockBehind.MatchString(pairEnd.ReplaceAllString(rest[:min(len(rest), 24)], "")) {
			return true
		}
	}
	if due.MatchString(rest) && !dayBefore.MatchString(before) || strings.HasPrefix(rest, "24/7") && p.month != "same" && !dayBefore.MatchString(before) {
		return true
	}
	if schedule.MatchString(rest) || fractions.MatchString(rest) && scheduleBefore.MatchString(before) || counted.MatchString(before) || p.over == "7" && gestation.MatchString(before) && p.order == "less" {
		return true
	}
	if portions.MatchString(rest) || murmurs.MatchString(rest) || noDate.MatchString(rest) || sessions.MatchString(rest) {
		return true
	}
	return p.over == "12" && p.first == "day" && p.month == "far" && !clockBehind.MatchString(pairEnd.ReplaceAllString(rest[:min(len(rest), 24)], ""))
}

var (
	// strengths matches what stands before a strength of muscles in the same sentence, pains before how much something hurts.
	strengths   = regexp.MustCompile(`(?i)\b(?:strength|power|mmt|motor|grip|limbs?|extension|flexion|abduction|adduction|(?:dorsi|plantar) ?flexion|eversion|inversion|rotation|quad(?:ricep)?s?|hamstrings?|hs|deltoids?|biceps|triceps|iliopsoas|ehl|glutes?|we|tri|bic|apb|fpl|epl|edb|follows|1-step|kraft|kraftgrad|fuerza|balance)\b[^\n.;:()]{0,30}$|肌力[^\n。;]{0,24}$|(?i:quadr|glúteo)[. ](?:\pL+ )?$`)
	pains       = regexp.MustCompile(`(?i)\b(?:pain|itch|fatigue|nausea|severity|distress|npr?s|nrs|vas|ha|headache|anxiety|craving|schmerz\pL*|dolor|prurito)\b[^\n.;:()]{0,24}$`)
	painsBehind = regexp.MustCompile(`^\d{1,2}/10 ?(?i:at (?:worst|best|rest|dressings)|on (?:average|movement)|with (?:activity|movement)|pain|intensity|severity|夜痛|痛)`)
	// due matches "secondary to", as American notes write it.
	due = regexp.MustCompile(`^2/2 (?:to |\p{Ll}{5,})`)
	// sessions matches the number of a session out of so many, or a number of months, and its date.
	sessions = regexp.MustCompile(`^\d{1,2}/\d{1,2} ?[-(:]? ?(?:\d{1,2}\.\d{1,2}\.|\d{1,2}/\d{1,2}/\d{2}|\d{1,2} (?i:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)\pL*\b)`)
	pairEnd  = regexp.MustCompile(`^\d+/\d+`)
	// fractions matches a part of a tablet or of a meal.
	fractions = regexp.MustCompile(`^(?:1/2|1/4|3/4|1/3|2/3)(?:[^\d/]|$)`)
	// schedule matches a part of a tablet among the numbers of a day's doses: 1/2-0-1.
	schedule       = regexp.MustCompile(`^(?:1/2|1/4|3/4|1/3|2/3)[-–][0-9](?:[-–/]|\b)`)
	scheduleBefore = regexp.MustCompile(`[0-9][-–]$`)
	// counted matches what stands before a number of so many, and before a number of days of a week of a pregnancy.
	counted   = regexp.MustCompile(`第 ?$|\bset $|\bclass $`)
	gestation = regexp.MustCompile(`\b[1-4]\d $`)
	// portions matches such a part with what it is a part of.
	portions = regexp.MustCompile(`^(?:1/2|1/4|3/4|1/3|2/3)[ -]?(?i:the|of|an?|tab\pL*|caps?|pills?|pastillas?|comprimidos?|comp|cp|tbl|tablette|doses?|mi|miles?|st|stone|ppd|packs?|hr|hrs|hours?|h|hora|normal|ns|saline|isotonic|strength|cups?|tsp|tbsp|pints?|pt|inch|in|way|life|scoops?|plates?|meals?|bottles?|glass|liters?|litre|siblings|full|brother|sister|cans?|feeds?|sachets?|ampoules?|ampolla|length|dilution|max|fingerbreadths?|fb|pillow|peg|bag|carton|bottle|sandwich|portion|ration|moon)\b`)
	// murmurs matches the loudness of a murmur, out of six.
	murmurs = regexp.MustCompile(`^[1-6](?:-[1-6])?/6 ?(?i:to |bis )?(?i:(?:harsh|soft|blowing|early|mid|late|loud|apical|basal|vibratory|crescendo(?:-decrescendo)?|rumbling|musical)[ ,]*)*(?i:sem|hsm|msm|esm|edm|psm|mdm|pansyst\pL*|holosyst\pL*|syst\pL*|diast\pL*|ejection|murmur|m\b|sm\b|dm\b|soplo|herzgeräusch|flow)`)
)

// isScored reports whether a number is a part of two behind the name of a score, and not as near to the dates of the text as a date.
func (e *evidence) isScored(text string, i int) bool {
	if e.pair[i].month == "" || e.pair[i].month == "same" || e.pair[i].sure == "2" {
		return false
	}
	start := e.pieces[i].start
	if i >= 2 && !e.pieces[i].spaced && e.pieces[i-1].text == "/" {
		start = e.pieces[i-2].start
	}
	return scored.MatchString(beforeInLine(text, start))
}

// isShare reports whether a number is a part of two with a slash between them that are more often a score or a span of
// time than a day and a month: 3/5, 4/10, 6/12.
func (e *evidence) isShare(i int) bool {
	if i >= 2 && e.pieces[i-1].text == "/" && !e.pieces[i].spaced {
		i -= 2
	}
	if i+2 >= len(e.pieces) || e.pieces[i+1].text != "/" || e.pieces[i].kind != 'd' || e.pieces[i+2].kind != 'd' || e.pieces[i].text[0] == '0' {
		return false
	}
	switch e.pieces[i+2].text {
	case "3", "5", "7", "10", "12":
		return true
	}
	n := numbers(e.pieces[i].text + " " + e.pieces[i+2].text)
	return n[0] <= n[1] && n[1] <= 12
}

// isTitledAt reports whether a title that stands before names only is before a piece, over one word or mark.
func isTitledAt(e *evidence, i int) bool {
	for k := i - 1; k >= 0 && k >= i-3; k-- {
		if coreTitles[e.pieces[k].lower] {
			return true
		}
		if e.pieces[k].kind == 'l' {
			break
		}
	}
	return false
}

// isLabelled reports whether the line says before a piece, over at most four others, that a name stands there.
func (e *evidence) isLabelled(i int) bool {
	for k := i - 1; k > 0 && k >= i-5 && e.pieces[k].kind != 'l'; k-- {
		if e.pieces[k].text == ":" {
			return nameLabels[e.pieces[k-1].lower]
		}
	}
	return false
}

// nameLabels holds what stands before the name of a patient in forms, with a colon.
var nameLabels = plaintext.Set(`name patient surname forename paciente nombre apellidos vorname nachname`)

// isApart reports whether no digit and no mark joins a word to what stands next to it.
func (e *evidence) isApart(i int) bool {
	before := i == 0 || e.pieces[i].spaced || e.pieces[i-1].kind == 'l'
	behind := i == len(e.pieces)-1 || e.pieces[i+1].spaced || e.pieces[i+1].kind == 'l' || strings.Contains(",;:.)", e.pieces[i+1].text)
	return before && behind
}

// isClinical reports whether a piece that may be a part of something is a dose or a value, or the name of the drug before a dose.
func (e *evidence) isClinical(text string, i int, as label) bool {
	p := e.pieces[i]
	switch p.kind {
	case 'd':
		if unitNear(text[p.end:]) || as != ofNumber && as != ofContact && (e.isRatio(i) || e.class[i] == "" && e.isDecimal(i) && !(as == ofDate && (e.pair[i].month == "same" || e.pair[i].lines == "2" || e.pair[i].lines == "3"))) {
			return true
		}
		if as == ofDate && e.isFraction(text, i) {
			return true
		}
		if days.MatchString(text[max(0, p.start-8):p.start]) && overDays.MatchString(text[p.start:]) || behindDays.MatchString(text[max(0, p.start-8):p.start]) && isOverDays(p.text) {
			return true
		}
		k := i - 1
		for k >= 0 && strings.Contains(":=<>~", e.pieces[k].text) {
			k--
		}
		if k > 0 && e.pieces[k].kind == 'd' && !e.pieces[k].spaced { // HCO3 24
			if k--; e.pieces[k].text == "CA" { // CA125 24
				return true
			}
		}
		return k >= 0 && (len(p.text) <= 6 && clinicalCodes[e.pieces[k].text] || len(p.text) <= 3 && measured[e.pieces[k].text] && (as != ofDate || e.pair[i].month == ""))
	case 'w':
		return countries[p.lower] && !(as == ofName && e.class[i] == Name) || dosed.MatchString(text[p.end:]) && (isDrug(p.lower) || known().brand[p.lower])
	}
	return false
}

// A span of time is written as a number of days, weeks or months over 7, 52 or 12: "for 5/7".
var (
	days       = regexp.MustCompile(`(?i)(?:^|[ \n(])(?:x|×|for|in) ?$`)
	overDays   = regexp.MustCompile(`^\d+/(?:7|52|12)\b(?:[^/]|$)`)
	behindDays = regexp.MustCompile(`(?i)(?:^|[ \n(])(?:x|×|for|in) ?\d+/$`)
)

// isDecimal reports whether a number is one side of a decimal one.
func (e *evidence) isDecimal(i int) bool {
	at := func(k int) piece {
		if k < 0 || k >= len(e.pieces) {
			return piece{}
		}
		return e.pieces[k]
	}
	joined := func(k int) bool { p := at(k); return p.kind == 'd' && !p.spaced }
	dot := func(k int) bool { p := at(k); return (p.text == "." || p.text == ",") && !p.spaced }
	switch {
	case dot(i+1) && joined(i+2): // before the point
		return !dot(i+3) && !dot(i-1) && at(i+3).text != "/" && at(i+3).text != "-"
	case dot(i-1) && joined(i) && at(i-2).kind == 'd': // behind it
		return !dot(i+1) && !dot(i-3) && at(i+1).text != "/" && at(i+1).text != "-"
	}
	return false
}

// isRatio reports whether a number is a part of others with slashes between them that are no date: a score such as 2/1/2, a
// strength such as 5/1.25 or behind the name of its drug, a level of the spine such as C5/6.
func (e *evidence) isRatio(i int) bool {
	from, to := i, i
	for from >= 2 && e.pieces[from-1].text == "/" && e.pieces[from-2].kind == 'd' {
		from -= 2
	}
	for to+2 < len(e.pieces) && e.pieces[to+1].text == "/" && e.pieces[to+2].kind == 'd' {
		to += 2
	}
	written := ""
	for _, p := range e.pieces[from : to+1] {
		written += p.text
	}
	var before piece
	if from > 0 {
		before = e.pieces[from-1]
	}
	decimal := to+2 < len(e.pieces) && strings.Contains(".,", e.pieces[to+1].text) && !e.pieces[to+1].spaced && e.pieces[to+2].kind == 'd' && !e.pieces[to+2].spaced
	switch (to - from) / 2 {
	case 0:
		return false
	case 1:
		n := numbers(written)
		if second := e.pieces[to].text; len(second) == 2 && second[0] == '0' && !decimal {
			return false // no strength is written so
		}
		if e.pair[from].ofYear && !decimal {
			return false
		}
		return decimal || min(n[0], n[1]) < 1 || min(n[0], n[1]) > 12 || max(n[0], n[1]) > 31 || len(before.text) == 1 && strings.Contains("CTLS", before.text) && !e.pieces[from].spaced ||
			before.kind == 'w' && (isDrug(before.lower) || known().brand[before.lower])
	case 2:
		const leastYear = 60 // 9/10/96 is a date behind the name of a vaccine, too
		return len(e.pieces[to].text) == 1 || len(e.pieces[to].text) == 2 && number(e.pieces[to].text) < leastYear && before.kind == 'w' && (isDrug(before.lower) || known().brand[before.lower])
	}
	return true
}

// apgar matches an Apgar score, of three numbers at most, up to one of them.
var apgar = regexp.MustCompile(`(?i)\bapgar(?:[ -]?(?:scores?|werte?|评分|評分))?[ :=(]{0,2}(?:(?:10|\d)[-/., ]{1,2}){0,2}$`)

// coded matches what makes the number behind it a score or a code of a public classification.
var coded = regexp.MustCompile(`(?i)(?:\bapgar|\bflex(?:ion)?/ext(?:ension)?|\bext(?:ension)?/flex(?:ion)?|\b(?:snomed|sct|loinc|ndc|pzn|din|gtin|artg|hgvs|clinvar|vcv|dbsnp|icd|cpt|atc|ops|rxnorm|mesh|omim|hcpcs|drg|hpo|awmf|gop|goä|goz|ebm|hmv|hi-?mi(?:-?pos)?\.?|clsi|gbz|meddra|mondo|orpha|fw|firmware|versi[oó]n|software|release)(?:[ -](?:ct|10|9|11)(?:-cm|-gm)?)?)[ :(=]{1,2}(?:(?:and|,|/|\.|-|\d|[A-Z]\d)[ ]?)*[A-Z]{0,2}$|国药准字[A-Z]?$|\bHP:\d*$`)

// cited matches what stands before the number of a paper, a trial or a place in the genome.
var cited = regexp.MustCompile(`(?i)(?:\b(?:pmid|pmc|doi|nct|isrctn|eudract|drks|chictr|actrn)[ :]{0,2}|\bchr(?:omosome)? ?[\dXY]{1,2}[: ](?:g\.)?|\bg\.|\brs|\bvcv)(?:\d+[_-])?$`)

// variant matches what stands behind the place of a variant in a table of genetics.
var variant = regexp.MustCompile(`^\t(?:[ACGT]+|ins|del|dup)\t`)

// objectIdentifier matches an identifier of a system of codes in registers of standards.
var objectIdentifier = regexp.MustCompile(`^[0-2](?:\.\d+){4,}`)

// longPart matches a part of an identifier that counts single images, studies or documents.
var longPart = regexp.MustCompile(`\d{7}`)

// spine matches levels of the spine and the numbers of an obstetric history.
var spine = regexp.MustCompile(`^(?:[CTLS](?:1[0-2]|[1-9])(?:[-/][CTLS]?(?:1[0-2]|[1-9]))+|G\d{1,2} ?P\d{1,4}(?:[-+]\d)*)(?:[^\w-]|$)`)

// inSpine reports whether a piece is a part of such levels.
func inSpine(text string, p piece) bool {
	from := p.start
	for from > 0 && p.start-from < 12 && (isDigit(text[from-1]) || isLatin(text[from-1]) || text[from-1] == '-' || text[from-1] == '/') {
		from--
	}
	return strings.IndexByte("CTLSG", text[from]) >= 0 && isDigitAt(text, from+1) && spine.MatchString(text[from:])
}

// technetium matches the isotope of most scans, which is no age.
var technetium = regexp.MustCompile(`^99m(?:Tc|\)? ?-?Tc| ?[Tt]c)`)

// isCoded reports whether a piece is a part of such a score or code, or of an identifier of a system of codes.
func isCoded(text string, p piece) bool {
	if p.kind == 'd' || p.text == "." {
		from := p.start
		for from > 0 && p.start-from < maxCode && (isDigit(text[from-1]) || text[from-1] == '.') {
			from--
		}
		if strings.HasPrefix(text[from:], "2.16.") || strings.HasPrefix(text[from:], "1.2.") || strings.HasPrefix(text[from:], "1.3.6.") {
			if id := objectIdentifier.FindString(text[from:]); id != "" && !longPart.MatchString(id) {
				return true
			}
		}
	}
	if p.kind == 'd' && variant.MatchString(text[p.end:]) || inSpine(text, p) || p.text == "99" && technetium.MatchString(text[p.start:]) {
		return true
	}
	if p.kind != 'd' && p.kind != 'm' && len(p.text) > 2 {
		return false
	}
	start := max(0, p.start-32)
	for !utf8.RuneStart(text[start]) {
		start++
	}
	return codeKey.MatchString(text[start:p.start]) || coded.MatchString(text[start:p.start]) || cited.MatchString(text[start:p.start]) || acidity.MatchString(text[start:min(len(text), p.start+2)])
}
