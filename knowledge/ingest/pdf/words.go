package pdf

import (
	"cmp"
	"math"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"lacuna/knowledge/plaintext"
)

// Distances as shares of the letter size; measured on files of browsers, TeX, office programs and
// scanners.
const (
	wordGap           = 0.13 // minimum between words
	spaceGap          = 0.03 // minimum between words if the text has a space character
	maxOverlap        = 0.35 // how far a letter may overlap the one before
	cellGap           = 1.4  // minimum between cells of one line
	ascent            = 0.75
	descent           = 0.22
	baselineTolerance = 0.05 // between the baselines of letters of one word
)

// word is a run of letters without a space. Its coordinates are those of [glyph].
type word struct {
	text      string
	x, end, y float64
	size      float64
	letters   int
	hasSpace  bool // a space character follows
	bold      bool
	artifact  bool
	rtlGlyphs []string // the glyphs in page order, if the word has right-to-left letters
}

func (w *word) top() float64    { return w.y + ascent*w.size }
func (w *word) bottom() float64 { return w.y - descent*w.size }

// joinWords joins glyphs of one angle, in content order, to words.
func joinWords(glyphs []glyph) []word {
	glyphs = dropRepeated(glyphs)
	var words []word
	var b strings.Builder
	var w word
	first := 0 // glyph of the word
	finish := func(next int) {
		if b.Len() > 0 {
			w.text = b.String()
			if isRightToLeft(w.text) {
				for _, g := range glyphs[first:next] {
					w.rtlGlyphs = append(w.rtlGlyphs, g.text)
				}
			}
			words = append(words, w)
			b.Reset()
		}
	}
	var last glyph
	for i, g := range glyphs {
		if strings.TrimSpace(g.text) == "" {
			finish(i)
			if n := len(words); n > 0 && g.text != "" && g.x > words[n-1].x && math.Abs(g.y-words[n-1].y) < g.size/2 {
				words[n-1].hasSpace = true
			}
			continue
		}
		if b.Len() > 0 {
			size := max(g.size, last.size)
			gap := g.x - last.end
			if math.Abs(g.y-w.y) > baselineTolerance*size || gap > wordGap*size || gap < -maxOverlap*size || g.artifact != w.artifact ||
				math.Abs(g.size-last.size) > 0.15*size {
				finish(i)
			}
		}
		if b.Len() == 0 {
			first = i
			w = word{x: g.x, y: g.y, size: g.size, bold: g.bold, artifact: g.artifact}
		}
		b.WriteString(g.text)
		w.letters++
		w.end = max(g.end, g.x)
		last = g
	}
	finish(len(glyphs))
	return dropDuplicates(words)
}

// minRepeat is the distance, as a share of the size, below which the same letter is drawn again to look
// bold.
const minRepeat = 0.1

// dropRepeated drops glyphs that are drawn again in nearly the same place.
func dropRepeated(glyphs []glyph) []glyph {
	seen := make(map[uint64]int, len(glyphs)) // indexes of glyphs by their letters and places
	kept := glyphs[:0]
	for _, g := range glyphs {
		letter, _ := utf8.DecodeRuneInString(g.text)
		if unicode.IsSpace(letter) || isRightToLeft(g.text) { // Arabic letters are drawn again to stretch a word
			kept = append(kept, g)
			continue
		}
		side := max(2*minRepeat*g.size, 0.2)
		key := func(dx, dy float64) uint64 {
			x, y := int64(math.Floor(g.x/side+dx)), int64(math.Floor(g.y/side+dy))
			return uint64(x)<<42 ^ uint64(y)<<21 ^ uint64(letter)
		}
		repeats := func(dx, dy float64) bool {
			i, found := seen[key(dx, dy)]
			if !found {
				return false
			}
			o := &kept[i]
			return o.text == g.text && max(math.Abs(o.x-g.x), math.Abs(o.y-g.y), math.Abs(o.size-g.size)) < minRepeat*g.size
		}
		if repeats(-0.5, -0.5) || repeats(-0.5, 0.5) || repeats(0.5, -0.5) || repeats(0.5, 0.5) {
			continue
		}
		seen[key(0, 0)] = len(kept)
		kept = append(kept, g)
	}
	return kept
}

// dropDuplicates drops words that are drawn again in the same place.
func dropDuplicates(words []word) []word {
	type place struct {
		text string
		x, y int
	}
	seen := make(map[place]bool, len(words))
	return slices.DeleteFunc(words, func(w word) bool {
		cell := max(0.2*w.size, 0.5)
		x, y := int(math.Floor(w.x/cell)), int(math.Floor(w.y/cell))
		for dx := -1; dx <= 1; dx++ {
			for dy := -1; dy <= 1; dy++ {
				if seen[place{w.text, x + dx, y + dy}] {
					return true
				}
			}
		}
		seen[place{w.text, x, y}] = true
		return false
	})
}

