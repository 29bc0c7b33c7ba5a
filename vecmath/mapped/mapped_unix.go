//go:build unix

package mapped

import (
	"os"
	"syscall"
)

func mapFile(f *os.File, size int) (data []byte, unmap func(), err error) {
	data, err = syscall.Mmap(int(f.Fd()), 0, size, syscall.PROT_READ, syscall.MAP_SHARED)
	return data, func() { _ = syscall.Munmap(data) }, err
}
