package gate

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"sync"

	"lacuna/knowledge/gate/fusion"
)

// workshop keeps what it has trained, so that several policies with a part in common train it once.
// It is safe for concurrent use.
type workshop struct {
	mu   sync.Mutex
	made map[string]*made
}

type made struct {
	once  sync.Once
	value any
	err   error
}

func newWorkshop() *workshop {
	return &workshop{made: make(map[string]*made)}
}

// once makes what a key names, or returns what was made for it before.
func once[T any](w *workshop, key string, make func() (T, error)) (T, error) {
	w.mu.Lock()
	m := w.made[key]
	if m == nil {
		m = new(made)
		w.made[key] = m
	}
	w.mu.Unlock()
	m.once.Do(func() { m.value, m.err = make() })
	value, _ := m.value.(T) // the zero value where making it failed
	return value, m.err
}

// keyOf names a training: what is trained, on what, from which seed.
func keyOf(what string, history []Item, e Encoder, seed uint64) string {
	hash := sha256.New()
	encoder := json.NewEncoder(hash)
	for _, i := range history {
		// A history that JSON cannot write has been read from JSON all the same.
		_ = encoder.Encode([]any{i.ID, i.Model, i.Text, i.Closed, i.Score, i.Golds})
	}
	return fmt.Sprintf("%s %x %s %d", what, hash.Sum(nil), e.Identity(), seed)
}

// quality trains the response quality model as a policy of its own.
func (w *workshop) quality(history []Item, e Encoder, seed uint64) (quality, error) {
	return once(w, keyOf("rqm", history, e, seed), func() (quality, error) {
		return fitRQM(history, e, seed, Suggested.Single)
	})
}

// unseenShare of the history is kept from the two modules, so that the net sees of them what they say
// of new questions.
const unseenShare = .2

func halves(history []Item, seed uint64) (known, unseen []Item) {
	for _, n := range rand.New(rand.NewPCG(seed, 0x4a1f)).Perm(len(history)) {
		if float64(len(unseen)) < unseenShare*float64(len(history)) {
			unseen = append(unseen, history[n])
		} else {
			known = append(known, history[n])
		}
	}
	return known, unseen
}

// ccsk completes the method: it trains the modules on most of the history, and the net and then the
// thresholds on what the modules have not seen.
func (w *workshop) ccsk(ctx context.Context, history []Item, e Encoder, seed uint64, c ccsk, attention fusion.Attention, t tuned) (Policy, error) {
	c.encoder, c.thresholds = e, Suggested
	known, unseen := halves(history, seed)
	var err error
	if c.sn, err = fitSN(c.name, known, e, Suggested.Single); err != nil {
		return nil, err
	}
	if c.rqm, err = w.quality(known, e, seed); err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	for _, i := range unseen {
		if i.Label() != Same {
			c.differ++
		}
	}
	c.net, err = once(w, keyOf("net "+string(attention), history, e, seed), func() (*fusion.Net, error) {
		return c.train(unseen, attention, seed)
	})
	if err != nil {
		return nil, err
	}
	if c.net != nil {
		c.thresholds = c.search(unseen, t)
	}
	return c, nil
}

// train fits the net; nil where too few answers differ.
func (c *ccsk) train(unseen []Item, attention fusion.Attention, seed uint64) (*fusion.Net, error) {
	var samples []fusion.Labelled
	for _, i := range unseen {
		if i.Label() == Same {
			continue
		}
		fSN, _, _ := c.sn.score(i.Question)
		fRQM, _ := c.rqm.score(i.Question)
		samples = append(samples, fusion.Labelled{Sample: c.sample(i.Question, fSN, fRQM), Retrieve: i.Label() == Better})
	}
	if len(samples) < leastToFuse {
		return nil, nil
	}
	held := len(samples) / 5
	net, _, err := fusion.Train(c.encoder.Dim(), samples[held:], samples[:held], fusion.Options{Attention: attention, Seed: seed})
	if err != nil {
		return nil, fmt.Errorf("train the fusion net: %w", err)
	}
	return net, nil
}
