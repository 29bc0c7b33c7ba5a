package redact

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"lacuna/knowledge/par"
	"lacuna/knowledge/plaintext"
)

// What is given to a patient and what is measured in one stays. A name that stays tells who somebody is; a dose that goes
// can harm them, and no reader of the answer sees what it was.

// doses match what is a dose, a rate, a scheme of doses or a value whatever stands around it. The first group is what stays, if no word
// and no number goes on there.
var doses = []*regexp.Regexp{
	re(`(` + amount + ` ?-?(?:` + unit + `)(?:/(?:kg|min|h|hr|d|day|24h|tag|die|día|dia|dosis|dose|m2|m²|l|ml|dl|kg/h|kg/d|kg/min|日|天|次))*)(?:$|[^\pL\d])`),
	re(`(\d{1,3}(?:\.\d{1,4})?(?: ?[-~] ?\d{1,4}(?:\.\d{1,3})?)? ?(?:毫克|微克|毫升|毫米|厘米|公斤|克|片|粒|支|单位|次|滴|丸|秒)(?:/(?:日|天|次|分|小时))?)`),
	re(`((?:` + share + `-){2}` + share + `(?:-` + share + `)?)(?:$|[^\w/:-])`), // 1-0-1, 1/2-0-1/2
	re(`((?:(?:HR|[SD]?BP|MAP|FC|TA|[Ss]p[Oo]2|SaO2|SatO2|[Ss]at[st]?\.?)[ \t]*[:=]?[ \t]*[<>~≥≤]?` + pressure + `(?:[-/]\d{2,3})?|(?:RR|PA)[ :]{1,2}` + pressure + `/\d{2,3}))(?:$|[.,;:)]|[ \t\n](?:$|\D))`),
	re(`(` + outOf + `)` + notDay),
	re(`(` + measure + `)(?:$|[^\w-])`),
	re(`((?:Kt/V|[EA]/[EAG]'?|E/e'|S/D|L/S|N/L|V/Q|P/F)[ :=]{1,3}\d{1,2}[.,]\d{1,2})` + notDay),
	re(`(CK-?MB[ :=]{1,3}\d{1,4}(?:[.,]\d{1,2})?)` + notDay),
	re(`((?:8|9|1\d|2[0-4])\d/(?:[4-9]\d|1[0-2]\d)(?: ?[-–] ?(?:8|9|1\d|2[0-4])\d/(?:[4-9]\d|1[0-2]\d))?)(?:$|[^\w/-])`), // a pressure
	re(`(\d{1,2}\.\d{1,2} ?\((?:0\d|1[0-8]|2[1-3])[0-5]\d\)(?: ?[/,;] ?\d{1,2}\.\d{1,2} ?\([0-2]\d[0-5]\d\)){1,8})`),     // values with their times
	re(`([67]\.\d\d/\d{2,3}/\d{2,3})`),                                  // the gases of blood
	re(`([1-9]\d{0,2}[.,]000)(?:$|[^\w.,/-]|[.,](?:$|\D))`),             // thousands
	re(`(\d{2,3}-\d{2,3}[ :=]{1,3}\d{1,2}) ?(?:U|UI|IU|IE|E|units?)\b`), // a scale of insulin
	re(`\d ?(?:kg|cm) \(?(\d{1,2}(?:st|nd|rd|th))\b`),                   // a centile
	re(`((?:12|24|36|48|72) ?h)\b`),
	re(`([1-9]\d{0,2}/(?:\d{1,3}/){0,8}\d{0,2}\.\d{1,2}(?:/\d{1,3}(?:\.\d{1,2})?){0,8})(?:$|[^\d.,/:-]|[.,/:-](?:$|\D))`), // 29/1.6, 138/4.1/102
	re(`((?:d\d{1,2}|D1) ?[-–] ?[dD]?\d{1,2})(?:$|[^\w./-])`),                                                             // the days of a course
	re(`(\d{1,3}[.,]\d{1,2} ?(?:L|l|g|U|h|cc|km|cm|mm|公里)(?:/\pL+)?)(?:$|[^\pL\d]|\p{Han})`),
	re(`(\d{2,4} ?(?:ml|mg|g|l)/\d{2,4})(?:$|[^\w.,/-])`),                                                            // 650 ml/1500
	re(`(?:\(|\b(?i:vn|vr|ref|rango|normal)[.: ]{1,2})([1-9]\d{0,2}[.,]\d00 ?[-–] ?[1-9]\d{0,2}[.,]\d{3})` + notDay), // (VN 5.300-12.900)
	re(`[^间期日生]为(\d{1,3}\.\d{1,2})(?:$|[^\d月日.-])`),
}

