package eval

import (
	"slices"
	"strings"
	"unicode"

	"lacuna/knowledge/lexical"
)

// Normalize prepares English text for comparison as the SQuAD metrics do: lower case, punctuation
// deleted (not replaced, so "beta-blocker" becomes one word), the articles a, an and the deleted,
// one space between words. Beyond SQuAD, all punctuation of Unicode is deleted, not only ASCII's.
func Normalize(text string) string { return strings.Join(Words(text), " ") }

// Words returns the words of the [Normalize]d text, in order.
func Words(text string) []string {
	bare := strings.Map(func(r rune) rune {
		if isPunctuation(r) {
			return -1
		}
		return unicode.ToLower(r)
	}, text)
	return slices.DeleteFunc(strings.Fields(bare), func(word string) bool {
		return word == "a" || word == "an" || word == "the"
	})
}

// isPunctuation reports ASCII punctuation (which includes $ + < = > ^ ` | ~) and what Unicode
// calls punctuation.
func isPunctuation(r rune) bool {
	return unicode.IsPunct(r) || r < unicode.MaxASCII && unicode.IsSymbol(r)
}

// Characters is the tokenisation for Chinese: each Han character is a token, each run of other
// letters or digits is one lower-cased token, and everything else is dropped. Articles stay. On
// text without Han characters it yields the lower-case runs of letters and digits.
func Characters(text string) []string { return lexical.Words(text) }

// Overlap is the agreement of two token lists.
type Overlap struct{ Precision, Recall, F1 float64 }

// overlap returns the overlap of a prediction and a reference of the given sizes with the given number of
// matching units. Two empty lists agree fully; one empty list agrees with nothing.
func overlap(matching, predicted, reference int) Overlap {
	if predicted == 0 && reference == 0 {
		return Overlap{1, 1, 1}
	}
	if matching == 0 {
		return Overlap{}
	}
	precision := float64(matching) / float64(predicted)
	recall := float64(matching) / float64(reference)
	return Overlap{precision, recall, 2 * precision * recall / (precision + recall)}
}

// ExactMatch reports whether the prediction equals a gold answer after [Normalize].
func ExactMatch(prediction string, golds []string) bool {
	normal := Normalize(prediction)
	return slices.ContainsFunc(golds, func(gold string) bool { return Normalize(gold) == normal })
}

// CoverMatch reports whether the words of a gold answer stand in the prediction one after the
// other. A gold answer without words covers nothing.
func CoverMatch(prediction string, golds []string) bool { return covers(prediction, golds, Words) }

// Mentions is [CoverMatch] over [Characters]: "PD L1" mentions "PD-L1", which
// suits names as texts write them, and Chinese.
func Mentions(prediction string, golds []string) bool { return covers(prediction, golds, Characters) }

func covers(prediction string, golds []string, tokens func(string) []string) bool {
	words := tokens(prediction)
	return slices.ContainsFunc(golds, func(gold string) bool { return contains(words, tokens(gold)) })
}

func contains(words, run []string) bool {
	if len(run) == 0 {
		return false
	}
	for start := 0; start+len(run) <= len(words); start++ {
		if slices.Equal(words[start:start+len(run)], run) {
			return true
		}
	}
	return false
}

// WordOverlap returns the bag-of-words overlap, with multiplicity, of the prediction and the gold answer with
// the greatest F1; of equal ones the first. Without gold answers it is zero.
func WordOverlap(prediction string, golds []string) Overlap {
	words := Words(prediction)
	var best Overlap
	for _, gold := range golds {
		if o := ROUGE(words, Words(gold), 1); o.F1 > best.F1 {
			best = o
		}
	}
	return best
}

// ROUGE is the overlap of the n-grams of two token lists, with multiplicity: ROUGE-n of Lin (2004)
// without stemming. A list shorter than n has no n-grams. n must be positive.
func ROUGE(prediction, reference []string, n int) Overlap {
	counts := grams(reference, n)
	total := max(0, len(reference)-n+1)
	matching := 0
	for gram, times := range grams(prediction, n) {
		matching += min(times, counts[gram])
	}
	return overlap(matching, max(0, len(prediction)-n+1), total)
}

func grams(tokens []string, n int) map[string]int {
	counts := make(map[string]int)
	for start := 0; start+n <= len(tokens); start++ {
		counts[strings.Join(tokens[start:start+n], "\x00")]++
	}
	return counts
}

// ROUGEL is the overlap by the longest common subsequence of two token lists: ROUGE-L of Lin
// (2004) with beta 1, the whole text taken as one sequence.
func ROUGEL(prediction, reference []string) Overlap {
	return overlap(lexical.CommonSubsequence(prediction, reference), len(prediction), len(reference))
}
