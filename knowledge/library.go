// Package knowledge is what the user has: sources read, indexed and searchable.
//
// A [Library] is an immutable snapshot that requests work on; an [Index] keeps the files of the
// snapshots on disk and publishes a new Library whenever there is something better to search with.
package knowledge

import (
	"slices"
	"sync"
	"sync/atomic"

	"lacuna/knowledge/ingest"
	"lacuna/knowledge/passage"
)

// Library is an immutable snapshot of everything the user's sources say. It is safe for
// concurrent use. Hold it as long as the work lasts; a newer one does not disturb it. The zero
// Library is empty.
type Library struct {
	searching *atomic.Int32 // counts the searches under way in all libraries of an index; nil without one
	contents
	byID func() *passage.Places // ordinals by identity, of several the first; nil of the zero Library
}

// contents are what a library is made of.
type contents struct {
	passages   []*passage.Passage
	shelves    []*Shelf // at most one of each kind; their ordinals are those of passages
	files      []ingest.FileReport
	blobs      map[string][]byte
	generation string
	on         *generation // whose files it reads; nil without any
	status     Status      // Passages, Pairs and Encoder are filled in by newLibrary
}

// newLibrary makes a library of its contents, which must not be changed afterwards.
func newLibrary(c contents) *Library {
	l := &Library{contents: c}
	l.byID = sync.OnceValue(func() *passage.Places { return firstPlaces(c.passages) })
	l.status.Passages, l.status.Pairs = 0, 0
	for _, p := range c.passages {
		if p.Kind == passage.QA {
			l.status.Pairs++
		} else {
			l.status.Passages++
		}
	}
	l.status.Encoder = slices.ContainsFunc(c.shelves, func(s *Shelf) bool { return s.encoder != nil })
	return l
}

// firstPlaces finds passages by identity, of several the first.
func firstPlaces(passages []*passage.Passage) *passage.Places {
	places := passage.NewPlaces(len(passages), func(ordinal int) passage.ID { return passages[ordinal].ID })
	for ordinal, p := range passages {
		if _, known := places.First(p.ID); !known {
			places.Add(ordinal)
		}
	}
	return places
}

// Unread returns the library of sources that nobody has read yet: empty, with more to come.
func Unread() *Library { return newLibrary(contents{status: Status{Building: true}}) }

// Passage finds a passage by its identity; of several with one text the first.
func (l *Library) Passage(id passage.ID) (*passage.Passage, bool) {
	if l.byID == nil {
		return nil, false
	}
	ordinal, ok := l.byID().First(id)
	if !ok {
		return nil, false
	}
	return l.passages[ordinal], true
}

// Passages returns all passages; a passage's index is its ordinal. The slice must not be changed.
func (l *Library) Passages() []*passage.Passage { return l.passages }

// Files says of every file of every source what became of it.
func (l *Library) Files() []ingest.FileReport { return l.files }

// Shelf returns the statistics and the encoder of one kind of passage, or nil if the library has
// none of that kind. The two kinds are indexed apart: running text by itself, stored pairs by
// their questions.
func (l *Library) Shelf(kind passage.Kind) *Shelf {
	for _, s := range l.shelves {
		if s.kind == kind {
			return s
		}
	}
	return nil
}

// Blob returns what the companion of that name learnt about this library, or nil.
func (l *Library) Blob(name string) []byte { return l.blobs[name] }

// Generation identifies the library's contents: equal generations give equal answers.
func (l *Library) Generation() string { return l.generation }

// Status says what the library can do so far.
func (l *Library) Status() Status { return l.status }

// Status says what a library can do so far, in facts; words are the edge's business.
type Status struct {
	Passages, Pairs int
	Encoder         bool // hybrid search serves; otherwise BM25 alone does
	Calibrated      bool // every companion has been fitted to this base
	Building        bool // a refresh is under way
}
