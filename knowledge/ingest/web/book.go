package web

import (
	"encoding/xml"
	"errors"
	"maps"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/html/atom"

	"lacuna/knowledge/ingest/archive"
)

// maxPages bounds the pages of an EPUB file.
const maxPages = 10_000

// book is what the package of an EPUB file says.
type book struct {
	titles  []string
	about   About
	items   map[string]item // by id
	spine   []string        // ids in reading order
	toc     string          // id of the table of contents of EPUB 2
	folder  string          // of the package
	element string          // open element of the metadata
	text    strings.Builder
}

type item struct{ href, kind, properties string }

var tag = regexp.MustCompile(`<[^>]*>`)

// unescaped decodes the characters that an address writes as %20 and the like.
func unescaped(address string) string {
	if !strings.Contains(address, "%") {
		return address
	}
	var b strings.Builder
	for i := 0; i < len(address); i++ {
		if i+2 < len(address) && address[i] == '%' {
			if c, err := strconv.ParseUint(address[i+1:i+3], 16, 8); err == nil {
				b.WriteByte(byte(c))
				i += 2
				continue
			}
		}
		b.WriteByte(address[i])
	}
	return b.String()
}

// value returns an attribute whatever its name space.
func value(e xml.StartElement, name string) string {
	for _, a := range e.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// lockedParts returns the parts that are encrypted, except for fonts, whose letters are only shuffled.
func lockedParts(a *archive.Archive) (map[string]bool, error) {
	locked := map[string]bool{}
	font := false
	err := a.Tokens("META-INF/encryption.xml", func(token xml.Token, _ int) error {
		if start, ok := token.(xml.StartElement); ok {
			switch start.Name.Local {
			case "EncryptedData":
				font = false
			case "EncryptionMethod":
				algorithm := value(start, "Algorithm")
				font = strings.Contains(algorithm, "obfuscation") || strings.Contains(algorithm, "font")
			case "CipherReference":
				if !font {
					locked[strings.TrimPrefix(unescaped(value(start, "URI")), "/")] = true
				}
			}
		}
		return nil
	})
	if err != nil && !errors.Is(err, archive.ErrNoPart) {
		return nil, err
	}
	return locked, nil
}

// token reads the package.
func (b *book) token(token xml.Token, _ int) error {
	switch t := token.(type) {
	case xml.StartElement:
		b.text.Reset()
		switch b.element = t.Name.Local; b.element {
		case "item":
			if id := value(t, "id"); len(b.items) < 4*maxPages {
				b.items[id] = item{unescaped(value(t, "href")), value(t, "media-type"), value(t, "properties")}
			}
		case "itemref":
			if len(b.spine) < maxPages {
				b.spine = append(b.spine, value(t, "idref"))
			}
		case "spine":
			b.toc = value(t, "toc")
		case "meta":
			if property := value(t, "property"); property == "dcterms:modified" && b.about.Date == "" {
				b.element = "modified"
			}
		}
	case xml.CharData:
		if b.text.Len() < 1<<16 {
			b.text.Write(t)
		}
	case xml.EndElement:
		text := strings.Join(strings.Fields(clean(b.text.String())), " ")
		b.text.Reset()
		if text == "" {
			return nil
		}
		switch t.Name.Local {
		case "title":
			if b.about.Title == "" {
				b.about.Title = text
			}
		case "creator":
			b.about.Authors = append(b.about.Authors, text)
		case "subject":
			b.about.Tags = append(b.about.Tags, text)
			b.about.Statements = append(b.about.Statements, text)
		case "date":
			b.about.Date = text
		case "meta":
			if b.element == "modified" && b.about.Date == "" {
				b.about.Date = text
			}
		case "identifier":
			if b.about.Page == "" {
				b.about.Page = text
			}
		case "description":
			b.about.Description = strings.Join(strings.Fields(tag.ReplaceAllString(text, " ")), " ")
		}
	}
	return nil
}

// path returns the name of a part that the package names.
func (b *book) path(href string) string {
	href, _, _ = strings.Cut(href, "#")
	return strings.TrimPrefix(path.Join(b.folder, href), "/")
}

// labels returns the first name that the table of contents gives to each part.
func (b *book) labels(a *archive.Archive) map[string]string {
	labels := map[string]string{}
	note := func(folder, href, label string) {
		href, _, _ = strings.Cut(unescaped(href), "#")
		part := strings.TrimPrefix(path.Join(folder, href), "/")
		if label = strings.Join(strings.Fields(clean(label)), " "); label != "" && labels[part] == "" {
			labels[part] = label
		}
	}
	for _, id := range slices.Sorted(maps.Keys(b.items)) {
		it := b.items[id]
		switch part := b.path(it.href); {
		case strings.Contains(" "+it.properties+" ", " nav "):
			content, err := a.Read(part)
			if err != nil {
				continue
			}
			t, err := parse(Decode(content), true, false)
			if err != nil {
				continue
			}
			for i := range t.nodes {
				if n := &t.nodes[i]; n.tag == atom.A && n.attribute("href") != "" {
					note(path.Dir(part), n.attribute("href"), t.textOf(int32(i), 300))
				}
			}
		case id == b.toc || it.kind == "application/x-dtbncx+xml":
			label, text := "", false
			_ = a.Tokens(part, func(token xml.Token, _ int) error { // which a book may lack
				switch e := token.(type) {
				case xml.StartElement:
					text = e.Name.Local == "text"
					switch e.Name.Local {
					case "navPoint":
						label = ""
					case "content":
						note(path.Dir(part), value(e, "src"), label)
					}
				case xml.CharData:
					if text && len(label) < 300 {
						label += string(e)
					}
				case xml.EndElement:
					text = false
				}
				return nil
			})
		}
	}
	return labels
}
