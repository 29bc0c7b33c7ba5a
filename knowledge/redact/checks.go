package redact

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"lacuna/knowledge/plaintext"
)

// isMail refuses a value behind a sign for "at", such as 0.7V@0.4ms: an address ends with letters.
// An address with blanks needs a domain that there is.
func isMail(s string) bool {
	return len(s) > 0 && !isDigit(s[len(s)-1]) && !isDigitAt(s, strings.LastIndexByte(s, '.')+1) && (!strings.ContainsAny(s, " ") || strings.ContainsAny(s, "([") || !isDigit(s[0]) && knownDomain.MatchString(s))
}

// domains that are seen in addresses.
const domains = `(?:com|org|net|edu|gov|mil|int|info|biz|health|example|test|local|lan|internal|io|app|dev|ai|de|at|ch|uk|ie|eu|fr|es|it|nl|be|pl|se|no|dk|fi|us|ca|au|nz|cn|jp|in|mx|br|ar|cl|co)`

var knownDomain = regexp.MustCompile(`(?i)\.` + domains + `$`)

func isIPv4(s string) bool {
	for part := range strings.SplitSeq(s, ".") {
		if n, err := strconv.Atoi(part); err != nil || n > 255 {
			return false
		}
	}
	return true
}

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

// isDEA refuses the numbers of substances, such as LY2951742.
func isDEA(s string) bool { return !compounds[s[:2]] }

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

// fileEndings are endings of files that are also domains or look like them.
var fileEndings = plaintext.Set(`md sh py go js ts rs pl ai so in no it is at be de co`)

// isHost refuses what is no address: abbreviations and names of files.
func isHost(s string) bool {
	host, path, _ := strings.Cut(s, "/")
	last := host[strings.LastIndexByte(host, '.')+1:]
	return !terminologies.MatchString("http://"+s) && (path != "" || !fileEndings[last] || strings.Count(host, ".") > 1 || last == "de" || last == "at" || last == "co")
}

// isNamedHost refuses the short name of a ward or a room for that of a machine.
func isNamedHost(s string) bool { return len(s) >= 6 }

// terminologies matches the addresses by which systems of codes are known.
var terminologies = re(`(?i)^https?://(?:[a-z0-9-]+\.)*(?:hl7\.org(?:\.[a-z]{2})?|loinc\.org|snomed\.info|unitsofmeasure\.org|nlm\.nih\.gov|fhir\.nhs\.uk|fhir\.org|ihe\.net|dicom\.nema\.org|who\.int|w3\.org|bfarm\.de|dimdi\.de|kbv\.de|gematik\.de)(?:[/:?#]|$)`)

// isOwnAddress refuses the addresses by which systems of codes are known: they name no person.
func isOwnAddress(s string) bool { return !terminologies.MatchString(s) }

// isPlate refuses words: a plate has digits and letters, or is written in capitals.
func isPlate(s string) bool { return len(digitsOf(s)) >= 1 && strings.ToLower(s) != s }

// isAddressOfACard refuses seven values in a row: the address of a network card mostly has a letter.
func isAddressOfACard(s string) bool {
	return strings.Contains(s, ":") || strings.ContainsFunc(s, unicode.IsLetter)
}

// isPlateShape refuses codes of drugs, tests and classifications.
func isPlateShape(s string) bool {
	head, rest, _ := strings.Cut(s, "-")
	switch head {
	case "CT", "MR", "HLA", "IL", "TNF", "CD", "SARS", "COVID", "PET", "IFN", "NT", "GLP", "SGLT", "DPP", "HER", "CA", "AB", "BRCA", "UK", "USA", "EU", "HIV", "HTLV", "PCV", "GP", "ICD", "WHO", "T", "X", "C", "B", "L", "S", "P", "Q", "D", "E", "F", "G", "H", "I", "J", "N", "O", "R", "V", "W", "Y", "Z", "COX", "CYP", "PD", "LDL", "HDL", "AT", "FEV", "SF", "BDI", "PHQ", "GAD", "AUDIT", "CPT", "DSM", "NCI", "ECOG", "NYHA", "EQ", "VEGF", "TGF", "ANP", "BNP", "PTH", "TSH":
		return false
	}
	return len(digitsOf(rest)) >= 2
}

// isTown refuses a number before a word that is none of a town.
func isTown(s string) bool {
	_, town, _ := strings.Cut(s, " ")
	first := strings.Fields(town)[0]
	return !isWord(first) || len(strings.Fields(town)) > 1 || isSurname(first)
}

// isSmallTown is stricter, because years have four digits too.
func isSmallTown(s string) bool {
	code, town, _ := strings.Cut(s, " ")
	return !isWord(strings.Fields(town)[0]) && !strings.HasPrefix(code, "19") && !strings.HasPrefix(code, "20")
}

