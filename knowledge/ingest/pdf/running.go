package pdf

import (
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"lacuna/knowledge/plaintext"
)

const (
	// maxOuterLines bounds the baselines at either end of a page that can hold running heads or feet.
	maxOuterLines = 3
	// minRunningPages is the minimum of pages on which a running head or foot stands.
	minRunningPages = 3
	// maxRunningRunes bounds what stands on one baseline of a running head with a page number.
	maxRunningRunes = 160
	// maxRunningRows bounds the rows of a table that a running head may be.
	maxRunningRows = 2
)

var (
	digits     = regexp.MustCompile(`\d+|\b[ivxlc]+\b`)
	pagePrefix = regexp.MustCompile(`^(?i:page|seite|pagina|página) `)
	pageNumber = regexp.MustCompile(`^(?i:page ?:? |p\. ?|pg\.? |seite |pagina |página |pág\. ?|– ?|- ?|\| ?)?(?:[A-Z]{1,3}-)?(?:\d{1,5}|[ivxlc]{1,6})(?i: ?(?:/|of|von|de|di|sur|av) ?\d{1,5})?(?: ?[-–|])?(?i: ?page)?$|^第? ?\d{1,4} ?[页頁](?:[ ,，/]*[共总] ?\d{1,4} ?[页頁])?$`)
	ofPages    = regexp.MustCompile(`(?i)\b(?:page|seite|página|pagina) \d{1,4} ?(?:of|de|von|di|sur|/) ?\d{1,4}$`)
	firstWord  = regexp.MustCompile(`^(?:(?i:page|seite|p\.) ?)?(\d{1,5}|[ivxlc]{1,6})\b`)
	lastWord   = regexp.MustCompile(`(?:^|[\s|–-])(\d{1,5}|[ivxlc]{1,6})$`)
)

// place is a text, with its numbers masked, at a height.
type place struct {
	text string
	y    int
}

func placeOf(l Line, shift int) place {
	return place{digits.ReplaceAllString(l.Text, "0"), int(math.Floor(l.Y/4)) + shift}
}

// count is a number that grows by one a page, by its difference to the page.
type count struct {
	difference int
	roman      bool
}

// runner knows which lines of a document repeat at the head or foot of its pages.
type runner struct {
	pages   []Page
	seen    map[place][]int         // pages in order
	outmost map[string]map[int]bool // pages by the text, with its numbers masked, of their first and last lines
	counts  map[count]map[int]bool
}

// markRunning marks lines that repeat at the head or foot of several pages in the same place, except
// for their numbers, what stands next to a page number, and lone page numbers.
func markRunning(pages []Page) {
	r := runner{pages, map[place][]int{}, map[string]map[int]bool{}, map[count]map[int]bool{}}
	for i := range pages {
		for _, line := range pages[i].endLines() {
			text := placeOf(*line, 0).text
			if r.outmost[text] == nil {
				r.outmost[text] = map[int]bool{}
			}
			r.outmost[text][i] = true
		}
		for _, line := range pages[i].outerLines() {
			at := placeOf(*line, 0)
			if n := len(r.seen[at]); n == 0 || r.seen[at][n-1] != i {
				r.seen[at] = append(r.seen[at], i)
			}
			for _, c := range countsOf(line.Text, i) {
				if r.counts[c] == nil {
					r.counts[c] = map[int]bool{}
				}
				r.counts[c][i] = true
			}
		}
	}
	for i := range pages {
		r.markPage(i)
	}
	markTurned(pages)
}

// countsOf returns the counts that a line on a page may show: a number at its beginning or end.
func countsOf(text string, page int) []count {
	if utf8.RuneCountInString(text) > maxRunningRunes {
		return nil
	}
	var all []count
	for _, pattern := range []*regexp.Regexp{firstWord, lastWord} {
		if m := pattern.FindStringSubmatch(text); m != nil {
			if n, err := strconv.Atoi(m[1]); err == nil {
				all = append(all, count{n - page, false})
			} else if n := plaintext.ParseRoman(strings.ToUpper(m[1])); n > 0 {
				all = append(all, count{n - page, true})
			}
		}
	}
	return all
}

