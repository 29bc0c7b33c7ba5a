package lexical

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"

	"lacuna/vecmath/mapped"
)

// forward holds the terms of each text: what scores are computed from, what the encoder trains on and what
// word-by-word comparison needs, without analysing the text again. Its arrays are views of a memory-mapped
// file, except the vocabulary, whose strings others may keep.
type forward struct {
	vocabulary []string // by term number, in order of first occurrence
	table      []uint32 // hash table of term numbers plus one, 0 for an empty slot; see slot
	documents  []uint32 // number of texts a term occurs in, by term number
	terms      []uint32 // of all texts, concatenated
	starts     []uint64 // where a text's terms begin; one more than there are texts
}

func (f *forward) texts() int { return len(f.starts) - 1 }

func (f *forward) text(ordinal int) []uint32 {
	return f.terms[f.starts[ordinal]:f.starts[ordinal+1]]
}

func (f *forward) length(ordinal int) int { return int(f.starts[ordinal+1] - f.starts[ordinal]) }

func (f *forward) meanLength() float64 {
	if f.texts() == 0 {
		return 0
	}
	return float64(len(f.terms)) / float64(f.texts())
}

// number finds a term.
func (f *forward) number(term string) (uint32, bool) {
	if len(f.table) == 0 {
		return 0, false
	}
	for at := slot(term, len(f.table)); f.table[at] != 0; at = (at + 1) & (len(f.table) - 1) {
		if number := f.table[at] - 1; f.vocabulary[number] == term {
			return number, true
		}
	}
	return 0, false
}

// slot is where the search for a term begins in a table whose size is a power of two: by FNV-1a,
// whose upper half is mixed into the lower.
func slot(term string, size int) int {
	hash := uint64(14695981039346656037)
	for i := range len(term) {
		hash = (hash ^ uint64(term[i])) * 1099511628211
	}
	return int((hash ^ hash>>32) & uint64(size-1))
}

// newTable returns the hash table of a vocabulary, at most half full.
func newTable(vocabulary []string) []uint32 {
	size := 2
	for size < 2*len(vocabulary) {
		size *= 2
	}
	table := make([]uint32, size)
	for number, term := range vocabulary {
		at := slot(term, size)
		for table[at] != 0 {
			at = (at + 1) & (size - 1)
		}
		table[at] = uint32(number) + 1
	}
	return table
}

// forwardBuilder gathers the terms of texts that come one after the other.
type forwardBuilder struct {
	forward
	numbers  map[string]uint32
	lastText []int // the last text, plus one, that a term was seen in, by term number
}

func newForwardBuilder() *forwardBuilder {
	return &forwardBuilder{forward: forward{starts: []uint64{0}}, numbers: make(map[string]uint32)}
}

// numberOf returns the number of a term, a new one if need be.
func (b *forwardBuilder) numberOf(term string) uint32 {
	number, known := b.numbers[term]
	if !known {
		number = uint32(len(b.vocabulary))
		term = string([]byte(term)) // a term may be a piece of a whole text
		b.numbers[term] = number
		b.vocabulary = append(b.vocabulary, term)
		b.documents = append(b.documents, 0)
		b.lastText = append(b.lastText, 0)
	}
	return number
}

// add appends a term to the text that is being gathered.
func (b *forwardBuilder) add(number uint32) {
	b.terms = append(b.terms, number)
	if text := len(b.starts); b.lastText[number] != text {
		b.lastText[number] = text
		b.documents[number]++
	}
}

// endText ends the text whose terms were added last.
func (b *forwardBuilder) endText() { b.starts = append(b.starts, uint64(len(b.terms))) }

// finish returns what was gathered.
func (b *forwardBuilder) finish() *forward {
	b.table = newTable(b.vocabulary)
	return &b.forward
}

