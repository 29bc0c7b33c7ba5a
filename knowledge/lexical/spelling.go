package lexical

import (
	"math/bits"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// How far a term may be from what was meant. Shorter words are near too many others; measured.
const (
	correctable   = 7  // characters from which one slip is allowed for
	correctableBy = 10 // and from which two are
)

// Similar returns the term of the index that is spelt most like one that it does not have: at most
// one slip away (a character too many, too few, another, or two neighbours in the wrong order), in
// words of ten characters and more two; of several the nearest, then the most frequent. Slips seldom
// hit the first letter, which tells many a medicine from another, so it has to be the same. Words
// with digits and those in Chinese are like no other. It also returns how many slips lie between them; 0 if
// there is no such term.
func (x *Index) Similar(term string) (other string, slips int) {
	letters := []rune(term)
	most := maxEdits(letters)
	if most == 0 {
		return "", 0
	}
	x.spelling.once.Do(func() { x.spelling.masks = masksOf(x.Vocabulary()) })
	meant, best, frequency := "", most+1, 0
	mask, first := maskOf(term), string(letters[0])
	var near distance
	for number, other := range x.spelling.masks {
		if bits.OnesCount32(mask^other) > 2*most {
			continue
		}
		candidate := x.Vocabulary()[number]
		if !strings.HasPrefix(candidate, first) || len(candidate) > len(term)+most*utf8.UTFMax {
			continue
		}
		away := near.between(letters, []rune(candidate), most)
		if away > best || away > most {
			continue
		}
		if df := x.DocFreq(candidate); df > 0 && (away < best || df > frequency) {
			meant, best, frequency = candidate, away, df
		}
	}
	if best > most {
		return "", 0
	}
	return meant, best
}

// maxEdits returns how many edits a term may need.
func maxEdits(term []rune) int {
	for _, r := range term {
		if !unicode.IsLetter(r) || scriptOf(r) == ideograph {
			return 0
		}
	}
	switch {
	case len(term) >= correctableBy:
		return 2
	case len(term) >= correctable:
		return 1
	}
	return 0
}

// spelling says of each term which characters it has, so that few have to be compared with one.
type spelling struct {
	once  sync.Once
	masks []uint32 // by term number
}

func masksOf(terms []string) []uint32 {
	masks := make([]uint32, len(terms))
	for number, term := range terms {
		masks[number] = maskOf(term)
	}
	return masks
}

// maskOf has a bit for each character, which some share. A slip changes at most two bits.
func maskOf(term string) uint32 {
	mask := uint32(0)
	for _, r := range term {
		mask |= 1 << (r & 31)
	}
	return mask
}

// distance computes distances between words; it keeps its memory.
type distance struct{ before, last, row []int }

// between is the number of characters that one has to insert, delete, replace or swap with a
// neighbour to get from one word to another, if that is at most most; else any larger number. It is
// the optimal string alignment distance, after Damerau (1964).
func (d *distance) between(a, b []rune, most int) int {
	if len(a)-len(b) > most || len(b)-len(a) > most {
		return most + 1
	}
	d.before, d.last, d.row = d.fit(d.before, len(b)), d.fit(d.last, len(b)), d.fit(d.row, len(b))
	for j := range d.last {
		d.last[j] = j
	}
	for i := range a {
		d.row[0] = i + 1
		least := i + 1
		for j := range b {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			d.row[j+1] = min(d.last[j]+cost, d.last[j+1]+1, d.row[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				d.row[j+1] = min(d.row[j+1], d.before[j-1]+1)
			}
			least = min(least, d.row[j+1])
		}
		if least > most+1 { // a swap reaches back one row
			return most + 1
		}
		d.before, d.last, d.row = d.last, d.row, d.before
	}
	return d.last[len(b)]
}

func (d *distance) fit(row []int, n int) []int {
	if cap(row) < n+1 {
		return make([]int, n+1)
	}
	return row[:n+1]
}
