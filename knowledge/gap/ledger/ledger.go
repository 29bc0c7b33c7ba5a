// Package ledger remembers, beyond a session, the gaps that models named and the gaps that the user
// dismissed, and closes a gap once the sources have what was missing.
//
// Gaps that the offline judge finds are not stored: judging again finds them again. Begin with [Open];
// [Ledger.Review] holds the ledger against a new library, and [Clusters] groups gaps that ask for
// nearly the same.
package ledger

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"lacuna/knowledge"
	"lacuna/knowledge/gap"
	"lacuna/knowledge/passage"
	"lacuna/vecmath/regular"
)

// QuestionRef names a question of a note.
type QuestionRef struct {
	Note     string `json:"note"`     // path of its file, or URI of a note without one
	Question string `json:"question"` // its identity within the note
	Text     string `json:"text,omitempty"`
}

// Judgement holds what a model that read the evidence found missing for a question.
type Judgement struct {
	System string
	Gaps   []gap.Gap    // none when nothing is missing
	Read   []passage.ID // the passages the model read
}

// Item is a gap of a question, with the time it was first named.
type Item struct {
	Ref   QuestionRef
	Gap   gap.Gap
	Since time.Time // zero for a gap that the ledger does not store
	// Answered says that the note answers the question all the same. The ledger does not know;
	// callers that read the note fill it in.
	Answered bool
	Line     int // of the question in its note, from 1; 0 where no caller has filled it in
}

// Ledger stores gaps in one file of the index folder, which any number of processes may share. A change
// that cannot be written is kept in memory until the process ends, and written with the next change that
// can be. A Ledger is safe for concurrent use; reading from it never blocks.
type Ledger struct {
	path    string                   // empty: nothing outlives the process
	current atomic.Pointer[snapshot] // immutable once stored

	mu      sync.Mutex        // held by a change from reading the current snapshot to storing the next
	pending []func(*snapshot) // changes that are not in the file; guarded by mu
	stamp   stamp             // of the file as last read or written; guarded by mu
}

// snapshot is the content of a ledger.
type snapshot struct{ entries map[key]entry }

type key struct{ note, question string }

// entry holds the ledger's data on one question. Its slices are never changed.
type entry struct {
	QuestionRef
	// System is the one whose judgement Gaps are; empty when no model has judged the question.
	System     string       `json:"system,omitempty"`
	Generation string       `json:"generation,omitempty"` // of the library that the gaps were last held against
	Gaps       []record     `json:"gaps,omitempty"`
	Seen       []passage.ID `json:"seen,omitempty"` // read or found when the gaps were named, and of no help
	Dismissed  []string     `json:"dismissed,omitempty"`
}

// record is a stored gap, which refers to passages by identity.
type record struct {
	ID          string       `json:"id"`
	Code        gap.Code     `json:"code"`
	Text        string       `json:"text"`
	Query       string       `json:"query,omitempty"`
	Status      gap.Status   `json:"status"`
	Named       gap.Status   `json:"named"` // the status when a model named it
	Probability float64      `json:"probability"`
	Nearest     []passage.ID `json:"nearest,omitempty"`
	Evidence    []passage.ID `json:"evidence,omitempty"`
	Since       time.Time    `json:"since"`
}

// Gaps returns what a model found missing for a question, most certain first, each with its current
// status; false when no model has judged the question.
func (l *Ledger) Gaps(library *knowledge.Library, ref QuestionRef) ([]gap.Gap, bool) {
	e, ok := l.current.Load().entries[ref.key()]
	if !ok || e.System == "" {
		return nil, false
	}
	gaps := make([]gap.Gap, len(e.Gaps))
	for i, r := range e.Gaps {
		gaps[i] = r.gap(library)
		if slices.Contains(e.Dismissed, r.ID) {
			gaps[i].Status = gap.Dismissed
		}
	}
	slices.SortStableFunc(gaps, func(a, b gap.Gap) int { return cmp.Compare(b.Probability, a.Probability) })
	return gaps, true
}

// Dismiss marks a gap of a question as not needed, or restores it.
func (l *Ledger) Dismiss(ctx context.Context, ref QuestionRef, id string, dismissed bool) error {
	return l.change(ctx, func(s *snapshot) {
		e, ok := s.entries[ref.key()]
		if !ok {
			e.QuestionRef = ref
		}
		e.Dismissed = slices.DeleteFunc(slices.Clone(e.Dismissed), func(s string) bool { return s == id })
		if dismissed {
			e.Dismissed = append(e.Dismissed, id)
		}
		s.put(e)
	})
}

