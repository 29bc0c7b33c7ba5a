package redact

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"lacuna/knowledge/plaintext"
)

// Dates without a year look like scores, strengths, pressures and spans of time: 3/14, 14.3., 2-20, the 4th. What stands
// around one decides, and in which order the whole dates of the text have the day and the month.

// partial matches two numbers that may be a day and a month.
var partial = regexp.MustCompile(`\d{1,2}[/.-] ?\d{1,2}\.?`)

// dayForms are the orders that a text may have its dates in.
type dayForms struct {
	day, month bool // the day, or the month, may come first
	sure       int  // how many dates tell which, at least; 2 if a whole one does
	ventilated bool // pairs may be pressures, too; only partialDates sets it
	stops      bool // dates have stops; only partialDates sets it
}

// formsOf returns the orders that the whole dates of a text allow, or else those of what can only be a day and a month.
func formsOf(text string) dayForms {
	day, month := 0, 0
	for _, n := range numericDates(text) {
		switch {
		case n[0] > 12 && n[1] <= 12 && n[0] <= 31:
			day++
		case n[1] > 12 && n[0] <= 12 && n[1] <= 31:
			month++
		}
	}
	switch {
	case day > month:
		return dayForms{day: true, sure: 2}
	case month > day:
		return dayForms{month: true, sure: 2}
	}
	forms := formsOfPairs(text)
	if day > 0 && forms.day == forms.month {
		return dayForms{day: true, sure: 2} // 20/10/10 may be a dose, 3-16-71 hardly
	}
	return forms
}

// closedDay matches a day and a month as German writes them: 14.3.
var closedDay = regexp.MustCompile(`\b(?:0?[1-9]|[12]\d|3[01])\.(?:0?[1-9]|1[0-2])\.(?:\D|$)`)

// formsOfPairs returns the order of the day and the month that the pairs of a text have where only one is possible: 14/7
// can be no score and 7/14 is seldom one.
func formsOfPairs(text string) dayForms {
	if closedDay.MatchString(text) {
		return dayForms{day: true, month: true} // its days have stops, whatever its scores look like
	}
	day, month := 0, 0
	for _, at := range twoNumbers.FindAllStringSubmatchIndex(text, -1) {
		if joinsNumber(text, at[0], at[1]) || text[at[2]:at[3]] != "/" {
			continue
		}
		switch n := numbers(text[at[0]:at[1]]); {
		case n[0] > 12 && n[0] <= 31 && n[1] > 0 && n[1] <= 12 && !unitNear(text[at[1]:]) && !pressed.MatchString(text[max(0, at[0]-16):at[0]]):
			day++
		case n[1] > 12 && n[1] <= 31 && n[0] > 0 && n[0] <= 12 && !slices.Contains(overCommon, n[1]):
			month++
		}
	}
	switch {
	case day > 2*month && !plaintext.HasHan(text):
		return dayForms{day: true, sure: day}
	case month > 2*day, day == 0 && plaintext.HasHan(text):
		return dayForms{month: true, sure: month}
	}
	return dayForms{day: true, month: true}
}

// allows reports whether two numbers are a day and a month in such an order.
func (f dayForms) allows(a, b int) bool {
	return a > 0 && b > 0 && (f.day && a <= 31 && b <= 12 || f.month && a <= 12 && b <= 31)
}

// areDays reports whether three numbers are a month and two of its days, or two days and their month, in an order that the text may
// have.
func (f dayForms) areDays(n []int, monthFirst bool) bool {
	if monthFirst {
		return f.month && n[0] >= 1 && n[0] <= 12 && n[1] >= 1 && n[1] < n[2] && n[2] <= 31
	}
	return f.day && n[2] >= 1 && n[2] <= 12 && n[0] >= 1 && n[0] < n[1] && n[1] <= 31
}

// isOnlyDate reports whether two numbers are a day and a month in the order of the text and no score or span of time, even
// behind what is measured.
func (f dayForms) isOnlyDate(a, b int, measured bool) bool {
	switch {
	case f.day == f.month || !f.allows(a, b):
		return false
	case f.month:
		return b > 12 && !slices.Contains(overCommon, b) && !(measured && slices.Contains(overSeldom, b))
	}
	return a > 12 && b != 12 && b != 10 && (b != 7 || a%7 != 0)
}

