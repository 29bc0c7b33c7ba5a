package redact

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// Two numbers with a mark between them, such as 3/4, are a day and a month, a score, a share or the pressures of a
// ventilator. What stands around them often does not tell, but the rest of the text may: notes of one stay have dates of
// one or two months, which the head of the note gives in full.

// pair is what the text says of two numbers, of which each piece of theirs is a part.
type pair struct {
	month  string // how near the month of the two is to those of the whole dates: same, next, far, or none if there is none; "no" if they are no day and month
	alike  string // how many other pairs have the same month and another day, up to 2
	over   string // the second number, if scores are often out of it
	high   bool   // they may be two pressures of a ventilator
	kin    string // how many other pairs have the same second number and another first, up to 3
	order  string // whether the first is the lesser, and whether either is more than any month
	first  string // which of the two is the day, if the text tells: the first, the second
	sure   string // how many other pairs of about the same month can only be dates, up to 2
	dated  dated  // the day and the month that the two would be; zero if they are none
	ruled  string // how many other pairs of about the same month rules found as dates, up to 2
	lines  string // how many lines begin with such pairs, up to 3, if this one does; else none
	year   string // how near the second number is to the last year of the text, if they may be a month and a year: now, recent, past, long, next
	ofYear bool   // they are a month and a year of about the time of the text, as in "2/97", and no day and month
	marks  string // whether the dates that rules found have the mark of the pair: own, both, other
	row    string // how many other days of about the same month its line has, up to 3, and whether they ascend
	stops  string // see stopsOf
	points string // how many numbers of the text have a stop in them and are no day and month, up to 3
	beside string // whether such a number, or another pair that may be a day, is next to it: no, day; "" if neither is
	edges  string // what encloses it: "." behind it, "(" around it
}

// dated is a day and a month as the text may write them.
type dated struct {
	day, month int
	mark       string
}

// monthAs is a month as a text may write it.
type monthAs struct {
	month int
	mark  string
}

// pairAt is a pair and where it stands.
type pairAt struct {
	start, end int
	pair
}

// twoNumbers matches what may be a pair.
var twoNumbers = regexp.MustCompile(`\d{1,2}([/.-])\d{1,2}`)

// pairsOf returns the pairs of a text in which rules have found hits.
func pairsOf(text string, hits []hit) []pairAt {
	var all []pairAt
	forms := formsOf(text)
	var known map[int]bool
	seconds, alike := make(map[int]int), make(map[[2]int]int) // how many pairs have a second number, and both
	for _, at := range twoNumbers.FindAllStringSubmatchIndex(text, -1) {
		start, end, mark := at[0], at[1], text[at[2]:at[3]]
		if joinsNumber(text, start, end) {
			continue
		}
		if known == nil {
			known = monthsOf(text, hits, forms)
		}
		n := numbers(text[start:end])
		p := pair{month: "no"}
		switch n[1] {
		case 3, 4, 5, 6, 7, 10, 12:
			p.over = strconv.Itoa(n[1])
		}
		if n[1] == 7 && forms.month && !forms.day { // who writes so counts no days in sevenths
			p.over = ""
		}
		p.order = orderOfTwo(n[0], n[1])
		switch {
		case forms.day && !forms.month:
			p.first = "day"
		case forms.month && !forms.day:
			p.first = "month"
		}
		seconds[n[1]]++
		alike[[2]int(n)]++
		p.high = n[0] >= 8 && n[0] <= 30 && n[1] >= 4 && n[1] <= 12 && n[0] > n[1]
		switch {
		case !forms.allows(n[0], n[1]):
		case forms.day && n[1] <= 12 && (!forms.month || n[0] > 12 || mark == "."):
			p.dated = dated{n[0], n[1], mark}
		case forms.month && n[0] <= 12 && (!forms.day || n[1] > 12):
			p.dated = dated{n[1], n[0], mark}
		case known[n[0]] && !known[n[1]]: // either order; the one that fits
			p.dated = dated{n[1], n[0], mark}
		default:
			p.dated = dated{n[0], n[1], mark}
		}
		all = append(all, pairAt{start, end, p})
	}
	count := make(map[dated]int)           // of a month, with day 0, and of a day of it
	days := make(map[monthAs]map[int]bool) // that no score is out of
	for _, p := range all {
		d := p.dated
		if d.month == 0 {
			continue
		}
		count[dated{month: d.month, mark: d.mark}]++
		count[d]++
		if d.day > 12 && !slices.Contains(overCommon, d.day) {
			in := monthAs{d.month, d.mark}
			if days[in] == nil {
				days[in] = make(map[int]bool)
			}
			days[in][d.day] = true
		}
	}
	for i, p := range all {
		d := p.dated
		if d.month == 0 {
			continue
		}
		others := count[dated{month: d.month, mark: d.mark}] - count[d]
		all[i].month, all[i].alike = nearMonth(known, d.month), strconv.Itoa(min(others, 2))
		sure := 0
		for _, month := range monthsAround(d.month) {
			others := days[monthAs{month, d.mark}]
			sure += len(others)
			if others[d.day] {
				sure--
			}
		}
		all[i].sure = strconv.Itoa(min(sure, 2))
	}
	countRuled(all, hits)
	year := lastYear(text, hits)
	marks, stops, points := marksOf(text, hits), stopsOf(text), pointsOf(text)
	for i, p := range all {
		n := numbers(text[p.start:p.end])
		all[i].stops, all[i].points, all[i].edges = stops, points, edgesOf(text, p.start, p.end)
		all[i].beside = besideOf(text, all, i)
		all[i].year = nearYear(year, n[0], n[1])
		all[i].ofYear = all[i].year != "" && n[1] > 31
		if n := len(marks); n > 0 {
			all[i].marks = "other"
			if marks[text[p.start:p.end][strings.IndexAny(text[p.start:p.end], "/.-")]] {
				all[i].marks = "own"
				if n > 1 {
					all[i].marks = "both"
				}
			}
		}
	}
	countLines(text, all)
	for i, p := range all {
		n := numbers(text[p.start:p.end])
		all[i].kin = strconv.Itoa(min(seconds[n[1]]-alike[[2]int(n)], 3))
	}
	return all
}

