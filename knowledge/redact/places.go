package redact

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"lacuna/knowledge/plaintext"
)

// Addresses and places by the grammars of countries, as far as labels, kinds and numbers tell them.

const (
	// addressEnd is where an address behind its label ends: at the next label, or where a wide gap or a sentence ends it.
	addressLabel = `(?:(?i:address|addr|home address|usual addr(?:ess)?|anschrift|adresse|adr|wohnhaft(?: in)?|wh|domicilio|domic|dom|dirección|dir|plz/ort|residence|scene|incident loc(?:ation)?|pick-?up|dest(?:ination)?|loc(?:ation)?|add|addr?\.)\.? ?[:=]|(?i:\b(?:address(?: we have)? is|lives at|living at|resides at|staying at|address|wohnhaft|domiciliad[oa] en|domicilio|vive en)\b)|(?:住址|地址|现住址?|家庭住址|居住地|户籍|户口地址|工作单位))`
	wayNumber    = `\d{1,4} ?[a-z]?(?:[/-]\d{1,4}[a-z]?)*`
)

var placeRules = []rule{
	{Place, "address, to the gap", re(addressLabel + `[ \t:]*([^\n|;]{4,110})`), isAddress},
	{Place, "street, German", re(`(?:\p{Lu}[\p{L}.'-]*[ -]){0,2}\p{Lu}[\p{L}-]*(?:[Ss]traße|[Ss]trasse|[Ss]tr\.|[Ww]eg|[Aa]llee|[Pp]latz|[Gg]asse|[Gg]ässli|[Rr]ain|[Hh]öhe|[Ll]eiten|[Zz]eile|[Ss]teig|[Uu]fer|[Dd]amm|[Mm]att|[Hh]alde|[Hh]of|[Bb]erg|[Bb]ühl|[Aa]u|[Tt]al) ` + wayNumber + `\b`), isGermanWay},
	{Place, "town in capitals", re(`\b(?:[ADF]-|CH-)?\d{4,5} +\p{Lu}{3,}(?:[ /-]\p{Lu}{2,}){0,2}\b`), nil},
	{Place, "town behind its code", re(`\b(?:[ADF]-|CH-)\d{4,5}\b(?: +\p{Lu}\p{L}+)?`), nil},
	{Place, "Eircode", re(`\b[AC-FHKNPRTV-Y]\d[\dW] ?[\dAC-FHKNPRTV-Y]{4}\b`), hasDigits(2)},
	{Place, "company", re(`(?m)^[ \t]*(\p{Lu}[\p{Lu}&.,' -]{4,50}),? (?:INC|LLC|LTD|CORP|PLC|GMBH|S\.A|SAC)\b\.?`), nil},
	{Place, "street, numbered", re(`\b\d{1,5} (?:[NSEW]\.?|North|South|East|West) (?:\d{1,3}(?:st|nd|rd|th)|[A-Z][a-z]+)\b(?: (?:St|Ave|Street|Avenue|Pl|Dr|Rd)\b\.?)?`), nil},
	{Place, "road", re(`\b(?:(?:US|State|County|Hwy|Highway|Rte|Route|RTE|SR|CR|FM|I|A|B|M|N|R)[ -]?\d{1,4}(?: ?[NSEW]B?)?(?: (?:N|S|E|W|mm|mile marker) ?\d*)?|(?:mile marker|mm|MM|km|Km|KM) ?\d{1,4}(?:[.,]\d)?)\b`), nil},
	{Place, "address, India", re(`\b(?:(?:H\.? ?|D\.? ?|Plot |Door |Flat |House )?No\.? ?\d[\d/-]*[A-Z]?|Plot (?:No\.? ?)?\d+|\d{1,3}(?:st|nd|rd|th) (?:Cross|Main|Block|Stage|Floor|Street|Road|Phase)|Sector[ -]\d+|(?:Opp|Near|Nr|Behind|Off|B/h)\.? (?:\p{Lu}[\p{L}.]+ ?){1,4})(?:, ?(?:\p{Lu}[\p{L}.]+ ?){1,4}){0,4}(?: ?- ?\d{6})?`), nil},
	{Place, "address, Latin America", re(`\b(?:Mz\.? ?\w{1,3},? ?L(?:t|ote)\.? ?\w{1,3}|C\.? ?P\.? ?\d{4,5}|(?:Col|Fracc|And|Priv|Int|Ext|Mpio|Dpto|Depto|Bo|B°|Barr|Villa|Esq)\. (?:\p{Lu}[\p{L}]+ ?){1,3}\d{0,4}|[\p{Lu}][\p{L}]+ \d{2,5},? (?:\d{1,2}°? ?[A-Z]?,? )?(?:CABA|Bs\.? ?As\.?))`), nil},
	{Place, "facility, Spanish, short", re(`\b(?:H\.? ?U\.?|HGR|HGZ|UMF|CAPS|CESFAM|HIGA|C\.? ?S\.?|Hosp\.?|Htal\.?|Clín\.?|Sanat\.?|CAP|EAP|UPA|CIC|SAMU|Posta|Maternidad|Instituto|Hptal\.?|CE|C\. ?Salud|H\.|HNO|UAPO|[Gg]uarder[ií]a|[Cc]onsultorios?|[Pp]olicl[ií]nic[oa]|POLICL[IÍ]NIC[OA]|LABORATORIO|[Ll]aboratorio|[Bb]odegas?|[Tt]aller(?:es)?|[Pp]anadería|[Hh]ogar|[Gg]eriátrico|[Cc]orregimiento|IES|CEIP|IPS|EPS)(?: (?:Dra?\.?|Clínico|de Patología|DE PATOLOGÍA|CLÍNICO))*(?: (?:No\.?|N°|Nº|Gral\.?|Univ\.?|Prov\.?|Mun\.?|de|del|la|el|los|las|San|Santa))* (?:\d{1,3}\b|\p{Lu}[\p{L}'-]+(?: (?:(?:de|del|la|los|las|y) )*\p{Lu}[\p{L}'-]+){0,3})`), isSpanishFacility},
	{Place, "facility, short", re(`\b(?:\p{Lu}[\p{L}'.-]+ ){1,4}(?:Hosp|Gen|Med (?:Grp|Ctr|Center)|Mem(?:orial)?|Peds|Clin|Ctr|Cntr|HC|MC|Wd|Wing|NHS(?: FT| Trust)?|FT|Trust|PS|Police Station|Elem|MS|HS|Rehab|SNF|NH|ALF|Fire|EMS|Caravan (?:Pk|Park)|halting site|Walk-?in|Parish|feed store|flyover)\b\.?`), isNamedPlace},
	{Place, "facility, by its trade", re(`\b((?:\p{Lu}[\p{L}'’.-]* (?:(?:of|the|&|and|for|on) )?){1,4}(?:Pavilion|Rehab|Program(?:me)?|Ambulance|Fire (?:& Rescue|Department|Dept)|Imaging|Radiology|Oncology|Infusion(?: Suites?)?|Associates|Partners|Specialists|Physicians|Preschool|Pre-?K|Daycare|Roofing|Plumbing|Construction|Motors|Trucking|Logistics|Freight|Foods|Farms?|Ranch|VNA|CBOC|VAMC|Health Plan|Poison Control|Respiratory|Vascular Access|Suites|Genetics|Diagnostics|Solutions|Services|Supply|Drugs?|Market|Mills?|Works|PLLC|LLP|LLC|Inc|Ltd|Pty|Foundation|Hospice|Home (?:Care|Health|Infusion)|Dialysis|Kidney Care|Eye Care|Children's|Pediatrics|Orthop(?:a)?edics|Physical Therapy|Retina|Healthcare|Care Group|Wellness|Dental|Optical|Opticians|Bakery|Brewery|Diner|Ambulatory|Urgent Care|Family Practice|Primary Care|Home Infusion)\b)`), isNamedPlace},
	{Place, "facility, German, short", re(`\b(?:Klinik|Klinikum|KH|Krhs|Krankenhaus|LKH|Landesspital|Spital|LK|Kantonsspital|KS|Uniklinik|Univ\.-Klinikum|UKE|Reha|Rehaklinik|Praxis|Sprengel|Diakoniestation|Sozialstation|PH|Pflegeheim|Seniorenheim|Hospiz|Rettung|Feuerwehr|Labor|Apotheke|MVZ|BG|Geburtshaus|Kita|Schule|GS|Gymnasium|Werkstatt|Holzbau|Spedition|Fa\.|Firma|Gasthof|Gasthaus|Hotel|Therapiezentrum|Reha-?[Zz]entrum|Gesundheitszentrum|Institut|Kreisverwaltung|Gemeinschaftspraxis|Hausarztpraxis|Zahnarztpraxis|Tagesklinik|Seniorenzentrum|Haus|Stift|Städt\. Klinikum|Autohaus|Bäckerei|Metzgerei|Schreinerei|Tischlerei|Kinderkrippe|Kindergarten) +(?:(?:am|an der|zum|zur|St\.|Sankt|im|in der|vor der|der|des|den|Dres?\.|Drs\.|Prof\.|med\.|f\.|für|u\.) )*\p{Lu}[\p{L}-]+(?:(?:[ /-]| & | und )(?:\p{Lu}[\p{L}-]+)){0,3}`), isGermanFacility},
	{Place, "institution at, German", re(`\b\p{Lu}[\p{L}-]+ (?:am|an der|an den|im|in der|zum|zur|vor dem|auf der|auf dem) \p{Lu}[\p{L}-]+`), isInstitutionAt},
	{Place, "institution and a name, German", re(`\b\p{Lu}[\p{L}-]+ (?:(?:St\.|Sankt|Bad|Wr\.|Alt|Neu|Groß) )?\p{Lu}[\p{L}-]+`), isNamedInstitution},
	{Place, "facility, German, behind its name", re(`\b\p{Lu}[\p{L}-]+(?: \p{Lu}[\p{L}-]+)? (?:Klinikum|Kliniken|Klinik|Krankenhaus|Spital|Spitäler|Reha|Stift|Apotheke|GmbH|AG)\b(?: \p{Lu}[\p{L}-]+)?`), isNamedPlace},
	{Place, "Chinese place", re(`(?:在|到|去|于|从|转|回|至|由|往|住|来自)(\p{Han}{2,8}?(?:医院|分院|附院|[一二三四五六]院|卫生院|卫生室|诊所|药房|药店|中学|附中|国中|小学|大学|幼儿园|工业园|花园|小区|公寓|街道|[市县区镇乡村路街巷]))`), nil},
}

