package knowledge

import (
	"context"

	"lacuna/knowledge/ingest"
)

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
