// Package knowledge is what the user has: sources read, indexed and searchable.
//
// A [Library] is an immutable snapshot that requests work on; an [Index] keeps the files of the
// snapshots on disk and publishes a new Library whenever there is something better to search with.
package knowledge

import (
	"context"

	"lacuna/knowledge/ingest"
	"lacuna/knowledge/passage"
)

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
