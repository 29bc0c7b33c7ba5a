package server

import (
	"context"
	"maps"
	"slices"
	"time"

	"go.lsp.dev/protocol"

	"lacuna/handlers"
	"lacuna/handlers/lsp"
	"lacuna/handlers/messages"
	"lacuna/handlers/note"
	"lacuna/knowledge/answer"
	"lacuna/knowledge/history"
)

// What people make of answers. Where the user has answers harvested, an answer that stands unchanged
// in a note that is saved is accepted, and taken back if it is changed or removed later in the session.
// Which way of answering the user overruled is remembered in any case: that is an action of theirs.

// wrote is an answer that this session has written below a question.
type wrote struct {
	question note.Question
	result   answer.Result
	fate     handlers.Fate // that was acted upon last; empty at first
}

// left is what was written into a note that has been closed since.
type left struct {
	path    string
	wrote   answers
	renamed bool // since it was closed
}

// answers are those that this session has written into a note.
type answers map[note.QuestionID]wrote

// Wrote remembers an answer until the note is closed, and then for a note that is being renamed. An editor
// that saves by itself may have saved the note with the answer before it said that the answer is there.
func (e *editor) Wrote(uri protocol.DocumentURI, q note.Question, r answer.Result) {
	e.mu.Lock()
	doc := e.documents[lsp.Key(uri)]
	if doc == nil {
		e.mu.Unlock()
		return
	}
	if doc.wrote == nil {
		doc.wrote = make(answers)
	}
	doc.wrote[q.ID] = wrote{question: q, result: r}
	saved := doc.saved
	e.mu.Unlock()
	if saved != nil && handlers.FateOf(saved, q.ID, r, doc.path) == handlers.Standing {
		e.observe(doc, saved)
	}
}

// Overrule keeps a label of two answers, of which the user preferred the second.
func (e *editor) Overrule(uri protocol.DocumentURI, q note.Question, first, second answer.Result) {
	doc := e.document(uri)
	if doc == nil {
		return
	}
	if label, ok := history.Preferred(first, second, q.Text, doc.name(), time.Now()); ok {
		e.label(e.baseOf(uri), label)
	}
}

// writtenTime bounds the wait for an answer that is just being written: the editor may show it, and a
// person accept it, before the command that writes it knows.
const writtenTime = 2 * replyTime

// Accept keeps the answer below a question, if it stands there as it was written.
func (e *editor) Accept(ctx context.Context, uri protocol.DocumentURI, q note.Question) error {
	turn, cancel := context.WithTimeout(ctx, writtenTime)
	defer cancel()
	end, err := e.Turn(turn, uri)
	if err != nil {
		return lsp.Failed("%s", messages.BeingWritten)
	}
	defer end()
	e.mu.Lock()
	doc := e.documents[lsp.Key(uri)]
	if doc == nil {
		e.mu.Unlock()
		return lsp.Failed("%s", messages.DocumentClosed)
	}
	w, known := doc.wrote[q.ID]
	now, b := doc.note, doc.base
	e.mu.Unlock()
	if !known || handlers.FateOf(now, q.ID, w.result, doc.path) != handlers.Standing {
		return lsp.Failed("%s", messages.OtherAnswer)
	}
	if err := e.accept(ctx, b, doc.name(), w); err != nil {
		return err
	}
	e.mark(doc, w, handlers.Standing)
	return nil
}

// mostLeft is of how many closed notes it is kept what was written into them. Who renames a note opens it
// again at once, and answers hold on to the passages that they quote.
const mostLeft = 64

// leave keeps what was written into a note that is closed, until it is opened again: it may be opened under
// another name. The caller holds session.mu.
func (s *session) leave(doc *document) {
	if len(doc.wrote) > 0 && doc.path != "" {
		if len(s.left) >= mostLeft {
			clear(s.left)
		}
		s.left[lsp.PathKey(doc.path)] = left{path: doc.path, wrote: doc.wrote}
	}
}

// rejoin takes up what was written into a note that was closed to be renamed. The caller holds session.mu.
func (s *session) rejoin(doc *document) {
	key := lsp.PathKey(doc.path)
	if was := s.left[key]; was.path != doc.path || was.renamed {
		doc.wrote = maps.Clone(was.wrote)
	}
	delete(s.left, key)
}

// follow gives what was written into notes to the names that these have now. An editor may close and open
// a note before or after it tells of its new name.
func (s *session) follow(renames handlers.Renames) {
	s.mu.Lock()
	defer s.mu.Unlock()
	was := slices.Collect(maps.Values(s.left))
	for _, doc := range s.documents {
		if len(doc.wrote) > 0 && doc.path != "" {
			was = append(was, left{path: doc.path, wrote: doc.wrote})
		}
	}
	for _, l := range was {
		to := renames.Apply(l.path)
		if to == l.path {
			continue
		}
		delete(s.left, lsp.PathKey(l.path))
		if doc := s.documents[lsp.Key(lsp.URI(to))]; doc != nil && doc.wrote == nil {
			doc.wrote = maps.Clone(l.wrote)
		} else if doc == nil {
			s.left[lsp.PathKey(to)] = left{path: to, wrote: l.wrote, renamed: true}
		}
	}
}

// accept keeps an answer in a note as a pair. It serves once the index has been refreshed.
func (s *session) accept(ctx context.Context, b *base, noteName string, w wrote) error {
	opened := b.now.Load().workspace
	if opened == nil {
		return lsp.Failed("%s", messages.SourcesNotOpen)
	}
	pair, err := history.PairOf(w.result, w.question.Text, noteName, time.Now())
	if err != nil {
		return err
	}
	if err := opened.History().Accept(ctx, pair); err != nil {
		return err
	}
	s.observed(b, noteName, w, history.Kept)
	wake(b.stale)
	return nil
}

