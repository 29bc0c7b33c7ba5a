// Package synthetic makes vectors for measurements and tests. They stand in for text encoders' vectors,
// which they resemble only in the properties stated here.
package synthetic

import (
	"math"
	"math/rand/v2"
)

// Mix returns rows vectors of dim numbers followed by queries more from the same clusters: 2,000
// clusters, or as many as rows where those are fewer, around a common mean, all turned at random. The
// spectrum decays: in the eigenvectors' order the variance of the clusters' centres, and of the vectors
// around them, is in proportion to 1/i. Vectors have unit length.
func Mix(rows, queries, dim int, seed uint64) []float32 {
	random := rand.New(rand.NewPCG(seed, 1))
	deviation := make([]float64, dim)
	for i := range deviation {
		deviation[i] = 1 / math.Sqrt(float64(i+1))
	}
	const clusters = 2000
	centres := make([]float64, clusters*dim)
	for i := range centres {
		centres[i] = random.NormFloat64() * deviation[i%dim]
	}
	turn := newTurn(random, dim)
	data := make([]float32, 0, (rows+queries)*dim)
	vector := make([]float64, dim)
	for range rows + queries {
		centre := centres[random.IntN(clusters)*dim:][:dim]
		for i := range vector {
			vector[i] = centre[i] + 0.7*random.NormFloat64()*deviation[i]
		}
		vector[0] += 2 // the common mean
		turn.apply(vector)
		data = appendUnit(data, vector)
	}
	return data
}

// Gaussian returns vectors of independent normal numbers: the worst case, in which no direction
// has more energy than another.
func Gaussian(rows, dim int, seed uint64) []float32 {
	random := rand.New(rand.NewPCG(seed, 2))
	data := make([]float32, rows*dim)
	for i := range data {
		data[i] = float32(random.NormFloat64())
	}
	return data
}

func appendUnit(data []float32, vector []float64) []float32 {
	square := 0.0
	for _, x := range vector {
		square += x * x
	}
	for _, x := range vector {
		data = append(data, float32(x/math.Sqrt(square)))
	}
	return data
}

// turn is a rotation that takes little time: in each round every coordinate is turned with another.
type turn struct {
	order    [rounds][]int
	sin, cos [rounds][]float64
}

const rounds = 16

func newTurn(random *rand.Rand, dim int) *turn {
	t := &turn{}
	for i := range rounds {
		t.order[i] = random.Perm(dim)
		t.sin[i], t.cos[i] = make([]float64, dim/2), make([]float64, dim/2)
		for j := range t.sin[i] {
			t.sin[i][j], t.cos[i][j] = math.Sincos(2 * math.Pi * random.Float64())
		}
	}
	return t
}

func (t *turn) apply(v []float64) {
	for i := range rounds {
		for j, sin := range t.sin[i] {
			a, b, cos := t.order[i][2*j], t.order[i][2*j+1], t.cos[i][j]
			v[a], v[b] = cos*v[a]-sin*v[b], sin*v[a]+cos*v[b]
		}
	}
}