// treatments match what is given to or done with a patient, and is called as a person or a place is.
var treatments = re(`(?:^|[^\pL])((?i:st\.? (?:john'?s|mary'?s) (?:wort|thistle)|(?:hierba|yerba) de san juan|agua del carmen|sal(?:es)? de (?:frutas|eno|epsom)|dong quai|queen anne'?s lace|(?:lady'?s|our lady'?s) (?:mantle|thistle)|` +
	`(?:friar'?s|tiger|peru|canada) balsam|tiger balm|balsam of (?:peru|tolu)|bach (?:flowers?|blüten)|milk of magnesia|jerusalem artichoke|epsom salts?|gold bond|mrs\.? dash (?:seasoning|salt)|dr\.? scholl'?s|burt'?s bees|ben-?gay|` +
	`(?:condy'?s|gentian violet) (?:crystals|fluid)|(?:burow|lugol|dakin|monsel|ringer|hartmann|carnoy|jessner|shohl|brompton|castellani)(?:'?s)? (?:lactate|solution|iodine|mixture|cocktail|paint)|` +
	`jackson[- ]rees circuit|ivor[- ]lewis (?:o?esophagectomy|procedure|operation|resection|ösophagektomie|esofagectom[ií]a)|austin[- ]moore (?:prosthesis|hemi\pL*)|de gramont (?:regimen|protocol|schema)|roswell park (?:regimen|protocol)|hyper-?cvad|berlin-frankfurt-münster|` +
	`\d\d ?mm st\.? jude(?: medical)?|st\.? jude (?:medical|valve|mechanical|bileaflet|prosthe\pL+|pacemaker|icd|lead|mvr|avr|ppm|crt\pL*|dual)|boston scientific|edwards (?:sapien|perimount|magna|inspiris|lifesciences)|starr[- ]edwards|björk[- ]shiley|zimmer[- ]biomet|(?:philadelphia|miami) collar|(?:boston|milwaukee) brace|denver shunt|` +
	`mariazeller magentropfen|klosterfrau melissengeist|schwedenbitter|franzbranntwein)|Hancock II|Miami J|Smith & Nephew|Mapleson [A-F]|贯叶连翘|圣约翰草|川贝枇杷膏|云南白药|安宫牛黄丸|六味地黄丸|藿香正气(?:水|液|丸)|马应龙(?:痔疮膏)?|京都念慈菴)(?:$|[^\pL]|[\p{Han}])`)

// withoutTreatments leaves out the hits that are a treatment or a part of one. A longer hit, such as a place, stays whole.
func withoutTreatments(text string, hits []hit) []hit {
	all := spansOf(treatments, text)
	return slices.DeleteFunc(hits, func(h hit) bool {
		return slices.ContainsFunc(all, func(s Span) bool { return s.Start <= h.start && h.end <= s.End })
	})
}

const (
	// amount is a number, a range, or numbers with slashes between them.
	amount = `(?:\d{1,4}(?:[.,]\d{1,4})?(?:/\d{1,4}(?:[.,]\d{1,3})?)+|\d{1,4}(?:[.,]\d{1,4})?(?: ?[-x×] ?\d{1,4}(?:[.,]\d{1,3})?)*)`
	// unit is one that stands behind no number of somebody.
	unit = `[mnp]g|mcg|[µμu]g|kg|m[lL]|d[lL]|mmol|[µμu]mol|[np]mol|m[oO]sm|mm[hH]g|cmH2O|bpm|IU|UI|m[Ee]q|[kh]Pa|mbar|c?Gy|mGy|MBq|mSv|kcal|ppm|mU|[kM]Hz|dB|°[CF]|℃|%|` +
		`(?i:puffs?|hübe|gtt|tbl|tabl?s?|tablets?|tabletten|capsules?|kapseln|tropfen|gotas|comprimidos?|ampollas?|comp|units|einheiten|unidades|sachets?|ampoules?|vials?)|IE`
	// plainUnit is one that stands behind neither a date nor an age nor a number of somebody, in small letters.
	plainUnit = `kgs?|cm|mg|mcg|µg|μg|mls?|mmol|mmhg|bpm|units?|mbar|joules?`
	// share is a part of a day's doses in a scheme.
	share = `(?:[0-3]|1/2|1/4|3/4|½|¼|¾|\d[.,]5)`
	// pressure is a number of a pressure, a rate or a saturation that is no day of a month.
	pressure = `(?:3[2-9]|[4-9]\d|[12]\d\d)`
	// outOf is a score with the most that it can be.
	outOf = `(?i:(?:SOFA)[ :=]{1,2}\d{1,2}/24|PHQ-?9[ :=]{1,2}\d{1,2}/27|(?:GAD-?7|HADS(?:-[AD])?)[ :=]{1,2}\d{1,2}/21|(?:MoCA|MMSE|EPDS|ACT)[ :=]{1,2}\d{1,2}/30|NIHSS[ :=]{1,2}\d{1,2}/42|GCS[ :=]{1,2}\d{1,2}/15|(?:AMTS?|Apgar|VAS|NRS|EVA|EVN|pain|dolor|Schmerz(?:en)?)[ :=]{1,2}\d{1,2}/10|G-?8[ :=]{1,2}\d{1,2}/17|Braden[ :=]{1,2}\d{1,2}/23|Lawton[ :=]{1,2}\d/8|Katz[ :=]{1,2}\d/6|ORT[ :=]{1,2}\d{1,2}/26|M-?CHAT[ :=]{1,2}\d{1,2}/20)`
	// measure is the name of a score or a marker that looks like a code.
	measure = `(?:(?:Hb)?A1[cC]|GAD-?[27]|PHQ-?[29]|CA ?-?(?:125|19-9|15-3|72-4)|FIB-4|CURB-65|CRB-65|EQ-5D|SF-(?:12|36)|DAS28)`
)

// arrow stands between the values of a trend; notDay matches what is behind a number that is not the beginning of a date.
const (
	arrow  = `(?:→|->|-->|=>|⇒|↗|↘)`
	notDay = `(?:$|[^\w./:月日号號-]|\.(?:$|\D))`
)