var (
	// scored matches what stands before a score, a strength, a pressure, a share or a span of time.
	scored = regexp.MustCompile(`(?i)(?:\b(?:h/h|h&h|4at|push|kels|bpp|four|westley|gds(?:-?15)?|mna-sf|bnt|hads-[ad]|lubben|npi(?:-nh)?|phq-9-ov|vanderbilt|painad|mottier|pss|ipss|radpeer|maddrey|bisap|flacc|cpot|ballard|bishop|sins|lanss|dn4|sgrq|mmrc|aims|sara|edss|updrs|alsfrs|hit-?6|midas|isi|ess|stop-?bang|psqi|cage|dast|cows|ciwa|mdq|asrm|y-?bocs|bprs|cgi|gaf|ados|cars|m-chat|bayley|asq|gmfcs|macs|kccq|promis|lefs|fim|lace|pesi|charlson|cci|isup|gcs|mmse|mms|moca|mse|ace-?(?:iii|r)?|amts?|abbreviated mental test|6-?cit|barthel|apgar|waterlow|braden|norton|power|strength|kraft|kg|fuerza|mrc|vas|nrs|nras|bps|pain|schmerz(?:en)?|dolor|eva|va|visus|av|vision|acuity|snellen|r[eé]|le|re|od|os|ou|bcva|ph|bp|rr|ta|pa|nibp|art|press(?:ure)?|reflex(?:es)?|phq-?\d*|gad-?\d*|hads|ham-?[ad]|madrs|bdi|epds|audit(?:-c)?|dass|ymrs|panss|honos|clock(?: draw(?:ing)?)?|uhr(?:entest)?|tug|sppb|berg|tinetti|morse|stratify|must|mna|cfs|rockwood|ecog|kps|nyha|ccs|asa|grade|grad|gr|stage|stadium|score|scale|index|news2?|mews|pews|sofa|qsofa|curb-?65|crb-?65|tof|ponv|suss|phq-?9|quadr|cough|intrinsics|visit|set|class|bottle|bbps|boston|wells|geneva|perc|heart|grace|timi|has-?bled|cha2?ds2?-?vasc?|nihss|mrs|meld|child|ranson|glasgow|alvarado|murmur|sm|dm|esm|psm|systolikum|soplo|bipap|cpap|niv|ipap|epap|pcv|pc|psv|ps|simv|vent|peep|st|p-?mode|prn|max|every|each|all[e]?|cada|for|x|×|over|durante|über|für|ratio|level|c|t|l|s|items?|points?|punkte|puntos|recall|orientation|registration|attention|language|naming|digits?|steps?|ulcers?|nodes?|ln|lk|cores?|margins?|centile|perzentile|percentil|cycles?|zyklus|zyklen|ciclo|fraction|fraktion|session|sitzung|tender|swollen|dapsa|das28|sjc|tjc|basdai|schirmer|iop|iod|iod|tonometry|ct ratio|c/d|c:d|cup|k[- ]?level|epley|sledai|pasi|dlqi|easi|scorad|apache|mallampati|cormack|lehane|los|mgcs|ramsay|rass|cam|pcl|scoff|panas|ces-?d|fast|dash|womac|oks|ohs|hhs|koos|vr|qol|eq-?5d|fev1?|fvc|hla|drb1|dqb1|dpb1|a|b|dr|dq)\b\.?(?: (?:r|l|re|li|od|os|ou|score|of|on|in|was|is|now|today|stable|at|=|total|bilat(?:erally)?|best|left|right|rechts|links|knee|hip|elbow|wrist|ankle|shoulder|grip|flexion|extension|abduction|iz|der|um))*[ :=(~<>≥≤+-]*(?:\d{1,3}/\d{1,3}[ ,;-]*(?:l|r|re|li|and|und|y|to|->|→|od|os)?[ ,;:-]*)?$|\b(?:bipap|niv|cpap|vent)\b[ :]*(?:[a-z]+ ?\d{1,3} )?$|[*:+±~≥≤<>^]$|\b[CTLS]\d?$|[(\[]?\d/$|评分[: ]*$|血压[: ]*$|肌力[: ]*$|无创[: ]*$|视力[: ]*$)`)
	// dayBefore matches what stands before a day and a month.
	dayBefore = regexp.MustCompile(`(?i)(?:\b(?:on|since|from|until|till|til|by|before|after|dated?|dd|seen|reviewed|wr|round|clinic|appt|app?ointment|admitted|admission|adm|discharged?|d/?c(?:'?d)?|operated|surgery|started|stopped|(?:re)?start(?:ed|ing)? \pL+|stop(?:ped|ping)? \pL+|start(?:ing)?|stop(?:ping)?|nights|signout|telehealth|hemi|nbs|joint|tonight \+|last(?: (?:dose|seen|visit|bm|void|drink|fill(?:ed)?|menses|cycle|pap|dialysis|hd|given|taken))?|lmp|edd|due|next(?: (?:visit|appt|dose|review))?|born|visit|repeat|booked|scheduled|between|bloods|labs|fta|dna|mdt|rtc|rv|r/v|f/u|fu|review(?: on)?|exp(?:ires)?|placed|removed|inserted|changed|given|tdap|flu (?:shot|jab|vax)|vaccine|collected|drawn|received|rcvd|rec'?d|printed|typed|faxed|called|signed|read|done|completed|resulted|sent|reported|posted|ending|wk(?: of)?|week of|w/c|w/e|w/b|note|thru|through|am|vom|bis|zum|seit|ab|den|und|kontrolle|ko|termin|wiedervorst(?:ellung)?|wv|op|aufn(?:ahme)?|entl(?:assung)?|eingang|abgang|eing|ausg|nächste[rsnm]?|letzte[rsnm]?|verlegt|gestern|heute|morgen|vorm|el|día|desde|hasta|del|fecha|control|próxim[oa]|cita|alta|ingreso|egreso|citad[oa]|revisión|visita|para el|turno|entl|abg)\b\.?(?: (?:to|on|the|el|at|was|is))?[ :.,(-]*|\b` + weekday + `\b[.,]*[ (]+|\b(?:` + feastAlone + `)[ (]+|(?:末次|末|于|自|从|到|至|复查|复诊|随访|下次|预约|定于|上周.|下周.|本周.|周.|星期.|上週.|入院|出院|手术|今|昨|前|后|当[天日]|起病?)[ (:]*)$`)
	// testBefore matches a test or a procedure, which may have a date or a result behind it.
	testBefore = regexp.MustCompile(`(?i)\b(?:turbt|turp|cabg|avr|mvr|thr|tkr|orif|im nail|lscs|ercp|ebus|tavi|evar|fess|hemi|lap|laparoscopy|mri|mrt|ct|cxr|echo|x-?ray|scan|xr|us|uss|usg|pet(?:-ct)?|mre|colonoscopy|egd|ogd|biops(?:y|ies)|bx|cath|pci|cabg|eeg|emg|ekg|ecg|ekg|cbc|bmp|inr|culture|cx|ucx|bcx|bk|mibi|röntgen|sono|koro|guthrie|szinti|tavi-ct|colposcopia|eco|tac|rmn?|mac|line|picc|cvc|foley|rad|art line|txp eval \pL+|ett|trach|cdiff|covid)\b[ :(]*$`)
	// clockBehind matches what stands behind a day and a month.
	clockBehind = regexp.MustCompile(`^\.?,? ?(?:(?i:@|at|um|a las|ab|gegen|~)? ?(?:[01]?\d|2[0-3])(?:[:h][0-5]\d|\.[0-5]\d ?(?i:h|uhr|hrs?)|[0-5]\d(?:\b|hrs?\b)| ?(?i:[ap]\.?m\.?|uhr|h|hrs)\b)|(?i:am|pm)\b|\(?(?:` + weekday + `)\b|\([一二三四五六日天]\)|(?i:with|w/|per|by|at|note|visit|clinic|appt|admission|ct|mri|cxr|echo|labs|us|pet|x-?ray|im|en|con|mit|bei|durch|früh|mittags?|abends?|nachts?|vorm|nachm|mañana|tarde|noche|morning|afternoon|evening|night)\b|日|号|晨|早|晚|上午|下午|中午|夜|前|后|起|复|到|入院|出院|手术|术|行|查|来|检|报|做|回|因)`)
	// lineBefore matches the beginning of a line or of a cell up to a date.
	lineBefore  = regexp.MustCompile(`(?:^|\|)[ \t>*•#(\[-]*$`)
	entryBehind = regexp.MustCompile(`^\.?[)\]]?[ \t]*(?:[:|-]|[ \t]\p{Lu}|[ \t]\p{Ll}{3})`)
	// neighbours match another date next to it in a list.
	listBefore = regexp.MustCompile(`\d{1,2}[/.-]\d{1,2}\.?(?:, ?|/| und | and | y | & |; ?| to | - ?|-| bis |、 ?|~|至|到)$`)
	listBehind = regexp.MustCompile(`^(?:, ?|/| und | and | y | & |; ?| to | - ?|-| bis |、 ?|~|至|到)\d{1,2}[/.-]\d{1,2}\b`)
	overCommon = []int{15, 18, 20, 21, 24, 25, 27, 28, 30} // what scores and acuities are out of
	overSeldom = []int{13, 14, 16, 22, 26}                 // and some
	// countedBehind matches what makes an ordinal number none of a day.
	countedBehind = regexp.MustCompile(`(?i)^[ -]*(?:(?:de|del|de la) (?:ingreso|vida|tratamiento|antibi|evoluci|ciclo|postop|estancia|quimio|cirug)|post|go\b|centile|percentile|%|perzentil|rib|ics|intercostal|space|floor|dose|line|toe|finger|digit|metatarsal|metacarpal|mtp?|mcp?|cranial|nerve|degree|ventricle|trimester|cycle|visit|admission|episode|attempt|time|opinion|gen(?:eration)?\b|child|baby|pregnancy|grade|week|month|year|day|hour|stage|cross|street|st\b|ave|place|ward|edition|century|edn|look|set|reading|stent|bike|car\b|molar|wk|yr|ring|vertebra|heart|person|one|half|quarter|intention|choice|party|hand|lead|presentation|relapse|remission|course|bottle|bag|unit|litre|person|born|gravida|para|nerve|branch|layer|part|step|phase|round|semester|tag|woche|monat|mal|ssw|lebens|zyklus|stock|quartal|og\b|kind|schwanger|postop|post|grad|klasse|rippe|zehe|finger|icr|bwk|lwk|hwk|chromosom|generation|linie|gabe|dosis|hälfte)`)
	ordinalDay    = regexp.MustCompile(`(?i)\b(?:on|since|from|until|till|'?til|by|before|after|of|due|last|this|next|around|about|approx|circa|ca\.?|done|for|was|is|booked|between|seen|week of|wk of|w/c|w/e|back|(?:` + weekday + `)[.,]*)(?: (?:the|on))? ?(?:the )?(` + day + `(?:st|nd|rd|th|s))\b(?:/` + day + `(?:st|nd|rd|th))?`)
	// centileBefore matches a weight, a length or a size of the head up to its centile in brackets.
	centileBefore = regexp.MustCompile(`(?i)(?:kg|cm|lbs?|\b(?:l|len|length|ht|height|wt|weight|ofc|hc|bmi):? ?\d[\d.]*) ?\((?:\d{1,2}(?:st|nd|rd|th) ?[-–] ?)?$`)
	bareDay       = regexp.MustCompile(`(?:^|[\n (,;])((?:2?1st|2?2nd|2?3rd|31st|(?:[4-9]|1\d|2[04-9]|30)th))\b`)
	theDay        = regexp.MustCompile(`(?i)\b(the ` + day + `(?:st|nd|rd|th))\b`)
	germanDays    = regexp.MustCompile(`(?m)(?:\b(?:ab|seit|bis|am|zum|dem|vom|den|nach dem|vor dem|(?:(?:` + weekdayLong + `)[.,]*|(?:Mo|Di|Mi|Do|Fr|Sa|So)[.,]))\.? (` + day + `\.)|^[ \t]*(` + day + `\.)(?::|/| ?(?:früh|mittags?|abends?|nachts?|spät|vorm|nachm|morgens)\b))`)
	spanishDay    = regexp.MustCompile(`(?i)\b(el d[ií]a \d{1,2})\b|\b(?:hasta|desde|mismo|para|del?|al|control|cita|revisión) (d[ií]a \d{1,2})\b|(?m:^(d[ií]a \d{1,2})[,:.])`)
	// daysOfMonth matches the first and the last of some days of one month: 3/9-16, 9-16/3.
	daysOfMonth = regexp.MustCompile(`(\d{1,2}/\d{1,2}[-–]\d{1,2}|\d{1,2}(?:[-–]| y )\d{1,2}/\d{1,2})`)
	// moreDays matches a month, a day and more days of it: 2/16, 17, 18.
	moreDays   = regexp.MustCompile(`(\d{1,2}/\d{1,2}(?: \([^()\n\d]{0,4}\d{0,3}\))?(?:(?:, ?| ?& ?| and |, and )\d{1,2}){1,5})(?:[),;\n]|\.(?:\D|$)| (?:and|to|for|with|at)\b|$)`)
	inBrackets = regexp.MustCompile(` \([^()]*\)`)
	// weekdayLines matches lines that begin with the letter of a weekday, in English or Spanish, and a date; one kind alone may be a side.
	weekdayLines = regexp.MustCompile(`(?m)^[ \t]*(([LMXJVSDTWF]|Tu|Th|Sa|Su) \d{1,2}/\d{1,2})(?:[:. ]|$)`)
	// dayLines matches lines that begin with a weekday, or what is short for one, and a day.
	dayLines = regexp.MustCompile(`(?m)^[ \t|]*(([LMXJVSDTWF]|Mon|Tues?|Wed|Thu(?:rs?)?|Fri|Sat|Sun|Mo|Tu|Th|Su|Di|Mi|Do|Fr|Sa|So|Lu|Ma|Ju|Vi|S[aá]b|Dom|Lun|Mar|Mi[eé]|Jue|Vie)\.? {1,2}(?:[12]\d|3[01]|[1-9]))(?:[:. |]|$)`)
	// daysInSpanish matches some days: del 25 al 29, los días 8, 11 y 15, salvo 14 y 15.
	daysInSpanish = regexp.MustCompile(`(?i)\b(?:los días|salvo|control|libro|fin de semana|del?|los) (\d{1,2}(?:(?:, ?\d{1,2})* y| al) \d{1,2})(?:[ .,;:)]|$)`)
	dayInSpanish  = regexp.MustCompile(`(?i)\b(?:el|del|el mismo|los días|mañana|hoy|ayer|lunes|martes|miércoles|jueves|viernes|sábado|domingo) (\d{1,2})(?:[ .,;:)?\n][^\dº]|[.)?\n]?$)`)
	minguoMonth   = regexp.MustCompile(`(?:^|[^\d/.-])(1[01]\d/(?:1[0-2]|0?[1-9]))(?:[^\d/.]|$)`)
	dayInChinese  = regexp.MustCompile(`(?:^|[^\d.])((?:\d{1,2}[-~至])?(\d{1,2})[日号])`)
	behindDay     = regexp.MustCompile(`^[龄床楼室房线染台门机病管喉柜罩针刀镜间诊窗桌院区厅孔]`)
	chineseSpan   = regexp.MustCompile(`[第每近共续住院后前余约连]$`)
	chineseDays   = regexp.MustCompile(`(?:(?:周|礼拜|星期|今天|昨天|明天|后天|前天)[一二三四五六日天]?\(?(\d{1,2}[号日])|(?:^|[^\d床室楼第栋门病院])(\d{1,2}[号日])(?:上午|下午|晚|早|晨|出院|入院|手术|复|来|去|前|后|做|查|开始|起|当[天日]|夜))`)
)