// isGermanWay refuses words of medicine that end like streets, with a number behind.
func isGermanWay(s string) bool {
	for _, w := range strings.FieldsFunc(s, func(r rune) bool { return r == ' ' || r == '-' }) {
		if lower := strings.ToLower(strings.TrimRight(w, ".")); known().clinical[lower] {
			return false
		}
	}
	return true
}

var (
	wideGap    = regexp.MustCompile(`  |\t| (?i:tel|ph|phone|cell?|mob|mobile|cel|tfno|fax|dob|mrn|nhs|hosp|gp|nok|email|age|sex|tlf|handy|geb|fon|and|but|with|since|who|where|her|his|the son|the daughter|for|pt|he|she|y|con|desde|seit|mit)\b|\. [\p{Lu}a-z]`)
	hanAddress = regexp.MustCompile(`[路街巷弄号室栋楼村镇乡县区市省屯组队里苑园厂]`)
)

// addresses returns what stands behind the label of an address up to the next gap.
func addresses(text string) []hit {
	var hits []hit
	for _, h := range placeRules[0].hits(text) {
		part := text[h.start:h.end]
		if at := wideGap.FindStringIndex(part[1:]); at != nil {
			part = part[:at[0]+1]
		}
		part = strings.TrimRight(part, " ,.;:(-")
		words := strings.Fields(part)
		upper := 0
		for _, w := range words {
			if r := []rune(w)[0]; unicode.IsUpper(r) || unicode.IsDigit(r) {
				upper++
			}
		}
		switch {
		case hanAddress.MatchString(part) && len(part) < 90:
		case upper*2 < len(words) || len(words) > 14 || upper < 2 && !strings.ContainsAny(part, "0123456789"):
			continue
		}
		hits = append(hits, hit{Place, h.start, h.start + len(part), h.rule})
	}
	return hits
}

