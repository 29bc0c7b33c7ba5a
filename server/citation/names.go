package citation

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"lacuna/knowledge/plaintext"
)

// Name is that of an author: of a person in parts, or of a group or whatever else is not sure to be a person.
type Name struct{ Family, Given, Literal string }

// String returns the family name first.
func (n Name) String() string {
	if n.Literal != "" {
		return n.Literal
	}
	return n.Family + ", " + n.Given
}

// groups are words that only names of groups have.
var groups = plaintext.Set(`group team organization organisation agency department ministry institute institut university universität society association committee council centre center foundation network consortium collaboration
inc inc. ltd ltd. llc gmbh ag co. corp corp. company authority administration commission service services board college hospital federation office bureau trust union project press editors the gesellschaft verein verband amt bundesamt`)

// particles begin family names of several words.
var particles = plaintext.Set(`von van der den de del della di da dos du la le ten ter zu zur af av al el bin ibn`)

// suffixes follow a whole name after a comma.
var suffixes = plaintext.Set(`jr jr. sr sr. ii iii iv md phd`)

const mostWords = 4 // of a name that is taken to be a person's

// nameOf reads "Family, Given" and "Given Family". What may be the name of a group stays whole, and so do names of other scripts,
// whose order is not known.
func nameOf(text string) Name {
	whole := Name{Literal: text}
	for word := range strings.FieldsSeq(strings.ToLower(text)) {
		if groups[strings.Trim(word, ",;")] {
			return whole
		}
	}
	if strings.Contains(strings.ToLower(text), " and ") || strings.ContainsAny(text, "0123456789&/():;@{}") {
		return whole
	}
	if family, given, ok := strings.Cut(text, ","); ok {
		family, given = strings.TrimSpace(family), strings.TrimSpace(given)
		if family == "" || given == "" || strings.Contains(given, ",") || suffixes[strings.ToLower(given)] || !latin(family+given) {
			return whole
		}
		return Name{Family: family, Given: given}
	}
	words := strings.Fields(text)
	if len(words) < 2 || len(words) > mostWords || !latin(text) {
		return whole
	}
	from := len(words) - 1
	for i, word := range words {
		first := []rune(word)[0]
		switch {
		case particles[word]:
			if i > 0 && i < len(words)-1 {
				from = min(from, i)
			}
		case !unicode.IsUpper(first):
			return whole
		}
	}
	if from == 0 {
		return whole
	}
	return Name{Family: strings.Join(words[from:], " "), Given: strings.Join(words[:from], " ")}
}

func latin(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool {
		return !unicode.Is(unicode.Latin, r) && !unicode.Is(unicode.Mn, r) && !strings.ContainsRune(" -'’.,", r)
	})
}

// Date is when a document was issued, as far as it says so.
type Date struct {
	Year, Month, Day int    // 0 where it does not say
	Words            string // as written, if it has another form; then the year may be known
}

var (
	isoDate  = regexp.MustCompile(`^([12][0-9]{3})(?:-(0[1-9]|1[0-2])(?:-(0[1-9]|[12][0-9]|3[01]))?)?(?:T.*)?$`)
	someYear = regexp.MustCompile(`\b(1[5-9][0-9]{2}|20[0-9]{2})\b`)
)

// dateOf reads a date of the form 2021, 2021-05 or 2021-05-03. Of another form it takes the year, if there is one only.
func dateOf(text string) Date {
	if text == "" {
		return Date{}
	}
	if found := isoDate.FindStringSubmatch(text); found != nil {
		number := func(s string) int {
			n, _ := strconv.Atoi(s) // empty: 0
			return n
		}
		return Date{Year: number(found[1]), Month: number(found[2]), Day: number(found[3])}
	}
	d := Date{Words: text}
	if years := slices.Compact(someYear.FindAllString(text, -1)); len(years) == 1 {
		d.Year, _ = strconv.Atoi(years[0]) // four digits
	}
	return d
}

func (d Date) year() string {
	if d.Year == 0 {
		return ""
	}
	return strconv.Itoa(d.Year)
}

// String returns the date as it was written, or in the form of ISO 8601.
func (d Date) String() string {
	switch {
	case d.Words != "":
		return d.Words
	case d.Day > 0:
		return fmt.Sprintf("%04d-%02d-%02d", d.Year, d.Month, d.Day)
	case d.Month > 0:
		return fmt.Sprintf("%04d-%02d", d.Year, d.Month)
	}
	return d.year()
}
