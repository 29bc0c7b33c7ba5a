package pdf

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	minTableRows = 3
	maxColumns   = 64
)

// addTable adds the table that rows begin with and returns the number of its rows; 0 if there is no
// table.
func (l *layout) addTable(rows []row) int {
	n, several := l.tableExtent(rows)
	var columns []float64
	for ; several >= 2; n, several = countMultiCell(rows, n*3/4) {
		// A row that does not fit ends the table; try fewer rows until the columns are clear.
		if columns = findColumns(rows[:n]); len(columns) >= 2 {
			break
		}
	}
	if several < 2 || len(columns) > maxColumns {
		return 0
	}
	top, bottom := rows[0].top(), rows[n-1].y-rows[n-1].size
	x, end := math.Inf(1), math.Inf(-1)
	for i := range n {
		x, end = min(x, rows[i].x()), max(end, rows[i].end())
	}
	var rules []float64 // heights of the rules across the table, from top to bottom
	for _, r := range l.horizontal {
		if r.y0 < top+8 && r.y0 > bottom-4 && min(r.x1, end)-max(r.x0, x) > 0.5*(end-x) {
			if k := len(rules); k == 0 || rules[k-1]-r.y0 > 2 {
				rules = append(rules, r.y0)
			}
		}
	}
	if several < minTableRows && len(rules) < 2 {
		return 0
	}
	grid := assignCells(rows[:n], columns)
	logical := mergeRows(grid, rows[:n], rules)
	l.addTableRows(logical)
	return n
}

// tableExtent returns how many rows may belong to a table, and how many of these have several cells.
func (l *layout) tableExtent(rows []row) (n, several int) {
	last := 0 // the last row with several cells
	single := 0
	for n = 0; n < len(rows); n++ {
		r := &rows[n]
		if n > 0 && rows[n-1].y-r.y > 4*max(r.size, rows[n-1].size) {
			break
		}
		if len(r.segments(cellGap)) >= 2 {
			several++
			last, single = n, 0
			continue
		}
		if n == 0 {
			return 0, 0
		}
		x, end := rows[last].x(), rows[last].end()
		if single++; single > 3 || rows[n-1].y-r.y > 1.6*r.size || r.end()-r.x() > 0.6*(end-x) {
			break
		}
	}
	return last + 1, several
}

// countMultiCell counts the rows with several cells among the first n; last is the index after the
// last of them.
func countMultiCell(rows []row, n int) (last, several int) {
	for i := range n {
		if len(rows[i].segments(cellGap)) >= 2 {
			last = i + 1
			several++
		}
	}
	return last, several
}

// findColumns returns the left edges of the columns: the areas between zones that hardly any row
// covers.
func findColumns(rows []row) []float64 {
	type edge struct {
		x     float64
		delta int
	}
	var edges []edge
	several := 0
	for i := range rows {
		segments := rows[i].segments(cellGap * 0.6)
		if len(segments) < 2 {
			continue
		}
		several++
		for _, s := range segments {
			edges = append(edges, edge{s[0].x, 1}, edge{slices.MaxFunc(s, compareEnds).end, -1})
		}
	}
	slices.SortFunc(edges, func(a, b edge) int { return cmp.Or(cmp.Compare(a.x, b.x), cmp.Compare(b.delta, a.delta)) })
	few := several / 8
	var columns []float64
	covered, inside := 0, false
	for _, e := range edges {
		covered += e.delta
		if !inside && covered > few {
			inside = true
			columns = append(columns, e.x)
		} else if inside && covered <= few {
			inside = false
		}
	}
	return columns
}

// cell holds the lines of a cell, from top to bottom.
type cell []Line

// gridRow is a row of cells.
type gridRow struct {
	cells    []cell
	y        float64
	artifact bool
}

// countFilled counts the cells that have text.
func (g *gridRow) countFilled() int {
	n := 0
	for _, c := range g.cells {
		if len(c) > 0 {
			n++
		}
	}
	return n
}

