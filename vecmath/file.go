package vecmath

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
)

// On disk a matrix is its dimension and its number of rows, each a 32-bit number, and its
// components row by row as IEEE 754 binary32; all little-endian.
const rowsHeader = 8

// chunk is how many numbers are converted at a time.
const chunk = 8192

// WriteTo writes the matrix.
func (r *Rows) WriteTo(w io.Writer) (int64, error) {
	header := binary.LittleEndian.AppendUint32(nil, uint32(r.dim))
	header = binary.LittleEndian.AppendUint32(header, uint32(r.Len()))
	n, err := w.Write(header)
	written := int64(n)
	buffer := make([]byte, 0, 4*chunk)
	for data := r.data; len(data) > 0 && err == nil; {
		part := data[:min(chunk, len(data))]
		data = data[len(part):]
		buffer = buffer[:0]
		for _, x := range part {
			buffer = binary.LittleEndian.AppendUint32(buffer, math.Float32bits(x))
		}
		n, err = w.Write(buffer)
		written += int64(n)
	}
	return written, err
}

// ReadRows reads what [Rows.WriteTo] wrote and no byte more. It takes memory only for numbers that
// are there, whatever the header says, and refuses what [Rows.Append] would refuse.
func ReadRows(r io.Reader) (*Rows, error) {
	var header [rowsHeader]byte
	if _, err := io.ReadFull(r, header[:]); err != nil {
		return nil, fmt.Errorf("rows: %w", err)
	}
	dim, count := binary.LittleEndian.Uint32(header[:4]), binary.LittleEndian.Uint32(header[4:])
	if dim == 0 || uint64(dim)*uint64(count) > math.MaxInt32*4 {
		return nil, fmt.Errorf("rows: %d rows of dimension %d", count, dim)
	}
	total := int(dim) * int(count)
	const trusted = 1 << 20 // numbers; what a header may claim before any are seen
	data := make([]float32, 0, min(total, trusted))
	buffer := make([]byte, 4*chunk)
	for len(data) < total {
		if len(data) == cap(data) {
			data = append(make([]float32, 0, min(total, 4*len(data))), data...)
		}
		part := buffer[:4*min(chunk, cap(data)-len(data))]
		if _, err := io.ReadFull(r, part); err != nil {
			return nil, fmt.Errorf("rows: %d numbers missing: %w", total-len(data), err)
		}
		for ; len(part) > 0; part = part[4:] {
			data = append(data, math.Float32frombits(binary.LittleEndian.Uint32(part)))
		}
	}
	return RowsOf(int(dim), data)
}
