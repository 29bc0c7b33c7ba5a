package knowledge

import (
	"runtime"
	"runtime/debug"
	"time"
)

// inBackground runs work of many seconds in a thread of its own, of a low priority where the system
// has such threads, and waits for it. A panic goes on in the caller.
func inBackground(work func() error) (err error) {
	var fault any
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer func() { fault = recover() }()
		debug.SetPanicOnFault(true) // files are read where they lie
		runtime.LockOSThread()      // never unlocked: the thread ends with its priority
		lowerPriority()
		err = work()
	}()
	<-done
	if fault != nil {
		panic(fault)
	}
	return err
}

// How long a step of training waits for questions to be answered, at most.
const (
	givenWay  = 100 * time.Millisecond
	busyCheck = 2 * time.Millisecond
)

// giveWay waits while somebody searches, so that the two do not share the processor and its caches.
// It waits for a moment only: training must end, however many ask.
func (x *Index) giveWay() {
	for waited := time.Duration(0); waited < givenWay && x.searching.Load() > 0; waited += busyCheck {
		time.Sleep(busyCheck)
	}
}
