package clinical

import (
	"regexp"
	"strings"
	"unicode"
)

// field is a coded field of a resource, as its readers would say it.
type field struct {
	label, value string
	line         int
}

// silent has the properties that are not shown: keys, addresses and references to where a resource stands.
var silent = setOf("resourceType id meta text contained extension identifier language implicitRules url subject patient encounter context data contentType size hash photo active fullUrl linkId replaces instantiatesCanonical instantiatesUri basedOn partOf performer requester recorder asserter informationSource author custodian serviceProvider managingOrganization participant link experimental useContext jurisdiction contact library relatedArtifact instant issued snapshot differential compose expansion concept item action section section_ uri profile resource priorityOrder signature parameter source target derivedFrom hasMember focus content version publisher date title name")

// spoken has the properties of a kind of resource that are shown although they are silent elsewhere.
var spoken = map[string]map[string]bool{
	"Patient":      setOf("name contact"),
	"Practitioner": setOf("name"),
	"Organization": setOf("name"),
	"Location":     setOf("name"),
}

// fields returns the fields of a resource that are worth reading.
func (f *fhir) fields(r *resource) []field {
	if definitions[r.kind] {
		return f.only(r, "description", "purpose", "requirements")
	}
	hidden := silent
	if some := spoken[r.kind]; some != nil {
		hidden = map[string]bool{}
		for name := range silent {
			hidden[name] = !some[name]
		}
	}
	return f.fieldsOf(r.node, hidden)
}

func (f *fhir) only(r *resource, names ...string) []field {
	var found []field
	for _, name := range names {
		for _, c := range r.all(name) {
			if value := f.value(c, 0); value != "" {
				found = append(found, field{spaced(name), value, c.line})
			}
		}
	}
	return found
}

// fieldsOf returns the fields below an element, those of the same name together if they are short.
func (f *fhir) fieldsOf(n *node, hidden map[string]bool) []field {
	var found []field
	for _, c := range n.children {
		if c.name == "" || hidden[c.name] {
			continue
		}
		value := f.value(c, 0)
		if value == "" {
			continue
		}
		label := spaced(withoutType(c.name))
		if last := len(found) - 1; last >= 0 && found[last].label == label && len(found[last].value)+len(value) < 200 {
			found[last].value += ", " + value
			continue
		}
		found = append(found, field{label, value, c.line})
	}
	return found
}

// maxDepthOfValues bounds what is said of one field.
const maxDepthOfValues = 6

// value returns a value as its readers would say it: the text of a code, a quantity with its unit, a
// period, the name of what is referred to; of other structures each part with its name.
func (f *fhir) value(n *node, depth int) string {
	if n.text != "" && len(n.children) == 0 {
		return strings.TrimSpace(n.text)
	}
	if depth > maxDepthOfValues {
		return ""
	}
	has := func(name string) bool { return n.child(name) != nil }
	switch {
	case has("reference") || has("display") && !has("code"):
		return f.reference(n)
	case has("coding"):
		return conceptWords(n)
	case has("code") && (has("system") || has("display")) && !has("value"):
		return coding(n)
	case n.child("text").val() != "" && (n.name == "code" || len(n.children) == 1):
		return n.child("text").val()
	case has("value") && (has("unit") || has("code")) && !n.child("value").structured():
		return quantity(n)
	case has("low") && !n.child("low").plain() || has("high") && !n.child("high").plain():
		parts := []string{}
		if text := n.child("text").val(); text != "" {
			return text
		}
		if c := n.child("low"); c != nil {
			parts = append(parts, quantity(c))
		}
		if c := n.child("high"); c != nil {
			if len(parts) == 0 {
				parts = append(parts, "up to")
			} else {
				parts = append(parts, "to")
			}
			parts = append(parts, quantity(c))
		}
		rest := []string{strings.Join(parts, " ")}
		for _, name := range []string{"type", "appliesTo", "age"} {
			for _, c := range n.all(name) {
				rest = append(rest, f.value(c, depth+1))
			}
		}
		return strings.Trim(strings.Join(rest, ", "), ", ")
	case has("numerator"):
		below := quantity(n.child("denominator"))
		if below == "" || below == "1" {
			return quantity(n.child("numerator"))
		}
		return quantity(n.child("numerator")) + " per " + strings.TrimPrefix(below, "1 ")
	case has("start") || has("end"):
		return period(n)
	case has("family") || has("given"):
		return humanName(n)
	case has("repeat"):
		return f.timing(n, depth)
	}
	var parts []string
	if n.name == "dosageInstruction" || n.name == "dosage" {
		if text := n.child("text").val(); text != "" {
			parts = append(parts, text)
		}
	}
	for _, c := range n.children {
		if c.name == "" || silent[c.name] && c.name != "title" && c.name != "name" && c.name != "item" && c.name != "text" || c.name == "sequence" || c.name == "text" && len(parts) > 0 {
			continue
		}
		value := f.value(c, depth+1)
		if value == "" {
			continue
		}
		switch label := withoutType(c.name); {
		case c.name == "text" || label == "value" && len(parts) == 0 || c.name == "code" && n.child("valueQuantity") != nil:
			parts = append(parts, value)
		case c.name == "doseAndRate":
			parts = append(parts, value)
		default:
			parts = append(parts, strings.ToLower(spaced(label))+" "+value)
		}
	}
	return strings.Join(parts, ", ")
}

