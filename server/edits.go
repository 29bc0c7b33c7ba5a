package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"go.lsp.dev/protocol"

	"lacuna/handlers"
	"lacuna/handlers/lsp"
	"lacuna/handlers/messages"
	"lacuna/handlers/note"
	"lacuna/server/dispatch"
)

// An editor may say that an edit is applied, or that it is for an old version, before it tells of the
// change. So commands edit a note one after the other, and each begins with that news: an edit that is made
// without it is for a text that is there no more.
const (
	// gatheredTime bounds the wait of a command for the change that its edit has made, or that explains why
	// it was refused. Editors gather what is typed for some tenths of a second.
	gatheredTime = 500 * time.Millisecond
	// newsTime bounds the same wait of the next command. Some editors tell of nothing until a command that
	// they wait for has ended.
	newsTime = replyTime
)

// Turn waits until no other command edits a document and the editor has told of the edit before. A
// document that is not open has no turns.
func (e *editor) Turn(ctx context.Context, uri protocol.DocumentURI) (end func(), err error) {
	doc := e.document(uri)
	if doc == nil {
		return func() {}, nil
	}
	select {
	case doc.turn <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	e.mu.Lock()
	edited := doc.edited
	e.mu.Unlock()
	e.moved(ctx, doc, edited, newsTime)
	e.mu.Lock()
	if doc.version == edited { // the news will not come; nobody else waits for it
		doc.edited = edited - 1
	}
	e.mu.Unlock()
	return func() { <-doc.turn }, nil
}

func (e *editor) ApplyEdit(ctx context.Context, label string, edit handlers.DocumentEdit) (applied bool, reason string, err error) {
	snapshot, ok := e.Snapshot(edit.URI)
	doc := e.document(edit.URI)
	if !ok || doc == nil {
		return false, messages.DocumentClosed, nil
	}
	if snapshot.Version != edit.Version {
		return false, messages.DocumentChanged, nil
	}
	applied, reason, err = e.applyTo(ctx, doc, label, snapshot.Note, edit)
	if err != nil {
		return applied, reason, err
	}
	if applied && !edit.Changes(snapshot.Note) { // there is nothing to tell of
		return true, "", nil
	}
	if applied {
		e.mu.Lock()
		doc.edited = edit.Version
		e.mu.Unlock()
	}
	e.moved(ctx, doc, edit.Version, gatheredTime)
	return applied, reason, err
}

// applyTo sends an edit of a document, which has been made when the client says so. A client that declared
// nothing may only tell of the change: ALE makes edits and answers no request.
func (e *editor) applyTo(ctx context.Context, doc *document, label string, before *note.Note, edit handlers.DocumentEdit) (bool, string, error) {
	if e.edits.declared {
		return e.apply(ctx, label, e.client.WorkspaceEdit(before, edit))
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
		applied, reason, err := e.apply(ctx, label, e.client.WorkspaceEdit(before, edit))
		answers <- answer{applied, reason, err}
	}()
	made := make(chan struct{})
	go func() {
		if e.seen(ctx, doc, before, edit) {
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
	case <-time.After(gatheredTime):
		return true, "", nil
	}
}

// seen waits until a document holds what an edit puts into it, or until ctx ends.
func (e *editor) seen(ctx context.Context, doc *document, before *note.Note, edit handlers.DocumentEdit) bool {
	for {
		e.mu.Lock()
		now, changed := doc.note, doc.changed
		e.mu.Unlock()
		if edit.Made(before, now) {
			return true
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return false
		}
	}
}

// apply sends an edit, unless it is known that the client makes none. The library's own ApplyEdit expects a bare boolean and calls every
// conforming reply an error after the edit was made.
func (e *editor) apply(ctx context.Context, label string, edit lsp.WorkspaceEdit) (bool, string, error) {
	if !e.edits.usable() {
		return false, messages.NoApplyEdit, nil
	}
	var reply protocol.ApplyWorkspaceEditResponse
	params := lsp.ApplyWorkspaceEditParams{Label: label, Edit: edit}
	err := e.conn.Call(ctx, e.edits.patience(personTime, replyTime), protocol.MethodWorkspaceApplyEdit, params, &reply)
	e.edits.learn(ctx, err)
	switch {
	case err != nil && !e.edits.usable():
		return false, messages.NoApplyEdit, nil
	case err != nil && ctx.Err() == nil && errors.Is(err, context.DeadlineExceeded):
		return false, messages.NoEditReply, nil
	case err != nil:
		return false, "", err
	}
	if !reply.Applied && reply.FailureReason == "" {
		reply.FailureReason = messages.EditRefused
	}
	return reply.Applied, reply.FailureReason, nil
}

func (e *editor) CreateFile(ctx context.Context, path, text string) error {
	if !e.edits.usable() || !e.client.ResourceCreate {
		return lsp.Failed(messages.NoCreateFile, path)
	}
	uri := lsp.URI(path)
	applied, reason, err := e.apply(ctx, messages.LabelCreatePage, lsp.WorkspaceEdit{DocumentChanges: []any{
		lsp.NewCreateFile(uri),
		lsp.NewTextDocumentEdit(uri, nil, []lsp.TextEdit{{TextEdit: protocol.TextEdit{NewText: text}}}),
	}})
	if err != nil {
		return fmt.Errorf("create %s: %w", path, err)
	}
	if !applied {
		return lsp.Failed("%s was not created: %s", path, reason)
	}
	e.show(ctx, uri)
	return nil
}

// resolveCodeAction answers with the edit of a code action that was chosen, which is as much work as its
// command.
func (s *session) resolveCodeAction(params json.RawMessage) (dispatch.Work, error) {
	var action lsp.CodeAction
	var of struct{ Data handlers.Deferred }
	err := json.Unmarshal(params, &action)
	if err == nil {
		err = json.Unmarshal(params, &of)
	}
	if err != nil {
		return dispatch.Work{}, lsp.InvalidParams("%v", err)
	}
	if _, open := s.snapshot(of.Data.URI); !open {
		return dispatch.Work{}, lsp.ErrContentModified
	}
	return s.command(of.Data.Command, nil, func(ctx context.Context, e *editor) (any, error) {
		action.Edit, err = handlers.Resolve(ctx, e, of.Data)
		return action, err
	}), nil
}
