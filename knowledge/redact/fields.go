package redact

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"lacuna/knowledge/plaintext"
)

// Fields of records: segments of HL7 version 2, keys of FHIR and other JSON and XML, and columns of tables, whose
// header says what stands below.

// segments says which fields of a segment of HL7 version 2 identify somebody, as a letter for each class: i an
// identifier, n a name, d a date, p a place, t a telephone number.
var segments = map[string]map[int]byte{
	"MSH": {4: 'p', 6: 'p', 7: 'd', 10: 'i'},
	"EVN": {2: 'd', 3: 'd', 5: 'n', 6: 'd'},
	"PID": {2: 'i', 3: 'i', 4: 'i', 5: 'n', 6: 'n', 7: 'd', 9: 'n', 11: 'p', 12: 'p', 13: 't', 14: 't', 18: 'i', 19: 'i', 20: 'i', 21: 'i', 23: 'p', 29: 'd'},
	"PD1": {3: 'p', 4: 'n'},
	"NK1": {2: 'n', 4: 'p', 5: 't', 6: 't', 8: 'd', 9: 'd', 12: 'i', 13: 'p', 16: 'd', 30: 'n', 31: 't', 32: 'p', 33: 'i'},
	"PV1": {3: 'p', 5: 'i', 6: 'p', 7: 'n', 8: 'n', 9: 'n', 17: 'n', 19: 'i', 39: 'p', 44: 'd', 45: 'd', 50: 'i', 52: 'n'},
	"PV2": {8: 'd', 9: 'd', 23: 'p'},
	"ORC": {2: 'i', 3: 'i', 4: 'i', 9: 'd', 10: 'n', 11: 'n', 12: 'n', 13: 'p', 14: 't', 15: 'd', 19: 'n', 21: 'p', 22: 'p', 23: 't', 24: 'p'},
	"OBR": {2: 'i', 3: 'i', 6: 'd', 7: 'd', 8: 'd', 10: 'n', 14: 'd', 16: 'n', 17: 't', 22: 'd', 28: 'n', 32: 'n', 33: 'n', 34: 'n', 35: 'n'},
	"OBX": {14: 'd', 16: 'n', 18: 'i', 19: 'd', 23: 'p', 24: 'p', 25: 'n'},
	"SPM": {2: 'i', 17: 'd', 18: 'd'},
	"GT1": {2: 'i', 3: 'n', 4: 'n', 5: 'p', 6: 't', 7: 't', 8: 'd', 12: 'i', 16: 'n', 17: 'p', 18: 't', 19: 'i'},
	"IN1": {2: 'i', 3: 'i', 4: 'p', 5: 'p', 6: 'n', 7: 't', 8: 'i', 9: 'p', 10: 'i', 11: 'p', 12: 'd', 13: 'd', 16: 'n', 18: 'd', 19: 'p', 36: 'i', 49: 'i'},
	"DG1": {5: 'd', 16: 'n', 19: 'd'},
	"AL1": {6: 'd'},
	"PR1": {5: 'd', 8: 'n', 11: 'n'},
	"TXA": {4: 'd', 5: 'n', 6: 'd', 9: 'n', 12: 'i', 22: 'n'},
	"RXA": {3: 'd', 4: 'd', 10: 'n', 15: 'i'},
	"SCH": {1: 'i', 2: 'i', 11: 'd', 12: 'n', 16: 'n', 20: 'n'},
}

var classOf = map[byte]Class{'i': Record, 'n': Name, 'd': Date, 'p': Place, 't': Phone, 'a': Age}

var segmentLine = regexp.MustCompile(`(?:^|[\r\n])[ \t>]*([A-Z][A-Z0-9]{2})\|[^\r\n]*`)

// inSegments returns the identifiers of HL7 segments. The components of a name or an address count as one.
func inSegments(text string) []hit {
	var hits []hit
	for _, at := range segmentLine.FindAllStringSubmatchIndex(text, -1) {
		fields, ok := segments[text[at[2]:at[3]]]
		if !ok {
			continue
		}
		number := 0
		if text[at[2]:at[3]] == "MSH" { // its first field is the bar itself
			number = 1
		}
		start := at[3] + 1
		for {
			number++
			end := start + strings.IndexByte(text[start:at[1]], '|')
			if end < start {
				end = at[1]
			}
			if class, ok := fields[number]; ok && strings.ContainsFunc(text[start:end], isAlphanumeric) {
				hits = append(hits, hit{classOf[class], start, end, "HL7"})
			}
			if end == at[1] {
				break
			}
			start = end + 1
		}
	}
	return hits
}

