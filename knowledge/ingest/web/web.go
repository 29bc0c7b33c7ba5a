// Package web reads pages of HTML, and EPUB files, which are made of them.
//
//	encoding.go  bytes → characters
//	tree.go      characters → a tree of elements, each with its line
//	chrome.go    which elements are navigation and the like rather than content
//	write.go     the tree → blocks of a document; table.go does tables
//	about.go     title, date and the rest of what a page says about itself
//	epub.go      the pages of an EPUB file in reading order; book.go what its package says
//
// What is content is decided by structure: by the elements that say so, by how much of a part is links,
// by where it stands and by whether it reads as text. No rule is about one site. When in doubt a part is
// content, because what is lost cannot be found. Begin with [Read].
package web

import (
	"bytes"
	"context"
	"regexp"

	"lacuna/knowledge/document"
)

// Read reads a page of HTML. Places are lines of the file.
func Read(_ context.Context, content []byte) (document.Document, error) {
	var b document.Builder
	about, err := Write(&b, Part{Text: Decode(content), XML: isXHTML(content)})
	if err != nil {
		return document.Document{}, err
	}
	d := b.Finish()
	about.describe(&d)
	return d, nil
}

var xhtml = regexp.MustCompile(`(?i)^\s*(?:<\?xml|<!DOCTYPE[^>]{0,60}XHTML)`)

// isXHTML reports whether elements of a page may end themselves.
func isXHTML(content []byte) bool {
	content = bytes.TrimPrefix(content, []byte("\xef\xbb\xbf"))
	return xhtml.Match(content[:min(len(content), 200)])
}

// Write adds the blocks of a page to a document and returns what the page says about itself.
func Write(b *document.Builder, p Part) (About, error) {
	t, err := parse(p.Text, p.XML, p.Joined)
	if err != nil {
		return About{}, err
	}
	if p.Place == nil {
		p.Place = func(line int) int { return line }
	}
	t.omit()
	if p.Book {
		t.labelLists()
	} else {
		t.label()
	}
	w := writer{b: b, tree: t, part: p}
	from := len(b.Blocks)
	if err := w.write(); err != nil {
		return About{}, err
	}
	b.Hidden += t.hidden
	return t.about(b, from), nil
}
