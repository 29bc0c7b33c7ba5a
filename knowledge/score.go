package knowledge

import (
	"strings"

	"lacuna/knowledge/dense"
	"lacuna/knowledge/lexical"
	"lacuna/knowledge/passage"
	"lacuna/vecmath"
)

// Signals say how near a text is to a query, each in 0..1 except Cosine, which is in -1..1.
type Signals struct {
	BM25   float64 // of what the query's terms could earn by BM25 at most
	Cosine float64 // of the encoder's vectors; 0 without an encoder
	MaxSim float64 // of the words; 0 without an encoder
	Title  float64 // share of the query's idf weight that the title and the headings hold
}

// BM25 returns the textbook score of a text for a query, both given by their terms.
func (s *Collection) BM25(query, text []string) float64 {
	return s.index.ScoreText(query, text, s.weights())
}

// Scorer compares one query with many texts, using a collection's statistics and encoder. It is not safe for
// concurrent use.
type Scorer struct {
	collection *Collection
	terms      []string
	weight     float64
	vector     []float32      // of the query; nil when there is no encoder, or it knows nothing of it
	matcher    *dense.Matcher // nil without an encoder
}

// Scorer returns a scorer for a query.
func (s *Collection) Scorer(query string) *Scorer {
	r := &Scorer{collection: s, terms: lexical.Terms(query)}
	r.weight = s.weight(r.terms)
	if s.encoder != nil {
		r.vector, _ = s.encoder.Encode(r.terms)
		r.matcher = s.encoder.Matcher(r.terms)
	}
	return r
}

// Passage scores a passage of the collection by its ordinal in the library.
func (r *Scorer) Passage(ordinal int, p *passage.Passage) Signals {
	signals := r.score(r.collection.Terms(ordinal), r.collection.Vector(ordinal))
	signals.Title = r.weightOf(lexical.Terms(strings.Join(append(p.Names(), p.Headings...), "\n")))
	return signals
}

// Text scores a text that is in no collection and has no title.
func (r *Scorer) Text(text string) Signals {
	terms := lexical.Terms(text)
	var vector []float32
	if r.vector != nil {
		vector, _ = r.collection.encoder.Encode(terms)
	}
	return r.score(terms, vector)
}

func (r *Scorer) score(terms []string, vector []float32) Signals {
	var signals Signals
	if r.weight > 0 {
		signals.BM25 = r.collection.index.ScoreText(r.terms, terms, r.collection.weights()) / r.weight
	}
	if r.vector != nil && vector != nil {
		signals.Cosine = float64(vecmath.Dot(r.vector, vector))
	}
	if r.matcher != nil {
		signals.MaxSim = r.matcher.MaxSim(terms)
	}
	return signals
}

// weightOf returns the fraction of the query's weight that some terms hold.
func (r *Scorer) weightOf(terms []string) float64 {
	if r.weight == 0 {
		return 0
	}
	among := make(map[string]bool, len(terms))
	for _, term := range terms {
		among[term] = true
	}
	held := 0.0
	for _, term := range r.terms {
		if among[term] {
			held += r.collection.IDF(term)
		}
	}
	return held / r.weight
}
