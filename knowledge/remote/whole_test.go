package remote_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"lacuna/knowledge/answer"
	"lacuna/knowledge/engine"
	"lacuna/knowledge/remote"
)

// behind is an engine one of whose nodes may lack objects, or that cannot count.
type behind struct {
	engine.Memory
	lacks    int
	err      error
	searches atomic.Int32
}

func (b *behind) Search(ctx context.Context, collection string, q engine.Query) ([]engine.Object, error) {
	b.searches.Add(1)
	return b.Memory.Search(ctx, collection, q)
}

func (b *behind) Count(ctx context.Context, collection string) (engine.Count, error) {
	count, err := b.Memory.Count(ctx, collection)
	count.Seen -= b.lacks
	count.Least = count.Seen
	return count, errors.Join(err, b.err)
}

// TestPartOfASourceDoesNotAnswer: an engine that lacks passages is not believed until it has them again, which is found out
// within seconds; one that does not say how many it has is.
func TestPartOfASourceDoesNotAnswer(t *testing.T) {
	e := &behind{}
	g := pushed(t, e, clinic(t))
	question := answer.Question{Text: "What is the dose of metformin?"}
	synctest.Test(t, func(t *testing.T) {
		ask := func(want error) {
			t.Helper()
			if r, _, err := g.Answer(t.Context(), offline(), question); !errors.Is(err, want) {
				t.Errorf("%v: %s", err, told(r))
			}
		}
		e.lacks = 3
		ask(remote.ErrStale)
		before := e.searches.Load()
		ask(remote.ErrStale)
		if n := e.searches.Load(); n != before {
			t.Errorf("%d searches of an engine that is known to lack passages", n-before)
		}
		time.Sleep(5 * time.Second)
		e.lacks = 0
		ask(nil)
		e.lacks, e.err = 3, engine.ErrAway
		ask(nil)
		time.Sleep(time.Minute)
		ask(nil)
	})
}
