package lexical

import (
	"bufio"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"slices"

	"lacuna/vecmath/mapped"
)

// bounds say how much each of the common terms is worth at most in each text that has it: the fraction of
// its weight that the text earns, rounded up to a 255th. They are ordered by term and by window, so that a
// search can leave out the windows, and within a window the terms, that cannot make a difference. Scores are
// never computed from them.
//
// bluge has the postings of these terms too. But its iterators know no bounds, and to advance over postings
// with frequencies they step through every one.
type bounds struct {
	first   []uint32 // the first list of a term, by term number; one more than there are terms
	windows []uint32 // of a list; ascending within a term
	starts  []uint32 // where a list begins in the next two; one more than there are lists
	places  []uint16 // of the texts within their window, ascending within a list
	impacts []byte
	highest []byte // impact of a list
}

const (
	// commonFrom is the number of texts from which a term counts as common. Rarer ones are left to
	// bluge: they are most of the vocabulary, a few dozen postings cost little to read, and lists
	// of one or two would cost more than they hold.
	commonFrom = 64

	// A window is a run of texts whose sums fit into the first-level cache. Measured: from 2^12 to
	// 2^14 makes no difference, 2^16 takes half as long again.
	windowBits = 13
	windowSize = 1 << windowBits
)

// impactOf returns a fraction of a term's weight in 255ths, rounded up; at least 1.
func impactOf(saturation float64) byte {
	return byte(max(1, min(255, math.Ceil(saturation*255))))
}

// newBounds computes the bounds of all texts.
func newBounds(f *forward, p Parameters) *bounds {
	b := &bounds{first: make([]uint32, len(f.vocabulary)+1)}
	b.reserve(f)
	list := slices.Clone(b.first)                // the next list to begin, by term number
	posting := make([]uint32, len(f.vocabulary)) // where the next posting goes, by term number
	next := uint32(0)
	for number, df := range f.documents {
		posting[number] = next
		if df >= commonFrom {
			next += df
		}
	}
	mean := f.meanLength()
	counter := newCounter(len(f.vocabulary))
	for ordinal := range f.texts() {
		window := uint32(ordinal >> windowBits)
		for _, number := range counter.count(f.text(ordinal)) {
			if f.documents[number] < commonFrom {
				continue
			}
			if list[number] == b.first[number] || b.windows[list[number]-1] != window {
				b.windows[list[number]] = window
				b.starts[list[number]] = posting[number]
				list[number]++
			}
			impact := impactOf(p.saturation(int(counter.frequency[number]), f.length(ordinal), mean))
			b.places[posting[number]] = uint16(ordinal & (windowSize - 1))
			b.impacts[posting[number]] = impact
			b.highest[list[number]-1] = max(b.highest[list[number]-1], impact)
			posting[number]++
		}
	}
	return b
}

// reserve makes room for the lists and their postings.
func (b *bounds) reserve(f *forward) {
	last := make([]uint32, len(f.vocabulary)) // window, plus one, in which a term was seen last
	for ordinal := range f.texts() {
		window := uint32(ordinal>>windowBits) + 1
		for _, number := range f.text(ordinal) {
			if last[number] != window && f.documents[number] >= commonFrom {
				last[number] = window
				b.first[number+1]++
			}
		}
	}
	postings := 0
	for number, df := range f.documents {
		b.first[number+1] += b.first[number]
		if df >= commonFrom {
			postings += int(df)
		}
	}
	lists := b.first[len(f.documents)]
	b.windows = make([]uint32, lists)
	b.starts = make([]uint32, lists+1)
	b.starts[lists] = uint32(postings)
	b.highest = make([]byte, lists)
	b.places = make([]uint16, postings)
	b.impacts = make([]byte, postings)
}

// list holds the bounds of one term within one window.
type list struct {
	window  int
	places  []uint16
	impacts []byte
	highest byte
}

