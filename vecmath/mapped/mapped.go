// Package mapped maps the files of an index into memory, so that opening a large file costs nothing,
// processes share one copy, and the system takes back pages that are not read.
//
// Only files that never change may be mapped. If one is truncated all the same, or its disk fails,
// reading it is a memory fault, which ends the process unless the goroutine has called [Guard]; then it
// is a panic that [IsFault] recognises.
package mapped

import (
	"hash/crc32"
	"os"
	"runtime"

	"lacuna/vecmath/regular"
)

// File is a file in memory. It is safe for concurrent use.
type File struct {
	data []byte
}

// Open maps a whole file for reading. The mapping outlives the file's name, and ends when the File is
// garbage.
func Open(path string) (*File, error) {
	f, err := regular.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close() // the mapping outlives it
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	file := &File{}
	if info.Size() == 0 {
		return file, nil // an empty mapping is an error everywhere
	}
	var unmap func()
	file.data, unmap, err = mapFile(f, int(info.Size()))
	if err != nil {
		return nil, &os.PathError{Op: "map", Path: path, Err: err}
	}
	runtime.AddCleanup(file, func(unmap func()) { unmap() }, unmap)
	return file, nil
}

// Bytes returns the file's content, which must not be changed. It is valid while the File is reachable;
// a reference to the bytes does not keep the File alive.
func (f *File) Bytes() []byte { return f.data }

// Castagnoli is the table of all checksums of the index.
var Castagnoli = crc32.MakeTable(crc32.Castagnoli)

// CRC32C returns the Castagnoli checksum of the content.
func (f *File) CRC32C() uint32 { return crc32.Checksum(f.data, Castagnoli) }
