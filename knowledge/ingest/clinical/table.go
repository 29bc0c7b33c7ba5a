package clinical

import (
	"slices"
	"strings"

	"lacuna/knowledge/document"
	"lacuna/knowledge/passage"
)

// Limits of one table.
const (
	maxColumns = 256
	maxSpan    = 1000 // rows that a cell reaches over
)

// row is a row of a table.
type row struct {
	cells  []document.Cell
	header bool
	foot   bool
	only   *node // its cell with text, if no other has any
	wide   bool  // that cell is alone in the row, or reaches over all columns
}

// rank orders the parts of a table as they are shown.
func (r row) rank() int {
	switch {
	case r.header:
		return 0
	case r.foot:
		return 2
	}
	return 1
}

// grid collects the rows of a table. A cell that reaches over several rows stands in each of them, and one
// that reaches over several columns in the first.
type grid struct {
	w    *narrative
	rows []row
	down []reach // by column
}

// reach is a cell that goes on in the next rows.
type reach struct {
	cell document.Cell
	rows int
}

// table writes the rows of a table, with its caption before it and its footnotes after it. A table of one
// column is only layout: its cells are blocks.
func (w *narrative) table(n *node) error {
	if err := w.end(); err != nil {
		return err
	}
	for _, c := range n.children {
		if c.name == "caption" || w.roles[c.name] == caption || w.roles[c.name] == heading {
			if err := w.inside(c, passage.Caption, 0); err != nil {
				return err
			}
		}
	}
	var rows []*node // with the part of the table in which each is
	parts := map[*node]string{}
	columns := 0
	var find func(n *node, part string)
	find = func(n *node, part string) {
		for _, c := range n.children {
			switch {
			case c.name == "":
			case w.roles[c.name] == rowRole:
				own := part
				if c.name == "sthead" {
					own = "thead"
				}
				rows = append(rows, c)
				parts[c] = own
				count := 0
				for _, d := range c.children {
					if w.roles[d.name] == cell {
						count += min(maxColumns, max(1, number(d.attr("colspan"))))
					}
				}
				columns = max(columns, count)
			case c.name == "thead", c.name == "tbody", c.name == "tfoot":
				find(c, c.name)
			case c.name == "tgroup", c.name == "table", w.roles[c.name] == block && c.name != "p" && c.name != "caption":
				find(c, part)
			}
		}
	}
	find(n, "")
	notes := w.notes
	w.notes = nil
	var err error
	if columns <= 1 {
		for _, r := range rows {
			for _, c := range r.children {
				if w.roles[c.name] == cell && err == nil {
					err = w.inside(c, passage.Paragraph, 0)
				}
			}
		}
	} else {
		err = w.grid(rows, parts, columns)
	}
	if err != nil {
		return err
	}
	w.notes = append(w.notes, notes...)
	for _, c := range n.children { // what CALS and DITA put beside rows
		if w.roles[c.name] == footnote {
			w.notes = append(w.notes, c)
		}
	}
	return w.end()
}

// grid writes rows with several columns.
func (w *narrative) grid(rows []*node, parts map[*node]string, columns int) error {
	g := grid{w: w}
	headed := false
	for _, r := range rows {
		made := g.row(r, columns)
		made.header = parts[r] == "thead"
		made.foot = parts[r] == "tfoot"
		headed = headed || made.header
		g.rows = append(g.rows, made)
	}
	if !headed {
		for i, r := range rows {
			if i+1 == len(rows) || !w.names(r) {
				break
			}
			g.rows[i].header = true
			if !g.rows[i].wide && isBold(r) {
				break // more bold rows are emphasis
			}
		}
	}
	slices.SortStableFunc(g.rows, func(a, b row) int { return a.rank() - b.rank() }) // the foot may be written above the body
	caption := true                                                                  // wide rows above the table name it
	for _, r := range g.rows {
		var err error
		switch {
		case r.only != nil && r.wide && r.foot:
			w.EndTable()
			err = w.inside(r.only, passage.Footnote, 0)
		case r.only != nil && r.wide && caption && r.header:
			err = w.inside(r.only, passage.Caption, 0)
		case r.only != nil && r.wide && len(strings.Fields(r.only.words())) > maxRowWords:
			w.EndTable()
			err = w.inside(r.only, passage.Paragraph, 0)
		default:
			err = w.RowOf(r.cells, r.header)
			caption = false
		}
		if err != nil {
			return err
		}
	}
	w.EndTable()
	return nil
}

