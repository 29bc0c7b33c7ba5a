package ingest

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"lacuna/knowledge/document"
	"lacuna/knowledge/passage"
)

// Coverage says how much of a document became passages. It is zero for records and for files that were
// not read.
type Coverage struct {
	Words   int                       `json:"words,omitempty"` // of the document's content: its blocks and what was lost
	Kept    int                       `json:"kept,omitempty"`  // of Words, those that stand in passages, titles or headings
	Blocks  map[passage.BlockKind]int `json:"blocks,omitempty"`
	Omitted []document.Omission       `json:"omitted,omitempty"` // chrome, comments and whatever else was left out
}

// Share returns the share of the words that were kept; 1 for a document without words.
func (c *Coverage) Share() float64 {
	if c.Words == 0 {
		return 1
	}
	return float64(c.Kept) / float64(c.Words)
}

// add counts another file's coverage.
func (c *Coverage) add(other *Coverage) {
	c.Words += other.Words
	c.Kept += other.Kept
	if c.Blocks == nil && len(other.Blocks) > 0 {
		c.Blocks = map[passage.BlockKind]int{}
	}
	for kind, n := range other.Blocks {
		c.Blocks[kind] += n
	}
	sum := document.Document{Omitted: c.Omitted}
	for _, o := range other.Omitted {
		if strings.HasPrefix(o.What, "attachment ") { // many messages name thousands of them
			o.What = "attachments"
		}
		sum.Add(o)
	}
	c.Omitted = sum.Omitted
}

// Totals sums up files, such as those of one source.
type Totals struct {
	Indexed, Skipped, Failed int
	Partly                   int // of Indexed
	Passages                 int
	Hidden                   int // places that readers of the files do not see
	Coverage
	// Unread counts the skipped files that no reader takes, by the ending of their names.
	Unread map[string]int
	// Excluded counts the files that the settings leave out, by pattern.
	Excluded map[string]int
}

// Add counts one file.
func (t *Totals) Add(f *FileReport) {
	switch f.State {
	case Indexed:
		t.Indexed++
	case Skipped:
		t.Skipped++
	case Failed:
		t.Failed++
	}
	if f.Partly() {
		t.Partly++
	}
	t.Passages += f.Passages
	t.Hidden += f.Hidden
	t.Coverage.add(&f.Coverage)
	if ending, unread := f.Unread(); unread {
		if t.Unread == nil {
			t.Unread = map[string]int{}
		}
		t.Unread[ending]++
	}
	if pattern, excluded := f.Excluded(); excluded {
		if t.Excluded == nil {
			t.Excluded = map[string]int{}
		}
		t.Excluded[pattern]++
	}
}

// Ignored returns the number of skipped files that no reader takes or that the settings leave out: nothing
// is wrong with them.
func (t *Totals) Ignored() int {
	n := 0
	for _, counts := range []map[string]int{t.Unread, t.Excluded} {
		for _, files := range counts {
			n += files
		}
	}
	return n
}

// coverageOf compares a document with its passages.
func coverageOf(d *fileDocument, passages []*passage.Passage) Coverage {
	c := Coverage{Blocks: map[passage.BlockKind]int{}, Omitted: d.Omitted}
	kept := make([]passage.Span, len(passages))
	for i, p := range passages {
		kept[i] = passage.Span{Start: p.Place.Span.Start - d.offset, End: p.Place.Span.End - d.offset}
	}
	slices.SortFunc(kept, func(a, b passage.Span) int { return cmp.Compare(a.Start, b.Start) }) // pairs come first
	chrome := document.Document{Omitted: slices.Clone(c.Omitted)}
	if d.field != extractedField {
		chrome.Add(outside(d, kept))
	}
	for _, b := range d.Blocks {
		words := len(strings.Fields(d.Text[b.Start:b.End]))
		if b.Chrome != document.Content {
			chrome.Omit(string(b.Chrome), words)
			continue
		}
		c.Blocks[b.Kind]++
		c.Words += words
		for len(kept) > 0 && kept[0].End <= b.Start {
			kept = kept[1:]
		}
		switch {
		case b.Kind == passage.Heading:
			c.Kept += words
		default:
			for _, k := range kept {
				if k.Start >= b.End {
					break
				}
				c.Kept += len(strings.Fields(d.Text[max(k.Start, b.Start):min(k.End, b.End)]))
			}
		}
	}
	c.Omitted = slices.DeleteFunc(chrome.Omitted, func(o document.Omission) bool { return o.Count == 0 })
	if len(c.Omitted) == 0 {
		c.Omitted = nil // as the store reads it
	}
	for _, o := range c.Omitted {
		if o.Lost {
			c.Words += o.Words
		}
	}
	c.Kept = min(c.Kept, c.Words)
	return c
}

// leave counts content that is no evidence by its nature, and so is not lost.
func (c *Coverage) leave(o document.Omission) {
	if o.Count == 0 {
		return
	}
	c.Words = max(c.Kept, c.Words-o.Words)
	sum := document.Document{Omitted: c.Omitted}
	sum.Add(o)
	c.Omitted = sum.Omitted
}

// outside counts the words of a file that are its own text and stand in no block and no passage, such as front
// matter, comments and the tags of templates. Readers leave them out without saying so one by one; those that
// they do count are not counted again. The result has the count 0 if there are none.
func outside(d *fileDocument, kept []passage.Span) document.Omission {
	spans := slices.Clone(kept)
	for _, b := range d.Blocks {
		spans = append(spans, b.Span)
	}
	slices.SortFunc(spans, func(a, b passage.Span) int { return cmp.Compare(a.Start, b.Start) })
	left := document.Omission{What: "markup, front matter and comments"}
	at := 0
	count := func(end int) {
		if at >= end {
			return
		}
		words := 0
		for word := range strings.FieldsSeq(d.Text[at:end]) {
			if strings.ContainsFunc(word, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) {
				words++
			}
		}
		if words > 0 {
			left.Count++
			left.Words += words
		}
	}
	for _, s := range spans {
		count(min(s.Start, len(d.Text)))
		at = max(at, min(s.End, len(d.Text)))
	}
	count(len(d.Text))
	for _, o := range d.Omitted {
		left.Words -= o.Words
	}
	if left.Words <= 0 {
		return document.Omission{What: left.What}
	}
	return left
}
