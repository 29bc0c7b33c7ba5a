package eval

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
)

// PairedTest is the two-sided probability that differences as large as these have the mean they have, or one farther from
// 0, if each could as well have had the other sign (Fisher's randomisation test, by rounds random signs; the same for the
// same seed). It is 1 of no differences.
func PairedTest(differences []float64, rounds int, seed uint64) float64 {
	sum := 0.0
	for _, d := range differences {
		sum += d
	}
	if len(differences) == 0 || sum == 0 {
		return 1
	}
	random := rand.New(rand.NewPCG(seed, ^seed))
	extreme := 1 // the observed signs are one of the ways
	const slack = 1e-12
	for range rounds {
		s := 0.0
		for at, bits := 0, uint64(0); at < len(differences); at, bits = at+1, bits>>1 {
			if at%64 == 0 {
				bits = random.Uint64()
			}
			if bits&1 == 0 {
				s += differences[at]
			} else {
				s -= differences[at]
			}
		}
		if math.Abs(s) >= math.Abs(sum)-slack {
			extreme++
		}
	}
	return float64(extreme) / float64(rounds+1)
}

// Wilson returns the 95 % interval of a share of n cases by Wilson's score. Unlike resamples it is honest for few cases: three
// of three are [0.44, 1].
func Wilson(share float64, n int) (low, high float64) {
	const z = 1.959964
	cases := float64(n)
	middle := (share + z*z/(2*cases)) / (1 + z*z/cases)
	half := z / (1 + z*z/cases) * math.Sqrt(share*(1-share)/cases+z*z/(4*cases*cases))
	low, high = middle-half, middle+half
	if share == 0 { // as by the formula, without what rounding leaves
		low = 0
	}
	if share == 1 {
		high = 1
	}
	return low, high
}

// Risk is a point of a coverage–risk curve.
type Risk struct {
	Coverage float64 // share of the questions that are answered
	Risk     float64 // share of wrong ones among them
}

// CoverageRisk returns the curve of a system that abstains where it is least sure (El-Yaniv and Wiener 2010): one point
// for each distinct score, by falling score, and the area below it, its mean risk over all coverages; 0 is best. True says
// that an answer is right. Equal scores are answered together.
func CoverageRisk(all []Prediction) (curve []Risk, area float64) {
	sorted := slices.Clone(all)
	slices.SortStableFunc(sorted, func(a, b Prediction) int { return cmp.Compare(b.Score, a.Score) })
	wrong := 0
	for i, p := range sorted {
		if !p.True {
			wrong++
		}
		if i+1 < len(sorted) && sorted[i+1].Score == p.Score {
			continue
		}
		r := Risk{float64(i+1) / float64(len(sorted)), float64(wrong) / float64(i+1)}
		before := 0.0
		if len(curve) > 0 {
			before = curve[len(curve)-1].Coverage
		}
		area += (r.Coverage - before) * r.Risk
		curve = append(curve, r)
	}
	return curve, area
}

// Brier is the mean squared distance of probabilities from what was true (Brier 1950), in 0..1; NaN of none.
func Brier(all []Prediction) float64 {
	sum := 0.0
	for _, p := range all {
		d := p.Score - one(p.True)
		sum += d * d
	}
	return sum / float64(len(all))
}
