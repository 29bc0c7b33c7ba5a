package superseded

import (
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"lacuna/knowledge/plaintext"
)

// ordinals are the words that count editions.
var ordinals = map[string]int{
	"first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5, "sixth": 6, "seventh": 7, "eighth": 8, "ninth": 9, "tenth": 10,
	"erste": 1, "zweite": 2, "dritte": 3, "vierte": 4, "fünfte": 5, "sechste": 6, "siebte": 7, "achte": 8, "neunte": 9, "zehnte": 10,
	"一": 1, "二": 2, "三": 3, "四": 4, "五": 5, "六": 6, "七": 7, "八": 8, "九": 9, "十": 10,
}

const (
	// before and after match the words beside the number of a version: "version 2", "3rd edition".
	before = `(?:version|vers|ver|v|revision|rev|release|edition|ed|issue|auflage|ausgabe|fassung|stand|版本?)`
	after  = `(?:version|revision|release|edition|edn?|issue|auflage|aufl|ausgabe|fassung|版)`
	// inNames matches those of them that a name of a file means: its releases and issues are pages of their own.
	inNames = `(?:version|ver|v|revision|rev|edition|auflage|fassung|版本?)`
	// early matches what a version is called before it is released, with its number: "rc1", "beta 2".
	early = `(?:(draft|entwurf|草案|alpha|a|beta|b|rc|pre|preview)[-_. ]?(\d{0,3}))`
)

var (
	// inName matches a version or a year in the name of a file.
	inName = regexp.MustCompile(`(?i)(?:^|[-_. (])(?:(` + inNames + `[-_. ]?\d{1,4}(?:\.\d+)*(?:[a-z]|[-_. ]?(?:draft|entwurf|alpha|beta|rc|pre)[-_. ]?\d{0,3})?|\d{1,3}(?:st|nd|rd|th|\.)?[-_. ]?(?:edition|auflage|fassung|版))|((?:19|20)\d\d))(?:\)|$|[-_. ])|(第\d{1,3}版)`)
	// besides matches the words of a version that do not count.
	besides = regexp.MustCompile(`^` + before + `[-_.:# ]*|[-_. ]*\b` + after + `\.?$|版$|^第`)
	numeric = regexp.MustCompile(`^(\d{1,8}(?:[-_./]\d{1,8})*)(?:st|nd|rd|th|\.|[-_. ]?` + early + `|([a-z]))?(?:\+.*)?$`)
	letter  = regexp.MustCompile(`^[a-z]$`)
)

// earliness orders what comes before a release.
var earliness = map[string]int{
	"draft": -4, "entwurf": -4, "草案": -4, "alpha": -3, "a": -3, "pre": -3, "preview": -3, "beta": -2, "b": -2, "rc": -1,
}

// number is a version as it is compared: its figures without zeros at the end, then what it lacks to be released.
type number struct {
	figures []int
	date    bool  // figures are a year, or a year and what counts within it
	early   []int // what it is called before its release, and the number of that; empty if it is released
}

// compare returns -1, 0 or 1. A year is neither before nor after its months.
func (n number) compare(m number) int {
	a, b := n.figures, m.figures
	if n.date && m.date {
		shared := min(len(a), len(b))
		a, b = a[:shared], b[:shared]
	}
	if c := slices.Compare(a, b); c != 0 {
		return c
	}
	switch {
	case len(n.early) == 0 && len(m.early) == 0:
		return 0
	case len(n.early) == 0:
		return 1
	case len(m.early) == 0:
		return -1
	}
	return slices.Compare(n.early, m.early)
}

// replaces reports whether a version takes the place of another: it is higher, counted in the same way, and it is not
// a draft of what is released.
func (n number) replaces(m number) bool {
	return n.date == m.date && n.compare(m) > 0 && (len(n.early) == 0 || len(m.early) > 0)
}