// partialDates returns the days and months of a text. Those of rule "day and month, alone" need other evidence.
func partialDates(text string) []hit {
	if !strings.ContainsAny(text, "0123456789") {
		return nil
	}
	var hits []hit
	forms := formsOf(text)
	forms.ventilated = ventilated.MatchString(text)
	stops := stopsOf(text)
	forms.stops = stops == "own" || stops == "both"
	for _, at := range partial.FindAllStringIndex(text, -1) {
		start, end := at[0], at[1]
		if joinsNumber(text, start, end) {
			continue
		}
		if rule := partialRule(text, start, end, forms); rule != "" {
			hits = append(hits, hit{Date, start, end, rule})
		}
	}
	add := func(start, end int, rule string) {
		if !countedBehind.MatchString(text[end:]) && !unitNear(text[end:]) && !isDigitAt(text, end) && !centileBefore.MatchString(beforeInLine(text, start)) {
			hits = append(hits, hit{Date, start, end, rule})
		}
	}
	for _, at := range daysOfMonth.FindAllStringSubmatchIndex(text, -1) {
		if n := numbers(text[at[2]:at[3]]); !joinsNumber(text, at[2], at[3]) && forms.areDays(n, strings.IndexByte(text[at[2]:at[3]], '/') < 3) {
			add(at[2], at[3], "days of one month")
		}
	}
	if lines := weekdayLines.FindAllStringSubmatchIndex(text, -1); slices.ContainsFunc(lines, func(at []int) bool { return text[at[4]:at[5]] != text[lines[0][4]:lines[0][5]] }) {
		for _, at := range lines {
			if n := numbers(text[at[2]:at[3]]); forms.allows(n[0], n[1]) {
				add(at[2], at[3], "weekday and day")
			}
		}
	}
	for _, at := range diary(text) {
		add(at[2], at[3], "weekday and day")
	}
	for _, at := range daysInSpanish.FindAllStringSubmatchIndex(text, -1) {
		if n := numbers(text[at[2]:at[3]]); slices.IsSorted(n) && n[0] > 0 && n[len(n)-1] <= 31 {
			add(at[2], at[3], "day, Spanish, alone")
		}
	}
	for _, at := range moreDays.FindAllStringSubmatchIndex(text, -1) {
		if n := numbers(inBrackets.ReplaceAllString(text[at[2]:at[3]], "")); forms.month && !forms.day && n[0] <= 12 && slices.IsSorted(n[1:]) && n[len(n)-1] <= 31 && n[1] < n[2] && !joinsNumber(text, at[2], at[3]) && !scored.MatchString(beforeInLine(text, at[2])) {
			add(at[2], at[3], "days of a month")
		}
	}
	if plaintext.HasHan(text) {
		for _, at := range minguoMonth.FindAllStringSubmatchIndex(text, -1) {
			add(at[2], at[3], "month of the Minguo calendar")
		}
		for _, at := range dayInChinese.FindAllStringSubmatchIndex(text, -1) {
			if n := number(text[at[4]:at[5]]); n >= 1 && n <= 31 && !chineseSpan.MatchString(text[max(0, at[2]-3):at[2]]) && !behindDay.MatchString(text[at[3]:]) {
				add(at[2], at[3], "day, Chinese, alone")
			}
		}
	}
	ordinals := 0
	for _, at := range bareDay.FindAllStringSubmatchIndex(text, -1) {
		if !countedBehind.MatchString(text[at[3]:]) {
			ordinals++
		}
	}
	for _, at := range dayInSpanish.FindAllStringSubmatchIndex(text, -1) {
		if n := number(text[at[2]:at[3]]); n >= 1 && n <= 31 {
			add(at[2], at[3], "day, Spanish, alone")
		}
	}
	for _, pattern := range []*regexp.Regexp{ordinalDay, bareDay, theDay, germanDays, spanishDay, chineseDays} {
		for _, at := range pattern.FindAllStringSubmatchIndex(text, -1) {
			start, end := identifier(at)
			if pattern == germanDays {
				next, _ := utf8.DecodeRuneInString(strings.TrimLeft(text[end:], " "))
				if unicode.IsLetter(next) && at[2] >= 0 && strings.HasPrefix(text[end:], " ") && (unicode.IsUpper(next) || strings.Contains("pslt", string(next))) && !monthNext.MatchString(text[end:]) {
					continue // the 3rd of something else
				}
			}
			rule := "day of a month"
			switch pattern {
			case theDay:
				rule = "day" // it may be the 7th rib, too
			case bareDay:
				if opens := lineBefore.MatchString(beforeInLine(text, start)) && strings.HasPrefix(text[end:], ":"); ordinals < 2 && !opens {
					rule = "day, alone"
				}
			}
			add(start, end, rule)
		}
	}
	return hits
}

