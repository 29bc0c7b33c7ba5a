package mapped

import (
	"encoding/binary"
	"unsafe"
)

// Number is an element of an array in a file.
type Number interface {
	uint16 | uint32 | uint64 | float32 | float64
}

// View returns data as the little-endian numbers it holds, ignoring a remainder. If the machine stores
// numbers alike and data is aligned, as arrays at a multiple of the number's size in a mapped file are, the
// result shares data's memory; otherwise it is a copy.
func View[N Number](data []byte) []N {
	var n N
	size := int(unsafe.Sizeof(n))
	count := len(data) / size
	if count == 0 {
		return nil
	}
	start := unsafe.Pointer(unsafe.SliceData(data))
	if littleEndian && uintptr(start)%uintptr(size) == 0 {
		return unsafe.Slice((*N)(start), count)
	}
	numbers := make([]N, count)
	if _, err := binary.Decode(data[:count*size], binary.LittleEndian, numbers); err != nil {
		panic("mapped: " + err.Error()) // the sizes agree
	}
	return numbers
}

// Bytes returns numbers as the little-endian bytes that [View] reads, sharing their memory if possible.
func Bytes[N Number](numbers []N) []byte {
	if len(numbers) == 0 {
		return nil
	}
	if littleEndian {
		size := int(unsafe.Sizeof(numbers[0]))
		return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(numbers))), len(numbers)*size)
	}
	data, err := binary.Append(nil, binary.LittleEndian, numbers)
	if err != nil {
		panic("mapped: " + err.Error()) // numbers of a fixed size have an encoding
	}
	return data
}

var littleEndian = binary.NativeEndian.Uint16([]byte{1, 0}) == 1
