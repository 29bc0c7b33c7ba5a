package vecmath

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"lacuna/vecmath/synthetic"
)

func rowsOf(t testing.TB, dim int, data []float32) *Rows {
	t.Helper()
	rows, err := RowsOf(dim, data)
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

// plainly returns what an index has to return with a kernel: all rows are measured and sorted.
func plainly(kernel *kernel, rows *Rows, q []float32, k int, keep func(int) bool) []Neighbor {
	list := []Neighbor{}
	for row := range rows.Len() {
		if keep == nil || keep(row) {
			list = append(list, Neighbor{row, sqrt32(kernel.square(q, rows.Row(row)))})
		}
	}
	slices.SortStableFunc(list, compare)
	return list[:max(0, min(k, len(list)))]
}

// onEveryPath calls check for every kernel and some heads.
func onEveryPath(rows *Rows, sizes []int, check func(path string, x *Index)) {
	for _, size := range sizes {
		x := withHead(rows, size)
		for i := range kernels {
			x.kernel = &kernels[i]
			check(fmt.Sprintf("%s, head %d", x.kernel.name, size), x)
		}
	}
}

// different describes in what an index differs from plain search.
func different(x *Index, q []float32, k int, keep func(int) bool) string {
	got, err := x.NearestL2Where(q, k, keep)
	if want := plainly(x.kernel, x.rows, q, k, keep); err != nil || !slices.Equal(got, want) {
		return fmt.Sprintf("%v, want %v (%v)", got, want, err)
	}
	return ""
}

// TestIndexOfSmallGrids tries every small matrix of few values, so that ties abound.
func TestIndexOfSmallGrids(t *testing.T) {
	for _, grid := range []struct{ rows, dim, values int }{{0, 2, 3}, {1, 2, 3}, {2, 2, 3}, {3, 2, 3}, {5, 1, 3}, {3, 3, 2}} {
		numbers := grid.rows * grid.dim
		for code := range int(math.Pow(float64(grid.values), float64(numbers))) {
			data := make([]float32, numbers)
			for rest, i := code, 0; i < numbers; i, rest = i+1, rest/grid.values {
				data[i] = float32(rest % grid.values)
			}
			onEveryPath(rowsOf(t, grid.dim, data), []int{0, 1}, func(path string, x *Index) {
				for k := range grid.rows + 2 {
					for name, keep := range map[string]func(int) bool{"all": nil, "odd": func(row int) bool { return row%2 == 1 }} {
						q := []float32{0.5, 1, 2}[:grid.dim]
						if message := different(x, q, k, keep); message != "" {
							t.Fatalf("%v, k %d, %s, %s: %s", data, k, name, path, message)
						}
					}
				}
			})
		}
	}
}

func TestIndexEqualsPlainSearch(t *testing.T) {
	random := rand.New(rand.NewPCG(8, 8))
	const dim = 40
	for name, data := range boundCases(random, dim) {
		rows := rowsOf(t, dim, slices.Concat(data, data[:len(data)/2])) // with ties
		onEveryPath(rows, []int{0, 8, 40}, func(path string, x *Index) {
			for query := 0; query < rows.Len(); query += 7 {
				for _, k := range []int{1, 3, 10} {
					if message := different(x, rows.Row(query), k, nil); message != "" {
						t.Fatalf("%s, %s, query %d, k %d: %s", name, path, query, k, message)
					}
				}
			}
		})
	}
}

// TestIndexOfManyRows has several blocks, tasks and helpers, and queries of all kinds.
func TestIndexOfManyRows(t *testing.T) {
	const n, dim, queries = 9_999, 96, 12
	random := rand.New(rand.NewPCG(9, 9))
	mix := synthetic.Mix(n, queries, dim, 1)
	for name, data := range map[string][]float32{"mix": mix, "gaussian": synthetic.Gaussian(n+queries, dim, 1)} {
		rows := rowsOf(t, dim, data[:n*dim])
		asked := rowsOf(t, dim, data[n*dim:])
		onEveryPath(rows, []int{0, 32}, func(path string, x *Index) {
			for query := range asked.Len() {
				share := random.IntN(5)
				keep := func(row int) bool { return share == 0 || row%(share*share*share*share) == share }
				if message := different(x, asked.Row(query), 1+random.IntN(50), keep); message != "" {
					t.Fatalf("%s, %s, query %d: %s", name, path, query, message)
				}
			}
			batch, err := x.NearestL2Batch(asked, 7)
			if err != nil {
				t.Fatal(err)
			}
			for query, got := range batch {
				if want := plainly(x.kernel, rows, asked.Row(query), 7, nil); !slices.Equal(got, want) {
					t.Fatalf("%s, %s, query %d of the batch: %v, want %v", name, path, query, got, want)
				}
			}
		})
	}
}

// TestQueryThatAHeadTellsNothingAbout makes the search fall back to the codes of whole rows.
func TestQueryThatAHeadTellsNothingAbout(t *testing.T) {
	const n, dim = 6_000, 128
	rows := rowsOf(t, dim, synthetic.Gaussian(n, dim, 4))
	onEveryPath(rows, []int{32}, func(path string, x *Index) {
		for query := range 5 {
			if message := different(x, rows.Row(query*100), 10, nil); message != "" {
				t.Errorf("%s: %s", path, message)
			}
		}
	})
}

func TestHeadIsChosenByWhatItSaves(t *testing.T) {
	const n, dim = fewestForHead, 128
	decaying := NewIndex(rowsOf(t, dim, synthetic.Mix(n, 0, dim, 1)))
	if size := decaying.HeadDim(); size == 0 {
		t.Error("no head for a decaying spectrum")
	}
	even := NewIndex(rowsOf(t, dim, synthetic.Gaussian(n, dim, 1)))
	if size := even.HeadDim(); size != 0 {
		t.Errorf("a head of %d where all directions are alike", size)
	}
}

func TestIndexRefusesWhatCannotBeCompared(t *testing.T) {
	x := withHead(rowsOf(t, 2, []float32{1, 2, 3, 4}), 0)
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	for _, q := range [][]float32{nil, {1}, {1, 2, 3}, {1, nan}, {inf, 1}} {
		if _, err := x.NearestL2(q, 1); err == nil {
			t.Errorf("searched for %v", q)
		}
	}
	if _, err := x.NearestL2Batch(NewRows(3), 1); err == nil {
		t.Error("searched for rows of another dimension")
	}
}

func TestSearchAllocatesNothing(t *testing.T) {
	const n, dim = 34_000, 256
	data := synthetic.Mix(n, 1, dim, 1)
	rows, q := rowsOf(t, dim, data[:n*dim]), data[n*dim:]
	for _, size := range []int{0, 32} {
		x := withHead(rows, size)
		to := make([]Neighbor, 0, 10)
		allocations := testing.AllocsPerRun(50, func() {
			if _, err := x.AppendNearestL2(to, q, 10, nil); err != nil {
				t.Fatal(err)
			}
		})
		if allocations != 0 {
			t.Errorf("%v allocations with a head of %d", allocations, size)
		}
	}
}

func TestIndexIsSafeForConcurrentUse(t *testing.T) {
	const n, dim = 34_000, 64 // of the head and of whole rows, both more than one task
	data := synthetic.Mix(n, 8, dim, 1)
	x := withHead(rowsOf(t, dim, data[:n*dim]), 32)
	var group sync.WaitGroup
	for i := range 8 {
		q := data[(n+i)*dim:][:dim]
		want := plainly(x.kernel, x.rows, q, 10, nil)
		group.Go(func() {
			for range 5 {
				if got, err := x.NearestL2(q, 10); err != nil || !slices.Equal(got, want) {
					t.Errorf("%v, want %v (%v)", got, want, err)
				}
			}
		})
	}
	group.Wait()
}

func FuzzIndex(f *testing.F) {
	f.Add(byte(2), byte(3), byte(1), []byte("some rows of floating numbers, four bytes each"))
	f.Add(byte(0), byte(1), byte(0), []byte{0, 0, 128, 63, 1, 0, 128, 63, 0, 0, 0, 0, 255, 255, 127, 127})
	f.Add(byte(3), byte(5), byte(2), slices.Repeat([]byte("0123"), 100))
	f.Fuzz(func(t *testing.T, dim, k, size byte, data []byte) {
		d := int(dim)%40 + 1
		var numbers []float32
		for ; len(data) >= 4; data = data[4:] {
			if x := math.Float32frombits(binary.LittleEndian.Uint32(data)); !notFinite(x) {
				numbers = append(numbers, x)
			}
		}
		numbers = numbers[:len(numbers)/d*d]
		if len(numbers) == 0 {
			return
		}
		rows := rowsOf(t, d, numbers)
		exact := exactDistances(rows, rows.Row(0))
		onEveryPath(rows, []int{0, int(size)%d + 1}, func(path string, x *Index) {
			for query := 0; query < rows.Len(); query += 1 + rows.Len()/4 {
				if message := different(x, rows.Row(query), int(k), nil); message != "" {
					t.Fatalf("%s, query %d: %s", path, query, message)
				}
			}
			if message := brokenBound(x, rows.Row(0), exact); message != "" {
				t.Fatalf("%s: %s", path, message)
			}
		})
	})
}

func BenchmarkIndex(b *testing.B) {
	const dim, queries = 768, 32
	for _, n := range []int{10_000, 50_000} {
		for name, data := range map[string][]float32{"mix": synthetic.Mix(n, queries, dim, 1), "gaussian": synthetic.Gaussian(n+queries, dim, 1)} {
			rows, asked := rowsOf(b, dim, data[:n*dim]), rowsOf(b, dim, data[n*dim:])
			x, at := NewIndex(rows), 0
			b.Run(fmt.Sprintf("plain/%s/%d", name, n), func(b *testing.B) {
				for b.Loop() {
					if _, err := rows.NearestL2(asked.Row(at%queries), 10); err != nil {
						b.Fatal(err)
					}
					at++
				}
			})
			b.Run(fmt.Sprintf("one/%s/%d", name, n), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					if _, err := x.NearestL2(asked.Row(at%queries), 10); err != nil {
						b.Fatal(err)
					}
					at++
				}
			})
			b.Run(fmt.Sprintf("batch/%s/%d", name, n), func(b *testing.B) {
				for b.Loop() {
					if _, err := x.NearestL2Batch(asked, 10); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/queries, "ns/query")
			})
		}
	}
}

// BenchmarkIndexOfMillions measures one search among LACUNA_ROWS vectors of 256 components, the built-in encoder's most:
// ten million take 14 GB, and minutes to make.
func BenchmarkIndexOfMillions(b *testing.B) {
	n, err := strconv.Atoi(os.Getenv("LACUNA_ROWS"))
	if err != nil {
		b.Skip("LACUNA_ROWS says not how many")
	}
	const dim, queries = 256, 32
	data := synthetic.Mix(n, queries, dim, 1)
	rows, asked := rowsOf(b, dim, data[:n*dim]), rowsOf(b, dim, data[n*dim:])
	begin := time.Now()
	x, at := NewIndex(rows), 0
	b.Logf("coded in %v", time.Since(begin).Round(time.Second))
	for b.Loop() {
		if _, err := x.NearestL2(asked.Row(at%queries), 10); err != nil {
			b.Fatal(err)
		}
		at++
	}
}
