package ocr

import (
	"syscall"
	"unsafe"
)

// maxMemory bounds each process of a command, in bytes.
const maxMemory = 8 << 30

// limitMemory limits the address space of a process and of what it starts from now on.
func limitMemory(pid int) {
	limit := syscall.Rlimit{Cur: maxMemory, Max: maxMemory}
	_, _, _ = syscall.RawSyscall6(syscall.SYS_PRLIMIT64, uintptr(pid), syscall.RLIMIT_AS, uintptr(unsafe.Pointer(&limit)), 0, 0, 0)
}
