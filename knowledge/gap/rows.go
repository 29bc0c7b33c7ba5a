package gap

import (
	"cmp"
	"slices"
)

// rows are unit vectors searched exactly.
type rows struct{ all [][]float32 }

type neighborRow struct {
	Row    int
	cosine float64
}

func (r *rows) Append(v []float32) error { r.all = append(r.all, v); return nil }

func (r *rows) NearestL2(q []float32, k int) ([]neighborRow, error) {
	near := make([]neighborRow, len(r.all))
	for i, v := range r.all {
		near[i] = neighborRow{i, dot(q, v)}
	}
	slices.SortFunc(near, func(a, b neighborRow) int {
		return cmp.Or(cmp.Compare(b.cosine, a.cosine), cmp.Compare(a.Row, b.Row))
	})
	return near[:min(k, len(near))], nil
}
