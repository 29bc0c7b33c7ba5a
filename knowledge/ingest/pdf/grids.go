package pdf

import (
	"cmp"
	"math"
	"slices"
)

// grid is a table drawn with rules: horizontal rules separate rows, vertical rules cells.
type grid struct {
	x0, x1     float64
	horizontal []float64 // heights of rules, from top to bottom
	vertical   []rule    // inside
	partial    []rule    // horizontal, of less than the whole width
}

const (
	minGridRules   = 3  // horizontal rules of a grid
	maxCellLines   = 24 // of a grid; a longer column is one of the page
	maxGridRules   = 4096
	minColumnWidth = 8 // points; rules closer than this are borders of one column
)

// findGrids returns the tables drawn with rules. The rules across must be joined and in order from top
// to bottom.
func findGrids(across, down []rule) []grid {
	if len(across) < minGridRules || len(down) == 0 || len(across) > maxGridRules {
		return nil
	}
	var grids []grid
	used := make([]bool, len(across))
	for i, r := range across {
		if used[i] || r.x1-r.x0 < 60 {
			continue
		}
		g := grid{x0: r.x0, x1: r.x1, horizontal: []float64{r.y0}}
		for k := i + 1; k < len(across); k++ {
			other := across[k]
			last := g.horizontal[len(g.horizontal)-1]
			if used[k] || math.Abs(other.x0-r.x0) > 4 || math.Abs(other.x1-r.x1) > 4 || last-other.y0 < 4 {
				continue
			}
			if !hasVerticalRule(down, g.x0, g.x1, last, other.y0) {
				break
			}
			used[k] = true
			g.horizontal = append(g.horizontal, other.y0)
		}
		if len(g.horizontal) < minGridRules {
			continue
		}
		top, bottom := g.horizontal[0], g.horizontal[len(g.horizontal)-1]
		for _, d := range down {
			if d.x0 > g.x0+4 && d.x0 < g.x1-4 && d.y0 > bottom-3 && d.y1 < top+3 {
				g.vertical = append(g.vertical, d)
			}
		}
		// Rules over part of the width divide the cells of some columns.
		for _, other := range across {
			if width := other.x1 - other.x0; other.y0 < top-4 && other.y0 > bottom+4 && other.x0 > g.x0-4 && other.x1 < g.x1+4 && width > 0.4*(g.x1-g.x0) &&
				!slices.ContainsFunc(g.horizontal, func(y float64) bool { return math.Abs(y-other.y0) < 4 }) {
				g.horizontal = append(g.horizontal, other.y0)
				g.partial = append(g.partial, other)
			}
		}
		slices.SortFunc(g.horizontal, func(a, b float64) int { return cmp.Compare(b, a) })
		if len(g.vertical) > 0 {
			grids = append(grids, g)
		}
	}
	return grids
}

// hasVerticalRule reports whether a vertical rule crosses the middle between two heights.
func hasVerticalRule(down []rule, x0, x1, top, bottom float64) bool {
	middle := (top + bottom) / 2
	for _, d := range down {
		if d.x0 > x0-4 && d.x0 < x1+4 && d.y0 < middle && d.y1 > middle {
			return true
		}
	}
	return false
}

// split divides words into those above, inside and below the grid. ok is false if words stand next to
// the grid or if it is empty.
func (g *grid) split(words []word) (above, inside, below []word, ok bool) {
	top, bottom := g.horizontal[0], g.horizontal[len(g.horizontal)-1]
	for _, w := range words {
		middle := w.y + 0.3*w.size
		switch {
		case middle > top:
			above = append(above, w)
		case middle < bottom:
			below = append(below, w)
		case w.x < g.x0-2 || w.end > g.x1+w.size:
			return nil, nil, nil, false
		default:
			inside = append(inside, w)
		}
	}
	return above, inside, below, len(inside) > 3
}