// lists returns the range of a term's lists; it is empty for a term that is not common.
func (b *bounds) lists(number uint32) (from, to uint32) { return b.first[number], b.first[number+1] }

func (b *bounds) list(at uint32) list {
	from, to := b.starts[at], b.starts[at+1]
	return list{int(b.windows[at]), b.places[from:to], b.impacts[from:to], b.highest[at]}
}

// counter counts how often each term occurs in a text.
type counter struct {
	frequency []uint32 // by term number, of the text counted last
	distinct  []uint32
}

func newCounter(vocabulary int) *counter { return &counter{frequency: make([]uint32, vocabulary)} }

// count counts the terms of a text and returns them, each once, in order of first occurrence. The
// slice is good until the next call.
func (c *counter) count(text []uint32) []uint32 {
	for _, number := range c.distinct {
		c.frequency[number] = 0
	}
	c.distinct = c.distinct[:0]
	for _, number := range text {
		if c.frequency[number] == 0 {
			c.distinct = append(c.distinct, number)
		}
		c.frequency[number]++
	}
	return c.distinct
}

// The file begins with boundsMagic and three 64-bit numbers: how many terms of the vocabulary,
// lists and postings there are. The arrays follow in the order of the fields of [bounds], with 32,
// 32, 32, 16, 8 and 8 bits a number. All is little-endian.
const (
	boundsMagic  = "LACBNDS\x01"
	boundsHeader = len(boundsMagic) + 3*8
)

func (b *bounds) writeTo(w io.Writer) error {
	header := []byte(boundsMagic)
	for _, n := range []int{len(b.first) - 1, len(b.windows), len(b.places)} {
		header = binary.LittleEndian.AppendUint64(header, uint64(n))
	}
	buffered := bufio.NewWriterSize(w, 1<<16) // it keeps the first error until Flush
	for _, part := range [][]byte{
		header, mapped.Bytes(b.first), mapped.Bytes(b.windows), mapped.Bytes(b.starts), mapped.Bytes(b.places), b.impacts, b.highest,
	} {
		_, _ = buffered.Write(part)
	}
	return buffered.Flush()
}

var errBounds = errors.New("not bounds of these texts")

// readBounds returns what writeTo wrote, as views of data. Whatever the bytes are, it fails or returns
// bounds for this number of texts and terms that point nowhere else.
func readBounds(data []byte, texts, vocabulary int) (*bounds, error) {
	if len(data) < boundsHeader || string(data[:len(boundsMagic)]) != boundsMagic {
		return nil, errBounds
	}
	counts := mapped.View[uint64](data[len(boundsMagic):boundsHeader])
	rest := array{data: data[boundsHeader:]}
	b := &bounds{}
	b.first = mapped.View[uint32](rest.cut(counts[0]+1, 4))
	b.windows = mapped.View[uint32](rest.cut(counts[1], 4))
	b.starts = mapped.View[uint32](rest.cut(counts[1]+1, 4))
	b.places = mapped.View[uint16](rest.cut(counts[2], 2))
	b.impacts = rest.cut(counts[2], 1)
	b.highest = rest.cut(counts[1], 1)
	if rest.short || len(rest.data) > 0 || len(b.first) != vocabulary+1 || len(b.starts) != len(b.windows)+1 {
		return nil, errBounds
	}
	if !leads(b.first, len(b.windows)) || !leads(b.starts, len(b.places)) {
		return nil, errBounds
	}
	for at, window := range b.windows {
		places := b.places[b.starts[at]:b.starts[at+1]]
		if len(places) == 0 {
			return nil, errBounds
		}
		if last := int(slices.Max(places)); last >= windowSize || int(window)<<windowBits+last >= texts {
			return nil, errBounds
		}
	}
	return b, nil
}

// leads reports whether numbers cut an array of n into consecutive pieces.
func leads(numbers []uint32, n int) bool {
	return numbers[0] == 0 && int(numbers[len(numbers)-1]) == n && slices.IsSorted(numbers)
}