func (n *node) structured() bool { return n != nil && len(n.children) > 0 }

// plain reports an element with nothing but a value.
func (n *node) plain() bool { return n == nil || len(n.children) == 0 }

// conceptWords returns the text of a code, else what its systems call it.
func conceptWords(n *node) string {
	if n == nil {
		return ""
	}
	if text := n.child("text").val(); text != "" {
		return text
	}
	for _, c := range n.all("coding") {
		if display := c.child("display").val(); display != "" {
			return display
		}
	}
	return coding(n.child("coding"))
}

func coding(n *node) string {
	if display := n.child("display").val(); display != "" {
		return display
	}
	return n.child("code").val()
}

// quantity returns an amount with its comparator and unit.
func quantity(n *node) string {
	value := n.child("value").val()
	unit := n.child("unit").val()
	if unit == "" {
		unit = n.child("code").val()
	}
	if value == "" {
		return ""
	}
	if unit == "1" || unit == "{score}" {
		unit = ""
	}
	return strings.TrimSpace(n.child("comparator").val() + value + " " + unit)
}

func period(n *node) string {
	start, end := n.child("start").val(), n.child("end").val()
	switch {
	case end == "":
		return "from " + start
	case start == "":
		return "until " + end
	}
	return start + " to " + end
}

// humanName returns the name of a person, given names first.
func humanName(n *node) string {
	if n == nil {
		return ""
	}
	if text := n.child("text").val(); text != "" {
		return text
	}
	var parts []string
	for _, name := range []string{"prefix", "given", "family", "suffix"} {
		for _, c := range n.all(name) {
			parts = append(parts, c.val())
		}
	}
	if len(parts) == 0 {
		return n.val()
	}
	return strings.Join(parts, " ")
}

// unitsOfTime has the units of FHIR as words.
var unitsOfTime = map[string]string{"s": "second", "min": "minute", "h": "hour", "d": "day", "wk": "week", "mo": "month", "a": "year"}

// timing says how often something is done, such as "2 times per day" or "every 8 hours".
func (f *fhir) timing(n *node, depth int) string {
	if text := conceptWords(n.child("code")); text != "" {
		return text
	}
	r := n.child("repeat")
	var parts []string
	if per := r.child("period").val(); per != "" {
		unit := r.child("periodUnit").val()
		if word := unitsOfTime[unit]; word != "" {
			unit = word
		}
		count := r.child("frequency").val()
		if top := r.child("frequencyMax").val(); top != "" {
			count += " to " + top
		}
		if top := r.child("periodMax").val(); top != "" {
			per += " to " + top
		}
		every := "every " + per + " " + unit + "s"
		if per == "1" {
			every = "per " + unit
		}
		switch count {
		case "", "1":
			if per == "1" {
				every = "1 time per " + unit
			}
			parts = append(parts, every)
		default:
			parts = append(parts, count+" times "+every)
		}
	}
	for _, c := range r.children {
		switch c.name {
		case "", "period", "periodUnit", "periodMax", "frequency", "frequencyMax":
		default:
			if value := f.value(c, depth+1); value != "" {
				parts = append(parts, strings.ToLower(spaced(withoutType(c.name)))+" "+value)
			}
		}
	}
	for _, event := range n.all("event") {
		parts = append(parts, event.val())
	}
	return strings.Join(parts, ", ")
}