// diary returns the lines of a text that begin with a weekday and its day, as dayLines matches them, if these are of at least three
// weekdays and each day fits its weekday; the doses of a week do not.
func diary(text string) [][]int {
	lines := dayLines.FindAllStringSubmatchIndex(text, -1)
	weekdays := make(map[string]bool)
	lastDay, lastWeekday := 0, 0
	for _, at := range lines {
		name := text[at[4]:at[5]]
		weekdays[name] = true
		weekday, is := weekdayNumbers[strings.ToLower(name)]
		if !is {
			continue
		}
		day := numbers(text[at[2]:at[3]])[0]
		isOtherMonth := lastDay >= 22 && day <= 9 || day >= 22 && lastDay <= 9
		if lastDay > 0 && !isOtherMonth && (day-lastDay-weekday+lastWeekday)%7 != 0 {
			return nil
		}
		lastDay, lastWeekday = day, weekday
	}
	if len(weekdays) < 3 {
		return nil
	}
	return lines
}

// weekdayNumbers are the numbers of the weekdays of dayLines, by name; what is short for several is left out.
var weekdayNumbers = map[string]int{
	"l": 0, "mo": 0, "mon": 0, "lu": 0, "lun": 0,
	"tu": 1, "tue": 1, "tues": 1, "di": 1, "ma": 1, "mar": 1,
	"w": 2, "x": 2, "wed": 2, "mi": 2, "mie": 2, "mié": 2,
	"j": 3, "th": 3, "thu": 3, "thur": 3, "thurs": 3, "do": 3, "ju": 3, "jue": 3,
	"f": 4, "v": 4, "fr": 4, "fri": 4, "vi": 4, "vie": 4,
	"sa": 5, "sat": 5, "sab": 5, "sáb": 5,
	"su": 6, "sun": 6, "so": 6, "dom": 6,
}