var (
	// numberAlone matches a number with all its marks.
	numberAlone = re(`\d+(?:[.,]\d+)*`)
	// numberOfValue matches a number that a value can be.
	numberOfValue    = re(`^(?:0|[1-9]\d{0,3}|\d{1,3}[.,]\d{1,3}|[1-9]\d{0,2}(?:(?:,\d{3})+|\.\d{3}))$`)
	decimalHan       = re(`^(?:$|[^\d月日号號/.-]|\.(?:$|\D))`)
	decimalWithSlash = re(`(\d{1,3}[.,]\d{1,2}(?:/\d{1,3})+)` + notDay)  // 17,5/30
	rangeFromInteger = re(`(\d{1,3} ?[-~–] ?\d{1,3}\.\d{1,2})` + notDay) // 5-9.5
	rowWithArrows    = re(`(\d{1,5}(?:\.\d{1,2})?(?: ?` + arrow + ` ?[<>]?\d{1,5}(?:\.\d{1,2})?)+)` + notDay)
	// fourInRow matches what a record or a telephone may have, so that without a name before it a row is none of values.
	fourInRow       = re(`\d{4}`)
	zeroBehindPoint = re(`([1-9]\.0\d)(?:$|[^\d.,/:月日号號-]|,\D)`)                       // 1.05
	acidityAndTime  = re(`((?:6\.[89]|7\.[0-7])\d) ?\((?:0\d|1[0-8]|2[1-3])[0-5]\d\)`) // 7.31 (0600)
	rowWithCommas   = re(`(\d{1,3}\.\d{1,2}(?:(?:, ?|,? (?:then|and|to|then and|up to|down to) )[<>]?\d{1,3}\.\d{1,2})+)` + notDay)
	rowWithHyphens  = re(`(\d{1,3}\.\d{1,2}(?: ?[-~–—/>] ?\d{1,3}\.\d{1,2})+)` + notDay)
)

// valueBehind matches what stands behind a whole number that is a value.
var valueBehind = re(`^(?:$|[^\w.,/:月号號日-]|[.,:-](?:$|[^\w]))`)

var (
	// zeroMonth matches a decimal number that is written as a day and a month of two digits: 28.05.
	zeroMonth = re(`^0\d|^\d\d\.0\d$`)
	// numberBehind matches a value behind its day: INR 2.3 4.62.
	numberBehind = re(`^\.? +\d`)
)

// monthBehind matches what makes a whole number a day: "CRP 3 March".
var monthBehind = re(`^\.? ?(?i:de |of )?(?:` + monthLong + `|` + monthShort + `)(?:$|[^\pL])`)

// dosesIn returns the doses and values of a text, in order and apart. Who writes German has commas in decimal numbers, and stops in days.
func dosesIn(text string) []Span {
	if !strings.ContainsAny(text, "0123456789½¼¾") {
		return nil
	}
	isGerman := languageOf(text) == german
	found := par.Gather(len(doses)+1, func(i int) ([]Span, bool) {
		if i < len(doses) {
			return slices.DeleteFunc(spansOf(doses[i], text), func(s Span) bool { return beginsWithYear.MatchString(text[s.Start:s.End]) }), true
		}
		stops := stopsOf(text)
		hasStops := isGerman || stops == "own" || stops == "both"
		return slices.Concat(namedValues(text, isGerman), rowsOfValues(text, hasStops), dosesOfWeekdays(text, hasStops), ordinalsOfCounts(text), amountsByCount(text)), true
	})
	all := slices.Concat(found...)
	slices.SortFunc(all, func(a, b Span) int { return cmp.Compare(a.Start, b.Start) })
	apart := all[:0]
	for _, s := range all {
		if last := len(apart) - 1; last >= 0 && s.Start <= apart[last].End {
			apart[last].End = max(apart[last].End, s.End)
			continue
		}
		apart = append(apart, s)
	}
	return apart
}

// beginsWithYear matches a date that is whole, before a unit: 3/14/2024 kg 72.
var beginsWithYear = re(`^\d{1,2}[/.-]\d{1,2}[/.-](?:19|20)\d\d`)

// spansOf returns where the first group of a pattern stands in a text and goes on no word and no number.
func spansOf(pattern *regexp.Regexp, text string) []Span {
	var found []Span
	for from := 0; from < len(text); {
		at := pattern.FindStringSubmatchIndex(text[from:])
		if at == nil {
			break
		}
		start, end := from+at[2], from+at[3]
		if goesOn(text, start) {
			for from = start + 1; from < end && (isDigit(text[from]) || strings.IndexByte(".,/-", text[from]) >= 0); {
				from++ // in linear time, however long the number is
			}
			continue
		}
		found = append(found, Span{Start: start, End: end})
		from = end
	}
	return found
}

// goesOn reports whether a place of a text is within a word or a number.
func goesOn(text string, at int) bool {
	if at == 0 {
		return false
	}
	before, _ := utf8.DecodeLastRuneInString(text[:at])
	return before < utf8.RuneSelf && isAlphanumeric(before) || strings.ContainsRune("_-/", before) || isDigit(text[at]) && strings.ContainsRune(".,:", before) && isDigitAt(text, at-2)
}

