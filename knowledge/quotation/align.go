package quotation

// alignment is the stretch of a text that is most like a quote.
type alignment struct {
	from, to int      // tokens of the text
	same     int      // tokens that both have, in order
	pairs    [][2]int // of these: in the quote, in the text
}

// Costs of the alignment: what both have counts for it, what one has alone against it.
const (
	match    = 2
	mismatch = -1
)

// mostCells bounds the table of an alignment, to 32 MB. Of a longer text its beginning is aligned.
const mostCells = 16 << 20

// align finds the stretch of a text that is most like a quote by local alignment (Smith & Waterman 1981).
func align(said, in []word) alignment {
	in = in[:min(len(in), mostCells/(len(said)+1))]
	width := len(in) + 1
	score := make([]int16, (len(said)+1)*width)
	best, bestI, bestJ := int16(0), 0, 0
	for i := 1; i <= len(said); i++ {
		for j := 1; j <= len(in); j++ {
			s := int16(mismatch)
			if said[i-1] == in[j-1] {
				s = match
			}
			v := max(0, score[(i-1)*width+j-1]+s, score[(i-1)*width+j]+mismatch, score[i*width+j-1]+mismatch)
			score[i*width+j] = v
			if v > best {
				best, bestI, bestJ = v, i, j
			}
		}
	}
	a := alignment{to: bestJ}
	i, j := bestI, bestJ
	for i > 0 && j > 0 && score[i*width+j] > 0 {
		v := score[i*width+j]
		switch {
		case said[i-1] == in[j-1] && v == score[(i-1)*width+j-1]+match:
			a.pairs = append(a.pairs, [2]int{i - 1, j - 1})
			i, j = i-1, j-1
		case v == score[(i-1)*width+j-1]+mismatch:
			i, j = i-1, j-1
		case v == score[(i-1)*width+j]+mismatch:
			i--
		default:
			j--
		}
	}
	a.from, a.same = j, len(a.pairs)
	for l, r := 0, len(a.pairs)-1; l < r; l, r = l+1, r-1 {
		a.pairs[l], a.pairs[r] = a.pairs[r], a.pairs[l]
	}
	// What the quote has before and behind the stretch stands for as many tokens of the text.
	if n := len(a.pairs); n > 0 {
		a.from = max(0, a.from-a.pairs[0][0])
		a.to = min(len(in), a.to+len(said)-1-a.pairs[n-1][0])
	}
	return a
}

// Difference is where an altered quote leaves its source. One of both is empty where words were left out or added.
type Difference struct{ Quoted, Stated string }

// differences returns where a quote leaves a text.
func (a alignment) differences(said []token, t *text) []Difference {
	var all []Difference
	add := func(i0, i1, j0, j1 int) {
		d := Difference{Stated: t.stretch(j0, j1)}
		for i, w := range said[i0:i1] {
			if i > 0 && said[i0+i-1].end < w.start {
				d.Quoted += " "
			}
			if w.word == anything {
				d.Quoted += "[…]"
				continue
			}
			d.Quoted += w.word
		}
		if d != (Difference{}) {
			all = append(all, d)
		}
	}
	i, j := 0, a.from
	for _, pair := range a.pairs {
		add(i, pair[0], j, pair[1])
		i, j = pair[0]+1, pair[1]+1
	}
	add(i, len(said), j, max(j, a.to))
	return all
}
