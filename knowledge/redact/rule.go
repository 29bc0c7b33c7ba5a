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

// Class is a kind of identifier. Its value is what stands in the placeholder.
type Class string

const (
	Name    Class = "NAME"
	Place   Class = "PLACE" // smaller than a state: streets, postal codes, facilities
	Date    Class = "DATE"  // more exact than a year
	Age     Class = "AGE"   // above 89
	Phone   Class = "PHONE" // and fax
	Email   Class = "EMAIL"
	SSN     Class = "SSN"     // social security and national identity numbers
	Record  Class = "RECORD"  // medical record numbers
	Account Class = "ACCOUNT" // health plans, bank accounts, cards
	Licence Class = "LICENCE" // certificates and prescriber numbers
	Vehicle Class = "VEHICLE"
	Device  Class = "DEVICE"
	URL     Class = "URL"
	IP      Class = "IP"
	Listed  Class = "LISTED" // of the user's own list
)

// Span is a part of a text that was replaced.
type Span struct {
	Class      Class
	Start, End int // bytes of the text
}

// hit is one identifier found.
type hit struct {
	class      Class
	start, end int    // bytes of the text
	rule       string // explains the decision
}

// A rule finds identifiers by their form. If the pattern has groups, the identifier is the first group
// that matched; the rest announces it.
type rule struct {
	class Class
	name  string
	re    *regexp.Regexp
	valid func(identifier string) bool // nil: the form is enough
}

func re(pattern string) *regexp.Regexp { return regexp.MustCompile(pattern) }

// apply returns the hits of rules in a text, in the order of the rules.
func apply(rules []rule, text string) []hit {
	han, digits := plaintext.HasHan(text), strings.ContainsAny(text, "0123456789")
	found := par.Gather(len(rules), func(i int) ([]hit, bool) {
		r := rules[i]
		if !han && strings.HasPrefix(r.name, "Chinese") || !digits && r.class != Email && r.class != URL && r.class != Place && r.class != Date && r.class != Name && r.class != Phone && r.class != Age {
			return nil, false // it cannot match
		}
		hits := r.hits(text)
		return hits, hits != nil
	})
	return slices.Concat(found...)
}

// hits returns what a rule finds in a text.
func (r rule) hits(text string) []hit {
	var hits []hit
	for _, at := range r.re.FindAllStringSubmatchIndex(text, -1) {
		start, end := identifier(at)
		for start < end && strings.ContainsRune(" \t\n,;-", rune(text[end-1])) {
			end--
		}
		for start < end && strings.ContainsRune(" \t\n", rune(text[start])) {
			start++
		}
		if r.class == Record && start > 1 && strings.IndexByte(".,/-", text[start-1]) >= 0 && isDigit(text[start-2]) && isDigit(text[start]) {
			continue // the end of a longer number
		}
		if r.class == Date && (start > 1 && (text[start-1] == '-' || text[start-1] == '/') && isDigit(text[start-2]) && r.name == "numbers" || text[end-1] == '.' && isDigitAt(text, end) || (r.name == "month by name, day" || r.name == "numbers" && isDigit(text[end-1])) && end+1 < len(text) && text[end] == '.' && isDigit(text[end+1])) {
			continue // the end of a list of numbers, or a decimal number
		}
		if r.class == Date && end+1 < len(text) && text[end] == '/' && isDigit(text[end+1]) {
			if r.name != "month by name, day" || !doseAsYear.MatchString(text[start:end]) {
				continue // a list of hours or values
			}
			end -= len(" 40") // Feb 11 40/4
		}
		if r.class == Date && r.name == "numbers" && start > 1 && text[start-1] == '.' && isDigit(text[start-2]) && strings.Contains(text[start:end], "-") {
			continue // 21.5-22-22
		}
		if r.class == Date && (isQuantity(Date, text[start:end], text[end:]) || text[end:] != "" && text[end] == '.' && isDigitAt(text, end+1)) && numberAsYear.MatchString(text[start:end]) {
			end -= len(" 05") // 9 Oct 05 h
		}
		if r.class == Date && start < end && isLevel(text, start) {
			continue
		}
		if r.class == Phone && text[start] == '+' && start > 0 && isDigit(text[start-1]) {
			continue // weeks and days: 22+6
		}
		if start == end || r.valid != nil && !r.valid(text[start:end]) || r.class != Date && r.class != Age && (isValues(text[start:end]) || isValues(rowAround(text, start, end))) {
			continue
		}
		if r.class != Date {
			end = beforeQuantity(text, start, end)
		}
		if end > start && !isQuantity(r.class, text[start:end], text[end:]) {
			name := r.name
			if name == "label" && r.class == Record && len(digitsOf(text[start:end])) <= 3 && !strings.ContainsFunc(text[start:end], unicode.IsUpper) {
				name = "label, short" // SSN 100, serial 7s 4/5
			}
			hits = append(hits, hit{r.class, start, end, name})
		}
	}
	return hits
}

