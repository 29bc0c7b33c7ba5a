package remote

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"sync"
	"time"

	"lacuna/knowledge/engine"
	"lacuna/knowledge/share"
)

// place keeps the signed card of a source in the engine itself, so that who reads needs the engine's address and the
// publisher's key and nothing else. It is a collection without words and vectors.
type place struct {
	engine     engine.Engine
	collection string
	hurried    bool // the head is read once: who asks whether there is a newer generation has one to go on with

	mu   sync.Mutex
	made bool // the collection, as far as this place knows; guarded by mu
}

var _ share.Remover = (*place)(nil)

func newPlace(e engine.Engine, source string) *place {
	return &place{engine: e, collection: collectionOf(source, "card")}
}

// headName is what package share reads first, and writes last.
const headName = "head"

// readAttempts is how often an object is read while the engine is away: one that has much to do may be late with a few of
// the hundreds that a card has.
const readAttempts = 5

// get reads an object, again after a pause while the engine is away.
func (p *place) get(ctx context.Context, name string) (engine.Object, error) {
	for attempt := 1; ; attempt++ {
		o, err := p.engine.Get(ctx, p.collection, idOfName(name))
		if attempt >= readAttempts || p.hurried && name == headName || !errors.Is(err, engine.ErrAway) {
			return o, err
		}
		select {
		case <-time.After(time.Duration(attempt) * time.Second):
		case <-ctx.Done():
			return o, ctx.Err()
		}
	}
}

func (p *place) String() string { return p.collection }

func idOfName(name string) engine.ID {
	sum := sha256.Sum256([]byte(name))
	return engine.ID(sum[:16])
}

// Get implements [share.Place].
func (p *place) Get(ctx context.Context, name string, most int64) ([]byte, error) {
	o, err := p.get(ctx, name)
	switch {
	case errors.Is(err, engine.ErrNotFound):
		return nil, fmt.Errorf("%s: %w", name, fs.ErrNotExist)
	case err == nil && int64(len(o.Content)) > most:
		return nil, fmt.Errorf("%s: %w", name, share.ErrAltered)
	}
	return o.Content, err
}

// Has implements [share.Place].
func (p *place) Has(ctx context.Context, name string) (bool, error) {
	_, err := p.get(ctx, name)
	if errors.Is(err, engine.ErrNotFound) {
		return false, nil
	}
	return err == nil, err
}

// Put implements [share.Place].
func (p *place) Put(ctx context.Context, name string, content []byte) error {
	if err := p.make(ctx); err != nil {
		return err
	}
	return p.engine.Put(ctx, p.collection, []engine.Object{{ID: idOfName(name), Document: name, Content: content}})
}

// Remove implements [share.Remover].
func (p *place) Remove(ctx context.Context, names []string) error {
	ids := make([]engine.ID, len(names))
	for i, name := range names {
		ids[i] = idOfName(name)
	}
	return p.engine.Delete(ctx, p.collection, ids)
}

func (p *place) make(ctx context.Context) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.made {
		return nil
	}
	err := p.engine.Create(ctx, p.collection, engine.Layout{})
	p.made = err == nil
	return err
}
