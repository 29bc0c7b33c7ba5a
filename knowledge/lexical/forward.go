package lexical

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// forward holds, for each text, the terms it consists of: what the encoder trains on and what
// word-by-word comparison needs, without analysing the text again.
type forward struct {
	vocabulary []string // by term number, in order of first occurrence
	numbers    map[string]uint32
	documents  []uint32 // number of texts a term occurs in, by term number
	terms      []uint32 // of all texts, one text after the other
	starts     []int    // where a text's terms begin; one more than there are texts
	lastText   []int    // while adding: the last text, plus one, that a term was seen in
}

func newForward() *forward {
	return &forward{numbers: make(map[string]uint32), starts: []int{0}}
}

// add appends a text and returns its terms' numbers.
func (f *forward) add(terms []string) []uint32 {
	for _, term := range terms {
		number, known := f.numbers[term]
		if !known {
			number = uint32(len(f.vocabulary))
			term = string([]byte(term)) // a term may be a piece of a whole text
			f.numbers[term] = number
			f.vocabulary = append(f.vocabulary, term)
		}
		f.terms = append(f.terms, number)
	}
	f.endText()
	return f.text(f.texts() - 1)
}

// endText ends the text whose terms were appended last and counts them.
func (f *forward) endText() {
	start := f.starts[len(f.starts)-1]
	f.starts = append(f.starts, len(f.terms))
	for len(f.documents) < len(f.vocabulary) {
		f.documents = append(f.documents, 0)
		f.lastText = append(f.lastText, 0)
	}
	for _, number := range f.terms[start:] {
		if f.lastText[number] != f.texts() {
			f.lastText[number] = f.texts()
			f.documents[number]++
		}
	}
}

func (f *forward) texts() int { return len(f.starts) - 1 }

func (f *forward) text(ordinal int) []uint32 {
	return f.terms[f.starts[ordinal]:f.starts[ordinal+1]]
}

func (f *forward) length(ordinal int) int { return f.starts[ordinal+1] - f.starts[ordinal] }

func (f *forward) meanLength() float64 {
	if f.texts() == 0 {
		return 0
	}
	return float64(len(f.terms)) / float64(f.texts())
}

// writeTo writes varints: the number of terms of the vocabulary, each as length and bytes; the
// number of texts, each as number of terms and the terms' numbers.
func (f *forward) writeTo(w io.Writer) error {
	buffered := bufio.NewWriterSize(w, 1<<16)
	var scratch []byte
	put := func(n int) {
		scratch = binary.AppendUvarint(scratch[:0], uint64(n))
		buffered.Write(scratch) // its error stays in buffered until Flush
	}
	put(len(f.vocabulary))
	for _, term := range f.vocabulary {
		put(len(term))
		buffered.WriteString(term)
	}
	put(f.texts())
	for ordinal := range f.texts() {
		text := f.text(ordinal)
		put(len(text))
		for _, number := range text {
			put(int(number))
		}
	}
	return buffered.Flush()
}

var errCutOff = errors.New("cut off")

// readForward reads what writeTo wrote. Whatever the bytes are, it returns or fails; it allocates
// no more than a small multiple of their number.
func readForward(data []byte) (*forward, error) {
	f := newForward()
	in := &varints{data: data}
	for range in.count() {
		term := string(in.bytes(in.count()))
		if _, twice := f.numbers[term]; twice {
			return nil, fmt.Errorf("term %q twice in the vocabulary", term)
		}
		f.numbers[term] = uint32(len(f.vocabulary))
		f.vocabulary = append(f.vocabulary, term)
	}
	f.documents = make([]uint32, len(f.vocabulary))
	f.lastText = make([]int, len(f.vocabulary))
	for range in.count() {
		for range in.count() {
			number := in.uvarint()
			if number >= uint64(len(f.vocabulary)) {
				return nil, fmt.Errorf("term number %d of %d", number, len(f.vocabulary))
			}
			f.terms = append(f.terms, uint32(number))
		}
		f.endText()
	}
	if in.cut {
		return nil, errCutOff
	}
	f.lastText = nil
	return f, nil
}

// varints reads from data until it is cut off; from then on everything is zero.
type varints struct {
	data []byte
	cut  bool
}

func (v *varints) uvarint() uint64 {
	n, size := binary.Uvarint(v.data)
	if size <= 0 {
		v.cut, v.data = true, nil
		return 0
	}
	v.data = v.data[size:]
	return n
}

// count reads a number of things of at least one byte each.
func (v *varints) count() int {
	n := v.uvarint()
	if n > uint64(len(v.data)) {
		v.cut, v.data = true, nil
		return 0
	}
	return int(n)
}

func (v *varints) bytes(n int) []byte {
	head := v.data[:n]
	v.data = v.data[n:]
	return head
}
