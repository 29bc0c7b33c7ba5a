package clinical

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/xml"
	"strings"

	"lacuna/knowledge/document"
	"lacuna/knowledge/passage"
)

// ReadJSON reads FHIR resources in JSON. It fails with a [document.Unread] if the text is JSON of another
// kind.
func ReadJSON(_ context.Context, content []byte) (document.Document, error) {
	other := document.Unread("no reader for this JSON (neither FHIR nor CSL)")
	if !bytes.Contains(content, []byte(`"resourceType"`)) {
		return document.Document{}, other
	}
	top, err := parseJSON(content, skipped)
	if err != nil {
		return document.Document{}, err
	}
	found := outermost(top)
	if len(found) == 0 {
		return document.Document{}, other
	}
	return readResources(found)
}

// outermost returns the resources below n that are in no other: those of a file, or of what a system wraps
// around them, such as a request.
func outermost(n *node) []*node {
	var found []*node
	n.each(func(c *node) bool {
		if c.child("resourceType") == nil {
			return true
		}
		found = append(found, c)
		return false
	})
	return found
}

// skipped reports properties that say nothing about the subject of a resource.
func skipped(name string) bool {
	return name == "meta" || name == "extension" || name == "modifierExtension" || name == "implicitRules" || name == "snapshot" || name == "differential" || name == "signature"
}

func readFHIRXML(content []byte) (document.Document, error) {
	root, err := parseXML(content, func(name xml.Name) bool { return name.Space == fhirSpace && skipped(name.Local) })
	if err != nil {
		return document.Document{}, err
	}
	valued(root)
	return readResources([]*node{root})
}

// valued moves the values of FHIR elements from their attributes to where they stand in JSON.
func valued(n *node) {
	for _, c := range n.children {
		if c.name == "" || c.name == "div" {
			continue
		}
		if v := c.attr("value"); v != "" {
			c.text = v
		}
		valued(c)
	}
}

// fhir writes resources.
type fhir struct {
	narrative
	all      []*resource
	known    map[string]*resource // by the ways of referring to them
	patients []*resource
	said     map[*node]bool // resources whose narrative is written, or part of a section's
}

// readResources reads one resource, a bundle, or several resources.
func readResources(roots []*node) (document.Document, error) {
	f := fhir{known: map[string]*resource{}, said: map[*node]bool{}}
	f.roles = narrativeBlock().with(block, "div section article header footer main h7 dl").with(term, "dt").with(definition, "dd")
	f.special = func(n *node) (bool, error) {
		if n.name == "pre" || n.name == "code" {
			return true, f.verbatim(n)
		}
		return false, nil
	}
	single := len(roots) == 1
	for _, root := range roots {
		if r := resourceIn(root); r != nil {
			single = single && !isBundle(r)
			f.collect(r)
		}
	}
	all := f.all
	for _, r := range all {
		f.personal(r)
	}
	if err := f.write(all, single); err != nil {
		return document.Document{}, err
	}
	return f.finish()
}

// collect remembers a resource, or those of a bundle and of the bundles in it.
func (f *fhir) collect(r *resource) {
	if !isBundle(r) {
		f.all = append(f.all, r)
		f.know(r)
		return
	}
	if f.Date == "" {
		f.Date = dayOf(r.child("timestamp").val())
	}
	for _, e := range append(r.all("entry"), r.all("parameter")...) {
		if inner := resourceIn(e.child("resource")); inner != nil {
			inner.url = e.child("fullUrl").val()
			f.collect(inner)
		}
	}
}

// know remembers a resource and those in it under the ways of referring to them.
func (f *fhir) know(r *resource) {
	if r.id != "" {
		f.known[r.kind+"/"+r.id] = r
	}
	if r.url != "" {
		f.known[r.url] = r
	}
	for _, c := range r.all("contained") {
		if inner := resourceIn(c); inner != nil && inner.id != "" {
			f.known["#"+inner.id] = inner
		}
	}
}

// refer returns the resource that a reference names, or nil.
func (f *fhir) refer(reference string) *resource {
	if r := f.known[reference]; r != nil {
		return r
	}
	if parts := strings.Split(reference, "/"); len(parts) > 2 {
		return f.known[parts[len(parts)-2]+"/"+parts[len(parts)-1]]
	}
	return nil
}

