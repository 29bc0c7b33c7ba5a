//go:build weaviate && linux

package remote_test

import (
	"errors"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"lacuna/knowledge/answer"
	"lacuna/knowledge/engine"
	"lacuna/knowledge/engine/weaviate"
	"lacuna/knowledge/engine/weaviate/cluster"
	"lacuna/knowledge/remote"
)

// TestClusterSwitch switches generations of three real nodes while questions run.
func TestClusterSwitch(t *testing.T) {
	c := cluster.Start(t, cluster.Options{Nodes: number("LACUNA_NODES", 3)})
	var o weaviate.Options
	for i := range c.Nodes() {
		o.Nodes = append(o.Nodes, weaviate.Address(c.Address(i)))
	}
	e, err := weaviate.New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	switching(t, e, 4)
}

// TestClusterCut cuts the way to a real node in the middle of a push, which goes on, and in the middle of answers, each of
// which is the index's or none.
func TestClusterCut(t *testing.T) {
	c := cluster.Start(t, cluster.Options{})
	line, address := c.Line(0)
	e, err := weaviate.New(weaviate.Options{Nodes: []weaviate.Address{weaviate.Address(address)}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	b := clinic(t)
	options := remote.Options{Key: key(t), Now: today, Dir: t.TempDir()}
	cuts := 0
	for bytes := int64(100_000); ; bytes *= 3 { // so that one day it is enough
		line.Cut(bytes)
		_, err := remote.Push(t.Context(), e, b.source("guide"), options)
		was := line.WasCut()
		line.Mend()
		if err == nil {
			break
		}
		if cuts++; !was || !errors.Is(err, engine.ErrAway) {
			t.Fatalf("cut after %d bytes: %v", bytes, err)
		}
		t.Logf("cut after %d bytes: %v", bytes, err)
	}
	if cuts == 0 {
		t.Error("no push was cut")
	}
	g, err := remote.Open(t.Context(), e, "guide", options.Key.Public, filepath.Join(t.TempDir(), "mirror"), b.root)
	if err != nil {
		t.Fatal(err)
	}
	cuts = 0
	list := questions(t, "../../examples/clinic/questions.jsonl")
	for i, q := range slices.Concat(list, []string{"What is the dose of metformin?", "When is allopurinol stopped?", "How is asthma treated?"}) {
		want, err := offline().Answer(t.Context(), b.library, answer.Question{Text: q})
		if err != nil {
			t.Fatal(err)
		}
		line.Cut(int64(1000 + 20_000*i))
		got, _, err := g.Answer(t.Context(), offline(), answer.Question{Text: q})
		line.Mend()
		if err != nil && !errors.Is(err, engine.ErrAway) || err == nil && told(got) != told(want) {
			t.Errorf("%q: %v, %s", q, err, told(got))
		}
		if err != nil {
			cuts++
		}
		cluster.Wait(t, time.Minute, "the answer after the cut", func() bool {
			got, _, err = g.Answer(t.Context(), offline(), answer.Question{Text: q})
			return err == nil
		})
		if told(got) != told(want) {
			t.Errorf("%q after a cut: %s", q, told(got))
		}
	}
	t.Logf("%d answers were cut", cuts)
	if cuts == 0 {
		t.Error("no answer was cut")
	}
}