// minTypedRule is the minimum of dashes in a line that is typed instead of drawn.
const minTypedRule = 8

// typedRules takes lines that are typed with dashes out of words and returns them as rules.
func typedRules(words []word) (others []word, rules []rule) {
	others = slices.DeleteFunc(words, func(w word) bool {
		if w.letters < minTypedRule || strings.Trim(w.text, "-=–—─═") != "" {
			return false
		}
		y := w.y + 0.3*w.size
		rules = append(rules, rule{w.x, y, w.end, y})
		return true
	})
	return others, rules
}

// row holds the words on one baseline, from left to right.
type row struct {
	words []word
	y     float64 // of the baseline
	size  float64 // of most letters
}

func (r *row) x() float64   { return r.words[0].x }
func (r *row) end() float64 { return slices.MaxFunc(r.words, compareEnds).end }
func (r *row) top() float64 { return r.y + ascent*r.size }

func compareEnds(a, b word) int { return cmp.Compare(a.end, b.end) }

// minScriptShift is the minimum distance of the baseline of a superscript or subscript from that of its
// word, as a share of the size.
const minScriptShift = 0.1

// splitBySize separates words in the usual size, or larger, from smaller ones.
func splitBySize(words []word) (body, small []word) {
	usual := commonSize(words)
	body = make([]word, 0, len(words))
	for i := range words {
		if words[i].size < 0.9*usual {
			small = append(small, words[i])
		} else {
			body = append(body, words[i])
		}
	}
	return body, small
}

// attachScripts adds words to the rows that they are superscripts or subscripts of. It returns the others.
func attachScripts(rows []row, words []word) (others []word) {
	for _, w := range words {
		if r := findBaseRow(rows, w); r >= 0 {
			rows[r].words = append(rows[r].words, w)
		} else {
			others = append(others, w)
		}
	}
	return others
}

// groupRows groups words to rows, from top to bottom. Superscripts and subscripts join the row next to
// them.
func groupRows(words []word) []row {
	if len(words) == 0 {
		return nil
	}
	body, small := splitBySize(words)
	rows := appendRows(nil, body)
	own := attachScripts(rows, small)
	if len(own) > 0 {
		rows = append(rows, groupSmallRows(own)...)
	}
	slices.SortStableFunc(rows, func(a, b row) int { return cmp.Compare(b.y, a.y) })
	for i := range rows {
		slices.SortStableFunc(rows[i].words, func(a, b word) int { return cmp.Compare(a.x, b.x) })
		rows[i].words = joinLeaders(rows[i].words)
		rows[i].size = commonSize(rows[i].words)
	}
	return rows
}

// groupSmallRows groups words of text that is smaller than most of the page, with the superscripts and
// subscripts that it has of its own.
func groupSmallRows(words []word) []row {
	body, small := splitBySize(words)
	if len(small) == 0 {
		return appendRows(nil, body)
	}
	var scripts []word
	rows := appendRows(nil, slices.Clone(body))
	for _, w := range small {
		if r := findBaseRow(rows, w); r >= 0 && math.Abs(w.y-rows[r].y) > minScriptShift*rows[r].size {
			scripts = append(scripts, w)
		} else {
			body = append(body, w)
		}
	}
	rows = appendRows(nil, body)
	return append(rows, appendRows(nil, attachScripts(rows, scripts))...)
}

// leaderText replaces a row of dots that leads from a text to a number.
const leaderText = "....."

// joinLeaders joins consecutive dots of a row to one word.
func joinLeaders(words []word) []word {
	result := words[:0]
	for i := 0; i < len(words); {
		n, dots := 0, 0
		for i+n < len(words) && strings.Trim(words[i+n].text, " .·…_") == "" && (n == 0 || words[i+n].x-words[i+n-1].end < 3*words[i].size) {
			dots += utf8.RuneCountInString(words[i+n].text)
			n++
		}
		if dots < 3 {
			result = append(result, words[i])
			i++
			continue
		}
		w := words[i]
		w.text, w.hasSpace, w.letters = leaderText, true, 1
		w.end = words[i+n-1].end
		i += n
		if len(result) > 0 && w.x-result[len(result)-1].end < 4*w.size {
			w.x = min(w.x, result[len(result)-1].end+wordGap*2*w.size) // close the gap, so that they stay together
		}
		if i < len(words) && words[i].x-w.end < 4*w.size {
			w.end = max(w.end, words[i].x-wordGap*2*w.size)
		}
		result = append(result, w)
	}
	return result
}