// isBefore reports whether a day comes before another of the same winter or year.
func (d dated) isBefore(o dated) bool {
	return d.month*31+d.day < o.month*31+o.day || d.month == 12 && o.month == 1
}

// countRuled fills in how many other pairs rules found as dates.
func countRuled(all []pairAt, hits []hit) {
	found := make(map[dated]bool)
	for _, h := range hits {
		if h.class != Date {
			continue
		}
		i, _ := slices.BinarySearchFunc(all, h.start, func(p pairAt, at int) int { return cmp.Compare(p.start, at) })
		for ; i < len(all) && all[i].end <= h.end; i++ {
			found[all[i].dated] = true
		}
	}
	of := make(map[monthAs]int)
	for d := range found {
		of[monthAs{d.month, d.mark}]++
	}
	for i, p := range all {
		if p.dated.month == 0 {
			continue
		}
		n := 0
		for _, month := range monthsAround(p.dated.month) {
			n += of[monthAs{month, p.dated.mark}]
		}
		if found[p.dated] {
			n--
		}
		all[i].ruled = strconv.Itoa(min(n, 2))
	}
}

// countLines fills in how many lines begin with pairs, and how many each line has.
func countLines(text string, all []pairAt) {
	opening := make(map[string]int)
	var opens []bool
	for from := 0; from < len(all); {
		to := from + 1
		for to < len(all) && !strings.Contains(text[all[to-1].end:all[to].start], "\n") {
			to++
		}
		line := all[from:to]
		days := make(map[monthAs]map[int]bool)
		last, falls := make(map[string]dated), make(map[string]bool)
		for i, p := range line {
			d := p.dated
			opens = append(opens, i == 0 && lineBefore.MatchString(beforeInLine(text, p.start)))
			if opens[len(opens)-1] {
				opening[d.mark]++
			}
			if d.month == 0 {
				continue
			}
			in := monthAs{d.month, d.mark}
			if days[in] == nil {
				days[in] = make(map[int]bool)
			}
			days[in][d.day] = true
			if before, ok := last[d.mark]; ok && !before.isBefore(d) {
				falls[d.mark] = true
			}
			last[d.mark] = d
		}
		for i, p := range line {
			d := p.dated
			if d.month == 0 {
				continue
			}
			others := -1
			for _, month := range monthsAround(d.month) {
				others += len(days[monthAs{month, d.mark}])
			}
			line[i].row = strconv.Itoa(min(others, 3))
			if others > 0 && !falls[d.mark] {
				line[i].row += " ascending"
			}
		}
		from = to
	}
	for i := range all {
		if opens[i] {
			all[i].lines = strconv.Itoa(min(opening[all[i].dated.mark], 3))
		}
	}
}

