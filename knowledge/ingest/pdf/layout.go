package pdf

import (
	"cmp"
	"math"
	"slices"
)

// layout puts the words of one angle into reading order: column after column, and rows from top to
// bottom.
type layout struct {
	horizontal []rule // from top to bottom
	grids      []grid
	blocks     []Block
	depth      int
}

const maxLayoutDepth = 24

// minColumnWords is the minimum of words that two columns have together.
const minColumnWords = 12

// columnGap is the usual minimum width of a gutter, as a share of the size.
const columnGap = 0.65

// A narrower gutter needs more rows as evidence. One below columnGap occurs where single lines are too
// long.
const (
	minColumnGap     = 0.25
	minRowsNarrowGap = 8
	wideColumnGap    = 1.5 // from here on, three rows are enough
	minRowsColumnGap = 5
)

// joinHorizontal joins horizontal rules that continue each other, as the borders of adjacent cells do.
// It returns them from top to bottom.
func joinHorizontal(rules []rule) []rule {
	var all []rule
	for _, r := range rules {
		if r.x1-r.x0 > r.y1-r.y0 {
			all = append(all, r)
		}
	}
	slices.SortFunc(all, func(a, b rule) int {
		return cmp.Or(cmp.Compare(math.Round(b.y0), math.Round(a.y0)), cmp.Compare(a.x0, b.x0))
	})
	result := all[:0]
	for _, r := range all {
		if n := len(result); n > 0 && math.Abs(result[n-1].y0-r.y0) < 1.5 && r.x0 < result[n-1].x1+4 {
			result[n-1].x1 = max(result[n-1].x1, r.x1)
			continue
		}
		result = append(result, r)
	}
	return result
}

// joinVertical does the same for vertical rules and returns them from left to right.
func joinVertical(rules []rule) []rule {
	turned := make([]rule, len(rules))
	for i, r := range rules {
		turned[i] = rule{r.y0, -r.x1, r.y1, -r.x0}
	}
	joined := joinHorizontal(turned)
	for i, r := range joined {
		joined[i] = rule{-r.y1, r.x0, -r.y0, r.x1}
	}
	return joined
}

// layOut adds the blocks of a region: its grids, then its columns, then its rows.
func (l *layout) layOut(words []word) {
	if len(words) == 0 {
		return
	}
	for i := range l.grids {
		if above, inside, below, ok := l.grids[i].split(words); ok {
			if rows, columns := l.grids[i].rows(inside); rows != nil {
				l.grids = slices.Concat(l.grids[:i], l.grids[i+1:])
				l.layOut(above)
				header := countHeader(rows, nil)
				head := l.mergeHeader(rows[:header], columns)
				l.addTableRows(append(head, rows[header:]...), len(head))
				l.layOut(below)
				return
			}
		}
	}
	rows := groupRows(words)
	if l.depth++; l.depth < maxLayoutDepth && len(rows) >= 4 {
		if g, found := l.findGutter(words, rows); found {
			var above, left, right, below []word
			for _, w := range words {
				switch middle := w.y + w.size/4; {
				case middle > g.top:
					above = append(above, w)
				case middle < g.bottom:
					below = append(below, w)
				case w.x < g.x:
					left = append(left, w)
				default:
					right = append(right, w)
				}
			}
			if len(left) > 0 && len(right) > 0 {
				for _, part := range [][]word{above, left, right, below} {
					l.layOut(part)
				}
				l.depth--
				return
			}
		}
	}
	l.depth--
	l.addRows(rows)
}

// gutter is the space between two columns.
type gutter struct {
	x           float64 // its right edge
	top, bottom float64
	score       float64
}

