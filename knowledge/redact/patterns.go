package redact

import (
	"regexp"
	"strconv"
	"strings"
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

const (
	month   = `(?i:jan(?:uary|\.)?|feb(?:ruary|\.)?|mar(?:ch|\.)?|apr(?:il|\.)?|may|june?\.?|july?\.?|aug(?:ust|\.)?|sept?(?:ember|\.)?|oct(?:ober|\.)?|nov(?:ember|\.)?|dec(?:ember|\.)?)`
	day     = `(?:[12]\d|3[01]|0?[1-9])`
	ordinal = `(?:st|nd|rd|th)?`
	// after a label: a colon, a number sign, "is" and the like
	sep = `(?:\s*(?:[:：#=]|(?i:no\.?|number|nr\.?|id|is|was))){0,3}\s*`
	// an identifier of letters and digits
	code = `([A-Z0-9](?:[A-Z0-9./-]{2,24}[A-Z0-9]))`
)

// rules lists the rules in the order in which they are applied; each sees the whole text.
var rules = []rule{
	{Email, "e-mail", re(`[\p{L}\p{N}._%+-]+@[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)+`), nil},
	{URL, "address", re(`(?i)\b(?:https?|ftps?|file)://[^\s<>"'()\[\]]+`), nil},
	{URL, "www", re(`(?i)\bwww\.[^\s<>"'()\[\]]+`), nil},
	{IP, "IPv4", re(`\b\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}\b`), isIPv4},
	{IP, "IPv6", re(`(?i)\b(?:[0-9a-f]{1,4}:){3,7}(?::?[0-9a-f]{1,4}){1,4}\b`), nil},
	{Device, "MAC", re(`(?i)\b(?:[0-9a-f]{2}[:-]){5}[0-9a-f]{2}\b`), nil},

	{SSN, "SSN", re(`\b\d{3}-\d{2}-\d{4}\b`), isSSN},
	{SSN, "SSN, labelled", re(`(?i)\b(?:ssn|social security)` + sep + `(\d{3}[ -]?\d{2}[ -]?\d{4})\b`), nil},
	{SSN, "identity card", re(`\b\d{17}[\dXx]\b`), isIdentityCard},
	{SSN, "NHS number", re(`\b\d{3}[ -]?\d{3}[ -]?\d{4}\b`), isNHS},

	{Phone, "phone, labelled", re(`(?i)\b(?:tel|telephone|phone|ph|mobile|cell|pager|fax|call(?:ed)?(?: (?:him|her|them|us|me))?(?: (?:on|at|back on))?|whatsapp)\.?` + sep + `(\+?[\d(][\d() .\-/]{5,18}\d)`), hasDigits(6)},
	{Phone, "phone, labelled", re(`(?:电话|手机|联系方式|传真)\s*[:：]?\s*(\+?[\d(][\d() .\-]{5,18}\d)`), hasDigits(6)},
	{Phone, "phone, international", re(`\+\d{1,3}[ .\-]?(?:\(0\)[ .\-]?)?\d[\d .\-]{5,14}\d\b`), hasDigits(8)},
	{Phone, "phone, North America", re(`(?:\(\d{3}\)\s?|\b\d{3}[ .\-])\d{3}[ .\-]\d{4}\b`), nil},
	{Phone, "phone, area in brackets", re(`\(0\d{1,4}\)\s?\d{2,4}[ \-]?\d{3,5}\b`), nil},
	{Phone, "phone, United Kingdom", re(`\b0\d{2,4}[ -]\d{3,4}[ -]\d{3,4}\b`), nil},
	{Phone, "mobile, China", re(`\b1[3-9]\d{9}\b`), nil},

	{Date, "year first", re(`\b(?:19|20)\d{2}[-/.](?:1[0-2]|0?[1-9])[-/.]` + day + `\b`), nil},
	{Date, "numbers", re(`\b(?:` + day + `[-/.](?:1[0-2]|0?[1-9])|(?:1[0-2]|0?[1-9])[-/.]` + day + `)[-/.](?:19|20)?\d{2}\b`), isDate},
	{Date, "day and month", re(`\b` + day + ordinal + `(?:\s+of)?[ -]` + month + `(?:,?[ -](?:19|20)\d{2})?\b`), nil},
	{Date, "month and day", re(`\b` + month + `\s+` + day + ordinal + `(?:,?\s+(?:19|20)\d{2})?\b`), nil},
	{Date, "month and year", re(`\b` + month + `[ ,]+(?:19|20)\d{2}\b`), nil},
	{Date, "Chinese date", re(`(?:(?:19|20)\d{2}\s*年\s*)?\d{1,2}\s*月(?:\s*\d{1,2}\s*[日号])?`), isChineseDate},
	{Age, "age", re(`(?i)\b(?:aged?\s*(?:of|is|:)?\s*)(9\d|1[0-2]\d)\b`), nil},
	{Age, "years old", re(`(?i)\b(9\d|1[0-2]\d)(?:[ -]*(?:years?|yrs?|y)[ -]*(?:old|of age)|\s*-?\s*y/?o\b)`), nil},
	{Age, "Chinese age", re(`(9\d|1[0-2]\d)\s*(?:周?岁)`), nil},

	{Record, "record number", re(`(?i)\b(?:mrn|medical record|hosp(?:ital)?|patient|chart|case|unit|accession|specimen|encounter|visit|admission)\s*(?:#|id\b|no\b\.?|number|nr\b\.?|mrn)` + sep + code), hasDigits(3)},
	{Record, "MRN", re(`(?i)\bmrn` + sep + code), hasDigits(3)},
	{Record, "Chinese record number", re(`(?:病历号|住院号|门诊号|就诊号|登记号|病案号)\s*[:：]?\s*([A-Za-z0-9-]{4,24})`), nil},
	{Account, "account", re(`(?i)\b(?:account|acct|policy|member(?:ship)?|subscriber|beneficiary|insurance|group|plan|claim|medicare|medicaid)\s*(?:#|id\b|no\b\.?|number|nr\b\.?)` + sep + code), hasDigits(3)},
	{Account, "card", re(`\b(?:\d[ -]?){12,18}\d\b`), isCard},
	{Account, "IBAN", re(`\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?\b`), isIBAN},
	{Licence, "licence", re(`(?i)\b(?:licen[cs]e|certificate|registration|gmc|npi|dea|passport)` + sep + code), hasDigits(3)},
	{Licence, "DEA number", re(`\b[A-Z]{2}\d{7}\b`), isDEA},
	{Vehicle, "VIN", re(`\b[A-HJ-NPR-Z0-9]{17}\b`), isVIN},
	{Vehicle, "plate", re(`(?i)\b(?:licen[cs]e plate|number plate|plate|registration plate)` + sep + `([A-Z0-9][A-Z0-9 -]{2,8}[A-Z0-9])\b`), hasDigits(1)},
	{Device, "serial number", re(`(?i)\b(?:serial|s/n|sn|udi|device|lot|implant)\s*(?:#|id\b|no\b\.?|number|nr\b\.?|s/n)` + sep + code), hasDigits(2)},
	{Device, "UDI", re(`\(01\)\d{14}(?:\(\d{2}\)[A-Za-z0-9]+)*`), nil},

	{Place, "street", re(`\b\d{1,5}[A-Za-z]?,?\s+(?:[A-Z][\p{L}.'-]+\s+){1,4}(?:Street|St|Avenue|Ave|Road|Rd|Lane|Ln|Drive|Dr|Boulevard|Blvd|Court|Ct|Way|Place|Pl|Square|Sq|Terrace|Close|Crescent|Row|Gardens)\b\.?`), nil},
	{Place, "flat", re(`(?i)\b(?:apt|apartment|flat|suite|unit)\.?\s*#?\s*\d+[a-z]?\b`), nil},
	{Place, "state and ZIP", re(`\b[A-Z]{2},?\s+(\d{5}(?:-\d{4})?)\b`), nil},
	{Place, "ZIP, labelled", re(`(?i)\b(?:zip|postal)(?:\s*code)?` + sep + `(\d{5}(?:-\d{4})?)\b`), nil},
	{Place, "postcode", re(`\b[A-Z]{1,2}\d[A-Z\d]? \d[A-Z]{2}\b`), nil},
	{Place, "facility", re(`\b(?:(?:St\.?|[A-Z][\p{L}'’-]+)\s+){1,4}(?:(?:General|University|Community|Memorial|Regional|Children['’]s)\s+)*(?:Hospital|Infirmary|Hospice|Medical Cent(?:er|re)|Health Cent(?:er|re)|Nursing Home|Care Home|Clinic|Surgery|Practice)\b`), isFacility},
	{Place, "Chinese address", re(`\p{Han}{2,8}(?:路|街|大道|巷|弄)\s*\d{1,5}\s*号(?:\s*\d{1,4}\s*[室栋楼幢])*`), nil},
	{Place, "Chinese facility", re(`\p{Han}{2,10}(?:人民医院|中心医院|附属医院|中医院|卫生院)`), nil},
}

func re(pattern string) *regexp.Regexp { return regexp.MustCompile(pattern) }

// patterns returns the hits of all rules.
func patterns(text string) []hit {
	var hits []hit
	for _, r := range rules {
		for _, at := range r.re.FindAllStringSubmatchIndex(text, -1) {
			start, end := identifier(at)
			if r.valid == nil || r.valid(text[start:end]) {
				hits = append(hits, hit{r.class, start, end, r.name})
			}
		}
	}
	return hits
}

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

func isIPv4(s string) bool {
	for part := range strings.SplitSeq(s, ".") {
		if n, err := strconv.Atoi(part); err != nil || n > 255 {
			return false
		}
	}
	return true
}

// isDate refuses impossible dates, such as 31/31/20.
func isDate(s string) bool {
	parts := strings.FieldsFunc(s, func(r rune) bool { return r == '-' || r == '/' || r == '.' })
	if len(parts) != 3 {
		return false
	}
	a, _ := strconv.Atoi(parts[0])
	b, _ := strconv.Atoi(parts[1])
	return a >= 1 && b >= 1 && min(a, b) <= 12 && max(a, b) <= 31
}

// isChineseDate refuses durations: "3 月" alone is March or three months.
func isChineseDate(s string) bool { return strings.ContainsAny(s, "年日号") }

// isFacility refuses general words for a facility.
func isFacility(s string) bool {
	first, _, _ := strings.Cut(s, " ")
	switch strings.ToLower(first) {
	case "the", "a", "an", "this", "your", "our", "in", "at", "best", "clinical", "general", "private", "good":
		return strings.Count(s, " ") > 1
	}
	return true
}

// isSSN refuses numbers that the Social Security Administration never assigns.
func isSSN(s string) bool {
	area, group, serial := s[:3], s[4:6], s[7:]
	return area != "000" && area != "666" && area[0] != '9' && group != "00" && serial != "0000"
}

// isCard is the Luhn test of payment cards.
func isCard(s string) bool {
	d := digitsOf(s)
	return len(d) >= 13 && len(d) <= 19 && strings.Trim(d, "0") != "" && luhn(d)
}

func luhn(digits string) bool {
	sum := 0
	for i := range len(digits) {
		n := int(digits[len(digits)-1-i] - '0')
		if i%2 == 1 {
			n *= 2
		}
		sum += n/10 + n%10
	}
	return sum%10 == 0
}

// isIBAN is the test of ISO 13616: the number modulo 97 is 1.
func isIBAN(s string) bool {
	s = strings.ReplaceAll(s, " ", "")
	if len(s) < 15 || len(s) > 34 {
		return false
	}
	rest := 0
	for _, r := range s[4:] + s[:4] {
		n, err := strconv.ParseInt(string(r), 36, 0)
		if err != nil {
			return false
		}
		if n > 9 {
			rest *= 10
		}
		rest = (rest*10 + int(n)) % 97
	}
	return rest == 1
}

// isNHS is the modulus 11 test of the numbers of the NHS in England and Wales.
func isNHS(s string) bool {
	d := digitsOf(s)
	if len(d) != 10 {
		return false
	}
	sum := 0
	for i := range 9 {
		sum += int(d[i]-'0') * (10 - i)
	}
	check := 11 - sum%11
	if check == 11 {
		check = 0
	}
	return check == int(d[9]-'0')
}

// isDEA is the check digit of the prescriber numbers of the Drug Enforcement Administration.
func isDEA(s string) bool {
	d := digitsOf(s)
	n := func(i int) int { return int(d[i] - '0') }
	return (n(0)+n(2)+n(4)+2*(n(1)+n(3)+n(5)))%10 == n(6)
}

// isVIN is the check digit of ISO 3779 as North America uses it.
func isVIN(s string) bool {
	const letters, values = "ABCDEFGHJKLMNPRSTUVWXYZ", "12345678123457923456789"
	weights := [17]int{8, 7, 6, 5, 4, 3, 2, 10, 0, 9, 8, 7, 6, 5, 4, 3, 2}
	sum := 0
	for i := range 17 {
		value := int(s[i] - '0')
		if at := strings.IndexByte(letters, s[i]); at >= 0 {
			value = int(values[at] - '0')
		}
		sum += value * weights[i]
	}
	return s[8] == "0123456789X"[sum%11]
}

// isIdentityCard is the check digit of the identity numbers of the People's Republic of China
// (GB 11643).
func isIdentityCard(s string) bool {
	weights := [17]int{7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2}
	sum := 0
	for i, w := range weights {
		sum += int(s[i]-'0') * w
	}
	return strings.ToUpper(s[17:]) == "10X98765432"[sum%11:sum%11+1]
}
