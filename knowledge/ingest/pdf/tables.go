package pdf

import (
	"cmp"
	"math"
	"regexp"
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
	// A line or two above the columns may head several of them.
	lead := 0
	for lead < maxSpanners && lead+2 < len(rows) && len(rows[lead].segments(cellGap)) == 1 && rows[lead].y-rows[lead+1].y < 2*rows[lead].size {
		lead++
	}
	n, several := l.tableExtent(rows[lead:])
	var columns []column
	for ; several >= 2; n, several = countMultiCell(rows[lead:], n*3/4) {
		// A row that does not fit ends the table; try fewer rows until the columns are clear.
		if columns = findColumns(rows[lead : lead+n]); len(columns) >= 2 {
			break
		}
	}
	if several < 2 || len(columns) > maxColumns {
		return 0
	}
	x, end := columns[0].x, columns[len(columns)-1].end
	for _, r := range rows[:lead] {
		if len(columns) < 3 || r.x() < columns[1].x-2*r.size || r.end() > end+r.size {
			return 0
		}
	}
	n += lead
	top, bottom := rows[0].top(), rows[n-1].y-rows[n-1].size
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
	header := lead + countHeader(grid[lead:], rules)
	head := l.mergeHeader(grid[:header], columns)
	l.addTableRows(append(head, mergeRows(grid[header:], rows[header:n], rules)...), len(head))
	return n
}

// maxSpanners bounds the lines above a table that head several of its columns.
const maxSpanners = 2

// tableExtent returns how many rows may belong to a table, and how many of these have several cells.
func (l *layout) tableExtent(rows []row) (n, several int) {
	last := 0 // the last row with several cells
	single := 0
	x, end := math.Inf(1), math.Inf(-1)
	for n = 0; n < len(rows); n++ {
		r := &rows[n]
		if n > 0 && rows[n-1].y-r.y > 4*max(r.size, rows[n-1].size) {
			break
		}
		if len(r.segments(cellGap)) >= 2 {
			if several >= 2 && r.namesColumns() && !rows[n-1].namesColumns() {
				break // the header of the next table
			}
			several++
			last, single = n, 0
			x, end = min(x, r.x()), max(end, r.end())
			continue
		}
		if n == 0 {
			return 0, 0
		}
		if single++; single > 3 {
			break
		}
		// A label between rows of the same columns stands apart, or is long.
		apart := rows[n-1].y-r.y > 1.6*r.size || r.end()-r.x() > 0.6*(end-x)
		if apart && !(single <= 2 && n+1 < len(rows) && r.y-rows[n+1].y < 3*r.size && rows[n+1].hasColumnsOf(&rows[last])) {
			break
		}
	}
	if n = last + 1; n > 1 && n < len(rows) && rows[n-1].y-rows[n].y < maxOverlapGap*rows[n].size {
		n++ // the second line of a label that is centred beside the last row
	}
	return n, several
}

// namesColumns reports whether a row has several cells, all bold and without figures.
func (r *row) namesColumns() bool {
	for i := range r.words {
		if w := &r.words[i]; !w.bold || strings.ContainsAny(w.text, "0123456789") {
			return false
		}
	}
	return len(r.segments(cellGap)) >= 3
}

