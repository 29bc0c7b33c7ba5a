// Package projection lays points of many dimensions out in a plane so that near ones stay near: t-SNE (van der Maaten and
// Hinton 2008), computed exactly over all pairs.
//
// Begin with [TSNE]. A picture persuades more than it shows, so [Agreement] says in a number how far points with the same
// label lie together.
package projection

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"lacuna/knowledge/par"
)

// Options of a projection. Zero values stand for the usual ones.
type Options struct {
	Perplexity float64 // how many neighbours a point has, roughly; 30
	Iterations int     // 1000
	Seed       uint64
}

// Measures of the descent as van der Maaten's own program has them. The learning rate grows with the number of points
// (Belkina et al. 2019).
const (
	perplexity       = 30
	iterations       = 1000
	exaggeration     = 12  // of the affinities at first, so that clusters form before they spread
	exaggerated      = 250 // iterations
	earlyMomentum    = .5
	lateMomentum     = .8
	leastLearning    = 50
	leastGain        = .01
	spread           = 1e-4 // of the first positions
	leastProbability = 1e-12
)

// TSNE returns a place in the plane for each point. All points have the same number of dimensions. Equal points and
// options give equal places on one machine, whatever the number of processors. Time and memory grow with the square of
// the number of points: a thousand take a few seconds.
func TSNE(ctx context.Context, points [][]float32, o Options) ([][2]float64, error) {
	n := len(points)
	if n == 0 {
		return nil, nil
	}
	for i, p := range points {
		if len(p) != len(points[0]) {
			return nil, fmt.Errorf("point %d has %d dimensions, the first %d", i, len(p), len(points[0]))
		}
		for _, x := range p {
			if math.IsNaN(float64(x)) || math.IsInf(float64(x), 0) {
				return nil, fmt.Errorf("point %d is not finite", i)
			}
		}
	}
	if o.Perplexity == 0 {
		o.Perplexity = perplexity
	}
	if o.Iterations == 0 {
		o.Iterations = iterations
	}
	o.Perplexity = min(o.Perplexity, float64(n-1)/3) // few points have few neighbours
	places := make([][2]float64, n)
	random := rand.New(rand.NewPCG(o.Seed, 0x75e))
	for i := range places {
		places[i] = [2]float64{spread * random.NormFloat64(), spread * random.NormFloat64()}
	}
	if n < 3 {
		return places, nil
	}
	d := descent{affinities: affinities(points, o.Perplexity), places: places, steps: make([][2]float64, n), gains: make([][2]float64, n), rate: max(float64(n)/exaggeration, leastLearning)}
	for i := range d.gains {
		d.gains[i] = [2]float64{1, 1}
	}
	for iteration := range o.Iterations {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if iteration < exaggerated {
			d.step(exaggeration, earlyMomentum)
		} else {
			d.step(1, lateMomentum)
		}
	}
	return places, nil
}

// squares returns the squared distances of a point to all.
func squares(points [][]float32, i int) []float64 {
	row := make([]float64, len(points))
	for j, p := range points {
		sum := 0.0
		for k, x := range points[i] {
			d := float64(x) - float64(p[k])
			sum += d * d
		}
		row[j] = sum
	}
	return row
}

// affinities returns the joint probabilities p of all pairs: the mean of both conditional ones, over the number of points.
func affinities(points [][]float32, perplexity float64) [][]float64 {
	n := len(points)
	conditional := make([][]float64, n)
	par.Each(n, func(i int) { conditional[i] = neighbours(squares(points, i), i, perplexity) })
	joint := make([][]float64, n)
	par.Each(n, func(i int) {
		joint[i] = make([]float64, n)
		for j := range joint[i] {
			if i != j {
				joint[i][j] = max((conditional[i][j]+conditional[j][i])/(2*float64(n)), leastProbability)
			}
		}
	})
	return joint
}

// neighbours returns the conditional probabilities of a point's neighbours, a Gaussian of their squared distances that is
// as wide as the perplexity wants: 2 to the power of its entropy in bits.
func neighbours(squared []float64, self int, perplexity float64) []float64 {
	const tolerance, attempts = 1e-5, 100
	nearest := math.Inf(1)
	for j, d := range squared {
		if j != self {
			nearest = min(nearest, d)
		}
	}
	p := make([]float64, len(squared))
	precision, low, high := 1.0, 0.0, math.Inf(1)
	for range attempts {
		sum, weighted := 0.0, 0.0
		for j, d := range squared {
			if p[j] = 0; j != self {
				p[j] = math.Exp(-precision * (d - nearest)) // less the nearest, so that it cannot all vanish
				sum += p[j]
				weighted += p[j] * (d - nearest)
			}
		}
		for j := range p {
			p[j] /= sum
		}
		off := math.Log(sum) + precision*weighted/sum - math.Log(perplexity)
		switch {
		case math.Abs(off) < tolerance:
			return p
		case off > 0: // too wide
			low = precision
			if precision *= 2; !math.IsInf(high, 1) {
				precision = (low + high) / 2
			}
		default:
			high = precision
			precision = (low + high) / 2
		}
		if math.IsInf(precision, 1) {
			return p // points at one place: no precision tells them apart
		}
	}
	return p
}

// descent is gradient descent with momentum, and with a gain for each coordinate that grows while its direction lasts.
type descent struct {
	affinities [][]float64
	places     [][2]float64
	steps      [][2]float64
	gains      [][2]float64
	rate       float64
}

func (d *descent) step(exaggeration, momentum float64) {
	slopes := gradient(d.affinities, d.places, exaggeration)
	var centre [2]float64
	for i := range d.places {
		for k := range 2 {
			if slopes[i][k] > 0 == (d.steps[i][k] > 0) {
				d.gains[i][k] = max(d.gains[i][k]*.8, leastGain)
			} else {
				d.gains[i][k] += .2
			}
			d.steps[i][k] = momentum*d.steps[i][k] - d.rate*d.gains[i][k]*slopes[i][k]
			d.places[i][k] += d.steps[i][k]
			centre[k] += d.places[i][k] / float64(len(d.places))
		}
	}
	for i := range d.places {
		d.places[i][0] -= centre[0]
		d.places[i][1] -= centre[1]
	}
}

// gradient returns the slope of the Kullback–Leibler divergence at each place. Sums are taken row by row in one order, so
// that the number of processors changes nothing.
func gradient(affinities [][]float64, places [][2]float64, exaggeration float64) [][2]float64 {
	n := len(places)
	sums := make([]float64, n)
	attraction, repulsion := make([][2]float64, n), make([][2]float64, n)
	par.Each(n, func(i int) {
		here := places[i]
		for j, there := range places {
			if i == j {
				continue
			}
			dx, dy := here[0]-there[0], here[1]-there[1]
			q := 1 / (1 + dx*dx + dy*dy)
			sums[i] += q
			pull, push := exaggeration*affinities[i][j]*q, q*q
			attraction[i][0] += pull * dx
			attraction[i][1] += pull * dy
			repulsion[i][0] += push * dx
			repulsion[i][1] += push * dy
		}
	})
	all := 0.0
	for _, sum := range sums {
		all += sum
	}
	slopes := make([][2]float64, n)
	for i := range slopes {
		for k := range 2 {
			slopes[i][k] = 4 * (attraction[i][k] - repulsion[i][k]/all)
		}
	}
	return slopes
}
