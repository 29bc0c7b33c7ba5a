//go:build !unix && !windows

package mapped

import (
	"io"
	"os"
)

// mapFile reads the file, where files cannot be mapped.
func mapFile(f *os.File, size int) (data []byte, unmap func(), err error) {
	data = make([]byte, size)
	_, err = io.ReadFull(f, data)
	return data, func() {}, err
}