// isMeasure reports whether the last word before a number is one of medicine, such as the name of a score or of a drug.
func isMeasure(before string) bool {
	at := lastWord.FindString(before)
	word := strings.ToLower(strings.Trim(at, " :=("))
	return len(word) > 1 && !months[word] && (isMedicine(word) || known().eponym[word] && startsUpper(at))
}

var lastWord = regexp.MustCompile(`\pL+[ :=(]*$`)

var monthNext = regexp.MustCompile(`^ ` + month)

// isPressureOrTablet reports whether two numbers are a pressure in centimetres, as Spanish notes write it, or a part of a tablet in a scheme
// of doses: TA 13/9 y 14/9, 1 1/2 - 1 - 1/2.
func isPressureOrTablet(pair, before string) bool {
	switch pair {
	case "1/2", "1/4", "3/4":
		return tabletBefore.MatchString(before)
	}
	return pressureBefore.MatchString(before)
}

var (
	tabletBefore   = regexp.MustCompile(`(?:^|[^\d/.-])\d(?: [13]/[24])? (?:[-–] )?$`)
	pressureBefore = regexp.MustCompile(`\b(?:TA|T/A|ta)\b:? ?(?:\d{1,3}/\d{1,3}(?:,? [yae] | ?[-–→,] ?))*$`)
)

