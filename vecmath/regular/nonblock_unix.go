//go:build unix

package regular

import "syscall"

// NonBlocking is the flag that keeps an open from waiting for the other end of a pipe.
const NonBlocking = syscall.O_NONBLOCK
