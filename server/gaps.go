package server

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"lacuna/handlers"
	"lacuna/handlers/note"
	"lacuna/knowledge/answer"
	"lacuna/knowledge/gap/ledger"
)

// The life of gaps. Those that a model named are in the ledger of the base: they are shown until
// the sources have what is missing, until the user does not need it, or until the question is
// another one. Until a model has judged a question, the offline judge's gaps are shown, which are
// found anew with every library.

// askedIn names a question of a note in the ledger.
func askedIn(noteName string, q note.Question) ledger.QuestionRef {
	return ledger.QuestionRef{Note: noteName, Question: string(q.ID), Text: q.Text}
}

// finding is what is known about a question, with its gaps as they stand by now.
func (b *base) finding(asked ledger.QuestionRef) (answer.Result, bool) {
	library := b.library()
	result, known := b.findings.get(asked, library)
	if !known {
		return result, false
	}
	if gaps, judged := b.ledger().Gaps(library, asked); judged {
		result = result.WithGaps(gaps)
	}
	return result, true
}

// learn keeps an answer that the user asked for and, where a model judged what is missing, that
// judgement beyond the session.
func (b *base) learn(ctx context.Context, asked ledger.QuestionRef, r answer.Result) {
	library := b.library()
	b.findings.answer(asked, r, library.Generation())
	if !r.Judged() {
		return
	}
	err := b.ledger().Learn(ctx, library, asked, ledger.Judgement{System: r.System, Gaps: r.Gaps, Read: r.Read()})
	if err != nil && ctx.Err() == nil {
		b.s.log.Error("gaps not remembered", "err", err)
	}
}

// review brings the ledger up to date with what other processes wrote to it and with the library.
func (b *base) review(ctx context.Context) {
	stored := b.ledger()
	if _, err := stored.Reload(); err != nil {
		b.s.log.Warn("remembered gaps not read again", "err", err)
	}
	if _, err := stored.Review(ctx, b.library()); err != nil && ctx.Err() == nil {
		b.s.log.Warn("remembered gaps not reviewed", "err", err)
	}
}

// openLedger opens the ledger of a workspace. Notes whose file has gone are forgotten, unless its
// folder has gone as well: that may be a drive that is not there today.
func (b *base) openLedger(ctx context.Context, dir string) *ledger.Ledger {
	stored, err := ledger.Open(dir)
	if err == nil {
		err = stored.Retain(ctx, func(a ledger.QuestionRef) bool {
			if !filepath.IsAbs(a.Note) {
				return true
			}
			_, missing := os.Stat(a.Note)
			_, unreachable := os.Stat(filepath.Dir(a.Note))
			return !errors.Is(missing, fs.ErrNotExist) || unreachable != nil
		})
	}
	if err != nil {
		b.s.log.Warn("remembered gaps", "err", err)
	}
	return stored
}

// prune forgets what was remembered of questions that a note no longer holds, and of all in a note that
// has become private. It is called when
// the note has been saved: what is half typed may come back. Of a note without a file, which nobody
// can open again, nothing is remembered beyond its closing.
func (s *session) prune(ctx context.Context, doc *document) {
	defer s.contain("gaps")
	s.mu.Lock()
	now, base, gone := doc.note, doc.base, doc.closed
	s.mu.Unlock()
	name := doc.name()
	err := base.ledger().Retain(ctx, func(a ledger.QuestionRef) bool {
		_, there := now.Find(note.QuestionID(a.Question))
		return a.Note != name || there && !gone && !now.Private
	})
	if err != nil && ctx.Err() == nil {
		s.log.Warn("remembered gaps not pruned", "err", err)
	}
}

// openGaps is listGaps after what other processes wrote has been read.
func (s *session) openGaps(ctx context.Context, b *base) []ledger.Item {
	b.review(ctx)
	return s.listGaps(b)
}

// listGaps lists the gaps of a base that are open, of all its notes: those remembered, as far as
// their questions are still there, and what the offline judge found where no model has judged. A
// private note has none.
func (s *session) listGaps(b *base) []ledger.Item {
	library, stored := b.library(), b.ledger()
	if _, nothing := handlers.StateOfSources(b.now.Load().sources, library); nothing != "" {
		return nil // there is nothing that could lack anything
	}
	notes := b.notes()
	var open []ledger.Item
	for _, listed := range stored.OpenGaps(library) {
		if n, known := notes[listed.Ref.Note]; known {
			q, there := n.Find(note.QuestionID(listed.Ref.Question))
			if !there || n.Private {
				continue
			}
			listed.Answered = !n.Open(q)
		}
		if found, _ := b.findings.get(listed.Ref, library); found.Stored == nil { // no question answered before has gaps
			open = append(open, listed)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(notes)) {
		if notes[name].Private {
			continue
		}
		for _, q := range notes[name].Questions {
			asked := askedIn(name, q)
			if _, judged := stored.Gaps(library, asked); judged {
				continue
			}
			found, _ := b.findings.get(asked, library)
			for _, g := range found.Gaps {
				if !stored.IsDismissed(asked, g.ID) {
					open = append(open, ledger.Item{Ref: asked, Gap: g, Answered: !notes[name].Open(q)})
				}
			}
		}
	}
	return ledger.Marked(library, open)
}
