package office

import (
	"errors"
	"strings"

	"lacuna/knowledge/document"
	"lacuna/knowledge/passage"
)

// A piece is a paragraph or a table.
type piece struct {
	paragraph *paragraph
	table     *table
}

// paragraph is a paragraph with what it is in the document.
type paragraph struct {
	kind   passage.BlockKind
	level  int    // as in document.Block
	marker string // the number or bullet that is shown before the text
	chrome document.Chrome
	runs   []run
	after  []piece // text boxes and notes that are anchored in it, shown below it
	bold   bool    // all of its text is bold
	title  bool    // in the style of titles
}

// run is text that stands in one paragraph of the file. A line feed in it is a line break.
type run struct {
	text []byte
	line int
}

// add adds text of a paragraph of the file.
func (p *paragraph) add(text string, line int) {
	if n := len(p.runs); n > 0 && p.runs[n-1].line == line {
		p.runs[n-1].text = append(p.runs[n-1].text, text...)
		return
	}
	p.runs = append(p.runs, run{[]byte(text), line})
}

// blank reports whether a paragraph has no text.
func (p *paragraph) blank() bool {
	for _, r := range p.runs {
		if strings.TrimSpace(string(r.text)) != "" {
			return false
		}
	}
	return true
}

// text returns the text of a paragraph, on one line.
func (p *paragraph) text() string {
	var b strings.Builder
	for _, r := range p.runs {
		b.Write(r.text)
	}
	return strings.Join(strings.Fields(b.String()), " ")
}

// line returns where a paragraph begins.
func (p *paragraph) line() int {
	if len(p.runs) > 0 {
		return p.runs[0].line
	}
	return 1
}

// table is a table of rows; headed says that its first row is shown as the names of its columns.
type table struct {
	rows   []row
	headed bool
	open   row  // the row that is being read
	cell   cell // the cell that is being read
}

type row struct {
	cells   []cell
	header  bool
	deleted bool
}

type cell struct {
	pieces []piece
	span   int  // of columns; 0 counts as 1
	merged bool // it continues the cell above
}

// endCell and endRow end the cell and the row that are being read.
func (t *table) endCell() {
	t.open.cells = append(t.open.cells, t.cell)
	t.cell = cell{}
}

func (t *table) endRow() {
	if len(t.open.cells) > 0 && !t.open.deleted {
		t.rows = append(t.rows, t.open)
	}
	t.open = row{}
}

// maxHeld bounds the paragraphs of a table, and the cells, that are held until it ends.
const maxHeld = 1 << 20

var errTableTooLong = errors.New("a table of more than a million cells")

// Sizes of tables and their rows, in words and columns.
const (
	maxRowWords    = 220 // a longer row is written as the paragraphs of its cells
	maxHeaderWords = 14  // of a cell that names its column, if nothing but its look says so
	maxMergedWords = 14  // of a cell over several rows that is repeated in each
	maxSpan        = 64
)

// flowWriter writes pieces into a document.
type flowWriter struct {
	document.Builder
	shown string // title as the document shows it
}

