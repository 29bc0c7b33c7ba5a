package knowledge

import (
	"slices"
	"strings"
	"unicode/utf8"

	"lacuna/knowledge/entity"
	"lacuna/knowledge/lexical"
	"lacuna/knowledge/lexicon"
	"lacuna/knowledge/passage"
)

// Retriever names the way passages are found.
type Retriever string

const (
	Hybrid Retriever = "hybrid" // BM25 and the encoder, mixed; the default
	BM25   Retriever = "bm25"
	Dense  Retriever = "dense"
)

// Allocation says how the places of a result are divided among sources.
type Allocation string

const (
	Merged   Allocation = "merged"   // one ranking over all sources; the default
	TwoWay   Allocation = "2way"     // half from passages, half from question-answer pairs; passages first
	Balanced Allocation = "balanced" // the same number from every source, in turn
)

// Query asks a library for passages.
type Query struct {
	Text       string
	K          int          // the number of passages at most; 0 means 10
	Sources    []string     // names; empty means all
	Kind       passage.Kind // empty means both
	Retriever  Retriever    // empty means Hybrid
	Allocation Allocation   // empty means Merged
	// Verbatim searches for the words as they stand. Otherwise a mixed search corrects spelling and skips
	// words that are not what the question is about. It is for callers that judge whether a word occurs.
	Verbatim bool
	// Terms, if not empty, are searched for instead of the terms of Text, as they stand. What the query
	// names is still taken from Text.
	Terms []string
	// Remote lets the remote encoder of [Options] encode the query if it has encoded the passages, which
	// sends the text there. Set it only for what the user chose to do. If the endpoint fails, the built-in
	// encoder serves.
	Remote bool
}

// defaultK is the number of passages for a query that names none.
const defaultK = 10

// Hit is a passage found, with its signals.
type Hit struct {
	Passage *passage.Passage
	Ordinal int // of the passage in its library
	Rank    int // from 1
	// Score orders a merged list; it compares within one result only, across both kinds of passage. It is
	// negative if no term of the query occurs in any passage of the kind.
	Score float64
	// BM25 is the textbook score of the query as written (without the factor k1+1), 0 if none of its terms
	// occurs.
	BM25   float64
	Cosine float64 // of the encoder's vectors; 0 without an encoder
	MaxSim float64 // in 0..1; 0 without an encoder and where it was not needed for the order
	// Retriever is what produced the hit: Hybrid falls back to BM25 until an encoder is trained, and to
	// Dense if no term of the query occurs, which says that knowledge is missing.
	Retriever Retriever
	// Remote says that the query's vector came from the remote encoder. If the query asked for that and no
	// hit has it, the endpoint failed or has not encoded the passages.
	Remote bool
	// Subject is what the query names, the same for all hits of one search and kind; nil if the search asked
	// for a single retriever.
	Subject *entity.Subject
}

// search is the state of one query.
type search struct {
	library      *Library
	query        Query
	verbatim     []string  // terms of the query as it stands
	remoteVector []float32 // the query's vector from an endpoint; nil without one
}

// collections returns the collections that the query concerns.
func (s *search) collections() []*Collection {
	if s.query.Kind == "" {
		return s.library.collections
	}
	if collection := s.library.Collection(s.query.Kind); collection != nil {
		return []*Collection{collection}
	}
	return nil
}

// terms returns the terms that a collection is searched by.
//
// Running text is searched by what a question is about, without the words of asking. Measured, nDCG@10 of
// the mixed search with them and without: BioASQ .824 and .833, PubMedQA .799 and .799, Huatuo .341 and
// .357, SciFact, which has claims, .733 both ways. Stored questions are searched by all words, since "what
// is" and "who gets" tell them apart (LiveQA's summaries: .599, without .565), unless the user wrote a
// letter around the question (the letters themselves: .448, without .465).
//
// No part of such a letter is left out: searched by their asking sentences alone they find less (.310, with
// the subject line .405). But a word counts at most twice, however often it occurs (.474 and .487), and a
// word unknown to the base is replaced by a known one that is spelt alike (.448 and .483; BioASQ's questions
// with a slip in their rarest word: .555 and .793).
func (s *search) terms(collection *Collection) []string {
	if s.query.Verbatim || len(s.query.Terms) > 0 || s.query.Retriever == BM25 || s.query.Retriever == Dense {
		return s.verbatim
	}
	text := s.query.Text
	tokens := lexical.Analyze
	if collection.kind == passage.Text || IsLetter(text) {
		tokens = lexical.Content
	}
	var terms []string
	count := make(map[string]int)
	for _, term := range s.library.Spelled(collection, text, tokens(text)) {
		if count[term]++; count[term] <= maxCount {
			terms = append(terms, term)
		}
	}
	return terms
}