// numberOf reads a version such as "2", "v1.10", "2.1rc", "Rev. B", "2024-03", "March 2024", "3rd edition",
// "2. Auflage" or "第3版".
func numberOf(text string) (number, bool) {
	text = strings.ToLower(strings.Join(strings.Fields(text), " "))
	if date, ok := dateOf(text); ok {
		return date, true
	}
	text = strings.TrimSpace(besides.ReplaceAllString(text, ""))
	if date, ok := dateOf(text); ok { // "Stand 03/2024"
		return date, true
	}
	if n, ok := ordinals[strings.TrimSuffix(text, "r")]; ok { // "zweiter Auflage"
		return number{figures: []int{n}}, true
	}
	if letter.MatchString(text) {
		return number{figures: []int{int(text[0]-'a') + 1}}, true
	}
	m := numeric.FindStringSubmatch(text)
	if m == nil {
		return number{}, false
	}
	var n number
	for part := range strings.FieldsFuncSeq(m[1], func(r rune) bool { return !('0' <= r && r <= '9') }) {
		figure, err := strconv.Atoi(part)
		if err != nil {
			return number{}, false
		}
		n.figures = append(n.figures, figure)
	}
	n.date = 1900 <= n.figures[0] && n.figures[0] < 2200
	switch {
	case m[4] != "": // "2b"
		n.figures = append(n.figures, int(m[4][0]-'a')+1)
	case len(m[2]) == 1 && m[3] == "": // as above: a beta has a number or its whole name
		n.figures = append(n.figures, int(m[2][0]-'a')+1)
	case m[2] != "":
		early, _ := strconv.Atoi(m[3])
		n.early = []int{earliness[m[2]], early}
	}
	for !n.date && len(n.figures) > 1 && n.figures[len(n.figures)-1] == 0 {
		n.figures = n.figures[:len(n.figures)-1]
	}
	return n, true
}

// dateOf reads a date, a month or a year as a version.
func dateOf(text string) (number, bool) {
	forms := append([]dateForm{{layout: "20060102", days: 1}}, dateForms...)
	for _, form := range forms {
		t, err := time.Parse(form.layout, text)
		if err != nil || t.Year() < 1900 || t.Year() >= 2200 {
			continue
		}
		n := number{figures: []int{t.Year()}, date: true}
		if form.years == 0 {
			n.figures = append(n.figures, int(t.Month()))
		}
		if form.days > 0 {
			n.figures = append(n.figures, t.Day())
		}
		return n, true
	}
	return number{}, false
}

// version is a page's place among the versions of the same page.
type version struct {
	d *document
	number
	year bool // its name has a year, and says nothing else of a version
}

// versions finds pages of one source that are versions of one page: their names are equal but for a version, or
// their titles are and their front matter has versions. Years tell versions of a page from pages of their own, such as
// reports, only if the pages have the same sections.
func versions(all []*document) {
	groups := make(map[string][]version)
	var order []string
	add := func(group string, v version) {
		if _, known := groups[group]; !known {
			order = append(order, group)
		}
		groups[group] = append(groups[group], v)
	}
	for _, d := range all {
		p := d.first
		record := withoutExtension(p.Record)
		folder, base := path.Split(record)
		if m := inName.FindStringSubmatchIndex(base); m != nil {
			if rest := strings.Trim(base[:m[0]]+"-"+base[m[1]:], "-_. ()"); strings.ContainsFunc(rest, isLetter) {
				if v, ok := versionIn(d, base, m); ok {
					add(p.Source+"\x00"+folder+rest, v)
					continue
				}
			}
		}
		if p.About != nil && p.Title != "" {
			if n, ok := numberOf(p.About.Version); ok {
				add(p.Source+"\x00\x00"+plaintext.Fold(p.Title), version{d: d, number: n})
			}
		}
	}
	for _, group := range order {
		same := groups[group]
		slices.SortStableFunc(same, func(a, b version) int { return slices.Compare(a.figures, b.figures) })
		for _, old := range same {
			for _, newer := range same {
				if old.year == newer.year && newer.replaces(old.number) && (!old.year || old.d.sections(newer.d)) {
					old.d.replace(newer.d, Newer)
				}
			}
		}
	}
}

func isLetter(r rune) bool { return r >= 'a' && r <= 'z' || r > 127 }

// versionIn returns the version in the name of a file, from the submatches of inName.
func versionIn(d *document, base string, m []int) (version, bool) {
	for group := 1; 2*group < len(m); group++ {
		if m[2*group] >= 0 {
			n, ok := numberOf(base[m[2*group]:m[2*group+1]])
			return version{d: d, number: n, year: group == 2}, ok
		}
	}
	return version{}, false
}

// sections reports whether two pages have the same sections, two at least.
func (d *document) sections(e *document) bool {
	shared := 0
	for heading := range d.headings {
		if heading != "" && e.headings[heading] {
			shared++
		}
	}
	return shared >= 2 && 4*shared >= 3*max(len(d.headings), len(e.headings))
}