// repeats reports whether a line stands on many pages, or on several that follow each other closely, as
// the name of a chapter does.
func (r *runner) repeats(l Line) bool {
	var on []int
	for _, shift := range []int{-1, 0, 1} {
		on = append(on, r.seen[placeOf(l, shift)]...)
	}
	n := len(on)
	if n < minRunningPages {
		return n == len(r.pages) && n == 2 && strings.ContainsFunc(l.Text, unicode.IsDigit) && !repeatsPage(r.pages[0], r.pages[1])
	}
	return 10*n >= 3*min(len(r.pages), 40) || slices.Max(on)-slices.Min(on) < 3*n
}

// repeatsPage reports whether two pages have the same text, so that nothing on them is a head.
func repeatsPage(a, b Page) bool {
	return slices.EqualFunc(a.Blocks, b.Blocks, func(a, b Block) bool {
		return slices.EqualFunc(a.Lines, b.Lines, func(a, b Line) bool { return a.Text == b.Text })
	})
}

// repeatsAtEnd reports whether a line with a number and a name is the first or last of several pages.
func (r *runner) repeatsAtEnd(l Line) bool {
	letters := 0
	for _, c := range l.Text {
		if unicode.IsLetter(c) {
			letters++
		}
	}
	return letters >= 4 && utf8.RuneCountInString(l.Text) < maxRunningRunes/2 && strings.ContainsFunc(l.Text, unicode.IsDigit) && len(r.outmost[placeOf(l, 0).text]) >= 2
}

// numbers reports whether a line shows the number of its page.
func (r *runner) numbers(text string, page int) bool {
	for _, c := range countsOf(text, page) {
		if n := len(r.counts[c]); n >= minRunningPages && (5*n >= len(r.pages) || n >= 8) {
			return true
		}
	}
	return false
}

// markPage marks the running heads and feet of a page.
func (r *runner) markPage(page int) {
	p := &r.pages[page]
	outer := p.outerLines()
	running := map[*Line]bool{}
	for _, line := range p.endLines() {
		running[line] = r.repeatsAtEnd(*line)
	}
	for _, line := range outer {
		running[line] = running[line] || r.repeats(*line) || (len(r.pages) > 2 || pagePrefix.MatchString(line.Text)) && pageNumber.MatchString(line.Text) || ofPages.MatchString(line.Text)
		if r.numbers(line.Text, page) || p.isLoneNumber(line) {
			running[line] = true
			length := 0
			for _, other := range outer {
				if math.Abs(other.Y-line.Y) < 2 {
					length += utf8.RuneCountInString(other.Text)
				}
			}
			for _, other := range outer {
				if math.Abs(other.Y-line.Y) < 2 && length <= maxRunningRunes {
					running[other] = true
				}
			}
		}
	}
	var blocks []Block
	for k := range p.Blocks {
		b := &p.Blocks[k]
		first, last := 0, len(b.Lines) // of the lines that are text
		if b.Kind == Text || p.tableRows(k) <= maxRunningRows {
			for first < last && running[&b.Lines[first]] {
				first++
			}
			for last > first && running[&b.Lines[last-1]] {
				last--
			}
		}
		switch {
		case first == last:
			b.Chrome = Running
			blocks = append(blocks, *b)
		case b.Kind != Text || first == 0 && last == len(b.Lines):
			blocks = append(blocks, *b)
		default:
			for _, part := range []struct {
				lines  []Line
				chrome Chrome
			}{{b.Lines[:first], Running}, {b.Lines[first:last], b.Chrome}, {b.Lines[last:], Running}} {
				if len(part.lines) > 0 {
					blocks = append(blocks, Block{Kind: Text, Chrome: part.chrome, Lines: slices.Clip(part.lines), turned: b.turned})
				}
			}
		}
	}
	p.Blocks = blocks
}

