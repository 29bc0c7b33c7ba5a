package knowledge

import (
	"context"
	"sync"
)

// cache remembers the results of the last computations of one kind. What is asked for twice, also at
// the same time, is computed once. Results are shared and must not be changed. It is safe for
// concurrent use; its zero value is ready.
type cache[K comparable, T any] struct {
	mu      sync.Mutex
	results []*result[K, T] // newest last; guarded by mu
}

type result[K comparable, T any] struct {
	key   K
	done  chan struct{} // closed when the following are set
	value T
	ok    bool // the computation came to its end
}

// cacheSize is how many results are kept: those of one question, which is searched for in several
// ways at the same time, and of one that another editor window asks meanwhile.
const cacheSize = 8

// get returns what compute returns, or returned for the same key lately. A computation that failed
// or panicked is not remembered: its error may be that of a request that has ended.
func (c *cache[K, T]) get(ctx context.Context, key K, compute func() (T, error)) (T, error) {
	result, known := c.find(key)
	if !known {
		return c.fill(result, compute)
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
func (c *cache[K, T]) find(key K) (found *result[K, T], known bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, old := range c.results {
		if old.key == key {
			return old, true
		}
	}
	found = &result[K, T]{key: key, done: make(chan struct{})}
	if len(c.results) == cacheSize {
		copy(c.results, c.results[1:])
		c.results[cacheSize-1] = found
	} else {
		c.results = append(c.results, found)
	}
	return found, false
}

func (c *cache[K, T]) fill(result *result[K, T], compute func() (T, error)) (T, error) {
	defer func() {
		if !result.ok {
			c.forget(result)
		}
		close(result.done)
	}()
	value, err := compute()
	result.value, result.ok = value, err == nil
	return value, err
}

func (c *cache[K, T]) forget(result *result[K, T]) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i, old := range c.results {
		if old == result {
			c.results = append(c.results[:i], c.results[i+1:]...)
			return
		}
	}
}

// lookUp returns the result for a key if it is there already.
func (c *cache[K, T]) lookUp(key K) (value T, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, old := range c.results {
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
