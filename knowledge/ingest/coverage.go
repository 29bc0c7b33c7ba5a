package ingest

import (
	"strings"

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

// coverageOf compares a document with its passages.
func coverageOf(d *fileDocument, passages []*passage.Passage) Coverage {
	c := Coverage{Blocks: map[passage.BlockKind]int{}, Omitted: d.Omitted}
	kept := make([]passage.Span, len(passages))
	for i, p := range passages {
		kept[i] = passage.Span{Start: p.Place.Span.Start - d.offset, End: p.Place.Span.End - d.offset}
	}
	chrome := document.Document{Omitted: c.Omitted}
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
	c.Omitted = chrome.Omitted
	for _, o := range c.Omitted {
		if o.Lost {
			c.Words += o.Words
		}
	}
	c.Kept = min(c.Kept, c.Words)
	return c
}