// hasColumnsOf reports whether the cells of a row stand below those of another.
func (r *row) hasColumnsOf(above *row) bool {
	mine, others := r.segments(columnCellGap), above.segments(columnCellGap)
	below := 0
	for _, s := range mine {
		x, end := s[0].x, s[len(s)-1].end
		if slices.ContainsFunc(others, func(o []word) bool {
			return math.Abs(o[0].x-x) < 0.5*r.size || math.Abs(o[len(o)-1].end-end) < 0.5*r.size
		}) {
			below++
		}
	}
	return below >= 2 && 3*below >= 2*len(mine)
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

// column is the area of a column.
type column struct{ x, end float64 }

// columnCellGap is the minimum gap between cells of a row that belongs to a table.
const columnCellGap = 0.6 * cellGap

// findColumns returns the columns: the areas between zones that hardly any row covers. Rows with few
// cells, such as those that head several columns, do not count.
func findColumns(rows []row) []column {
	type edge struct {
		x     float64
		delta int
	}
	var cells [][][]word // of the rows that have several
	var counts []int
	for i := range rows {
		if segments := rows[i].segments(columnCellGap); len(segments) >= 2 {
			cells = append(cells, segments)
			counts = append(counts, len(segments))
		}
	}
	if len(counts) == 0 {
		return nil
	}
	slices.Sort(counts)
	usual := counts[len(counts)*2/3]
	cells = slices.DeleteFunc(cells, func(row [][]word) bool { return 2*len(row) < usual })
	var edges []edge
	for _, row := range cells {
		for _, s := range row {
			edges = append(edges, edge{s[0].x, 1}, edge{slices.MaxFunc(s, compareEnds).end, -1})
		}
	}
	slices.SortFunc(edges, func(a, b edge) int { return cmp.Or(cmp.Compare(a.x, b.x), cmp.Compare(b.delta, a.delta)) })
	few := len(cells) / 8
	var columns []column
	covered, inside := 0, false
	for _, e := range edges {
		covered += e.delta
		if !inside && covered > few {
			inside = true
			columns = append(columns, column{e.x, e.x})
		} else if inside && covered <= few {
			inside = false
			columns[len(columns)-1].end = e.x
		}
	}
	extendColumns(columns, cells)
	return columns
}

// extendColumns widens columns to the cells that stand in no other.
func extendColumns(columns []column, cells [][][]word) {
	bounds := slices.Clone(columns)
	for _, row := range cells {
		for _, s := range row {
			x, end := s[0].x, slices.MaxFunc(s, compareEnds).end
			in, many := -1, false
			for c := range bounds {
				if x < bounds[c].end && end > bounds[c].x {
					many = in >= 0
					in = c
				}
			}
			if in >= 0 && !many {
				columns[in].x, columns[in].end = min(columns[in].x, x), max(columns[in].end, end)
			}
		}
	}
	for c := 1; c < len(columns); c++ { // some cells reach into the space that others leave
		if columns[c].x < columns[c-1].end {
			columns[c].x, columns[c-1].end = bounds[c].x, bounds[c-1].end
		}
	}
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

// fillsOthers reports whether a row has text only in columns in which another has none.
func (g *gridRow) fillsOthers(other *gridRow) bool {
	for c := range g.cells {
		if len(g.cells[c]) > 0 && len(other.cells[c]) > 0 {
			return false
		}
	}
	return true
}

// maxOverlapGap is the maximum distance, in letter sizes, of baselines of lines that stand beside each
// other.
const maxOverlapGap = 0.8

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

// assignCells assigns the words of each row to cells.
func assignCells(rows []row, columns []column) []gridRow {
	grid := make([]gridRow, len(rows))
	for i := range rows {
		g := gridRow{cells: make([]cell, len(columns)), y: rows[i].y, artifact: rows[i].words[0].artifact}
		size := rows[i].size
		put := func(c int, words []word) {
			g.cells[c] = append(g.cells[c], newLine(words))
		}
		for _, s := range rows[i].segments(0.5) {
			if starts := splitByColumns(s, columns, size); starts != nil {
				for k, from := range starts {
					to := len(s)
					if k+1 < len(starts) {
						to = starts[k+1]
					}
					put(columnOf(columns, &s[from], size), s[from:to])
				}
				continue
			}
			// If a word begins at the edge of the next column, or the one before ends at the edge of its
			// own, it begins a cell.
			from, at := 0, columnOf(columns, &s[0], size)
			for k := 1; k < len(s); k++ {
				c := columnOf(columns, &s[k], size)
				if c > at && s[k].x-s[k-1].end > 0.4*size && (math.Abs(s[k].x-columns[c].x) < 0.5*size || math.Abs(s[k-1].end-columns[c-1].end) < 0.5*size) {
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

// splitByColumns returns where the cells of words begin that stand close together, but each inside a
// column of at least three; nil if they do not.
func splitByColumns(words []word, columns []column, size float64) (starts []int) {
	last := -1
	for k := range words {
		w := &words[k]
		c := columnOf(columns, w, size)
		if w.x < columns[c].x-0.3*size || w.end > columns[c].end+0.3*size || c < last {
			return nil
		}
		if c > last {
			if k > 0 && w.x-words[k-1].end < 0.2*size {
				return nil
			}
			starts = append(starts, k)
			last = c
		}
	}
	if len(starts) < 3 {
		return nil
	}
	return starts
}

// columnOf returns the index of the column that a word stands in: the one that it overlaps most or, if
// it overlaps none, the last one that begins before it.
func columnOf(columns []column, w *word, size float64) int {
	best, most := -1, 0.0
	for c := range columns {
		if overlap := min(w.end, columns[c].end) - max(w.x, columns[c].x); overlap > most {
			best, most = c, overlap
		}
	}
	if best >= 0 {
		return best
	}
	for c := len(columns) - 1; c > 0; c-- {
		if columns[c].x < w.x+0.4*size {
			return c
		}
	}
	return 0
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

// mergeRows merges rows whose cells have several lines: rows between the same two rules or, without
// rules, a row that follows closely and has an empty first cell.
func mergeRows(grid []gridRow, rows []row, rules []float64) []gridRow {
	if len(grid) == 0 {
		return nil
	}
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
			tight := gap < 1.4*rows[i].size
			wraps := gap < minPartGap*usual && g.wraps(last, starts, ends, rows[i].size)
			switch {
			case g.repeatsNumber(last):
			case i+1 < len(grid) && g.y-grid[i+1].y < maxOverlapGap*rows[i].size && g.y-grid[i+1].y < gap && g.fillsOthers(&grid[i+1]):
				// It is the first line of a cell that is centred in the next row.
			case len(g.cells[0]) == 0 && g.countFilled() == beneath && beneath < len(g.cells):
				follows = tight || wraps && gap < 2*rows[i].size
			case gap < maxOverlapGap*rows[i].size && g.fillsOthers(&grid[i-1]):
				follows = true // the lines of cells that are centred beside each other
			case len(g.cells[0]) > 0 && grid[i-1].countFilled() == 1 && len(grid[i-1].cells[0]) > 0:
				first, _ := utf8.DecodeRuneInString(g.cells[0][0].Text)
				follows = tight && (unicode.IsLower(first) || first == '(')
			default:
				follows = tight && parted && wraps
			}
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

// addTableRows adds the rows of a table as blocks, without its empty columns. The first header rows name
// the columns.
func (l *layout) addTableRows(grid []gridRow, header int) {
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

// maxHeaderRows bounds the lines of a header.
const maxHeaderRows = 8

// countHeader returns how many rows at the top of a table name its columns: those above the first rule
// across it, those that are bold while the next is not, or those without figures above rows that have
// some. rules are the heights of the rules across the table, from top to bottom.
func countHeader(grid []gridRow, rules []float64) int {
	if len(grid) < 2 {
		return 0
	}
	limit := min(maxHeaderRows, len(grid)-1)
	// In a table with few rules, the first one inside it stands below the header.
	inside := 0
	for _, y := range rules {
		if y < grid[0].y && y > grid[len(grid)-1].y {
			inside++
		}
	}
	if inside > 0 && 3*inside <= len(grid) {
		n := 0
		for n < len(grid) && !slices.ContainsFunc(rules, func(y float64) bool { return y < grid[0].y && y > grid[n].y }) {
			n++
		}
		if first := countFirst(grid[:n]); n <= limit && first <= 2 && (!mostlyData(grid[:n]) || inside == 1 && 3*n <= len(grid) && first <= 1) {
			return n
		}
	}
	n := 0
	for n < limit && grid[n].isBold() {
		n++
	}
	if n > 0 && !grid[n].isBold() && countFirst(grid[:n]) <= 2 {
		return n
	}
	for n = 0; n < limit && !grid[n].hasData(); n++ {
	}
	data := 0
	for i := n; i < len(grid); i++ {
		if grid[i].hasData() {
			data++
		}
	}
	if 2*data >= len(grid)-n && data > 0 {
		// A label below the header belongs to the rows.
		for n > 1 && grid[n-1].countFilled() == 1 && len(grid[n-1].cells[0]) > 0 {
			n--
		}
		if n == 1 && grid[0].countFilled() < 2 {
			return 0
		}
		return n
	}
	if first := &grid[0]; len(first.cells) >= 3 && first.countFilled() >= len(first.cells)-1 && !first.hasData() {
		return 1
	}
	return 0
}

// countFirst counts the rows that have a first cell, as rows of data have and most lines of a header have
// not.
func countFirst(grid []gridRow) int {
	n := 0
	for i := range grid {
		if len(grid[i].cells[0]) > 0 {
			n++
		}
	}
	return n
}

func mostlyData(grid []gridRow) bool {
	n := 0
	for i := range grid {
		if grid[i].hasData() {
			n++
		}
	}
	return 2*n > len(grid)
}

// isBold reports whether all text of a row is bold.
func (g *gridRow) isBold() bool {
	filled := false
	for _, c := range g.cells {
		for _, line := range c {
			if !line.Bold {
				return false
			}
			filled = true
		}
	}
	return filled
}

// hasData reports whether a cell to the right of the first begins with figures. Years and ranges of them
// name columns.
func (g *gridRow) hasData() bool {
	for i, c := range g.cells {
		if i > 0 && len(c) > 0 && dataStart.MatchString(c[0].Text) && !years.MatchString(c[0].Text) {
			return true
		}
	}
	return false
}

var (
	dataStart = regexp.MustCompile(`^[-+−–±<>≤≥~≈(]?\p{Sc}? ?\d`)
	years     = regexp.MustCompile(`^(?:1[89]|20)\d\d(?: ?[-–/] ?\d{2,4})?\S?$`)
)

// mergeHeader merges the lines of a header: what stands in one column becomes one cell, and what stands
// over several columns, or over a rule, a row of its own above it.
func (l *layout) mergeHeader(grid []gridRow, columns []column) []gridRow {
	if len(grid) < 2 {
		return grid
	}
	last := len(grid) - 1
	usual := math.Inf(1) // distance of lines
	for i := range last {
		usual = min(usual, max(grid[i].y-grid[i+1].y, 1))
	}
	for i := last - 1; i >= 0; i-- {
		if len(grid[i].cells[0]) > 0 && len(grid[i+1].cells[0]) > 0 && grid[i].y-grid[i+1].y > 1.25*grid[i].cells[0][0].Size {
			continue // rows of their own
		}
		for c, lines := range grid[i].cells {
			if len(lines) == 0 {
				continue
			}
			size := lines[0].Size
			spans := c+1 < len(columns) && lines[len(lines)-1].End > columns[c+1].x-0.2*size
			if spans || c > 0 && lines[0].X < columns[c-1].end-0.5*size {
				continue
			}
			below := i + 1 // the next line of the column
			for below < last && len(grid[below].cells[c]) == 0 {
				below++
			}
			under := grid[below].y
			if below < last || len(grid[below].cells[c]) > 0 {
				if grid[i].y-under > min(2.2*size, max(1.3*usual, 1.3*size))*float64(below-i) || l.isRuled(lines[0], under) {
					continue
				}
			}
			grid[below].cells[c] = append(slices.Clone(lines), grid[below].cells[c]...)
			grid[i].cells[c] = nil
		}
	}
	return slices.DeleteFunc(grid, func(g gridRow) bool { return g.countFilled() == 0 })
}

// isRuled reports whether a rule stands below a line and above a height.
func (l *layout) isRuled(line Line, y float64) bool {
	middle := (line.X + line.End) / 2
	for _, r := range l.horizontal {
		if r.y0 < line.Y && r.y0 > y && r.x0 < middle && r.x1 > middle {
			return true
		}
	}
	return false
}
