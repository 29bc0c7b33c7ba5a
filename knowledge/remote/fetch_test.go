package remote_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"lacuna/knowledge"
	"lacuna/knowledge/engine"
	"lacuna/knowledge/ingest"
	"lacuna/knowledge/passage"
)

// crooked is an engine that lists the best candidates by terms where the first reply ends: some before, some behind.
type crooked struct {
	recording
}

func (c *crooked) Search(ctx context.Context, collection string, q engine.Query) ([]engine.Object, error) {
	limit := q.Limit
	objects, err := c.recording.Search(ctx, collection, q)
	if err != nil || q.Terms == nil {
		return objects, err
	}
	q.Limit = engine.MaxLimit
	if objects, err = c.Memory.Search(ctx, collection, q); err != nil {
		return nil, err
	}
	const best, at = 40, 380 // of a first reply of 400
	if len(objects) >= at+best {
		objects = slices.Concat(objects[best:at+best], objects[:best], objects[at+best:])
	}
	return objects[:min(limit, len(objects))], nil
}

// TestDeeperWhileTheBestStandLast: an engine whose first reply ends among the best candidates is asked for more, and one
// whose first reply begins with them is not.
func TestDeeperWhileTheBestStandLast(t *testing.T) {
	root := t.TempDir()
	var pages strings.Builder
	for i := range 480 {
		fmt.Fprintf(&pages, "# Kettle %d\n\nThe kettle %d is made of copper%s.\n\n", i, i, strings.Repeat(" tin", i%37))
	}
	if err := os.WriteFile(filepath.Join(root, "kettles.md"), []byte(pages.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	b := indexed(t, t.TempDir(), root, []ingest.Source{{Name: "kettles", Kind: passage.Text, Path: root}})
	t.Cleanup(func() { b.index.Close() })
	q := knowledge.Query{Text: "copper kettle", K: 30, Retriever: knowledge.BM25}
	want, err := b.library.Search(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	for name, e := range map[string]engine.Engine{"in order": &recording{}, "crooked": &crooked{}} {
		g := pushed(t, e, b)
		got, _, err := g.Search(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		if ranked(got) != ranked(want) {
			t.Errorf("%s:\n%s\nbut of the whole index\n%s", name, ranked(got), ranked(want))
		}
		record, _ := e.(*recording)
		if c, is := e.(*crooked); is {
			record = &c.recording
		}
		var limits []int
		for _, q := range record.list {
			limits = append(limits, q.Limit)
		}
		if deeper := slices.Max(limits) > limits[0]; deeper != (name == "crooked") {
			t.Errorf("%s: asked for %v", name, limits)
		}
	}
}

func ranked(hits []knowledge.Hit) string {
	var b strings.Builder
	for _, hit := range hits {
		fmt.Fprintf(&b, "%d %s %v\n", hit.Rank, hit.Passage.ID, hit.Score)
	}
	return b.String()
}
