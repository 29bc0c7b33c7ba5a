package vecmath

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"unsafe"

	"lacuna/vecmath/mapped"
)

// The file of an index is a header and arrays, each at the next multiple of 64 bytes with zeros
// before it, all little-endian:
//
//	header   "LACVEC" 0 1, dimension, rows and size of the head as uint32, CRC-32C of what follows the
//	         header, skew of the basis as float64, zeros, CRC-32C of the header before it
//	mean     float32 x dimension
//	basis    float64 x head x dimension
//	codes    int8 x rows x head, both padded (codes.go), and the groups of eight rows (bound.go)
//	codes    int8 x rows x dimension, padded alike, and their groups
//	rows     float32 x rows x dimension
//
// Without a head its basis, codes and groups are absent.
const (
	indexMagic  = "LACVEC\x00\x01"
	indexHeader = 64
	alignment   = 64
)

// sections returns the arrays of an index as bytes, which share their memory.
func (x *Index) sections() [][]byte {
	list := [][]byte{mapped.Bytes(x.mean)}
	if x.head != nil {
		list = append(list, mapped.Bytes(x.head.basis))
	}
	for _, level := range x.levels {
		list = append(list, bytesOfCodes(level.bytes), mapped.Bytes(numbersOf(level.groups)))
	}
	return append(list, mapped.Bytes(x.rows.data))
}

// WriteTo writes the index for [OpenIndex].
func (x *Index) WriteTo(w io.Writer) (int64, error) {
	defer mapped.Release(x, mapped.Guard())
	var zeros [alignment]byte
	sum := uint32(0)
	var parts [][]byte
	for _, section := range x.sections() {
		padding := zeros[:paddedTo(len(section), alignment)-len(section)]
		for _, part := range [][]byte{section, padding} {
			sum = crc32.Update(sum, mapped.Castagnoli, part)
			parts = append(parts, part)
		}
	}
	written := int64(0)
	for _, part := range append([][]byte{x.header(sum)}, parts...) {
		n, err := w.Write(part)
		written += int64(n)
		if err != nil {
			return written, err
		}
	}
	return written, nil
}

func (x *Index) header(sum uint32) []byte {
	h := []byte(indexMagic)
	for _, n := range []int{x.Dim(), x.Len(), x.HeadDim()} {
		h = binary.LittleEndian.AppendUint32(h, uint32(n))
	}
	h = binary.LittleEndian.AppendUint32(h, sum)
	skew := 0.0
	if x.head != nil {
		skew = x.head.skew
	}
	h = binary.LittleEndian.AppendUint64(h, math.Float64bits(skew))
	h = append(h, make([]byte, indexHeader-4-len(h))...)
	return binary.LittleEndian.AppendUint32(h, crc32.Checksum(h, mapped.Castagnoli))
}

var errIndex = errors.New("not an index of vectors, or damaged")

// OpenIndex maps a file that [Index.WriteTo] wrote into memory, which processes share; it must not change
// any more. Every byte is compared with the checksums.
func OpenIndex(path string) (*Index, error) {
	return openIndex(path, nil)
}

// OpenSealed is [OpenIndex] for a file with a known CRC-32C, so that the index of other vectors in its place
// is refused too.
func OpenSealed(path string, crc32c uint32) (*Index, error) {
	return openIndex(path, &crc32c)
}

func openIndex(path string, crc32c *uint32) (*Index, error) {
	file, err := mapped.Open(path)
	if err != nil {
		return nil, err
	}
	x, err := readIndex(file.Bytes(), crc32c)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	x.file = file
	return x, nil
}

// readIndex returns the index in data, which it refers to. A fault while reading is an error. A checksum
// of all of data takes the place of that which the header has of the rest.
func readIndex(data []byte, crc32c *uint32) (x *Index, err error) {
	x = &Index{kernel: best, idle: make(chan *search, idleSearches)}
	defer mapped.Release(x, mapped.Guard())
	defer func() {
		if fault := readFault(recover()); fault != nil {
			err = fault
		}
	}()
	if len(data) < indexHeader || string(data[:8]) != indexMagic {
		return nil, errIndex
	}
	whole := crc32c != nil && crc32.Checksum(data, mapped.Castagnoli) == *crc32c
	header, data := data[:indexHeader], data[indexHeader:]
	number := func(at int) int { return int(binary.LittleEndian.Uint32(header[at:])) }
	dim, count, size := number(8), number(12), number(16)
	if crc32.Checksum(header[:indexHeader-4], mapped.Castagnoli) != binary.LittleEndian.Uint32(header[indexHeader-4:]) ||
		crc32c != nil && !whole ||
		crc32c == nil && crc32.Checksum(data, mapped.Castagnoli) != binary.LittleEndian.Uint32(header[20:]) ||
		dim <= 0 || dim > maxDim || size > dim || count < 0 {
		return nil, errIndex
	}
	next := func(bytes uint64) []byte {
		if padded := (bytes + alignment - 1) / alignment * alignment; padded <= uint64(len(data)) {
			section := data[:bytes]
			data = data[padded:]
			return section
		}
		err = errIndex
		return nil
	}
	wide, rows := uint64(dim), uint64(count)
	x.mean = mapped.View[float32](next(4 * wide))
	levels := []int{dim}
	if size > 0 {
		skew := math.Float64frombits(binary.LittleEndian.Uint64(header[24:]))
		x.head = &head{size: size, dim: dim, basis: mapped.View[float64](next(8 * wide * uint64(size))), skew: skew}
		levels = []int{size, dim}
	}
	padded := uint64(paddedTo(count, groupRows))
	for _, coordinates := range levels {
		width := paddedTo(coordinates, codeUnit)
		codeBytes := next(uint64(width) * padded)
		groups := next(uint64(unsafe.Sizeof(group{})) / groupRows * padded)
		x.levels = append(x.levels, &codes{width, codesOf(codeBytes), groupsOf(mapped.View[float32](groups))})
	}
	x.rows = &Rows{dim, mapped.View[float32](next(4 * wide * rows))}
	if err == nil && len(data) > 0 {
		err = errIndex
	}
	return x, err
}

// The following see one array as another of the same bytes. A group consists of nothing but 32
// numbers of 32 bits, and codes are bytes.

func numbersOf(groups []group) []float32 {
	if len(groups) == 0 {
		return nil
	}
	return unsafe.Slice(&groups[0].scale[0], len(groups)*groupNumbers)
}

func groupsOf(numbers []float32) []group {
	if len(numbers) < groupNumbers {
		return nil
	}
	return unsafe.Slice((*group)(unsafe.Pointer(&numbers[0])), len(numbers)/groupNumbers)
}

const groupNumbers = int(unsafe.Sizeof(group{}) / unsafe.Sizeof(float32(0)))

func bytesOfCodes(codes []int8) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(codes))), len(codes))
}

func codesOf(data []byte) []int8 {
	return unsafe.Slice((*int8)(unsafe.Pointer(unsafe.SliceData(data))), len(data))
}
