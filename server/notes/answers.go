package notes

import (
	"context"
	"maps"
	"slices"

	"go.lsp.dev/protocol"

	"lacuna/handlers"
	"lacuna/handlers/lsp"
	"lacuna/handlers/messages"
	"lacuna/handlers/note"
	"lacuna/knowledge/answer"
	"lacuna/knowledge/history"
	"lacuna/server/editor"
	"lacuna/server/folders"
)

// The user's reactions to answers. If the settings have answers harvested, saving a note accepts each answer
// that stands unchanged in it, and changing or removing the answer later in the session reverts that. An
// overruled way of answering is remembered in any case: overruling is an explicit action.

// maxClosed bounds the number of closed notes whose answers are remembered: an editor that renames a note
// opens it again immediately, and answers hold on to the passages that they quote.
const maxClosed = 64

// Wrote remembers an answer until the note is closed, and then for a note that is being renamed. An editor
// that saves by itself may have saved the note with the answer before it reported that the answer is there.
// The caller must hold the edit lock.
func (n *Notes) Wrote(uri protocol.DocumentURI, q note.Question, r answer.Result) {
	n.mu.Lock()
	d := n.open[lsp.Key(uri)]
	if d == nil {
		n.mu.Unlock()
		return
	}
	if d.answers == nil {
		d.answers = make(answers)
	}
	d.answers[q.ID] = writtenAnswer{question: q, result: r}
	saved := d.saved
	n.mu.Unlock()
	if saved != nil && handlers.DispositionOf(saved, q.ID, r, d.Path) == handlers.Standing {
		n.observe(d, saved)
	}
}

// acceptPatience bounds the wait for an answer that is just being written: the editor may show it, and the
// user accept it, before the command that writes it knows.
const acceptPatience = 2 * editor.ReplyTime

// Accept stores the answer below a question as a stored question, if it stands there as it was written. It
// waits for an answer that a command is just writing.
func (n *Notes) Accept(ctx context.Context, uri protocol.DocumentURI, q note.Question) error {
	waiting, cancel := context.WithTimeout(ctx, acceptPatience)
	defer cancel()
	unlock, err := n.LockEdits(waiting, n.Find(uri))
	if err != nil {
		return lsp.Failed("%s", messages.BeingWritten)
	}
	defer unlock()
	n.mu.Lock()
	d := n.open[lsp.Key(uri)]
	if d == nil {
		n.mu.Unlock()
		return lsp.Failed("%s", messages.DocumentClosed)
	}
	w, known := d.answers[q.ID]
	now, folder := d.note, d.folder
	n.mu.Unlock()
	if !known || handlers.DispositionOf(now, q.ID, w.result, d.Path) != handlers.Standing {
		return lsp.Failed("%s", messages.OtherAnswer)
	}
	if err := folder.Accept(ctx, d.Name(), w.asked(), w.result); err != nil {
		return err
	}
	n.mark(d, w, handlers.Standing)
	return nil
}

// leave keeps what was written into a note that is closed, until it is opened again: it may be opened under
// another name. The caller must hold mu.
func (n *Notes) leave(d *Document) {
	if len(d.answers) > 0 && d.hasFile() {
		if len(n.closed) >= maxClosed {
			clear(n.closed)
		}
		n.closed[lsp.PathKey(d.Path)] = closedAnswers{path: d.Path, answers: d.answers}
	}
}

// rejoin takes up what was written into a note that was closed to be renamed. The caller must hold mu.
func (n *Notes) rejoin(d *Document) {
	if !d.hasFile() {
		return
	}
	key := lsp.PathKey(d.Path)
	if was := n.closed[key]; was.path != d.Path || was.renamed {
		d.answers = maps.Clone(was.answers)
	}
	delete(n.closed, key)
}

// Rename gives what was written into notes to the names that these have now. An editor may close and open
// a note before or after it reports the new name.
func (n *Notes) Rename(renames handlers.Renames) {
	n.mu.Lock()
	defer n.mu.Unlock()
	was := slices.Collect(maps.Values(n.closed))
	for _, d := range n.open {
		if len(d.answers) > 0 && d.hasFile() {
			was = append(was, closedAnswers{path: d.Path, answers: d.answers})
		}
	}
	for _, c := range was {
		to := renames.Apply(c.path)
		if to == c.path {
			continue
		}
		delete(n.closed, lsp.PathKey(c.path))
		if d := n.open[lsp.Key(lsp.URI(to))]; d != nil && d.answers == nil {
			d.answers = maps.Clone(c.answers)
		} else if d == nil {
			n.closed[lsp.PathKey(to)] = closedAnswers{path: to, answers: c.answers, renamed: true}
		}
	}
}

// observe acts upon what became of the answers of a note that has been saved, one save after another
// in the order in which they came. It stores nothing unless the user has answers harvested. Closing a
// note says nothing more: what was not saved by then was thrown away.
func (n *Notes) observe(d *Document, now *note.Note) {
	n.mu.Lock()
	d.saved = now
	n.saves = append(n.saves, func() { n.decideFates(d, now) })
	first := len(n.saves) == 1
	n.mu.Unlock()
	if first {
		go n.observeSaves()
	}
}

// observeSaves runs until no save is left. The one at work stays in the list, so that the next one does
// not start a goroutine of its own.
func (n *Notes) observeSaves() {
	for {
		n.mu.Lock()
		next := n.saves[0]
		n.mu.Unlock()
		next()
		n.mu.Lock()
		n.saves = n.saves[1:]
		done := len(n.saves) == 0
		n.mu.Unlock()
		if done {
			return
		}
	}
}

// decideFates acts upon the answers whose fate has changed.
func (n *Notes) decideFates(d *Document, now *note.Note) {
	defer n.editor.Contain("history")
	n.mu.Lock()
	folder, written := d.folder, slices.Collect(maps.Values(d.answers))
	n.mu.Unlock()
	if now.Private {
		folder.ForgetNote(d.Name())
		return
	}
	if !folder.Settings().History.Harvest {
		return
	}
	for _, w := range written {
		fate := handlers.DispositionOf(now, w.question.ID, w.result, d.Path)
		if fate == w.fate {
			continue
		}
		if err := n.actUpon(folder, d.Name(), w, fate); err != nil {
			n.log.Warn("acceptance not stored", "err", err)
			continue
		}
		n.mark(d, w, fate)
	}
}

// actUpon accepts an answer that stands as it was written and takes back one that does not.
func (n *Notes) actUpon(folder *folders.Folder, noteName string, w writtenAnswer, fate handlers.Disposition) error {
	ctx, cancel := context.WithTimeout(n.editor.Context(), editor.ReplyTime)
	defer cancel()
	question := w.asked()
	switch fate {
	case handlers.Changed:
		return folder.TakeBack(ctx, noteName, question, w.result, history.Edited)
	case handlers.Gone:
		return folder.TakeBack(ctx, noteName, question, w.result, history.Rejected)
	}
	if history.CheckKeepable(w.result) == nil {
		return folder.Accept(ctx, noteName, question, w.result)
	}
	folder.Observe(noteName, question, w.result, history.Accepted)
	return nil
}

// mark remembers what the user did with an answer, unless the question has got another answer since.
func (n *Notes) mark(d *Document, w writtenAnswer, fate handlers.Disposition) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if now, there := d.answers[w.question.ID]; there && now.fate == w.fate {
		now.fate = fate
		d.answers[w.question.ID] = now
	}
}