// namedValues returns the values of a text with the name of what is measured before them.
func namedValues(text string, isGerman bool) []Span {
	var found []Span
	isHan := plaintext.HasHan(text) // 3,14 are two numbers
	for _, at := range numberAlone.FindAllStringIndex(text, -1) {
		start, end := at[0], at[1]
		name, from := nameBefore(text, start)
		number := text[start:end]
		if len(name) >= leastName && valueOrRange.MatchString(text[start:min(len(text), start+maxCode)]) && !monthBehind.MatchString(text[end:]) {
			found = append(found, Span{Start: from, End: from + len(name)}) // Temp 38-39
		}
		if name == "" || !numberOfValue.MatchString(number) || isHan && strings.Contains(number, ",") {
			continue
		}
		isJoined, isDecimal := from+len(name) == start, strings.ContainsAny(number, ".,")
		switch {
		case isJoined && measuredHan[name] && isDecimal && decimalHan.MatchString(text[end:]):
		case !isValueAt(text, start, end, isGerman), len(number) == 3 && !isDecimal && groupBehind.MatchString(text[end:]):
			continue // IMC 555 220
		case measuredHan[name]:
		case symbols[name] && thousands.MatchString(number):
			continue // HC 55.812 is a record
		case symbols[name] && (isJoined || !isDecimal), !isDecimal && (isJoined || goesOn(text, from) && !strings.HasSuffix(text[:from], "NT-") || idBefore.MatchString(text[max(0, from-16):from])):
			continue // ALB3509, HR-LH 220, MRN: LH 2204
		}
		found = append(found, Span{Start: from, End: end})
	}
	return found
}

// leastName is how long the name of what is measured is, in bytes, that is before a number neither the initials nor the name of somebody.
const leastName = 4

// valueOrRange matches a value, or two, with a unit or a mark behind.
var valueOrRange = re(`^\d{1,3}(?:[.,]\d{1,2})?(?:[-–/]\d{1,3}(?:[.,]\d{1,2})?)?(?: ?(?:°|º|%|[CFkK]\b|/min)|[,;)]|\.(?:$|\D)|$|\s+(?:$|[^\d\sya]))`)

// groupBehind matches another three digits of a number.
var groupBehind = re(`^ \d{3}(?:\D|$)`)

// idBefore matches what makes letters and a number behind it those of a record or a telephone.
var idBefore = re(`(?i:\b(?:mrn|numbers?|no|nr|id|ref|lot|acct|account|record|file|case|ficha|episode|episodio|pin|code|konto|badge|plate|participant|tel|call|pager|ext|phone|fax)\b)[ .:#]*$`)

// nameBefore returns the name of what is measured directly before a number of a text, and where it begins; "" if there is none. A word
// such as "today" may stand between them.
func nameBefore(text string, at int) (string, int) {
	from := max(0, at-maxCode)
	before := strings.TrimRight(strings.TrimRight(strings.TrimRight(text[from:at], "<>~≥≤"), " \t"), ":=")
	for range maxBetween {
		before = strings.TrimRight(before, " \t")
		word := wordAtEnd(before)
		if word == "" || !beforeValue[strings.ToLower(word)] {
			break
		}
		before = before[:len(before)-len(word)]
	}
	before = strings.TrimRight(before, " \t:=")
	before = strings.TrimSuffix(strings.TrimSuffix(strings.TrimSuffix(before, "为"), "约"), "+")
	if word := wordAtEnd(before); measured[word] {
		return word, from + len(before) - len(word)
	}
	if stopped, isStopped := strings.CutSuffix(before, "."); isStopped { // Temp. 38
		if word := wordAtEnd(stopped); len(word) >= leastName && measured[word] {
			return word, from + len(stopped) - len(word)
		}
	}
	name, start, isHan := "", at, false
	for i, n := len(before), 0; i > 0 && n < maxHan; n++ {
		r, size := utf8.DecodeLastRuneInString(before[:i])
		if !isAlphanumeric(r) {
			break
		}
		if n == 1 && isHan && unicode.Is(unicode.Han, r) {
			name, start = "", at // one character is the end of another word: 金谷
		}
		if i -= size; measuredHan[before[i:]] {
			name, start, isHan = before[i:], from+i, n == 0
		}
	}
	return name, start
}

const (
	// maxBetween is how many words may stand between what is measured and its value.
	maxBetween = 2
	// maxHan is how long the name of what is measured is in Chinese, in characters.
	maxHan = 7
)

// wordAtEnd returns the letters and digits at the end of a text, of any script but Chinese.
func wordAtEnd(text string) string {
	start := len(text)
	for start > 0 {
		r, size := utf8.DecodeLastRuneInString(text[:start])
		if !isAlphanumeric(r) || unicode.Is(unicode.Han, r) {
			break
		}
		start -= size
	}
	return text[start:]
}

// isValueAt reports whether a number behind the name of what is measured is a value and no day.
func isValueAt(text string, start, end int, isGerman bool) bool {
	switch number := text[start:end]; {
	case strings.Contains(number, ","), thousands.MatchString(number):
		return true
	case strings.Contains(number, "."):
		return !isGerman && decimalValue.MatchString(text[start:]) && !zeroMonth.MatchString(number) && !numberBehind.MatchString(text[end:])
	}
	return valueBehind.MatchString(text[end:]) && !monthBehind.MatchString(text[end:])
}

// rowsOfValues returns the rows of numbers in a text of which one cannot be a day, or which stand behind what is measured: 9.9, 8.6, 8.2.
// Where days have stops, only what nobody takes for days is one.
func rowsOfValues(text string, hasStops bool) []Span {
	isHan := plaintext.HasHan(text)
	rows := slices.Concat(spansOf(rowWithArrows, text), spansOf(rowWithHyphens, text))
	var values []Span
	if !hasStops {
		rows = append(rows, spansOf(rangeFromInteger, text)...)
		values = slices.DeleteFunc(spansOf(zeroBehindPoint, text), func(s Span) bool { return dayBefore.MatchString(beforeInLine(text, s.Start)) })
	}
	if !hasStops && !isHan {
		rows = append(rows, spansOf(rowWithCommas, text)...)
		values = append(values, spansOf(acidityAndTime, text)...)
	}
	if !isHan {
		rows = append(rows, spansOf(decimalWithSlash, text)...)
	}
	return append(values, slices.DeleteFunc(rows, func(row Span) bool {
		if besideNumber.MatchString(text[max(0, row.Start-2):row.Start]) || besideNumber.MatchString(text[row.End:min(len(text), row.End+2)]) {
			return true // CRP 24 9.3 → 8 12.3: each with its day
		}
		name, _ := nameBefore(text, row.Start)
		if name != "" && strings.Contains(text[row.Start:row.End], ".") {
			return false
		}
		return name == "" && fourInRow.MatchString(text[row.Start:row.End]) || !slices.ContainsFunc(numberAlone.FindAllString(text[row.Start:row.End], -1), isNoDay)
	})...)
}

