package syntax

import "sync"

// recent holds what was parsed last: an answer compares one sentence with several sources, and one source with
// several sentences. It is safe for concurrent use, and its zero value is ready.
type recent struct {
	mu       sync.Mutex
	now, old map[source][]Sentence // guarded by mu; what is found in old moves to now
}

// source is what a parse depends on.
type source struct{ text, language string }

// recentTexts is the number of texts in each of the two maps; a text is a sentence or a few of them.
const recentTexts = 256

// get returns the sentences of a text, which parse makes if they are not known.
func (r *recent) get(t source, parse func() []Sentence) []Sentence {
	if found, ok := r.find(t); ok {
		return found
	}
	made := parse()
	r.keep(t, made)
	return made
}

func (r *recent) find(t source) ([]Sentence, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if found, ok := r.now[t]; ok {
		return found, true
	}
	found, ok := r.old[t]
	if ok {
		r.add(t, found)
	}
	return found, ok
}

func (r *recent) keep(t source, s []Sentence) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.add(t, s)
}

// add makes a text the newest one. The caller must hold mu.
func (r *recent) add(t source, s []Sentence) {
	if r.now == nil || len(r.now) >= recentTexts {
		r.now, r.old = make(map[source][]Sentence), r.now
	}
	r.now[t] = s
}