// lastYear returns the last year of the whole dates that rules found; 0 if there is none.
func lastYear(text string, hits []hit) int {
	last, short := 0, 0 // short: the last of those without a century
	for _, h := range hits {
		if h.class != Date || !h.certain() {
			continue
		}
		written := text[h.start:h.end]
		year := 0
		switch m := wholeDate.FindStringSubmatch(written); {
		case m != nil && len(m[1]) == 4:
			year = number(m[1])
		case m != nil && (len(m[3]) == 4 || len(m[3]) == 2):
			year = number(m[3])
		case m == nil:
			year = number(fourDigits.FindString(written))
		}
		switch {
		case year > 0 && year < 100:
			short = max(short, 2000+year)
		case year >= 1990 && year < 2100:
			last = max(last, year)
		}
	}
	if last == 0 || short < last+25 { // else it is of a birth
		last = max(last, short)
	}
	return last
}

var (
	fourDigits = regexp.MustCompile(`\b(?:19|20)\d\d\b`)
	yearFirst  = regexp.MustCompile(`^\d{4}-`)
)

// nearYear says how near a month and a year without its century are to the last year of a text.
func nearYear(last, month, year int) string {
	if last == 0 || month < 1 || month > 12 {
		return ""
	}
	ago := last%100 - year
	if ago <= -40 {
		ago += 100 // 2/98, in 2003
	}
	switch {
	case ago < 0 && ago >= -3:
		return "next"
	case ago == 0 || ago == 1:
		return "now"
	case ago > 0 && ago <= 5:
		return "recent"
	case ago > 0 && ago <= 20:
		return "past"
	case ago > 0 && ago <= 70:
		return "long"
	}
	return ""
}

// marksOf returns the marks between the numbers of the dates that rules found.
func marksOf(text string, hits []hit) map[byte]bool {
	marks := make(map[byte]bool)
	for _, h := range hits {
		if h.class != Date || yearFirst.MatchString(text[h.start:h.end]) {
			continue // 2024-03-14 says nothing of 3/16
		}
		if at := twoNumbers.FindStringSubmatchIndex(text[h.start:h.end]); at != nil {
			marks[text[h.start+at[2]]] = true
		}
	}
	return marks
}

// monthsAround returns a month, the one before and the one behind it.
func monthsAround(month int) [3]int { return [3]int{(month+10)%12 + 1, month, month%12 + 1} }

// orderOfTwo says which of two numbers is greater, and whether one is more than any month has.
func orderOfTwo(a, b int) string {
	most := ""
	if max(a, b) > 12 {
		most = " of a day"
	}
	switch {
	case a < b:
		return "less" + most
	case a > b:
		return "more" + most
	}
	return "equal" + most
}

// findPairs fills in which pair each piece is a part of.
func (c *context) findPairs(hits []hit) {
	c.pair = make([]pair, len(c.pieces))
	for _, p := range pairsOf(c.text, hits) {
		i, _ := slices.BinarySearchFunc(c.pieces, p.start, func(piece piece, at int) int { return cmp.Compare(piece.start, at) })
		for ; i < len(c.pieces) && c.pieces[i].end <= p.end; i++ {
			c.pair[i] = p.pair
		}
	}
}

// datesOfTheMonth returns the pairs that are dates because the whole dates of the text are of the same month, given what
// the other rules found. Those of rule "day and month of the text, alone" need other evidence.
func datesOfTheMonth(text string, hits []hit) []hit {
	var found []hit
	for _, p := range pairsOf(text, hits) {
		before := beforeInLine(text, p.start)
		part, behind := text[p.start:p.end], text[p.end:]
		near := p.month == "same" || p.month == "next" && p.alike != "0"
		isOfYear := (p.ofYear && !isOverMany(part) || zeroedYear.MatchString(part)) && p.first == "month" && (strings.Contains(part, "/") || p.marks == "own" && p.year != "long" && strings.Contains(part, "-"))
		switch isScored := scored.MatchString(before) || isMeasure(before) && !testBefore.MatchString(before); {
		case isOfYear && !unitNear(behind) && !strings.HasPrefix(behind, "%") && !scored.MatchString(side.ReplaceAllString(before, " ")):
			found = append(found, hit{Date, p.start, p.end, "month and year, month first"}) // of a disease, an operation, a drug
		case p.ofYear && strings.Contains(part, "/") && !unitNear(behind) && !strings.HasPrefix(behind, "%") && !isScored:
			found = append(found, hit{Date, p.start, p.end, "month and year of the text"})
		case !near || unitNear(behind) || strings.HasPrefix(behind, "%") || !strings.Contains(part, "/") && (!strings.Contains(part, "-") || !isZeroMonth(part)):
		case p.month == "same" && p.alike != "0" && p.over != "10" && p.over != "7" && p.over != "4" && part != "2/3" && !isScored && !strings.HasPrefix(part, "1/") && !timesBehind.MatchString(behind):
			found = append(found, hit{Date, p.start, p.end, "day and month of the text"})
		case p.month == "same" && p.alike != "0" && p.over == "" && isScored && numbers(part)[1] > 12 && !scored.MatchString(before):
			found = append(found, hit{Date, p.start, p.end, "day and month of the text"})
		case !isScored || testBefore.MatchString(before):
			found = append(found, hit{Date, p.start, p.end, "day and month of the text, alone"})
		}
	}
	return found
}

