// Package mapped lets files be read where they lie: it maps them into memory, so that opening a
// large file costs nothing, several processes share one copy, and the system takes back the pages
// that nobody reads.
//
// Only files that never change may be mapped. When one is cut off all the same, or its disk fails,
// reading it is a fault; a goroutine that has called [runtime/debug.SetPanicOnFault] can recover
// from it, and tell it by [IsFault]; in any other it ends the process.
package mapped

import (
	"errors"
	"hash/crc32"
	"os"
	"runtime"

	"lacuna/knowledge/regular"
)

// File is a file in memory. It is safe for concurrent use.
type File struct {
	data []byte
}

// Open maps a whole file for reading; the file need not stay open, or even have its name, after
// that. The memory is given back when the File has become garbage.
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

// Bytes returns the file's content. It must not be changed, and not be used once the File is out
// of reach: what refers to the bytes does not keep them there.
func (f *File) Bytes() []byte { return f.data }

// IsFault reports whether a recovered panic, or an error that wraps one, is a fault of memory: that a
// mapped file could not be read, and nothing that the program did.
func IsFault(cause any) bool {
	err, ok := cause.(error)
	var fault interface {
		error
		Addr() uintptr
	}
	return ok && errors.As(err, &fault)
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// CRC32C is the Castagnoli checksum of the content.
func (f *File) CRC32C() uint32 { return crc32.Checksum(f.data, castagnoli) }
