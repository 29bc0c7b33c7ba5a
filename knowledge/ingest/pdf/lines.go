package pdf

import (
	"math"
	"strings"
)

// Shares of a letter's size that tell how letters belong together; measured on files of a browser, of
// TeX and of office programs.
const (
	wordGap  = 0.17 // the least space between words
	sameLine = 0.45 // how far a raised or lowered letter stands from the line
	wideGap  = 2.5  // the least space between columns of a table, which no sentence crosses
)

// lines gathers the letters in the order in which the page shows them. That keeps columns apart,
// because every program that sets columns writes one after the other.
func (p *painter) lines() []Line {
	var lines []Line
	var b strings.Builder
	sizes := map[float64]int{}
	var line Line
	finish := func() {
		if line.Text = tidy(b.String()); line.Text != "" {
			line.Size = mostFrequent(sizes)
			lines = append(lines, line)
		}
		b.Reset()
		clear(sizes)
	}
	var last glyph
	for i, g := range p.glyphs {
		size := max(g.size, last.size, 1)
		gap := g.x - last.end
		switch {
		case i == 0:
			line = Line{X: g.x, Y: g.y}
		case math.Abs(g.y-line.Y) > sameLine*size, gap > wideGap*size, g.x < last.x-size/2:
			finish()
			line = Line{X: g.x, Y: g.y}
		case gap > wordGap*size && !wide(last.text) && !wide(g.text):
			b.WriteByte(' ')
		}
		b.WriteString(g.text)
		sizes[math.Round(2*g.size)/2] += len(g.text)
		if strings.TrimSpace(g.text) != "" {
			line.End = g.end
		}
		last = g
	}
	finish()
	return lines
}

// wide reports whether a letter is of a script that is written without spaces.
func wide(letter string) bool {
	for _, r := range letter {
		return r >= 0x2E80 && r < 0xA4D0 || r >= 0xF900 && r < 0xFB00 || r >= 0xFF00 && r < 0xFFE0
	}
	return false
}

func mostFrequent(sizes map[float64]int) float64 {
	best, most := 0.0, 0
	for size, n := range sizes {
		if n > most || n == most && size > best {
			best, most = size, n
		}
	}
	return best
}
