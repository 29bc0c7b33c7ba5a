// Package bibliography reads reference lists: BibTeX, and CSL-JSON as Zotero and others export it.
//
//	entry.go   what is known of a work
//	bibtex.go  entries of a .bib file, latex.go its accents
//	csl.go     entries of CSL-JSON
//	match.go   which entry describes a file
//
// A list is a source itself: its abstracts and notes are text ([Read]). And it describes the files beside
// it: [NewLibrary] finds the entry of a PDF by its file field, its citation key, or its first page.
//
// Begin with [Parse].
package bibliography

import (
	"bytes"
	"context"
	"path"
	"strings"

	"lacuna/knowledge/document"
	"lacuna/knowledge/passage"
)

// IsCSL reports whether a JSON text is a list of CSL items. It looks at its beginning only.
func IsCSL(content []byte) bool {
	start := bytes.TrimLeft(bytes.TrimPrefix(content, []byte("\uFEFF")), " \t\r\n")
	if len(start) == 0 || start[0] != '[' {
		return false
	}
	start = start[:min(len(start), 64<<10)]
	has := func(name string) bool { return bytes.Contains(start, []byte(`"`+name+`"`)) }
	return has("type") && (has("title") || has("author")) && (has("issued") || has("DOI") || has("container-title") || has("author") && has("family")) && !has("resourceType")
}

// Parse returns the entries of a list, whose name says whether it is BibTeX. It reads as much of a broken
// list as it can.
func Parse(name string, content []byte) []Entry {
	if strings.EqualFold(path.Ext(name), ".json") {
		return parseCSL(content)
	}
	return parseBibTeX(content)
}

// Read makes a document of a list: a section for each entry with an abstract or a note.
func Read(_ context.Context, name string, content []byte) (document.Document, error) {
	var b document.Builder
	for _, e := range Parse(name, content) {
		if e.Abstract == "" && len(e.Notes) == 0 {
			b.Omit("entries without an abstract or a note", 0)
			continue
		}
		title := e.Title
		if title == "" {
			title = e.Key
		}
		if err := write(&b, passage.Heading, 1, title, e.Line); err != nil {
			return document.Document{}, err
		}
		if err := write(&b, passage.Property, 0, e.source(), e.Line); err != nil {
			return document.Document{}, err
		}
		for _, part := range strings.Split(e.Abstract, "\n\n") {
			if err := write(&b, passage.Paragraph, 0, part, e.AbstractLine); err != nil {
				return document.Document{}, err
			}
		}
		for _, note := range e.Notes {
			if err := write(&b, passage.Paragraph, 0, note, e.NoteLine); err != nil {
				return document.Document{}, err
			}
		}
	}
	return b.Finish(), nil
}

func write(b *document.Builder, kind passage.BlockKind, level int, text string, line int) error {
	if strings.TrimSpace(text) == "" {
		return nil
	}
	b.Begin(kind, level)
	return b.Words(strings.ReplaceAll(text, "\n", " "), line)
}
