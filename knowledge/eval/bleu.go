package eval

import (
	"math"

	"lacuna/knowledge/vocabulary"
)

// ChineseWords is the second tokenisation for Chinese: words by the most probable segmentation, runs of other letters or
// digits in lower case, and no punctuation.
func ChineseWords(text string) []string {
	var tokens []string
	end := 0
	for _, word := range vocabulary.Segment(text) {
		tokens = append(append(tokens, Characters(text[end:word.Start])...), word.Text)
		end = word.End
	}
	return append(tokens, Characters(text[end:])...)
}

// Pair is a prediction with the reference answer that it is compared with, as tokens.
type Pair struct{ Prediction, Reference []string }

// maxBLEU is the length of the longest n-grams that BLEU compares.
const maxBLEU = 4

// BLEUCounts is what BLEU needs of some pairs; counts of several are added. The zero value is of none.
type BLEUCounts struct {
	matching, total      [maxBLEU]float64 // n-grams of predictions, by length less one
	predicted, reference int              // tokens
}

// BLEUCountsOf returns the counts of one pair.
func BLEUCountsOf(p Pair) BLEUCounts {
	c := BLEUCounts{predicted: len(p.Prediction), reference: len(p.Reference)}
	for k := range maxBLEU {
		c.matching[k], c.total[k] = clipped(p, k+1)
	}
	return c
}

// Plus returns the counts of both.
func (c BLEUCounts) Plus(o BLEUCounts) BLEUCounts {
	for k := range maxBLEU {
		c.matching[k], c.total[k] = c.matching[k]+o.matching[k], c.total[k]+o.total[k]
	}
	c.predicted, c.reference = c.predicted+o.predicted, c.reference+o.reference
	return c
}

// BLEU is BLEU-n of Papineni et al. (2002) over all pairs together, n from 1 to 4: the geometric mean of the clipped
// precisions of 1-grams to n-grams, with uniform weights, times the brevity penalty, without smoothing; in 0..1. One
// precision of 0 makes it 0.
func (c BLEUCounts) BLEU(n int) float64 {
	return bleu(c.matching[:n], c.total[:n], c.predicted, c.reference)
}

// SentenceBLEU is BLEU-n of one pair, with one added to the matching and to all n-grams of more than one token (Lin and
// Och 2004), so that an answer without a long match is not 0; in 0..1. An answer too short for an n-gram counts as one
// that does not match.
func SentenceBLEU(p Pair, n int) float64 {
	c := BLEUCountsOf(p)
	for k := 1; k < n; k++ {
		c.matching[k], c.total[k] = c.matching[k]+1, max(c.total[k], 1)+1
	}
	return c.BLEU(n)
}

// clipped counts the n-grams of a prediction, and those of them that the reference has as often.
func clipped(p Pair, n int) (matching, total float64) {
	counts := grams(p.Reference, n)
	for gram, times := range grams(p.Prediction, n) {
		matching += float64(min(times, counts[gram]))
	}
	return matching, float64(max(0, len(p.Prediction)-n+1))
}

func bleu(matching, total []float64, predicted, reference int) float64 {
	logs := 0.0
	for k := range matching {
		if matching[k] == 0 {
			return 0
		}
		logs += math.Log(matching[k]/total[k]) / float64(len(matching))
	}
	brevity := 0.0
	if predicted < reference {
		brevity = 1 - float64(reference)/float64(predicted)
	}
	return math.Exp(logs + brevity)
}

// Majority is the share of the most frequent letter among the right ones: what a system gets that always gives it. It is
// NaN of no letters.
func Majority(golds []string) float64 {
	count, most := map[string]int{}, 0
	for _, gold := range golds {
		count[gold]++
		most = max(most, count[gold])
	}
	return float64(most) / float64(len(golds))
}
