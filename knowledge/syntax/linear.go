package syntax

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
)

// linear is a sparse linear classifier over hashed features: each feature has weights of few classes.
type linear struct {
	classes []string
	keys    []uint32 // open addressing; 0 is free
	rows    []uint32 // start of a key's weights
	mask    uint32
	class   []uint8
	weight  []int16
	counts  []uint8
}

// scorer adds the weights of a feature to scores, one for each class.
type scorer interface {
	add(feature uint32, scores []int32)
}

func (l *linear) add(feature uint32, scores []int32) {
	for i := spread(feature) & l.mask; l.keys[i] != 0; i = (i + 1) & l.mask {
		if l.keys[i] != feature {
			continue
		}
		from := l.rows[i]
		to := from + uint32(l.counts[i])
		weight := l.weight[from:to]
		for k, c := range l.class[from:to] {
			scores[c] += int32(weight[k])
		}
		return
	}
}

func spread(x uint32) uint32 { return x * 0x9E3779B1 >> 7 }

// mix makes the hash of a feature from the number of its template and up to three values. It is never 0.
func mix(template, a, b, c uint32) uint32 {
	h := uint64(template)*0x9E3779B97F4A7C15 ^ uint64(a)
	h *= 0xff51afd7ed558ccd
	h ^= h>>29 ^ uint64(b)
	h *= 0xc4ceb9fe1a85ec53
	h ^= h>>31 ^ uint64(c)
	h *= 0x9E3779B97F4A7C15
	return uint32(h>>32) | 1
}

// row is the weights of a feature in a file: their roots, with their signs, which fits many small weights and a few large.
type row struct {
	key    uint32
	class  []uint8
	weight []int8
}

// build makes the table of rows.
func (l *linear) build(rows []row) {
	l.reserve(len(rows))
	for _, r := range rows {
		l.put(r.key, len(l.class), len(r.class))
		l.class = append(l.class, r.class...)
		for _, w := range r.weight {
			l.weight = append(l.weight, squared(w))
		}
	}
}

func squared(w int8) int16 { return int16(w) * int16(max(w, -w)) }

func (l *linear) reserve(rows int) {
	size := 1
	for size < 2*rows+2 {
		size *= 2
	}
	l.mask = uint32(size - 1)
	l.keys, l.rows, l.counts = make([]uint32, size), make([]uint32, size), make([]uint8, size)
}

func (l *linear) put(key uint32, at, count int) {
	i := spread(key) & l.mask
	for l.keys[i] != 0 {
		i = (i + 1) & l.mask
	}
	l.keys[i], l.rows[i], l.counts[i] = key, uint32(at), uint8(count)
}

// header begins the part of a file that has one classifier.
type header struct {
	Classes []string
	Rows    int
	Weights int
}

// writeLinear writes rows in order of their keys: first all keys as differences, then counts, classes, weights.
func writeLinear(w io.Writer, classes []string, rows []row) error {
	h := header{Classes: classes, Rows: len(rows)}
	for _, r := range rows {
		h.Weights += len(r.class)
	}
	head, err := json.Marshal(h)
	if err != nil {
		return err
	}
	var out bytes.Buffer
	out.Write(append(head, '\n'))
	before := uint32(0)
	for _, r := range rows {
		out.Write(binary.AppendUvarint(nil, uint64(r.key-before)))
		before = r.key
	}
	for _, r := range rows {
		out.WriteByte(uint8(len(r.class)))
	}
	for _, r := range rows {
		out.Write(r.class)
	}
	for _, r := range rows {
		for _, v := range r.weight {
			out.WriteByte(uint8(v))
		}
	}
	_, err = w.Write(out.Bytes())
	return err
}

// readLinear reads what writeLinear wrote at the head of data, and returns what follows.
func readLinear(data []byte) (*linear, []byte, error) {
	line, data, found := bytes.Cut(data, []byte("\n"))
	var h header
	if err := json.Unmarshal(line, &h); err != nil || !found {
		return nil, nil, fmt.Errorf("header: %w", cmp.Or(err, io.ErrUnexpectedEOF))
	}
	keys := make([]uint32, h.Rows)
	key := uint64(0)
	for i := range keys {
		d, size := binary.Uvarint(data)
		if size <= 0 {
			return nil, nil, io.ErrUnexpectedEOF
		}
		key += d
		keys[i], data = uint32(key), data[size:]
	}
	if len(data) < h.Rows+2*h.Weights {
		return nil, nil, io.ErrUnexpectedEOF
	}
	counts, classes, roots := data[:h.Rows], data[h.Rows:h.Rows+h.Weights], data[h.Rows+h.Weights:h.Rows+2*h.Weights]
	l := &linear{classes: h.Classes, class: bytes.Clone(classes), weight: make([]int16, h.Weights)}
	for i, w := range roots {
		l.weight[i] = squared(int8(w))
	}
	l.reserve(h.Rows)
	at := 0
	for i, key := range keys {
		l.put(key, at, int(counts[i]))
		at += int(counts[i])
	}
	return l, data[h.Rows+2*h.Weights:], nil
}