// takeBack drops the pair of an answer that did not stay as it was.
func (s *session) takeBack(ctx context.Context, b *base, noteName string, w wrote, how history.How) error {
	opened := b.now.Load().workspace
	if opened == nil {
		return nil
	}
	dropped, err := opened.History().Forget(ctx, history.PairID(noteName, w.question.Text))
	if err != nil {
		return err
	}
	if dropped {
		wake(b.stale)
	}
	s.observed(b, noteName, w, how)
	return nil
}

// observed keeps a label of what the user did with an answer that a gate had decided about.
func (s *session) observed(b *base, noteName string, w wrote, how history.How) {
	if label, ok := history.Observed(w.result, how, w.question.Text, noteName, time.Now()); ok {
		s.label(b, label)
	}
}

func (s *session) label(b *base, label history.Label) {
	opened := b.now.Load().workspace
	if opened == nil {
		return
	}
	ctx, cancel := context.WithTimeout(s.conn.Context(), replyTime)
	defer cancel()
	label.Model = opened.Models().Reader
	if err := opened.History().Keep(ctx, label); err != nil {
		s.log.Warn("label not kept", "err", err)
	}
}

// observe acts upon what became of the answers of a note that has been saved, one save after another
// in the order in which they came. It keeps nothing unless the user has answers harvested. Closing a
// note says nothing more: what was not saved by then was thrown away.
func (s *session) observe(doc *document, now *note.Note) {
	s.mu.Lock()
	doc.saved = now
	s.saves = append(s.saves, func() { s.decideFates(doc, now) })
	first := len(s.saves) == 1
	s.mu.Unlock()
	if first {
		go s.observeSaves()
	}
}

// observeSaves runs until no save is left. The one at work stays in the list, so that the next one does
// not begin a goroutine of its own.
func (s *session) observeSaves() {
	for {
		s.mu.Lock()
		next := s.saves[0]
		s.mu.Unlock()
		next()
		s.mu.Lock()
		s.saves = s.saves[1:]
		done := len(s.saves) == 0
		s.mu.Unlock()
		if done {
			return
		}
	}
}

// decideFates acts upon the answers whose fate is another one than the last.
func (s *session) decideFates(doc *document, now *note.Note) {
	defer s.contain("history")
	s.mu.Lock()
	b := doc.base
	s.mu.Unlock()
	if now.Private {
		s.forgetNote(b, doc.name())
		return
	}
	if !b.settings().History.Harvest {
		return
	}
	for _, w := range s.written(doc) {
		fate := handlers.FateOf(now, w.question.ID, w.result, doc.path)
		if fate == w.fate {
			continue
		}
		if err := s.actUpon(b, doc.name(), w, fate); err != nil {
			s.log.Warn("acceptance not kept", "err", err)
			continue
		}
		s.mark(doc, w, fate)
	}
}

// forgetNote drops what was kept of a note before it became private.
func (s *session) forgetNote(b *base, name string) {
	opened := b.now.Load().workspace
	if opened == nil {
		return
	}
	ctx, cancel := context.WithTimeout(s.conn.Context(), replyTime)
	defer cancel()
	found, err := opened.History().ForgetNote(ctx, name)
	if err != nil {
		s.log.Warn("what was kept of a private note is not forgotten", "err", err)
	}
	if found {
		wake(b.stale)
	}
}

// actUpon keeps an answer that stands as it was written and takes back one that does not.
func (s *session) actUpon(b *base, noteName string, w wrote, fate handlers.Fate) error {
	ctx, cancel := context.WithTimeout(s.conn.Context(), replyTime)
	defer cancel()
	switch fate {
	case handlers.Changed:
		return s.takeBack(ctx, b, noteName, w, history.Edited)
	case handlers.Gone:
		return s.takeBack(ctx, b, noteName, w, history.Removed)
	}
	if history.Keepable(w.result) == nil {
		return s.accept(ctx, b, noteName, w)
	}
	s.observed(b, noteName, w, history.Kept)
	return nil
}

// accepted returns the accepted answer of a record.
func (b *base) accepted(record string) (history.Pair, bool) {
	opened := b.now.Load().workspace
	if opened == nil {
		return history.Pair{}, false
	}
	pairs, err := opened.History().Pairs()
	if err != nil {
		b.s.log.Warn("accepted answers not read", "err", err)
	}
	for _, pair := range pairs {
		if pair.ID == record {
			return pair, true
		}
	}
	return history.Pair{}, false
}

// logUnread says which lines of what is kept of answers cannot be read. They keep nothing from working.
func (b *base) logUnread(w Workspace) {
	unread, err := w.History().Unread()
	for _, u := range unread {
		b.s.log.Warn("a line of the history cannot be read; it is kept as it is and serves nothing", "file", u.File, "line", u.Line)
	}
	if err != nil {
		b.s.log.Warn("the history cannot be read", "err", err)
	}
}

// noteOf is a note as it is now.
func (s *session) noteOf(doc *document) *note.Note {
	s.mu.Lock()
	defer s.mu.Unlock()
	return doc.note
}

// written are the answers that this session has written into a note.
func (s *session) written(doc *document) []wrote {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []wrote
	for _, w := range doc.wrote {
		all = append(all, w)
	}
	return all
}

// mark remembers what was acted upon, unless the question has got another answer meanwhile.
func (s *session) mark(doc *document, w wrote, fate handlers.Fate) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if now, there := doc.wrote[w.question.ID]; there && now.fate == w.fate {
		now.fate = fate
		doc.wrote[w.question.ID] = now
	}
}