// personal notes patients, and makes the document personal if a resource is about one.
func (f *fhir) personal(r *resource) {
	if r.kind == "Patient" || r.kind == "RelatedPerson" || r.kind == "Person" {
		f.Personal = true
	}
	if r.kind == "Patient" {
		f.patients = append(f.patients, r)
	}
	for _, name := range []string{"subject", "patient", "beneficiary", "individual", "for", "source"} {
		for _, n := range r.all(name) {
			if ref := n.child("reference").val(); strings.HasPrefix(ref, "Patient/") || strings.Contains(ref, "/Patient/") || n.child("type").val() == "Patient" || f.refer(ref) != nil && f.refer(ref).kind == "Patient" {
				f.Personal = true
			}
		}
	}
}

// administrative has the resources that say nothing about anyone's health. In a bundle they are content
// only with a narrative.
var administrative = setOf("Patient Practitioner PractitionerRole Organization Location Endpoint Provenance AuditEvent Claim ClaimResponse ExplanationOfBenefit Coverage Account Invoice ChargeItem PaymentNotice PaymentReconciliation Person RelatedPerson Schedule Slot MessageHeader OperationOutcome Subscription Binary Basic Group List Encounter EpisodeOfCare")

// definitions has the resources that define FHIR itself.
var definitions = setOf("StructureDefinition SearchParameter CapabilityStatement OperationDefinition StructureMap NamingSystem ImplementationGuide GraphDefinition MessageDefinition CompartmentDefinition TestScript")

// write writes the resources of a file.
func (f *fhir) write(all []*resource, single bool) error {
	if len(all) == 0 {
		return nil
	}
	var title string
	compositions := 0
	for _, r := range all {
		if r.kind == "Composition" {
			compositions++
		}
	}
	for _, r := range all {
		if r.kind == "Composition" {
			title = r.child("title").val()
			if about := f.reference(r.child("subject")); about != "" && f.refer(r.at("subject", "reference").val()) != nil && f.refer(r.at("subject", "reference").val()).kind != "Patient" {
				title = titleOfRecord(title, []string{about})
			}
			if date := dayOf(r.child("date").val()); date != "" {
				f.Date = date
			}
			for _, author := range r.all("author") {
				if name := f.reference(author); name != "" {
					f.About.Authors = appendNew(f.About.Authors, name)
				}
			}
			break
		}
	}
	var names []string
	for _, p := range f.patients[:min(len(f.patients), 3)] {
		if name := humanName(p.child("name")); name != "" {
			names = appendNew(names, name)
		}
	}
	if single {
		r := all[0]
		if title == "" {
			title = f.title(r)
		}
		f.about(r)
		if r.kind == "Patient" {
			title = ""
		}
	}
	if title == "" && len(names) > 0 && len(f.patients) <= 3 {
		title = "Patient record"
	}
	if len(f.patients) <= 3 {
		f.Aliases = append(f.Aliases, names...)
		title = titleOfRecord(title, names)
	}
	f.Title = title
	if single {
		return f.single(all[0], 1)
	}
	for _, r := range all {
		if r.kind == "Composition" {
			f.said[r.node] = true
			level := 1
			if compositions > 1 {
				if err := f.narrative.label(f.plainTitle(r), 1, r.line); err != nil {
					return err
				}
				level++
			}
			if err := f.single(r, level); err != nil {
				return err
			}
		}
	}
	return f.bundle(all)
}

// about reads what a definition, such as a questionnaire, says about itself.
func (f *fhir) about(r *resource) {
	f.About.Page = r.child("url").val()
	f.About.Version = r.child("version").val()
	if f.Date == "" {
		f.Date = dayOf(r.child("date").val())
	}
	if publisher := r.child("publisher").val(); publisher != "" {
		f.About.Authors = appendNew(f.About.Authors, publisher)
	}
}

