package remote_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"lacuna/knowledge/answer"
	"lacuna/knowledge/engine"
	"lacuna/knowledge/ingest"
	"lacuna/knowledge/passage"
	"lacuna/knowledge/remote"
	"lacuna/knowledge/share"
)

// edition is a small base each of whose pages says its number.
func edition(t testing.TB, n int) base {
	t.Helper()
	root := t.TempDir()
	for name, text := range map[string]string{
		"gout.md":   "# Gout\n\nAn attack of gout is treated with colchicine, says edition %d.\n\n## Prevention\n\nAllopurinol prevents attacks of gout, says edition %[1]d.\n",
		"asthma.md": "# Asthma\n\nSalbutamol opens the airways within minutes, says edition %d.\n",
	} {
		if err := os.WriteFile(filepath.Join(root, name), fmt.Appendf(nil, text, n), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	b := indexed(t, t.TempDir(), root, []ingest.Source{{Name: "guide", Kind: passage.Text, Path: root}})
	t.Cleanup(func() { b.index.Close() })
	return b
}

// publisher pushes edition after edition.
type publisher struct {
	engine engine.Engine
	key    *share.Key
	dir    string
}

func (p publisher) push(t testing.TB, n int) {
	t.Helper()
	if _, err := remote.Push(t.Context(), p.engine, edition(t, n).source("guide"), remote.Options{Key: p.key, Now: today, Dir: p.dir}); err != nil {
		t.Fatal(err)
	}
}

// reader asks the generation that it knows, until the engine keeps that no more, and now and then looks for a newer one.
type reader struct {
	engine      engine.Engine
	key, folder string

	mu      sync.Mutex
	current *remote.Generation
	asked   int
}

func (r *reader) generation(ctx context.Context, lost *remote.Generation) (*remote.Generation, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.asked++
	if r.current != nil && r.current != lost && r.asked%50 > 0 {
		return r.current, nil
	}
	g, err := remote.Open(ctx, r.engine, "guide", r.key, r.folder, "")
	if err == nil {
		r.current = g
	}
	return g, err
}

func (r *reader) answer(ctx context.Context, q answer.Question) (result answer.Result, err error) {
	var lost *remote.Generation
	for range 3 {
		g, err := r.generation(ctx, lost)
		if err != nil {
			return result, err
		}
		if result, _, err = g.Answer(ctx, offline(), q); !errors.Is(err, engine.ErrNotFound) {
			return result, err
		}
		lost = g
	}
	return result, engine.ErrNotFound
}

// switching pushes editions while questions are asked: none may fail, and what an answer says is of one edition.
func switching(t *testing.T, e engine.Engine, editions int) {
	t.Helper()
	p := publisher{e, key(t), t.TempDir()}
	p.push(t, 1)
	r := &reader{engine: e, key: p.key.Public, folder: filepath.Join(t.TempDir(), "mirror")}
	var asked atomic.Int64
	var seen sync.Map
	stop := make(chan struct{})
	var askers sync.WaitGroup
	for range 2 {
		askers.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				result, err := r.answer(context.Background(), answer.Question{Text: fmt.Sprintf("How is an attack of gout treated in ward %d?", asked.Load())})
				if asked.Add(1); err != nil || result.State != answer.Answered {
					t.Errorf("question %d: %s, %v", asked.Load(), result.State, err)
					continue
				}
				said := told(result)
				for _, hit := range result.Evidence {
					said += hit.Passage.Text
				}
				_, number, _ := strings.Cut(said, "says edition ")
				number = number[:strings.IndexByte(number, '.')]
				if strings.Count(said, "says edition ") != strings.Count(said, "says edition "+number+".") {
					t.Errorf("an answer of several editions:\n%s", said)
				}
				seen.Store(number, true)
			}
		})
	}
	enough := func() {
		for begin := asked.Load(); asked.Load() < begin+10 && !t.Failed(); {
			select {
			case <-t.Context().Done():
				return
			default:
			}
		}
	}
	for n := 2; n <= editions; n++ {
		enough()
		p.push(t, n)
	}
	enough()
	close(stop)
	askers.Wait()
	kinds := 0
	seen.Range(func(any, any) bool { kinds++; return true })
	if kinds < 2 {
		t.Error("no question saw another edition than the first")
	}
	t.Logf("%d questions, answered from %d of %d editions", asked.Load(), kinds, editions)
}

func TestSwitchWhileQuestionsRun(t *testing.T) { switching(t, &engine.Memory{}, 4) }

// carded is an engine that knows which of its collections holds cards.
type carded struct {
	engine.Memory
	mu    sync.Mutex // a push puts concurrently
	cards string
}

func (c *carded) Put(ctx context.Context, collection string, objects []engine.Object) error {
	if strings.HasSuffix(collection, "_card") {
		c.mu.Lock()
		c.cards = collection
		c.mu.Unlock()
	}
	return c.Memory.Put(ctx, collection, objects)
}

// TestOldCardsAreRemoved: pieces of the current card and the one before stay, others go.
func TestOldCardsAreRemoved(t *testing.T) {
	e := &carded{}
	p := publisher{e, key(t), t.TempDir()}
	var after []int
	for n := range 4 {
		p.push(t, n+1)
		count, err := e.Count(t.Context(), e.cards)
		if err != nil {
			t.Fatal(err)
		}
		after = append(after, count.Most)
	}
	if after[1] <= after[0] || after[2] > after[1] || after[3] > after[1] {
		t.Errorf("pieces of cards after each push: %d", after)
	}
	if _, err := remote.Open(t.Context(), e, "guide", p.key.Public, filepath.Join(t.TempDir(), "mirror"), ""); err != nil {
		t.Error(err)
	}
}
