package document

import (
	"slices"
	"strings"

	"lacuna/knowledge/passage"
)

// Section is a stretch of a document below one path of headings.
type Section struct {
	Headings []string // outermost first, without the title
	Blocks   []int    // indices of the blocks of content in it, in order
}

// maxLabelWords is the length up to which a heading only labels what is below it. A longer one is a
// clause or a sentence set as a heading: it is content too.
const maxLabelWords = 16

// step is one heading of a path.
type step struct {
	level int
	label string
}

// Sections groups the content below its headings. A heading is content itself if it reads as a sentence,
// or if nothing is below it. Clauses set as headings, one after the other, share a section.
func (d *Document) Sections() []Section {
	var sections []Section
	var path []step
	add := func(block int, clause bool) {
		var headings []string
		for _, s := range path {
			if s.label != "" {
				headings = append(headings, s.label)
			}
		}
		if last := len(sections) - 1; clause && last >= 0 && d.isSentence(d.Blocks[sections[last].Blocks[0]]) && slices.Equal(sections[last].Headings, headings) {
			sections[last].Blocks = append(sections[last].Blocks, block)
			return
		}
		sections = append(sections, Section{Headings: headings, Blocks: []int{block}})
	}
	continues := false // the last section goes on
	for i, b := range d.Blocks {
		switch {
		case b.Chrome != Content:
		case b.Kind != passage.Heading:
			if continues {
				open := &sections[len(sections)-1]
				open.Blocks = append(open.Blocks, i)
			} else {
				add(i, false)
			}
			continues = true
		default:
			continues = false
			path = slices.DeleteFunc(path, func(s step) bool { return s.level >= b.Level })
			if clause := d.isSentence(b); clause || d.isBare(i) {
				add(i, clause)
			}
			path = append(path, step{b.Level, clip(b.Label)})
		}
	}
	return sections
}

// isSentence reports whether a block is a heading that holds more than a label.
func (d *Document) isSentence(b Block) bool {
	return b.Kind == passage.Heading && len(strings.Fields(d.Text[b.Start:b.End])) > maxLabelWords
}

// isBare reports whether a heading has nothing below it: neither content nor a heading below it.
func (d *Document) isBare(at int) bool {
	for _, b := range d.Blocks[at+1:] {
		switch {
		case b.Chrome != Content:
		case b.Kind == passage.Heading:
			return b.Level <= d.Blocks[at].Level
		default:
			return false
		}
	}
	return true
}

// clip shortens a label to its first words.
func clip(label string) string {
	words := strings.Fields(label)
	if len(words) <= maxLabelWords {
		return label
	}
	return strings.Join(words[:maxLabelWords/2], " ") + " …"
}

// Link sets the leads that readers left out, by kinds and levels:
//
//   - an item is introduced by the item above it of a lower level; the first level by the paragraph or
//     admonition directly before the list, if it ends with a colon or is an admonition;
//   - a paragraph inside an item by the item;
//   - a row by the last header of its table, else by its caption; a header by the header row or caption
//     directly before it;
//   - code by the paragraph or item directly before it; a definition by its term.
func (d *Document) Link() {
	var items []int // the open item of each level, and below them what introduces the list
	intro := 0
	last := -1 // the block of content directly before
	header := 0
	for i := range d.Blocks {
		b := &d.Blocks[i]
		if b.Chrome != Content {
			continue
		}
		lead := 0
		before := Block{}
		if last >= 0 {
			before = d.Blocks[last]
		}
		inList := b.Kind == passage.Item || b.Kind != passage.Heading && b.Level > 0
		if !inList && b.Kind != passage.Code {
			items, intro = nil, 0
		}
		if b.Kind != passage.Row && b.Kind != passage.HeaderRow {
			header = 0
		}
		switch {
		case b.Kind == passage.Item:
			if len(items) == 0 && last >= 0 && d.introduces(before) {
				intro = last + 1
			}
			level := max(1, b.Level)
			items = items[:min(len(items), level-1)]
			if lead = intro; len(items) > 0 {
				lead = items[len(items)-1]
			}
			for len(items) < level {
				items = append(items, i+1)
			}
		case b.Kind == passage.HeaderRow:
			switch {
			case last >= 0 && before.Kind == passage.HeaderRow && b.Together:
				lead = last + 1
			case last >= 0 && (before.Kind == passage.Caption || d.introduces(before)):
				lead = last + 1
			}
			header = i + 1
		case b.Kind == passage.Row:
			switch {
			case header > 0:
				lead = header
			case last >= 0 && (before.Kind == passage.Caption || d.introduces(before)):
				lead, header = last+1, last+1
			}
		case b.Kind == passage.Code:
			if last >= 0 && (before.Kind == passage.Paragraph || before.Kind == passage.Item || before.Kind == passage.Caption) {
				lead = last + 1
			}
		case b.Kind == passage.Definition:
			if last >= 0 && before.Kind == passage.Definition {
				lead = before.Lead
			} else if last >= 0 && before.Kind == passage.Term {
				lead = last + 1
			}
		}
		if lead == 0 && inList && b.Kind != passage.Item && len(items) > 0 {
			lead = items[min(len(items), b.Level)-1]
		}
		if b.Lead == 0 {
			b.Lead = lead
		}
		last = i
	}
}

// introduces reports whether a block leads into the list or table after it.
func (d *Document) introduces(b Block) bool {
	switch b.Kind {
	case passage.Admonition:
		return true
	case passage.Paragraph:
		text := strings.TrimRight(d.Text[b.Start:b.End], " \t\r\n*_")
		return strings.HasSuffix(text, ":") || strings.HasSuffix(text, "：")
	}
	return false
}

// lastMark returns the index of the last mark at or before an offset, or -1.
func lastMark(marks []passage.Mark, offset int) int {
	i, exact := slices.BinarySearchFunc(marks, offset, func(m passage.Mark, at int) int { return int(m.Offset) - at })
	if !exact {
		i--
	}
	return i
}
