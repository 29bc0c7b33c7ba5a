package knowledge

import (
	"context"
	"encoding/binary"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"lacuna/knowledge/cache"
	"lacuna/knowledge/dense"
	"lacuna/knowledge/lexical"
	"lacuna/knowledge/lexicon"
	"lacuna/knowledge/passage"
	"lacuna/knowledge/vocabulary"
	"lacuna/vecmath"
	"lacuna/vecmath/mapped"
)

// Collection holds the passages of one kind with their own statistics and encoder. Ordinals are the
// library's. It is immutable and safe for concurrent use.
type Collection struct {
	kind     passage.Kind
	index    *lexical.Index
	ordinals []int             // of the library, ascending, by place on the collection
	encoder  *dense.Encoder    // nil until trained; what follows comes with it
	vectors  *vecmath.Index    // of the texts, by place
	rows     dense.Translation // from the index's term numbers to the encoder's
	remote   *remoteVectors    // vectors of the texts from an endpoint; nil while there are none
	hidden   *hidden           // what [Library.Without] leaves out; nil for nothing
	excerpt  *excerpt          // nil of a whole library
	words    *lexicon.Vocabulary
	cache    *searchCache
}

// searchCache remember what a collection was searched for lately.
type searchCache struct {
	ranked  cache.Recent[rankingKey, ranking]
	nearest cache.Recent[string, []vecmath.Neighbor] // by vector
	// wordings are by terms. A search, a reader and a judge of one question ask for the same.
	wordings cache.Recent[string, *lexicon.Wording]
}

// rankingKey tells searches of one collection apart.
type rankingKey struct {
	retriever      Retriever
	verbatim       bool // without kin
	depth          int
	text           string
	sources, terms string
}

// candidate is a text of the collection, retrieved, with its signals.
type candidate struct {
	place                int
	bm25, cosine, maxSim float64
	window               float64
	remoteCosine         float64 // cosine of the endpoint's vectors
	score                float64
}

// ranking lists texts of a collection, best first. Searches share it, so it must not be changed.
type ranking struct {
	list []candidate
	by   Retriever
}

// Neighbor pairs a passage with its cosine to a query.
type Neighbor struct {
	Ordinal int
	Cosine  float64
}

// How deep both retrievers are asked. Measured: more changes nothing.
const (
	candidates = 200 // from each retriever
	reordered  = 100 // of the candidates, by their words and parts
)

// parameters returns the BM25 parameters for kind. Both are well known, Anserini's for running text and
// Lucene's for stored questions. Measured, nDCG@10: on PubMed abstracts .763 against .728 the other way
// round (400 questions; on SciFact and BioASQ they are equal); on MedQuAD's questions .561 against .536 (28
// questions; .374 against .319 when the body of a letter is the query).
func parameters(kind passage.Kind) lexical.Parameters {
	if kind == passage.QA {
		return lexical.Parameters{K1: 1.2, B: 0.75}
	}
	return lexical.Parameters{K1: 0.9, B: 0.4}
}

// ordinalsOf returns the ordinals of the passages of one kind, ascending: the passage at place i of
// the collection is the i-th of them.
func ordinalsOf(passages []*passage.Passage, kind passage.Kind) []int {
	ordinals := make([]int, 0, len(passages))
	for ordinal, p := range passages {
		if p.Kind == kind {
			ordinals = append(ordinals, ordinal)
		}
	}
	return ordinals
}

// newCollection joins the passages of one kind with the index of their texts.
func newCollection(kind passage.Kind, passages []*passage.Passage, ordinals []int, index *lexical.Index) (*Collection, error) {
	if index.N() != len(ordinals) {
		return nil, fmt.Errorf("index of %d texts for %d passages of kind %s", index.N(), len(ordinals), kind)
	}
	words := lexicon.NewVocabulary(index.Vocabulary(), func() lexicon.Names { return namesIn(passages, ordinals) })
	return &Collection{kind: kind, index: index, ordinals: ordinals, words: words, cache: new(searchCache)}, nil
}

