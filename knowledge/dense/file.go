package dense

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"lacuna/vecmath"
)

// On disk an encoder is fileMagic, the number of its terms, each term as its length and its bytes,
// and three matrices (see [vecmath.Rows.WriteTo]): the idf of the terms, the lengths of their
// trained vectors, and those vectors scaled to length 1. Numbers and lengths are unsigned varints.
const fileMagic = "LACENCO\x01"

// longestTerm is far more than the analyser lets through.
const longestTerm = 1 << 12

// WriteTo writes the encoder.
func (e *Encoder) WriteTo(w io.Writer) (int64, error) {
	counted := &counter{w: w}
	b := bufio.NewWriterSize(counted, 1<<16)
	// bufio keeps the first error until Flush.
	_, _ = b.WriteString(fileMagic)
	number := func(n int) { _, _ = b.Write(binary.AppendUvarint(nil, uint64(n))) }
	number(len(e.vocabulary))
	for _, term := range e.vocabulary {
		number(len(term))
		_, _ = b.WriteString(term)
	}
	for _, part := range []struct {
		dim  int
		data []float32
	}{{1, e.idf}, {1, e.lengths}, {e.dim, e.units}} {
		rows, err := vecmath.RowsOf(part.dim, part.data)
		if err != nil {
			return counted.n, fmt.Errorf("encoder: %w", err)
		}
		if _, err := rows.WriteTo(b); err != nil {
			return counted.n, err
		}
	}
	return counted.n, b.Flush()
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

// Read reads what [Encoder.WriteTo] wrote. Anything else is an error.
func Read(r io.Reader) (*Encoder, error) {
	b := bufio.NewReaderSize(r, 1<<16)
	e, err := read(b)
	if err != nil {
		return nil, fmt.Errorf("encoder: %w", err)
	}
	if _, err := b.ReadByte(); err != io.EOF {
		return nil, errors.New("encoder: more than an encoder")
	}
	return e, nil
}

func read(b *bufio.Reader) (*Encoder, error) {
	magic := make([]byte, len(fileMagic))
	if _, err := io.ReadFull(b, magic); err != nil {
		return nil, err
	}
	if string(magic) != fileMagic {
		return nil, errors.New("wrong beginning")
	}
	terms, err := binary.ReadUvarint(b)
	if err != nil {
		return nil, err
	}
	e := &Encoder{}
	for range terms {
		term, err := readTerm(b)
		if err != nil {
			return nil, err
		}
		e.vocabulary = append(e.vocabulary, term)
	}
	var parts [3]*vecmath.Rows
	for i := range parts {
		if parts[i], err = vecmath.ReadRows(b); err != nil {
			return nil, err
		}
		if parts[i].Len() != len(e.vocabulary) || i < 2 && parts[i].Dim() != 1 {
			return nil, fmt.Errorf("%d rows of dimension %d for %d terms", parts[i].Len(), parts[i].Dim(), len(e.vocabulary))
		}
	}
	e.idf, e.lengths, e.units, e.dim = parts[0].Data(), parts[1].Data(), parts[2].Data(), parts[2].Dim()
	e.indexTerms()
	if len(e.rows) != len(e.vocabulary) {
		return nil, errors.New("a term stands twice")
	}
	return e, nil
}

func readTerm(b *bufio.Reader) (string, error) {
	length, err := binary.ReadUvarint(b)
	if err != nil {
		return "", err
	}
	if length > longestTerm {
		return "", fmt.Errorf("a term of %d bytes", length)
	}
	term := make([]byte, length)
	_, err = io.ReadFull(b, term)
	return string(term), err
}
