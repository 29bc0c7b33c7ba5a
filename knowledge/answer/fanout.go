package answer

import (
	"sync"

	"lacuna/vecmath/mapped"
)

// each runs do for 0..n-1 at once and returns when all have ended. What they find belongs into
// slots of their own, so that its order is that of the numbers, whoever ends first. A panic of one
// is raised again here, where the one who asked can catch it, after the others have ended.
func each(n int, do func(i int)) {
	var running sync.WaitGroup
	panics := make([]any, n)
	for i := range n {
		running.Go(func() {
			defer func() { panics[i] = recover() }()
			mapped.Guard() // the index is memory-mapped, and its files may be truncated
			do(i)
		})
	}
	running.Wait()
	for _, p := range panics {
		if p != nil {
			panic(p)
		}
	}
}

// gather runs do for 0..n-1 at once and returns what they found, in the order of the numbers, less
// what they were not sure of.
func gather[T any](n int, do func(i int) (T, bool)) []T {
	found, sure := make([]T, n), make([]bool, n)
	each(n, func(i int) { found[i], sure[i] = do(i) })
	kept := found[:0]
	for i, value := range found {
		if sure[i] {
			kept = append(kept, value)
		}
	}
	return kept
}
