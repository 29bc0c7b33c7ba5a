// Package lexical turns text into terms and finds texts by them with the textbook BM25. It is the
// only user of bluge.
package lexical

// Token is an analysed term and the bytes of the text it came from.
type Token struct {
	Term       string
	Start, End int // bytes of the analysed text, half-open
}

// Analyze cuts text into terms: lower case, possessive off, 33 English stop words out, Porter
// stems; a run of Han characters becomes overlapping bigrams (a lone one stays a unigram).
// The index, the encoder, the reader and the judge all use these terms.
func Analyze(text string) []Token { panic("not built yet") }

// Terms returns the terms of [Analyze] without their places.
func Terms(text string) []string { panic("not built yet") }