// isNoDay reports whether a number is neither a day of a month nor a day and a month with a stop between them.
func isNoDay(number string) bool {
	a, b, isDecimal := strings.Cut(number, ".")
	n, err := strconv.Atoi(a)
	if !isDecimal {
		return err != nil || n < 1 || n > 31
	}
	m, _ := strconv.Atoi(b)
	return !eitherOrder.allows(n, m)
}

// ordinalsOfCounts returns the ordinal numbers of a text that no day has: those of what is counted, and the centiles that could be days, if the
// text has others: the 2nd, 9th and 25th of a chart with the 91st.
func ordinalsOfCounts(text string) []Span {
	found := spansOf(ordinalOfCount, text)
	if otherCentile.MatchString(text) {
		found = append(found, spansOf(centile, text)...)
	}
	return slices.DeleteFunc(found, func(s Span) bool {
		before := beforeInLine(text, s.Start)
		return dayBefore.MatchString(before) || monthBefore.MatchString(before) || monthBehind.MatchString(text[s.End:])
	})
}

var (
	ordinalOfCount = re(`(\d{1,2}(?:st|nd|rd|th)) (?:copy|deg(?:ree)?|dose|cycle|trimester|toes?|ribs?|mcp?s?|metatarsals?|centile|percentile|grade|molar)\b`)
	centile        = re(`((?:2nd|9th|25th)(?: ?[-–/] ?(?:2nd|9th|25th|50th))?)(?:$|[^\w-])`)
	otherCentile   = re(`\b(?:50th|75th|91st|98th|99\.6th|0\.4th)\b|(?i:\bcent(?:ile)?s?|percentiles?)\b`)
	monthBefore    = re(`(?:` + monthLong + `|` + monthShort + `)[ ,]*(?:the )?$`)
)

// amountsByCount returns the amounts below one, and those given several times unless a label of a number is before them: 0.1 x2, 500x3.
func amountsByCount(text string) []Span {
	return slices.DeleteFunc(spansOf(amountByCount, text), func(s Span) bool {
		return text[s.Start] != '0' && idBefore.MatchString(text[max(0, s.Start-16):s.Start])
	})
}

var amountByCount = re(`(0\.\d{1,3}(?: ?[x×] ?\d{1,2})?|[1-9]\d{2,3}[x×]\d)(?:$|[^\w./:月日号號-]|\.(?:$|\D))`)

// dosesOfWeekdays returns the doses of a week, with the days before them: of a week two days have the same number, which are no dates then
// (Mon 5, Tue 2.5, Wed 5), or several days together have a number with a half or a quarter (Mon and Fri 2.5).
func dosesOfWeekdays(text string, hasStops bool) []Span {
	var found []Span
	if !hasStops {
		found = spansOf(doseOfWeekdays, text)
	}
	var week []Span
	days, numbers := map[string]bool{}, map[string]bool{}
	isDose := false
	end := func() {
		if isDose {
			found = append(found, week...)
		}
		week, isDose = nil, false
		clear(days)
		clear(numbers)
	}
	for _, s := range spansOf(numberOfWeekday, text) {
		day, number, _ := strings.Cut(weekdayMark.ReplaceAllString(text[s.Start:s.End], " "), " ")
		if day = strings.ToLower(day[:2]); monthBehind.MatchString(text[s.End:]) {
			continue
		}
		if days[day] || len(week) > 0 && s.Start-week[len(week)-1].End > maxCode {
			end()
		}
		isDose = isDose || numbers[number]
		days[day], numbers[number] = true, true
		week = append(week, s)
	}
	end()
	return found
}

var (
	numberOfWeekday = re(`(` + weekdayOfDose + `[ :=,]{1,3}\d{1,2}(?:[.,]\d{1,2})?)(?:$|[^\w./:,-]|[.,](?:$|\D))`)
	doseOfWeekdays  = re(`(` + weekdayOfDose + `(?: ?[+/&,] ?| and | y | und )` + weekdayOfDose + `[ :=,]{1,3}\d{1,2}[.,](?:5|25|75))(?:$|[^\w./:,-]|[.,](?:$|\D))`)
	weekdayMark     = re(`[ :=,.]+`)
)

const weekdayOfDose = `(?:Mon|Tues?|Weds?|Thu(?:rs?)?|Fri|Sat|Sun|Mo|Di|Mi|Do|Fr|Sa|So|[Ll]un|[Mm]ar|[Mm]i[eé]|[Jj]ue|[Vv]ie|[Ss][aá]b|[Dd]om)(?:s?day)?\.?`

