package gap

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"lacuna/knowledge"
	"lacuna/knowledge/passage"
)

// Asked names a question of a note.
type Asked struct {
	Note     string `json:"note"`     // path of its file, or URI of a note without one
	Question string `json:"question"` // its identity within the note
	Text     string `json:"text,omitempty"`
}

// Judgement is what a system whose model read the evidence found missing.
type Judgement struct {
	System string
	Gaps   []Gap        // none when nothing is missing
	Read   []passage.ID // what the model had read
}

// Listed is a gap of a question, with the time it was first named.
type Listed struct {
	Asked Asked
	Gap   Gap
	Since time.Time // zero for a gap that is not remembered
	// Answered says that the note has an answer to the question all the same. The ledger does not know; who
	// reads the note fills it in.
	Answered bool
}

// Ledger remembers, beyond a session, the gaps that models named and those of any kind that the
// user marked as not needed. What the offline judge finds is not kept: it is found again at once.
//
// It is one file in the index folder, which any number of processes may share. What cannot be
// written is remembered until the process ends, and written with the next change that can. A
// Ledger is safe for concurrent use; reading from it never waits.
type Ledger struct {
	path string               // empty: nothing is kept beyond the process
	book atomic.Pointer[book] // never changed once stored

	turn    sync.Mutex    // held by a change from reading the book to storing the next
	pending []func(*book) // changes that are not in the file; guarded by turn
	stamp   stamp         // of the file as last read or written; guarded by turn
}

// book is the content of a ledger.
type book struct{ entries map[key]entry }

type key struct{ note, question string }

// entry is what is remembered of one question. Its slices are never changed.
type entry struct {
	Asked
	// System is the one whose judgement Gaps are; empty when no model has judged the question.
	System     string       `json:"system,omitempty"`
	Generation string       `json:"generation,omitempty"` // of the library that the gaps were last held against
	Gaps       []record     `json:"gaps,omitempty"`
	Seen       []passage.ID `json:"seen,omitempty"` // read or found when the gaps were named: what is in them did not help
	Dismissed  []string     `json:"dismissed,omitempty"`
}

// record is a gap as it is kept: passages by their identity.
type record struct {
	ID          string       `json:"id"`
	Code        Code         `json:"code"`
	Text        string       `json:"text"`
	Query       string       `json:"query,omitempty"`
	Status      Status       `json:"status"`
	Named       Status       `json:"named"` // the status it was given when it was named
	Probability float64      `json:"probability"`
	Nearest     []passage.ID `json:"nearest,omitempty"`
	Evidence    []passage.ID `json:"evidence,omitempty"`
	Since       time.Time    `json:"since"`
}

// Learn stores the judgement of a question in the place of an earlier one. The library is the one
// that was asked.
func (l *Ledger) Learn(ctx context.Context, library *knowledge.Library, asked Asked, j Judgement) error {
	seen, err := whatIsThere(ctx, library, j)
	if err != nil {
		return err
	}
	now := time.Now().UTC().Truncate(time.Second)
	return l.change(ctx, func(b *book) {
		e := b.entries[asked.key()]
		before := e.Gaps
		e.Asked, e.System, e.Generation, e.Seen = asked, j.System, library.Generation(), seen
		e.Gaps = nil
		for _, g := range j.Gaps {
			kept := recordOf(g, now)
			if i := slices.IndexFunc(before, func(r record) bool { return r.ID == g.ID }); i >= 0 {
				kept.Since = before[i].Since
			}
			e.Gaps = append(e.Gaps, kept)
		}
		b.entries[asked.key()] = e
	})
}

// Judged returns what a model found missing for a question, most certain first, with the status
// that each gap has by now; false when no model has judged it.
func (l *Ledger) Judged(library *knowledge.Library, asked Asked) ([]Gap, bool) {
	e, known := l.book.Load().entries[asked.key()]
	if !known || e.System == "" {
		return nil, false
	}
	gaps := make([]Gap, len(e.Gaps))
	for i, r := range e.Gaps {
		gaps[i] = r.gap(library)
		if slices.Contains(e.Dismissed, r.ID) {
			gaps[i].Status = Dismissed
		}
	}
	slices.SortStableFunc(gaps, func(a, b Gap) int { return cmp.Compare(b.Probability, a.Probability) })
	return gaps, true
}