// bundle writes the resources of a bundle: those with a narrative one by one, the others as items by kind.
func (f *fhir) bundle(all []*resource) error {
	var kinds []string
	rows := map[string][]*resource{}
	for _, r := range all {
		switch {
		case f.said[r.node]:
			continue
		case r.kind == "Patient":
			f.Omit("header of the document", len(strings.Fields(narrativeOf(r).words())))
			continue
		case narrativeOf(r) != nil || sectioned[r.kind]:
			f.said[r.node] = true
			if err := f.narrative.label(f.label(r), 1, r.line); err != nil {
				return err
			}
			if err := f.single(r, 2); err != nil {
				return err
			}
		case administrative[r.kind]:
			f.Omit("administrative and billing resources", 0)
		case definitions[r.kind]:
			f.Omit("definitions of FHIR itself", 0)
		default:
			if rows[r.kind] == nil {
				kinds = append(kinds, r.kind)
			}
			rows[r.kind] = append(rows[r.kind], r)
		}
	}
	for _, kind := range kinds {
		if err := f.narrative.label(plural(spaced(kind)), 1, rows[kind][0].line); err != nil {
			return err
		}
		for _, r := range rows[kind] {
			if err := f.item(r); err != nil {
				return err
			}
		}
	}
	return nil
}

// sectioned has the resources that have sections or items of their own.
var sectioned = setOf("Composition Questionnaire QuestionnaireResponse PlanDefinition ActivityDefinition DocumentReference CodeSystem ValueSet Library Measure")

// label returns the heading of a resource among others.
func (f *fhir) label(r *resource) string {
	kind, title := spaced(r.kind), f.title(r)
	if title == "" || strings.EqualFold(title, kind) {
		return kind
	}
	if who := f.whose(r); who != "" {
		title += " (" + who + ")"
	}
	return kind + ": " + title
}

// whose returns the name of the patient whom a resource is about, if there are several in the file.
func (f *fhir) whose(r *resource) string {
	if len(f.patients) < 2 {
		return ""
	}
	for _, name := range []string{"subject", "patient"} {
		if who := f.reference(r.child(name)); who != "" {
			return who
		}
	}
	return ""
}

// single writes a resource: its narrative, and the fields that say more than it does.
func (f *fhir) single(r *resource, level int) error {
	f.depth = level
	said := newWordSet(f.Title)
	if div := narrativeOf(r); div != nil {
		said.add(div.words())
		if err := f.div(div, level); err != nil {
			return err
		}
	}
	for _, field := range f.fields(r) {
		if said.has(field.value) {
			continue
		}
		if err := f.property(field.label, field.value, field.line); err != nil {
			return err
		}
	}
	switch r.kind {
	case "Composition":
		for _, s := range r.all("section") {
			if err := f.section(s, level); err != nil {
				return err
			}
		}
	case "Questionnaire":
		return f.questions(r.all("item"), level)
	case "QuestionnaireResponse":
		return f.replies(r.all("item"), level)
	case "PlanDefinition":
		return f.actions(r.all("action"), level)
	case "CodeSystem":
		return f.concepts(r.all("concept"), said)
	case "ValueSet":
		for _, include := range r.child("compose").all("include") {
			if err := f.concepts(include.all("concept"), said); err != nil {
				return err
			}
		}
	}
	return f.attachments(r)
}

// div writes a narrative; its headings stand below a level.
func (f *fhir) div(div *node, level int) error {
	base := level
	if f.Title == "" && level == 1 {
		base = 0
	}
	old := f.special
	f.special = func(n *node) (bool, error) {
		if len(n.name) == 2 && n.name[0] == 'h' && '1' <= n.name[1] && n.name[1] <= '6' {
			return true, f.heading(n, base+int(n.name[1]-'0'))
		}
		return old(n)
	}
	err := f.inside(div, passage.Paragraph, 0)
	f.special = old
	return err
}