// repeatsNumber reports whether a number stands below a number, which does not happen in wrapped text.
func (g *gridRow) repeatsNumber(above *gridRow) bool {
	for i, c := range g.cells {
		if len(c) > 0 && len(above.cells[i]) > 0 && isNumeric(c[0].Text) && isNumeric(above.cells[i][0].Text) {
			return true
		}
	}
	return false
}

// maxLabelWidth is the width, in letter sizes, up to which a column counts as labels, which end before
// the column does and do not wrap.
const maxLabelWidth = 8

// wraps reports whether a wide column continues a line above that fills it.
func (g *gridRow) wraps(above *gridRow, starts, ends []float64, size float64) bool {
	for c := range g.cells {
		if n := len(above.cells[c]); len(g.cells[c]) > 0 && n > 0 && strings.Count(above.cells[c][n-1].Text, " ") >= 2 && ends[c]-starts[c] > maxLabelWidth*size &&
			above.cells[c][n-1].End > starts[c]+0.7*(ends[c]-starts[c]) && !(endsInDigit(above.cells[c][n-1].Text) && endsInDigit(g.cells[c][0].Text)) {
			return true
		}
	}
	return false
}

func endsInDigit(s string) bool { return s != "" && s[len(s)-1] >= '0' && s[len(s)-1] <= '9' }

// isNumeric reports whether a text is a number, with a sign or a unit.
func isNumeric(s string) bool {
	figures, others := 0, 0
	for _, r := range s {
		switch {
		case unicode.IsDigit(r):
			figures++
		case unicode.IsLetter(r):
			others++
		}
	}
	return figures > 0 && figures >= others
}

// assignCells assigns the words of each row to cells by the left edges of their segments.
func assignCells(rows []row, columns []float64) []gridRow {
	grid := make([]gridRow, len(rows))
	for i := range rows {
		g := gridRow{cells: make([]cell, len(columns)), y: rows[i].y, artifact: rows[i].words[0].artifact}
		put := func(c int, words []word) {
			g.cells[c] = append(g.cells[c], newLine(words))
		}
		for _, s := range rows[i].segments(0.5) {
			// If a word begins at the edge of the next column, it begins a cell.
			from, at := 0, columnAt(columns, s[0].x, rows[i].size)
			for k := 1; k < len(s); k++ {
				c := columnAt(columns, s[k].x, rows[i].size)
				if c > at && s[k].x-s[k-1].end > 0.3*rows[i].size && math.Abs(s[k].x-columns[c]) < 0.5*rows[i].size {
					put(at, s[from:k])
					from, at = k, c
				}
			}
			put(at, s[from:])
		}
		for c := range g.cells {
			g.cells[c] = joinPieces(g.cells[c])
		}
		grid[i] = g
	}
	return grid
}

// joinPieces joins the pieces of a cell on one row to one line.
func joinPieces(c cell) cell {
	for len(c) > 1 {
		if c[1].Text != "" {
			c[0].Text += " " + c[1].Text
		}
		c[0].End = max(c[0].End, c[1].End)
		c = append(c[:1], c[2:]...)
	}
	return c
}

// columnAt returns the index of the column that contains x.
func columnAt(columns []float64, x, size float64) int {
	i, _ := slices.BinarySearch(columns, x+0.4*size)
	return max(0, i-1)
}

