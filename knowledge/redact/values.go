package redact

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
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
	re(`(` + outOf + `)`),
	re(`(` + measure + `)(?:$|[^\w-])`),
	re(`((?:8|9|1\d|2[0-4])\d/(?:[4-9]\d|1[0-2]\d))(?:$|[^\w/-])`),      // a pressure
	re(`([67]\.\d\d/\d{2,3}/\d{2,3})`),                                  // the gases of blood
	re(`([1-9]\d{0,2}[.,]000)(?:$|[^\w.,/-]|[.,](?:$|\D))`),             // thousands
	re(`(\d{2,3}-\d{2,3}[ :=]{1,3}\d{1,2}) ?(?:U|UI|IU|IE|E|units?)\b`), // a scale of insulin
	re(`\d ?(?:kg|cm) \(?(\d{1,2}(?:st|nd|rd|th))\b`),                   // a centile
	re(`((?:12|24|36|48|72) ?h)\b`),
	re(`((?:` + analyteHan + `)[为约]?[<>~]?` + value + `)(?:$|[^\d月日号號/.-]|\.(?:$|\D))`),
}

// namedValue matches the name of what is measured and its value, which isValueUpTo tells from a day.
var namedValue = re(`(` + analyte + `[ \t]*[:=]?[ \t]*(?:of |was |is |now )?[<>~≥≤]?` + value + `|` + symbol + `[ \t:=]{1,3}\d{1,2}[.,]\d{1,2})`)