// maxCode is how much of a text is looked at before and behind a part of a code, in bytes.
const maxCode = 64

// rowAround returns the numbers with hyphens between them that a part of a text is of.
func rowAround(text string, start, end int) string {
	for start > 0 && end-start < maxCode && (isDigit(text[start-1]) || text[start-1] == '-') {
		start--
	}
	for end < len(text) && end-start < maxCode && (isDigit(text[end]) || text[end] == '-') {
		end++
	}
	return strings.Trim(text[start:end], "-")
}

// numberAsYear matches a day and a month with a number behind that could be a year.
var numberAsYear = regexp.MustCompile(`\d.*\pL.* \d\d$|\pL.*\d.* \d\d$`)

// doseAsYear matches a date that ends with two numbers, of which a list may begin with the last.
var doseAsYear = regexp.MustCompile(`\pL \d{1,2} \d\d$`)

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func isDigitAt(text string, at int) bool { return at >= 0 && at < len(text) && isDigit(text[at]) }

func isLatin(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

func wordRune(r rune) bool { return unicode.IsLetter(r) || unicode.Is(unicode.M, r) }

func isAlphanumeric(r rune) bool { return r > ' ' && (wordRune(r) || '0' <= r && r <= '9') }

// identifier returns the first group that matched, or the whole match.
func identifier(at []int) (start, end int) {
	for i := 2; i+1 < len(at); i += 2 {
		if at[i] >= 0 {
			return at[i], at[i+1]
		}
	}
	return at[0], at[1]
}

// digitsOf returns the digits of an identifier.
func digitsOf(s string) string {
	return strings.Map(func(r rune) rune {
		if '0' <= r && r <= '9' {
			return r
		}
		return -1
	}, s)
}

func hasDigits(least int) func(string) bool {
	return func(s string) bool { return len(digitsOf(s)) >= least }
}

// certainRules are those whose form is enough, whatever stands around it; and of all rules for e-mail, IP addresses,
// social security numbers and accounts.
var certainRules = func() map[string]bool {
	names := make(map[string]bool)
	for name := range strings.SplitSeq("phone, North America|phone, Spain|phone, China|phone, area in brackets|phone, international|phone, labelled|phone, example|fax, labelled|number in single digits|number in words|number in words, labelled|number with words for marks|label|masked|longer number|number and a letter|phone, masked|reference of a letter|number of a row|plate in dots|registration|code of words|lot|number of a laboratory, UK|plate behind its vehicle|file of a court, German|plate behind a car|file name|file name in quotation marks|phone with an extension|phone with letters|phone behind words|phone, spaced slashes|phone with double|last digits of a person|name of an account|birth in groups|spoken|spoken day|number in dots|number in Chinese|handle|"+
		"ISO|numbers, spaced|day of this month|Minguo|date of a column|day and month, cued|day and month, stopped|day and month behind on|days without a year|two days|day and month of the text|month and year, month first|day of a month|year first|weekday and bare day|weekday and day|numbers in boxes|month, badly read|month by name, day|weekday of a month|season and year|month, cued|part of a month|days of a month|Chinese weekday and numbers|holiday|Chinese day|Roman month|Roman month, joined|day, foreign month|numbers, badly read|part of a file name|day before a feast|week of a year|day, month by name|month by name, day|numbers and weekday|two dates|month by name, year|Roman month and year|in words|range|serial number|licence, Chinese|extension, Chinese|phone, local|host|www|months in a row|Chinese day in words|Chinese numbers and weekday|Chinese year first|Roman month, stopped|weekday, month and day|numbers and time|month and year|month|numbers|compact|Chinese|key issued|key effectiveDateTime|key lastUpdated|key birthDate|numbers, with a space or unknown|"+
		"record number|MRN|participant|Chinese record number|reference|UUID|DEA number|VIN|plate, China|coordinates|MAC|UDI", "|") {
		names[name] = true
	}
	return names
}()

func (h hit) certain() bool {
	if h.rule == "HL7" {
		return true
	}
	switch h.class {
	case Email, IP, SSN, Account, Listed:
		return true
	case Age:
		return h.rule != "age, in words" && h.rule != "age, behind a name" && h.rule != "age behind a title" && h.rule != "age at death"
	case Name, Place:
		return h.rule == "initials of a typist" || h.rule == "name of a user" || h.rule == "name in a chat" || h.rule == "coordinates" || h.rule == "Chinese, labelled" || h.rule == "Chinese, with a title"
	}
	if key, ok := strings.CutPrefix(h.rule, "key "); ok {
		kind, ok := kindOf(key)
		return ok && (kind == 'i' || kind == 't')
	}
	return certainRules[h.rule]
}

// trustedPlaces are the rules whose places are some in more than nine of ten cases.
var trustedPlaces = plaintext.SetOf(strings.Split("institution at, German|listed organisation of words|place by its kind|place by its kind, German|place by its kind, Spanish|facility|facility, by its trade|facility, by its subject|facility, Spanish|facility, German|facility, German, short|facility, German, behind its name|street, without a number|street, German|street, Spanish|flat|Chinese facility|Chinese place|Chinese address|town behind a preposition", "|"))

// exactAgain returns where a place, a date or a number stands as words of its own.
func exactAgain(text, part string, class Class) []hit {
	var hits []hit
	for from := 0; ; {
		at := strings.Index(text[from:], part)
		if at < 0 {
			return hits
		}
		start := from + at
		from = start + len(part)
		before, _ := utf8.DecodeLastRuneInString(text[:start])
		behind, _ := utf8.DecodeRuneInString(text[from:])
		apart := (start == 0 || !isAlphanumeric(before)) && (from == len(text) || !isAlphanumeric(behind))
		if apart || plaintext.HasHan(part) || class == Place && !wordRune(before) && !wordRune(behind) {
			hits = append(hits, hit{class, start, from, "seen elsewhere"})
		}
	}
}

// numbers returns the numbers of a text, in order.
func numbers(s string) []int {
	var all []int
	for _, part := range strings.FieldsFunc(s, func(r rune) bool { return r < '0' || r > '9' }) {
		n, _ := strconv.Atoi(part)
		all = append(all, n)
	}
	return all
}

func number(s string) int {
	n, _ := strconv.Atoi(s)
	return n
}

// mergeHits sorts hits and merges those that overlap: the one that begins first stays, extended to the end
// of the other.
func mergeHits(hits []hit) []hit {
	slices.SortStableFunc(hits, func(a, b hit) int {
		return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(b.end, a.end))
	})
	kept := hits[:0]
	for _, h := range hits {
		switch last := len(kept) - 1; {
		case last < 0 || h.start >= kept[last].end:
			kept = append(kept, h)
		case h.end > kept[last].end: // what sticks out identifies as well
			kept[last].end = h.end
		}
	}
	return kept
}