// appendRows groups words with nearly the same baseline to rows and appends these.
func appendRows(rows []row, words []word) []row {
	slices.SortStableFunc(words, func(a, b word) int { return cmp.Compare(b.y, a.y) })
	for _, w := range words {
		if n := len(rows); n > 0 && rows[n-1].y-w.y < 0.35*min(w.size, rows[n-1].size) {
			rows[n-1].words = append(rows[n-1].words, w)
			continue
		}
		rows = append(rows, row{words: []word{w}, y: w.y, size: w.size})
	}
	return rows
}

// findBaseRow returns the index of the row that a small word is a superscript or subscript of; -1 for
// none.
func findBaseRow(rows []row, w word) int {
	best, nearest := -1, 0.0
	from, _ := slices.BinarySearchFunc(rows, w.y+1.2*w.size+20, func(r row, y float64) int { return cmp.Compare(y, r.y) })
	for i := max(0, from-1); i < len(rows) && rows[i].y > w.y-1.2*w.size-40; i++ {
		r := &rows[i]
		if overlap := min(w.top(), r.top()) - max(w.bottom(), r.y-descent*r.size); overlap < 0.4*w.size*(ascent+descent) {
			continue
		}
		for k := range r.words {
			next := &r.words[k]
			if gap := max(w.x-next.end, next.x-w.end); gap < 0.6*next.size && next.size > w.size {
				if away := max(gap, 0) + math.Abs(w.y-r.y)/4; best < 0 || away < nearest {
					best, nearest = i, away
				}
			}
		}
	}
	return best
}

// commonSize returns the size of most letters, rounded to half points.
func commonSize(words []word) float64 {
	letters := map[float64]int{}
	for i := range words {
		letters[math.Round(2*words[i].size)/2] += words[i].letters
	}
	return max(mode(letters), 0.5)
}

// mode returns the size with the highest count; of equal counts, the largest size.
func mode(sizes map[float64]int) float64 {
	best, most := 0.0, 0
	for size, n := range sizes {
		if n > most || n == most && size > best {
			best, most = size, n
		}
	}
	return best
}

// segments splits a row at gaps wider than gap, a share of the size.
func (r *row) segments(gap float64) [][]word {
	var all [][]word
	from := 0
	end := r.words[0].end
	for i := 1; i < len(r.words); i++ {
		if w := &r.words[i]; w.x-end > gap*max(r.size, 0.8*w.size) {
			all = append(all, r.words[from:i])
			from = i
		}
		end = max(end, r.words[i].end)
	}
	return append(all, r.words[from:])
}

// joinText returns the text of words of one row.
func joinText(words []word) string {
	var pieces []string
	leftwards := false
	for i := range words {
		w := &words[i]
		if i > 0 {
			last := &words[i-1]
			gap := w.x - last.end
			size := min(w.size, last.size)
			dense := isUnspaced(last.text, true) && isUnspaced(w.text, false) && gap < 0.8*size
			if (last.hasSpace && gap > spaceGap*size || gap > wordGap*size || gap < -0.5*size) && !dense {
				pieces = append(pieces, " ")
			}
		}
		if i > 0 && len(pieces) > 0 && pieces[len(pieces)-1] != " " {
			if script := w.scriptText(&words[i-1]); script != "" {
				pieces = append(pieces, script)
				continue
			}
		}
		if w.rtlGlyphs != nil {
			leftwards = true
			pieces = append(pieces, w.rtlGlyphs...)
		} else {
			pieces = append(pieces, w.text)
		}
	}
	if leftwards {
		pieces = reorderText(pieces)
	}
	return tidy(strings.Join(pieces, ""))
}

// scriptText returns a number that is raised or lowered after a word in Unicode superscripts or
// subscripts, because 10⁹ is not 109, and a raised letter, which names a note, apart from the word. It
// returns "" for other words.
func (w *word) scriptText(before *word) string {
	up := w.y - before.y
	if w.size > 0.85*before.size || strings.Trim(w.text, "0123456789+-−–,") != "" {
		if up > 0.15*before.size && w.size < 0.85*before.size && len(w.text) == 1 && w.text[0] >= 'a' && w.text[0] <= 'z' && noted.MatchString(before.text) {
			return " " + w.text
		}
		return ""
	}
	switch {
	case up > 0.15*before.size:
		return superscripts.Replace(w.text)
	case up < -0.08*before.size:
		return subscripts.Replace(w.text)
	}
	return ""
}

