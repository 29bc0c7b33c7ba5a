package projection

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func near(t *testing.T, name string, got, want, within float64) {
	t.Helper()
	if !(math.Abs(got-want) <= within) {
		t.Errorf("%s is %v, want %v", name, got, want)
	}
}

// TestNeighbours: at perplexity p the probabilities have the entropy log p; of two neighbours at squared distances 1 and 4
// the odds are then exp(3 precision).
func TestNeighbours(t *testing.T) {
	p := neighbours([]float64{0, 1, 4}, 0, 1.5)
	near(t, "own probability", p[0], 0, 0)
	near(t, "sum", p[1]+p[2], 1, 1e-12)
	near(t, "entropy", -p[1]*math.Log(p[1])-p[2]*math.Log(p[2]), math.Log(1.5), 1e-4)
	if p[1] <= p[2] {
		t.Errorf("the nearer of two is less probable: %v", p)
	}
	equal := neighbours([]float64{9, 0, 9, 9}, 1, 3) // three at one distance
	for _, i := range []int{0, 2, 3} {
		near(t, "one of three", equal[i], 1./3, 1e-9)
	}
	for _, p := range neighbours([]float64{0, 0, 0, 0}, 0, 1) { // nothing tells them apart
		if math.IsNaN(p) {
			t.Error("points at one place have no probability")
		}
	}
}

// TestAffinities of an equilateral triangle: each of the six ordered pairs has a sixth.
func TestAffinities(t *testing.T) {
	joint := affinities([][]float32{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, 2)
	for i, row := range joint {
		for j, p := range row {
			want := 1. / 6
			if i == j {
				want = 0
			}
			near(t, "affinity", p, want, 1e-9)
		}
	}
}

// divergence is the cost that gradient must be the slope of.
func divergence(p [][]float64, y [][2]float64) float64 {
	q := func(i, j int) float64 {
		dx, dy := y[i][0]-y[j][0], y[i][1]-y[j][1]
		return 1 / (1 + dx*dx + dy*dy)
	}
	all, sum := 0.0, 0.0
	for i := range y {
		for j := range y {
			if i != j {
				all += q(i, j)
			}
		}
	}
	for i := range y {
		for j := range y {
			if i != j {
				sum += p[i][j] * math.Log(p[i][j]/(q(i, j)/all))
			}
		}
	}
	return sum
}

func TestGradientIsTheSlopeOfTheDivergence(t *testing.T) {
	points, _ := clusters(12)
	p := affinities(points, 3)
	random := rand.New(rand.NewPCG(1, 2))
	y := make([][2]float64, len(points))
	for i := range y {
		y[i] = [2]float64{random.NormFloat64(), random.NormFloat64()}
	}
	slopes := gradient(p, y, 1)
	const h = 1e-5
	for i := range y {
		for k := range 2 {
			at := y[i][k]
			y[i][k] = at + h
			up := divergence(p, y)
			y[i][k] = at - h
			down := divergence(p, y)
			y[i][k] = at
			near(t, "slope", slopes[i][k], (up-down)/(2*h), 1e-6)
		}
	}
}

// clusters returns points around three corners of a cube of ten dimensions, with their corner as label.
func clusters(n int) (points [][]float32, labels []string) {
	random := rand.New(rand.NewPCG(3, 4))
	for i := range n {
		p := make([]float32, 10)
		for k := range p {
			p[k] = float32(.1 * random.NormFloat64())
		}
		p[i%3] += 2
		points, labels = append(points, p), append(labels, string(rune('a'+i%3)))
	}
	return points, labels
}

func TestClustersStayApart(t *testing.T) {
	points, labels := clusters(90)
	places, err := TSNE(t.Context(), points, Options{Perplexity: 10, Iterations: 400, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	plane := make([][]float32, len(places))
	for i, p := range places {
		plane[i] = []float32{float32(p[0]), float32(p[1])}
	}
	if a := Agree(plane, labels, 5, 1); a.Share < .99 || a.N != 90 {
		t.Errorf("neighbours in the plane agree for %.2f", a.Share)
	}
	again, err := TSNE(t.Context(), points, Options{Perplexity: 10, Iterations: 400, Seed: 1})
	if err != nil || !slices.Equal(places, again) {
		t.Errorf("other places the second time, %v", err)
	}
	other, _ := TSNE(t.Context(), points, Options{Perplexity: 10, Iterations: 400, Seed: 2})
	if slices.Equal(places, other) {
		t.Error("the seed changes nothing")
	}
}

func TestOddInput(t *testing.T) {
	for name, points := range map[string][][]float32{
		"none": nil, "one": {{1, 2}}, "two": {{1}, {2}}, "three": {{1}, {2}, {4}}, "alike": {{1}, {1}, {1}, {1}, {1}}, "no dimension": {{}, {}, {}},
		"far": {{1e18}, {-1e18}, {0}, {1}},
	} {
		places, err := TSNE(t.Context(), points, Options{Iterations: 60})
		if err != nil || len(places) != len(points) {
			t.Errorf("%s: %v, %v", name, places, err)
		}
		for _, p := range places {
			if math.IsNaN(p[0]+p[1]) || math.IsInf(p[0]+p[1], 0) {
				t.Errorf("%s: %v", name, places)
			}
		}
	}
	for name, points := range map[string][][]float32{"uneven": {{1, 2}, {1}}, "not a number": {{1}, {float32(math.NaN())}}} {
		if _, err := TSNE(t.Context(), points, Options{}); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	ended, end := context.WithCancel(t.Context())
	end()
	points, _ := clusters(9)
	if _, err := TSNE(ended, points, Options{}); err == nil {
		t.Error("an ended context ends nothing")
	}
}

// TestAgreement: on a line at 0 1 10 11 with one neighbour each, all pairs agree but the last.
func TestAgreement(t *testing.T) {
	line := [][]float32{{0}, {1}, {10}, {11}}
	a := Agree(line, []string{"x", "x", "y", "y"}, 1, 1)
	near(t, "share", a.Share, 1, 1e-12)
	near(t, "chance", a.Chance, 4./12, 1e-12)
	near(t, "two of three neighbours differ", Agree(line, []string{"x", "x", "y", "y"}, 3, 1).Share, 1./3, 1e-12)
	near(t, "half", Agree(line, []string{"x", "x", "y", "z"}, 1, 1).Share, .5, 1e-12)
	// Of the 6 ways to deal x x y y to the line, only x x y y and y y x x agree in all neighbours.
	near(t, "p", a.P, 2./6, .02)
	if one := Agree(line[:1], []string{"x"}, 1, 1); !math.IsNaN(one.Share) || one.N != 1 {
		t.Errorf("%+v", one)
	}
}
