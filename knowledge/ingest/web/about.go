package web

import (
	"regexp"
	"strings"

	"golang.org/x/net/html/atom"

	"lacuna/knowledge/document"
	"lacuna/knowledge/passage"
)

// About is what a page says about itself.
type About struct {
	Title    string // of its head
	Heading  string // its first heading of level one; empty if there are several or none
	Date     string
	Language string
	passage.Metadata
	Statements []string // keywords and comments in which it may say that it is private
	headings   []int    // indices of the blocks that are headings of level one
}

var (
	modified  = regexp.MustCompile(`"dateModified"\s*:\s*"([^"\\]{4,40})"`)
	published = regexp.MustCompile(`"datePublished"\s*:\s*"([^"\\]{4,40})"`)
	// separators stand between the title of a page and the name of its site.
	separators = regexp.MustCompile(`\s+(?:[|–—•·»«:-]|::|&raquo;)\s+|:\s+`)
)

// dates are the names under which pages tell when they were written, the best first.
var dates = []string{"article:modified_time", "dcterms.modified", "dc.date.modified", "og:updated_time", "last-modified", "revised", "datemodified", "article:published_time",
	"dcterms.date", "dc.date", "dcterms.created", "dc.date.created", "datepublished", "date", "citation_publication_date", "pubdate", "created"}

// about reads the head of a page. from is the index of its first block.
func (t *tree) about(b *document.Builder, from int) About {
	a := About{Title: t.title(), Statements: t.comments}
	found := map[string]string{}
	for i := range t.nodes {
		n := &t.nodes[i]
		switch n.tag {
		case atom.Meta:
			name := strings.ToLower(n.attribute("name") + n.attribute("property"))
			content := strings.Join(strings.Fields(clean(n.attribute("content"))), " ")
			if name == "" {
				name = strings.ToLower(n.attribute("itemprop"))
			}
			switch name {
			case "author", "dc.creator", "dcterms.creator", "citation_author", "article:author":
				if content != "" && !strings.HasPrefix(content, "http") && len(a.Authors) < 50 {
					a.Authors = append(a.Authors, content)
				}
			case "keywords", "citation_keywords":
				for tag := range strings.FieldsFuncSeq(content, func(r rune) bool { return r == ',' || r == ';' || r == '，' }) {
					if tag = strings.TrimSpace(tag); tag != "" && len(a.Tags) < 100 {
						a.Tags = append(a.Tags, tag)
					}
				}
				a.Statements = append(a.Statements, content)
			case "lacuna":
				a.Statements = append(a.Statements, "lacuna: "+content)
			default:
				if name != "" && content != "" && found[name] == "" {
					found[name] = content
				}
			}
		case atom.Link:
			if strings.EqualFold(n.attribute("rel"), "canonical") && a.Page == "" {
				a.Page = n.attribute("href")
			}
		case atom.Script:
			if n.attribute("type") == "application/ld+json" && n.first != 0 {
				text := t.nodes[n.first].text
				if at := modified.FindStringSubmatch(text); at != nil && found["datemodified"] == "" {
					found["datemodified"] = at[1]
				}
				if at := published.FindStringSubmatch(text); at != nil && found["datepublished"] == "" {
					found["datepublished"] = at[1]
				}
			}
		}
	}
	for _, name := range dates {
		if a.Date == "" {
			a.Date = found[name]
		}
	}
	for _, name := range []string{"description", "dcterms.description", "dc.description", "og:description"} {
		if a.Description == "" {
			a.Description = found[name]
		}
	}
	if a.Language = t.nodes[0].attribute("lang"); a.Language == "" {
		a.Language = t.nodes[0].attribute("xml:lang")
	}
	for i := from; i < len(b.Blocks); i++ {
		if block := &b.Blocks[i]; block.Kind == passage.Heading && block.Level == 1 && block.Chrome == document.Content {
			a.headings = append(a.headings, i)
		}
	}
	return a
}

// describe sets what a document says about itself. The first heading of level one is the title if it is
// the only one or the page's head says the same; the name of the site after it is left out.
func (a *About) describe(d *document.Document) {
	d.Date, d.About, d.Keywords = a.Date, a.Metadata, a.Statements
	d.Title = a.Title
	for k, i := range a.headings {
		block := &d.Blocks[i]
		if k > 0 && !agrees(a.Title, block.Label) {
			continue
		}
		site := k == 0 && strings.HasSuffix(strings.ToLower(a.Title), strings.ToLower(" "+block.Label)) && separators.MatchString(a.Title)
		if a.Title == "" || agrees(a.Title, block.Label) && !site || len(a.headings) == 1 && !site {
			d.Title, block.Label = block.Label, ""
			return
		}
		if site { // the heading names the site
			d.Title = strings.TrimRight(strings.TrimSpace(a.Title[:len(a.Title)-len(block.Label)]), " |–—•·»«:-")
			return
		}
	}
}

// agrees reports whether the title of a page names a heading.
func agrees(title, heading string) bool {
	return heading != "" && strings.Contains(strings.ToLower(title), strings.ToLower(heading))
}
