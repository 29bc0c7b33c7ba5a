package folders

import (
	"context"

	"lacuna/handlers/lsp"
	"lacuna/knowledge/answer"
	"lacuna/knowledge/history"
	"lacuna/server/editor"
)

// Accept stores the answer to a question of a note as a pair. It serves once the index has been refreshed.
func (f *Folder) Accept(ctx context.Context, noteName, question string, r answer.Result) error {
	w, err := f.Workspace()
	if err != nil {
		return lsp.Failed("%v", err)
	}
	pair, err := history.PairOf(r, question, noteName, f.options.Now())
	if err != nil {
		return err
	}
	if err := w.History().Accept(ctx, pair); err != nil {
		return err
	}
	f.Observe(noteName, question, r, history.Accepted)
	wake(f.stale)
	return nil
}

// TakeBack drops the pair of an answer that did not stay as it was.
func (f *Folder) TakeBack(ctx context.Context, noteName, question string, r answer.Result, how history.How) error {
	w, err := f.Workspace()
	if err != nil {
		return nil // nothing was accepted
	}
	dropped, err := w.History().Forget(ctx, history.PairID(noteName, question))
	if err != nil {
		return err
	}
	if dropped {
		wake(f.stale)
	}
	f.Observe(noteName, question, r, how)
	return nil
}

// Observe stores a label of what the user did with an answer that a gate had decided about.
func (f *Folder) Observe(noteName, question string, r answer.Result, how history.How) {
	if label, ok := history.LabelOfAction(r, how, question, noteName, f.options.Now()); ok {
		f.label(label)
	}
}

// Overrule stores a label of two answers, of which the user preferred the second.
func (f *Folder) Overrule(noteName, question string, first, second answer.Result) {
	if label, ok := history.LabelOfPreference(first, second, question, noteName, f.options.Now()); ok {
		f.label(label)
	}
}

func (f *Folder) label(label history.Label) {
	w, err := f.Workspace()
	if err != nil {
		return
	}
	ctx, cancel := context.WithTimeout(f.editor.Context(), editor.ReplyTime)
	defer cancel()
	label.Model = w.Models().Reader
	if err := w.History().Keep(ctx, label); err != nil {
		f.log.Warn("label not kept", "err", err)
	}
}

// ForgetNote drops what was stored of a note before it became private.
func (f *Folder) ForgetNote(name string) {
	w, err := f.Workspace()
	if err != nil {
		return
	}
	ctx, cancel := context.WithTimeout(f.editor.Context(), editor.ReplyTime)
	defer cancel()
	found, err := w.History().ForgetNote(ctx, name)
	if err != nil {
		f.log.Warn("the history of a private note is not forgotten", "err", err)
	}
	if found {
		wake(f.stale)
	}
}

// rename remembers under their new names what was remembered of notes.
func (f *Folder) rename(ctx context.Context, newName func(note string) string) {
	f.findings.rename(newName)
	if err := f.ledger().Rename(ctx, newName); err != nil {
		f.log.Warn("remembered gaps do not follow their notes", "err", err)
	}
	if w, err := f.Workspace(); err == nil {
		if err := w.History().Rename(ctx, newName); err != nil {
			f.log.Warn("accepted answers do not follow their notes", "err", err)
		}
		wake(f.stale) // they serve under another name
	}
}

// accepted returns the accepted answer of a record.
func (f *Folder) accepted(record string) (history.Pair, bool) {
	w, err := f.Workspace()
	if err != nil {
		return history.Pair{}, false
	}
	pairs, err := w.History().Pairs()
	if err != nil {
		f.log.Warn("accepted answers not read", "err", err)
	}
	for _, pair := range pairs {
		if pair.ID == record {
			return pair, true
		}
	}
	return history.Pair{}, false
}

// logUnread logs which lines of the history cannot be read. They keep nothing from working.
func (f *Folder) logUnread(w Workspace) {
	unread, err := w.History().BadLines()
	for _, u := range unread {
		f.log.Warn("a line of the history cannot be read; it stays as it is and serves nothing", "file", u.File, "line", u.Line)
	}
	if err != nil {
		f.log.Warn("the history cannot be read", "err", err)
	}
}
