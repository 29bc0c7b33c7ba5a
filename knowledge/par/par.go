// Package par runs work concurrently and waits for it.
//
// A panic in a goroutine started here is raised in the caller once the others have ended. It is a
// [*Panic], which has the stack of the goroutine that panicked; a memory fault stays as it is, for
// [mapped.IsFault]. Every goroutine may read mapped files (see [mapped.Guard]).
package par

import (
	"context"
	"fmt"
	"runtime"
	"runtime/debug"
	"sync"

	"lacuna/vecmath/mapped"
)

// Panic wraps the value of a goroutine's panic, which is raised again in the goroutine that waits for it.
type Panic struct {
	Value any
	Stack []byte // where it began
}

// Error says what the goroutine panicked with, without the stack.
func (p *Panic) Error() string { return fmt.Sprint(p.Value) }

// Unwrap returns the value if it is an error.
func (p *Panic) Unwrap() error {
	err, _ := p.Value.(error)
	return err
}

// Stack returns the stack where a recovered panic began: of the goroutine that panicked, if this package
// started it, and otherwise of the caller.
func Stack(recovered any) []byte {
	if p, ok := recovered.(*Panic); ok {
		return p.Stack
	}
	return debug.Stack()
}

// contain calls work and returns what it panics with, to be raised elsewhere, or nil.
func contain(work func()) (panicked any) {
	defer func() {
		panicked = recover()
		if _, nested := panicked.(*Panic); panicked != nil && !nested && !mapped.IsFault(panicked) {
			panicked = &Panic{panicked, debug.Stack()}
		}
	}()
	mapped.Guard()
	work()
	return nil
}

// Do calls functions concurrently and waits for them.
func Do(fs ...func()) {
	Each(len(fs), func(i int) { fs[i]() })
}

// Each calls do(0) … do(n-1) concurrently and waits. Calls should write to slots of their own, so that
// the order of results does not depend on which ends first.
func Each(n int, do func(i int)) {
	var running sync.WaitGroup
	panics := make([]any, n)
	for i := range n {
		running.Go(func() { panics[i] = contain(func() { do(i) }) })
	}
	running.Wait()
	for _, p := range panics {
		if p != nil {
			panic(p)
		}
	}
}

// Gather calls do(0) … do(n-1) concurrently and returns the results that are ok, in the order of the
// numbers.
func Gather[T any](n int, do func(i int) (result T, ok bool)) []T {
	results, oks := make([]T, n), make([]bool, n)
	Each(n, func(i int) { results[i], oks[i] = do(i) })
	good := results[:0]
	for i, result := range results {
		if oks[i] {
			good = append(good, result)
		}
	}
	return good
}

// outcome is a call's result, error or panic.
type outcome[T any] struct {
	result   T
	err      error
	panicked any
}

func call[T any](do func() (T, error)) (o outcome[T]) {
	o.panicked = contain(func() { o.result, o.err = do() })
	return o
}

func (o outcome[T]) get() (T, error) {
	if o.panicked != nil {
		panic(o.panicked)
	}
	return o.result, o.err
}

// Start calls do in another goroutine. Each call of wait returns its result, or panics as it did.
func Start[T any](do func() (T, error)) (wait func() (T, error)) {
	once := sync.OnceValue(func() outcome[T] { return call(do) })
	go once()
	return func() (T, error) { return once().get() }
}

// LowPriority calls work of many seconds in a thread of its own and waits. The thread has a low
// priority where the system has such threads.
func LowPriority(work func() error) error {
	done := make(chan outcome[struct{}])
	go func() {
		runtime.LockOSThread() // never unlocked: the thread ends with its priority
		lowerPriority()
		done <- call(func() (struct{}, error) { return struct{}{}, work() })
	}()
	_, err := (<-done).get()
	return err
}

// Ordered calls work(0) … work(n-1), as many concurrently as there are processors, and emits the results in
// order, each as soon as all earlier ones are there. It stops at the first error.
func Ordered[T any](ctx context.Context, n int, work func(ctx context.Context, i int) (T, error), emit func(i int, result T) error) error {
	numbers := make(chan int)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		defer close(numbers)
		for i := range n {
			select {
			case numbers <- i:
			case <-ctx.Done():
				return
			}
		}
	}()
	next := 0
	return Stream(ctx, numbers, work, func(result T) error {
		next++
		return emit(next-1, result)
	})
}

// Stream is [Ordered] for the items of a queue, until it is closed. After an error it does not wait for the
// queue.
func Stream[Q, T any](ctx context.Context, queue <-chan Q, work func(ctx context.Context, q Q) (T, error), emit func(result T) error) error {
	ctx, cancel := context.WithCancel(ctx)
	const lookahead = 64 // results that may wait for an earlier one
	outcomes := make(chan chan outcome[T], lookahead)
	jobs := make(chan func())
	var running sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		running.Go(func() {
			for job := range jobs {
				job()
			}
		})
	}
	running.Go(func() {
		defer close(jobs)
		defer close(outcomes)
		for {
			var q Q
			more := false
			select {
			case q, more = <-queue:
			case <-ctx.Done():
			}
			if !more {
				return
			}
			done := make(chan outcome[T], 1)
			job := func() { done <- call(func() (T, error) { return work(ctx, q) }) }
			select {
			case outcomes <- done:
			case <-ctx.Done():
				return
			}
			jobs <- job
		}
	})
	defer running.Wait()
	defer func() {
		cancel()
		for range outcomes { // so that the feeder ends
		}
	}()
	for done := range outcomes {
		result, err := (<-done).get()
		if err == nil {
			err = emit(result)
		}
		if err != nil {
			return err
		}
	}
	return ctx.Err()
}