// keyKinds says what the value of a key of JSON, XML or a table is: the keys as letters only, in lower case.
var keyKinds = map[byte]string{
	'n': `name last first middle mi initials operateur operator prüfer therapist teacher key contactperson rut_nombre patientname patient fullname firstname lastname middlename givenname given family familyname surname forename maidenname nickname alias preferredname displayname
		kin nok nextofkin contactname emergencycontact guardian mother mothername mothersname father fathername physician doctor provider providername clinician consultant
		surgeon attending referrer referringphysician orderingprovider gp gpname nurse author signedby signature enteredby orderedby performer practitioner assignee reviewer approvedby username user login createdby
		prefix suffix nombre apellido apellidos nombrecompleto paciente medico médico vorname nachname familienname geburtsname patientin arzt hausarzt einsender ansprechpartner
		姓名 患者姓名 患者 联系人 家属 医生 主治医师 主管医师 经治医师 签名 operator collectedby staff seenby carer spouse employer`,
	'd': `dob dateofbirth birthdate birthtime birthday born date datetime visitdate admissiondate admitted admission dischargedate discharged discharge dod dateofdeath deceaseddatetime deceased
		effectivetime effectivedatetime issued authoredon recordeddate onsetdatetime occurrencedatetime performeddatetime start end period lastupdated timestamp time collected collectiondate reportdate reported received
		sampledate testdate surgerydate appointment appt nextappointment lastvisit followup expiry expirydate servicedate dos created updated modified seen seenon scheduled
		geburtsdatum gebdatum geb datum aufnahme aufnahmedatum entlassung entlassungsdatum entlassdatum untersuchungsdatum fecha fechanacimiento fechadenacimiento fnac nacimiento fechaingreso fechaalta fechadeingreso fechadealta ingreso
		出生日期 日期 入院日期 出院日期 就诊日期 检查日期 报告日期 采样日期 手术日期 随访日期`,
	'i': `mrn rut run cedula cédula cc fallnr employeeno collar nomis pnc mrno medicalrecordnumber recordnumber recordno record patientid patientno patientnumber pid pat patid id identifier ssn socialsecuritynumber nhs nhsno nhsnumber chi urn ur uhid nhi hospitalnumber hospno hospitalno hospital
		accession accessionnumber accessionno accno specimenid specimenno sampleid sampleno labno laborder orderid orderno visitid visitno visitnumber encounterid encounter caseno caseid casenumber episode account accountnumber accountno acct
		memberid member policy policyno policynumber subscriberid insuranceid insurance insuranceno groupno claim claimno medicareno medicaidno medicare passport licence license licenseno npi dea serial serialno serialnumber sn udi device deviceid lot lotno lotnumber plate vin imei uuid guid externalid noteid enc studyid studyinstanceuid extension barcode ref reference
		fallnummer fallnr patientennummer patientennr patnr versichertennummer versichertennr aufnahmenummer auftragsnummer historia nhc nºhc hc dni nif nie expediente tarjeta cip nss
		住院号 病历号 门诊号 身份证号 身份证 医保号 就诊号 病案号 床号 检查号 标本号 卡号`,
	'p': `address addr streetaddress street streetaddressline addressline addressline1 addressline2 line line1 line2 city town district county village suburb postalcode postcode zip zipcode state location ward room bed facility facilityname site clinic hospitalname
		organization organisation employeraddress school workplace birthplace placeofbirth lat latitude lon lng long longitude coordinates adresse anschrift strasse straße plz ort wohnort station zimmer klinik domicilio direccion dirección ciudad municipio localidad provincia cp codigopostal centro
		地址 住址 家庭住址 病区 科室床号 单位 医院`,
	'a': `age alter edad lebensalter 年龄 年齡 岁`,
	't': `phone phoneno phonenumber telephone tel telecom mobile mobileno cell cellphone homephone workphone fax faxno email emailaddress mail contact contactno contactnumber pager bleep ext telefon telefonnummer handy mobil telefono teléfono movil móvil correo url website ip ipaddress mac macaddress 电话 联系电话 手机 手机号 邮箱 传真`,
}

var kindOfKey = func() map[string]byte {
	kinds := make(map[string]byte)
	for _, kind := range []byte("aptdin") {
		for key := range strings.FieldsSeq(keyKinds[kind]) {
			kinds[key] = kind
		}
	}
	return kinds
}()

