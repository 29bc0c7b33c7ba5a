package office

import (
	"encoding/xml"
	"errors"
	"slices"
	"strings"

	"lacuna/knowledge/document"
	"lacuna/knowledge/ingest/archive"
)

// properties is what a document says about itself.
type properties struct {
	title, subject, description, version, date, created string
	authors, tags                                       []string
	named                                               []string // custom ones, as "name: value"
	keywords                                            []string // in which the document may say that it is private
	replaces, reviewDue, page                           string
}

// readProperties reads the properties of an Office document from the parts that it has.
func readProperties(a *archive.Archive) (properties, error) {
	var p properties
	for _, part := range []string{"docProps/core.xml", "docProps/custom.xml", "meta.xml"} {
		if err := a.Tokens(part, p.reader()); err != nil && (errors.Is(err, archive.ErrUnpacked) || errors.Is(err, archive.ErrTooDeep)) {
			return p, err
		} // which a document may lack, or have broken
	}
	return p, nil
}

// reader reads one part.
func (p *properties) reader() archive.TokenReader {
	element, name := "", ""
	var value strings.Builder
	return func(token xml.Token, _ int) error {
		switch t := token.(type) {
		case xml.StartElement:
			element = t.Name.Local
			value.Reset()
			switch element {
			case "property":
				name = archive.Attribute(t, "name")
			case "user-defined":
				name = archive.Attribute(t, "name")
			}
		case xml.CharData:
			if value.Len() < 1<<16 {
				value.Write(t)
			}
		case xml.EndElement:
			text := strings.Join(strings.Fields(clean(value.String())), " ")
			value.Reset()
			if text == "" || element != t.Name.Local {
				break
			}
			if name != "" && t.Name.Local != "property" || element == "user-defined" {
				p.custom(name, text)
				name = ""
				break
			}
			p.set(element, text)
		}
		return nil
	}
}

// set notes a property of the standard set.
func (p *properties) set(element, text string) {
	switch element {
	case "title":
		p.title = text
	case "subject":
		p.subject = text
		p.keywords = append(p.keywords, text)
	case "description":
		p.description = text
		p.keywords = append(p.keywords, text)
	case "creator", "initial-creator":
		if !slices.Contains(p.authors, text) && len(p.authors) == 0 {
			p.authors = divide(text, ";")
		}
	case "keywords", "keyword":
		p.tags = append(p.tags, divide(text, ";,")...)
		p.keywords = append(p.keywords, text)
	case "category":
		p.tags = append(p.tags, text)
		p.keywords = append(p.keywords, text)
	case "contentStatus":
		p.keywords = append(p.keywords, text)
	case "version":
		p.version = text
	case "modified", "date":
		p.date = day(text)
	case "created", "creation-date":
		p.created = day(text)
	}
}

// custom notes a property that the user named.
func (p *properties) custom(name, text string) {
	if len(p.named) > 1000 {
		return
	}
	p.named = append(p.named, name+": "+text)
	switch strings.NewReplacer("_", "", " ", "", "-", "", ".", "").Replace(strings.ToLower(name)) {
	case "version", "documentversion", "revision", "revisionnumber":
		p.version = text
	case "replaces", "supersedes":
		p.replaces = text
	case "reviewdue", "reviewdate", "nextreview", "duedate", "validuntil":
		p.reviewDue = day(text)
	case "doi", "url", "documentid", "documentnumber":
		p.page = text
	case "effectivedate", "dateofissue", "issuedate", "datecompleted":
		p.date = day(text)
	}
}

// divide divides a list at any of the separators.
func divide(text, separators string) []string {
	var items []string
	for _, item := range strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(separators, r) }) {
		if item = strings.TrimSpace(item); item != "" {
			items = append(items, item)
		}
	}
	return items
}

// day returns the date of a time.
func day(text string) string {
	if len(text) > 10 && text[4] == '-' && text[7] == '-' && text[10] == 'T' {
		return text[:10]
	}
	return text
}

// describe writes the properties into the document.
func (p *properties) describe(d *document.Document) {
	d.About.Description = p.description
	if d.About.Description == "" {
		d.About.Description = p.subject
	}
	slices.Sort(p.tags)
	d.About.Tags = slices.Compact(p.tags)
	d.About.Authors = p.authors
	d.About.Version = p.version
	d.About.Replaces, d.About.ReviewDue, d.About.Page = p.replaces, p.reviewDue, p.page
	if d.Date = p.date; d.Date == "" {
		d.Date = p.created
	}
	d.Keywords = append(slices.Clone(p.keywords), p.named...)
}
