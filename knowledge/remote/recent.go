package remote

import (
	"crypto/sha256"
	"slices"
	"sync"
	"time"

	"lacuna/knowledge"
	"lacuna/knowledge/engine"
	"lacuna/knowledge/passage"
)

const (
	// maxRecent bounds the replies of the engine that are remembered, for a question that is asked again, and for
	// its searches by other strategies.
	maxRecent = 64
	// maxVerified bounds the passages that are remembered, some 5 KB each.
	maxVerified = 8192
)

// list is a reply of the engine, in its order, verified.
type list struct {
	key   string // equal for lists that differ in their length alone
	kind  passage.Kind
	query engine.Query
	texts []knowledge.Text
}

// all reports whether the engine has no more.
func (l *list) all() bool { return len(l.texts) < l.query.Limit }

// recent is what was fetched lately.
type recent struct {
	mu   sync.Mutex
	list []*list // newest last; guarded by mu
	// Passages by the hash of what the engine keeps of them. Full, young becomes old. Guarded by mu.
	young, old map[[sha256.Size]byte]knowledge.Text

	answered time.Time // the engine, last; guarded by mu
}

// find returns the list of a query that was asked lately, for as many or for all that there are; nil if there is none.
func (r *recent) find(wanted *list) *list {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, l := range r.list {
		if (l.query.Limit >= wanted.query.Limit || l.all()) && l.key == wanted.key {
			return l
		}
	}
	return nil
}

// here reports whether the engine has answered lately.
func (r *recent) here() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return time.Since(r.answered) < countAge
}

func (r *recent) add(l *list) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.list = slices.DeleteFunc(r.list, func(old *list) bool { return old.key == l.key })
	if len(r.list) == maxRecent {
		r.list = r.list[1:]
	}
	r.list = append(r.list, l)
	r.answered = time.Now()
}

// verified returns the passage that was verified with just this content.
func (r *recent) verified(sum [sha256.Size]byte) (knowledge.Text, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	t, known := r.young[sum]
	if !known {
		t, known = r.old[sum]
	}
	return t, known
}

// keep remembers a passage that was verified.
func (r *recent) keep(sum [sha256.Size]byte, t knowledge.Text) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.young) >= maxVerified/2 || r.young == nil {
		r.young, r.old = make(map[[sha256.Size]byte]knowledge.Text), r.young
	}
	r.young[sum] = t
}