// inPressures reports whether a part of a text is of a range of pressures, 118-134/70-80, or of the sizes of a graft, 28-16-166.
func inPressures(text string, start, end int) bool {
	const marks = "0123456789-/"
	for start > 0 && strings.IndexByte(marks, text[start-1]) >= 0 {
		start--
	}
	for end < len(text) && strings.IndexByte(marks, text[end]) >= 0 {
		end++
	}
	return pressureRange.MatchString(text[start:end])
}

// pressureRange matches pressures of which one at least is a range, and sizes; one of the numbers could be no day, month or year.
var pressureRange = regexp.MustCompile(`^(?:[4-9]\d|1\d\d|2\d\d)(?:-\d{2,3}/\d{2,3}(?:-\d{2,3})?|/\d{2,3}-\d{2,3})$|^\d\d-\d\d-\d{3}$`)

// joinsNumber reports whether two numbers are a part of more.
func joinsNumber(text string, start, end int) bool {
	if start > 0 {
		r, _ := utf8.DecodeLastRuneInString(text[:start])
		if r < utf8.RuneSelf && (wordRune(r) || isDigit(byte(r)) || strings.ContainsRune("_'+#$€£", r)) || start > 1 && strings.ContainsRune(".,/-:", r) && isDigit(text[start-2]) && !listBefore.MatchString(text[max(0, start-10):start]) {
			return true
		}
	}
	if end < len(text) {
		r, size := utf8.DecodeRuneInString(text[end:])
		if r < utf8.RuneSelf && (wordRune(r) && !strings.ContainsRune("@", r) || isDigit(byte(r)) || strings.ContainsRune("_%+", r)) || strings.ContainsRune(".,/-:", r) && end+size < len(text) && isDigit(text[end+size]) && !listBehind.MatchString(text[end:]) {
			return true
		}
	}
	return false
}

// beforeInLine returns what stands in the same line before a place, at most 48 bytes of it.
func beforeInLine(text string, at int) string {
	from := max(0, at-48)
	for from < at && !utf8.RuneStart(text[from]) {
		from++
	}
	return text[from+strings.LastIndexByte(text[from:at], '\n')+1 : at]
}