// kindOf returns the kind of a key or a heading, and false if it names no identifier.
func kindOf(key string) (byte, bool) {
	if len(key) > 48 {
		return 0, false
	}
	letters := func(r rune) rune {
		if wordRune(r) || '0' <= r && r <= '9' {
			return r
		}
		return -1
	}
	lower := strings.ToLower(key)
	if kind, ok := kindOfKey[strings.Map(letters, lower)]; ok {
		return kind, ok
	}
	if plaintext.HasHan(key) {
		for _, kind := range []byte("tdinp") {
			for known := range strings.FieldsSeq(keyKinds[kind]) {
				if plaintext.HasHan(known) && utf8.RuneCountInString(known) > 1 && strings.Contains(key, known) {
					return kind, true
				}
			}
		}
		return 0, false
	}
	words := strings.FieldsFunc(lower, func(r rune) bool { return !wordRune(r) && (r < '0' || r > '9') })
	if len(words) > 1 && len(words) < 5 {
		for _, part := range []string{words[len(words)-1], strings.Join(words[len(words)-2:], ""), words[0]} {
			if kind, ok := kindOfKey[part]; ok && part != "id" && part != "state" && part != "line" && part != "start" && part != "end" && part != "time" && part != "use" {
				return kind, true
			}
		}
	}
	return 0, false
}

var (
	jsonPair  = regexp.MustCompile(`"([\p{L}_ .\-]{2,40})"\s*:\s*(?:"((?:[^"\\\n]|\\.)*)"|\[\s*"((?:[^\]\\]|\\.)*)"\s*\]|(\d{5,}|9\d|1[01]\d))`)
	xmlText   = regexp.MustCompile(`<(?:\w+:)?([A-Za-z_]{2,40})(?:\s[^<>]*)?>([^<>]+)</`)
	xmlValue  = regexp.MustCompile(`<(?:\w+:)?([A-Za-z_]{2,40})\b[^<>]*?\s(?:value|extension)="([^"]*)"`)
	xmlAttr   = regexp.MustCompile(`\s([A-Za-z_]{2,40})="([^"]*)"`)
	reference = regexp.MustCompile(`\b(?:Patient|Practitioner|RelatedPerson|Person|Encounter|Organization|Location|Device|Observation|DiagnosticReport|ServiceRequest|MedicationRequest|Condition|Procedure|Appointment)/([A-Za-z0-9.-]{2,64})`)
	// resourceKeys are keys whose value in a resource is often a code of medicine, so that it must look like an identifier.
	number3 = regexp.MustCompile(`\d.*\d.*\d`)
)

// inKeys returns the values of keys in JSON and XML that identify somebody.
func inKeys(text string) []hit {
	var hits []hit
	add := func(key string, start, end int) {
		kind, ok := kindOf(key)
		value := text[start:end]
		switch {
		case !ok && key == "value" && (number3.MatchString(value) && len(digitsOf(value)) >= 5 || strings.Contains(value, "@")): // of an identifier or a telecom; values of observations are no strings
			kind = 'i'
		case !ok && (key == "text" || key == "display") && looksLikeName(value):
			kind = 'n'
		case !ok:
			return
		case kind == 'n' && !looksLikeName(value) && !isGiven(value) && (len(strings.Fields(value)) > 5 || allWords(value) && !startsUpper(value)):
			return
		case kind == 'a' && !greatAge.MatchString(value), kind == 'i' && len(digitsOf(value)) < 2:
			return
		case kind == 'd' && len(digitsOf(value)) < 3:
			return
		case kind == 'p' && !startsUpper(value) && len(digitsOf(value)) == 0:
			return
		case kind == 't' && len(digitsOf(value)) < 3 && !strings.ContainsAny(value, "@."):
			return
		}
		if strings.ContainsFunc(value, isAlphanumeric) && !unitNear(text[end:]) {
			hits = append(hits, hit{classOf[kind], start, end, "key " + key})
		}
	}
	for _, at := range jsonPair.FindAllStringSubmatchIndex(text, -1) {
		for i := 4; i < 10; i += 2 {
			if at[i] >= 0 {
				add(text[at[2]:at[3]], at[i], at[i+1])
			}
		}
	}
	if strings.Contains(text, "</") || strings.Contains(text, "/>") {
		for _, at := range xmlText.FindAllStringSubmatchIndex(text, -1) {
			add(text[at[2]:at[3]], at[4], at[5])
		}
		for _, pattern := range []*regexp.Regexp{xmlValue, xmlAttr} {
			for _, at := range pattern.FindAllStringSubmatchIndex(text, -1) {
				add(text[at[2]:at[3]], at[4], at[5])
			}
		}
	}
	for _, at := range reference.FindAllStringSubmatchIndex(text, -1) {
		if len(digitsOf(text[at[2]:at[3]])) > 0 {
			hits = append(hits, hit{Record, at[2], at[3], "reference"})
		}
	}
	return hits
}