// maxRowWords is the length from which a row of one cell is running text in a table that is only layout.
const maxRowWords = 60

// names reports whether a row without thead names columns: all its cells are th, or bold.
func (w *narrative) names(r *node) bool {
	all := true
	for _, c := range r.children {
		if w.roles[c.name] == cell && c.name != "th" && c.words() != "" {
			all = false
		}
	}
	return all || isBold(r)
}

// isBold reports whether all text of a row stands in bold elements.
func isBold(r *node) bool {
	some := false
	var plain func(n *node) bool // has text that is not bold
	plain = func(n *node) bool {
		for _, c := range n.children {
			switch {
			case c.name == "":
				if strings.TrimSpace(c.text) != "" {
					return true
				}
			case c.name == "b", c.name == "strong", c.name == "bold", strings.Contains(strings.ToLower(c.attr("styleCode")), "bold"):
				some = some || c.words() != ""
			case plain(c):
				return true
			}
		}
		return false
	}
	return !plain(r) && some
}

// row makes the cells of a row.
func (g *grid) row(n *node, columns int) row {
	var r row
	own, with, reaches := 0, 0, 0
	fill := func() { // cells from above
		for len(r.cells) < len(g.down) && g.down[len(r.cells)].rows > 0 {
			from := &g.down[len(r.cells)]
			from.rows--
			r.cells = append(r.cells, from.cell)
			own++
		}
	}
	for _, c := range n.children {
		if g.w.roles[c.name] != cell {
			continue
		}
		fill()
		if len(r.cells) >= maxColumns {
			break
		}
		own++
		made := g.cell(c)
		at := len(r.cells)
		across := min(maxColumns-at, max(1, number(c.attr("colspan")), cals(c)))
		down := min(maxSpan, max(1, number(c.attr("rowspan")), number(c.attr("morerows"))+1))
		for i := range across {
			for len(g.down) <= at+i {
				g.down = append(g.down, reach{})
			}
			part := document.Cell{}
			if i == 0 {
				part = made
			}
			g.down[at+i] = reach{part, down - 1}
			r.cells = append(r.cells, part)
		}
		if len(made) > 0 {
			with++
			r.only, reaches = c, across
		}
	}
	fill()
	if with != 1 {
		r.only = nil
	}
	r.wide = r.only != nil && (own == 1 || reaches >= columns)
	return r
}

// cals returns how many columns an entry of a CALS table reaches over, if its columns have numbers.
func cals(c *node) int {
	digits := func(s string) int {
		return number(strings.TrimLeft(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_. "))
	}
	from, to := digits(c.attr("namest")), digits(c.attr("nameend"))
	if from > 0 && to >= from {
		return to - from + 1
	}
	return 1
}

// cell makes the text of a cell, with the line of each part. Footnotes in it stand after the table.
func (g *grid) cell(n *node) document.Cell {
	var made document.Cell
	add := func(text string, line int) {
		if len(made) > 0 || strings.TrimSpace(text) != "" {
			made = append(made, document.Part{Text: clean(text), Line: line})
		}
	}
	var walk func(n *node)
	walk = func(n *node) {
		for _, c := range n.children {
			line := max(c.line, n.line)
			role := g.w.roles[c.name]
			switch {
			case c.name == "":
				add(c.text, line)
			case role == footnote:
				g.w.notes = append(g.w.notes, c)
			case role == picture:
				g.w.Omit("pictures", 0)
			case role == unread:
			case role == superscript:
				if high, ok := raise(c.words()); ok {
					add(high, line)
				} else {
					walk(c)
				}
			case role == lineBreak:
				add(" ", line)
			case role == inline || role == mark:
				walk(c)
			default:
				add(" ", line)
				walk(c)
				add(" ", line)
			}
		}
	}
	walk(n)
	if len(made) == 0 {
		return nil
	}
	return made
}

// number returns a small number, or 0.
func number(s string) int {
	n := 0
	for _, c := range strings.TrimSpace(s) {
		if c < '0' || c > '9' || n > 100000 {
			return 0
		}
		n = 10*n + int(c-'0')
	}
	return n
}
