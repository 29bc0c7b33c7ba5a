package clinical

import (
	"encoding/base64"
	"encoding/xml"
	"fmt"
	"slices"
	"strings"

	"lacuna/knowledge/document"
	"lacuna/knowledge/passage"
)

// narrativeBlock has the elements of the narrative of CDA and SPL, and those of HTML that systems write
// there although they may not.
func narrativeBlock() vocabulary {
	return vocabulary{}.
		with(block, "paragraph text div p caption ul ol pre blockquote highlight center").
		with(list, "list ul ol").
		with(item, "item li").
		with(tableRole, "table").with(rowRole, "tr").with(cell, "td th").
		with(heading, "h1 h2 h3 h4 h5 h6").
		with(lineBreak, "br").
		with(superscript, "sup").
		with(footnote, "footnote").
		with(picture, "renderMultiMedia img").
		with(unread, "script style entry subject observationMedia")
}

// cda reads a C-CDA document or a drug label.
type cda struct {
	narrative
	products []product
}

// readCDA reads a ClinicalDocument, or the document of a drug label.
func readCDA(content []byte) (document.Document, error) {
	// Coded entries are most of a clinical document, and its narrative says the same.
	entries := false
	root, err := parseXML(content, func(name xml.Name) bool {
		if name.Local == "ClinicalDocument" {
			entries = true
		}
		return entries && name.Local == "entry"
	})
	if err != nil {
		return document.Document{}, err
	}
	d := cda{}
	d.roles = narrativeBlock()
	d.Date = dateOf(root.child("effectiveTime").value())
	d.About.Version = root.child("versionNumber").value()
	d.About.Page = identifier(root.child("setId"), root.child("id"))
	for _, author := range root.all("author") {
		for _, who := range []*node{author.at("assignedAuthor", "assignedPerson", "name"), author.at("assignedEntity", "representedOrganization", "name"), author.at("assignedAuthor", "representedOrganization", "name")} {
			if name := personName(who); name != "" && !slices.Contains(d.About.Authors, name) {
				d.About.Authors = append(d.About.Authors, name)
				break
			}
		}
	}
	for _, related := range root.all("relatedDocument") {
		if related.attr("typeCode") == "RPLC" {
			d.About.Replaces = identifier(related.at("parentDocument", "setId"), related.at("relatedDocument", "setId"), related.at("parentDocument", "id"), related.at("relatedDocument", "id"))
		}
	}
	if kind := root.child("code").attrOr("displayName"); kind != "" {
		d.About.Tags = append(d.About.Tags, kind)
	}
	d.Title = root.child("title").words()
	body := root.at("component")
	if root.name == "ClinicalDocument" {
		d.patients(root)
	} else if err := d.label(root); err != nil {
		return document.Document{}, err
	}
	header := 0
	for _, c := range root.children {
		if c.name != "" && c.name != "title" && c.name != "component" {
			header += len(strings.Fields(c.words()))
		}
	}
	if header > 0 {
		d.Omit("header of the document", header)
	}
	if err := d.unstructured(body.child("nonXMLBody")); err != nil {
		return document.Document{}, err
	}
	for _, c := range body.child("structuredBody").all("component") {
		for _, s := range c.all("section") {
			if err := d.section(s, 1); err != nil {
				return document.Document{}, err
			}
		}
	}
	return d.finish()
}

// identifier returns the first of some identifiers as one word.
func identifier(of ...*node) string {
	for _, n := range of {
		root, extension := n.attrOr("root"), n.attrOr("extension")
		switch {
		case root != "" && extension != "":
			return root + "/" + extension
		case root != "":
			return root
		}
	}
	return ""
}

// personName returns a name as it is written: given names before the family name.
func personName(n *node) string {
	if n == nil {
		return ""
	}
	var parts []string
	for _, part := range []string{"prefix", "given", "family", "suffix"} {
		for _, c := range n.all(part) {
			if part != "prefix" || len(c.words()) > 0 {
				parts = append(parts, c.words())
			}
		}
	}
	if len(parts) == 0 {
		return n.words()
	}
	return strings.Join(strings.Fields(strings.Join(parts, " ")), " ")
}

// patients puts the names of the patients into the title, so that no citation leaves open whose record it
// is from. The document is personal.
func (d *cda) patients(root *node) {
	var names []string
	for _, target := range root.all("recordTarget") {
		role := target.child("patientRole")
		if role == nil {
			continue
		}
		d.Personal = true
		// One person may have several names, the first of which is in use.
		if name := personName(role.at("patient", "name")); name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	d.Aliases = append(d.Aliases, names...)
	d.Title = titleOfRecord(d.Title, names)
}

// unstructured reads a body that is not XML.
func (d *cda) unstructured(body *node) error {
	text := body.child("text")
	if text == nil {
		return nil
	}
	media := text.attr("mediaType")
	if media == "" {
		media = "text/plain"
	}
	words := text.raw()
	if text.attr("representation") == "B64" {
		decoded, err := base64.StdEncoding.DecodeString(strings.Join(strings.Fields(words), ""))
		if err != nil {
			decoded = nil
		}
		words = strings.ToValidUTF8(string(decoded), "")
	}
	if !strings.HasPrefix(media, "text/plain") || strings.TrimSpace(words) == "" {
		d.Lose("attached document ("+short(media)+")", 0)
		d.Partly = fmt.Sprintf("the body is an attached file (%s), which is not read", short(media))
		return nil
	}
	return d.plain(words, text.line)
}

// section writes a section and those in it.
func (d *cda) section(s *node, level int) error {
	d.depth = level
	title, code := s.child("title"), s.child("code")
	kind := sectionKind(code)
	words := title.words()
	switch {
	case words != "":
		if err := d.heading(title, level); err != nil {
			return err
		}
	case kind != "":
		if err := d.narrative.label(kind, level, code.line); err != nil {
			return err
		}
	}
	for _, c := range s.children {
		switch c.name {
		case "text":
			name := ""
			if words != "" && !containsWords(words, kind) && c.words() != "" {
				name = kind
			}
			if err := d.introduced(name, max(s.line, lineOfChild(s, "code")), func() error { return d.inside(c, passage.Paragraph, 0) }); err != nil {
				return err
			}
		case "entry":
			d.Omit("coded entries", 0)
		case "excerpt":
			d.Omit("highlights, which repeat sections", len(strings.Fields(c.words())))
		case "subject":
			if err := d.subject(c); err != nil {
				return err
			}
		}
	}
	if s.child("text").words() == "" && s.child("entry") != nil && !hasPictures(s.child("text")) {
		d.Lose("coded entries without narrative", 0)
	}
	for _, c := range s.all("component") {
		for _, inner := range c.all("section") {
			if err := d.section(inner, level+1); err != nil {
				return err
			}
		}
	}
	d.depth = level
	return nil
}

func hasPictures(n *node) bool {
	found := false
	if n != nil {
		n.each(func(c *node) bool {
			found = found || c.name == "renderMultiMedia"
			return !found
		})
	}
	return found
}

// sectionKind returns what a section's code calls it, without words that say nothing.
func sectionKind(code *node) string {
	kind := strings.TrimSpace(code.attrOr("displayName"))
	lower := strings.ToLower(kind)
	if strings.Contains(lower, "unclassified") {
		return ""
	}
	if strings.HasPrefix(lower, "spl product data") {
		return "Products"
	}
	if strings.HasSuffix(lower, " section") {
		kind = kind[:len(kind)-len(" section")]
	}
	if kind == strings.ToUpper(kind) && len(kind) > 1 { // as drug labels have them
		kind = kind[:1] + strings.ToLower(kind[1:])
	}
	return kind
}