// mergeRows merges rows whose cells have several lines: rows between the same two rules or, without
// rules, a row that follows closely and has an empty first cell.
func mergeRows(grid []gridRow, rows []row, rules []float64) []gridRow {
	between := func(y float64) int {
		n := 0
		for _, rule := range rules {
			if rule > y {
				n++
			}
		}
		return n
	}
	bands, several := map[int]bool{}, 0
	for i, g := range grid {
		if g.countFilled() > 1 {
			several++
			bands[between(rows[i].y)] = true
		}
	}
	ruled := len(rules) >= 3 && 2*len(bands) >= several
	bases := make([]float64, len(rows))
	ends, starts := make([]float64, len(grid[0].cells)), make([]float64, len(grid[0].cells))
	for i, g := range grid {
		bases[i] = rows[i].y
		for c := range g.cells {
			for _, line := range g.cells[c] {
				ends[c] = max(ends[c], line.End)
				if starts[c] == 0 || line.X < starts[c] {
					starts[c] = line.X
				}
			}
		}
	}
	usual := lineGap(bases)
	parted := false
	for i := 1; i < len(rows); i++ {
		parted = parted || rows[i-1].y-rows[i].y > minPartGap*usual && grid[i].countFilled() > 1
	}
	var all []gridRow
	for i, g := range grid {
		if len(all) == 0 {
			all = append(all, g)
			continue
		}
		last := &all[len(all)-1]
		follows := false
		if ruled {
			follows = between(g.y) == between(grid[i-1].y) && !g.repeatsNumber(last)
		} else {
			beneath := 0
			for c := range g.cells {
				if len(g.cells[c]) > 0 && len(last.cells[c]) > 0 {
					beneath++
				}
			}
			gap := rows[i-1].y - rows[i].y
			follows = gap < 1.4*rows[i].size && !g.repeatsNumber(last) &&
				(len(g.cells[0]) == 0 && g.countFilled() == beneath && beneath < len(g.cells) ||
					parted && gap < minPartGap*usual && g.wraps(last, starts, ends, rows[i].size))
		}
		if !follows {
			all = append(all, g)
			continue
		}
		for c := range g.cells {
			last.cells[c] = append(last.cells[c], g.cells[c]...)
		}
	}
	return all
}

// addTableRows adds the rows of a table as blocks, without its empty columns.
func (l *layout) addTableRows(grid []gridRow) {
	empty := make([]bool, len(grid[0].cells))
	for c := range empty {
		empty[c] = !slices.ContainsFunc(grid, func(g gridRow) bool { return len(g.cells[c]) > 0 })
	}
	for i := range grid {
		filled := grid[i].cells[:0]
		for c, lines := range grid[i].cells {
			if !empty[c] {
				filled = append(filled, lines)
			}
		}
		grid[i].cells = filled
	}
	header := 0
	if hasHeader(grid) {
		header = 1
	}
	for i, g := range grid {
		b := Block{Kind: Row, Header: i < header, First: i == 0}
		if g.artifact {
			b.Chrome = Artifact
		}
		for _, c := range g.cells {
			text := ""
			for _, line := range c {
				if line.Text != "" {
					b.Lines = append(b.Lines, line)
					text = appendCellLine(text, line.Text)
				}
			}
			b.Cells = append(b.Cells, text)
		}
		if len(b.Lines) > 0 {
			l.blocks = append(l.blocks, b)
		}
	}
}

// appendCellLine appends a line to the text of a cell and rejoins a word that a hyphen divides.
func appendCellLine(text, line string) string {
	next, _ := utf8.DecodeRuneInString(line)
	if stem, found := strings.CutSuffix(text, "-"); found && unicode.IsLower(next) {
		if last, _ := utf8.DecodeLastRuneInString(stem); unicode.IsLower(last) {
			return stem + line
		}
	}
	if text == "" {
		return line
	}
	return text + " " + line
}

// hasHeader reports whether the first row names the columns: it is bold and the next row is not, or it
// has no numbers and the rows below have some.
func hasHeader(grid []gridRow) bool {
	if len(grid) < 2 {
		return false
	}
	bold := func(g gridRow) bool {
		any, all := false, true
		for _, c := range g.cells {
			for _, line := range c {
				any = true
				all = all && line.Bold
			}
		}
		return any && all
	}
	numbers := func(g gridRow) (n, filled int) {
		for _, c := range g.cells {
			if len(c) > 0 {
				filled++
				if strings.ContainsFunc(c[0].Text, unicode.IsDigit) {
					n++
				}
			}
		}
		return n, filled
	}
	if bold(grid[0]) != bold(grid[1]) {
		return bold(grid[0])
	}
	first, filled := numbers(grid[0])
	if first > 0 || filled < 2 {
		return false
	}
	below := 0
	for _, g := range grid[1:] {
		n, _ := numbers(g)
		below += n
	}
	return len(grid[0].cells) >= 3 && filled >= len(grid[0].cells)-1 || 2*below >= len(grid)-1
}