// wholePlaces extends what was found of places to the words that belong to their names: St Winifred's, the Klinik am Dom, and
// what is likely enough next to a part that was found. likely holds for each piece the probability that it identifies somebody.
func (e *evidence) wholePlaces(text string, likely []float64, hits []hit) []hit {
	for n := range hits {
		h := &hits[n]
		if h.class == Name && e.isPlaceOf(text, h) {
			h.end += len("'s")
		}
		if h.class != Place || plaintext.HasHan(text[h.start:h.end]) {
			continue
		}
		first, _ := slices.BinarySearchFunc(e.pieces, h.start, func(p piece, at int) int { return cmp.Compare(p.end, at+1) })
		last := first
		for last+1 < len(e.pieces) && e.pieces[last+1].start < h.end {
			last++
		}
		for range mostOfPlace {
			next := e.placeBehind(likely, last)
			if next == last {
				break
			}
			last = next
		}
		for range mostOfPlace {
			next := e.placeBefore(likely, first)
			if next == first {
				break
			}
			first = next
		}
		h.start, h.end = min(h.start, e.pieces[first].start), max(h.end, e.pieces[last].end)
	}
	return mergeHits(hits)
}

// isPlaceOf reports whether a name is that of the owner of a place, as in "tablets from Hickey's came".
func (e *evidence) isPlaceOf(text string, h *hit) bool {
	if !ofOwner.MatchString(text[h.end:]) {
		return false
	}
	word := strings.TrimRight(text[:h.start], " ")
	return towards[strings.ToLower(word[strings.LastIndexAny(word, " \n(")+1:])]
}

