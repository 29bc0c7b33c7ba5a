package ingest

import (
	"context"
	"crypto/sha256"
	"io"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"lacuna/knowledge/ingest/bibliography"
	"lacuna/knowledge/passage"
)

// maxReferenceBytes bounds the reference lists of one source that describe its files.
const maxReferenceBytes = 64 << 20

// addReferences reads the reference lists among the candidates, and gives each PDF those of its source.
func addReferences(ctx context.Context, found []candidate) {
	described := map[*Source]bool{}
	for i := range found {
		if c := &found[i]; c.isDescribed() {
			described[c.source] = true
		}
	}
	lists := map[*Source][]bibliography.List{}
	left := map[*Source]int64{}
	for i := range found {
		c := &found[i]
		ext := extension(c.record)
		if c.reason != "" || !described[c.source] || ext != ".bib" && ext != ".json" || ctx.Err() != nil {
			continue
		}
		if _, known := left[c.source]; !known {
			left[c.source] = maxReferenceBytes
		}
		content := c.references(left[c.source])
		left[c.source] -= int64(len(content))
		if len(content) == 0 || ext == ".json" && !bibliography.IsCSL(content) {
			continue
		}
		lists[c.source] = append(lists[c.source], bibliography.List{Folder: path.Dir(filepath.ToSlash(c.path)), Entries: entriesOf(c.record, content)})
	}
	libraries := map[*Source]*bibliography.Library{}
	for source, list := range lists {
		libraries[source] = bibliography.NewLibrary(list)
	}
	for i := range found {
		if c := &found[i]; c.isDescribed() {
			c.library = libraries[c.source]
		}
	}
}

// entriesOf parses a list; a fault of the parser costs the list, not the refresh.
func entriesOf(name string, content []byte) (entries []bibliography.Entry) {
	defer func() {
		if recover() != nil {
			entries = nil
		}
	}()
	return bibliography.Parse(name, content)
}

// isDescribed reports whether an entry of a reference list may describe the file.
func (c *candidate) isDescribed() bool { return c.reason == "" && extension(c.record) == ".pdf" }

// references returns the bytes of a reference list of at most limit bytes; nil if it cannot be read or,
// being JSON, cannot be one.
func (c *candidate) references(limit int64) []byte {
	f, info, err := c.open()
	if err != nil {
		return nil
	}
	defer f.Close()
	if info.Size() > limit {
		return nil
	}
	const enough = 64 << 10 // to tell a reference list from other JSON
	start := make([]byte, min(info.Size(), enough))
	if _, err := io.ReadFull(f, start); err != nil || extension(c.record) == ".json" && !bibliography.IsCSL(start) {
		return nil
	}
	rest, err := io.ReadAll(io.LimitReader(f, limit-int64(len(start))))
	if err != nil {
		return nil
	}
	return append(start, rest...)
}

// entry returns the entry that describes the file: by its name, or by the first page of what was read of
// it; nil if there is none.
func (c *candidate) entry(read *File) *bibliography.Entry {
	if c.library == nil {
		return nil
	}
	if e := c.library.OfFile(filepath.ToSlash(c.path)); e != nil {
		return e
	}
	if read == nil {
		return nil
	}
	var page []string
	for i, p := range read.Passages {
		if p.Place.Line > 1 {
			break
		}
		if i == 0 {
			page = append(page, p.Title)
		}
		page = append(append(page, p.Headings...), p.Text)
	}
	if len(page) == 0 {
		return nil
	}
	return c.library.OfPage(strings.Join(page, "\n"))
}

// describe gives the passages of a file what its entry in a reference list says.
func (c *candidate) describe(file *File) {
	e := c.entry(file)
	if e == nil || len(file.Passages) == 0 {
		return
	}
	first := file.Passages[0]
	title, also := first.Title, slices.Clone(first.Also)
	if e.Title != "" && !strings.EqualFold(e.Title, title) {
		if bibliography.IsNameless(title, c.record) {
			title = e.Title
		} else {
			also = append(also, e.Title)
		}
	}
	if e.Short != "" && !strings.EqualFold(e.Short, title) {
		also = append(also, e.Short)
	}
	about := passage.Metadata{}
	if first.About != nil {
		about = *first.About
	}
	if len(e.Authors) > 0 {
		about.Authors = e.Authors
	}
	if e.DOI != "" {
		about.Page = "doi:" + e.DOI
	}
	for _, keyword := range e.Keywords {
		if !slices.Contains(about.Tags, keyword) {
			about.Tags = append(slices.Clip(about.Tags), keyword)
		}
	}
	for _, p := range file.Passages {
		p.Title, p.Also, p.About = title, also, &about
		if e.Date != "" {
			p.Date = e.Date
		}
		p.Identify("")
	}
}

// stampOf covers the entry that describes a file.
func stampOf(reading [sha256.Size]byte, e *bibliography.Entry) [sha256.Size]byte {
	if e == nil {
		return reading
	}
	return sha256.Sum256(append(reading[:], e.Stamp()...))
}
