package mapped

import (
	"errors"
	"runtime"
	"runtime/debug"
)

// A file that is mapped may lose its end, or its disk may fail. Reading it is then a memory fault,
// which ends the program unless the goroutine has asked for a panic instead. This file is the only one
// that asks.

// Guard turns memory faults of the calling goroutine into panics until [Release], which also keeps the
// owner of the mapped files alive until then:
//
//	defer mapped.Release(index, mapped.Guard())
//
// A goroutine that reads mapped files until it ends need not call Release.
func Guard() (before bool) { return debug.SetPanicOnFault(true) }

// Release ends what [Guard] began. The owner may be nil.
func Release(owner any, before bool) {
	debug.SetPanicOnFault(before)
	runtime.KeepAlive(owner)
}

// IsFault reports whether a recovered panic, or an error that wraps one, is a memory fault: a mapped
// file could not be read, and the program did nothing wrong.
func IsFault(cause any) bool {
	err, ok := cause.(error)
	var fault interface {
		error
		Addr() uintptr
	}
	return ok && errors.As(err, &fault)
}

// Fault returns a recovered memory fault as an error, and nil for nil. It panics again with anything
// else.
func Fault(recovered any) error {
	switch {
	case recovered == nil:
		return nil
	case IsFault(recovered):
		return recovered.(error)
	}
	panic(recovered)
}
