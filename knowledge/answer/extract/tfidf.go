package extract

import (
	"cmp"
	"math"
	"slices"

	"lacuna/knowledge/lexical"
)

// Central returns the index of the text with the largest sum of Dice coefficients with the others, over
// words; of equal ones the first.
func Central(texts []string) int {
	vocabulary := make(vocabulary)
	words := make([]wording, len(texts))
	for i, text := range texts {
		words[i] = vocabulary.wordingOf(lexical.Words(text))
	}
	best, most := 0, -1.0
	for i := range words {
		agreement := 0.0
		for j := range words {
			if i != j {
				agreement += dice(words[i].single, words[j].single)
			}
		}
		if agreement > most {
			best, most = i, agreement
		}
	}
	return best
}

// vector is a sparse unit vector over terms, ordered by term.
type vector []component

type component struct {
	term  int
	value float64
}

// vocabulary numbers the terms of one reading in the order in which they are met.
type vocabulary map[string]int

func (v vocabulary) number(term string) int {
	number, known := v[term]
	if !known {
		number = len(v)
		v[term] = number
	}
	return number
}

// weigh returns the unit vector of a bag of terms with the weights that the encoder gives its input, idf *
// tf/(tf+1). An empty bag has an empty vector.
func (v vocabulary) weigh(base statistics, terms []string) vector {
	counts := make(map[int]float64, len(terms))
	idf := make(map[int]float64, len(terms))
	for _, term := range terms {
		number := v.number(term)
		if counts[number]++; counts[number] == 1 {
			idf[number] = base.IDF(term)
		}
	}
	weights := make(vector, 0, len(counts))
	for number, tf := range counts {
		weights = append(weights, component{number, idf[number] * tf / (tf + 1)})
	}
	weights.sort()
	weights.normalize()
	return weights
}

// sort orders the components by term. It must come before any sum: the order of a map would change the
// last bits of a sum, and with them ties.
func (v vector) sort() {
	slices.SortFunc(v, func(a, b component) int { return cmp.Compare(a.term, b.term) })
}

func (v vector) normalize() {
	length := math.Sqrt(v.dot(v))
	for i := range v {
		v[i].value /= length
	}
}

// dot returns the cosine of two unit vectors.
func (v vector) dot(w vector) float64 {
	sum := 0.0
	for i, j := 0, 0; i < len(v) && j < len(w); {
		switch {
		case v[i].term < w[j].term:
			i++
		case v[i].term > w[j].term:
			j++
		default:
			sum += v[i].value * w[j].value
			i++
			j++
		}
	}
	return sum
}

// wording holds the plain words of a sentence, numbered, in the forms in which they are compared.
type wording struct {
	words  []uint32 // in order
	single []uint32 // sorted
	pairs  []uint64 // of neighbours, sorted
}

// wordingOf numbers the words of a sentence.
func (v vocabulary) wordingOf(words []string) wording {
	w := wording{words: make([]uint32, len(words))}
	for i, word := range words {
		w.words[i] = uint32(v.number(word))
		if i > 0 {
			w.pairs = append(w.pairs, uint64(w.words[i-1])<<32|uint64(w.words[i]))
		}
	}
	w.single = slices.Sorted(slices.Values(w.words))
	slices.Sort(w.pairs)
	return w
}

// minSharedWords is the Dice coefficient of single words up to which two sentences agree in nothing: word
// pairs they share are chance, and most pairs of sentences need no more work.
const minSharedWords = .1

// agreement compares the wordings of two sentences: pairs is the Dice coefficient of their word pairs,
// sequence twice the longest common subsequence over both lengths.
func agreement(a, b wording) (pairs, sequence float64) {
	if dice(a.single, b.single) <= minSharedWords {
		return 0, 0
	}
	common := lexical.CommonSubsequence(a.words, b.words)
	return dice(a.pairs, b.pairs), 2 * float64(common) / float64(len(a.words)+len(b.words))
}

// dice returns the Dice coefficient of two sorted multisets; two empty ones share nothing.
func dice[T cmp.Ordered](a, b []T) float64 {
	if len(a)+len(b) == 0 {
		return 0
	}
	shared := 0
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch {
		case a[i] < b[j]:
			i++
		case a[i] > b[j]:
			j++
		default:
			shared++
			i++
			j++
		}
	}
	return 2 * float64(shared) / float64(len(a)+len(b))
}
