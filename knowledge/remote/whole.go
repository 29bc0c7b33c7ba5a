package remote

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"lacuna/knowledge/passage"
)

// ErrStale says that an engine answers without some of the passages that the publisher put there: a node that was away,
// or is new, is asked before it has everything.
var ErrStale = errors.New("a node of the engine lacks passages")

const (
	// countAge is how long a count holds that found everything on every node, and partAge how long another does.
	countAge = time.Minute
	partAge  = 5 * time.Second
	// countTime bounds a count. One that takes longer says nothing: without a leader, nodes are searched and not counted.
	countTime = 2 * time.Second
)

// whole is what is known of the engine's completeness. It is safe for concurrent use.
type whole struct {
	mu    sync.Mutex
	until time.Time // when to count again; guarded by mu
	stale error     // guarded by mu
}

// known returns the error of the last count, while it holds.
func (w *whole) known() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if time.Now().Before(w.until) {
		return w.stale
	}
	return nil
}

// begin reports whether it is time to count.
func (w *whole) begin() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	now := time.Now()
	if now.Before(w.until) {
		return false
	}
	w.until, w.stale = now.Add(partAge), nil
	return true
}

func (w *whole) end(everywhere bool, stale error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.stale = stale
	if everywhere {
		w.until = time.Now().Add(countAge)
	}
}

// count begins to count what the engine's searches see, unless that was done lately, and returns a function that waits for
// what is found: [ErrStale] if that is less than the publisher signed.
func (g *Generation) count(ctx context.Context) func() error {
	if !g.whole.begin() {
		return g.whole.known
	}
	ctx, cancel := context.WithTimeout(ctx, countTime)
	found := make(chan error, 1)
	go func() {
		defer cancel()
		everywhere, stale := g.counted(ctx)
		g.whole.end(everywhere, stale)
		found <- stale
	}()
	return func() error { return <-found }
}

// counted compares what searches see now with what the publisher signed, and reports whether every node has it. What
// cannot be counted is not held against it.
func (g *Generation) counted(ctx context.Context) (everywhere bool, stale error) {
	everywhere = true
	for kind, collection := range g.about.Collections {
		count, err := g.engine.Count(ctx, collection)
		everywhere = everywhere && err == nil && count.Least == g.about.Count[kind]
		if err == nil && count.Seen < g.about.Count[kind] {
			stale = fmt.Errorf("%w: %d of %d %s", ErrStale, count.Seen, g.about.Count[kind], named(kind))
		}
	}
	return everywhere, stale
}

func named(kind passage.Kind) string {
	if kind == passage.QA {
		return "stored questions"
	}
	return "passages"
}
