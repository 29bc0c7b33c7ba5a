package knowledge

import "lacuna/knowledge/passage"

// Retriever names the way passages are found.
type Retriever string

const (
	Hybrid Retriever = "hybrid" // BM25 and the encoder, mixed; the default
	BM25   Retriever = "bm25"
	Dense  Retriever = "dense"
)

// Share says how the places of a result are shared among sources.
type Share string

const (
	Merged   Share = "merged"   // one ranking over all sources; the default
	TwoWay   Share = "2way"     // half from passages, half from question-answer pairs; passages first
	Balanced Share = "balanced" // the same number from every source
)

// Query asks a library for passages.
type Query struct {
	Text      string
	K         int          // how many passages at most; 0 means 10
	Sources   []string     // names; empty means all
	Kind      passage.Kind // empty means both
	Retriever Retriever    // empty means Hybrid
	Share     Share        // empty means Merged
}

// Hit is a passage found, with the signals it was ranked by.
type Hit struct {
	Passage *passage.Passage
	Ordinal int     // of the passage in its library
	Rank    int     // from 1
	Score   float64 // what the list is ordered by; comparable within one result only
	// BM25 is the textbook score (without the factor k1+1), 0 if no term of the query occurs.
	BM25   float64
	Cosine float64 // of the encoder's vectors; 0 without an encoder
	MaxSim float64 // in 0..1; 0 without an encoder
	// Retriever is what produced the list: Hybrid falls back to BM25 until an encoder is trained.
	Retriever Retriever
}
