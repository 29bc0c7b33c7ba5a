package vecmath

import (
	"fmt"
	"runtime"
	"runtime/debug"
)

// An index reads a mapped file. When somebody cuts that off, against all agreement, reading beyond
// its new end is a fault of memory, which must not end the program.

// guard makes of such a fault a panic that can be recovered from. It returns what unguard needs.
func guard() (before bool) { return debug.SetPanicOnFault(true) }

// unguard ends what guard began, and keeps the file mapped until then.
func (x *Index) unguard(before bool) {
	debug.SetPanicOnFault(before)
	runtime.KeepAlive(x)
}

// faultOf returns the error that stands for a recovered fault, and nil for nil; any other panic
// goes on.
func faultOf(recovered any) error {
	if recovered == nil {
		return nil
	}
	fault, ok := recovered.(interface {
		error
		Addr() uintptr
	})
	if !ok {
		panic(recovered)
	}
	return fmt.Errorf("read vectors: %w", error(fault))
}
