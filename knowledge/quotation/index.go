package quotation

import (
	"math/bits"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"lacuna/knowledge/par"
	"lacuna/knowledge/passage"
)

// word is the number of a word in an index.
type word uint32

const (
	strange  word = iota // of a word that no passage has
	replaced             // of [anything]
	firstWord
)

// Index has the words of passages as a reader sees them, and where neighbouring words stand. It is immutable and safe for concurrent
// use. It takes about ten bytes for each word of the passages.
type Index struct {
	passages []*passage.Passage
	numbers  map[string]word
	small    []word   // of each word: the one with a small first letter
	words    []word   // of all passages, one after another
	begin    []uint32 // where the words of each passage begin, and where the last ones end
	buckets  []uint32 // where each bucket of places begins, and where the last one ends
	places   []uint32 // ordinals of the passages that have a pair of the bucket, each once and ascending
	shift    int      // of hashes, to buckets
}

// batch is the number of passages that are read before their words are numbered.
const batch = 2048

// New reads passages, which takes about 1 µs for each word.
func New(passages []*passage.Passage) *Index {
	x := &Index{passages: passages, numbers: make(map[string]word), small: make([]word, firstWord), begin: make([]uint32, 1, len(passages)+1)}
	for from := 0; from < len(passages); from += batch {
		some := passages[from:min(from+batch, len(passages))]
		texts := make([][]token, len(some))
		par.Each(len(some), func(i int) { texts[i] = read(some[i]).tokens })
		for _, tokens := range texts {
			for _, t := range tokens {
				x.words = append(x.words, x.number(t.word))
			}
			x.begin = append(x.begin, uint32(len(x.words)))
		}
	}
	x.words = slices.Clip(x.words)
	x.fill()
	return x
}

// number returns the number of a word, and gives it one if it has none.
func (x *Index) number(w string) word {
	if n, known := x.numbers[w]; known {
		return n
	}
	w = strings.Clone(w)
	n := word(len(x.small))
	x.numbers[w] = n
	x.small = append(x.small, n)
	if s := small(w); s != w {
		x.small[n] = x.number(s)
	}
	return n
}

// small returns a word with a small first letter.
func small(w string) string {
	first, size := utf8.DecodeRuneInString(w)
	if lower := unicode.ToLower(first); lower != first {
		return string(lower) + w[size:]
	}
	return w
}

// fill makes the buckets. It counts what each will hold first.
func (x *Index) fill() {
	x.shift = 64 - max(4, bits.Len(uint(len(x.words)/2)))
	x.buckets = make([]uint32, 1<<(64-x.shift)+1)
	last := make([]uint32, len(x.buckets)) // of each bucket 1 + the ordinal that came last
	each := func(do func(bucket, ordinal uint32)) {
		clear(last)
		for ordinal := range x.passages {
			in := x.text(ordinal)
			for i := 1; i < len(in); i++ {
				if b := x.bucket(x.small[in[i-1]], x.small[in[i]]); last[b] != uint32(ordinal)+1 {
					last[b] = uint32(ordinal) + 1
					do(b, uint32(ordinal))
				}
			}
		}
	}
	each(func(bucket, _ uint32) { x.buckets[bucket+1]++ })
	for b := 1; b < len(x.buckets); b++ {
		x.buckets[b] += x.buckets[b-1]
	}
	x.places = make([]uint32, x.buckets[len(x.buckets)-1])
	next := slices.Clone(x.buckets)
	each(func(bucket, ordinal uint32) {
		x.places[next[bucket]] = ordinal
		next[bucket]++
	})
}

// text returns the words of a passage.
func (x *Index) text(ordinal int) []word { return x.words[x.begin[ordinal]:x.begin[ordinal+1]] }

// bucket returns the bucket of two neighbouring words with small first letters. Several pairs share one.
func (x *Index) bucket(a, b word) uint32 {
	return uint32((uint64(a)<<32 | uint64(b)) * 0x9E3779B97F4A7C15 >> x.shift)
}

// query is a quote in the words of an index.
type query struct {
	tokens       []token
	words, small []word
}

func (x *Index) query(said []token) query {
	q := query{said, make([]word, len(said)), make([]word, len(said))}
	for i, t := range said {
		if t.word == anything {
			q.words[i], q.small[i] = replaced, replaced
			continue
		}
		q.words[i], q.small[i] = x.numbers[t.word], x.numbers[small(t.word)] // strange if there is none
	}
	return q
}

// from returns the query from a token on.
func (q query) from(i int) query { return query{q.tokens[i:], q.words[i:], q.small[i:]} }

// pair returns the bucket of the words i-1 and i; false if none of them has a place in any.
func (x *Index) pair(q query, i int) (bucket uint32, ok bool) {
	if q.small[i-1] < firstWord || q.small[i] < firstWord {
		return 0, false
	}
	return x.bucket(q.small[i-1], q.small[i]), true
}

// having calls do with each passage, in order, that may have the first most words of a query together, until do returns false.
func (x *Index) having(q query, most int, do func(ordinal int) bool) {
	q.small = q.small[:min(most, len(q.small))]
	if slices.Contains(q.small, strange) {
		return
	}
	var least []uint32
	paired := false
	for i := 1; i < len(q.small); i++ {
		if b, ok := x.pair(q, i); ok {
			if places := x.places[x.buckets[b]:x.buckets[b+1]]; !paired || len(places) < len(least) {
				least, paired = places, true
			}
		}
	}
	for _, ordinal := range least {
		if !do(int(ordinal)) {
			return
		}
	}
	for ordinal := 0; !paired && ordinal < len(x.passages); ordinal++ {
		if !do(ordinal) {
			return
		}
	}
}

// likest returns most passages, those with most buckets of neighbouring words of a query first; of as many those of the named file first,
// then in order.
func (x *Index) likest(q query, file string, most int) []int {
	seen := make(map[uint32]bool, len(q.small))
	shared := make([]uint16, len(x.passages))
	for i := 1; i < len(q.small); i++ {
		if b, ok := x.pair(q, i); ok && !seen[b] {
			seen[b] = true
			for _, ordinal := range x.places[x.buckets[b]:x.buckets[b+1]] {
				shared[ordinal]++
			}
		}
	}
	return first(most, shared, func(ordinal int) bool { return isIn(x.passages[ordinal], file) })
}

// first returns the indices of the greatest counts, but of none that is 0; of equal ones those that are preferred come first, then in order.
func first(most int, counts []uint16, preferred func(int) bool) []int {
	var best []int
	for i, n := range counts {
		if n == 0 {
			continue
		}
		if len(best) == most {
			if least := best[most-1]; n < counts[least] || n == counts[least] && (preferred(least) || !preferred(i)) {
				continue
			}
		}
		at, _ := slices.BinarySearchFunc(best, i, func(one, new int) int {
			if d := int(counts[new]) - int(counts[one]); d != 0 {
				return d
			}
			if preferred(new) && !preferred(one) {
				return 1
			}
			return -1
		})
		if best = slices.Insert(best, at, i); len(best) > most {
			best = best[:most]
		}
	}
	return best
}