// inTables returns the cells of Markdown tables, and of rows that tabs, semicolons or commas divide, whose column or
// whose first cell says that they identify somebody.
func inTables(text string) []hit {
	var hits []hit
	var columns []byte // of the table that the line is in
	var divider string
	start := 0
	for line := range strings.SplitAfterSeq(text, "\n") {
		at := start
		start += len(line)
		row := strings.TrimRight(line, "\r\n")
		by := ""
		for _, d := range []string{"|", "\t", ";", ","} {
			if strings.Count(row, d) >= 1 && (d != "," || strings.Count(row, d) >= 2) {
				by = d
				break
			}
		}
		if by == "" {
			columns = nil
			continue
		}
		if strings.Trim(row, "|-: \t+=") == "" {
			continue // the line below a header
		}
		cells := strings.Split(row, by)
		kinds, labels := make([]byte, len(cells)), 0
		filled := 0
		for i, cell := range cells {
			if strings.TrimSpace(cell) != "" {
				filled++
			}
			if kind, ok := kindOf(strings.TrimSpace(cell)); ok {
				kinds[i] = kind
				labels++
			}
		}
		switch {
		case columns == nil && labels >= 1 && filled >= 3 && (len(digitsOf(row)) == 0 || labels >= 3) && (labels >= 2 || by != ","), labels >= 2 && labels*3 >= filled && len(digitsOf(row)) < 3:
			// A header; but rows of a label and a value may hold two labels, too.
			if columns == nil || len(columns) != len(cells) {
				columns, divider = kinds, by
				continue
			}
		}
		place := at
		for i, cell := range cells {
			from := place + len(cell) - len(strings.TrimLeft(cell, " \t\"*_"))
			to := place + len(strings.TrimRight(cell, " \t\"*_"))
			place += len(cell) + len(by)
			var kind byte
			if columns != nil && divider == by && i < len(columns) && len(cells) >= len(columns)-1 {
				kind = columns[i]
			}
			if kind == 0 && i > 0 && (by == "|" || by == "\t") {
				if k, ok := kindOf(strings.Trim(cells[i-1], " \t\"*_:：")); ok && (columns == nil || i == firstCell(cells)+1) {
					kind = k
				}
			}
			if kind == 0 || from >= to {
				continue
			}
			value := text[from:to]
			if kind == 'a' && !greatAge.MatchString(value) {
				continue
			}
			if _, isLabel := kindOf(value); isLabel || !strings.ContainsFunc(value, isAlphanumeric) || kind == 'n' && allWords(value) && !startsUpper(value) && !plaintext.HasHan(value) || kind == 'n' && len(strings.Fields(value)) > 6 ||
				(kind == 'i' || kind == 'd' || kind == 't') && len(digitsOf(value)) == 0 && !strings.Contains(value, "@") || kind == 'd' && len(digitsOf(value)) < 2 || unitNear(text[to:]) {
				continue
			}
			hits = append(hits, hit{classOf[kind], from, to, "column"})
		}
	}
	return hits
}

// greatAge matches a cell or a value that is an age that identifies.
var greatAge = regexp.MustCompile(`^(?:9\d|1[01]\d) ?(?:a|J|j|y|yo|岁|歲)?\.?$`)

func firstCell(cells []string) int {
	for i, cell := range cells {
		if strings.TrimSpace(cell) != "" {
			return i
		}
	}
	return 0
}

// dateCell matches a cell that may head the column of a day or a month: 3/14, 14.3., 11/23, may-23.
var dateCell = regexp.MustCompile(`^\**(?:(\d{1,2})([./-])(\d{1,2})\.?|` + month + `[ .-]?'?(?:\d\d)?\d\d|` + day + `[ .-]?` + month + `)\**$`)

// wide matches what stands between the columns of a chart.
var wide = regexp.MustCompile(` {2,}|\t`)

