// Package cache remembers the last results of a computation in memory.
package cache

import (
	"cmp"
	"context"
	"sync"
)

// Recent remembers the last results of one kind of computation. Equal requests, concurrent ones too, compute
// once. Results are shared and must not be changed. It is safe for concurrent use, and its zero value is
// ready.
type Recent[K comparable, T any] struct {
	// Size is the number of results remembered; 0 stands for 8: the results of one question, which is searched for in
	// several ways concurrently, and of another one from a second editor window. Finding one takes time in proportion.
	Size int

	mu      sync.Mutex
	results []*result[K, T] // newest last; guarded by mu
}

type result[K comparable, T any] struct {
	key   K
	done  chan struct{} // closed when the following are set
	value T
	ok    bool // the computation came to its end
}

// Get returns the remembered result for key, or computes it. A computation that failed or panicked is not
// remembered, because its error may belong to a request that has ended.
func (c *Recent[K, T]) Get(ctx context.Context, key K, compute func() (T, error)) (T, error) {
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

// find returns the result for key, or a new one to be filled.
func (c *Recent[K, T]) find(key K) (found *result[K, T], known bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, old := range c.results {
		if old.key == key {
			return old, true
		}
	}
	found = &result[K, T]{key: key, done: make(chan struct{})}
	if len(c.results) == cmp.Or(c.Size, 8) {
		copy(c.results, c.results[1:])
		c.results[len(c.results)-1] = found
	} else {
		c.results = append(c.results, found)
	}
	return found, false
}

func (c *Recent[K, T]) fill(result *result[K, T], compute func() (T, error)) (T, error) {
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

func (c *Recent[K, T]) forget(result *result[K, T]) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i, old := range c.results {
		if old == result {
			c.results = append(c.results[:i], c.results[i+1:]...)
			return
		}
	}
}

// LookUp returns the result for a key if it is there already.
func (c *Recent[K, T]) LookUp(key K) (value T, ok bool) {
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
