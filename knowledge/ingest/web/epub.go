package web

import (
	"context"
	"encoding/xml"
	"errors"
	"path"
	"strings"

	"golang.org/x/net/html/atom"

	"lacuna/knowledge/document"
	"lacuna/knowledge/ingest/archive"
	"lacuna/knowledge/passage"
)

// Errors of EPUB files.
var (
	ErrNotEPUB   = errors.New("not an EPUB file")
	ErrProtected = errors.New("protected with a lock (DRM)")
)

// ReadEPUB reads an EPUB file. Places are its pages in the order in which they are read; the first is 1.
func ReadEPUB(ctx context.Context, content []byte) (document.Document, error) {
	a, err := archive.Open(content)
	if err != nil {
		return document.Document{}, ErrNotEPUB
	}
	locked, err := lockedParts(a)
	if err != nil {
		return document.Document{}, err
	}
	name := ""
	err = a.Tokens("META-INF/container.xml", func(token xml.Token, _ int) error {
		if start, ok := token.(xml.StartElement); ok && start.Name.Local == "rootfile" && name == "" {
			name = value(start, "full-path")
		}
		return nil
	})
	if err != nil && !errors.Is(err, archive.ErrNoPart) {
		return document.Document{}, err
	}
	for _, part := range a.Names() {
		if name == "" && strings.HasSuffix(strings.ToLower(part), ".opf") {
			name = part
		}
	}
	b := book{items: map[string]item{}, folder: path.Dir(name)}
	if err := a.Tokens(name, b.token); err != nil {
		if errors.Is(err, archive.ErrNoPart) {
			return document.Document{}, ErrNotEPUB
		}
		return document.Document{}, err
	}
	labels := b.labels(a)
	var out document.Builder
	lost := 0
	var first error
	for i, id := range b.spine {
		if err := ctx.Err(); err != nil {
			return document.Document{}, err
		}
		page, known := b.items[id]
		if !known {
			continue
		}
		part := b.path(page.href)
		if locked[part] {
			out.Lose("pages protected with a lock (DRM)", 0)
			lost++
			continue
		}
		if !strings.Contains(page.kind, "html") && !strings.Contains(page.kind, "oeb1-document") && !strings.HasSuffix(strings.ToLower(part), "html") {
			out.Omit("pages that are drawings", 0)
			continue
		}
		text, err := a.Read(part)
		if err == nil {
			err = b.page(&out, text, i+1, labels[part], strings.Contains(" "+page.properties+" ", " nav "))
		}
		if errors.Is(err, document.ErrTooMuchText) {
			return document.Document{}, err
		}
		if err != nil {
			if first == nil {
				first = err
			}
			out.Lose("pages that cannot be read", 0)
			lost++
		}
	}
	d := out.Finish()
	switch {
	case len(d.Blocks) == 0 && first != nil:
		return document.Document{}, first
	case len(d.Blocks) == 0 && lost > 0:
		return document.Document{}, ErrProtected
	case lost > 0:
		d.Partly = "some of its pages cannot be read"
	}
	d.Title = b.about.Title
	d.Date, d.About = b.about.Date, b.about.Metadata
	d.Keywords = append(d.Keywords, b.about.Statements...)
	return d, nil
}

// page writes one page. label is its name in the table of contents.
func (b *book) page(out *document.Builder, content []byte, number int, label string, contents bool) error {
	t, err := parse(Decode(content), true, false)
	if err != nil {
		return err
	}
	place := func(int) int { return number }
	if contents || t.isContents() {
		out.Begin(passage.Paragraph, 0)
		out.Chrome(document.Contents)
		for i := range t.nodes {
			if n := &t.nodes[i]; n.isText() && t.nodes[n.parent].tag != atom.Title && t.nodes[n.parent].tag != atom.Style && t.nodes[n.parent].tag != atom.Script {
				if err := out.Words(clean(n.text), number); err != nil {
					return err
				}
			} else if n.isBlock() {
				out.Space()
			}
		}
		out.End()
		return nil
	}
	if label != "" && !t.hasHeading() {
		out.Begin(passage.Heading, 1)
		if err := out.Words(label, number); err != nil {
			return err
		}
		out.End()
	}
	_, err = Write(out, Part{Text: Decode(content), XML: true, Place: place, Book: true})
	return err
}

// hasHeading reports whether a page has a heading.
func (t *tree) hasHeading() bool {
	for i := range t.nodes {
		if headings[t.nodes[i].tag] && t.wordsIn(int32(i), 1) > 0 {
			return true
		}
	}
	return false
}

// isContents reports whether a page says that it is a table of contents or an index.
func (t *tree) isContents() bool {
	for i := range t.nodes {
		n := &t.nodes[i]
		if n.tag == atom.P {
			break
		}
		for kind := range strings.FieldsSeq(n.attribute("epub:type") + " " + n.attribute("role")) {
			switch kind {
			case "toc", "loi", "lot", "landmarks", "page-list", "index", "doc-toc", "doc-index", "doc-pagelist":
				return t.wordsIn(int32(i), 1<<20)*2 > t.wordsIn(0, 1<<20)
			}
		}
	}
	return false
}
