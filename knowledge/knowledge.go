// Package knowledge is what the user has: sources read, indexed and searchable.
//
// A [Library] is an immutable snapshot that requests work on; an [Index] keeps the files of the
// snapshots on disk and publishes a new Library whenever there is something better to search with.
package knowledge

import (
	"context"

	"lacuna/knowledge/dense"
	"lacuna/knowledge/ingest"
	"lacuna/knowledge/passage"
)

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

// Library is an immutable snapshot of everything the user's sources say. It is safe for
// concurrent use. Hold it as long as the work lasts; a newer one does not disturb it.
type Library struct{}

// Search returns the best passages for q, best first; at most q.K of them and none twice.
func (l *Library) Search(ctx context.Context, q Query) ([]Hit, error) { panic("not built yet") }

// Passage finds a passage by its identity.
func (l *Library) Passage(id passage.ID) (*passage.Passage, bool) { panic("not built yet") }

// Passages returns all passages; a passage's index is its ordinal. The slice must not be changed.
func (l *Library) Passages() []*passage.Passage { panic("not built yet") }

// Files says of every file of every source what became of it.
func (l *Library) Files() []ingest.FileReport { panic("not built yet") }

// Shelf returns the statistics and the encoder of one kind of passage, or nil if the library has
// none of that kind. The two kinds are indexed apart: running text by itself, stored pairs by
// their questions.
func (l *Library) Shelf(kind passage.Kind) *Shelf { panic("not built yet") }

// Blob returns what the companion of that name learnt about this library, or nil.
func (l *Library) Blob(name string) []byte { panic("not built yet") }

// Generation identifies the library's contents: equal generations give equal answers.
func (l *Library) Generation() string { panic("not built yet") }

// Status says what the library can do so far.
func (l *Library) Status() Status { panic("not built yet") }

// Status says what a library can do so far, in facts; words are the edge's business.
type Status struct {
	Passages, Pairs int
	Encoder         bool // hybrid search serves; otherwise BM25 alone does
	Calibrated      bool // every companion has been fitted to this base
	Building        bool // a refresh is under way
}

// Shelf is one kind of passage with its own statistics and encoder.
type Shelf struct{}

// N is the number of texts on the shelf.
func (s *Shelf) N() int { panic("not built yet") }

// DocFreq is the number of texts on the shelf in which the term occurs.
func (s *Shelf) DocFreq(term string) int { panic("not built yet") }

// IDF is ln(1 + (N - df + 0.5)/(df + 0.5)), the weight of BM25; a term the shelf does not know
// gets df 0.
func (s *Shelf) IDF(term string) float64 { panic("not built yet") }

// Encoder is nil until one has been trained, and on a shelf too small to train one.
func (s *Shelf) Encoder() *dense.Encoder { panic("not built yet") }

// Terms returns the analysed terms of a passage's indexed text. The slice must not be changed.
func (s *Shelf) Terms(ordinal int) []string { panic("not built yet") }

// Vector returns the unit vector of a passage, or nil without an encoder.
func (s *Shelf) Vector(ordinal int) []float32 { panic("not built yet") }

// NearestText returns the k passages of the shelf nearest to a unit vector by exact L2, nearest
// first.
func (s *Shelf) Nearest(vector []float32, k int) []Neighbor { panic("not built yet") }

// Neighbor is a passage and its cosine with a query.
type Neighbor struct {
	Ordinal int
	Cosine  float64
}

// Companion learns something about a finished library that is worth keeping beside it, such as the
// gap judge's calibration. Fit runs in the background and must be deterministic.
type Companion interface {
	Name() string // a file name without extension; changes when the learnt format changes
	Fit(ctx context.Context, library *Library) ([]byte, error)
}

// Options configure an index.
type Options struct {
	Sources []ingest.Source
	Dir     string // of the index; made with mode 0700
	// Companions are fitted in order after each build.
	Companions []Companion
	// Report receives progress and mishaps; it may be nil and is called from one goroutine.
	Report func(Event)
}

// Event is something that happened to an index.
type Event struct {
	Stage   Stage
	Percent int    // 0..100 within the stage
	Note    string // for Damaged: what was wrong
}

// Stage is a stage of a refresh, or a mishap.
type Stage string

const (
	Reading    Stage = "reading"
	Indexing   Stage = "indexing"
	Training   Stage = "training"
	Fitting    Stage = "fitting"
	Ready      Stage = "ready"
	Damaged    Stage = "damaged"    // the index on disk was unusable and is being rebuilt
	SearchOnly Stage = "searchonly" // another process writes this index
)

// Index keeps a library up to date on disk. One process writes, any number search.
type Index struct{}

// Open loads what the index folder holds, at once; it neither reads sources nor trains. An empty,
// outdated or damaged folder gives an empty library and no error.
func Open(o Options) (*Index, error) { panic("not built yet") }

// Library returns the newest snapshot; never nil.
func (x *Index) Library() *Library { panic("not built yet") }

// Refresh brings the index up to date with the sources: it reads what changed, indexes it, trains
// and fits, and publishes a library after each step that makes the search better. With nothing
// changed it encodes nothing. Where another process is the writer it waits for nothing and loads
// what that one has written.
func (x *Index) Refresh(ctx context.Context) error { panic("not built yet") }

// Subscribe calls f with each newly published library until the returned function is called.
func (x *Index) Subscribe(f func(*Library)) (cancel func()) { panic("not built yet") }

// Close stops background work and releases the folder.
func (x *Index) Close() error { panic("not built yet") }