// headingDates returns the days and months that head the columns of tables, such as one of laboratory values: two cells at
// least, in a row that has no other numbers.
func headingDates(text string) []hit {
	var hits []hit
	lines := strings.SplitAfter(text, "\n")
	start := 0
	for n, line := range lines {
		at := start
		start += len(line)
		row := strings.TrimRight(line, "\r\n")
		var cells []string
		isTable := strings.Count(row, "|") > 1
		if isTable {
			cells = strings.Split(row, "|")
		} else {
			cells = wide.Split(row, -1)
		}
		if len(cells) < 3 {
			continue
		}
		var found []hit
		place, sure, doubt := at, false, false
		least := 3
		if isTable {
			if n+1 == len(lines) || strings.Trim(lines[n+1], "|-: \t\r\n") != "" || !strings.Contains(lines[n+1], "-") {
				continue // values look the same
			}
			least, sure = 2, true
		}
		last, mark := [2]int{}, ""
		for _, cell := range cells {
			index := strings.Index(text[place:], cell)
			from := place + index + len(cell) - len(strings.TrimLeft(cell, " \t"))
			place += index + len(cell)
			cell = strings.TrimSpace(cell)
			m := dateCell.FindStringSubmatch(cell)
			switch {
			case m != nil && m[1] != "":
				a, b := number(m[1]), number(m[3])
				doubt = doubt || mark != "" && mark != m[2] || !isTable && m[2] == "." && !strings.HasSuffix(cell, ".")
				mark = m[2]
				if a == 0 || b == 0 || a > 31 && b > 12 || a > 12 && b > 31 {
					doubt = true
				}
				sure = sure || m[1][0] == '0' || m[3][0] == '0' || max(a, b) > 12
				doubt = doubt || !isTable && (b < last[1] || b == last[1] && a <= last[0]) && (a < last[0] || a == last[0] && b <= last[1])
				last = [2]int{a, b}
				fallthrough
			case m != nil:
				found = append(found, hit{Date, from, from + len(cell), "date of a column"})
			case strings.ContainsAny(cell, "0123456789"):
				doubt = true
			}
		}
		if len(found) >= least && sure && !doubt {
			hits = append(hits, found...)
		}
	}
	return hits
}

var (
	// study matches what tells that a text is of a study, and interview that it has what people said.
	study     = re(`(?i)\b(?:subjects?|subj|participants?|screen(?:ing|ed)|enrol\pL*|site|proband\pL*|teilnehmer\pL*|sujetos?|participantes?|estudio|ensayo|edc|crf)\b`)
	interview = re(`(?i)\b(?:interview\pL*|entrevista\pL*|focus group|grupo focal|fokusgruppe|transcri\pL*|transkript\pL*)\b`)
	// speaker matches who speaks at the beginning of a line, and siteNumber the number of a participant behind that of a site.
	speaker    = re(`(?m)^([A-Z]{1,3}-?\d{1,3}):[ \t]`)
	siteNumber = re(`\b(\d{2,4})-(\d{3,4})\b`)
)

// participants returns the numbers of the people of a study, which look like nothing else: those who speak more than once
// (P07: ...), and several of one site (31-004, 31-107) where one has a zero, as no range has.
func participants(text string) []hit {
	var hits []hit
	codes := make(map[string]int)
	if interview.MatchString(text) {
		for _, m := range speaker.FindAllStringSubmatch(text, -1) {
			codes[m[1]]++
		}
	}
	for _, code := range slices.Sorted(maps.Keys(codes)) {
		if codes[code] > 1 {
			for _, h := range exactAgain(text, code, Record) {
				hits = append(hits, hit{Record, h.start, h.end, "participant"})
			}
		}
	}
	if !study.MatchString(text) {
		return hits
	}
	found := siteNumber.FindAllStringSubmatchIndex(text, -1)
	people, padded := make(map[string]map[string]bool), false
	for _, at := range found {
		padded = padded || text[at[4]] == '0'
		site := text[at[2]:at[3]]
		if people[site] == nil {
			people[site] = make(map[string]bool)
		}
		people[site][text[at[4]:at[5]]] = true
	}
	for _, at := range found {
		if padded && len(people[text[at[2]:at[3]]]) > 1 && !joinsNumber(text, at[0], at[1]) && !unitNear(text[at[1]:]) {
			hits = append(hits, hit{Record, at[0], at[1], "participant"})
		}
	}
	return hits
}
