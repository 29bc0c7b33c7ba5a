package knowledge

import (
	"context"
	"sync"
)

// cache remembers the results of the last computations of one kind. What is asked for twice, also at
// the same time, is computed once. Results are shared and must not be changed. It is safe for
// concurrent use; its zero value is ready.
type cache[T any] struct {
	mu      sync.Mutex
	results []*result[T] // newest last; guarded by mu
}

type result[T any] struct {
	key   string
	done  chan struct{} // closed when the following are set
	value T
	ok    bool // the computation came to its end
}

// cacheSize is how many results are kept: those of one question, which is searched for in several
// ways at the same time, and of one that another editor window asks meanwhile.
const cacheSize = 8

// get returns what compute returns, or returned for the same key lately. A computation that failed
// or panicked is not remembered: its error may be that of a request that has ended.
func (r *cache[T]) get(ctx context.Context, key string, compute func() (T, error)) (T, error) {
	result, known := r.find(key)
	if !known {
		return r.fill(result, compute)
	}
	select {
	case <-result.done:
	case <-ctx.Done():
		var none T
		return none, ctx.Err()
	}
	if !result.ok {
		return compute()
	}
	return result.value, nil
}

// find returns the result for a key, one that is yet to be filled if there is none.
func (r *cache[T]) find(key string) (found *result[T], known bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, old := range r.results {
		if old.key == key {
			return old, true
		}
	}
	found = &result[T]{key: key, done: make(chan struct{})}
	if len(r.results) == cacheSize {
		copy(r.results, r.results[1:])
		r.results[cacheSize-1] = found
	} else {
		r.results = append(r.results, found)
	}
	return found, false
}

func (r *cache[T]) fill(result *result[T], compute func() (T, error)) (T, error) {
	defer func() {
		if !result.ok {
			r.forget(result)
		}
		close(result.done)
	}()
	value, err := compute()
	result.value, result.ok = value, err == nil
	return value, err
}

func (r *cache[T]) forget(result *result[T]) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for i, old := range r.results {
		if old == result {
			r.results = append(r.results[:i], r.results[i+1:]...)
			return
		}
	}
}

// lookUp returns the result for a key if it is there already.
func (r *cache[T]) lookUp(key string) (value T, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, old := range r.results {
		if old.key != key {
			continue
		}
		select {
		case <-old.done:
			return old.value, old.ok
		default:
		}
	}
	return value, false
}
