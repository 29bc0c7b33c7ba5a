package folders

import (
	"slices"
	"sync"

	"lacuna/handlers/note"
	"lacuna/handlers/note/query"
	"lacuna/knowledge"
	"lacuna/knowledge/answer"
	"lacuna/knowledge/gap/ledger"
)

// findings holds what this session has found out about questions. It is safe for concurrent use.
type findings struct {
	mu sync.Mutex
	// scope returns the name of a note whose questions are judged in a way of their own, because it is a source and
	// judged by all others, else "".
	scope func(note string) string
	// judged holds what the offline judge found, by the text of the question: the same question asked of the same
	// library has the same answer, wherever in a scope it stands. Guarded by mu.
	judged map[judgedKey]finding
	// answered holds the newest answer that the user asked a model for. Guarded by mu.
	answered map[ledger.QuestionRef]answer.Result
	// parts holds what answers under way have found, by the text of the question. Guarded by mu.
	parts map[string]answer.Result
	// changes counts what has been found, so that the editor is not notified twice. Guarded by mu.
	changes int
}

// judgedKey tells questions apart: by scope and by what is asked with its options.
type judgedKey struct{ scope, asked string }

func (f *findings) key(note, asked string) judgedKey { return judgedKey{f.scope(note), asked} }

type finding struct {
	result     answer.Result
	generation string // of the library that was asked
}

func newFindings(scope func(note string) string) *findings {
	return &findings{
		scope:    scope,
		judged:   make(map[judgedKey]finding),
		answered: make(map[ledger.QuestionRef]answer.Result),
		parts:    make(map[string]answer.Result),
	}
}

// get returns the newest finding, which may be of an older library: it is shown until the
// question has been judged again. The gaps come from the newest judgement of this session, and
// an answer holds as long as every passage it cites is in the library.
func (f *findings) get(asked ledger.QuestionRef, library *knowledge.Library) (answer.Result, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	found, known := f.judged[f.key(asked.Note, asked.Text)]
	newest, answered := f.answered[asked]
	if !answered || !holds(newest, library) {
		return found.result, known
	}
	if known && !newest.Judged() {
		newest = newest.WithGaps(found.result.Gaps)
	}
	return newest, true
}

// revision changes whenever something else may be shown of a question.
func (f *findings) revision() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.changes
}

// touch counts a change of what is stored elsewhere.
func (f *findings) touch() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.changes++
}

// holds reports whether all that an answer cites is in the library.
func holds(r answer.Result, library *knowledge.Library) bool {
	return !slices.ContainsFunc(r.Citations, func(c answer.Citation) bool {
		_, there := library.Passage(c.Passage.ID)
		return !there
	})
}

// fresh reports whether a question has been judged with this generation of the library.
func (f *findings) fresh(k judgedKey, generation string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	found, ok := f.judged[k]
	return ok && found.generation == generation
}

// known reports whether a question has been judged with any generation of the library.
func (f *findings) known(k judgedKey) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	_, ok := f.judged[k]
	return ok
}

// judge stores what the offline judge found.
func (f *findings) judge(k judgedKey, r answer.Result, generation string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.changes++
	f.judged[k] = finding{r, generation}
}

// answer stores what the user asked for.
func (f *findings) answer(asked ledger.QuestionRef, r answer.Result, generation string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.changes++
	key := f.key(asked.Note, asked.Text)
	if before := f.judged[key].result; len(r.Away) > 0 { // what was away may have what is missing, or not
		r.Gaps, r.MissingProbability = before.Gaps, before.MissingProbability
	}
	if r.System != answer.OfflineID {
		f.answered[asked] = r
		return
	}
	delete(f.answered, asked)
	f.judged[key] = finding{r, generation}
}

// part returns what the answer under way to a question has found so far.
func (f *findings) part(question string) (answer.Result, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	r, ok := f.parts[question]
	return r, ok
}

// begin stores what an answer under way has found so far.
func (f *findings) begin(r answer.Result) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.changes++
	f.parts[r.Question.Text] = r
}

// forgetPart forgets what an answer had found while it was under way, and reports whether it had found
// anything.
func (f *findings) forgetPart(text string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	_, had := f.parts[text]
	if had {
		f.changes++
	}
	delete(f.parts, text)
	return had
}

// rename gives answers to the names that their notes have now.
func (f *findings) rename(newName func(note string) string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	named := make(map[ledger.QuestionRef]answer.Result, len(f.answered)) // another map: two notes may swap their names
	for asked, r := range f.answered {
		if name := newName(asked.Note); name != asked.Note {
			asked.Note = name
			f.changes++
		}
		named[asked] = r
	}
	f.answered = named
	judged := make(map[judgedKey]finding, len(f.judged))
	for k, r := range f.judged {
		if k.scope != "" {
			k.scope = newName(k.scope)
		}
		judged[k] = r
	}
	f.judged = judged
}

// retain forgets every question that is in none of the notes, so that what was typed on the way
// to a question does not pile up, and with it old libraries.
func (f *findings) retain(notes map[string]*note.Note) {
	live := make(map[judgedKey]bool)
	for name, n := range notes {
		for _, q := range n.Questions {
			live[f.key(name, query.Asked(n, q))] = true
		}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	for k := range f.judged {
		if !live[k] {
			delete(f.judged, k)
		}
	}
	for asked := range f.answered {
		if !live[f.key(asked.Note, asked.Text)] {
			delete(f.answered, asked)
		}
	}
}
