package redact

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// A model that must tell how long a treatment lasted needs the distance of two dates, not the dates. Shifted dates keep
// their distance and their form; what is no whole date gets a placeholder as ever.

// order is in which order a numeric date has its day and its month.
type order uint8

const (
	dayFirst order = iota
	monthFirst
)

// dateForm is a way to write a whole date. The groups of the pattern hold its parts, in the order of parts: y, m (a
// number), n (a name) and d.
type dateForm struct {
	re    *regexp.Regexp
	parts string
}

var dateForms = []dateForm{
	{re(`^(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?:\b|T)`), "ymd"},
	{re(`^(\d{4})(\d\d)(\d\d)(?:$|\D|\d{4,6}$)`), "ymd"},
	{re(`^(\d{1,2})[-/.] ?(\d{1,2})[-/.] ?(\d{4}|\d\d)\b`), "dmy"}, // or mdy
	{re(`^(\d{1,2})(?:st|nd|rd|th|\.|º|ª)?[ -]?(?:of |de )?(\p{L}{3,})\.?,?[ -]?(?:de |del )?(\d{4}|'?\d\d)\b`), "dny"},
	{re(`^(\p{L}{3,})\.? (\d{1,2})(?:st|nd|rd|th)?,? (\d{4})\b`), "ndy"},
	{re(`^(\d{4}) ?年 ?(\d{1,2}) ?月 ?(\d{1,2}) ?[日号]`), "ymd"},
}

// monthNames are the names of the months in the languages and lengths that a date keeps.
var monthNames = [][12]string{
	{"January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December"},
	{"Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"},
	{"Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sept", "Oct", "Nov", "Dec"},
	{"Januar", "Februar", "März", "April", "Mai", "Juni", "Juli", "August", "September", "Oktober", "November", "Dezember"},
	{"Jänner", "Februar", "März", "April", "Mai", "Juni", "Juli", "August", "September", "Oktober", "November", "Dezember"},
	{"enero", "febrero", "marzo", "abril", "mayo", "junio", "julio", "agosto", "septiembre", "octubre", "noviembre", "diciembre"},
}

// shifted returns a whole date that lies days later, written as the date is, and false if the text is none. Whatever
// stands before it, such as a weekday, and behind it, such as the time of day, stays: shift by whole weeks.
func shifted(text string, days int, numeric order) (string, bool) {
	lead := len(text) - len(leadingWords.ReplaceAllString(text, ""))
	rest := text[lead:]
	for _, form := range dateForms {
		at := form.re.FindStringSubmatchIndex(rest)
		if at == nil {
			continue
		}
		parts := form.parts
		if parts == "dmy" && numeric == monthFirst {
			parts = "mdy"
		}
		var year, month, day int
		names, pad := -1, true // numbers below ten have a zero before them
		for i, part := range parts {
			value := rest[at[2*i+2]:at[2*i+3]]
			switch part {
			case 'y':
				year, _ = strconv.Atoi(strings.TrimPrefix(value, "'"))
				if year < 100 { // as people write years of this and of the last century
					year += 2000
					if year > time.Now().Year()+10 {
						year -= 100
					}
				}
			case 'm':
				month, _ = strconv.Atoi(value)
				pad = pad && len(value) == 2
			case 'n':
				names, month = monthOf(value, germanDay.MatchString(rest))
			case 'd':
				day, _ = strconv.Atoi(value)
				pad = pad && len(value) == 2 && (value[0] == '0' || !strings.Contains(parts, "n"))
			}
		}
		date := time.Date(year, time.Month(month), day, 12, 0, 0, 0, time.UTC)
		if month < 1 || month > 12 || date.Day() != day || year < 1800 || year > 2200 {
			continue
		}
		date = date.AddDate(0, 0, days)
		var b strings.Builder
		b.WriteString(text[:lead])
		last := 0
		for i, part := range parts {
			from, to := at[2*i+2], at[2*i+3]
			value := rest[from:to]
			b.WriteString(rest[last:from])
			switch part {
			case 'y':
				if digits := strings.TrimPrefix(value, "'"); len(digits) == 2 {
					b.WriteString(value[:len(value)-2] + fmt.Sprintf("%02d", date.Year()%100))
				} else {
					b.WriteString(strconv.Itoa(date.Year()))
				}
			case 'm':
				b.WriteString(padded(int(date.Month()), pad))
			case 'd':
				b.WriteString(padded(date.Day(), pad))
			case 'n':
				b.WriteString(cased(monthNames[names][date.Month()-1], value))
			}
			last = to
		}
		return b.String() + rest[last:], true
	}
	return "", false
}

// leadingWords matches what stands before a date and is a part of what was found.
var leadingWords = regexp.MustCompile(`^(?:(?i:` + weekday + `|the|den|dem|el|am|on)\b[.,]? *)+`)

// germanDay matches a day as German writes it, whose months are called as in English here and there.
var germanDay = regexp.MustCompile(`^\d{1,2}\. `)

// monthOf returns the list and the number of a month's name, or 0.
func monthOf(name string, german bool) (list, month int) {
	for i := range monthNames {
		list := i
		if german { // its lists begin with the fourth
			list = (i + 3) % len(monthNames)
		}
		for i, n := range monthNames[list] {
			if strings.EqualFold(n, name) {
				return list, i + 1
			}
		}
	}
	return -1, 0
}

func padded(n int, pad bool) string {
	if pad {
		return fmt.Sprintf("%02d", n)
	}
	return strconv.Itoa(n)
}

// cased writes a name in capitals or small letters if the other one is.
func cased(name, like string) string {
	switch {
	case isCaps(like):
		return strings.ToUpper(name)
	case like == strings.ToLower(like):
		return strings.ToLower(name)
	}
	return strings.ToUpper(name[:1]) + name[1:]
}

var numericDate = regexp.MustCompile(`\b(\d{1,2})[-/.](\d{1,2})[-/.](?:\d{4}|\d\d)\b`)

// numericDates returns the first two numbers of each whole numeric date of a text.
func numericDates(text string) [][2]int {
	var all [][2]int
	for _, at := range numericDate.FindAllStringSubmatchIndex(text, -1) {
		if at[0] > 1 && strings.IndexByte("/.-", text[at[0]-1]) >= 0 && isDigit(text[at[0]-2]) || text[at[3]] != text[at[5]] {
			continue // from the middle of 2/19-2/21
		}
		all = append(all, [2]int{number(text[at[2]:at[3]]), number(text[at[4]:at[5]])})
	}
	return all
}

// orderOf returns in which order texts write numeric dates: the month comes first if a date has no such day.
func orderOf(texts []string) order {
	for _, text := range texts {
		for _, n := range numericDates(text) {
			switch {
			case n[0] > 12:
				return dayFirst
			case n[1] > 12:
				return monthFirst
			}
		}
	}
	return dayFirst
}
