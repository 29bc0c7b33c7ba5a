package eval

import (
	"math"
	"slices"
)

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