// findGutter returns the best gutter: many lines begin to the right of it, no word crosses it, and it
// does not divide the cells of a table.
func (l *layout) findGutter(words []word, rows []row) (best gutter, found bool) {
	size := commonSize(words)
	var edges []float64
	for i := range rows {
		for k, segment := range rows[i].segments(columnGap * 0.9) {
			if k > 0 || rows[i].x() > words[0].x {
				edges = append(edges, segment[0].x)
			}
		}
	}
	if len(edges) < 3 {
		return best, false
	}
	slices.Sort(edges)
	byHeight := slices.Clone(words)
	slices.SortFunc(byHeight, func(a, b word) int { return cmp.Compare(b.y, a.y) })
	for from := 0; from < len(edges); {
		to := from
		for to < len(edges) && edges[to]-edges[from] < 0.35*size {
			to++
		}
		if to-from >= 3 {
			if g, ok := l.scoreGutterAt(edges[from], size, byHeight); ok && (!found || g.score > best.score) {
				best, found = g, true
			}
		}
		from = to
	}
	return best, found
}

// scoreGutterAt returns the best gutter whose right edge is x.
func (l *layout) scoreGutterAt(x, size float64, words []word) (best gutter, found bool) {
	near, far := x-0.02*size, x-minColumnGap*size
	blocks := func(w *word) bool { return w.x < near && w.end > far }
	top := math.Inf(1)
	for from := 0; from <= len(words); {
		to := from
		for to < len(words) && !blocks(&words[to]) {
			to++
		}
		bottom := math.Inf(-1)
		if to < len(words) {
			bottom = words[to].top()
		}
		if to-from >= minColumnWords {
			if score := l.scoreColumns(words[from:to], x, size, top, bottom); score > 0 && (!found || score > best.score) {
				best, found = gutter{x - 0.02*size, top, bottom, score}, true
			}
		}
		if to == len(words) {
			break
		}
		top = words[to].bottom()
		from = to + 1
	}
	return best, found
}

// side holds the rows on one side of a gutter.
type side struct {
	rows, words, segments int
	from, to              float64
	width                 float64 // sum over all rows
	bases                 []float64
}

func (s *side) add(rows []row) {
	s.from, s.to = math.Inf(1), math.Inf(-1)
	for i := range rows {
		r := &rows[i]
		s.rows++
		s.words += len(r.words)
		s.segments += len(r.segments(cellGap))
		x, end := r.x(), r.end()
		s.from, s.to = min(s.from, x), max(s.to, end)
		s.width += end - x
		s.bases = append(s.bases, r.y)
	}
}

// isProse reports whether the rows are lines of running text.
func (s *side) isProse() bool {
	return s.rows >= 4 && s.words >= 4*s.segments && s.width > 0.6*float64(s.rows)*(s.to-s.from)
}

// hasRowsAround reports whether there are rows both above and below y within the distance near.
func (s *side) hasRowsAround(y, near float64) bool {
	above, below := false, false
	for _, base := range s.bases {
		above = above || base > y && base < y+near
		below = below || base < y && base > y-near
	}
	return above && below
}

// partStarts returns the baselines on which parts begin, which have more space above than lines have.
// It leaves out the first part.
func (s *side) partStarts() []float64 {
	usual := lineGap(s.bases)
	var all []float64
	for i := 1; i < len(s.bases); i++ {
		if s.bases[i-1]-s.bases[i] > minPartGap*usual {
			all = append(all, s.bases[i])
		}
	}
	return all
}

// countCommonStarts returns how many parts begin on a common baseline, and the number of parts of the
// side with more of them.
func (s *side) countCommonStarts(other *side, size float64) (together, parts int) {
	mine, others := s.partStarts(), other.partStarts()
	for _, y := range mine {
		if slices.ContainsFunc(others, func(o float64) bool { return math.Abs(o-y) < 0.15*size }) {
			together++
		}
	}
	return together, max(len(mine), len(others))
}

// minPartGap is the minimum space between parts, as a multiple of the line gap.
const minPartGap = 1.3

// lineGap returns the lower quartile of the distances between lines.
func lineGap(bases []float64) float64 {
	var gaps []float64
	for i := 1; i < len(bases); i++ {
		if gap := bases[i-1] - bases[i]; gap > 1 {
			gaps = append(gaps, gap)
		}
	}
	if len(gaps) == 0 {
		return math.Inf(1)
	}
	slices.Sort(gaps)
	return gaps[len(gaps)/4]
}