// noted matches a word long enough to have a note, unlike a variable.
var noted = regexp.MustCompile(`\p{L}{3}[)\]%.,;:]?$`)

var (
	superscripts = strings.NewReplacer("0", "⁰", "1", "¹", "2", "²", "3", "³", "4", "⁴", "5", "⁵", "6", "⁶", "7", "⁷", "8", "⁸", "9", "⁹", "+", "⁺", "-", "⁻", "−", "⁻")
	subscripts   = strings.NewReplacer("0", "₀", "1", "₁", "2", "₂", "3", "₃", "4", "₄", "5", "₅", "6", "₆", "7", "₇", "8", "₈", "9", "₉", "+", "₊", "-", "₋", "−", "₋")
)

// isRightToLeft reports whether a text has letters of a right-to-left script.
func isRightToLeft(s string) bool {
	for _, r := range s {
		if r >= 0x0590 && r < 0x0900 || r >= 0xfb1d && r < 0xfe00 || r >= 0xfe70 && r < 0xff00 {
			return true
		}
	}
	return false
}

// reorderText changes pieces from page order, left to right, to reading order.
func reorderText(pieces []string) []string {
	var units []string // a letter with its combining marks
	for _, p := range pieces {
		r, _ := utf8.DecodeRuneInString(p)
		if n := len(units); n > 0 && unicode.Is(unicode.Mn, r) {
			units[n-1] += p
		} else {
			units = append(units, p)
		}
	}
	left, right := 0, 0
	for _, u := range units {
		r, _ := utf8.DecodeRuneInString(u)
		switch {
		case isRightToLeft(u):
			left++
		case unicode.IsLetter(r):
			right += utf8.RuneCountInString(u)
		}
	}
	neutral := func(u string) bool {
		r, _ := utf8.DecodeRuneInString(u)
		return !unicode.IsLetter(r) && !unicode.IsDigit(r)
	}
	base := left >= right
	if base {
		slices.Reverse(units)
	}
	// Reverse runs against the direction of the line, with the neutral characters inside them.
	for from := 0; from < len(units); from++ {
		if neutral(units[from]) || isRightToLeft(units[from]) == base {
			continue
		}
		to := from
		for i := from; i < len(units) && (neutral(units[i]) || isRightToLeft(units[i]) != base); i++ {
			if !neutral(units[i]) {
				to = i
			}
		}
		slices.Reverse(units[from : to+1])
		from = to
	}
	return units
}

// isUnspaced reports whether the first letter, or the last if last is true, is of a script written
// without spaces.
func isUnspaced(s string, last bool) bool {
	for _, r := range s {
		if w := r >= 0x2E80 && r < 0x3130 || r >= 0x3190 && r < 0xA4D0 || r >= 0xF900 && r < 0xFB00 || r >= 0xFF5F && r < 0xFFE0; !last {
			return w
		} else if strings.HasSuffix(s, string(r)) {
			return w
		}
	}
	return false
}

// newLine returns a line of words that are in order.
func newLine(words []word) Line {
	l := Line{Text: joinText(words), Size: commonSize(words), X: words[0].x, Y: words[0].y}
	bold, letters := 0, 0
	for i := range words {
		w := &words[i]
		l.End = max(l.End, w.end)
		letters += w.letters
		if w.bold {
			bold += w.letters
		}
		if math.Abs(math.Round(2*w.size)/2-l.Size) < 0.1 {
			l.Y = w.y
		}
	}
	l.Bold = 2*bold > letters
	return l
}

// tidy normalises text: it splits ligatures, composes accents with their letters and joins spaces.
func tidy(s string) string {
	s = ligatures.Replace(s)
	if strings.Contains(s, "..") || strings.Contains(s, ". .") || strings.Contains(s, "__") {
		s = leaderDots.ReplaceAllString(s, " "+leaderText+" ")
	}
	if isRightToLeft(s) { // letters have presentation forms
		s = norm.NFKC.String(s)
	}
	return plaintext.OneLine(norm.NFC.String(s))
}

var leaderDots = regexp.MustCompile(`(?:[.·…_]\s?){5,}`)

var ligatures = strings.NewReplacer("\uFB00", "ff", "\uFB01", "fi", "\uFB02", "fl", "\uFB03", "ffi", "\uFB04", "ffl",
	"\uFB05", "st", "\uFB06", "st", "\x00", "", "\uFFFD", "")