// side matches the side that is meant, or about, before a pair: TKR L 9/70.
var side = regexp.MustCompile(`(?i)(?:\b(?:l|r|od|os|ou|a|b|c|s)\b\.?[ :]*|[ ~]+)+$`)

// zeroedYear matches a month and a year after 2000, or a month and a day with a zero: 2/00, 1/02.
var zeroedYear = regexp.MustCompile(`^(?:[1-9]|1[0-2])/0\d$`)

// isOverMany reports whether the second number of a pair is what weeks of a pregnancy, weeks and acuities are written over.
func isOverMany(part string) bool {
	return strings.HasSuffix(part, "/40") || strings.HasSuffix(part, "/52") || strings.HasSuffix(part, "/60")
}

// isZeroMonth reports whether a pair ends with a month such as 05.
func isZeroMonth(part string) bool { return len(part) > 2 && part[len(part)-2] == '0' }

// nearMonth says how near a month is to the known ones.
func nearMonth(known map[int]bool, month int) string {
	switch {
	case len(known) == 0:
		return "none"
	case known[month]:
		return "same"
	case known[month%12+1], known[(month+10)%12+1]:
		return "next"
	}
	return "far"
}

var (
	wholeDate  = regexp.MustCompile(`\b(\d{1,4})[-/.](\d{1,2})[-/.](\d{1,4})\b`)
	bareDate   = regexp.MustCompile(`\b(\d{1,2})[-/.](\d{1,2})\b`)
	yearOfDate = regexp.MustCompile(`\b(?:19|20)\d\d\b|\b\d\d$`)
	compactDay = regexp.MustCompile(`\b((?:19|20)\d\d)(0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])`)
	hanMonth   = regexp.MustCompile(`(\d{1,2})月`)
)

// monthsOf returns the months of the dates that rules found for certain, of the last year that is named: those of births
// and of what was long ago say nothing of the rest.
func monthsOf(whole string, hits []hit, forms dayForms) map[int]bool {
	type month struct{ year, month int }
	var all []month
	last := 0
	add := func(y, m int) {
		if y > 0 && y < 100 {
			y += 2000
		}
		if m >= 1 && m <= 12 {
			all = append(all, month{y, m})
			last = max(last, y)
		}
	}
	for _, h := range hits {
		if h.class != Date || !h.certain() {
			continue
		}
		text := whole[h.start:h.end]
		if m := compactDay.FindStringSubmatch(text); m != nil {
			add(number(m[1]), number(m[2]))
			continue
		}
		if m := wholeDate.FindStringSubmatch(text); m != nil {
			a, b, y := number(m[1]), number(m[2]), number(m[3])
			switch {
			case len(m[1]) == 4:
				add(a, b)
			case len(m[3]) == 1 || len(m[3]) == 3:
			case b > 12 || forms.month && !forms.day:
				add(y, a)
			default:
				add(y, b)
			}
			continue
		}
		year := number(yearOfDate.FindString(text))
		if m := hanMonth.FindStringSubmatch(text); m != nil {
			add(year, number(m[1]))
			continue
		}
		if m := bareDate.FindStringSubmatch(text); m != nil {
			if a, b := number(m[1]), number(m[2]); b > 12 || forms.month && !forms.day {
				add(0, a)
			} else {
				add(0, b)
			}
			continue
		}
		for _, word := range strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) }) {
			if _, m := monthOf(word, false); m > 0 {
				add(year, m)
				break
			}
		}
	}
	months := make(map[int]bool)
	for _, m := range all {
		if m.year == 0 || m.year == last {
			months[m.month] = true
		}
	}
	return months
}

