//go:build weaviate

package remote_test

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"lacuna/knowledge/engine"
	"lacuna/knowledge/engine/weaviate"
	"lacuna/knowledge/engine/weaviate/cluster"
	"lacuna/knowledge/remote"
)

// TestClusterAnswersAsTheIndex pushes a base into three real nodes with three replicas, and asks 1,000 questions while a
// node is killed and started again, over and over. Every answer must be the index's own, digit by digit, and none may
// fail. The base is the example's, or the abstracts of the folder LACUNA_DATA, of which the engine proposes a small part.
// LACUNA_QUESTIONS asks fewer, LACUNA_NODES=1 has one node and no kills, and LACUNA_INDEX is a folder that keeps the index
// for the next time.
func TestClusterAnswersAsTheIndex(t *testing.T) {
	nodes := number("LACUNA_NODES", 3)
	c := cluster.Start(t, cluster.Options{Nodes: nodes})
	var o weaviate.Options
	for i := range c.Nodes() {
		o.Nodes = append(o.Nodes, weaviate.Address(c.Address(i)))
	}
	e, err := weaviate.New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	b, list := asked(t)
	k := key(t)
	begin := time.Now()
	if _, err := remote.Push(t.Context(), e, b.source("guide"), remote.Options{Key: k, Now: today, Dir: t.TempDir(), Shards: nodes, Replicas: nodes}); err != nil {
		t.Fatal(err)
	}
	t.Logf("%d passages pushed in %v", len(b.library.Passages()), time.Since(begin).Round(time.Second))
	watched := &timed{Engine: e}
	g, err := remote.Open(t.Context(), watched, "guide", k.Public, filepath.Join(t.TempDir(), "mirror"), b.root)
	if err != nil {
		t.Fatal(err)
	}
	stop, kills := make(chan struct{}), 0
	var killer sync.WaitGroup
	if nodes > 1 {
		killer.Go(func() {
			for i := 0; ; i++ {
				select {
				case <-stop:
					return
				case <-time.After(20 * time.Second):
				}
				c.Kill(i % nodes)
				kills++
				select {
				case <-stop:
				case <-time.After(20 * time.Second):
				}
				c.Restart(i % nodes)
				c.Ready(i % nodes)
			}
		})
	}
	begin = time.Now()
	times := compare(t, b, g, list)
	close(stop)
	killer.Wait()
	t.Logf("%d questions in %v, of the engine and of the index; %d kills; %v%v; a node holds %d MB", len(list), time.Since(begin).Round(time.Second), kills, times, watched, c.Memory(0)>>20)
}

// timed is an engine whose searches are timed, by what they ask for.
type timed struct {
	engine.Engine
	mu   sync.Mutex
	took map[string][]time.Duration
}

func (e *timed) Search(ctx context.Context, collection string, q engine.Query) ([]engine.Object, error) {
	begin := time.Now()
	objects, err := e.Engine.Search(ctx, collection, q)
	what := fmt.Sprint(q.Limit, " by terms")
	if q.Vector != nil {
		what = fmt.Sprint(q.Limit, " by a vector")
	} else if q.Document != "" {
		what = "a document"
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.took == nil {
		e.took = make(map[string][]time.Duration)
	}
	e.took[what] = append(e.took[what], time.Since(begin))
	return objects, err
}

func (e *timed) String() string {
	var b strings.Builder
	for _, what := range slices.Sorted(maps.Keys(e.took)) {
		list := slices.Sorted(slices.Values(e.took[what]))
		fmt.Fprintf(&b, ", %d searches for %s (half up to %v)", len(list), what, list[len(list)/2].Round(time.Millisecond))
	}
	return b.String()
}
