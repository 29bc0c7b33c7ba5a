//go:build weaviate

package remote_test

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"lacuna/knowledge/answer"
	"lacuna/knowledge/engine/weaviate"
	"lacuna/knowledge/engine/weaviate/cluster"
	"lacuna/knowledge/remote"
)

// TestClusterAnswersAsTheIndex pushes the example base into three real nodes with three replicas, and asks 1,000
// questions while a node is killed and started again, over and over. Every answer must be the index's own, digit by
// digit, and none may fail. LACUNA_QUESTIONS asks fewer.
func TestClusterAnswersAsTheIndex(t *testing.T) {
	c := cluster.Start(t, cluster.Options{Nodes: 3})
	var o weaviate.Options
	for i := range c.Nodes() {
		a := c.Address(i)
		o.Nodes = append(o.Nodes, weaviate.Address{GRPC: a.GRPC, REST: a.REST})
	}
	e, err := weaviate.New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	b := clinic(t)
	k := key(t)
	if _, err := remote.Push(t.Context(), e, b.source("guide"), remote.Options{Key: k, Now: today, Dir: t.TempDir(), Shards: 3, Replicas: 3}); err != nil {
		t.Fatal(err)
	}
	g, err := remote.Open(t.Context(), e, "guide", k.Public, filepath.Join(t.TempDir(), "mirror"), b.root)
	if err != nil {
		t.Fatal(err)
	}
	list := questions(t, "../../examples/clinic/questions.jsonl")
	for _, form := range []string{"%s of %s?", "What about %s in %s?", "Is %s known for %s?", "Which %s has %s?"} {
		for _, p := range b.library.Passages() {
			if p.Section != "" && len(list) < wanted() {
				list = append(list, strings.Replace(strings.Replace(form, "%s", p.Section, 1), "%s", p.Title, 1))
			}
		}
	}
	stop, kills := make(chan struct{}), 0
	var killer sync.WaitGroup
	killer.Go(func() {
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			case <-time.After(20 * time.Second):
			}
			c.Kill(i % c.Nodes())
			kills++
			select {
			case <-stop:
			case <-time.After(20 * time.Second):
			}
			c.Restart(i % c.Nodes())
			c.Ready(i % c.Nodes())
		}
	})
	compare(t, b, g, list)
	close(stop)
	killer.Wait()
	t.Logf("%d questions, %d kills", len(list), kills)
	if _, _, err := g.Answer(t.Context(), offline(), answer.Question{Text: "What is metformin for?"}); err != nil {
		t.Error(err)
	}
}

// wanted is how many questions are asked.
func wanted() int {
	if n, err := strconv.Atoi(os.Getenv("LACUNA_QUESTIONS")); err == nil {
		return n
	}
	return 1000
}