// daysOf returns the days of the months that dates are of, which rules found: another number near to one is a day, too, if it
// stands as one.
func daysOf(text string, hits []hit) map[int]bool {
	forms := formsOf(text)
	days := make(map[int]bool)
	for _, h := range hits {
		if h.class != Date || strings.HasSuffix(h.rule, "alone") {
			continue
		}
		written := text[h.start:h.end]
		if m := wholeDate.FindStringSubmatch(written); m != nil {
			switch {
			case len(m[1]) == 4:
				days[number(m[3])] = true
			case forms.month && !forms.day:
				days[number(m[2])] = true
			default:
				days[number(m[1])] = true
			}
			continue
		}
		for _, at := range twoNumbers.FindAllStringIndex(written, -1) {
			n := numbers(written[at[0]:at[1]])
			if forms.month && !forms.day {
				days[n[1]] = true
			} else {
				days[n[0]] = true
			}
		}
		for _, m := range dayWritten.FindAllStringSubmatch(written, -1) {
			days[number(m[1])] = true
		}
	}
	return days
}

// dayWritten matches a day as words and Chinese have it.
var dayWritten = regexp.MustCompile(`(?:^|[^\d./-])(\d{1,2})(?:[日号.,]?(?: de)? ?\pL|st\b|nd\b|rd\b|th\b|[日号]|,? ?(?:19|20)\d\d\b|\.?$)`)

// nearDay says how near a number is to the days of the text.
func (c *context) nearDay(n int) string {
	for away, name := range []string{"same", "next", "near", "near"} {
		if c.days[n-away] || c.days[n+away] {
			return name
		}
	}
	return "far"
}

// ventilated matches the words of ventilators, whose pressures look like dates.
var ventilated = regexp.MustCompile(`(?i)\b(?:fio2|peep|ipap|epap|bipap|cpap|niv|simv|pcv|psv|asb)\b`)

// pairFeatures returns the features of a piece of a pair.
func (c *context) pairFeatures(i int) []string {
	p := c.pair[i]
	if p.month == "" {
		return nil
	}
	rule := "-"
	if c.class[i] == Date {
		rule = "+"
	}
	mark := "."
	if c.pieces[i].kind == 'm' {
		mark = c.pieces[i].text
	} else if at := c.pieces[i].end; at < len(c.text) && strings.IndexByte("/.-", c.text[at]) >= 0 {
		mark = c.text[at : at+1]
	} else if at := c.pieces[i].start; at > 0 {
		mark = c.text[at-1 : at]
	}
	f := []string{
		"pair " + mark + " " + p.month,
		"pair " + mark + " " + p.month + " alike " + p.alike,
		"pair " + mark + " " + p.month + rule,
		"pair " + mark + " " + p.month + rule + " over " + p.over,
		"pair " + mark + " " + p.month + " medicine " + c.medicineNear(i),
	}
	if mark == "." {
		lang := strconv.Itoa(int(c.lang[i]))
		f = append(f, "pair stops "+p.stops+" "+lang, "pair stops "+p.stops+" "+lang+" points "+p.points, "pair stops "+p.stops+" "+lang+p.edges, "pair stops "+p.stops+" "+lang+" beside "+p.beside, "pair points "+p.points+" beside "+p.beside+" "+p.month)
	}
	f = append(f, "pair beside "+p.beside+" "+mark, "pair beside "+p.beside+" "+mark+" over "+p.over+" "+p.month, "pair edges "+p.edges+" "+mark+" "+p.month)
	f = append(f, "pair marks "+p.marks+" "+mark, "pair marks "+p.marks+" "+p.lines+" "+mark)
	if p.year != "" {
		f = append(f, "pair year "+p.year+" "+mark, "pair year "+p.year+" "+p.first+" "+p.order, "pair year "+p.year+" "+p.month+" over "+p.over)
	}
	if p.month != "no" {
		f = append(f, c.wordsAround(i, mark)...)
		f = append(f, "pair sure "+p.sure+" "+mark, "pair sure "+p.sure+" "+p.month+" over "+p.over, "pair sure "+p.sure+" "+p.order+rule, "pair sure "+p.sure+" alike "+p.alike+" kin "+p.kin)
		f = append(f, "pair first "+p.first+" "+p.order+" over "+p.over, "pair first "+p.first+" "+p.month+" sure "+p.sure)
		f = append(f, "pair ruled "+p.ruled+" "+mark, "pair ruled "+p.ruled+" "+p.order+" over "+p.over, "pair ruled "+p.ruled+rule+" sure "+p.sure, "pair row "+p.row+" "+mark, "pair row "+p.row+" over "+p.over+" "+p.month)
		if p.lines != "" {
			f = append(f, "pair lines "+p.lines+" "+mark, "pair lines "+p.lines+" "+p.order+" over "+p.over, "pair lines "+p.lines+" "+p.month+" ruled "+p.ruled)
		}
		f = append(f, "pair kin "+p.kin+" "+p.order, "pair kin "+p.kin+" "+p.month+" over "+p.over, "pair "+mark+" "+p.order+" "+p.month, "pair "+mark+" "+p.order+" over "+p.over)
	}
	if c.ventilated {
		f = append(f, "pair of the ventilated "+p.month, "pair of the ventilated "+p.month+" over "+p.over+rule)
	}
	return f
}