// withoutDoses takes the doses and values out of hits, whatever found those.
func withoutDoses(text string, hits []hit) []hit {
	if hits = withoutTreatments(text, hits); len(hits) == 0 {
		return hits
	}
	all := dosesIn(text)
	var kept []hit
	for _, h := range hits {
		whole := h
		first, _ := slices.BinarySearchFunc(all, h.start, func(d Span, at int) int { return cmp.Compare(d.End, at+1) })
		for _, d := range all[first:] {
			if d.Start >= h.end {
				break
			}
			if h.class == Phone && isDigit(text[d.End-1]) && !strings.Contains(text[d.Start:d.End], ".") {
				continue // HR 555 0192
			}
			kept = append(kept, restOf(text, whole, h.start, d.Start)...)
			h.start = d.End
		}
		kept = append(kept, restOf(text, whole, h.start, h.end)...)
	}
	return kept
}

// restOf returns the part of a hit that is no dose. Of a telephone number too few digits are none.
func restOf(text string, whole hit, start, end int) []hit {
	if start >= end || whole.class == Phone && end-start < whole.end-whole.start && len(digitsOf(text[start:end])) < leastDialled {
		return nil
	}
	return []hit{{whole.class, start, end, whole.rule}}
}

// leastDialled is how many digits are a number to dial beside a dose.
const leastDialled = 5

// beforeQuantity cuts the last group of digits off an identifier if it begins a quantity or an age: "MRN 12345 45 yo".
func beforeQuantity(text string, start, end int) int {
	if n := end - start; n > 6 && text[end-2] == ' ' && text[end-1] == 'F' && strings.HasPrefix(text[end:], ".") {
		return end - 2 // "NHC 4471882 F. nac."
	}
	if at := strings.LastIndexByte(text[start:end], ' '); at > 0 && quantityBehind.MatchString(text[end:]) {
		return start + at
	}
	return end
}

var quantityBehind = re(`^ ?(?:%|(?i:y/?o|yrs?|years?|y|f|m|g|` + plainUnit + `)\b)`)

// isQuantity reports whether what a rule found is a dose, a value or a count after all.
func isQuantity(class Class, found, behind string) bool {
	switch class {
	case Date:
		return !hasYear.MatchString(found) && unitNear(behind) && (digitsOf(found) != "" && len(numbers(found)) < 3 || plainUnitBehind.MatchString(behind))
	case Record:
		return unitNear(behind) || isNamedValue(found)
	case SSN, Account, Licence, Device, Phone, Place:
		return unitNear(behind)
	case Age:
		return plainUnitBehind.MatchString(behind) || outOfBehind.MatchString(behind)
	}
	return false
}

// isNamedValue reports whether a part of a text is the name of what is measured with its value: HR 72.
func isNamedValue(s string) bool {
	at := strings.LastIndexByte(s, ' ') + 1
	name, start := nameBefore(s, at)
	return name != "" && start == 0 && (!symbols[name] || vitalSigns[name]) && oneValue.MatchString(s[at:])
}

var (
	oneValue = re(`^\d{1,3}(?:[/,.]\d{1,3})?$`)
	// plainUnitBehind matches a unit that stands behind no date and no age: 5-10-20 ml.
	plainUnitBehind = re(`^ ?(?:%|(?i:` + plainUnit + `)\b)`)
	// outOfBehind matches what makes a number before it a score.
	outOfBehind = re(`^ ?/\d`)
	// unitBehind matches what makes a number before it a quantity.
	unitBehind = re(`^(?:[.,]\d+)? ?(?:%|毫克|克|片|次|(?i:` + plainUnit + `|g|l|dl|iu|ie|einheiten|unidades|mol|meq|mm|m|tabs?|tablets?|tabletten|caps?|capsules?|puffs?|drops|tropfen|times|cells?|copies|beats|hours?|hrs?|h|min|minutes?|stunden|x|mg/kg|kcal|kpa|ng|pg|u|ppm)\b)`)
)

// unitNear reports whether a quantity stands in or behind a match, as in "may 5 mg".
func unitNear(behind string) bool {
	at := unitBehind.FindStringIndex(behind)
	return at != nil && behind[:at[1]] != " M" && // the morning, in Spanish
		!codeBehind.MatchString(behind[at[1]:]) // MG-770018 is a code
}

var codeBehind = regexp.MustCompile(`^-\d{3}`)

// isValue reports whether a part of a text is in a decimal number directly behind what is measured: K 4.1. With another stop and a value
// behind that it is a day: CRP 14.3.: 45.
func isValue(text string, start int) bool {
	for at := start; start > 0 && at-start < maxCode && (isDigit(text[start-1]) || text[start-1] == '.'); {
		start--
	}
	if !decimalValue.MatchString(text[start:min(len(text), start+maxCode)]) {
		return false
	}
	return isMeasuredAt(text, start) && !isGermanDay(text, start)
}

// isGermanDay reports whether a day with both its stops begins at a place of a German text that has three of them, whatever is before it:
// HB 2.11. is a visit. Its decimal numbers must have commas.
func isGermanDay(text string, start int) bool {
	at := closedDay.FindStringIndex(text[start:min(len(text), start+len("31.12. "))])
	return at != nil && at[0] == 0 && len(closedDay.FindAllStringIndex(text, 3)) == 3 &&
		decimalComma.MatchString(text[max(0, start-mostAround):min(len(text), start+mostAround)]) && languageOf(text) == german
}

// decimalValue matches a decimal number that is no day of German.
var decimalValue = regexp.MustCompile(`^\d{1,3}\.\d{1,2}(?:[^\d./-]|\.[^\d:, ]|\.,? \D|\.?$)`)

// isMiddled reports whether a number is a side of a decimal number with its point in the middle: 0·93.
func isMiddled(text string, start, end int) bool {
	const point = "·"
	behind, isFirst := strings.CutPrefix(text[end:], point)
	before, isSecond := strings.CutSuffix(text[:start], point)
	return end-start <= 3 && (isFirst && behind != "" && isDigit(behind[0]) || isSecond && before != "" && isDigit(before[len(before)-1]))
}