func (w *flowWriter) write(pieces []piece) error {
	for _, p := range pieces {
		var err error
		if p.table != nil {
			err = w.writeTable(p.table)
		} else {
			err = w.writeParagraph(p.paragraph)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (w *flowWriter) writeParagraph(p *paragraph) error {
	if !p.blank() {
		level, kind := p.level, p.kind
		if p.title && w.shown == "" && p.chrome == document.Content {
			w.shown = strings.TrimSpace(p.marker + p.text())
		}
		w.Begin(kind, level)
		w.Chrome(p.chrome)
		if err := w.inline(p); err != nil {
			return err
		}
		w.End()
		if n := len(w.Blocks); p.title && n > 0 && w.Blocks[n-1].Kind == passage.Heading && w.Blocks[n-1].Label == w.shown {
			w.Blocks[n-1].Label = ""
		}
	}
	lead := len(w.Blocks)
	for _, a := range p.after {
		if a.paragraph != nil && a.paragraph.kind == passage.Footnote && lead > 0 && !p.blank() {
			w.Begin(passage.Footnote, 0)
			w.Introduce(lead)
			if err := w.inline(a.paragraph); err != nil {
				return err
			}
			w.End()
			continue
		}
		if err := w.write([]piece{a}); err != nil {
			return err
		}
	}
	return nil
}

// inline writes the marker and the text of a paragraph into the open block.
func (w *flowWriter) inline(p *paragraph) error {
	first := true
	for _, r := range p.runs {
		for line := range strings.Lines(string(r.text)) {
			if first && strings.TrimSpace(line) != "" {
				if err := w.Words(p.marker, r.line); err != nil {
					return err
				}
				if p.marker != "" {
					w.Space()
				}
				first = false
			}
			text, breaks := strings.CutSuffix(line, "\n")
			if err := w.Words(text, r.line); err != nil {
				return err
			}
			if breaks {
				w.LineBreak()
			}
		}
	}
	return nil
}

func (w *flowWriter) writeTable(t *table) error {
	t.endRow()
	if t.isLayout() {
		for _, r := range t.rows {
			for _, c := range r.cells {
				if err := w.write(c.pieces); err != nil {
					return err
				}
			}
		}
		return nil
	}
	w.EndTable()
	headed := t.headed && t.looksHeaded() || t.boldHead()
	var above []document.Cell // what cells that go on in the next row say
	var after []piece         // notes of all rows, below the table
	rowsWritten := 0
	lead := 0
	for i, r := range t.rows {
		header := r.header && rowsWritten == i || i == 0 && headed
		cells, words := r.flat(&above)
		if words > maxRowWords && !header {
			if err := w.writeCells(r, lead); err != nil {
				return err
			}
			continue
		}
		for _, c := range r.cells {
			after = appendNotes(after, c.pieces)
		}
		if err := w.RowOf(cells, header); err != nil {
			return err
		}
		if n := len(w.Blocks); header && n > 0 {
			lead = n
		}
		if header {
			rowsWritten++
		}
	}
	w.EndTable()
	return w.write(after)
}

// writeCells writes the cells of a long row as paragraphs, introduced by the header of the table.
func (w *flowWriter) writeCells(r row, lead int) error {
	w.EndTable()
	for _, c := range r.cells {
		for _, p := range c.pieces {
			first := len(w.Blocks)
			if err := w.write([]piece{p}); err != nil {
				return err
			}
			if lead > 0 && first < len(w.Blocks) && w.Blocks[first].Kind == passage.Paragraph {
				w.Blocks[first].Lead = lead
			}
		}
	}
	return nil
}

// appendNotes adds the notes and boxes of a cell's paragraphs.
func appendNotes(after, pieces []piece) []piece {
	for _, p := range pieces {
		switch {
		case p.paragraph != nil:
			after = append(after, p.paragraph.after...)
		case p.table != nil:
			for _, r := range p.table.rows {
				for _, c := range r.cells {
					after = appendNotes(after, c.pieces)
				}
			}
		}
	}
	return after
}

// flat returns the cells of a row as text. A cell over several rows says the same in each, if it is
// short; above has the cells of the row before, by column, and is replaced with those of this row.
func (r *row) flat(above *[]document.Cell) (cells []document.Cell, words int) {
	for _, c := range r.cells {
		column := len(cells)
		parts := flatten(nil, c.pieces)
		n := 0
		for _, p := range parts {
			n += countWords(p.Text)
		}
		if c.merged && n == 0 && column < len(*above) {
			parts = (*above)[column]
			n = 0
			for _, p := range parts {
				n += countWords(p.Text)
			}
			if n > maxMergedWords {
				parts, n = nil, 0
			}
		}
		words += n
		cells = append(cells, parts)
		for range min(max(1, c.span), maxSpan) - 1 {
			cells = append(cells, nil)
		}
	}
	*above = cells
	return cells, words
}

// flatten adds the text of pieces, with a space between them.
func flatten(parts document.Cell, pieces []piece) document.Cell {
	for _, p := range pieces {
		switch {
		case p.table != nil:
			p.table.endRow()
			for _, r := range p.table.rows {
				for _, c := range r.cells {
					parts = flatten(parts, c.pieces)
				}
			}
		case !p.paragraph.blank():
			line := p.paragraph.line()
			parts = append(parts, document.Part{Text: " " + p.paragraph.marker + " ", Line: line})
			for _, r := range p.paragraph.runs {
				parts = append(parts, document.Part{Text: strings.ReplaceAll(string(r.text), "\n", " "), Line: r.line})
			}
		}
	}
	return parts
}

// isLayout reports whether a table only arranges paragraphs: it has one column, or a table of its own
// in a cell.
func (t *table) isLayout() bool {
	columns := 0
	for _, r := range t.rows {
		filled := 0
		for _, c := range r.cells {
			if len(c.pieces) > 0 {
				filled++
			}
			for _, p := range c.pieces {
				if p.table != nil && p.table.isGrid() {
					return true
				}
			}
		}
		columns = max(columns, filled)
	}
	return columns <= 1
}

// isGrid reports whether a table has several rows and columns.
func (t *table) isGrid() bool {
	t.endRow()
	columns := 0
	for _, r := range t.rows {
		columns = max(columns, len(r.cells))
	}
	return len(t.rows) > 1 && columns > 1
}

// looksHeaded reports whether the first row can be the names of columns.
func (t *table) looksHeaded() bool {
	if len(t.rows) < 2 || len(t.rows[0].cells) < 2 {
		return false
	}
	filled := 0
	for _, c := range t.rows[0].cells {
		words := 0
		for _, p := range flatten(nil, c.pieces) {
			words += countWords(p.Text)
		}
		if words > maxHeaderWords {
			return false
		}
		if words > 0 {
			filled++
		}
	}
	return filled >= 2 || filled == 1 && len(t.rows[0].cells) == 2
}

// boldHead reports whether the first row is bold and the second is not.
func (t *table) boldHead() bool {
	return len(t.rows) > 1 && len(t.rows[0].cells) > 1 && t.looksHeaded() && t.rows[0].bold() && !t.rows[1].bold()
}

func (r *row) bold() bool {
	any := false
	for _, c := range r.cells {
		for _, p := range c.pieces {
			if p.paragraph == nil || !p.paragraph.bold && !p.paragraph.blank() {
				return false
			}
			any = any || !p.paragraph.blank()
		}
	}
	return any
}
