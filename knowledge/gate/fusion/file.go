package fusion

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math"
)

// A file is the magic, a version, the dimension, the attention by its place in attentions, the weights
// in the order of Net.tensors, and the CRC-32 (Castagnoli) of all before it; all little-endian.
const (
	magic   = "LACFUSE1"
	version = 1
)

var attentions = []Attention{Sentences, Outer, Pooled}

type header struct {
	Magic     [8]byte
	Version   uint32
	Dim       uint32
	Attention uint32
}

// WriteTo writes the net; equal nets make equal files.
func (n *Net) WriteTo(w io.Writer) (int64, error) {
	sum := crc32.New(crc32.MakeTable(crc32.Castagnoli))
	out := bufio.NewWriter(w)
	both := io.MultiWriter(out, sum)
	h := header{Version: version, Dim: uint32(n.dim)}
	copy(h.Magic[:], magic)
	for i, a := range attentions {
		if a == n.attention {
			h.Attention = uint32(i)
		}
	}
	size := int64(binary.Size(h)) + 4
	if err := binary.Write(both, binary.LittleEndian, h); err != nil {
		return 0, err
	}
	for _, weights := range n.tensors() {
		if err := binary.Write(both, binary.LittleEndian, weights); err != nil {
			return 0, err
		}
		size += int64(4 * len(weights))
	}
	if err := binary.Write(out, binary.LittleEndian, sum.Sum32()); err != nil {
		return 0, err
	}
	return size, out.Flush()
}

// Read reads what WriteTo wrote. Damage of any kind is an error.
func Read(r io.Reader) (*Net, error) {
	sum := crc32.New(crc32.MakeTable(crc32.Castagnoli))
	both := io.TeeReader(r, sum)
	var h header
	if err := binary.Read(both, binary.LittleEndian, &h); err != nil {
		return nil, fmt.Errorf("fusion net: %w", err)
	}
	if string(h.Magic[:]) != magic || h.Version != version || h.Attention >= uint32(len(attentions)) {
		return nil, errors.New("fusion net: not a file of this version")
	}
	n, err := blank(int(h.Dim), attentions[h.Attention])
	if err != nil {
		return nil, fmt.Errorf("fusion net: %w", err)
	}
	for _, weights := range n.tensors() {
		if err := binary.Read(both, binary.LittleEndian, weights); err != nil {
			return nil, fmt.Errorf("fusion net: %w", err)
		}
		for _, w := range weights {
			if math.IsNaN(float64(w)) || math.IsInf(float64(w), 0) {
				return nil, errors.New("fusion net: a weight is no number")
			}
		}
	}
	want := sum.Sum32()
	var got uint32
	if err := binary.Read(r, binary.LittleEndian, &got); err != nil {
		return nil, fmt.Errorf("fusion net: %w", err)
	}
	if got != want {
		return nil, errors.New("fusion net: damaged, the checksum does not fit")
	}
	return n, nil
}