// mostAround is how much of a text is searched around a number for how its decimal numbers are written, in bytes.
const mostAround = 1024

// decimalComma matches a decimal number of German.
var decimalComma = re(`\d,\d`)

// thousandsBehind matches what makes a short number one of thousands.
var thousandsBehind = regexp.MustCompile(`^K(?:[^\pL\d]|$)`)

// inTrend reports whether a part of a text is in a row of decimal numbers with arrows between them: 7.12 -> 7.24.
func inTrend(text string, start, end int) bool {
	for start > 0 && end-start < maxCode && (isDigit(text[start-1]) || text[start-1] == '.') {
		start--
	}
	for end < len(text) && end-start < maxCode && (isDigit(text[end]) || text[end] == '.' && isDigitAt(text, end+1)) {
		end++
	}
	if end > start && text[end-1] == '.' && end < len(text) {
		end-- // of a sentence
	}
	if strings.Count(text[start:end], ".") != 1 || besideNumber.MatchString(text[max(0, start-2):start]) || besideNumber.MatchString(text[end:min(len(text), end+2)]) {
		return false // CRP 24 9.3 → 8 12.3: each with its day
	}
	return trendBefore.MatchString(text[max(0, start-16):start]) || trendBehind.MatchString(text[end:min(len(text), end+16)])
}

var (
	trendBefore = re(`(?:^|[^\d./-])\d{1,4}(?:[.,]\d{1,3})?%? ?(?:` + arrow + `| >) ?$`)
	// besideNumber matches a number with a space before it, or behind it.
	besideNumber = re(`^\d $|^ \d$`)
	trendBehind  = re(`^%? ?(?:` + arrow + `|> ) ?[<>]?\d{1,4}(?:[.,]\d{1,3})?(?:$|[^\d./-])`)
)

// titreBefore matches what stands before the greater number of a titre: 1/1280.
var titreBefore = regexp.MustCompile(`(?:^|\D)1[/:]$`)

// inRow reports whether a part of a text is in a row of values with hyphens between them: five, as the thresholds of an ear or the
// hours of doses, or three behind what is measured. A number to dial begins with a zero.
func inRow(text string, start, end int) bool {
	for start > 0 && end-start < maxCode && (isDigit(text[start-1]) || text[start-1] == '-') {
		start--
	}
	row := rowOfValues.FindString(text[start:min(len(text), start+maxCode)])
	n := strings.Count(row, "-")
	return n >= 4 || n >= 2 && isMeasuredAt(text, start)
}

// inDecimals reports whether a number is in a row of decimal numbers with hyphens between them: 27.1-26.8.
func inDecimals(text string, at int) bool {
	start := at
	for start > 0 && at-start < maxCode && (isDigit(text[start-1]) || text[start-1] == '-' || text[start-1] == '.') {
		start--
	}
	return rowOfDecimals.MatchString(text[start:min(len(text), start+maxCode)])
}

var rowOfDecimals = regexp.MustCompile(`^\d{1,3}\.\d{1,2}(?:-\d{1,3}\.\d{1,2})+(?:[^\d.-]|\.?$)`)

// rowOfValues matches such a row.
var rowOfValues = regexp.MustCompile(`^[1-9]\d{0,2}(?:-(?:0|[1-9]\d{0,2}))+\b`)

// isLevel reports whether a number is the level of a substance or a part of it, which may be a range: "INR 2-3", "Hgb 10.6. 0800: 9.9".
func isLevel(text string, start int) bool {
	behind := levelBehind.FindStringSubmatch(text[start:])
	if behind == nil {
		return false
	}
	if isGermanDay(text, start) {
		return false
	}
	part := levelPart.FindString(text[max(0, start-3):start])
	before := strings.TrimSuffix(text[:start-len(part)], "(")
	name, from := nameBefore(before, len(before))
	return name != "" && !symbols[name] && from+len(name) < start-len(part) && (part == "") != (behind[1] == "")
}

var (
	levelPart   = re(`\d{1,2}[-.]$`)
	levelBehind = re(`^(\d{1,2}[-.])?\d{1,2}(?:\.?$|[\s,;)]|\.\s+(?:\d{4}\b|[A-Z]))`) // "CRP 3.4. 12" begins with a day
)

// acidity matches a pH up to its value or within it; "Ph" before other numbers is a telephone.
var acidity = regexp.MustCompile(`(?i)\bph[ :(=]{1,2}(?:[678][.,]\d{1,3}[ /-]{1,2})*[678](?:[.,]|[.,]\d{1,3})$`)

// measured holds the names of what is measured, as notes write them; measuredHan those in Chinese.
var (
	measured = plaintext.SetOf(slices.Concat(spellings(analytes), strings.Fields(shortAnalytes)))
	// symbols are short for more than what is measured: a whole number behind one is no value for certain.
	symbols     = plaintext.Set(shortAnalytes)
	vitalSigns  = plaintext.Set(`RR HF TA TAS TAD FC FR PA AF`)
	measuredHan = plaintext.Set(`血糖 血钾 钾 血钠 血钙 血磷 血压 铁蛋白 谷浓度 谷 白蛋白 前白蛋白 肌酐 尿酸 尿素 尿素氮 血红蛋白 白细胞 血小板 乳酸 降钙素原 体温 胆红素 淀粉酶 脂肪酶 甘油三酯 胆固醇 糖化 糖化血红蛋白 空腹 空 餐后 餐后2h 早后 早前 午前 午后 晚前 晚后 随机 睡前 心率 呼吸 氧饱和度 血氧 体重 身高 身长 头围 腹围 宫高 眼压 国际标准化比值 凝血酶原时间 D二聚体 D-二聚体 二聚体 尿蛋白 尿量 引流 引流量 入量 出量 评分 插管 内膜 T值 Z值`)
)