// namesIn returns what the passages with some ordinals say is the same.
func namesIn(passages []*passage.Passage, ordinals []int) lexicon.Names {
	texts := func(yield func(string) bool) {
		for _, ordinal := range ordinals {
			if !yield(passages[ordinal].Text) {
				return
			}
		}
	}
	aliases := func(yield func([]string) bool) {
		last := ""
		for _, ordinal := range ordinals {
			p := passages[ordinal]
			if len(p.Also) == 0 || p.Title == "" || p.Title == last {
				continue
			}
			last = p.Title
			if !yield(append([]string{p.Title}, p.Also...)) {
				return
			}
		}
	}
	return lexicon.NewNames(texts, aliases)
}

// openIndex opens the lexical index in a collection's folder.
func openIndex(dir string, kind passage.Kind) (*lexical.Index, error) {
	index, err := lexical.Open(filepath.Join(dir, lexicalName))
	if err != nil {
		return nil, err
	}
	if index.Parameters() != parameters(kind) {
		return nil, fmt.Errorf("%w, with %+v", lexical.ErrOtherVersion, index.Parameters())
	}
	return index, nil
}

// withEncoder returns the collection withEncoder an encoder and its vectors of the collection's texts, by place.
func (s *Collection) withEncoder(encoder *dense.Encoder, vectors *vecmath.Index) *Collection {
	better := *s
	better.encoder, better.vectors, better.cache = encoder, vectors, new(searchCache)
	better.rows = encoder.Translate(s.index.Vocabulary())
	return &better
}

// place returns the place of a passage on the collection, if it stands there.
func (s *Collection) place(ordinal int) (int, bool) { return slices.BinarySearch(s.ordinals, ordinal) }

// N returns the number of texts in the collection.
func (s *Collection) N() int { return s.index.N() - s.hidden.texts() }

// DocFreq returns the number of texts that contain term.
func (s *Collection) DocFreq(term string) int { return s.index.DocFreq(term) - s.hidden.with(term) }

// IDF returns ln(1 + (N - df + 0.5)/(df + 0.5)), the BM25 weight; an unknown term has df 0.
func (s *Collection) IDF(term string) float64 { return lexical.IDF(s.N(), s.DocFreq(term)) }

// Vocabulary returns every term of the texts. The slice must not be changed.
func (s *Collection) Vocabulary() []string { return s.index.Vocabulary() }

// Wording returns the words of a question, given by its terms in order, with their kin in the collection: the
// one place that says which words of the base mean what a person asks in words of their own.
func (s *Collection) Wording(terms []string) *lexicon.Wording {
	wording, _ := s.cache.wordings.Get(context.Background(), strings.Join(terms, "\x00"), func() (*lexicon.Wording, error) {
		w := lexicon.NewWording(terms, s, s.words)
		w.AddSlips(s, s.similar)
		return w, nil
	})
	return wording
}

// similar returns the term that another one is a slip of, and how many slips of the keyboard lie between. A word
// that everybody knows is meant even if an ending is lost; names are like one another.
func (s *Collection) similar(term string) (other string, slips int) {
	other, slips = s.index.Similar(term)
	if slips > 1 && max(vocabulary.English(other), vocabulary.German(other)) >= vocabulary.Known {
		slips = 1
	}
	return other, slips
}

// Encoder returns nil until an encoder has been trained, and for a collection too small to train one.
func (s *Collection) Encoder() *dense.Encoder { return s.encoder }

// Terms returns the analysed terms of a passage's indexed text, or nil if the passage is not on
// this collection.
func (s *Collection) Terms(ordinal int) []string {
	place, ok := s.place(ordinal)
	if !ok {
		return nil
	}
	return s.index.Terms(place)
}

// Vector returns the unit vector of a passage. It is nil without an encoder, for a passage that is
// not on this collection, and for one of whose terms the encoder knows none. It is a copy.
func (s *Collection) Vector(ordinal int) []float32 {
	place, ok := s.place(ordinal)
	if !ok || s.vectors == nil {
		return nil
	}
	vector := s.vectors.Row(place)
	if isZero(vector) {
		return nil
	}
	return vector
}