// reference returns the name of what a reference leads to.
func (f *fhir) reference(n *node) string {
	if n == nil {
		return ""
	}
	if display := n.child("display").val(); display != "" {
		return display
	}
	if r := f.refer(n.child("reference").val()); r != nil {
		return f.plainTitle(r)
	}
	return ""
}

// maxTitle bounds the name of a resource, in bytes.
const maxTitle = 200

// title returns what a resource is called, or what it is about.
func (f *fhir) title(r *resource) string {
	if title := f.plainTitle(r); title != "" {
		return title
	}
	for _, name := range []string{"medicationReference", "medication", "vaccineCode"} {
		if c := r.child(name); c != nil {
			if title := f.reference(c); title != "" {
				return title
			}
			if title := f.reference(c.child("reference")); title != "" {
				return title
			}
		}
	}
	return ""
}

// plainTitle is title without following references.
func (f *fhir) plainTitle(r *resource) string {
	title := ""
	for _, name := range []string{"title", "name", "code", "medicationCodeableConcept", "vaccineCode", "productCode", "type", "serviceType", "category", "class", "description"} {
		c := r.child(name)
		if c == nil {
			continue
		}
		switch {
		case c.child("family") != nil || c.child("given") != nil || c.name == "name" && c.child("text") != nil:
			title = humanName(c)
		case c.child("coding") != nil || c.child("text") != nil || name == "code":
			title = conceptWords(c)
			if title == "" {
				title = c.val()
			}
		case c.child("concept") != nil:
			title = conceptWords(c.child("concept"))
		case name == "title" || name == "name" || name == "description" && len(strings.Fields(c.val())) <= maxTitleWords:
			title = c.val()
		case name == "class":
			title = coding(c)
		}
		if title != "" {
			break
		}
	}
	if len(title) > maxTitle {
		title = strings.ToValidUTF8(title[:maxTitle], "") + "…"
	}
	return strings.Join(strings.Fields(title), " ")
}

// typed matches the type at the end of the name of an element that may have several.
var typed = regexp.MustCompile(`^(value|onset|abatement|effective|occurrence|performed|medication|deceased|multipleBirth|asNeeded|dose|rate|timing|product|allowed|scheduled|reported|born|age|due|start|item|location|serviced|diagnosis|procedure|defaultValue|initial|answer|subject|amount|content|event|collected|time|target|detail|used|probability|when|indication|strength|presentation|substance|source|entity|additive|chargeItem|quantity|fastingStatus|statusReason)(Quantity|CodeableConcept|String|Boolean|Integer|Decimal|Range|Ratio|SampledData|Time|DateTime|Date|Period|Age|Duration|Timing|Reference|Coding|Uri|Canonical|Attachment|Code|Identifier|Money|Instant|Markdown|CodeableReference|SimpleQuantity|RatioRange|Count|Distance)$`)

// withoutType returns valueQuantity as value.
func withoutType(name string) string {
	if m := typed.FindStringSubmatch(name); m != nil {
		return m[1]
	}
	return name
}

// spaced returns the name of an element as words: MedicationRequest as Medication request.
func spaced(name string) string {
	var b strings.Builder
	for i, r := range name {
		switch {
		case i == 0:
			b.WriteRune(unicode.ToUpper(r))
		case unicode.IsUpper(r):
			b.WriteByte(' ')
			b.WriteRune(unicode.ToLower(r))
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

func plural(kind string) string {
	switch {
	case strings.HasSuffix(kind, "s"):
		return kind
	case strings.HasSuffix(kind, "y") && !strings.HasSuffix(kind, "ey"):
		return kind[:len(kind)-1] + "ies"
	}
	return kind + "s"
}

// dayOf returns the day of a time such as 2020-07-14T22:03:45Z.
func dayOf(time string) string {
	day, _, _ := strings.Cut(time, "T")
	if len(day) > len("2006-01-02") {
		return ""
	}
	return day
}