// section writes a section of a composition, with the narratives of its entries that it does not repeat.
func (f *fhir) section(s *node, level int) error {
	title := s.child("title").val()
	kind := conceptWords(s.child("code"))
	switch {
	case title == "":
		title, kind = kind, ""
	case kind != "" && !containsWords(title, kind):
	default:
		kind = ""
	}
	if title != "" {
		if err := f.narrative.label(title, level, s.line); err != nil {
			return err
		}
	}
	said := wordSet{}
	div := narrativeOf(&resource{node: s})
	if div != nil {
		said.add(div.words())
		if err := f.introduced(kind, lineOfChild(s, "code"), func() error { return f.div(div, level) }); err != nil {
			return err
		}
	}
	for _, e := range s.all("entry") {
		r := f.refer(e.child("reference").val())
		if r == nil || f.said[r.node] || r.kind == "Patient" {
			continue
		}
		inner := narrativeOf(r)
		switch {
		case inner == nil && div != nil:
			f.said[r.node] = true
			f.Omit("coded entries", 0)
		case inner != nil && said.has(inner.words()):
			f.said[r.node] = true
			f.Omit("narratives that a section repeats", len(strings.Fields(inner.words())))
		case inner == nil && !sectioned[r.kind]:
			f.said[r.node] = true
			if err := f.item(r); err != nil {
				return err
			}
		default:
			f.said[r.node] = true
			if err := f.narrative.label(f.label(r), level+1, r.line); err != nil {
				return err
			}
			if err := f.single(r, level+2); err != nil {
				return err
			}
		}
	}
	for _, inner := range s.all("section") {
		if err := f.section(inner, level+1); err != nil {
			return err
		}
	}
	return nil
}

// item writes a resource without narrative as one item.
func (f *fhir) item(r *resource) error {
	parts := []string{}
	if who := f.whose(r); who != "" {
		parts = append(parts, who)
	}
	title := f.title(r)
	if title != "" {
		parts = append(parts, title)
	}
	for _, field := range f.fields(r) {
		if field.value != title && !strings.EqualFold(field.value, title) {
			parts = append(parts, field.label+": "+field.value)
		}
	}
	if len(parts) == 0 {
		f.Omit("resources without text", 0)
		return nil
	}
	if err := f.end(); err != nil {
		return err
	}
	f.begin(passage.Item, 1)
	err := f.Words(clean(strings.Join(parts, "; ")), r.line)
	f.close()
	if err == nil {
		err = f.attachments(r)
	}
	return err
}

// questions writes the items of a questionnaire: groups as headings, questions with their choices.
func (f *fhir) questions(items []*node, level int) error {
	for _, q := range items {
		text := strings.TrimSpace(q.child("prefix").val() + " " + q.child("text").val())
		inner := q.all("item")
		if len(inner) > 0 && text != "" && (q.child("type").val() == "group" || q.child("type") == nil) {
			if err := f.narrative.label(text, level, q.line); err != nil {
				return err
			}
		} else if text != "" {
			if err := f.entry(text, 1, lineOfChild(q, "text")); err != nil {
				return err
			}
			options := append(q.all("answerOption"), q.all("option")...)
			for _, o := range options {
				if err := f.entry(f.choice(o), 2, o.line); err != nil {
					return err
				}
			}
		}
		if err := f.questions(inner, min(level+1, maxHeadings)); err != nil {
			return err
		}
	}
	return nil
}

// maxHeadings bounds the levels of headings made of items.
const maxHeadings = 12

// entry writes an item of a list.
func (f *fhir) entry(text string, level, line int) error {
	if text == "" {
		return nil
	}
	if err := f.end(); err != nil {
		return err
	}
	f.begin(passage.Item, level)
	err := f.Words(clean(text), line)
	f.close()
	return err
}

// choice returns the words of an answer.
func (f *fhir) choice(n *node) string {
	for _, c := range n.children {
		if strings.HasPrefix(c.name, "value") {
			if words := f.value(c, 0); words != "" {
				return words
			}
		}
	}
	return ""
}

// replies writes the questions of a response with their answers.
func (f *fhir) replies(items []*node, level int) error {
	for _, q := range items {
		text := q.child("text").val()
		var answers []string
		var deeper []*node
		for _, a := range q.all("answer") {
			if words := f.choice(a); words != "" {
				answers = append(answers, words)
			}
			deeper = append(deeper, a.all("item")...)
		}
		switch {
		case len(answers) > 0:
			if text == "" {
				text = q.child("linkId").val()
			}
			if err := f.entry(text+": "+strings.Join(answers, ", "), 1, lineOfChild(q, "text")); err != nil {
				return err
			}
		case text != "" && len(q.all("item")) > 0:
			if err := f.narrative.label(text, level, q.line); err != nil {
				return err
			}
		case text != "":
			if err := f.entry(text, 1, q.line); err != nil {
				return err
			}
		}
		if err := f.replies(append(deeper, q.all("item")...), min(level+1, maxHeadings)); err != nil {
			return err
		}
	}
	return nil
}