// The file begins with forwardMagic and five 64-bit numbers: how many texts, terms in all, terms
// of the vocabulary, slots of the table and bytes of the vocabulary there are. The arrays follow:
// starts (64 bits each), terms, documents, the ends of the vocabulary's terms and the table (32
// bits each), and the vocabulary's bytes. All is little-endian.
const (
	forwardMagic  = "LACTERM\x02"
	forwardHeader = len(forwardMagic) + 5*8
)

func (f *forward) writeTo(w io.Writer) error {
	ends := make([]uint32, len(f.vocabulary))
	end := uint32(0)
	for number, term := range f.vocabulary {
		end += uint32(len(term))
		ends[number] = end
	}
	header := []byte(forwardMagic)
	for _, n := range []int{f.texts(), len(f.terms), len(f.vocabulary), len(f.table), int(end)} {
		header = binary.LittleEndian.AppendUint64(header, uint64(n))
	}
	buffered := bufio.NewWriterSize(w, 1<<16) // it keeps the first error until Flush
	for _, part := range [][]byte{
		header, mapped.Bytes(f.starts), mapped.Bytes(f.terms), mapped.Bytes(f.documents), mapped.Bytes(ends), mapped.Bytes(f.table),
	} {
		_, _ = buffered.Write(part)
	}
	for _, term := range f.vocabulary {
		_, _ = buffered.WriteString(term)
	}
	return buffered.Flush()
}

var errForward = errors.New("not a list of terms")

// readForward returns what writeTo wrote, most of it as views of data. Whatever the bytes
// are, it returns something whose numbers are all in range, or fails.
func readForward(data []byte) (*forward, error) {
	if len(data) < forwardHeader || string(data[:len(forwardMagic)]) != forwardMagic {
		return nil, errForward
	}
	counts := mapped.View[uint64](data[len(forwardMagic):forwardHeader])
	rest := array{data: data[forwardHeader:]}
	f := &forward{}
	f.starts = mapped.View[uint64](rest.cut(counts[0]+1, 8))
	f.terms = mapped.View[uint32](rest.cut(counts[1], 4))
	f.documents = mapped.View[uint32](rest.cut(counts[2], 4))
	ends := mapped.View[uint32](rest.cut(counts[2], 4))
	f.table = mapped.View[uint32](rest.cut(counts[3], 4))
	words := string(rest.cut(counts[4], 1))
	if rest.short || len(rest.data) > 0 || len(f.starts) == 0 {
		return nil, errForward
	}
	f.vocabulary = make([]string, len(ends))
	start := uint32(0)
	for number, end := range ends {
		if end < start || int(end) > len(words) {
			return nil, errForward
		}
		f.vocabulary[number] = words[start:end]
		start = end
	}
	return f, f.check()
}

// check makes sure that no number leads out of an array, and that the search for a term ends.
func (f *forward) check() error {
	if f.starts[0] != 0 || f.starts[f.texts()] != uint64(len(f.terms)) || !slices.IsSorted(f.starts) {
		return fmt.Errorf("%w: texts overlap", errForward)
	}
	highest := uint32(0)
	for _, number := range f.terms {
		highest = max(highest, number)
	}
	taken := 0
	for _, entry := range f.table {
		if entry != 0 {
			highest = max(highest, entry-1)
			taken++
		}
	}
	if int64(highest) >= int64(len(f.vocabulary)) && len(f.terms)+taken > 0 {
		return fmt.Errorf("%w: term number %d of %d", errForward, highest, len(f.vocabulary))
	}
	if size := len(f.table); size&(size-1) != 0 || taken >= size && size > 0 {
		return fmt.Errorf("%w: %d of %d slots taken", errForward, taken, size)
	}
	return nil
}

// array is cut into arrays. When it is too short for one, it is short from then on.
type array struct {
	data  []byte
	short bool
}

func (a *array) cut(count uint64, size int) []byte {
	if a.short || count > uint64(len(a.data)/size) {
		a.short, a.data = true, nil
		return nil
	}
	head := a.data[:count*uint64(size)]
	a.data = a.data[len(head):]
	return head
}
