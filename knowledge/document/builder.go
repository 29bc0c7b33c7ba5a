package document

import (
	"errors"
	"slices"
	"strings"

	"lacuna/knowledge/passage"
)

// MaxText bounds the text extracted from one file, in bytes.
const MaxText = 64 << 20

// ErrTooMuchText says that a file holds more than [MaxText].
var ErrTooMuchText = errors.New("more than 64 MiB of text")

// maxTableWords bounds the rows that stay together below their header, counted with it. If a table is
// longer, its header is repeated above the next rows, so that each row stands in one passage with the
// names of its columns.
const maxTableWords = 150

// Builder writes the text of a document whose file does not hold it as it reads: single spaces between
// words, a line for each block, and a blank line between blocks that belong less together. Begin a block, add its
// words, and begin the next. A block without words is dropped. The zero value is an empty document.
//
// Set the other fields of the document at any time before [Builder.Document].
type Builder struct {
	Document
	text  strings.Builder
	open  bool  // a block is open
	block Block // the open one
	began bool  // the open block has text
	space bool  // due before the next word
	table table
}

// table is the open table.
type table struct {
	open   bool
	header [][]Cell
	words  int // of the header and of the rows since it was written
	head   int // words of the header
	rows   int // since the header was written
}

// Begin ends the open block and begins another. level is that of [Block].
func (b *Builder) Begin(kind passage.BlockKind, level int) {
	b.End()
	if kind != passage.Row && kind != passage.HeaderRow {
		b.table = table{}
	}
	b.open, b.block = true, Block{Kind: kind, Level: level}
}

// Chrome labels the open block as chrome.
func (b *Builder) Chrome(c Chrome) { b.block.Chrome = c }

// Introduce says which block introduces the open one: 1 plus its index in Blocks.
func (b *Builder) Introduce(lead int) { b.block.Lead = lead }

// Len returns the length of the text so far, in bytes.
func (b *Builder) Len() int { return b.text.Len() }

// Words adds words to the open block, or to a new paragraph. White space separates them; a word that
// the text begins or ends with joins the word before or after it unless white space is between. line is
// where the text begins in the file, in the unit of its places; a line feed in it counts one further.
func (b *Builder) Words(text string, line int) error {
	for text != "" {
		word := strings.TrimLeft(text, space)
		if n := len(text) - len(word); n > 0 {
			line += strings.Count(text[:n], "\n")
			b.space = true
		}
		end := strings.IndexAny(word, space)
		if end < 0 {
			end = len(word)
		}
		if end == 0 {
			break
		}
		b.put(word[:end], line)
		text = word[end:]
	}
	return b.bound()
}

// Verbatim adds text to the open block as it stands, with its line ends.
func (b *Builder) Verbatim(text string, line int) error {
	b.space = false
	for part := range strings.Lines(text) {
		b.put(part, line)
		line++
	}
	return b.bound()
}

// Space separates the next word from the last.
func (b *Builder) Space() { b.space = true }

// Join lets the next word continue the last.
func (b *Builder) Join() { b.space = false }

// LineBreak ends the line, but not the block.
func (b *Builder) LineBreak() {
	if b.began {
		b.text.WriteByte('\n')
		b.space = false
	}
}

const space = " \t\n\r\f"

func (b *Builder) put(text string, line int) {
	if !b.open {
		b.Begin(passage.Paragraph, 0)
	}
	if !b.began {
		b.separate()
		b.began, b.block.Start = true, b.text.Len()
	} else if b.space {
		b.text.WriteByte(' ')
	}
	b.space = false
	if n := len(b.Marks); n == 0 || b.Marks[n-1].Line != int32(line) {
		b.Marks = append(b.Marks, passage.Mark{Offset: int32(b.text.Len()), Line: int32(line)})
	}
	b.text.WriteString(text)
}

// separate writes what stands between the last block and the open one.
func (b *Builder) separate() {
	if len(b.Blocks) == 0 {
		return
	}
	last := b.Blocks[len(b.Blocks)-1]
	b.text.WriteByte('\n')
	if !tight(last, b.block) {
		b.text.WriteByte('\n')
	}
}

// tight reports whether two blocks stand on following lines: rows of a table and items of a list.
func tight(last, next Block) bool {
	row := func(k passage.BlockKind) bool { return k == passage.Row || k == passage.HeaderRow }
	return next.Together && row(last.Kind) && row(next.Kind) || last.Kind == passage.Item && next.Kind == passage.Item
}

func (b *Builder) bound() error {
	if b.text.Len() > MaxText {
		return ErrTooMuchText
	}
	return nil
}

// End ends the open block.
func (b *Builder) End() {
	if b.began {
		b.block.End = b.Len()
		if b.block.Kind == passage.Heading {
			b.block.Label = strings.Join(strings.Fields(b.text.String()[b.block.Start:b.block.End]), " ")
		}
		b.Blocks = append(b.Blocks, b.block)
	}
	b.open, b.began, b.space, b.block = false, false, false, Block{}
}

// EndTable ends the open table; the next row begins another. [Builder.Begin] does it too.
func (b *Builder) EndTable() {
	b.End()
	b.table = table{}
}

// Cell is the text of a cell of a table.
type Cell []Part

// Part is a stretch of text that begins on a line of the file.
type Part struct {
	Text string
	Line int
}

// Row adds a row of a table. Cells are in the order of the columns, with the empty ones; bars in them
// are kept. header says that the row names the columns of the rows below it.
func (b *Builder) Row(cells []string, header bool, line int) error {
	parts := make([]Cell, len(cells))
	for i, text := range cells {
		parts[i] = Cell{{text, line}}
	}
	return b.RowOf(parts, header)
}

// RowOf is [Builder.Row] for cells that stand on lines of their own.
func (b *Builder) RowOf(cells []Cell, header bool) error {
	b.End()
	words := 0
	for _, cell := range cells {
		for _, part := range cell {
			words += len(strings.Fields(part.Text))
		}
	}
	if words == 0 {
		return nil
	}
	t := &b.table
	if header && t.rows == 0 {
		t.header = append(t.header, cells)
		t.head += words
		t.words += words
		return b.row(cells, passage.HeaderRow)
	}
	if t.rows > 0 && t.words+words > maxTableWords && t.head <= maxTableWords/2 {
		t.open, t.words, t.rows = false, t.head, 0
		for _, head := range t.header {
			if err := b.row(head, passage.HeaderRow); err != nil {
				return err
			}
		}
	}
	t.words += words
	t.rows++
	return b.row(cells, passage.Row)
}

// row writes one row.
func (b *Builder) row(cells []Cell, kind passage.BlockKind) error {
	b.open, b.block = true, Block{Kind: kind, Together: b.table.open}
	b.table.open = true
	line := 1
	if i := slices.IndexFunc(cells, func(c Cell) bool { return len(c) > 0 }); i >= 0 {
		line = cells[i][0].Line
	}
	for _, cell := range cells {
		if len(cell) > 0 {
			line = cell[0].Line
		}
		b.space = true
		b.put("|", line)
		b.space = true
		for _, part := range cell {
			if err := b.Words(part.Text, part.Line); err != nil {
				return err
			}
			line = part.Line
		}
	}
	b.space = true
	b.put("|", line)
	b.End()
	return nil
}

// Finish ends the last block and returns the document.
func (b *Builder) Finish() Document {
	b.EndTable()
	b.Document.Text = b.text.String()
	b.Document.Format = passage.Plain
	return b.Document
}
