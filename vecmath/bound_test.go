package vecmath

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// exactDistances returns the distances of all rows from a query to hundreds of bits.
func exactDistances(rows *Rows, q []float32) []*big.Float {
	distances := make([]*big.Float, rows.Len())
	d := new(big.Float).SetPrec(400)
	for row := range distances {
		sum := new(big.Float).SetPrec(400)
		for i, x := range rows.Row(row) {
			d.Sub(big.NewFloat(float64(x)), big.NewFloat(float64(q[i])))
			sum.Add(sum, d.Mul(d, d))
		}
		distances[row] = sum.Sqrt(sum)
	}
	return distances
}

// cases are matrices that strain the bound, of rows of dim numbers.
func boundCases(random *rand.Rand, dim int) map[string][]float32 {
	const rows = 60
	cases := map[string][]float32{}
	add := func(name string, number func(row, at int) float64) {
		data := make([]float32, rows*dim)
		for i := range data {
			data[i] = float32(number(i/dim, i%dim))
		}
		cases[name] = data
	}
	add("normal", func(_, _ int) float64 { return random.NormFloat64() })
	add("far from the origin", func(_, _ int) float64 { return 1000 + random.NormFloat64() })
	add("one row again and again", func(_, at int) float64 { return math.Sin(float64(at)) })
	add("nearly one row", func(_, at int) float64 { return math.Sin(float64(at)) * (1 + 1e-7*random.NormFloat64()) })
	add("in a plane", func(row, at int) float64 {
		return float64(row%7)*math.Sin(float64(at)) + float64(row%5)*math.Cos(float64(at))
	})
	add("one component", func(row, at int) float64 { return map[bool]float64{true: float64(row)}[at == 0] })
	add("zeros", func(_, _ int) float64 { return 0 })
	add("of every size", func(row, _ int) float64 { return random.NormFloat64() * math.Exp2(float64(row*2-60)) })
	add("components of every size", func(_, at int) float64 { return random.NormFloat64() * math.Exp2(float64(at%40-20)) })
	add("tiny", func(_, _ int) float64 { return random.NormFloat64() * 1e-30 })
	add("denormal", func(_, _ int) float64 { return random.NormFloat64() * 1e-42 })
	add("huge", func(_, _ int) float64 { return random.NormFloat64() * 1e36 })
	add("the largest", func(_, _ int) float64 { return math.MaxFloat32 * float64(2*random.IntN(2)-1) })
	return cases
}

// TestBoundsHold compares every bound with the exact distance, on every level and kernel.
func TestBoundsHold(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 5))
	for _, dim := range []int{2, 7, 64, 100} {
		for name, data := range boundCases(random, dim) {
			rows := rowsOf(t, dim, data)
			const every = 17
			var exact [][]*big.Float
			for query := 0; query < rows.Len(); query += every {
				exact = append(exact, exactDistances(rows, rows.Row(query)))
			}
			onEveryPath(rows, []int{0, 1, dim / 2, dim}, func(path string, x *Index) {
				for i, distances := range exact {
					if message := brokenBound(x, rows.Row(i*every), distances); message != "" {
						t.Errorf("%s, dimension %d, %s, query %d: %s", name, dim, path, i*every, message)
					}
				}
			})
		}
	}
}

// withHead returns an index that uses its codes whatever they save, with a head of a size, or none.
func withHead(rows *Rows, size int) *Index {
	mean := meanOf(rows)
	var h *head
	if size > 0 && rows.Len() > 0 {
		h = newHead(principal(rows, mean, size), size, rows.dim)
	}
	x := newIndex(rows, mean, h)
	x.coded = true
	return x
}

// brokenBound describes a bound that is above the exact distance by more than bound.go allows, or
// a limit that would leave out a row not farther than the one it was made of.
func brokenBound(x *Index, q []float32, exact []*big.Float) string {
	images := x.newImages()
	x.project(images, q)
	if images.points[0].uncodable {
		return ""
	}
	for i, level := range x.levels {
		coded := query{digits: make([]int16, level.width)}
		coded.encode(&images.points[i])
		dots, bounds := make([]int32, len(level.groups)*groupRows), make([]float32, len(level.groups)*groupRows)
		x.kernel.dots(dots, level.bytes, coded.digits)
		x.kernel.bounds(bounds, dots, level.groups, &coded.terms)
		for row := range x.Len() {
			most := new(big.Float).Mul(exact[row], big.NewFloat((1+unit)*(1+unit)))
			if bound := big.NewFloat(float64(bounds[row])); bound.Cmp(most) > 0 {
				return fmt.Sprintf("level %d: bound %v of row %d, whose distance is %v", i, bound, row, exact[row])
			}
			computed := sqrt32(x.kernel.square(q, x.rows.Row(row)))
			if limit := limitOf(computed, x.Dim()); bounds[row] > limit {
				return fmt.Sprintf("level %d: bound %v of row %d is above the limit %v of its own distance", i, bounds[row], row, limit)
			}
		}
		for _, bound := range bounds[x.Len():] {
			if !math.IsInf(float64(bound), 1) {
				return fmt.Sprintf("level %d: bound %v of a row that only fills a group", i, bound)
			}
		}
	}
	return ""
}

// TestBoundsAreTight fails when a bound holds only because it says little.
func TestBoundsAreTight(t *testing.T) {
	random := rand.New(rand.NewPCG(6, 6))
	rows := rowsOf(t, 256, randomVector(random, 500*256))
	x := withHead(rows, 256)
	q := randomVector(random, 256)
	images := x.newImages()
	x.project(images, q)
	for i, level := range x.levels {
		coded := query{digits: make([]int16, level.width)}
		coded.encode(&images.points[i])
		dots, bounds := make([]int32, len(level.groups)*groupRows), make([]float32, len(level.groups)*groupRows)
		plainDots(dots, level.bytes, coded.digits)
		plainBounds(bounds, dots, level.groups, &coded.terms)
		for row := range x.Len() {
			if distance := Distance(q, rows.Row(row)); bounds[row] < 0.98*distance {
				t.Errorf("level %d: bound %v of row %d, whose distance is %v", i, bounds[row], row, distance)
			}
		}
	}
}

func TestHeadsAreOrthonormal(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 7))
	for name, data := range boundCases(random, 40) {
		rows := rowsOf(t, 40, data)
		for _, size := range []int{1, 17, 40} {
			h := newHead(principal(rows, meanOf(rows), size), size, 40)
			if !(h.skew < 1e-10) {
				t.Errorf("%s: a head of %d is skew by %v", name, size, h.skew)
			}
		}
	}
}
