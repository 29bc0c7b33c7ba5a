package passage

import (
	"regexp"
	"slices"
	"strings"
)

// BlockKind says what a block is in its document.
type BlockKind uint8

// Kinds of blocks. Indexes store their numbers, so new ones go to the end.
const (
	Paragraph BlockKind = iota
	Heading
	Item // of a list
	Row  // of a table
	HeaderRow
	Code
	Term // of a definition list
	Definition
	Admonition // the title of a note or warning
	Footnote
	Caption  // of a table, figure or listing
	Property // of front matter or of a record, such as a description
	blockKinds
)

var kindNames = [blockKinds]string{
	"paragraph", "heading", "list item", "table row", "table header", "code", "term", "definition", "admonition", "footnote", "caption", "property",
}

// String returns the kind as users read it, such as "table row".
func (k BlockKind) String() string {
	if k < blockKinds {
		return kindNames[k]
	}
	return "block"
}

// Block is a part of a document: what a reader of the document would call one paragraph, one list item
// or one row.
type Block struct {
	Kind  BlockKind
	Span      // with its marker or bars
	Level int // of a heading, of an item, or of a paragraph inside an item, from 1; else 0
	Lead  int // 1 plus the index of the block that introduces it in [Passage.Introduction]; 0 for none
}

// Lead is a block outside a passage that introduces a block of it: the item above a nested item, the
// sentence before a list, the header of a table, the text before code.
type Lead struct {
	Kind BlockKind
	Text string
	Span Span // in the coordinates of [Place.Span]
	Line int  // in the unit of [Place.Line]
	Lead int  // as in [Block]
}

// Introduction returns what a reader must know to understand block i of the passage, outermost first:
// the blocks of the passage and the leads outside it.
func (p *Passage) Introduction(i int) []Lead { return p.introduction(p.Blocks, i) }

func (p *Passage) introduction(blocks []Block, i int) []Lead {
	var chain []Lead
	for next := blocks[i].Lead; next > 0; {
		var l Lead
		if at := next - 1; at < len(p.Leads) {
			l = p.Leads[at]
		} else if at -= len(p.Leads); at < i {
			b := blocks[at]
			l = Lead{Kind: b.Kind, Text: p.Text[b.Start:b.End], Line: p.LineAt(b.Start), Lead: b.Lead,
				Span: Span{Start: p.Place.Span.Start + b.Start, End: p.Place.Span.Start + b.End}}
		} else {
			break
		}
		if l.Lead >= next { // a damaged index must not loop
			l.Lead = 0
		}
		chain = append(chain, l)
		next = l.Lead
	}
	slices.Reverse(chain)
	return chain
}

// parts returns the blocks of the text. In a text without blocks, such as a field of a record, a line with
// a bullet is an item, a line before items that ends with a colon introduces them, and every other line
// that was not broken for lack of room is a paragraph.
func (p *Passage) parts() []Block {
	if len(p.Blocks) > 0 || p.Text == "" {
		return p.Blocks
	}
	if p.Format != Plain {
		return []Block{{Kind: Paragraph, Span: Span{End: len(p.Text)}}}
	}
	var parts []Block
	head := 0
	for _, b := range plainBlocks(p.Text) {
		part := Block{Kind: Paragraph, Span: b.Span}
		text := strings.TrimSpace(p.Text[b.Start:b.End])
		switch {
		case bulletLen(text)+listNumberLen(text) > 0:
			part.Kind, part.Level, part.Lead = Item, 1, head
		case strings.HasSuffix(text, ":") || strings.HasSuffix(text, "："):
			head = len(parts) + 1
		default:
			head = 0
		}
		parts = append(parts, part)
	}
	return parts
}

// Sentences returns the sentences of the text, as [Sentences] does. None crosses a block.
func (p *Passage) Sentences() []Span {
	if len(p.Blocks) == 0 {
		return Sentences(p.Text, p.Format)
	}
	var all []Span
	for _, b := range p.Blocks {
		all = append(all, SentencesOf(p.Text, p.Format, b)...)
	}
	return all
}

// SentencesOf returns the sentences of one block of a text, without its marker and bars. A heading, a
// row, a term and a block of code are one sentence each.
func SentencesOf(text string, format Format, b Block) []Span {
	part := text[b.Start:b.End]
	switch b.Kind {
	case Heading, Row, HeaderRow, Term, Caption, Code:
		s := b.Span
		if inner := trimBlock(part, b.Kind); inner.Len() > 0 {
			s = Span{Start: b.Start + inner.Start, End: b.Start + inner.End}
		} else {
			return nil
		}
		return []Span{s}
	}
	spans := sentencesIn(part, markerOf(part, b.Kind), format)
	if b.Kind == Admonition && len(spans) == 1 && !strings.ContainsAny(part, " \t") { // "warning" alone says nothing
		return nil
	}
	for i := range spans {
		spans[i].Start += b.Start
		spans[i].End += b.Start
	}
	return spans
}

var definitionStart = regexp.MustCompile(`^(?::[ \t]+|\*\[[^\[\]]*\]:[ \t]*)`)

// markerOf returns the length of the marker of a block.
func markerOf(part string, kind BlockKind) int {
	switch kind {
	case Item:
		return MarkerLen(part)
	case Footnote:
		return len(footnoteMark.FindString(part))
	case Definition:
		return len(definitionStart.FindString(part))
	}
	return 0
}

// trimBlock returns the part of a block that its sentence is made of; empty if no letter or digit is in it.
func trimBlock(part string, kind BlockKind) Span {
	cut := " \t\r\n"
	switch kind {
	case Row, HeaderRow:
		cut += "|"
	case Heading:
		cut += "#"
	}
	left := strings.TrimLeft(part, cut)
	s := Span{Start: len(part) - len(left), End: len(part)}
	s.End = s.Start + len(strings.TrimRight(left, cut))
	if strings.IndexFunc(part[s.Start:s.End], IsWordRune) < 0 {
		return Span{}
	}
	return s
}
