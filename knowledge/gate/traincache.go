package gate

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"sync"
)

// trainCache stores what it has trained, so that policies with a part in common train it once. It is safe
// for concurrent use.
type trainCache struct {
	mu        sync.Mutex
	trainings map[string]*training // guarded by mu
}

type training struct {
	once  sync.Once
	value any
	err   error
}

func newTrainCache() *trainCache { return &trainCache{trainings: make(map[string]*training)} }

// trainOnce trains what a key names, or returns what was trained for it before.
func trainOnce[T any](c *trainCache, key string, train func() (T, error)) (T, error) {
	c.mu.Lock()
	t := c.trainings[key]
	if t == nil {
		t = new(training)
		c.trainings[key] = t
	}
	c.mu.Unlock()
	t.once.Do(func() { t.value, t.err = train() })
	value, _ := t.value.(T) // the zero value if the training failed
	return value, t.err
}

// keyOf names a training: what is trained, on which history and encoder, from which seed.
func keyOf(what string, history []Item, e Encoder, seed uint64) string {
	hash := sha256.New()
	encoder := json.NewEncoder(hash)
	for _, i := range history {
		_ = encoder.Encode([]any{i.ID, i.Model, i.Text, i.Closed, i.Score, i.Golds}) // was read from JSON
	}
	return fmt.Sprintf("%s %x %s %d", what, hash.Sum(nil), e.Identity(), seed)
}

// quality trains the response quality model as a policy.
func (c *trainCache) quality(history []Item, e Encoder, seed uint64) (quality, error) {
	return trainOnce(c, keyOf("rqm", history, e, seed), func() (quality, error) {
		return fitRQM(history, e, seed, Suggested.Single)
	})
}