// isGermanFacility refuses a facility without a name of its own, such as Klinik für Innere Medizin.
func isGermanFacility(s string) bool {
	fields := strings.Fields(s)
	return slices.ContainsFunc(fields[1:], func(w string) bool {
		return w == "St." || w == "Sankt" || !isWord(strings.Trim(w, ".,-")) || isSurname(w)
	})
}

// isInstitutionAt reports whether an institution begins a text that ends with a place and no time.
func isInstitutionAt(s string) bool {
	fields := strings.Fields(s)
	last := strings.ToLower(fields[len(fields)-1])
	return isInstitution(strings.ToLower(fields[0])) && !known().clinical[last] && !isTime.MatchString(last)
}

// isNamedInstitution reports whether an institution begins a text that ends with what is no word of medicine and no everyday one.
func isNamedInstitution(s string) bool {
	fields := strings.Fields(s)
	last := strings.ToLower(fields[len(fields)-1])
	return isInstitution(strings.ToLower(fields[0])) && !isInstitution(last) && !known().clinical[last] && !isTime.MatchString(last) && !everydayGerman(last) && !english.general(last)
}

// isTime matches what German writes behind a preposition and is a time.
var isTime = regexp.MustCompile(`^(?i:` + month + `|` + weekdayLong + `|` + season + `|morgen|vormittag|mittag|nachmittag|abend|wochenende|(?:mon|diens|donners|frei|sams|sonn)tag\pL*|mittwoch\pL*|\pL*tag|\pL*nacht|jahr|monat|woche|anschluss|verlauf|rahmen|haus|hause|alter|august|befund|vergleich|ekg|mrt|ct|labor|urin|blut|serum|liquor|op|aufnahme|entlassung|kontrolle|abklärung|weiterbehandlung|überwachung|therapie|rehabilitation|reha|verlegung|vorstellung|nachsorge|anhang)$`)

// isSpanishFacility refuses a facility without a name of its own.
func isSpanishFacility(s string) bool {
	fields := strings.Fields(s)
	return slices.ContainsFunc(fields[1:], func(w string) bool {
		return !isWord(w) || isSurname(w) || isGiven(w) || w == "San" || w == "Santa" || w == "Virgen"
	})
}

// isAddress refuses a label that is followed by no place.
func isAddress(s string) bool {
	first := []rune(strings.TrimSpace(s))
	return len(first) > 0 && (unicode.IsDigit(first[0]) || unicode.IsUpper(first[0]) || unicode.Is(unicode.Han, first[0])) && strings.ContainsFunc(s, unicode.IsLetter) && len(strings.Fields(s)) < 14
}

// isPersonalFile reports whether a name of a file has a number, a date or a word that is no vocabulary.
func isPersonalFile(s string) bool {
	stem := s[:strings.LastIndexByte(s, '.')]
	if len(digitsOf(stem)) >= 4 {
		return true
	}
	for _, part := range strings.FieldsFunc(stem, func(r rune) bool { return !unicode.IsLetter(r) && r != '\'' }) {
		if len(part) > 2 && (!isWord(part) || unicode.IsUpper([]rune(part)[0]) && (isGiven(part) || isSurname(part))) {
			return true
		}
	}
	return false
}

// isGrouped accepts groups of digits that are no list of values: at least seven digits, or letters before them.
func isGrouped(s string) bool {
	return len(digitsOf(s)) >= 7 && !isYears(s) && !strings.Contains(s, "  ") && !values.MatchString(s)
}

// isLettered accepts a number behind letters that are no word, label or unit.
func isLettered(s string) bool {
	prefix := strings.TrimRight(s, "0123456789 -ABCDEFGHIJKLMNOPQRSTUVWXYZ")
	prefix, _, _ = strings.Cut(strings.ReplaceAll(s[len(prefix):], "-", " "), " ")
	prefix = strings.TrimRight(prefix, "0123456789")
	lower := strings.ToLower(prefix)
	_, labelled := kindOf(prefix)
	return len(digitsOf(s)) >= 5 && !labelled && !clinicalCodes[prefix] && !known().clinical[lower] && !(len(prefix) > 2 && isWord(lower)) && !credentials[lower] && !titles[lower]
}

// isYears reports whether all groups are years, as in 2010-2012.
func isYears(s string) bool {
	for _, n := range numbers(s) {
		if n < 1800 || n >= 2100 {
			return false
		}
	}
	return true
}

