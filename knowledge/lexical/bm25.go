package lexical

import "math"

// The parameters of BM25, recorded in every index.
const (
	k1 = 0.9 // how soon further occurrences of a term stop counting
	b  = 0.4 // how much long texts are held back
)

// IDF is the weight of a term found in df of n texts, ln(1 + (n - df + 0.5)/(df + 0.5)), as in
// Robertson & Zaragoza (2009) with Lucene's one added, so that it is never negative.
func IDF(n, df int) float64 {
	return math.Log1p((float64(n-df) + 0.5) / (float64(df) + 0.5))
}

// saturation is the share, in 0..1, of a term's weight that a text of this length earns by
// containing the term so many times. It lacks the usual factor k1+1, which would change no order;
// without it a score never exceeds the sum of the query's weights.
func saturation(frequency, length int, meanLength float64) float64 {
	tf := float64(frequency)
	return tf / (tf + k1*(1-b+b*float64(length)/meanLength))
}
