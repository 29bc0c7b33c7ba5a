package web

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/html/atom"

	"lacuna/knowledge/document"
	"lacuna/knowledge/passage"
)

// Limits of tables.
const (
	maxColumns = 256
	heavyCell  = 120 // words from which a cell is a text of its own
	maxRepeat  = 200 // bytes of a cell over several rows that stands in each of them
)

// gridRow is a row of a table.
type gridRow struct {
	cells []int32
	head  bool // it stands in the head of the table
}

// rows returns the rows of a table, without those of tables in it.
func (t *tree) rows(table int32) []gridRow {
	var rows []gridRow
	head := int32(0) // where the head of the table ends
	for i := table + 1; i < t.nodes[table].end; {
		n := &t.nodes[i]
		switch {
		case n.omitted != "" || n.tag == atom.Table || n.tag == atom.Caption:
			i = n.end
			continue
		case n.tag == atom.Thead:
			head = n.end
		case n.tag == atom.Tr:
			rows = append(rows, gridRow{head: i < head})
		case n.tag == atom.Td, n.tag == atom.Th:
			if len(rows) == 0 {
				rows = append(rows, gridRow{})
			}
			row := &rows[len(rows)-1]
			row.cells = append(row.cells, i)
			i = n.end
			continue
		}
		i++
	}
	return rows
}

// isData reports whether a table relates the words of its rows and columns, rather than placing them on the
// page.
func (w *writer) isData(table int32) bool {
	n := &w.nodes[table]
	if n.words == 0 || n.isRole("presentation", "none") {
		return false
	}
	marked := n.isRole("grid", "table", "treegrid")
	rows := w.rows(table)
	columns, words, cells, heavy, filled := 0, int32(0), int32(0), 0, 0
	for _, row := range rows {
		columns = max(columns, len(row.cells))
		seen := false
		for _, c := range row.cells {
			cell := &w.nodes[c]
			marked = marked || cell.tag == atom.Th && cell.words > 0 || cell.has("scope")
			if cell.words == 0 {
				continue
			}
			seen = true
			cells++
			words += cell.words
			if cell.words > heavyCell || cell.heads > 0 {
				heavy++
			}
		}
		if seen {
			filled++
		}
		marked = marked || row.head
	}
	for c := n.first; c != 0; c = w.nodes[c].next {
		marked = marked || w.nodes[c].tag == atom.Caption && w.nodes[c].words > 0
	}
	nested := false // it looks no further than the first, or tables in tables would take quadratic time
	for i := table + 1; i < n.end && !nested; i++ {
		nested = w.nodes[i].tag == atom.Table && w.nodes[i].words > 0
	}
	switch {
	case cells == 0:
		return false
	case marked:
		return !nested && (columns > 1 || heavy == 0) && heavy*3 <= len(rows)
	case nested, heavy > 0, columns < 2, filled < 2:
		return false
	}
	return words <= 40*cells && cells >= int32(filled)+1
}

// table writes the rows of a table.
func (w *writer) table(table int32) {
	w.b.EndTable()
	w.begun, w.breaks, w.last = false, 0, ' '
	for c := w.nodes[table].first; c != 0; c = w.nodes[c].next {
		if n := &w.nodes[c]; n.tag == atom.Caption && n.words > 0 && n.omitted == "" {
			w.b.Begin(passage.Caption, 0)
			w.inline(c)
			w.b.End()
		}
	}
	type span struct {
		rows int
		cell document.Cell
	}
	above := map[int]span{} // by column
	data := false           // a row that is no header was written
	for _, row := range w.rows(table) {
		heads, others := 0, 0
		var cells []document.Cell
		fill := func() {
			for len(cells) < maxColumns {
				s, open := above[len(cells)]
				if !open {
					return
				}
				if s.rows--; s.rows == 0 {
					delete(above, len(cells))
				} else {
					above[len(cells)] = s
				}
				cells = append(cells, s.cell)
			}
		}
		for _, at := range row.cells {
			fill()
			n := &w.nodes[at]
			c := w.cell(at)
			switch {
			case len(c) == 0:
			case n.tag == atom.Th:
				heads++
			default:
				others++
			}
			wide := min(spanOf(n, "colspan"), max(1, maxColumns-len(cells)))
			if tall := spanOf(n, "rowspan"); tall > 1 {
				again := c
				if lengthOf(again) > maxRepeat {
					again = nil
				}
				for k := range wide {
					s := span{tall - 1, nil}
					if k == 0 {
						s.cell = again
					}
					above[len(cells)+k] = s
				}
			}
			cells = append(cells, c)
			for range wide - 1 {
				cells = append(cells, nil)
			}
		}
		fill()
		header := row.head || heads > 0 && others == 0 && !data && (heads > 1 || len(row.cells) > 1 || !data)
		data = data || !header && heads+others > 0
		if w.err = w.b.RowOf(cells, header); w.err != nil {
			return
		}
	}
	w.b.EndTable()
}