// rows returns the rows of the grid and its columns, or nil if they do not look like a table.
func (g *grid) rows(words []word) ([]gridRow, []column) {
	edges := []float64{g.x0}
	for _, d := range g.vertical {
		if !slices.ContainsFunc(edges, func(x float64) bool { return math.Abs(x-d.x0) < minColumnWidth }) {
			edges = append(edges, d.x0)
		}
	}
	if len(edges) > maxColumns {
		return nil, nil
	}
	slices.Sort(edges)
	heights := slices.DeleteFunc(slices.Clone(g.horizontal), func(y float64) bool { return g.dividesFew(y, edges) })
	bands := make([][]word, len(heights)-1)
	for _, w := range words {
		middle := w.y + 0.3*w.size
		band := 0
		for band < len(bands)-1 && middle < heights[band+1] {
			band++
		}
		bands[band] = append(bands[band], w)
	}
	var table []gridRow
	several := 0
	for i, band := range bands {
		if len(band) == 0 {
			continue
		}
		middle := (heights[i] + heights[i+1]) / 2
		lines := groupRows(band)
		if len(lines) > maxCellLines {
			return nil, nil
		}
		// A cell spans an edge that is not drawn here and that its text does not leave free.
		open := make([]int, len(edges))
		for c := range edges {
			open[c] = c
			drawn := c == 0 || slices.ContainsFunc(g.vertical, func(d rule) bool { return math.Abs(d.x0-edges[c]) < minColumnWidth && d.y0 < middle && d.y1 > middle })
			if !drawn && !partsCells(lines, edges[c]) {
				open[c] = open[c-1]
			}
		}
		physical := make([]gridRow, len(lines))
		repeats := false
		for k := range lines {
			physical[k] = splitRow(&lines[k], edges, open)
			for above := range k {
				repeats = repeats || physical[k].repeatsNumber(&physical[above])
			}
		}
		if repeats { // only some of the rows have rules between them
			physical = mergeRows(physical, lines, nil)
		} else {
			for _, next := range physical[1:] {
				for c := range next.cells {
					physical[0].cells[c] = append(physical[0].cells[c], next.cells[c]...)
				}
			}
			physical = physical[:1]
		}
		for k := range physical {
			if physical[k].countFilled() > 1 {
				several++
			}
		}
		table = append(table, physical...)
	}
	if several < 2 || 4*several < len(table) { // rules between lines of text
		return nil, nil
	}
	columns := make([]column, len(edges))
	for c := range edges {
		columns[c] = column{edges[c], g.x1}
		if c > 0 {
			columns[c-1].end = edges[c]
		}
	}
	return table, columns
}

// partsCells reports whether lines leave the space of a cell border at x.
func partsCells(lines []row, x float64) bool {
	parts := false
	for i := range lines {
		left, right := math.Inf(-1), math.Inf(1)
		for _, w := range lines[i].words {
			if (w.x+w.end)/2 < x {
				left = max(left, w.end)
			} else {
				right = min(right, w.x)
			}
		}
		if right-left < cellGap*lines[i].size {
			return false
		}
		parts = parts || !math.IsInf(left, 0) && !math.IsInf(right, 0)
	}
	return parts
}

// dividesFew reports whether the rule at a height divides the cells of one column only, while those of
// the others span it.
func (g *grid) dividesFew(y float64, edges []float64) bool {
	i := slices.IndexFunc(g.partial, func(r rule) bool { return r.y0 == y })
	if i < 0 {
		return false
	}
	divided := 0
	for _, x := range edges {
		if g.partial[i].x0 < x+4 && g.partial[i].x1 > x+minColumnWidth {
			divided++
		}
	}
	return divided <= 1 && len(edges) > 2
}

// splitRow assigns the words of a row to the cells that begin at edges; open[c] is the cell that
// column c belongs to.
func splitRow(line *row, edges []float64, open []int) gridRow {
	cells := make([][]word, len(edges))
	for _, w := range line.words {
		c := len(edges) - 1
		for c > 0 && (w.x+w.end)/2 < edges[c] {
			c--
		}
		cells[open[c]] = append(cells[open[c]], w)
	}
	r := gridRow{cells: make([]cell, len(edges)), y: line.y, artifact: line.words[0].artifact}
	for c, words := range cells {
		if len(words) > 0 {
			r.cells[c] = cell{newLine(words)}
		}
	}
	return r
}
