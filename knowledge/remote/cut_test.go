package remote_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"sync/atomic"
	"testing"

	"lacuna/knowledge/answer"
	"lacuna/knowledge/engine"
	"lacuna/knowledge/remote"
)

// cuttable is an engine whose network is cut when some calls have been made. The call during which that happens reaches the
// engine, and its reply is lost.
type cuttable struct {
	engine.Memory
	left atomic.Int64 // calls until then
	puts atomic.Int64 // objects
}

func newCuttable(calls int64) *cuttable {
	c := &cuttable{}
	c.left.Store(calls)
	return c
}

func (c *cuttable) reply(err error) error {
	if c.left.Add(-1) < 0 {
		return fmt.Errorf("the connection is reset: %w", engine.ErrAway)
	}
	return err
}

func (c *cuttable) Put(ctx context.Context, collection string, objects []engine.Object) error {
	if c.left.Load() > 0 {
		c.puts.Add(int64(len(objects)))
		return c.reply(c.Memory.Put(ctx, collection, objects))
	}
	return c.reply(nil)
}

func (c *cuttable) Search(ctx context.Context, collection string, q engine.Query) ([]engine.Object, error) {
	objects, err := c.Memory.Search(ctx, collection, q)
	if err = c.reply(err); err != nil {
		return nil, err
	}
	return objects, nil
}

// TestPushGoesOn: a push whose network is cut makes nothing current, and the next one goes on where it was.
func TestPushGoesOn(t *testing.T) {
	b := clinic(t)
	total := len(b.library.Passages())
	e := newCuttable(2)
	k, dir := key(t), t.TempDir()
	options := remote.Options{Key: k, Now: today, Dir: dir}
	if _, err := remote.Push(t.Context(), e, b.source("guide"), options); !errors.Is(err, engine.ErrAway) {
		t.Fatalf("a push whose network is cut: %v", err)
	}
	if g, err := remote.Open(t.Context(), e, "guide", k.Public, filepath.Join(t.TempDir(), "mirror"), b.root); err == nil {
		t.Errorf("half of a push is current: %d passages", g.Len())
	}
	before := e.puts.Load()
	e.left.Store(1 << 40)
	var first int
	options.Progress = func(done, _ int) {
		if first == 0 {
			first = done
		}
	}
	done, err := remote.Push(t.Context(), e, b.source("guide"), options)
	if err != nil || done.Objects != total {
		t.Fatalf("%+v, %v", done, err)
	}
	if before == 0 || first <= 200 && total > 200 && before >= 200 {
		t.Errorf("%d objects were sent before, and the next push begins with %d", before, first)
	}
}

// TestCutWhileAnswering: wherever the network is cut, the answer is none, and the next one is that of the index.
func TestCutWhileAnswering(t *testing.T) {
	b := clinic(t)
	e := newCuttable(1 << 40)
	question := answer.Question{Text: "What is the dose of metformin when the kidneys are weak?"}
	want, err := offline().Answer(t.Context(), b.library, question)
	if err != nil {
		t.Fatal(err)
	}
	k := key(t)
	if _, err := remote.Push(t.Context(), e, b.source("guide"), remote.Options{Key: k, Now: today, Dir: t.TempDir()}); err != nil {
		t.Fatal(err)
	}
	folder := filepath.Join(t.TempDir(), "mirror")
	for calls := int64(0); ; calls++ {
		g, err := remote.Open(t.Context(), e, "guide", k.Public, folder, b.root)
		if err != nil {
			t.Fatal(err)
		}
		e.left.Store(calls)
		got, _, err := g.Answer(t.Context(), offline(), question)
		whole := e.left.Load() >= 0
		e.left.Store(1 << 40)
		if !whole && !errors.Is(err, engine.ErrAway) {
			t.Errorf("cut after %d calls: %v, %s", calls, err, told(got))
		}
		if got, _, err = g.Answer(t.Context(), offline(), question); err != nil || told(got) != told(want) {
			t.Errorf("after a cut after %d calls: %v, %s", calls, err, told(got))
		}
		if whole {
			t.Logf("cut at each of %d calls", calls)
			return
		}
	}
}

// TestAlteredCardIsRefused: whichever byte of a card's pieces, or of its head, is altered, the card is refused.
func TestAlteredCardIsRefused(t *testing.T) {
	e := &forged{}
	p := publisher{e, key(t), t.TempDir()}
	p.push(t, 1)
	open := func() error {
		_, err := remote.Open(t.Context(), e, "guide", p.key.Public, filepath.Join(t.TempDir(), "mirror"), "")
		return err
	}
	e.reads.Store(0)
	if err := open(); err != nil {
		t.Fatal(err)
	}
	reads := e.reads.Load()
	for at := range reads {
		for _, part := range []float64{0, .5, 1} {
			e.reads.Store(0)
			e.at, e.part, e.forges = at, part, true
			if err := open(); err == nil {
				t.Errorf("a card is taken whose read %d of %d is altered at %g of its length", at, reads, part)
			}
		}
	}
	t.Logf("%d reads, each altered", reads)
}

// forged alters a byte of one of the objects that are read.
type forged struct {
	engine.Memory
	reads  atomic.Int64 // a push reads concurrently
	at     int64
	part   float64
	forges bool
}

func (f *forged) Get(ctx context.Context, collection string, id engine.ID) (engine.Object, error) {
	o, err := f.Memory.Get(ctx, collection, id)
	if read := f.reads.Add(1) - 1; f.forges && read == f.at && len(o.Content) > 0 {
		o.Content = slices.Clone(o.Content)
		o.Content[int(f.part*float64(len(o.Content)-1))] ^= 1
	}
	return o, err
}
