package notes

import (
	"context"
	"time"

	"lacuna/handlers"
	"lacuna/handlers/messages"
	"lacuna/handlers/note"
	"lacuna/server/editor"
)

// An editor may say that an edit is applied, or that it is for an old version, before it reports the
// change. So commands edit a note one after the other, and each waits for that report first: an edit made
// without it would be for an outdated text.
const (
	// gatherTime bounds the wait of a command for the change that its edit has made, or that explains why
	// it was refused. Editors gather what is typed for some tenths of a second.
	gatherTime = 500 * time.Millisecond
	// reportTime bounds the same wait of the next command. Some editors report nothing until a command that
	// they wait for has ended.
	reportTime = editor.ReplyTime
)

// LockEdits waits until no other command edits a document and the editor has reported the edit before.
// Unlock lets the next command edit. A nil document is not open and needs no lock.
func (n *Notes) LockEdits(ctx context.Context, d *Document) (unlock func(), err error) {
	if d == nil {
		return func() {}, nil
	}
	select {
	case d.editing <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	n.mu.Lock()
	edited := d.edited
	n.mu.Unlock()
	n.awaitChange(ctx, d, edited, reportTime)
	n.mu.Lock()
	if d.version == edited { // the report will not come; the next command does not wait for it
		d.edited = edited - 1
	}
	n.mu.Unlock()
	return func() { <-d.editing }, nil
}

// ApplyEdit asks the editor to change the document, if it is still at that version, and returns
// once the editor has reported the change or is not expected to any more. Applied is false with a
// reason when the editor refused or the document has moved. Not every editor says when an edit was
// not made because the document has moved. The caller must hold the edit lock.
func (n *Notes) ApplyEdit(ctx context.Context, label string, edit handlers.DocumentEdit) (applied bool, reason string, err error) {
	snapshot, d := n.Capture(edit.URI)
	if d == nil {
		return false, messages.DocumentClosed, nil
	}
	if snapshot.Version != edit.Version {
		return false, messages.DocumentChanged, nil
	}
	applied, reason, err = n.applyTo(ctx, d, label, snapshot.Note, edit)
	if err != nil {
		return applied, reason, err
	}
	if applied && !edit.Changes(snapshot.Note) { // there is nothing to report
		return true, "", nil
	}
	if applied {
		n.mu.Lock()
		d.edited = edit.Version
		n.mu.Unlock()
	}
	n.awaitChange(ctx, d, edit.Version, gatherTime)
	return applied, reason, err
}

// applyTo sends an edit of a document, which has been made when the client says so. A client that declared
// nothing may only report the change: ALE makes edits and answers no request.
func (n *Notes) applyTo(ctx context.Context, d *Document, label string, before *note.Note, edit handlers.DocumentEdit) (bool, string, error) {
	if n.editor.DeclaresEdits() {
		return n.editor.Apply(ctx, label, n.editor.Client().WorkspaceEdit(before, edit))
	}
	if !edit.Changes(before) { // such a client could not tell that it is made
		return true, "", nil
	}
	type answer struct {
		applied bool
		reason  string
		err     error
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	answers := make(chan answer, 1)
	go func() {
		applied, reason, err := n.editor.Apply(ctx, label, n.editor.Client().WorkspaceEdit(before, edit))
		answers <- answer{applied, reason, err}
	}()
	made := make(chan struct{})
	go func() {
		if n.awaitEdit(ctx, d, before, edit) {
			close(made)
		}
	}()
	select {
	case a := <-answers:
		return a.applied, a.reason, a.err
	case <-made:
	}
	select {
	case a := <-answers:
		return a.applied, a.reason, a.err
	case <-time.After(gatherTime):
		return true, "", nil
	}
}

// awaitEdit waits until a document holds what an edit puts into it, or until ctx ends.
func (n *Notes) awaitEdit(ctx context.Context, d *Document, before *note.Note, edit handlers.DocumentEdit) bool {
	for {
		n.mu.Lock()
		now, dirty := d.note, d.dirty
		n.mu.Unlock()
		if edit.Made(before, now) {
			return true
		}
		select {
		case <-dirty:
		case <-ctx.Done():
			return false
		}
	}
}