const (
	// analytes in small letters are written in capitals, too, or with one; others are written as they are here.
	analytes = `hb hba hgb hct crp pcr esr inr ptt aptt urea bun creat crea creatinine kreatinin krea creatinina harnstoff egfr gfr gluc glu glucose glucosa bz bm bsl ferritin ferritina ferr fibrinogen tsh trop troponin ctni ctnt hstnt sofa news mews news2 ecog nihss apgar karnofsky lipase amylase albumin albumina alb bili bilirubin bilirubina lactate laktat lactato potassium kalium potasio sodium natrium sodio calcium calcio phosphate phosphat phos magnesium wbc wcc wccs leukos leuko leukozyten leucos leucocitos hematíes linfocitos neutrófilos eosinófilos plt plts platelets plaq plaquetas thrombos thrombo thrombozyten neutros neutrophils gpt ggt ldh alp psa bnp probnp bmi imc vsg bsg prealb prealbumin vanc vancomycin chol cholesterol ldl hdl triglycerides dimer dimere dimero pth cortisol cort hba1c a1c spo2 sao2 sato2 sats pao2 paco2 po2 pco2 hco3 fio2 peep gcs rass lvef fevi procalcitonin tacro tacrolimus digoxin ammonia haptoglobin retics transferrin ft3 ft4 cea afp nse prolactin prolaktin testo suv temp tmax weight height peso talla ` +
		`HbA1c HbA1C eGFR aPTT fT3 fT4 pO2 pCO2 PaO2 PaCO2 FiO2 SpO2 SaO2 SatO2 proBNP cTnI cTnT hsTnT hsTnI GOT Got Puls pulse Pulse ALT AST TGO TGP Na Mg Fib PCT FSH LH AMH HCG MCV TSAT HR BP CVP ICP MAP TEWS BPD UF EFW AFI TUG ABI IOP Wt Ht Gew SOAPP COMM ODI PEG`
	shortAnalytes = `pH Ca Cl K P Ur Lac lac Cr cr Li BE B AP AG FT fT TG Fe CK AF TA TAS TAD RR PA FR HF Lc NT O k na cl pO pCO HCO CO SpO SaO SatO Leuk FL HC AC`
)

// spellings returns words, and those in small letters also with a capital and in capitals.
func spellings(words string) []string {
	var all []string
	for word := range strings.FieldsSeq(words) {
		all = append(all, word)
		if word == strings.ToLower(word) {
			all = append(all, strings.ToUpper(word), strings.ToUpper(word[:1])+word[1:])
		}
	}
	return all
}

// beforeValue holds the words that stand between what is measured and its value.
var beforeValue = plaintext.Set(`of was is now today avg mean pre post repeat repeated goal target range trough peak nadir max min level levels heute aktuell zuletzt vor nach ziel hoy basal previo previa actual to down up`)

// isMeasuredAt reports whether the word before a place says what is measured.
func isMeasuredAt(text string, start int) bool {
	before := strings.TrimRight(text[max(0, start-maxCode):start], " :=<>~")
	label := before[strings.LastIndexFunc(before, func(r rune) bool { return !isAlphanumeric(r) })+1:]
	return measured[label] || clinicalCodes[label]
}

// clinicalCodes holds letters before numbers that name things of medicine, and units and headings before values.
var clinicalCodes = plaintext.Set(`NCT ISRCTN EUDRACT NM NP NC ENST ENSG CAS CYP HLA CD IL BP HR RR PSA CRP WBC HB PLT BNP NT CK LDH ALT AST GGT ALP TSH FT GFR EGFR DOI PMID PMC ICD OPS CPT ATC LOINC SNOMED RXNORM ISO EN DIN ASTM GCS NEWS SPO FEV FVC PEF BMI EF LVEF INR APTT TNF BRCA COVID SARS MMSE MOCA PHQ GAD HADS AUDIT HER AB`)

// isValues reports whether numbers are decimal ones or a row of values, and no identifier.
func isValues(s string) bool {
	if oneDecimal.MatchString(s) || rowOfThousands.MatchString(s) || rowOfVitals.MatchString(s) {
		return true
	}
	row := numbers(s)
	return rowOfThree.MatchString(s) && slices.Max(row) <= 2*slices.Min(row)
}

var (
	// oneDecimal matches a decimal number.
	oneDecimal = regexp.MustCompile(`^\d{1,3}[.,]\d{1,2}$`)
	// rowOfThousands matches counts such as those of platelets: 488.000  561.000.
	rowOfThousands = regexp.MustCompile(`^[1-9]\d{0,2}[.,]\d{3}(?: +[1-9]\d{0,2}[.,]\d{3})+$`)
	// rowOfVitals matches a pressure or a temperature among other numbers.
	rowOfVitals = regexp.MustCompile(`(?:^| )(?:8|9|1\d|2[0-4])\d/(?:[4-9]\d|1[0-2]\d)(?: |$)|(?:^| )3[5-9]\.\d(?: |$)`)
	// rowOfThree matches numbers of three digits such as the volumes of several days: 580-720-610-655.
	rowOfThree = regexp.MustCompile(`^[1-9]\d\d(?:-[1-9]\d\d){3,}$`)
)