// IsDismissed reports whether the user dismissed a gap of a question.
func (l *Ledger) IsDismissed(ref QuestionRef, id string) bool {
	return slices.Contains(l.current.Load().entries[ref.key()].Dismissed, id)
}

// OpenGaps lists the gaps that the sources still lack, by note and question. It includes gaps that a
// model wrote background about and leaves out dismissed ones.
func (l *Ledger) OpenGaps(library *knowledge.Library) []Item {
	var open []Item
	for _, e := range l.current.Load().sorted() {
		for _, r := range e.Gaps {
			if r.isMissing() && !slices.Contains(e.Dismissed, r.ID) {
				open = append(open, Item{Ref: e.QuestionRef, Gap: r.gap(library), Since: r.Since})
			}
		}
	}
	return open
}

// Marked keeps the gaps that notes mark, so that a list shows what the notes show.
func Marked(gaps []Item) []Item {
	return slices.DeleteFunc(gaps, func(i Item) bool { return i.Gap.Severity() == gap.Silent })
}

// Retain forgets every question that keep rejects.
func (l *Ledger) Retain(ctx context.Context, keep func(QuestionRef) bool) error {
	gone := make(map[key]bool)
	for k, e := range l.current.Load().entries {
		if !keep(e.QuestionRef) {
			gone[k] = true
		}
	}
	if len(gone) == 0 {
		return nil
	}
	return l.change(ctx, func(s *snapshot) {
		maps.DeleteFunc(s.entries, func(k key, _ entry) bool { return gone[k] })
	})
}

// Rename moves what is stored about notes to their new names. An entry that already has the new name
// stays: it is newer.
func (l *Ledger) Rename(ctx context.Context, newName func(note string) string) error {
	moves := false
	for k := range l.current.Load().entries {
		moves = moves || newName(k.note) != k.note
	}
	if !moves {
		return nil
	}
	return l.change(ctx, func(s *snapshot) {
		var moving []entry
		for _, e := range s.sorted() {
			if newName(e.Note) != e.Note {
				delete(s.entries, e.key()) // all of them first: two notes may swap their names
				moving = append(moving, e)
			}
		}
		for _, e := range moving {
			e.Note = newName(e.Note)
			if _, ok := s.entries[e.key()]; !ok {
				s.entries[e.key()] = e
			}
		}
	})
}

func (r QuestionRef) key() key { return key{r.Note, r.Question} }

// put stores an entry, or deletes it if it says nothing.
func (s *snapshot) put(e entry) {
	if e.System == "" && len(e.Dismissed) == 0 {
		delete(s.entries, e.key())
		return
	}
	s.entries[e.key()] = e
}

// sorted returns the entries by note and question.
func (s *snapshot) sorted() []entry {
	return slices.SortedFunc(maps.Values(s.entries), func(a, b entry) int {
		return cmp.Or(cmp.Compare(a.Note, b.Note), cmp.Compare(a.Question, b.Question))
	})
}

// isMissing reports whether the sources still lack what the gap names.
func (r record) isMissing() bool { return r.Status == gap.Open || r.Status == gap.Generated }

func recordOf(g gap.Gap, since time.Time) record {
	r := record{
		ID: g.ID, Code: g.Code, Text: g.Text, Query: g.Query, Status: g.Status, Named: g.Status,
		Probability: g.Probability, Evidence: slices.Clone(g.Evidence), Since: since,
	}
	if r.Status == gap.Retrieved { // if its evidence goes, it is open again
		r.Named = gap.Open
	}
	for _, p := range g.Nearest {
		r.Nearest = append(r.Nearest, p.ID)
	}
	return r
}

// gap resolves a record against a library and leaves out passages that are gone.
func (r record) gap(library *knowledge.Library) gap.Gap {
	g := gap.Gap{
		ID: r.ID, Code: r.Code, Text: r.Text, Query: r.Query, Status: r.Status,
		Probability: r.Probability, Evidence: r.Evidence,
	}
	for _, id := range r.Nearest {
		if p, ok := library.Passage(id); ok {
			g.Nearest = append(g.Nearest, p)
		}
	}
	return g
}

const (
	ledgerFile    = "gaps.json"
	ledgerVersion = 1
	// dismissalsFile holds what versions before the ledger stored. It is read when there is no
	// ledger yet, and left where it is.
	dismissalsFile = "dismissed.json"
)

// ledgerJSON is the content of the file.
type ledgerJSON struct {
	Version   int     `json:"version"`
	Questions []entry `json:"questions"`
}