// Dismiss remembers that a gap of a question is not needed, or forgets that it is not.
func (l *Ledger) Dismiss(ctx context.Context, asked Asked, id string, dismissed bool) error {
	return l.change(ctx, func(b *book) {
		e, known := b.entries[asked.key()]
		if !known {
			e.Asked = asked
		}
		e.Dismissed = slices.DeleteFunc(slices.Clone(e.Dismissed), func(s string) bool { return s == id })
		if dismissed {
			e.Dismissed = append(e.Dismissed, id)
		}
		b.put(e)
	})
}

// Dismissed reports whether a gap of a question is not needed.
func (l *Ledger) Dismissed(asked Asked, id string) bool {
	return slices.Contains(l.book.Load().entries[asked.key()].Dismissed, id)
}

// Open lists the gaps that are still missing from the sources, by note and question; those that a
// model wrote background about are among them, those marked as not needed are not.
func (l *Ledger) Open(library *knowledge.Library) []Listed {
	var open []Listed
	for _, e := range l.book.Load().sorted() {
		for _, r := range e.Gaps {
			if r.missing() && !slices.Contains(e.Dismissed, r.ID) {
				open = append(open, Listed{Asked: e.Asked, Gap: r.gap(library), Since: r.Since})
			}
		}
	}
	return open
}

// Retain forgets every question that keep does not want.
func (l *Ledger) Retain(ctx context.Context, keep func(Asked) bool) error {
	gone := make(map[key]bool)
	for k, e := range l.book.Load().entries {
		if !keep(e.Asked) {
			gone[k] = true
		}
	}
	if len(gone) == 0 {
		return nil
	}
	return l.change(ctx, func(b *book) {
		maps.DeleteFunc(b.entries, func(k key, _ entry) bool { return gone[k] })
	})
}

// Rename gives what is remembered of notes to the names that they have now. What is remembered under
// a new name already stays: it is newer.
func (l *Ledger) Rename(ctx context.Context, renamed func(note string) string) error {
	moved := false
	for k := range l.book.Load().entries {
		moved = moved || renamed(k.note) != k.note
	}
	if !moved {
		return nil
	}
	return l.change(ctx, func(b *book) {
		var moving []entry
		for _, e := range b.sorted() {
			if renamed(e.Note) != e.Note {
				delete(b.entries, e.key()) // all of them first: two notes may swap their names
				moving = append(moving, e)
			}
		}
		for _, e := range moving {
			e.Note = renamed(e.Note)
			if _, known := b.entries[e.key()]; !known {
				b.entries[e.key()] = e
			}
		}
	})
}

func (a Asked) key() key { return key{a.Note, a.Question} }

// put stores an entry, or drops one that says nothing.
func (b *book) put(e entry) {
	if e.System == "" && len(e.Dismissed) == 0 {
		delete(b.entries, e.key())
		return
	}
	b.entries[e.key()] = e
}

// sorted returns the entries by note and question.
func (b *book) sorted() []entry {
	return slices.SortedFunc(maps.Values(b.entries), func(a, b entry) int {
		return cmp.Or(cmp.Compare(a.Note, b.Note), cmp.Compare(a.Question, b.Question))
	})
}

// missing reports whether the sources lack it.
func (r record) missing() bool { return r.Status == Open || r.Status == Generated }

func recordOf(g Gap, since time.Time) record {
	r := record{
		ID: g.ID, Code: g.Code, Text: g.Text, Query: g.Query, Status: g.Status, Named: g.Status,
		Probability: g.Probability, Evidence: slices.Clone(g.Evidence), Since: since,
	}
	if r.Status == Retrieved { // should its evidence go, it is open
		r.Named = Open
	}
	for _, p := range g.Nearest {
		r.Nearest = append(r.Nearest, p.ID)
	}
	return r
}

// gap is the gap as the library shows it; passages that are gone are left out.
func (r record) gap(library *knowledge.Library) Gap {
	g := Gap{
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