// partialRule says which rule finds a day and a month in two numbers; "" if none does.
func partialRule(text string, start, end int, forms dayForms) string {
	part := text[start:end]
	n := numbers(part)
	a, b := n[0], n[1]
	mark := strings.Trim(part, "0123456789 .")
	dotted := mark == ""
	before := beforeInLine(text, start)
	behind := text[end:min(len(text), end+32)]
	if !forms.allows(a, b) || inTrend(text, start, end) || unitNear(behind) || isPressureOrTablet(part, before) || strings.HasPrefix(behind, "/") && !listBehind.MatchString(behind) || timesBehind.MatchString(behind) || noDate.MatchString(text[start:]) {
		return ""
	}
	if strings.HasSuffix(part, ".") && !dotted {
		part = part[:len(part)-1]
	}
	closed := strings.HasSuffix(part, ".")
	cue, clock := dayBefore.MatchString(before), clockBehind.MatchString(behind)
	test := !cue && testBefore.MatchString(before)
	isGerman := languageOf(text[max(0, strings.LastIndex(text[:start], "\n\n")):]) == german
	inList := listBefore.MatchString(before) || listBehind.MatchString(behind)
	if mark == "/" && forms.sure >= 2 && forms.isOnlyDate(a, b, isMeasure(before)) && !scored.MatchString(before) && !pressed.MatchString(before) && (a < b || !forms.ventilated) {
		return "day and month, cued"
	}
	if !cue && !test && !inList && (scored.MatchString(before) || isMeasure(before)) {
		return ""
	}
	opens := lineBefore.MatchString(before) && entryBehind.MatchString(behind)
	isBracketed := strings.HasSuffix(before, "(") && strings.HasPrefix(behind, ")")
	padded := part[0] == '0' || strings.ContainsAny(part, "/.-") && part[len(part)-min(len(part), 2)] == '0'
	switch {
	case dotted:
		switch {
		case closed && strings.HasPrefix(strings.TrimLeft(behind, " "), "Monat"):
			return ""
		case timeBefore.MatchString(before) && len(digitsOf(part)) >= 3:
			return ""
		case plaintext.HasHan(text) && lineBefore.MatchString(before) && boxClock.MatchString(behind):
			return "day and month, cued"
		case a > 31 || b > 12 && !forms.month || paragraph.MatchString(before) || !test && isMeasure(before):
			return ""
		case cue && clock && !strings.ContainsAny(part, " ") && (isGerman || forms.stops || plaintext.HasHan(text)), closed && isGerman:
			return "day and month, cued"
		case closed && forms.stops && isDigit(part[len(part)-2]) && len(digitsOf(part)) == 4, plaintext.HasHan(text) && clock && hanClock.MatchString(behind):
			return "day and month, cued"
		case cue, plaintext.HasHan(text) && (part[len(part)-2] != '.' && before != "" || inList || isBracketed):
			return "day and month, alone"
		}
		return ""
	case mark == "-":
		switch {
		case rangeBehind.MatchString(behind) || rangeBefore.MatchString(before):
			return ""
		case cue && clock, cue && max(a, b) > 12 && min(a, b) <= 12 && a <= 12 == forms.month && !forms.day, isBracketed && a > 12 && b <= 12:
			return "day and month, cued"
		case cue, isBracketed, inList:
			return "day and month, alone"
		}
		return ""
	}
	share := b == 10 && a <= 10 || b == 5 && a <= 5 || b == 7 && a <= 7 || b == 52 || b == 3 && a <= 3 || b == 4 && a <= 4 || b == 6 && a <= 6
	switch {
	case share && elBefore.MatchString(before) && !thirdBehind.MatchString(behind):
		return "day and month, cued"
	case a == 1 && b == 2 && strings.HasSuffix(before, " by "):
		return "" // wean by 1/2
	case share && !clock && !inList, b == 7 && !cue && !inList && (a == 8 || a == 10 || a == 14 || a == 21 || a == 28):
		return ""
	case inList && manyDays.MatchString(text[max(0, start-9):min(len(text), end+9)]):
		return "day and month, cued" // the other is one for certain
	case doseBefore.MatchString(before) && (b == 7 || b == 52 || b == 12):
		return ""
	case spanBefore.MatchString(before) && (b == 7 || b == 12 || b == 52):
		return ""
	case (b == 12 || b == 7) && spanBehind.MatchString(behind):
		return ""
	case clock && !share, cue && !share && !slices.Contains(overCommon, b), cue && clock:
		return "day and month, cued"
	case test && (padded || max(a, b) > 12):
		return "day and month, cued"
	case inList && !share && (cue || max(a, b) > 12 && !slices.Contains(overCommon, b)):
		return "day and month, cued"
	case opens && !share && (padded || max(a, b) > 12 && !slices.Contains(overCommon, b) || entryBehind.MatchString(behind) && strings.HasPrefix(strings.TrimLeft(behind, ")]. \t"), ":")):
		return "day and month, cued"
	case padded && part[0] == '0' && len(part) == 5 && b > 0:
		return "day and month, cued"
	case forms.day != forms.month && max(a, b) > 12 && !slices.Contains(overCommon, b) && (forms.month || b != 1 && b != 2 && b != 5 && b != 10):
		return "day and month, cued" // no score has more than all, and the text writes dates so
	case a <= b && b <= 12 && !cue && !inList && !opens:
		return "" // a score: so many of so many
	case a > 12 && b <= 12 && forms.day && b != 10 && b != 5 && b != 6 && b != 12 && b != 2 && b != 1, a <= 12 && b > 12 && forms.month && !slices.Contains(overCommon, b) && b != 16 && b != 14 && b != 22:
		return "day and month, alone"
	}
	return "day and month, alone"
}