// lengthOf returns the length of a cell's text, in bytes.
func lengthOf(c document.Cell) int {
	n := 0
	for _, part := range c {
		n += len(part.Text)
	}
	return n
}

// spanOf returns how many columns or rows a cell takes.
func spanOf(n *node, name string) int {
	value, err := strconv.Atoi(strings.TrimSpace(n.attribute(name)))
	if err != nil || value < 1 {
		return 1
	}
	return min(value, 1000)
}

// cellWriter collects the text of a cell.
type cellWriter struct {
	w    *writer
	cell document.Cell
	due  bool // a space, before the next word
	last rune // the last character
}

// cell returns the text of a cell.
func (w *writer) cell(at int32) document.Cell {
	c := cellWriter{w: w}
	items := 0
	for i := at + 1; i < w.nodes[at].end; {
		n := &w.nodes[i]
		switch {
		case n.omitted != "":
			w.skip(i)
			i = n.end
			continue
		case n.isText():
			c.words(clean(n.text), n.line)
		case (n.tag == atom.Sup || n.tag == atom.Sub) && !c.due && len(c.cell) > 0:
			if text := w.textOf(i, 60); text != "" && strings.Count(text, " ") < 2 {
				switch {
				case n.tag == atom.Sup:
					text = raised(c.last, text)
				case unicode.IsDigit(c.last) && unicode.IsDigit([]rune(text)[0]):
					text = "_" + text
				}
				c.put(text, n.line)
				i = n.end
				continue
			}
		case n.tag == atom.Li && n.words > 0:
			c.due = true
			if items++; items > 1 || n.next != 0 {
				c.put("•", n.line)
				c.due = true
			}
		case n.isBlock(), n.tag == atom.Br:
			c.due = true
		case n.tag == atom.Img:
			w.b.Omit("pictures", int(countWords(n.attribute("alt"))))
		}
		i++
	}
	return c.cell
}

// words adds words that begin on a line of the page.
func (c *cellWriter) words(text string, line int32) {
	for text != "" {
		word := strings.TrimLeft(text, space)
		if k := len(text) - len(word); k > 0 {
			line += int32(strings.Count(text[:k], "\n"))
			c.due = true
		}
		end := strings.IndexAny(word, space)
		if end < 0 {
			end = len(word)
		}
		if end == 0 {
			return
		}
		c.put(word[:end], line)
		text = word[end:]
	}
}

// put adds a word, or its continuation.
func (c *cellWriter) put(word string, line int32) {
	c.last, _ = utf8.DecodeLastRuneInString(word)
	if c.due && len(c.cell) > 0 {
		word = " " + word
	}
	c.due = false
	place := c.w.place(line)
	if n := len(c.cell); n > 0 && c.cell[n-1].Line == place {
		c.cell[n-1].Text += word
		return
	}
	c.cell = append(c.cell, document.Part{Text: word, Line: place})
}

// inline writes the words below a node into the open block.
func (w *writer) inline(at int32) {
	for i := at + 1; i < w.nodes[at].end && w.err == nil; {
		n := &w.nodes[i]
		if n.omitted != "" {
			i = n.end
			continue
		}
		if n.isText() {
			w.err = w.words(clean(n.text), n.line)
		} else if n.isBlock() || n.tag == atom.Br {
			w.b.Space()
		}
		i++
	}
}