// scoreColumns rates how much the words on both sides of x look like columns of text; 0 if they look
// like a table or a list.
func (l *layout) scoreColumns(words []word, x, size, top, bottom float64) float64 {
	var leftWords, rightWords []word
	for _, w := range words {
		if w.x < x-0.02*size {
			leftWords = append(leftWords, w)
		} else {
			rightWords = append(rightWords, w)
		}
	}
	if len(leftWords) < minColumnWords/2 || len(rightWords) < minColumnWords/2 {
		return 0
	}
	var left, right side
	left.add(groupRows(leftWords))
	right.add(groupRows(rightWords))
	least := min(left.rows, right.rows)
	gap := (x - left.to) / size
	if least < 3 || gap < wideColumnGap && least < minRowsColumnGap || gap < columnGap && least < minRowsNarrowGap ||
		left.to-left.from < 6*size || right.to-right.from < 6*size {
		return 0
	}
	// If rules cross the gutter between rows at several heights, they belong to a table.
	crossing, last := 0, math.Inf(1)
	for _, r := range l.horizontal {
		if r.x0 < x-2*size && r.x1 > x+size && last-r.y0 > 2 && left.hasRowsAround(r.y0, 3*size) && right.hasRowsAround(r.y0, 3*size) {
			crossing++
			last = r.y0
		}
	}
	if crossing >= 2 && 8*crossing > least {
		return 0
	}
	// So do parts that begin on the same baselines, such as questions next to their answers.
	together, parts := left.countCommonStarts(&right, size)
	if together >= 3 && 3*together >= 2*parts {
		return 0
	}
	aligned := 0
	for _, y := range right.bases {
		for _, other := range left.bases {
			if math.Abs(y-other) < 0.12*size {
				aligned++
				break
			}
		}
	}
	share := float64(aligned) / float64(least)
	perSegment := min(float64(left.words)/float64(left.segments), float64(right.words)/float64(right.segments))
	fill := min(left.width/float64(left.rows)/(left.to-left.from), right.width/float64(right.rows)/(right.to-right.from))
	switch {
	case share > 0.6 && (perSegment < 3 || fill < 0.5):
		return 0
	case perSegment < 1.8 && !(share < 0.5 && (left.isProse() || right.isProse())):
		return 0
	}
	return float64(least) * (0.5 + fill)
}

// addRow adds the lines of a row, which wide gaps separate.
func (l *layout) addRows(rows []row) {
	for len(rows) > 0 {
		if n := l.addTable(rows); n > 0 {
			rows = rows[n:]
			continue
		}
		l.addRow(&rows[0])
		rows = rows[1:]
	}
}

// lines adds what stands on a row, apart where gaps are wide.
func (l *layout) addRow(r *row) {
	for _, segment := range r.segments(2.5) {
		l.addLine(newLine(segment), segment[0].artifact)
	}
}

// addLine adds a line to the last block if it continues that paragraph, else as a new block.
func (l *layout) addLine(line Line, artifact bool) {
	if line.Text == "" {
		return
	}
	chrome := NotChrome
	if artifact {
		chrome = Artifact
	}
	if n := len(l.blocks); n > 0 {
		if b := &l.blocks[n-1]; b.Kind == Text && b.Chrome == chrome && continuesParagraph(b.Lines, line) {
			b.Lines = append(b.Lines, line)
			return
		}
	}
	l.blocks = append(l.blocks, Block{Kind: Text, Chrome: chrome, Lines: []Line{line}})
}

// continuesParagraph reports whether a line belongs to the paragraph above it.
func continuesParagraph(lines []Line, line Line) bool {
	last := lines[len(lines)-1]
	drop := last.Y - line.Y
	if math.Abs(line.Size-last.Size) > 0.1*last.Size || line.Bold != last.Bold || drop <= 0 || drop > 1.75*line.Size || line.X >= last.End || line.End <= last.X {
		return false
	}
	if len(lines) >= 2 {
		if usual := lines[len(lines)-2].Y - last.Y; drop > 1.25*usual {
			return false
		}
	}
	return !itemMark.MatchString(line.Text)
}