// Open reads the ledger of an index folder; with an empty dir nothing outlives the process. The returned
// ledger is usable even with an error, which says that the file could not be read and where it was
// moved, so that nothing is lost.
func Open(dir string) (*Ledger, error) {
	l := &Ledger{}
	l.current.Store(newSnapshot())
	if dir == "" {
		return l, nil
	}
	l.path = filepath.Join(dir, ledgerFile)
	_, err := l.Reload()
	if err != nil {
		return l, l.setAside(err)
	}
	if l.stamp == (stamp{}) {
		return l, l.adoptDismissals(filepath.Join(dir, dismissalsFile))
	}
	return l, nil
}

// Reload reads the file again if another process changed it, and reports whether it did.
func (l *Ledger) Reload() (changed bool, err error) {
	if l.path == "" {
		return false, nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	now := stampOf(l.path)
	if now == l.stamp {
		return false, nil
	}
	content, err := regular.ReadFile(l.path)
	if errors.Is(err, fs.ErrNotExist) {
		content, err = nil, nil
	}
	if err != nil {
		return false, err
	}
	s, err := readSnapshot(content)
	if err != nil {
		return false, err
	}
	for _, apply := range l.pending {
		apply(s)
	}
	l.current.Store(s)
	l.stamp = now
	return true, nil
}

// change applies a change to the current snapshot first, then to the file as it is by then.
func (l *Ledger) change(ctx context.Context, apply func(*snapshot)) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	next := &snapshot{entries: maps.Clone(l.current.Load().entries)}
	apply(next)
	l.current.Store(next)
	if l.path == "" {
		return nil
	}
	l.pending = append(l.pending, apply)
	var damage error
	err := knowledge.UpdateFile(ctx, l.path, func(content []byte) ([]byte, error) {
		merged, err := readSnapshot(content)
		if err != nil { // damaged since it was last read: this process's snapshot replaces it
			damage = l.setAside(err)
			return next.encode()
		}
		for _, apply := range l.pending {
			apply(merged)
		}
		next = merged
		return merged.encode()
	})
	if err != nil {
		return fmt.Errorf("remember gaps: %w", err)
	}
	l.current.Store(next)
	l.pending, l.stamp = nil, stampOf(l.path)
	return damage
}

// setAside renames a file that cannot be read.
func (l *Ledger) setAside(cause error) error {
	aside := l.path + ".unreadable"
	if err := regular.Rename(l.path, aside); err != nil {
		return fmt.Errorf("stored gaps cannot be read: %w", errors.Join(cause, err))
	}
	return fmt.Errorf("stored gaps could not be read and were moved to %s: %w", aside, cause)
}

// adoptDismissals takes over the dismissals that a version before the ledger stored. Those gaps are
// identified by their code alone.
func (l *Ledger) adoptDismissals(path string) error {
	content, err := regular.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	var old []struct{ Note, Question, Code string }
	if err == nil {
		err = json.Unmarshal(content, &old)
	}
	if err != nil {
		return fmt.Errorf("gaps dismissed in an earlier version could not be read from %s: %w", path, err)
	}
	s := newSnapshot()
	for _, o := range old {
		e := s.entries[key{o.Note, o.Question}]
		e.QuestionRef = QuestionRef{Note: o.Note, Question: o.Question}
		e.Dismissed = append(e.Dismissed, o.Code)
		s.put(e)
	}
	l.current.Store(s)
	l.pending = append(l.pending, func(next *snapshot) {
		for k, e := range s.entries {
			if _, known := next.entries[k]; !known {
				next.entries[k] = e
			}
		}
	})
	return nil
}

func newSnapshot() *snapshot { return &snapshot{entries: make(map[key]entry)} }

func readSnapshot(content []byte) (*snapshot, error) {
	s := newSnapshot()
	if len(content) == 0 {
		return s, nil
	}
	var file ledgerJSON
	if err := json.Unmarshal(content, &file); err != nil {
		return nil, err
	}
	if file.Version != ledgerVersion {
		return nil, fmt.Errorf("version %d, want %d", file.Version, ledgerVersion)
	}
	for _, e := range file.Questions {
		s.put(e)
	}
	return s, nil
}

func (s *snapshot) encode() ([]byte, error) {
	return json.MarshalIndent(ledgerJSON{Version: ledgerVersion, Questions: s.sorted()}, "", "\t")
}

// stamp distinguishes the states of a file; zero if there is none.
type stamp struct {
	size     int64
	modified time.Time
}

func stampOf(path string) stamp {
	info, err := os.Stat(path)
	if err != nil {
		return stamp{}
	}
	return stamp{info.Size(), info.ModTime()}
}
