package eval

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
)

// Prediction is a yes-or-no prediction with the truth.
type Prediction struct {
	Score float64 // higher means more likely; a probability where a metric asks for one
	True  bool
}

// AUC is the area under the ROC curve: the chance that a true case scores higher than a false one,
// ties counting half (the Mann-Whitney statistic). It is NaN if one of the two kinds is absent or
// a score is NaN.
func AUC(all []Prediction) float64 {
	sorted := slices.Clone(all)
	slices.SortFunc(sorted, func(a, b Prediction) int { return cmp.Compare(a.Score, b.Score) })
	var trues, falses, wins float64
	for from := 0; from < len(sorted); {
		to := from
		var t, f float64
		for ; to < len(sorted) && sorted[to].Score == sorted[from].Score; to++ {
			if sorted[to].True {
				t++
			} else {
				f++
			}
		}
		if to == from { // a NaN equals nothing
			return math.NaN()
		}
		wins += t * (falses + f/2)
		trues, falses, from = trues+t, falses+f, to
	}
	return wins / (trues * falses)
}

// calibrationBins is the number of equal bins of [ECE].
const calibrationBins = 10

// ECE is the expected calibration error over ten bins of equal width: the mean, weighted by the
// cases in each bin, of the distance between the mean probability and the share that is true
// (Naeini et al. 2015). Scores must be probabilities; NaN and values outside 0..1 make it NaN, as
// does an empty list.
func ECE(all []Prediction) float64 {
	var count, sum, trues [calibrationBins]float64
	for _, j := range all {
		if !(j.Score >= 0 && j.Score <= 1) {
			return math.NaN()
		}
		bin := min(int(j.Score*calibrationBins), calibrationBins-1)
		count[bin]++
		sum[bin] += j.Score
		if j.True {
			trues[bin]++
		}
	}
	off := 0.0
	for bin := range count {
		off += math.Abs(sum[bin] - trues[bin])
	}
	return off / float64(len(all))
}

// CaughtAt is the largest share of the true cases that some threshold catches while it catches at
// most the share falseAlarms (0..1) of the false ones. It is NaN if one of the two kinds is
// absent.
func CaughtAt(all []Prediction, falseAlarms float64) float64 {
	sorted := slices.Clone(all)
	slices.SortFunc(sorted, func(a, b Prediction) int { return cmp.Compare(b.Score, a.Score) })
	falses := 0.0
	for _, j := range sorted {
		if !j.True {
			falses++
		}
	}
	trues := float64(len(sorted)) - falses
	if trues == 0 || falses == 0 {
		return math.NaN()
	}
	best, caught, alarms := 0.0, 0.0, 0.0
	for i, j := range sorted {
		if j.True {
			caught++
		} else {
			alarms++
		}
		if alarms > falseAlarms*falses {
			break
		}
		if last := i == len(sorted)-1; last || sorted[i+1].Score != j.Score {
			best = caught
		}
	}
	return best / trues
}

// Bootstrap is the central 95 % percentile interval of a metric over rounds resamples of the cases
// (Efron 1979), the same for the same seed. Resamples on which the metric is NaN are left out; if
// nothing is left both ends are NaN.
func Bootstrap[T any](cases []T, metric func([]T) float64, rounds int, seed uint64) (low, high float64) {
	random := rand.New(rand.NewPCG(seed, seed))
	sample := make([]T, len(cases))
	values := make([]float64, 0, rounds)
	for range rounds {
		for i := range sample {
			sample[i] = cases[random.IntN(len(cases))]
		}
		if v := metric(sample); !math.IsNaN(v) {
			values = append(values, v)
		}
	}
	if len(values) == 0 {
		return math.NaN(), math.NaN()
	}
	slices.Sort(values)
	last := float64(len(values) - 1)
	return values[int(math.Round(0.025*last))], values[int(math.Round(0.975*last))]
}

// NDCG is the normalised discounted cumulative gain of the first k of a ranking of documents, in
// 0..1: the sum of grade/log2(rank+1), ranks from 1, over that of the best possible ranking
// (Järvelin & Kekäläinen 2002, with the grade itself as gain, as trec_eval has it). Documents
// without a grade, and grades below 1, gain nothing; a document ranked twice gains once. It is 0
// for a question without relevant documents: leave such questions out.
func NDCG(ranked []string, grades map[string]int, k int) float64 {
	gain := 0.0
	for i, grade := range gainsOf(ranked, grades, k) {
		gain += float64(grade) / math.Log2(float64(i+2))
	}
	ideal := 0.0
	for i, grade := range relevant(grades) {
		if i == k {
			break
		}
		ideal += float64(grade) / math.Log2(float64(i+2))
	}
	return ratio(gain, ideal)
}

// Recall is the share, in 0..1, of the relevant documents (grade 1 or more) that are among the
// first k of a ranking. It is 0 for a question without relevant documents.
func Recall(ranked []string, grades map[string]int, k int) float64 {
	found := 0
	for _, grade := range gainsOf(ranked, grades, k) {
		if grade > 0 {
			found++
		}
	}
	return ratio(float64(found), float64(len(relevant(grades))))
}

// ReciprocalRank is 1/rank of the first relevant document, or 0 if none is among the first k. Its
// mean over questions is the MRR@k.
func ReciprocalRank(ranked []string, grades map[string]int, k int) float64 {
	for i, id := range ranked[:max(0, min(k, len(ranked)))] {
		if grades[id] > 0 {
			return 1 / float64(i+1)
		}
	}
	return 0
}

// gainsOf returns the grades of the first k documents in order, 0 for one that came before.
func gainsOf(ranked []string, grades map[string]int, k int) []int {
	seen := make(map[string]bool)
	var gains []int
	for _, id := range ranked[:max(0, min(k, len(ranked)))] {
		grade := 0
		if !seen[id] {
			grade = max(0, grades[id])
		}
		seen[id] = true
		gains = append(gains, grade)
	}
	return gains
}

// relevant returns the grades of the relevant documents, highest first.
func relevant(grades map[string]int) []int {
	var list []int
	for _, grade := range grades {
		if grade > 0 {
			list = append(list, grade)
		}
	}
	slices.Sort(list)
	slices.Reverse(list)
	return list
}

func ratio(part, whole float64) float64 {
	if whole == 0 {
		return 0
	}
	return part / whole
}
