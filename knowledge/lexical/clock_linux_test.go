package lexical_test

import (
	"runtime"
	"syscall"
	"testing"
	"time"
	"unsafe"
)

// ownClock returns a clock of the processor time of this goroutine's thread, which others on the
// machine hardly disturb. The goroutine stays on the thread.
func ownClock(b *testing.B) func() time.Duration {
	const ofThread = 3 // CLOCK_THREAD_CPUTIME_ID
	runtime.LockOSThread()
	return func() time.Duration {
		var now syscall.Timespec
		if _, _, err := syscall.Syscall(syscall.SYS_CLOCK_GETTIME, ofThread, uintptr(unsafe.Pointer(&now)), 0); err != 0 {
			b.Fatal(err)
		}
		return time.Duration(now.Nano())
	}
}
