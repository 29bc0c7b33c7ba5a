package knowledge

import (
	"bufio"
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"

	"lacuna/vecmath/mapped"
	"lacuna/vecmath/regular"
)

// vectorCache stores on disk what an endpoint has encoded, by the hash of the text, so that nothing is sent
// twice and interrupted work goes on. The file is only appended to: vectorMagic, the number of components as
// 32 bits, and records of a key, the components and the CRC-32C of both, all little-endian. A truncated or
// damaged record ends the file. It is not safe for concurrent use.
type vectorCache struct {
	file *os.File
	dim  int // 0 while nothing is known of it
	at   map[vectorKey]int64
	used map[vectorKey]bool // read since the file was opened
	end  int64
}

type vectorKey [16]byte

const vectorMagic = "LACVECS\x01"

// mostComponents is more than any encoder has.
const mostComponents = 1 << 16

func keyOf(text string) vectorKey {
	sum := sha256.Sum256([]byte(text))
	return vectorKey(sum[:16])
}

// openVectorCache opens or creates a file; one with other content is overwritten.
func openVectorCache(path string) (*vectorCache, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, err
	}
	file, err := regular.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	v := &vectorCache{file: file, at: map[vectorKey]int64{}, used: map[vectorKey]bool{}}
	v.scan()
	return v, file.Truncate(v.end)
}

const vectorHeader = int64(len(vectorMagic) + 4)

// scan finds the records.
func (v *vectorCache) scan() {
	in := bufio.NewReaderSize(v.file, 1<<16)
	header := make([]byte, vectorHeader)
	if _, err := io.ReadFull(in, header); err != nil || !bytes.HasPrefix(header, []byte(vectorMagic)) {
		return
	}
	dim := binary.LittleEndian.Uint32(header[len(vectorMagic):])
	if dim == 0 || dim > mostComponents {
		return
	}
	v.dim, v.end = int(dim), vectorHeader
	record := make([]byte, v.recordSize())
	for {
		if _, err := io.ReadFull(in, record); err != nil || !isWhole(record) {
			return
		}
		v.at[vectorKey(record[:len(vectorKey{})])] = v.end
		v.end += int64(len(record))
	}
}

func (v *vectorCache) recordSize() int64 { return int64(len(vectorKey{}) + 4*v.dim + 4) }

func isWhole(record []byte) bool {
	body := record[:len(record)-4]
	return crc32.Checksum(body, mapped.Castagnoli) == binary.LittleEndian.Uint32(record[len(body):])
}

func (v *vectorCache) has(key vectorKey) bool {
	_, has := v.at[key]
	return has
}

// add appends vectors, which must have as many components as the others.
func (v *vectorCache) add(keys []vectorKey, vectors [][]float32) error {
	var out []byte
	if v.dim == 0 && len(vectors) > 0 {
		v.dim = len(vectors[0])
		out = binary.LittleEndian.AppendUint32([]byte(vectorMagic), uint32(v.dim))
	}
	places := make([]int64, len(keys))
	for i, vector := range vectors {
		if len(vector) != v.dim {
			return fmt.Errorf("a vector of %d components where others have %d", len(vector), v.dim)
		}
		places[i] = v.end + int64(len(out))
		start := len(out)
		out = append(out, keys[i][:]...)
		for _, x := range vector {
			out = binary.LittleEndian.AppendUint32(out, math.Float32bits(x))
		}
		out = binary.LittleEndian.AppendUint32(out, crc32.Checksum(out[start:], mapped.Castagnoli))
	}
	if _, err := v.file.WriteAt(out, v.end); err != nil {
		return err
	}
	v.end += int64(len(out))
	for i, key := range keys {
		v.at[key] = places[i]
	}
	return nil
}

// read returns the vector of a key, which must exist.
func (v *vectorCache) read(key vectorKey) ([]float32, error) {
	record, err := v.record(key)
	if err != nil {
		return nil, err
	}
	v.used[key] = true
	vector := make([]float32, v.dim)
	for i := range vector {
		vector[i] = math.Float32frombits(binary.LittleEndian.Uint32(record[len(vectorKey{})+4*i:]))
	}
	return vector, nil
}

func (v *vectorCache) record(key vectorKey) ([]byte, error) {
	record := make([]byte, v.recordSize())
	if _, err := v.file.ReadAt(record, v.at[key]); err != nil {
		return nil, err
	}
	if !isWhole(record) {
		return nil, fmt.Errorf("%s is damaged", filepath.Base(v.file.Name()))
	}
	return record, nil
}

// compact rewrites the file without the vectors that have not been read since it was opened, because their
// texts are gone, if they are more than half. Afterwards v can only be closed.
func (v *vectorCache) compact() error {
	if len(v.used) == 0 || len(v.at) <= 2*len(v.used) {
		return nil
	}
	path := v.file.Name()
	if err := writeTo(path+".new", v); err != nil {
		return err
	}
	if err := v.close(); err != nil { // Windows replaces no file that is open
		return err
	}
	return regular.Rename(path+".new", path)
}

// WriteTo writes the header and the records that have been read, in their order.
func (v *vectorCache) WriteTo(w io.Writer) (int64, error) {
	header := make([]byte, vectorHeader)
	if _, err := v.file.ReadAt(header, 0); err != nil {
		return 0, err
	}
	n, err := w.Write(header)
	written := int64(n)
	byPlace := func(a, b vectorKey) int { return cmp.Compare(v.at[a], v.at[b]) }
	for _, key := range slices.SortedFunc(maps.Keys(v.used), byPlace) {
		var record []byte
		if err == nil {
			record, err = v.record(key)
		}
		if err != nil {
			break
		}
		n, err = w.Write(record)
		written += int64(n)
	}
	return written, err
}

// clear removes everything.
func (v *vectorCache) clear() error {
	v.dim, v.end = 0, 0
	clear(v.at)
	return v.file.Truncate(0)
}

// close may be called again.
func (v *vectorCache) close() error {
	if v.file == nil {
		return nil
	}
	file := v.file
	v.file = nil
	return file.Close()
}
