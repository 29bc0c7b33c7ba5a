// Package lexical turns text into terms and finds texts by them with the textbook BM25.
//
// An index has three parts. The terms of every text, by number, are what scores are computed from.
// bluge keeps the postings of every term, in parts that are added to as texts come and go; it
// answers for the terms that few texts have. For the terms that many texts have there are bounds on
// what each can earn, by which a search leaves out most of them. Scores and order are those of plain
// scoring to the bit.
//
// This package is the only user of bluge. Begin with [Analyze], [Build] and [Open].
package lexical