func isZero(vector []float32) bool {
	return !slices.ContainsFunc(vector, func(x float32) bool { return x != 0 })
}

// Nearest returns the k passages of the collection nearest to a unit vector by exact L2, nearest
// first; none without an encoder, or when the vector is not one of its vectors.
func (s *Collection) Nearest(vector []float32, k int) []Neighbor {
	if s.vectors == nil {
		return nil
	}
	s.want(Want{Vector: vector, Depth: k})
	nearest, ok := s.cache.nearest.LookUp(nearestKey(vector, candidates))
	if ok && k <= candidates {
		nearest = nearest[:min(k, len(nearest))] // the nearest of more are the same
	} else {
		var err error
		if nearest, err = s.vectors.NearestL2Where(vector, k, s.visible(nil)); err != nil {
			return nil
		}
	}
	neighbors := make([]Neighbor, len(nearest))
	for i, n := range nearest {
		neighbors[i] = Neighbor{Ordinal: s.ordinals[n.Row], Cosine: cosine(n.Distance)}
	}
	return neighbors
}

// nearest returns the k places of the collection nearest to a unit vector, nearest first. The list must
// not be changed.
func (s *Collection) nearest(ctx context.Context, vector []float32, k int) ([]vecmath.Neighbor, error) {
	return s.cache.nearest.Get(ctx, nearestKey(vector, k), func() ([]vecmath.Neighbor, error) {
		return s.vectors.NearestL2Where(vector, k, s.visible(nil))
	})
}

// nearestKey tells searches for the k nearest to a vector apart.
func nearestKey(vector []float32, k int) string {
	return string(binary.LittleEndian.AppendUint64(mapped.Bytes(vector)[:4*len(vector):4*len(vector)], uint64(k)))
}

// cosine of two unit vectors at a distance.
func cosine(distance float32) float64 {
	return 1 - float64(distance)*float64(distance)/2
}

// hidden lists texts of a collection that searches leave out.
type hidden struct {
	places map[int]bool
	terms  map[string]int // in how many of them a term occurs
	before *hidden        // those that were hidden before; nil if none were
	count  int            // of them all
}

// without returns the collection without the passages of some ordinals, or the collection itself where it has
// none of them.
func (s *Collection) without(ordinals []int) *Collection {
	h := &hidden{places: make(map[int]bool), terms: make(map[string]int), before: s.hidden}
	for _, ordinal := range ordinals {
		place, here := s.place(ordinal)
		if !here || h.has(place) {
			continue
		}
		h.places[place] = true
		seen := make(map[string]bool)
		for _, term := range s.index.Terms(place) {
			if !seen[term] {
				seen[term] = true
				h.terms[term]++
			}
		}
	}
	if len(h.places) == 0 {
		return s
	}
	h.count = len(h.places) + h.before.texts()
	fewer := *s
	fewer.hidden, fewer.cache = h, new(searchCache)
	return &fewer
}

// has reports whether a place is hidden. It is false for nil.
func (h *hidden) has(place int) bool {
	for ; h != nil; h = h.before {
		if h.places[place] {
			return true
		}
	}
	return false
}

// texts returns the number of hidden texts; 0 for nil.
func (h *hidden) texts() int {
	if h == nil {
		return 0
	}
	return h.count
}

func (h *hidden) with(term string) int {
	n := 0
	for ; h != nil; h = h.before {
		n += h.terms[term]
	}
	return n
}

// visible accepts the places that are not hidden and that keep accepts; nil is all.
func (s *Collection) visible(keep func(place int) bool) func(place int) bool {
	switch {
	case s.hidden == nil:
		return keep
	case keep == nil:
		return func(place int) bool { return !s.hidden.has(place) }
	}
	return func(place int) bool { return !s.hidden.has(place) && keep(place) }
}

// weights returns how searches weigh terms, or nil for the index's own counts.
func (s *Collection) weights() lexical.Weights {
	if s.hidden == nil {
		return nil
	}
	return s.IDF
}