// tableRows returns the number of rows of the table that a block belongs to; 0 if it is no row.
func (p *Page) tableRows(at int) int {
	if p.Blocks[at].Kind != Row {
		return 0
	}
	from, to := at, at+1
	for from > 0 && !p.Blocks[from].First && p.Blocks[from-1].Kind == Row {
		from--
	}
	for to < len(p.Blocks) && p.Blocks[to].Kind == Row && !p.Blocks[to].First {
		to++
	}
	return to - from
}

// outerLines returns the lines on the highest and the lowest baselines of a page.
func (p *Page) outerLines() []*Line {
	var ys []float64
	for _, b := range p.Blocks {
		for _, line := range b.Lines {
			if !b.turned {
				ys = append(ys, line.Y)
			}
		}
	}
	slices.Sort(ys)
	ys = slices.CompactFunc(ys, func(a, b float64) bool { return math.Abs(b-a) < 2 })
	if len(ys) < 3 {
		return nil
	}
	n := min(maxOuterLines, len(ys)/2)
	var outer []*Line
	for i := range p.Blocks {
		for k := range p.Blocks[i].Lines {
			if line := &p.Blocks[i].Lines[k]; !p.Blocks[i].turned && (line.Y < ys[n-1]+2 || line.Y >= ys[len(ys)-n]) {
				outer = append(outer, line)
			}
		}
	}
	return outer
}

// endLines returns the lines on the highest and on the lowest baseline of a page.
func (p *Page) endLines() []*Line {
	outer := p.outerLines()
	top, bottom := math.Inf(-1), math.Inf(1)
	for _, line := range outer {
		top, bottom = max(top, line.Y), min(bottom, line.Y)
	}
	return slices.DeleteFunc(outer, func(l *Line) bool { return l.Y < top-2 && l.Y > bottom+2 })
}

// isLoneNumber reports whether a line is a page number at the foot or head of a page, away from the
// text: alone, or next to the words of the foot or head.
func (p *Page) isLoneNumber(l *Line) bool {
	above, below := math.Inf(1), math.Inf(1) // distances to the next lines
	beside, letters := 0, 0
	for _, b := range p.Blocks {
		for k := range b.Lines {
			switch other := &b.Lines[k]; {
			case other == l || b.turned:
			case math.Abs(other.Y-l.Y) < 2:
				beside++
				for _, r := range other.Text {
					if unicode.IsLetter(r) {
						letters++
					}
				}
			case other.Y > l.Y:
				above = min(above, other.Y-l.Y)
			default:
				below = min(below, l.Y-other.Y)
			}
		}
	}
	bottom, distance := math.IsInf(below, 1), min(above, below)
	switch {
	case !math.IsInf(max(above, below), 1):
		return false
	case !pageNumber.MatchString(l.Text):
		m := lastWord.FindStringSubmatch(l.Text)
		return m != nil && bottom && beside == 0 && distance > 4*l.Size && len(m[1]) <= 3 && utf8.RuneCountInString(l.Text) < maxRunningRunes/2 && !sourceLine.MatchString(l.Text)
	case beside > 0:
		return beside <= 2 && letters >= 3 && letters < maxRunningRunes && distance > 2.5*l.Size
	}
	return bottom && distance > 1.2*l.Size || distance > 1.9*l.Size
}

// sourceLine matches what stands below figures and tables.
var sourceLine = regexp.MustCompile(`(?i)^(?:source|note|quelle|fonte|fuente|\*)`)

// markTurned marks text in another direction that repeats on several pages, as stamps do.
func markTurned(pages []Page) {
	on := map[string]int{}
	each := func(do func(b *Block, text string)) {
		for i := range pages {
			for k := range pages[i].Blocks {
				if b := &pages[i].Blocks[k]; b.turned && b.Chrome == NotChrome {
					text := ""
					for _, line := range b.Lines {
						text += placeOf(line, 0).text + "\n"
					}
					do(b, text)
				}
			}
		}
	}
	each(func(_ *Block, text string) { on[text]++ })
	each(func(b *Block, text string) {
		if n := on[text]; n >= minRunningPages && 10*n >= 3*len(pages) {
			b.Chrome = Running
		}
	})
}