// actions writes the actions of a plan: those with actions in them as headings.
func (f *fhir) actions(list []*node, level int) error {
	for _, a := range list {
		title := strings.TrimSpace(a.child("prefix").val() + " " + a.child("title").val())
		inner := a.all("action")
		if title != "" {
			if err := f.narrative.label(title, level, a.line); err != nil {
				return err
			}
		}
		for _, field := range f.fieldsOf(a, setOf("prefix title action id definitionCanonical definitionUri dynamicValue type groupingBehavior selectionBehavior requiredBehavior precheckBehavior cardinalityBehavior relatedAction")) {
			if err := f.property(field.label, field.value, field.line); err != nil {
				return err
			}
		}
		if err := f.actions(inner, min(level+1, maxHeadings)); err != nil {
			return err
		}
	}
	return nil
}

// concepts writes codes with their meanings, unless a narrative has them.
func (f *fhir) concepts(list []*node, said wordSet) error {
	header := false
	var write func(list []*node) error
	write = func(list []*node) error {
		for _, c := range list {
			code, display, definition := c.child("code").val(), c.child("display").val(), c.child("definition").val()
			if !said.has(code + " " + display + " " + definition) {
				if err := f.end(); err != nil {
					return err
				}
				if !header {
					header = true
					if err := f.Row([]string{"Code", "Display", "Definition"}, true, lineOfChild(c, "code")); err != nil {
						return err
					}
				}
				if err := f.Row([]string{clean(code), clean(display), clean(definition)}, false, lineOfChild(c, "code")); err != nil {
					return err
				}
			}
			if err := write(c.all("concept")); err != nil {
				return err
			}
		}
		return nil
	}
	err := write(list)
	f.EndTable()
	return err
}

// maxAttachments bounds the attachments of one resource that are read.
const maxAttachments = 64

// attachments reads the text that is attached to a resource.
func (f *fhir) attachments(r *resource) error {
	count := 0
	var failed error
	r.each(func(n *node) bool {
		data := n.child("data")
		media := n.child("contentType").val()
		if data == nil || media == "" || data.text == "" || failed != nil {
			return n.name != "contained" && n.name != "div"
		}
		if count++; count > maxAttachments {
			return false
		}
		kind, _, _ := strings.Cut(media, ";")
		decoded, err := base64.StdEncoding.DecodeString(strings.Join(strings.Fields(data.text), ""))
		switch {
		case err != nil:
			f.Lose("attached document ("+short(kind)+")", 0)
		case kind == "text/plain" || kind == "text/markdown":
			failed = f.plainAt(string(decoded), data.line)
		case kind == "text/html" || kind == "application/xhtml+xml" || kind == "text/xml" && bytes.Contains(decoded, []byte("<")):
			failed = f.div(xhtml(string(decoded), data.line), f.depth)
		case strings.HasPrefix(kind, "text/") || strings.HasPrefix(kind, "application/elm") || strings.HasPrefix(kind, "image/"):
			f.Omit("attachments ("+short(kind)+")", 0)
		default:
			f.Lose("attached document ("+short(kind)+")", 0)
		}
		return false
	})
	return failed
}

// plainAt writes paragraphs of plain text, all of which stand on one line of the file.
func (f *fhir) plainAt(text string, line int) error {
	for part := range strings.SplitSeq(strings.ToValidUTF8(strings.ReplaceAll(text, "\r\n", "\n"), ""), "\n") {
		if strings.TrimSpace(part) == "" {
			if err := f.end(); err != nil {
				return err
			}
			continue
		}
		if f.open {
			f.breaks = 1
		}
		if err := f.text(part, line); err != nil {
			return err
		}
	}
	return f.end()
}
