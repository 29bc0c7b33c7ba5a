package folders

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"lacuna/handlers"
	"lacuna/handlers/messages"
	"lacuna/handlers/note"
	"lacuna/handlers/position"
	"lacuna/knowledge"
	"lacuna/knowledge/answer"
	"lacuna/knowledge/gap/ledger"
	"lacuna/server/editor"
)

// The life of gaps. Those that a model named are in the folder's ledger: they are shown until
// the sources have what is missing, until the user does not need it, or until the question is
// another one. Until a model has judged a question, the offline judge's gaps are shown, which are
// found again with every library.

// finding returns what is known about a question, with its gaps as they stand by now.
func (f *Folder) finding(library *knowledge.Library, stored *ledger.Ledger, asked ledger.QuestionRef) (answer.Result, bool) {
	result, known := f.findings.get(asked, library)
	if !known {
		return result, false
	}
	if f.options.Agent {
		return result, true // a model may have read what the agent may not
	}
	if gaps, judged := stored.Gaps(library, asked); judged {
		result = result.WithGaps(gaps)
	}
	return result, true
}

// Reader returns the folder's workspace as the agent of the session reads it; nil for a person's editor, and as long as it is not open.
func (f *Folder) Reader() Reader {
	r, _ := f.now.Load().workspace.(Reader)
	return r
}

// Learn stores an answer that the user asked for, which is under way no more. If a model judged what is
// missing, that judgement is remembered beyond the session.
func (f *Folder) Learn(asked ledger.QuestionRef, r answer.Result) {
	ctx, cancel := context.WithTimeout(f.editor.Context(), editor.ReplyTime)
	defer cancel()
	library := f.Library()
	f.findings.answer(asked, r, library.Generation())
	if err := handlers.RememberGaps(ctx, f.ledger(), library, asked, r); err != nil && ctx.Err() == nil {
		f.log.Error("gaps not remembered", "err", err)
	}
	f.findings.forgetPart(asked.Text)
	if decision := messages.HowAnswered(r); decision != "" {
		f.decision.Store(decision)
	}
}

// Dismiss remembers that the gap of a question with this [gap.Gap.ID] is not needed, or forgets it.
func (f *Folder) Dismiss(asked ledger.QuestionRef, gapID string, dismissed bool) {
	ctx, cancel := context.WithTimeout(f.editor.Context(), editor.ReplyTime)
	defer cancel()
	if err := f.ledger().Dismiss(ctx, asked, gapID, dismissed); err != nil {
		f.log.Error("dismissal not kept", "err", err)
		f.editor.Show(messages.Message{Level: messages.Warning, Text: fmt.Sprintf(messages.GapNotRemembered, err)})
	}
	f.findings.touch()
}

// BeginPart shows what an answer under way has found so far.
func (f *Folder) BeginPart(r answer.Result) { f.findings.begin(r) }

// EndPart forgets what the answer to a question had found while it was under way, and reports whether it had
// found anything.
func (f *Folder) EndPart(question string) (had bool) { return f.findings.forgetPart(question) }

// Revision changes whenever something else may be shown of a question.
func (f *Folder) Revision() int { return f.findings.revision() }

// Review brings the ledger up to date with what other processes wrote to it and with the library.
func (f *Folder) Review(ctx context.Context) {
	stored := f.ledger()
	if _, err := stored.Reload(); err != nil {
		f.log.Warn("remembered gaps not read again", "err", err)
	}
	if _, err := stored.Review(ctx, f.Library()); err != nil && ctx.Err() == nil {
		f.log.Warn("remembered gaps not reviewed", "err", err)
	}
}

// Prune forgets what was remembered of questions that a note no longer holds, and everything about a note
// that is private or gone, which is nil. It is called when the note has been saved: what is half typed may
// come back. A note without a file, which cannot be opened again, is gone when it is closed.
func (f *Folder) Prune(ctx context.Context, name string, now *note.Note) {
	err := f.ledger().Retain(ctx, func(a ledger.QuestionRef) bool {
		if a.Note != name {
			return true
		}
		if now == nil || now.Private {
			return false
		}
		_, there := now.Find(note.QuestionID(a.Question))
		return there
	})
	if err != nil && ctx.Err() == nil {
		f.log.Warn("remembered gaps not pruned", "err", err)
	}
}

// OpenGaps lists the open gaps after reading what other processes wrote.
func (f *Folder) OpenGaps(ctx context.Context) []ledger.Item {
	f.Review(ctx)
	return f.listGaps()
}

// listGaps lists the open gaps of all notes of the folder: those remembered, as far as their questions are
// still there, and what the offline judge found where no model has judged. A private note has none.
func (f *Folder) listGaps() []ledger.Item {
	library, stored := f.Library(), f.ledger()
	if _, nothing := handlers.StateOfSources(f.Sources(), library); nothing != "" {
		return nil // there is nothing that could lack anything
	}
	notes := f.allNotes()
	var open []ledger.Item
	for _, listed := range stored.OpenGaps(library) {
		if n, known := notes[listed.Ref.Note]; known {
			q, there := n.Find(note.QuestionID(listed.Ref.Question))
			if !there || n.Private || q.Settled() {
				continue
			}
			listed.Answered, listed.Line = !n.Open(q), lineOf(n, q)
		}
		if found, _ := f.findings.get(listed.Ref, library); found.Stored == nil { // no question answered before has gaps
			open = append(open, listed)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(notes)) {
		if notes[name].Private {
			continue
		}
		for _, q := range notes[name].Questions {
			asked := handlers.RefOf(name, notes[name], q)
			if q.Settled() {
				continue
			}
			if _, judged := stored.Gaps(library, asked); judged {
				continue
			}
			found, _ := f.findings.get(asked, library)
			for _, g := range found.Gaps {
				if !stored.IsDismissed(asked, g.ID) {
					open = append(open, ledger.Item{Ref: asked, Gap: g, Answered: !notes[name].Open(q), Line: lineOf(notes[name], q)})
				}
			}
		}
	}
	return ledger.Marked(open)
}

// listAsked lists the questions of all notes of the folder that are not private.
func (f *Folder) listAsked() []handlers.Asked {
	library, stored, notes := f.Library(), f.ledger(), f.allNotes()
	var all []handlers.Asked
	for _, name := range slices.Sorted(maps.Keys(notes)) {
		n := notes[name]
		if n.Private {
			continue
		}
		for _, q := range n.Questions {
			if q.Settled() {
				continue
			}
			asked := handlers.Asked{Ref: handlers.RefOf(name, n, q), Line: lineOf(n, q)}
			if found, known := f.finding(library, stored, asked.Ref); known {
				asked.State = found.State
			}
			all = append(all, asked)
		}
	}
	return all
}

// lineOf returns the line of a question in its note, from 1.
func lineOf(n *note.Note, q note.Question) int {
	return int(n.Lines.Position(q.Span.Start, position.UTF8).Line) + 1
}
