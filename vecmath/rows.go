package vecmath

import (
	"fmt"
	"math"
	"slices"
)

// Rows is a matrix of row vectors of one dimension, searched exactly. Searching is safe for
// concurrent use once nothing is appended any more.
type Rows struct {
	dim  int
	data []float32
}

// NewRows returns a matrix without rows. The dimension must be positive.
func NewRows(dim int) *Rows {
	if dim <= 0 {
		panic("vecmath: dimension must be positive")
	}
	return &Rows{dim: dim}
}

// RowsOf returns a matrix of rows that follow one another in data, which it keeps. It refuses
// what [Rows.Append] would refuse.
func RowsOf(dim int, data []float32) (*Rows, error) {
	if dim <= 0 || len(data)%dim != 0 {
		return nil, fmt.Errorf("%d numbers are no rows of %d", len(data), dim)
	}
	if at := slices.IndexFunc(data, notFinite); at >= 0 {
		return nil, fmt.Errorf("row %d holds %v", at/dim, data[at])
	}
	return &Rows{dim, data}, nil
}

// Dim returns the number of components of a row.
func (r *Rows) Dim() int { return r.dim }

// Len returns the number of rows.
func (r *Rows) Len() int { return len(r.data) / r.dim }

// Row returns a row, first 0. The slice must not be changed.
func (r *Rows) Row(row int) []float32 { return r.data[row*r.dim : (row+1)*r.dim : (row+1)*r.dim] }

// Data returns all rows, concatenated. The slice must not be changed.
func (r *Rows) Data() []float32 { return r.data }

// Append adds a copy of v as the last row. It refuses another length than the matrix's dimension,
// and NaN and infinities, which would make every comparison a lottery.
func (r *Rows) Append(v []float32) error {
	if err := r.check(v); err != nil {
		return fmt.Errorf("row %d: %w", r.Len(), err)
	}
	r.data = append(r.data, v...)
	return nil
}

func (r *Rows) check(v []float32) error {
	if len(v) != r.dim {
		return fmt.Errorf("%d components, want %d", len(v), r.dim)
	}
	if at := slices.IndexFunc(v, notFinite); at >= 0 {
		return fmt.Errorf("component %d is %v", at, v[at])
	}
	return nil
}

func notFinite(x float32) bool {
	return math.IsNaN(float64(x)) || math.IsInf(float64(x), 0)
}

// NearestL2 returns the k rows closest to q, nearest first; equal distances keep row order. It
// compares with every row. It fails when q is no possible row.
func (r *Rows) NearestL2(q []float32, k int) ([]Neighbor, error) {
	return r.NearestL2Where(q, k, nil)
}

// NearestL2Where is NearestL2 among the rows that keep accepts; a nil keep accepts all.
func (r *Rows) NearestL2Where(q []float32, k int, keep func(row int) bool) ([]Neighbor, error) {
	if err := r.check(q); err != nil {
		return nil, fmt.Errorf("query: %w", err)
	}
	nearest := heap{room: k}
	for row := range r.Len() {
		if keep == nil || keep(row) {
			nearest.push(Neighbor{row, Distance(q, r.Row(row))})
		}
	}
	return nearest.sorted(), nil
}