// isRecordShape accepts codes of letters and at least four digits, or of five with a mark, that are no code of
// medicine: years, ranges, genes, trials, gestational ages and the like.
func isRecordShape(s string) bool {
	digits := len(digitsOf(s))
	letters := strings.IndexFunc(s, unicode.IsLetter) >= 0
	prefix := s[:len(s)-len(strings.TrimLeft(s, "ABCDEFGHIJKLMNOPQRSTUVWXYZ"))]
	switch {
	case clinicalCodes[prefix] || isYears(s) || clinicalCode.MatchString(s) || decimals.MatchString(s):
		return false
	case letters:
		return digits >= 4 || digits >= 3 && strings.ContainsAny(s, "-/") && len(s) >= 6
	}
	return digits >= 6 && strings.ContainsAny(s, "-/") || digits >= 7
}

// decimals matches a decimal number and a range of them.
var decimals = regexp.MustCompile(`^\d+\.\d+(?:[-/]\d+(?:\.\d+)?)*$`)

var clinicalCode = regexp.MustCompile(`^(?:[A-TV-Z]\d{2}(?:\.\d{1,4})?|\d{1,3}/\d{1,3}(?:/\d{1,3})?|\d{1,3}-\d{1,3}|\d+[A-Z]{1,3}|E\d+V\d+M\d+|[A-Z]\d{1,2}(?:[-/][A-Z]?\d{1,2})?|\d{1,2}[+]\d|[A-Z]{1,2}\d{1,3}[A-Z]?\d?|\d{4}h?|[A-Z]{1,5}-?\d{1,3}[A-Z]?|\d{1,2}[pq]\d{1,2}(?:\.\d{1,2})?(?:-q?\d+)?)$`)

// isPlaceName reports whether one of the words behind a preposition is no vocabulary.
func isPlaceName(s string) bool {
	unknown := false
	for w := range strings.FieldsSeq(s) {
		w = strings.ToLower(strings.Trim(w, "."))
		if never[w] || months[w] {
			return false
		}
		unknown = unknown || !isWord(w)
	}
	return unknown
}

// isCanadian refuses the parts of the Glasgow Coma Scale.
func isCanadian(s string) bool { return s[0] != 'E' || s[2] != 'V' || !strings.Contains(s, "M") }

// isNumbered refuses decimal numbers: INR ends like a German label.
func isNumbered(s string) bool { return len(digitsOf(s)) >= 3 && !decimals.MatchString(s) }

// isNamedPlace refuses a kind of place without a name of its own, and the beginning of a sentence before one.
func isNamedPlace(s string) bool {
	fields := strings.Fields(strings.TrimPrefix(s, "The "))
	for _, w := range fields[:len(fields)-1] {
		if lower := strings.ToLower(w); never[lower] || titles[lower] || known().clinical[lower] {
			return false
		}
	}
	return len(fields) > 2 || !english.isWord(strings.ToLower(fields[0])) || isSurname(fields[0])
}

// isRecordNumber refuses codes of diagnoses, and what has hardly a digit.
func isRecordNumber(s string) bool {
	return len(digitsOf(s)) >= 3 && !diagnosis.MatchString(s)
}

var diagnosis = regexp.MustCompile(`^[A-Z]\d{2}\.\d{1,4}$`)

// values matches the values of one test one after the other: 88-172-149-120.
var values = regexp.MustCompile(`^\d{2,3}(?:[ -]\d{2,3}){3,}$`)

// isBelowProvince refuses provinces alone, which identify nobody.
func isBelowProvince(s string) bool { return !strings.HasSuffix(s, "省") }

// isDialled refuses the values of a gas behind "pH", which is also short for a telephone.
func isDialled(s string) bool {
	return len(digitsOf(s)) >= 6 && !acid.MatchString(s) && !acuity.MatchString(s)
}

// acuity matches how well an eye sees, behind "ph" for a pinhole.
var acuity = regexp.MustCompile(`^6/\d{1,2} `)

var acid = regexp.MustCompile(`^[678][.,]\d{1,3}\b`)

// isDial refuses rows of values.
func isDial(s string) bool {
	return len(digitsOf(s)) >= 7 && !inRows.MatchString(s)
}

// inRows matches what stands in rows of values and in no telephone number.
var inRows = regexp.MustCompile(`  |\b\d-\d-\d\b|^\d{1,2}[.:]\d\d[ (]|\b\d\.\d\b|\b\d{1,2}\.\d/`)

// isSpanishStreet refuses what is no street: the protein C/EBPα.
func isSpanishStreet(s string) bool {
	name, short := strings.CutPrefix(s, "C/")
	if !short {
		return true
	}
	if at := strings.IndexFunc(name, func(r rune) bool { return !unicode.IsLetter(r) }); at >= 0 {
		name = name[:at]
	}
	r := []rune(name)
	return len(r) < 2 || !unicode.IsUpper(r[0]) || !unicode.IsUpper(r[1]) || len(r) > 8
}
