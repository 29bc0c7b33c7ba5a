package knowledge

import (
	"runtime/debug"
	"sync"
)

// atOnce does two things at the same time and returns when both have ended. A panic of either is
// raised in the caller.
func atOnce(one, other func()) {
	var running sync.WaitGroup
	var broken any
	running.Go(func() {
		defer func() { broken = recover() }()
		debug.SetPanicOnFault(true) // the index is read where it lies
		one()
	})
	func() {
		defer running.Wait()
		other()
	}()
	if broken != nil {
		panic(broken)
	}
}
