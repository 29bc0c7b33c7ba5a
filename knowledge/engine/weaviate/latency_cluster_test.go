//go:build weaviate && linux

package weaviate

import (
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"lacuna/knowledge/engine"
	"lacuna/knowledge/engine/weaviate/cluster"
	"lacuna/knowledge/lexical"
	"lacuna/vecmath"
)

// BenchmarkSearch measures what a search costs, with 20,000 objects of the size of passages:
//
//	go test -tags weaviate ./knowledge/engine/weaviate -run - -bench Search -benchtime 100x -timeout 1h
//
// It logs how fast they were put and what each node holds of the memory. The same searches in the embedded index stand
// beside those of one node and of three.
func BenchmarkSearch(b *testing.B) {
	const objects, dim, words = 20_000, 128, 30_000
	r := rand.New(rand.NewPCG(1, 2))
	common := rand.NewZipf(r, 1.1, 8, words-1)
	vector := func() []float32 {
		v, sum := make([]float32, dim), 0.
		for i := range v {
			v[i] = float32(r.NormFloat64())
			sum += float64(v[i] * v[i])
		}
		for i := range v {
			v[i] /= float32(math.Sqrt(sum))
		}
		return v
	}
	terms := func(n int) (all []string) {
		for range n {
			all = append(all, fmt.Sprint("w", common.Uint64()))
		}
		return all
	}
	// search measures searches by terms and by a vector.
	search := func(b *testing.B, find func(q engine.Query) (found int, err error)) {
		for _, limit := range []int{200, 400, 800} {
			for kind, query := range map[string]func() engine.Query{
				"terms":  func() engine.Query { return engine.Query{Terms: terms(8), Limit: limit} },
				"vector": func() engine.Query { return engine.Query{Vector: vector(), Limit: limit} },
			} {
				b.Run(fmt.Sprintf("%s/limit=%d", kind, limit), func(b *testing.B) {
					var times []time.Duration
					for b.Loop() {
						q := query()
						start := time.Now()
						found, err := find(q)
						times = append(times, time.Since(start))
						if err != nil || kind == "vector" && found != limit {
							b.Fatalf("%d objects, %v", found, err)
						}
					}
					slices.Sort(times)
					b.ReportMetric(float64(times[len(times)/2].Microseconds())/1000, "p50-ms")
					b.ReportMetric(float64(times[len(times)*95/100].Microseconds())/1000, "p95-ms")
				})
			}
		}
	}
	b.Run("embedded", func(b *testing.B) {
		texts := lexical.Texts{N: objects, Text: func(int) string { return strings.Join(terms(80), " ") }}
		folder := filepath.Join(b.TempDir(), "lexical")
		must(b, lexical.Build(b.Context(), folder, lexical.Parameters{K1: .9, B: .4}, texts, nil))
		index, err := lexical.Open(folder)
		must(b, err)
		rows := vecmath.NewRows(dim)
		for range objects {
			must(b, rows.Append(vector()))
		}
		vectors := vecmath.NewIndex(rows)
		search(b, func(q engine.Query) (int, error) {
			if q.Vector != nil {
				near, err := vectors.NearestL2Where(q.Vector, q.Limit, nil)
				return len(near), err
			}
			scores, err := index.Score(b.Context(), q.Terms, nil)
			if err != nil {
				return 0, err
			}
			defer scores.Release()
			return len(scores.Best(q.Limit, nil)), nil
		})
	})
	for _, nodes := range []int{1, 3} {
		b.Run(fmt.Sprint("nodes=", nodes), func(b *testing.B) {
			c := cluster.Start(b, cluster.Options{Nodes: nodes})
			e := client(b, c, "")
			must(b, e.Create(b.Context(), "c", engine.Layout{Dim: dim, Terms: true, Shards: nodes, Replicas: nodes}))
			empty := c.Memory(0)
			var took time.Duration
			for begin := 0; begin < objects; begin += 1000 {
				var batch []engine.Object
				for i := begin; i < begin+1000; i++ {
					batch = append(batch, engine.Object{
						ID: engine.ID{15: byte(i), 14: byte(i >> 8)}, Document: fmt.Sprint("doc", i/40), Terms: terms(80), Vector: vector(),
						Content: slices.Repeat([]byte("words of it "), 100), Proof: make([]byte, 640)})
				}
				start := time.Now()
				must(b, e.Put(b.Context(), "c", batch))
				took += time.Since(start)
			}
			complete(b, e, "c", objects)
			b.Logf("%d nodes: %.0f objects/s put; a node holds %d MB, %d MB when empty", nodes, objects/took.Seconds(), c.Memory(0)>>20, empty>>20)
			search(b, func(q engine.Query) (int, error) {
				got, err := e.Search(b.Context(), "c", q)
				return len(got), err
			})
			b.Logf("%d nodes: a node holds %d MB after the searches", nodes, c.Memory(0)>>20)
		})
	}
}
