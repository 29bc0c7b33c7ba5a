package redact

import (
	"regexp"
	"strings"
)

// A request holds notes about people next to pages about medicine. Where a part of a text is about a person, a
// capitalised word that is no vocabulary is a name; elsewhere it is a product, a species or a place.

// tellTales weigh what stands in notes about people; two points make a part of a text one.
var tellTales = []struct {
	weight int
	re     *regexp.Regexp
}{
	{2, re(`(?i)\b(?:dob|d\.o\.b\.?|date of birth|mrn|nhs no|hospital no|hosp no|patient(?: name| id)?:|pt(?: name)?:|name:|next of kin|nok|geb\.|geboren am|geburtsdatum|fall-?nr|patientennummer|fecha de nacimiento|f\.? ?nac|nhc|historia clínica:|paciente:|apellidos|passport|ssn|insurance id|member id|policy (?:no|number)|medicare|medicaid)\b`)},
	{2, re(`(?:姓名|出生|住院号|病历号|身份证|联系电话|住址|患者\p{Han}{1,3}(?:先生|女士))`)},
	{2, re(`(?m)^(?:PID|PV1|NK1|MSH|OBR|IN1|GT1)\|`)},
	{2, re(`"(?:resourceType|birthDate|family|given|patient(?:Name|Id)?|mrn|dob)"|<(?:patient|birthTime|family|given|recordTarget)\b`)},
	{2, re(`\b(?:Mr|Mrs|Ms|Miss|Herr|Herrn|Frau|Sra?|Señora?|D\.ª|Doña|Don)\b\.? +\p{Lu}`)},
	{1, re(`\b(?:Dr|Dra|Prof|Nurse|Sister|Sr|RN|MD|SpR|SHO)\b\.? +\p{Lu}`)},
	{2, re(`(?m)^ *(?:Dear|Sehr geehrte[r]?|Estimad[oa]|Hi|Hello|Liebe[r]?|Re:|Betreff:?)\b`)},
	{2, re(`(?i)\b(?:i|we) (?:saw|reviewed|met|examined|admitted) (?:this|him|her|the patient|\p{Lu})|\bthank you for (?:seeing|referring|asking)|\b(?:his|her|my|the patient's) (?:wife|husband|son|daughter|mother|father|brother|sister|partner|niece|nephew|neighbou?r|friend)\b|\b(?:seine|ihre|seiner|ihrer|sein|ihr|ihrem) (?:ehefrau|ehemann|tochter|sohn|mutter|vater|schwester|bruder|nichte|lebensgefährt)|\bsu (?:esposa|marido|hij[oa]|madre|padre|herman[oa]|mujer|pareja)\b`)},
	{1, re(`(?i)\b(?:1[0-2]\d|\d{1,2}) ?-?(?:y/?o|y\b|years?[ -]old|yrs?|jährige[rns]?|años|岁)|\b\d{2} ?[FMfm]\b`)},
	{1, re(`(?i)\b(?:c/o|pmh|pmhx|hpc|hpi|o/e|s/b|h/o|nkda|sob|obs|bp \d{2,3}/\d{2,3}|d/c|f/u|r/v|r/w|dnacpr|ward|bed \d+|triage|discharge|seen (?:by|in|on|today)|signed|dictated|tel|phone|fax|bleep|entlass|aufnahme|wiedervorstellung|ingreso|alta|urgencias|entlassbrief|arztbrief|clinic|referral|handover|appointment|appt|admitted|attended|presented)\b`)},
	{1, re(`(?i)\b(?:(?:hr|rr|bp|t|tm|sats?|spo2|wt|hb|hgb|cr|news2?) \d{2,3}\b|s/p|pod ?#?\d|rtc|tca|wcc|vss|nad|nka|a/p\b|a&o|ros\b|afeb|mane|nocte|t/f|thx|dtr|rpt|dnar|jobs:|imp:|plan:|dx:|hx:|rx:)`)},
	{1, re(`\b\d{1,2}[/.]\d{1,2}[/.](?:19|20)?\d\d\b|\b(?:19|20)\d\d-\d\d-\d\d\b|\b\d{1,2} (?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]* (?:19|20)?\d\d`)},
	{1, re(`(?:家属|患者|门诊|出院|入院|医师[:：])`)},
	{1, re(`(?i)\b(?:she|he|her|his|pt|patient|sie|er|ella|él) (?:is|was|has|had|says|said|reports|denies|lives|works|takes|came|feels|wants|lebt|wohnt|arbeitet|vive|refiere)\b`)},
}

// weightOf says how much an identifier that was found without this says of its paragraph, once for each class.
var weightOf = map[Class]int{Name: 2, Record: 2, SSN: 2, Account: 2, Licence: 1, Device: 1, Age: 2, Phone: 1, Email: 1, Date: 1, Place: 1, Vehicle: 1}

// partsRule tells, of a text and what was found in it, whether a place stands in a part about a person, and whether any part is.
type partsRule func(text string, found []hit) (is func(at int) bool, some bool)

// everyPart is the rule of strict: all of a text may be about a person.
func everyPart(string, []hit) (is func(at int) bool, some bool) {
	return func(int) bool { return true }, true
}

// personalParts returns whether a place of a text stands in a part about a person: in a paragraph with tell-tales or
// identifiers, or in one next to it.
func personalParts(text string, found []hit) (is func(at int) bool, some bool) {
	var ends []int
	var weights []int
	start := 0
	for start < len(text) {
		end := len(text)
		if i := blank.FindStringIndex(text[start:]); i != nil && i[1] > 0 {
			end = start + i[1]
		}
		weight := 0
		for _, tale := range tellTales {
			if tale.re.MatchString(text[start:end]) {
				weight += tale.weight
			}
		}
		seen := make(map[Class]bool)
		for _, h := range found {
			if start <= h.start && h.start < end && !seen[h.class] && h.rule != "naming" && h.rule != "month by name, year" {
				seen[h.class] = true
				weight += weightOf[h.class]
			}
		}
		ends, weights = append(ends, end), append(weights, weight)
		start = end
	}
	parts := make([]bool, len(ends))
	for i := range ends {
		near := weights[i]
		for _, k := range []int{i - 2, i - 1, i + 1, i + 2} {
			if k >= 0 && k < len(weights) && (weights[k] >= 2 || strings.TrimSpace(text[:ends[0]]) == "") {
				near += weights[k]
			}
		}
		parts[i] = near >= 2
		some = some || parts[i]
	}
	return func(at int) bool {
		for i, end := range ends {
			if at < end {
				return parts[i]
			}
		}
		return false
	}, some
}

// blank matches what divides a text into parts: an empty line, and the number of a passage in a prompt.
var blank = regexp.MustCompile(`\n[ \t\r]*\n\s*|\n(?:\[\d+\] )`)