// wordsAround returns features of the words of the sentence around the pair of a piece, wherever they stand: eight pieces before and
// five behind.
func (c *context) wordsAround(i int, mark string) []string {
	from, to := i, i
	for from > 0 && c.pair[from-1].month != "" && !c.pieces[from].spaced {
		from--
	}
	for to+1 < len(c.pieces) && c.pair[to+1].month != "" && !c.pieces[to+1].spaced {
		to++
	}
	var f []string
	stops := func(k int) bool {
		return k < 0 || k >= len(c.pieces) || c.pieces[k].kind == 'l' || strings.Contains(".;", c.pieces[k].text) && k+1 < len(c.pieces) && c.pieces[k+1].spaced
	}
	seen := 0
	for k := from - 1; k >= from-8 && !stops(k); k-- {
		if c.pieces[k].kind == 'w' || c.pieces[k].kind == 'h' {
			f = append(f, "pair < "+c.pieces[k].word())
			if seen++; seen == 1 {
				f = append(f, "pair last "+mark+" "+c.pieces[k].word(), "pair last "+mark+" "+string(c.sortOf(k)))
			}
		}
	}
	if seen == 0 {
		f = append(f, "pair first "+mark)
	}
	for k := to + 1; k <= to+5 && !stops(k); k++ {
		if c.pieces[k].kind == 'w' || c.pieces[k].kind == 'h' {
			f = append(f, "pair > "+c.pieces[k].word())
		}
	}
	return f
}

// twoAt returns the numbers on both sides of a slash, of which a piece is one.
func (e *evidence) twoAt(i int) (first, second piece, is bool) {
	if i > 1 && e.pieces[i-1].text == "/" && e.pieces[i-2].kind == 'd' {
		i -= 2
	}
	if i+2 >= len(e.pieces) || e.pieces[i+1].text != "/" || e.pieces[i+2].kind != 'd' {
		return piece{}, piece{}, false
	}
	return e.pieces[i], e.pieces[i+2], true
}

// isPressureOrTablet reports whether a number is one of two that isPressureOrTablet refuses.
func (e *evidence) isPressureOrTablet(text string, i int) bool {
	first, second, is := e.twoAt(i)
	return is && isPressureOrTablet(text[first.start:second.end], beforeInLine(text, first.start))
}

// isOverDose reports whether a number is of a span in sevenths, twelfths or weeks behind a dose: bd 5/7.
func (e *evidence) isOverDose(text string, i int) bool {
	first, second, is := e.twoAt(i)
	return is && isOverDays(second.text) && doseBefore.MatchString(beforeInLine(text, first.start))
}

// isSpanOfWeeks reports whether a piece is of a number of weeks, or of weeks of a pregnancy, in a text without a month of such a year: 2/52,
// 31/40.
func (e *evidence) isSpanOfWeeks(text string, i int) bool {
	_, second, is := e.twoAt(i)
	return is && (second.text == "52" || second.text == "40") && text[second.start-1] == '/' && e.hasWeeks
}

var monthOfFifties = re(`[/'](?:20)?(?:4[1-9]|5[013-9])(?:$|[^\d/.%])|\d{1,2}/\d{1,2}/(?:19)?(?:40|52)(?:\D|$)`)

// isDotted reports whether a number stands next to a stop and another number.
func (e *evidence) isDotted(i int) bool {
	return i+2 < len(e.pieces) && e.pieces[i+1].text == "." && e.pieces[i+2].kind == 'd' || i > 1 && e.pieces[i-1].text == "." && e.pieces[i-2].kind == 'd'
}

// isOverDays reports whether a number is what days, weeks or months are written over.
func isOverDays(number string) bool { return number == "7" || number == "52" || number == "12" }
