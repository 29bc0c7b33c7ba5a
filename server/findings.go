package server

import (
	"sync"

	"lacuna/handlers/note"
	"lacuna/knowledge/answer"
)

// findings is what is known about questions, by their text: the same question asked of the same
// library has the same answer, wherever it stands. It is safe for concurrent use.
type findings struct {
	mu     sync.Mutex
	byText map[string]finding // guarded by mu
}

type finding struct {
	result     answer.Result
	generation string // of the library that was asked
}

func newFindings() *findings { return &findings{byText: make(map[string]finding)} }

// get returns the newest finding, which may be of an older library: it is shown until the
// question has been judged again.
func (f *findings) get(q note.Question) (answer.Result, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	found, ok := f.byText[q.Text]
	return found.result, ok
}

// fresh reports whether a question has been judged with this generation of the library.
func (f *findings) fresh(q note.Question, generation string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	found, ok := f.byText[q.Text]
	return ok && found.generation == generation
}

func (f *findings) put(q note.Question, r answer.Result, generation string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.byText[q.Text] = finding{r, generation}
}

// retain forgets every question that is in none of the notes, so that what was typed on the way
// to a question does not pile up, and with it the libraries of old.
func (f *findings) retain(notes []*note.Note) {
	live := make(map[string]bool)
	for _, n := range notes {
		for _, q := range n.Questions {
			live[q.Text] = true
		}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	for text := range f.byText {
		if !live[text] {
			delete(f.byText, text)
		}
	}
}
