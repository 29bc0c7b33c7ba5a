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
	month string // how near the month of the two is to those of the whole dates: same, next, far, or none if there is none; "no" if they are no day and month
	alike string // how many other pairs have the same month and another day, up to 2
	over  string // the second number, if scores are often out of it
	high  bool   // they may be two pressures of a ventilator
	kin   string // how many other pairs have the same second number and another first, up to 3
	order string // whether the first is the lesser, and whether either is more than any month
	first string // which of the two is the day, if the text tells: the first, the second
	sure  string // how many other pairs of about the same month can only be dates, up to 2
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
	type dated struct {
		at, day, month int
		mark           string
	}
	var all []pairAt
	var dates []dated
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
			dates = append(dates, dated{len(all), n[0], n[1], mark})
		case forms.month && n[0] <= 12 && (!forms.day || n[1] > 12):
			dates = append(dates, dated{len(all), n[1], n[0], mark})
		case known[n[0]] && !known[n[1]]: // either order; the one that fits
			dates = append(dates, dated{len(all), n[1], n[0], mark})
		default:
			dates = append(dates, dated{len(all), n[0], n[1], mark})
		}
		all = append(all, pairAt{start, end, p})
	}
	count := make(map[dated]int) // of a month, with day 0, and of a day of it
	for _, d := range dates {
		count[dated{month: d.month, mark: d.mark}]++
		count[dated{day: d.day, month: d.month, mark: d.mark}]++
	}
	for _, d := range dates {
		others := count[dated{month: d.month, mark: d.mark}] - count[dated{day: d.day, month: d.month, mark: d.mark}]
		all[d.at].month, all[d.at].alike = nearMonth(known, d.month), strconv.Itoa(min(others, 2))
	}
	type season struct {
		month int
		mark  string
	}
	days := make(map[season]map[int]bool) // that no score is out of
	for _, d := range dates {
		if d.day > 12 && !slices.Contains(overCommon, d.day) {
			in := season{d.month, d.mark}
			if days[in] == nil {
				days[in] = make(map[int]bool)
			}
			days[in][d.day] = true
		}
	}
	for _, d := range dates {
		sure := 0
		for _, month := range []int{(d.month+10)%12 + 1, d.month, d.month%12 + 1} {
			others := days[season{month, d.mark}]
			sure += len(others)
			if others[d.day] {
				sure--
			}
		}
		all[d.at].sure = strconv.Itoa(min(sure, 2))
	}
	for i, p := range all {
		n := numbers(text[p.start:p.end])
		all[i].kin = strconv.Itoa(min(seconds[n[1]]-alike[[2]int(n)], 3))
	}
	return all
}

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
		switch isScored := scored.MatchString(before) || isMeasure(before) && !testBefore.MatchString(before); {
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

func number(s string) int {
	n, _ := strconv.Atoi(s)
	return n
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
	if p.month != "no" {
		f = append(f, c.wordsAround(i, mark)...)
		f = append(f, "pair sure "+p.sure+" "+mark, "pair sure "+p.sure+" "+p.month+" over "+p.over, "pair sure "+p.sure+" "+p.order+rule, "pair sure "+p.sure+" alike "+p.alike+" kin "+p.kin)
		f = append(f, "pair first "+p.first+" "+p.order+" over "+p.over, "pair first "+p.first+" "+p.month+" sure "+p.sure)
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