const (
	// amount is a number, a range, or numbers with slashes between them.
	amount = `(?:\d{1,4}(?:[.,]\d{1,4})?(?:/\d{1,4}(?:[.,]\d{1,3})?)+|\d{1,4}(?:[.,]\d{1,4})?(?: ?[-x×] ?\d{1,4}(?:[.,]\d{1,3})?)*)`
	// unit is one that stands behind no number of somebody.
	unit = `[mnp]g|mcg|[µμu]g|kg|m[lL]|d[lL]|mmol|[µμu]mol|[np]mol|m[oO]sm|mm[hH]g|cmH2O|bpm|IU|UI|m[Ee]q|[kh]Pa|mbar|c?Gy|mGy|MBq|mSv|kcal|ppm|mU|[kM]Hz|dB|°[CF]|℃|%|` +
		`(?i:puffs?|hübe|gtt|tbl|tabl?s?|tablets?|tabletten|capsules?|kapseln|tropfen|gotas|comprimidos?|ampollas?|comp|units|einheiten|unidades|sachets?|ampoules?|vials?)|IE`
	// share is a part of a day's doses in a scheme.
	share = `(?:[0-3]|1/2|1/4|3/4|½|¼|¾|\d[.,]5)`
	// analyte is what is measured, where it is short for nothing else before a number.
	analyte    = `(?:[Hh]b|Hgb|HGB|HCT|Hct|SpO2|SaO2|SatO2|[Ss]ats|CRP|eGFR|Na\+?|K\+|Mg|Phos|[Cc]reat?|CREA|Kreatinin|Krea|[Cc]reatinine|Creatinina|BUN|[Uu]rea|Harnstoff|INR|a?PTT|HbA1[cC]|[aA]1[cC]|WBC|WCC|Leukos?|Leukozyten|Leucocitos|Leucos|[Pp]lts?|PLT|Plaq|[Pp]latelets?|Thrombos?|Thrombozyten|ALT|AST|GOT|GPT|GGT|ALP|LDH|TSH|fT3|fT4|FT4|FT3|(?:NT-?pro)?BNP|[Ll]actate|Laktat|Lactato|pO2|pCO2|HCO3|FiO2|PEEP|GCS|BMI|IMC|RASS|BSG|VSG|[Ff]erritina?|[Aa]lbumin|[Bb]ilirubin|Bili|[Gg]lucose|Glucosa|Gluc|GLU|BZ|Lipase|CK-MB|[Tt]rop(?:onin)?|D-[Dd]imere?s?|LDL|HDL|LVEF|FEVI)`
	analyteHan = `血糖|血钾|钾|血钠|血钙|血磷|血压|铁蛋白|谷浓度|[前]?白蛋白|肌酐|尿酸|尿素氮?|血红蛋白|白细胞|血小板|乳酸|降钙素原|体温|胆红素|淀粉酶|脂肪酶|甘油三酯|胆固醇|糖化(?:血红蛋白)?|空腹|餐后|餐后2h|早后|随机|睡前|心率|呼吸|氧饱和度|血氧|体重|身高|身长|头围|腹围|宫高|眼压|国际标准化比值|凝血酶原时间|D-?二聚体|尿蛋白|尿量|引流量?|入量|出量|评分|插管`
	// symbol is an analyte that is short for more.
	symbol = `(?:Kt/V|pH|Ca|Cl|K|P|Ur|Lac|Cr|Li|BE)`
	// pressure is a number of a pressure, a rate or a saturation that is no day of a month.
	pressure = `(?:3[2-9]|[4-9]\d|[12]\d\d)`
	// outOf is a score with the most that it can be.
	outOf = `(?i:(?:SOFA)[ :=]{1,2}\d{1,2}/24|PHQ-?9[ :=]{1,2}\d{1,2}/27|(?:GAD-?7|HADS(?:-[AD])?)[ :=]{1,2}\d{1,2}/21|(?:MoCA|MMSE|EPDS|ACT)[ :=]{1,2}\d{1,2}/30|NIHSS[ :=]{1,2}\d{1,2}/42|GCS[ :=]{1,2}\d{1,2}/15|(?:AMTS?|Apgar|VAS|NRS|EVA|EVN|pain|dolor|Schmerz(?:en)?)[ :=]{1,2}\d{1,2}/10|G-?8[ :=]{1,2}\d{1,2}/17|Braden[ :=]{1,2}\d{1,2}/23|Lawton[ :=]{1,2}\d/8|Katz[ :=]{1,2}\d/6|ORT[ :=]{1,2}\d{1,2}/26|M-?CHAT[ :=]{1,2}\d{1,2}/20)`
	// measure is the name of a score or a marker that looks like a code.
	measure = `(?:(?:Hb)?A1[cC]|GAD-?[27]|PHQ-?[29]|CA ?-?(?:125|19-9|15-3|72-4)|FIB-4|CURB-65|CRB-65|EQ-5D|SF-(?:12|36)|DAS28)`
	// value is a number without the mark of a date in it, or with one that decimalValue allows.
	value = `(?:\d{1,3}[.,]\d{1,3}|\d{1,4})`
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
	isGerman := languageOf(text) == german
	found := par.Gather(len(doses)+1, func(i int) ([]Span, bool) {
		if i < len(doses) {
			return spansOf(doses[i], text, func(int, int) bool { return true }), true
		}
		return spansOf(namedValue, text, func(start, end int) bool { return isValueUpTo(text, start, end, isGerman) }), true
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

// spansOf returns where the first group of a pattern stands in a text and is one.
func spansOf(pattern *regexp.Regexp, text string, is func(start, end int) bool) []Span {
	var found []Span
	for from := 0; from < len(text); {
		at := pattern.FindStringSubmatchIndex(text[from:])
		if at == nil {
			break
		}
		start, end := from+at[2], from+at[3]
		if goesOn(text, start) || !is(start, end) {
			from = start + 1
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
	return before < utf8.RuneSelf && isAlphanumeric(before) || strings.ContainsRune("_-/", before) || isDigit(text[at]) && strings.ContainsRune(".,/:", before)
}

// isValueUpTo reports whether the number at the end of a part of a text is a value and no date.
func isValueUpTo(text string, start, end int, isGerman bool) bool {
	number := start + strings.LastIndexFunc(text[start:end], func(r rune) bool { return (r < '0' || r > '9') && r != '.' && r != ',' }) + 1
	if strings.Contains(text[number:end], ".") {
		return !isGerman && decimalValue.MatchString(text[number:]) && !zeroMonth.MatchString(text[number:end]) && !numberBehind.MatchString(text[end:])
	}
	return strings.Contains(text[number:end], ",") || valueBehind.MatchString(text[end:]) && !monthBehind.MatchString(text[end:])
}

// withoutDoses takes the doses and values out of hits, whatever found those.
func withoutDoses(text string, hits []hit) []hit {
	if len(hits) == 0 || !strings.ContainsAny(text, "0123456789½¼¾") {
		return hits
	}
	all := dosesIn(text)
	var kept []hit
	for _, h := range hits {
		first, _ := slices.BinarySearchFunc(all, h.start, func(d Span, at int) int { return cmp.Compare(d.End, at+1) })
		for _, d := range all[first:] {
			if d.Start >= h.end {
				break
			}
			if h.start < d.Start {
				kept = append(kept, hit{h.class, h.start, d.Start, h.rule})
			}
			h.start = d.End
		}
		if h.start < h.end {
			kept = append(kept, h)
		}
	}
	return kept
}

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

var quantityBehind = regexp.MustCompile(`^ ?(?i:y/?o\b|yrs?\b|years?\b|y\b|f\b|m\b|mg\b|mcg\b|g\b|ml\b|units?\b|mmol|%|mmhg|bpm)`)

// isQuantity reports whether what a rule found is a dose, a value or a count after all.
func isQuantity(class Class, found, behind string) bool {
	switch class {
	case Date:
		return unitNear(behind) && (digitsOf(found) != "" && len(numbers(found)) < 3 || volumeBehind.MatchString(behind))
	case Record:
		return unitNear(behind) || vitalSign.MatchString(found)
	case SSN, Account, Licence, Device, Phone, Place:
		return unitNear(behind)
	case Age:
		return weighed.MatchString(behind)
	}
	return false
}

// vitalSign matches a vital sign with its value.
var vitalSign = regexp.MustCompile(`^(?:BP|RR|HR|HF|TA|FC|FR|PA|GCS|NEWS2?|SpO2|SatO2|AF|TEWS|MAP|CVP|ICP|Temp|Puls|Pulse) \d{1,3}(?:[/,.]\d{1,3})?$`)

// volumeBehind matches a unit that stands behind no date: 5-10-20 ml.
var volumeBehind = regexp.MustCompile(`^ ?(?i:mg|mcg|µg|μg|ml|mmol|mmhg|units|mbar)\b`)

// weighed matches what makes a number before it none of years.
var weighed = regexp.MustCompile(`^ ?(?i:kg|cm|mg|ml|%|mmhg|bpm|mmol|joules?|/\d)`)

// unitBehind matches what makes a number before it a quantity.
var unitBehind = regexp.MustCompile(`^(?:[.,]\d+)? ?(?:%|(?i:mg|mcg|µg|μg|g|kg|ml|l|dl|iu|ie|units?|einheiten|unidades|mmol|mol|meq|mmhg|cm|mm|m|bpm|tabs?|tablets?|tabletten|caps?|capsules?|puffs?|drops|tropfen|times|cells?|copies|beats|hours?|hrs?|h|min|minutes?|stunden|x|毫克|克|片|次|mg/kg|kcal|kpa|ng|pg|u|ppm)\b)`)

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
	return isMeasuredAt(text, start)
}

// isMeasuredAt reports whether the word before a place says what is measured.
func isMeasuredAt(text string, start int) bool {
	before := strings.TrimRight(text[max(0, start-maxCode):start], " :=<>~")
	label := before[strings.LastIndexFunc(before, func(r rune) bool { return !isAlphanumeric(r) })+1:]
	return measured[label] || clinicalCodes[label]
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
	if strings.Count(text[start:end], ".") != 1 || besideNumber.MatchString(text[max(0, start-2):start]) || besideNumber.MatchString(text[end:min(len(text), end+2)]) {
		return false // CRP 24 9.3 → 8 12.3: each with its day
	}
	return trendBefore.MatchString(text[max(0, start-16):start]) || trendBehind.MatchString(text[end:min(len(text), end+16)])
}

var (
	trendBefore = re(`(?:^|[^\d./-])\d{1,4}(?:[.,]\d{1,3})?%? ?(?:→|->|-->|=>|⇒|↗|↘) ?$`)
	// besideNumber matches a number with a space before it, or behind it.
	besideNumber = re(`^\d $|^ \d$`)
	trendBehind  = re(`^%? ?(?:→|->|-->|=>|⇒|↗|↘) ?[<>]?\d{1,4}(?:[.,]\d{1,3})?(?:$|[^\d./-])`)
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

var (
	levelBefore = regexp.MustCompile(`(?i)\b(?:inr|hgb|hb|hct|h/h|wbc|plt|bun|cr|crea|kreatinin|lac|lactate|laktat|glu|bg|mg|phos|ca|trop|bnp|a1c|hba1c|crp|k|na|quick|ptt|tsh|ferritin|lipase|alb|albumin|bili)(?: (?:goal|target|range|of|was|ziel))?[ :(=]{1,2}(\d{1,2}[-.])?$`)
	levelBehind = regexp.MustCompile(`^(\d{1,2}[-.])?\d{1,2}(?:\.?$|[\s,;)]|\.\s+(?:\d{4}\b|[A-Z]))`) // "CRP 3.4. 12" begins with a day
)

// isLevel reports whether a number is the level of a substance or a part of it, which may be a range: "INR 2-3", "Hgb 10.6. 0800: 9.9".
func isLevel(text string, start int) bool {
	before, behind := levelBefore.FindStringSubmatch(text[max(0, start-32):start]), levelBehind.FindStringSubmatch(text[start:])
	return before != nil && behind != nil && (before[1] == "") != (behind[1] == "")
}

// acidity matches a pH up to its value or within it; "Ph" before other numbers is a telephone.
var acidity = regexp.MustCompile(`(?i)\bph[ :(=]{1,2}(?:[678][.,]\d{1,3}[ /-]{1,2})*[678](?:[.,]|[.,]\d{1,3})$`)

// measured holds what stands before the values of a laboratory, as notes write it.
var measured = plaintext.Set(`Leuk Lc PTH TG Cort prealb Prealb Prealbumin Vanc vanc Chol Ferr Fib Fibrinogen Dimer Dimere dimer prolactin Prolaktin Lipase HbA1c HbA1C hba1c A1c A1C SpO2 SaO2 pO2 pCO2 HCO3 CA125 Ur Hb HB hb hgb Hct plt plts WBC wbc WCC WCCs Leukos Leukozyten Thrombos CRP crp PCR ESR BSG VSG Temp temp Tmax Urea urea Creat creat creatinine Kreatinin Creatinina urea Harnstoff eGFR egfr GFR glucose Glucosa BZ BM BSL Hba lactate Lactate Laktat Lactato ferritin Ferritin Ferritina TSH tsh FT fT Troponin troponin Trop trop CK LDH ALT AST ALP GGT GOT GPT AP bili Bilirubin albumin Albumin Albumina phosphate Phosphat potassium Kalium sodium Natrium calcium Calcium INR inr PSA BNP BMI RR HR Sats sats pO pCO HCO BE TA TAS TAD Wt Ht Peso Talla Gew AFP CEA NSE SpO SaO SatO Sat Sats FR AF HF FC Puls Pulse HR RR NEWS Na K Cl Mg Ca Cr BUN Hgb Hct Plt AG HCO Phos Lac Glu Gluc Fe B Bili Alb Krea Leuko Thrombo`)

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