// ofOwner matches a genitive that nothing that is owned follows.
var ofOwner = regexp.MustCompile(`^'s(?:$|[\n.,;)]| (?:on|in|at|for|and|untouched|came|is|was|will|to|by|with|correct|today|since|until|\d)\b)`)

const (
	mostOfPlace = 6    // parts that a name is extended by, to each side
	leastBeside = 0.05 // the probability of a word with a capital to belong to the place beside it
)

// placeBehind returns the last piece of what belongs to a place and follows its piece i; i if nothing does.
func (e *evidence) placeBehind(likely []float64, i int) int {
	at := func(k int) piece {
		if k >= len(e.pieces) {
			return piece{kind: 'l', spaced: true}
		}
		return e.pieces[k]
	}
	next, second := at(i+1), at(i+2)
	switch {
	case next.text == "'" && !next.spaced && second.lower == "s" && !second.spaced:
		return i + 2
	case next.text == "-" && !next.spaced && !second.spaced && second.kind == 'w' && (startsUpper(second.text) || second.lower == "in"):
		return i + 2
	case next.kind == 'w' && next.spaced && e.oneSpace(i+1) && (placeTails[next.lower] || startsUpper(next.text) && (isInstitution(next.lower) || directions[next.lower] || e.isBeside(likely, i+1))):
		return i + 1
	}
	return i
}

// placeBefore returns the first piece of what belongs to a place and stands before its piece i; i if nothing does.
func (e *evidence) placeBefore(likely []float64, i int) int {
	if i > 0 && e.pieces[i-1].kind == 'w' && startsUpper(e.pieces[i-1].text) && e.oneSpace(i) && e.isBeside(likely, i-1) {
		return i - 1
	}
	for k := i - 1; k >= max(0, i-5) && e.pieces[k].kind != 'l'; k-- {
		switch word := e.pieces[k]; {
		case word.kind == 'w' && isInstitution(word.lower) && (startsUpper(word.text) || e.lang[k] == spanish):
			return k
		case placeLinks[word.lower], word.text == "." && k > 0 && len(e.pieces[k-1].text) <= 4 && placeLinks[e.pieces[k-1].lower], word.text == "\"":
		default:
			return i
		}
	}
	return i
}

// oneSpace reports whether one space stands before a piece in its line.
func (e *evidence) oneSpace(i int) bool {
	return i > 0 && e.pieces[i].start == e.pieces[i-1].end+1 && e.pieces[i-1].kind != 'l' && e.pieces[i].kind != 'l'
}

// isBeside reports whether a word with a capital is likely to belong to the place beside it.
func (e *evidence) isBeside(likely []float64, i int) bool {
	return likely[i] >= leastBeside && !e.medicine[i] && !weekdayWord.MatchString(e.pieces[i].text) && !monthWord.MatchString(e.pieces[i].text)
}

var (
	// placeTails are small words that names of places end with.
	placeTails = plaintext.Set(`hospital clinic surgery practice lab laboratory rooms unit ward school church mosque parish pharmacy road street lane avenue station depot plant farm factory mill library centre center bazaar jetty pier dock docks smallholdings village estate hostel shelter camp`)
	directions = plaintext.Set(`north south east west upper lower central city town village nord süd ost mitte norte sur este oeste oriente poniente sg zh be ag`)
	placeLinks = plaintext.Set(`am an der dem des den im in zum zur vor bei für de del la las los el y e of the for and & und st sankt san santa dr dra dres prof med don doña nº n°`)
)
