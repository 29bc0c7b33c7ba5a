package knowledge

import (
	"context"
	"os"
	"slices"
	"sync"
	"time"

	"lacuna/knowledge/passage"
	"lacuna/vecmath"
)

// RemoteEncoder is an encoder behind an endpoint, which may serve instead of the built-in one. It is safe
// for concurrent use.
type RemoteEncoder interface {
	// Name says what makes the vectors, model and all. Vectors of other names are not compared.
	Name() string
	// Passages returns a vector of each text for being found, in order and all of one length.
	Passages(ctx context.Context, texts []string) ([][]float32, error)
	// Query returns the vector of a text for finding with it.
	Query(ctx context.Context, text string) ([]float32, error)
}

// Measures of how an endpoint is asked for the vectors of queries.
const (
	queryPatience    = 3 * time.Second  // that a search waits for a vector
	queryRest        = 30 * time.Second // that it does without one after waiting in vain
	maxCachedQueries = 256
)

// queryEncoder asks an endpoint for the vectors of queries and caches them. After a failure it rests, and
// searches do without.
type queryEncoder struct {
	embedder RemoteEncoder

	mu     sync.Mutex
	cached map[string][]float32 // guarded by mu
	broken time.Time            // guarded by mu; until when the endpoint is not asked
}

func newQueries(e RemoteEncoder) *queryEncoder {
	if e == nil {
		return nil
	}
	return &queryEncoder{embedder: e, cached: map[string][]float32{}}
}

// vector returns the unit vector of a query, or nil.
func (q *queryEncoder) vector(ctx context.Context, text string) []float32 {
	if vector, resting := q.lookUp(text); vector != nil || resting {
		return vector
	}
	asking, cancel := context.WithTimeout(ctx, queryPatience)
	defer cancel()
	vector, err := q.embedder.Query(asking, text)
	unit := unitOf(vector)
	q.mu.Lock()
	defer q.mu.Unlock()
	switch {
	case ctx.Err() != nil:
		return nil
	case err != nil || unit == nil:
		q.broken = time.Now().Add(queryRest)
		return nil
	}
	if len(q.cached) >= maxCachedQueries {
		clear(q.cached)
	}
	q.cached[text] = unit
	return unit
}

func (q *queryEncoder) lookUp(text string) (vector []float32, resting bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.cached[text], time.Now().Before(q.broken)
}

// unitOf returns a vector scaled to length 1, or nil for one without a direction.
func unitOf(vector []float32) []float32 {
	unit := slices.Clone(vector)
	length := vecmath.Norm(unit)
	if !(length > 0) {
		return nil
	}
	vecmath.Scale(unit, 1/length)
	return unit
}

// sendable returns the text of a passage that may be sent to an endpoint, or "" for a private passage.
func sendable(p *passage.Passage) string {
	if p.Private {
		return ""
	}
	return p.Indexed()
}

// remoteVectors holds the vectors a remote encoder computed for a collection's texts. It is immutable.
type remoteVectors struct {
	vectors *vecmath.Index
	queries *queryEncoder // encodes what is compared with them
	file    os.FileInfo   // that holds them
	// rows maps places to rows and places maps rows to places, with -1 for none, if the collection's texts
	// differ from those that were encoded, as after an edit. Otherwise both are nil.
	rows, places []int
}

// carryTo returns the vectors for other texts. found gives the place here of each, or -1.
func (f *remoteVectors) carryTo(found []int) *remoteVectors {
	next := &remoteVectors{vectors: f.vectors, queries: f.queries, file: f.file, rows: make([]int, len(found)), places: make([]int, f.vectors.Len())}
	for row := range next.places {
		next.places[row] = -1
	}
	for place, before := range found {
		next.rows[place] = f.row(before)
		if row := next.rows[place]; row >= 0 {
			next.places[row] = place
		}
	}
	return next
}

// matches reports whether the vectors are for exactly the texts that file was written for.
func (f *remoteVectors) matches(file os.FileInfo) bool {
	return f.rows == nil && os.SameFile(f.file, file) && f.file.ModTime().Equal(file.ModTime())
}

// row returns the row of a place, or -1.
func (f *remoteVectors) row(place int) int {
	if f.rows == nil || place < 0 {
		return place
	}
	return f.rows[place]
}

func (f *remoteVectors) place(row int) int {
	if f.places == nil {
		return row
	}
	return f.places[row]
}

// nearest returns the k places nearest to a unit vector that keep accepts, nearest first.
func (f *remoteVectors) nearest(vector []float32, k int, keep func(place int) bool) ([]int, error) {
	neighbors, err := f.vectors.NearestL2Where(vector, k, func(row int) bool {
		place := f.place(row)
		return place >= 0 && keep(place)
	})
	if err != nil {
		return nil, err
	}
	places := make([]int, len(neighbors))
	for i, n := range neighbors {
		places[i] = f.place(n.Row)
	}
	return places, nil
}

// cosine returns the cosine of a text and a unit vector; 0 for a text that was not encoded.
func (f *remoteVectors) cosine(place int, vector []float32) float64 {
	row := f.row(place)
	if row < 0 {
		return 0
	}
	return float64(f.vectors.Dot(row, vector))
}
