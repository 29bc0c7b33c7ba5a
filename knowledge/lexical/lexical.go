// Package lexical turns text into terms and finds texts by them with the textbook BM25. It is the
// only user of bluge, which keeps the postings; the scores are computed here.
//
// Begin with [Analyze], [Build] and [Open].
package lexical
