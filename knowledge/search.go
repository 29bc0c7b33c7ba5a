package knowledge

import (
	"context"

	"lacuna/knowledge/entity"
	"lacuna/knowledge/lexical"
	"lacuna/knowledge/passage"
	"lacuna/vecmath/mapped"
)

// Retriever names the way passages are found.
type Retriever string

const (
	Hybrid Retriever = "hybrid" // BM25 and the encoder, mixed; the default
	BM25   Retriever = "bm25"
	Dense  Retriever = "dense"
)

// Query asks a library for passages.
type Query struct {
	Text       string
	K          int          // how many passages at most; 0 means 10
	Sources    []string     // names; empty means all
	Kind       passage.Kind // empty means both
	Retriever  Retriever    // empty means Hybrid
	Allocation Allocation   // empty means Merged
	// Verbatim searches for the words as they stand; otherwise a mixed search mends slips of spelling
	// and passes over words that are not what a question is about. For those who judge whether a word
	// is there.
	Verbatim bool
	// Terms are searched for in place of those of Text, as they stand; empty means those of Text. What a
	// query names is told by its Text all the same.
	Terms []string
	// Remote lets the endpoint of [Options] encode the query where it has encoded the passages, which
	// sends the text there. Only what a person chose to do may ask for it. Where the endpoint fails,
	// the embedded encoder serves.
	Remote bool
}

// defaultK is how many passages a query without a number asks for.
const defaultK = 10

// Hit is a passage found, with the signals it was ranked by.
type Hit struct {
	Passage *passage.Passage
	Ordinal int // of the passage in its library
	Rank    int // from 1
	// Score is what a merged list is ordered by; comparable within one result only, across both
	// kinds of passage. It is negative where no term of the query occurs in any passage of the kind.
	Score float64
	// BM25 is the textbook score of the query as written (without the factor k1+1), 0 if no term of it
	// occurs.
	BM25   float64
	Cosine float64 // of the encoder's vectors; 0 without an encoder
	MaxSim float64 // in 0..1; 0 without an encoder and where it was not needed for the order
	// Retriever is what produced the hit: Hybrid falls back to BM25 until an encoder is trained,
	// and to Dense where no term of the query occurs, which says that knowledge is missing.
	Retriever Retriever
	// Remote says that the query's vector came from the endpoint of [Options]. Where the query asked for
	// that and no hit has it, the endpoint failed or has not encoded the passages.
	Remote bool
	// Subject is what the query names, the same for all hits of one search and kind; nil where the search
	// was asked for one retriever.
	Subject *entity.Subject
}

// Search returns the best passages for q, best first; at most q.K of them, and of a text that
// stands at several places the best ones alone, after [Deduplicator]. When
// ctx ends it returns its error.
func (l *Library) Search(ctx context.Context, q Query) (hits []Hit, err error) {
	defer mapped.Release(nil, mapped.Guard())
	defer func() { err = l.on.survived(recover(), err) }()
	if l.searching != nil {
		l.searching.Add(1)
		defer l.searching.Add(-1)
	}
	if q.K <= 0 {
		q.K = defaultK
	}
	q.K = min(q.K, len(l.passages))
	s := search{library: l, query: q, written: q.Terms}
	if len(q.Terms) == 0 {
		s.written = lexical.Terms(q.Text)
	}
	s.askEndpoint(ctx)
	hits, err = s.share(ctx)
	if err != nil {
		return nil, err
	}
	for i := range hits {
		hits[i].Rank = i + 1
	}
	return hits, nil
}

// search is one query on its way.
type search struct {
	library *Library
	query   Query
	written []string  // terms of the query as it stands
	foreign []float32 // the query's vector from an endpoint; nil without one
}

// shelves are those that the query asks for.
func (s *search) shelves() []*Collection {
	if s.query.Kind == "" {
		return s.library.shelves
	}
	if shelf := s.library.Collection(s.query.Kind); shelf != nil {
		return []*Collection{shelf}
	}
	return nil
}
