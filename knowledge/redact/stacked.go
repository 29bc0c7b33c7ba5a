package redact

import (
	"strconv"
	"strings"
)

// The tagger reads a text twice. The second pass sees what the first one thought of every piece: of its neighbours, of the
// same word elsewhere, of what is written alike, and of the lines above and below. That is stacked sequential learning (W. Cohen
// and V. Carvalho, "Stacked sequential learning", IJCAI 2005); in training, what the first pass thinks of a hand's notes comes
// from a tagger that has not seen that hand.

// prediction is what the first pass thinks of a piece.
type prediction struct {
	label  byte // of labelLetters: the likeliest identifier; '-' if there is hardly a chance of one
	likely float64
}

func predictionOf(p [labelCount]float64) prediction {
	best := ofName
	for l := ofName; l < labelCount; l++ {
		if p[l] > p[best] {
			best = l
		}
	}
	o := prediction{labelLetters[best], 1 - p[nothing]}
	if o.likely < coarse[0] {
		o.label = '-'
	}
	return o
}

// The steps of probabilities. Fine ones are for a piece itself, coarse ones for what stands around it.
var (
	coarse = []float64{.02, .1, .3, .6, .9, .98}
	fine   = []float64{.003, .01, .03, .06, .1, .15, .2, .3, .4, .5, .6, .7, .8, .9, .96, .99}
)

// step returns how many of the steps a probability reaches.
func step(likely float64, steps []float64) string {
	n := 0
	for n < len(steps) && likely >= steps[n] {
		n++
	}
	return strconv.Itoa(n)
}

// code is the prediction in a few letters.
func (o prediction) code() string { return string(o.label) + step(o.likely, coarse) }

// mostInLine is how many pieces of a line are compared with those above and below.
const mostInLine = 12

// secondFeatures returns the features of the second pass that those of the first do not have, for each piece, given the
// probabilities of the first pass.
func (e *evidence) secondFeatures(p [][labelCount]float64) [][]string {
	s := newSecond(e, p)
	all := make([][]string, len(e.pieces))
	for i := range e.pieces {
		all[i] = s.features(i)
	}
	return all
}

// second is a text with what the first pass thought of it.
type second struct {
	pieces      []piece
	predictions []prediction
	codes       []string
	shapes      []string
	words       map[string]likeliest
	patterns    map[string]alike // by a shape between two others
	lines       []int            // where each line begins
	line        []int            // of each piece
	dates       string           // how many pieces of dates there may be
}

// likeliest holds the two places at which a word most probably identifies somebody; -1 if there is none.
type likeliest [2]int

// alike is how many pieces have a pattern, and the sum of their probabilities.
type alike struct {
	n   int
	sum float64
}

func newSecond(e *evidence, p [][labelCount]float64) *second {
	n := len(e.pieces)
	s := &second{pieces: e.pieces, predictions: make([]prediction, n), codes: make([]string, n), shapes: make([]string, n), line: make([]int, n),
		words: make(map[string]likeliest), patterns: make(map[string]alike), lines: []int{0}}
	dates := 0.0
	for i, q := range e.pieces {
		s.predictions[i] = predictionOf(p[i])
		s.codes[i], s.shapes[i] = s.predictions[i].code(), q.shape()
		s.line[i] = len(s.lines) - 1
		if q.kind == 'l' {
			s.lines = append(s.lines, i+1)
		}
		dates += p[i][ofDate]
	}
	for i, q := range e.pieces {
		if q.isWritten() {
			places, ok := s.words[q.text]
			if !ok {
				places = likeliest{-1, -1}
			}
			if s.isLikelier(i, places[0]) {
				places = likeliest{i, places[0]}
			} else if s.isLikelier(i, places[1]) {
				places[1] = i
			}
			s.words[q.text] = places
			pattern := s.pattern(i)
			all := s.patterns[pattern]
			s.patterns[pattern] = alike{all.n + 1, all.sum + s.predictions[i].likely}
		}
	}
	s.dates = step(dates, []float64{2, 8, 20})
	return s
}

// isWritten reports whether a piece is a word, a character or a number.
func (p piece) isWritten() bool { return p.kind == 'w' || p.kind == 'h' || p.kind == 'd' }

// code returns the prediction of a piece, "E" beyond the ends.
func (s *second) code(i int) string {
	if i < 0 || i >= len(s.codes) {
		return "E"
	}
	return s.codes[i]
}

func (s *second) shape(i int) string {
	if i < 0 || i >= len(s.shapes) {
		return "E"
	}
	return s.shapes[i]
}

func (s *second) pattern(i int) string { return s.shape(i-1) + " " + s.shape(i) + " " + s.shape(i+1) }

// labels returns the letters of the predictions of some pieces.
func (s *second) labels(from, to int) string {
	var b strings.Builder
	for k := from; k <= to; k++ {
		b.WriteByte(s.code(k)[0])
	}
	return b.String()
}

func (s *second) features(i int) []string {
	here, shape := s.codes[i], s.shapes[i]
	f := []string{
		"q " + here, "q " + here + " " + shape, "q fine " + string(s.predictions[i].label) + step(s.predictions[i].likely, fine),
		"q-1 " + s.code(i-1) + here, "q+1 " + here + s.code(i+1), "q-1+1 " + s.code(i-1) + here + s.code(i+1),
		"q-2 " + s.code(i-2) + s.code(i-1) + here, "q+2 " + here + s.code(i+1) + s.code(i+2),
		"q-3+3 " + s.labels(i-3, i+3), "q-3 " + s.labels(i-3, i), "q+3 " + s.labels(i, i+3),
	}
	if !s.pieces[i].isWritten() {
		return f
	}
	places := s.words[s.pieces[i].text]
	other := places[0]
	if other == i {
		other = places[1]
	}
	if other >= 0 {
		f = append(f, "q same "+s.codes[other]+" "+here, "q same "+s.codes[other]+" "+shape)
	}
	if all := s.patterns[s.pattern(i)]; all.n > 1 {
		mean := step((all.sum-s.predictions[i].likely)/float64(all.n-1), coarse)
		f = append(f, "q alike "+mean+" "+here, "q alike "+mean+" "+shape)
	}
	for _, next := range []int{-1, 1} {
		if k := s.inLine(i, next); k >= 0 {
			f = append(f, "q line "+strconv.Itoa(next)+" "+s.codes[k]+" "+here+" "+strconv.FormatBool(s.shapes[k] == shape))
		}
	}
	return append(f, "q dates "+s.dates+" "+here+" "+shape)
}

// isLikelier reports whether a piece identifies somebody more probably than another, or there is no other.
func (s *second) isLikelier(i, other int) bool {
	return other < 0 || s.predictions[i].likely > s.predictions[other].likely
}

// inLine returns the piece that is as far from the beginning of the line above (-1) or below (1); -1 if there is none.
func (s *second) inLine(i, next int) int {
	within, line := i-s.lines[s.line[i]], s.line[i]+next
	if within >= mostInLine || line < 0 || line >= len(s.lines) {
		return -1
	}
	k := s.lines[line] + within
	if k >= len(s.pieces) || s.line[k] != line {
		return -1
	}
	return k
}
