//go:build weaviate

package remote_test

import (
	"cmp"
	"compress/gzip"
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"lacuna/knowledge/engine/weaviate"
	"lacuna/knowledge/engine/weaviate/cluster"
	"lacuna/knowledge/ingest"
	"lacuna/knowledge/passage"
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
	g, err := remote.Open(t.Context(), e, "guide", k.Public, filepath.Join(t.TempDir(), "mirror"), b.root)
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
	t.Logf("%d questions in %v, of the engine and of the index; %d kills; %v; a node holds %d MB", len(list), time.Since(begin).Round(time.Second), kills, times, c.Memory(0)>>20)
}

// asked returns a base and questions to it.
func asked(t *testing.T) (base, []string) {
	most := number("LACUNA_QUESTIONS", 1000)
	if data := os.Getenv("LACUNA_DATA"); data != "" {
		root, err := filepath.Abs(filepath.Join(data, "kb"))
		if err != nil {
			t.Fatal(err)
		}
		b := indexed(t, cmp.Or(os.Getenv("LACUNA_INDEX"), t.TempDir()), root, []ingest.Source{{Name: "abstracts", Kind: passage.Text, Path: filepath.Join(root, "passages-pubmed.jsonl.gz")}})
		t.Cleanup(func() { b.index.Close() })
		file, err := os.Open(filepath.Join(data, "queries", "bioasq.dev.jsonl.gz"))
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		text, err := gzip.NewReader(file)
		if err != nil {
			t.Fatal(err)
		}
		var list []string
		for lines := json.NewDecoder(text); len(list) < most; {
			var q struct{ Question string }
			if err := lines.Decode(&q); err != nil {
				break
			}
			list = append(list, q.Question)
		}
		return b, list
	}
	b := clinic(t)
	list := questions(t, "../../examples/clinic/questions.jsonl")
	for _, form := range []string{"%s of %s?", "What about %s in %s?", "Is %s known for %s?", "Which %s has %s?"} {
		for _, p := range b.library.Passages() {
			if p.Section != "" && len(list) < most {
				list = append(list, strings.Replace(strings.Replace(form, "%s", p.Section, 1), "%s", p.Title, 1))
			}
		}
	}
	return b, list
}

// number returns the number of a variable of the environment, or another one.
func number(variable string, other int) int {
	if n, err := strconv.Atoi(os.Getenv(variable)); err == nil {
		return n
	}
	return other
}