// Spelled returns the terms of the tokens of a text in order. A word that the library does not know, neither
// itself nor as kin in the collection, is replaced by the word of the collection that is spelt alike, if there
// is one: search and those who compare questions with what it found correct slips of the keyboard in one way.
func (l *Library) Spelled(collection *Collection, text string, tokens []lexical.Token) []string {
	wording := collection.Wording(termsOf(tokens))
	terms := make([]string, len(tokens))
	for i, token := range tokens {
		terms[i] = token.Term
		if meant, ok := wording.Word(token.Term).Slip(); ok && !l.knows(token.Term) && !isAbbreviation(text[token.Start:token.End]) {
			terms[i] = meant
		}
	}
	return terms
}

func termsOf(tokens []lexical.Token) []string {
	terms := make([]string, len(tokens))
	for i, token := range tokens {
		terms[i] = token.Term
	}
	return terms
}

// maxCount bounds how often a word of a query counts.
const maxCount = 2

// IsLetter reports whether a text has several sentences, like what people write around a question.
func IsLetter(text string) bool { return len(passage.Sentences(text, passage.Plain)) > 1 }

// isAbbreviation reports whether a word is short and in capitals, so that no other is spelt like it.
func isAbbreviation(word string) bool {
	const longest = 8
	return utf8.RuneCountInString(word) <= longest && word == strings.ToUpper(word)
}

// knows reports whether any collection has term.
func (l *Library) knows(term string) bool {
	for _, collection := range l.collections {
		if collection.DocFreq(term) > 0 {
			return true
		}
	}
	return false
}

// alternatives returns what may stand in a text in the place of a term, or nil for a search as the terms stand.
// Kin of a word that the collection lacks count whole; the more common a word is there, the less its kin.
// Measured, passage among the first five of 451 questions in users' words: 300; 298 with .8 of that, 299 with .6.
func (r *ranker) alternatives() func(term string) []lexical.Alternative {
	if r.wording == nil {
		return nil
	}
	unseen := lexical.IDF(r.collection.N(), 0)
	return func(term string) []lexical.Alternative {
		word := r.wording.Word(term)
		need := 1.0
		if word.Known {
			need = word.Weight / unseen
		}
		var ways []lexical.Alternative
		for _, kin := range word.Kin {
			// A text earns no more by kin than they weigh themselves.
			share := kin.Weight * need * min(1, r.collection.rarest(kin.Terms)/word.Weight)
			ways = append(ways, lexical.Alternative{Terms: kin.Terms, Share: share})
		}
		return ways
	}
}

// rarest returns the greatest weight of some terms.
func (s *Collection) rarest(terms []string) float64 {
	greatest := 0.0
	for _, term := range terms {
		greatest = max(greatest, s.IDF(term))
	}
	return greatest
}

// weights returns how the search weighs terms, or nil for the index's own counts.
func (r *ranker) weights() lexical.Weights {
	if r.wording == nil || !slices.ContainsFunc(r.wording.Words, func(w lexicon.Word) bool { return !w.Known && w.Meant() }) {
		return r.collection.weights()
	}
	return func(term string) float64 { return r.wording.Word(term).Weight }
}

// weight returns what the terms could earn in the collection at most. Scores are divided by it to compare with
// another collection's, which weighs the same words by other counts.
func (r *ranker) weight() float64 {
	if r.wording == nil {
		return r.collection.weight(r.terms)
	}
	weight := 0.0
	for _, term := range r.terms {
		weight += r.wording.Word(term).Weight
	}
	return weight
}

// meant returns the terms of the query for the encoder: a word that the collection lacks is replaced by its
// nearest kin.
func (r *ranker) meant() []string {
	if r.wording == nil {
		return r.terms
	}
	var meant []string
	for _, term := range r.terms {
		if word := r.wording.Word(term); !word.Known && len(word.Kin) > 0 {
			meant = append(meant, word.Kin[0].Terms...)
		} else {
			meant = append(meant, term)
		}
	}
	return meant
}
