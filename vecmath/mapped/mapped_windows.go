package mapped

import (
	"os"
	"syscall"
	"unsafe"
)

func mapFile(f *os.File, size int) (data []byte, unmap func(), err error) {
	mapping, err := syscall.CreateFileMapping(syscall.Handle(f.Fd()), nil, syscall.PAGE_READONLY, 0, 0, nil)
	if err != nil {
		return nil, nil, os.NewSyscallError("CreateFileMapping", err)
	}
	defer func() { _ = syscall.CloseHandle(mapping) }() // the view holds it open
	address, err := syscall.MapViewOfFile(mapping, syscall.FILE_MAP_READ, 0, 0, uintptr(size))
	if err != nil {
		return nil, nil, os.NewSyscallError("MapViewOfFile", err)
	}
	// The address is no pointer into Go's memory, so that nothing can move it.
	start := *(*unsafe.Pointer)(unsafe.Pointer(&address))
	return unsafe.Slice((*byte)(start), size), func() { _ = syscall.UnmapViewOfFile(address) }, nil
}
