package dense

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"lacuna/vecmath/mapped"
)

// On disk an encoder is fileMagic and three 64-bit numbers: how many terms it knows, the dimension of
// its vectors, and the bytes of its vocabulary. The arrays follow: the idf of each term, the length
// of each trained vector, the vectors scaled to length 1 one after the other (IEEE 754 binary32),
// where each term of the vocabulary ends (32 bits), and the vocabulary. All is little-endian.
const (
	fileMagic  = "LACENCO\x02"
	fileHeader = len(fileMagic) + 3*8
)

// WriteTo writes the encoder.
func (e *Encoder) WriteTo(w io.Writer) (int64, error) {
	ends := make([]uint32, len(e.vocabulary))
	end := 0
	for row, term := range e.vocabulary {
		end += len(term)
		ends[row] = uint32(end)
	}
	for _, part := range [][]float32{e.idf, e.lengths, e.units} {
		if slices.ContainsFunc(part, notFinite) {
			return 0, errors.New("encoder: not every number is finite")
		}
	}
	header := []byte(fileMagic)
	for _, n := range []int{len(e.vocabulary), e.dim, end} {
		header = binary.LittleEndian.AppendUint64(header, uint64(n))
	}
	counted := &counter{w: w}
	b := bufio.NewWriterSize(counted, 1<<16) // it keeps the first error until Flush
	for _, part := range [][]byte{
		header, mapped.Bytes(e.idf), mapped.Bytes(e.lengths), mapped.Bytes(e.units), mapped.Bytes(ends),
	} {
		_, _ = b.Write(part)
	}
	for _, term := range e.vocabulary {
		_, _ = b.WriteString(term)
	}
	err := b.Flush()
	return counted.n, err
}

func notFinite(x float32) bool {
	return math.IsNaN(float64(x)) || math.IsInf(float64(x), 0)
}

type counter struct {
	w io.Writer
	n int64
}

func (c *counter) Write(p []byte) (int, error) {
	n, err := c.w.Write(p)
	c.n += int64(n)
	return n, err
}

// Open opens a file that [Encoder.WriteTo] wrote and maps its vectors into memory; the file must not change.
// It fails if the file does not have the shape of an encoder; the caller must compare checksums.
func Open(path string) (*Encoder, error) {
	file, err := mapped.Open(path)
	if err != nil {
		return nil, fmt.Errorf("encoder: %w", err)
	}
	e, err := decode(file.Bytes())
	if err != nil {
		return nil, fmt.Errorf("encoder: %w", err)
	}
	e.file = file
	return e, nil
}

var errShape = errors.New("not of the shape of an encoder")

// decode returns an encoder whose vectors are views of data.
func decode(data []byte) (*Encoder, error) {
	if len(data) < fileHeader || string(data[:len(fileMagic)]) != fileMagic {
		return nil, errShape
	}
	header := mapped.View[uint64](data[len(fileMagic):fileHeader])
	terms, dim, letters := header[0], header[1], header[2]
	const most = math.MaxInt32 // of anything, so that no product overflows
	if terms > most || dim == 0 || dim > 1<<16 || letters > most ||
		uint64(len(data)) != uint64(fileHeader)+terms*(4+4+4*dim+4)+letters {
		return nil, errShape
	}
	rest := data[fileHeader:]
	cut := func(size uint64) []byte {
		head := rest[:size]
		rest = rest[size:]
		return head
	}
	e := &Encoder{dim: int(dim), vocabulary: make([]string, terms)}
	// The small arrays are worth having in ordinary memory.
	e.idf = slices.Clone(mapped.View[float32](cut(4 * terms)))
	e.lengths = slices.Clone(mapped.View[float32](cut(4 * terms)))
	e.units = mapped.View[float32](cut(4 * terms * dim))
	ends := mapped.View[uint32](cut(4 * terms))
	words := string(rest)
	start := uint32(0)
	for row, end := range ends {
		if end < start || int(end) > len(words) {
			return nil, errShape
		}
		e.vocabulary[row] = words[start:end]
		start = end
	}
	if int(start) != len(words) {
		return nil, errShape
	}
	e.indexTerms()
	if len(e.rows) != len(e.vocabulary) {
		return nil, errors.New("a term stands twice")
	}
	return e, nil
}
