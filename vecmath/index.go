package vecmath

import (
	"fmt"
	"math"

	"lacuna/vecmath/mapped"
)

// Index finds the nearest of many rows exactly, and reads far fewer bytes than the rows have: codes
// of a byte a component, and above them, where it pays, a head of few components. It returns the
// rows and distances that [Rows.NearestL2Where] returns, to the last bit. It is immutable and safe
// for concurrent use.
type Index struct {
	rows   *Rows
	mean   []float32 // of all rows, subtracted before coding
	head   *head     // nil where none pays
	levels []*codes  // of the head, if there is one, and of the whole rows
	kernel *kernel
	coded  bool         // use codes even where they save nothing; for tests
	file   *mapped.File // of all that is above; nil when it is in ordinary memory
	idle   chan *search
}

// NewIndex codes rows, which it keeps; they must not be appended to any more. It uses all processors, and
// gives the same codes whatever their number.
func NewIndex(rows *Rows) *Index {
	mean := meanOf(rows)
	var h *head
	if size, vectors := chooseHead(rows, mean); size > 0 {
		h = newHead(vectors, size, rows.dim)
	}
	return newIndex(rows, mean, h)
}

// newIndex codes rows with a head or without.
func newIndex(rows *Rows, mean []float32, h *head) *Index {
	x := &Index{rows: rows, mean: mean, head: h, kernel: best, idle: make(chan *search, idleSearches)}
	if h != nil {
		x.levels = append(x.levels, newCodes(rows.Len(), h.size))
	}
	x.levels = append(x.levels, newCodes(rows.Len(), rows.dim))
	inParallel(rows.Len(), func(from, to int) {
		images := x.newImages()
		for row := from; row < to; row++ {
			x.project(images, rows.Row(row))
			for i, level := range x.levels {
				level.encode(row, &images.points[i])
			}
		}
	})
	return x
}

// Len returns the number of rows.
func (x *Index) Len() int { return x.rows.Len() }

// Dim returns the number of components of a row.
func (x *Index) Dim() int { return x.rows.dim }

// HeadDim returns the number of components of the head, 0 if none pays.
func (x *Index) HeadDim() int {
	if x.head == nil {
		return 0
	}
	return x.head.size
}

// Row returns a copy of a row.
func (x *Index) Row(row int) []float32 { return x.AppendRow(make([]float32, 0, x.Dim()), row) }

// AppendRow appends a row to a slice.
func (x *Index) AppendRow(to []float32, row int) []float32 {
	defer mapped.Release(x, mapped.Guard())
	return append(to, x.rows.Row(row)...)
}

// Dot returns the inner product of a row and a vector of its dimension.
func (x *Index) Dot(row int, vector []float32) float32 {
	defer mapped.Release(x, mapped.Guard())
	return Dot(x.rows.Row(row), vector)
}

// projections holds the points of a vector on all levels.
type projections struct {
	shifted []float64
	points  []point
}

func (x *Index) newImages() *projections {
	p := &projections{shifted: make([]float64, x.rows.dim)}
	if x.head != nil {
		p.points = append(p.points, point{coordinates: make([]float64, x.head.size)})
	}
	p.points = append(p.points, point{coordinates: p.shifted})
	return p
}

// project fills in the points of a vector: the head's, and the vector less the mean. The difference of
// each component has one rounding, so the latter is off by v times its length.
func (x *Index) project(p *projections, vector []float32) {
	square := 0.0
	for i, c := range vector {
		shifted := float64(c) - float64(x.mean[i])
		p.shifted[i] = shifted
		square += shifted * shifted
	}
	length := math.Sqrt(square)
	hopeless := !codable(length) || len(vector) > maxDim
	if x.head != nil && !hopeless {
		x.head.project(&p.points[0], p.shifted, length)
	}
	p.points[len(p.points)-1].inexact = 0x1p-52 * length
	for i := range p.points {
		p.points[i].uncodable = hopeless
	}
}

// meanOf returns the mean of rows; zero if it is beyond float32, which can happen to a mean of finite
// numbers only by rounding.
func meanOf(rows *Rows) []float32 {
	sum, mean := make([]float64, rows.dim), make([]float32, rows.dim)
	for row := range rows.Len() {
		for i, c := range rows.Row(row) {
			sum[i] += float64(c)
		}
	}
	for i, s := range sum {
		if m := float32(s / float64(max(1, rows.Len()))); !notFinite(m) {
			mean[i] = m
		}
	}
	return mean
}

// NearestL2 returns the k rows closest to q, nearest first; equal distances keep row order. It
// fails when q is no possible row.
func (x *Index) NearestL2(q []float32, k int) ([]Neighbor, error) {
	return x.AppendNearestL2(nil, q, k, nil)
}

// NearestL2Where is NearestL2 among the rows that keep accepts; a nil keep accepts all. It may ask
// keep about a row more than once, always in the calling goroutine.
func (x *Index) NearestL2Where(q []float32, k int, keep func(row int) bool) ([]Neighbor, error) {
	return x.AppendNearestL2(nil, q, k, keep)
}

// AppendNearestL2 is NearestL2Where that appends to a slice. It allocates nothing where there is
// room.
func (x *Index) AppendNearestL2(to []Neighbor, q []float32, k int, keep func(row int) bool) ([]Neighbor, error) {
	if err := x.rows.check(q); err != nil {
		return to, fmt.Errorf("query: %w", err)
	}
	s := x.begin()
	defer s.end()
	s.add(q, k, keep)
	if err := s.run(); err != nil {
		return to, err
	}
	return append(to, s.queries[0].nearest.sorted()...), nil
}

// NearestL2Batch returns what NearestL2 returns for each row of queries. It reads what queries
// share once for several of them, and is faster than asking one by one.
func (x *Index) NearestL2Batch(queries *Rows, k int) ([][]Neighbor, error) {
	if queries.dim != x.rows.dim {
		return nil, fmt.Errorf("query: %d components, want %d", queries.dim, x.rows.dim)
	}
	found := make([][]Neighbor, 0, queries.Len())
	s := x.begin()
	defer s.end()
	for len(found) < queries.Len() {
		s.queries = s.queries[:0]
		for range min(x.batch(), queries.Len()-len(found)) {
			s.add(queries.Row(len(found)+len(s.queries)), k, nil)
		}
		if err := s.run(); err != nil {
			return nil, err
		}
		for i := range s.queries {
			found = append(found, append([]Neighbor(nil), s.queries[i].nearest.sorted()...))
		}
	}
	return found, nil
}

// batch returns the number of queries searched together: enough that the codes are read seldom, few
// enough that the bounds of all fit into some megabytes.
func (x *Index) batch() int {
	const most, numbers = 32, 4 << 20
	return min(max(numbers/max(1, x.Len()), 8), most)
}
