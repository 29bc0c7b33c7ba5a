package engine

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
)

// Memory is an engine within the process. It keeps one replica and matches exactly. The zero value is empty.
type Memory struct {
	mu          sync.RWMutex
	collections map[string]*memoryCollection
}

type memoryCollection struct {
	layout  Layout
	objects map[ID]Object
}

var _ Engine = (*Memory)(nil)

// Create implements [Engine].
func (m *Memory) Create(ctx context.Context, collection string, layout Layout) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if c := m.collections[collection]; c != nil {
		if c.layout.Dim != layout.Dim || c.layout.Terms != layout.Terms {
			return fmt.Errorf("%s: %w", collection, ErrLayout)
		}
		return ctx.Err()
	}
	if m.collections == nil {
		m.collections = make(map[string]*memoryCollection)
	}
	m.collections[collection] = &memoryCollection{layout: layout, objects: make(map[ID]Object)}
	return ctx.Err()
}

// Put implements [Engine].
func (m *Memory) Put(ctx context.Context, collection string, objects []Object) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	c := m.collections[collection]
	if c == nil {
		return fmt.Errorf("%s: %w", collection, ErrNotFound)
	}
	for _, o := range objects {
		c.objects[o.ID] = o
	}
	return ctx.Err()
}

// Get implements [Engine].
func (m *Memory) Get(ctx context.Context, collection string, id ID) (Object, error) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	c := m.collections[collection]
	if c == nil {
		return Object{}, fmt.Errorf("%s: %w", collection, ErrNotFound)
	}
	o, has := c.objects[id]
	if !has {
		return Object{}, fmt.Errorf("%x of %s: %w", id, collection, ErrNotFound)
	}
	return o, ctx.Err()
}

// Search implements [Engine]. It counts the distinct terms that an object has, and then how often.
func (m *Memory) Search(ctx context.Context, collection string, q Query) ([]Object, error) {
	if q.Limit > MaxLimit {
		return nil, fmt.Errorf("%d candidates: at most %d", q.Limit, MaxLimit)
	}
	m.mu.RLock()
	defer m.mu.RUnlock()
	c := m.collections[collection]
	if c == nil {
		return nil, fmt.Errorf("%s: %w", collection, ErrNotFound)
	}
	type match struct {
		object Object
		score  float64
	}
	var found []match
	for _, id := range slices.SortedFunc(maps.Keys(c.objects), func(a, b ID) int { return slices.Compare(a[:], b[:]) }) {
		if o := c.objects[id]; q.matches(o) {
			found = append(found, match{o, q.score(o)})
		}
	}
	slices.SortStableFunc(found, func(a, b match) int { return -cmp.Compare(a.score, b.score) })
	objects := make([]Object, min(len(found), q.Limit))
	for i := range objects {
		objects[i] = found[i].object
		objects[i].Terms, objects[i].Vector = nil, nil
	}
	return objects, ctx.Err()
}

func (q Query) matches(o Object) bool {
	switch {
	case q.Document != "":
		return o.Document == q.Document
	case q.Vector != nil:
		return o.Vector != nil
	}
	return slices.ContainsFunc(q.Terms, func(term string) bool { return slices.Contains(o.Terms, term) })
}

func (q Query) score(o Object) float64 {
	score := 0.0
	for _, term := range q.Terms {
		for _, own := range o.Terms {
			if own == term {
				score += 1 / float64(len(o.Terms))
			}
		}
		if slices.Contains(o.Terms, term) {
			score++
		}
	}
	for i := range min(len(q.Vector), len(o.Vector)) {
		d := float64(q.Vector[i] - o.Vector[i])
		score -= d * d
	}
	return score
}

// Count implements [Engine].
func (m *Memory) Count(ctx context.Context, collection string) (Count, error) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	c := m.collections[collection]
	if c == nil {
		return Count{}, fmt.Errorf("%s: %w", collection, ErrNotFound)
	}
	n := len(c.objects)
	return Count{Least: n, Most: n, Seen: n, Replicas: 1}, ctx.Err()
}

// Delete implements [Engine].
func (m *Memory) Delete(ctx context.Context, collection string, ids []ID) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	c := m.collections[collection]
	if c == nil {
		return fmt.Errorf("%s: %w", collection, ErrNotFound)
	}
	for _, id := range ids {
		delete(c.objects, id)
	}
	return ctx.Err()
}

// Drop implements [Engine].
func (m *Memory) Drop(ctx context.Context, collection string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.collections, collection)
	return ctx.Err()
}

// Status implements [Engine].
func (m *Memory) Status(ctx context.Context) (Status, error) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	objects := 0
	for _, c := range m.collections {
		objects += len(c.objects)
	}
	return Status{Version: "memory", Nodes: []Node{{Name: "memory", Healthy: true, Objects: objects}}}, ctx.Err()
}

// Close implements [Engine].
func (*Memory) Close() error { return nil }
