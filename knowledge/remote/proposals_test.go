package remote_test

import (
	"cmp"
	"compress/gzip"
	"context"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"lacuna/knowledge/engine"
	"lacuna/knowledge/ingest"
	"lacuna/knowledge/passage"
)

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

// sharded is an engine within the process that proposes by terms as a cluster of three shards does: by BM25 with the
// statistics of each shard.
type sharded struct {
	engine.Memory
	mu          sync.Mutex
	collections map[string]*shardedCollection
	asked       map[int]int // how often, by limit
}

type shardedCollection struct {
	objects  []engine.Object
	known    map[engine.ID]bool
	postings map[string][]posting
	texts    [shards]float64
	terms    [shards]float64
}

type posting struct{ object, times int }

const shards = 3

func shardOf(o engine.Object) int { return int(o.ID[0]) % shards }

func (s *sharded) Put(ctx context.Context, collection string, objects []engine.Object) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.collections == nil {
		s.collections = make(map[string]*shardedCollection)
	}
	c := s.collections[collection]
	if c == nil {
		c = &shardedCollection{known: make(map[engine.ID]bool), postings: make(map[string][]posting)}
		s.collections[collection] = c
	}
	for _, o := range objects {
		if !c.known[o.ID] {
			c.add(o)
		}
	}
	return s.Memory.Put(ctx, collection, objects)
}

func (c *shardedCollection) add(o engine.Object) {
	c.known[o.ID] = true
	times := make(map[string]int)
	for _, term := range o.Terms {
		times[term]++
	}
	for term, n := range times {
		c.postings[term] = append(c.postings[term], posting{len(c.objects), n})
	}
	c.objects = append(c.objects, o)
	c.texts[shardOf(o)]++
	c.terms[shardOf(o)] += float64(len(o.Terms))
}

func (s *sharded) Search(ctx context.Context, collection string, q engine.Query) ([]engine.Object, error) {
	if len(q.Terms) == 0 {
		return s.Memory.Search(ctx, collection, q)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.asked == nil {
		s.asked = make(map[int]int)
	}
	s.asked[q.Limit]++
	c := s.collections[collection]
	scores := make([]float64, len(c.objects))
	for _, term := range q.Terms {
		var with [shards]float64
		for _, p := range c.postings[term] {
			with[shardOf(c.objects[p.object])]++
		}
		for _, p := range c.postings[term] {
			o := c.objects[p.object]
			shard, times := shardOf(o), float64(p.times)
			rarity := math.Log(1 + (c.texts[shard]-with[shard]+.5)/(with[shard]+.5))
			length := float64(len(o.Terms)) / (c.terms[shard] / c.texts[shard])
			scores[p.object] += rarity * times * 1.9 / (times + .9*(.6+.4*length))
		}
	}
	var found []int
	for at, score := range scores {
		if score > 0 {
			found = append(found, at)
		}
	}
	slices.SortFunc(found, func(a, b int) int { return cmp.Or(-cmp.Compare(scores[a], scores[b]), a-b) })
	var objects []engine.Object
	for _, at := range found[:min(len(found), q.Limit)] {
		objects = append(objects, c.objects[at])
	}
	return objects, ctx.Err()
}

// TestProposalsSuffice asks questions of abstracts, of which an engine proposes a small part by statistics of its own: every
// answer must be the index's. It needs the folder LACUNA_DATA.
func TestProposalsSuffice(t *testing.T) {
	if os.Getenv("LACUNA_DATA") == "" {
		t.Skip("LACUNA_DATA names no folder with abstracts and questions about them")
	}
	b, list := asked(t)
	e := &sharded{}
	g := pushed(t, e, b)
	clear(e.asked)
	took := compare(t, b, g, list)
	candidates := 0
	for limit, times := range e.asked {
		candidates += limit * times
	}
	t.Logf("%d questions; %v; %d candidates by terms a question; how often by their number: %v", len(list), took, candidates/len(list), e.asked)
}