var (
	// elBefore matches the article of a date in Spanish, and thirdBehind what makes it one of a part.
	elBefore    = regexp.MustCompile(`(?i)\b(?:el|del|hasta el|desde el) $`)
	thirdBehind = regexp.MustCompile(`^ ?(?i:sup|med|inf|dist|prox|ext|int|ant|post|de\b|del\b|comp|tab)`)
	hanClock    = regexp.MustCompile(`^ ?(?:末次|开始|以来|日|号|晨|早|晚|上午|下午|中午|起|入院|出院|手术|复查|复诊)`)
	manyDays    = regexp.MustCompile(`\b(?:1[3-9]|2\d|3[01])/(?:1[0-2]|0?[1-9])\b`)
	boxClock    = regexp.MustCompile(`^ ?\| ?\d{1,2}:\d\d|^ +[0-2]\d[0-5]\d\b`)
	timeBefore  = regexp.MustCompile(`(?i)(?:\b(?:at|um|a las|gegen|ca\.?|approx|@)|@) *$`)
	timesBehind = regexp.MustCompile(`^ ?(?:[x×*%]|->|→|weeks?\b|wks?\b|months?\b|days?\b|d\b|yrs?\b|years?\b|ago\b|w\b|mo\b|jahre|wochen|tage|monate|semanas|días|meses|周|天|个月)`)
	paragraph   = regexp.MustCompile(`(?:§|(?i:\b(?:nr|ziff(?:er)?|abs|kap(?:itel)?|punkt|version|v|abb|tab|art)\b)\.?) *$`)
	rangeBehind = regexp.MustCompile(`^ ?(?i:mg|ml|tab|cap|puffs?|weeks?|wks?|days?|hours?|h\b|hrs?|min|months?|years?|yrs?|times?|cm|mm|l\b|units?|drops?|x|/|system|%|[-–]|sem|dias|días|wo|mal|st(?:d|unden))`)
	rangeBefore = regexp.MustCompile(`(?i)(?:\b(?:q|every|x|for|dose|grade|stage|aged?|age|level|[ctls]|range|ref|normal|plaq|over|give|take|gave|took)|[-<>=±~]) ?$`)
	doseBefore  = regexp.MustCompile(`(?i)(?:\b(?:mg|g|mcg|µg|ml|bd|tds|qds|od|on|nocte|units?|puffs?|tabs?|caps?|tid|bid|qid|daily)|x|×)\.? *$`)
	spanBefore  = regexp.MustCompile(`(?i)(?:\b(?:x|×|for|in|over|of|past|last|next|every|about|approx|after|within|review|rv|r/v|f/u|fu|opd|tcb|see|again|toc|repeat|recheck|age|aged|years?|yrs?|y|yr|\d+ ?y(?:rs?)?) ?\d*|[~<>+]) ?$`)
	spanBehind  = regexp.MustCompile(`(?i)^ ?(?:ago|hx|h/o|history|old|of|course|sob|cough|pain|pyrexia|fever|later|time|supply|script|rx|post|gest|[-]?week|then|off|of|$|\)|, no\b)`)
	// noDate matches two numbers with what makes them none: a grade or a count in Chinese, fifths of a head, day and night.
	noDate = regexp.MustCompile(`^\d{1,2}/\d{1,2} ?(?:级|次|周期|疗程|片|分|餐|(?i:cores?|nodes?|ln|trials?|films?|bottles?|sets?|pts|cups?|freq|quadrants?)\b)|^[0-5]/5 ?(?i:palp)|^24/7 ?(?i:cover|care|carers?|supervision|line|access|on[- ]call|help|nursing|support|obs|sitter|monitor\pL*|rn|availab\pL*)\b`)
	// pressed matches what stands before the pressures of a ventilator, and before the number of a bed in a room.
	pressed = regexp.MustCompile(`(?i)(?:\b(?:bipap|cpap|niv|vni|ipap|simv|ps|pcv|asb)[ :(]*(?:[a-z]+ )?|\b(?:zi|zimmer|zimmernr|bett|hab|cama|room|rm|bed|bay)\.? )$`)
)

// stopsOf returns whether dates of a text have stops, as far as their form tells, whatever the rules found: own if some have and no
// whole date has other marks, both, or other; "" if no date is whole.
func stopsOf(text string) string {
	other := otherDate.MatchString(text)
	own := stoppedDate.MatchString(text) || languageOf(text) == german && closedDay.MatchString(text)
	switch {
	case own && other:
		return "both"
	case own:
		return "own"
	case other:
		return "other"
	}
	return ""
}

var (
	// stoppedDate matches a date with stops that is whole, or ends with a stop that is no end of a sentence.
	stoppedDate = regexp.MustCompile(`\b(?:0?[1-9]|[12]\d|3[01])\.(?:0?[1-9]|1[0-2])\.(?:(?:19|20)?\d\d\b|[:,);/-]| \p{Ll}{3,})`)
	otherDate   = regexp.MustCompile(`\b\d{1,2}/\d{1,2}/\d{2,4}\b|\b\d{4}(?:-\d\d-\d|/\d{1,2}/\d)|月\d{1,2}日|\b\d{1,2}[- ](?i:` + monthShort + `)\pL*[- ](?:19|20)?\d\d`)
)

// pointsOf counts the numbers of a text with a stop in them that are no day and month, such as 0.6 and 37.8, up to 3.
func pointsOf(text string) string {
	n := 0
	for _, at := range stoppedNumber.FindAllStringSubmatchIndex(text, -1) {
		a, b := text[at[2]:at[3]], text[at[4]:at[5]]
		if (len(a) > 2 || len(b) > 2 || !eitherOrder.allows(number(a), number(b))) && !joinsNumber(text, at[0], at[1]) {
			n++
		}
	}
	return strconv.Itoa(min(n, 3))
}

var (
	stoppedNumber = regexp.MustCompile(`(\d+)\.(\d+)`)
	eitherOrder   = dayForms{day: true, month: true}
)

// edgesOf returns what encloses a part of a text: "." behind it, "(" around it.
func edgesOf(text string, start, end int) string {
	switch {
	case end < len(text) && text[end] == '.':
		return "."
	case end < len(text) && text[end] == ')' && start > 0 && text[start-1] == '(':
		return "("
	}
	return ""
}

// besideOf returns whether a pair of the same mark stands next to one in its line, and whether it is a day or none; none counts more.
func besideOf(text string, all []pairAt, i int) string {
	const near = 12 // bytes between them at most
	found := ""
	for _, k := range []int{i - 1, i + 1} {
		if k < 0 || k >= len(all) {
			continue
		}
		between := text[all[min(i, k)].end:all[max(i, k)].start]
		if len(between) > near || strings.Contains(between, "\n") || markOf(text, all[k]) != markOf(text, all[i]) {
			continue
		}
		if all[k].month == "no" {
			return "no"
		}
		found = "day"
	}
	return found
}

// markOf returns the mark between the numbers of a pair.
func markOf(text string, p pairAt) byte {
	return text[p.start+strings.IndexAny(text[p.start:p.end], "/.-")]
}
