package server

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"go.lsp.dev/protocol"

	"lacuna/handlers"
	"lacuna/handlers/lsp"
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
	if !e.client.ApplyEdit {
		return false, textNoApplyEdit, nil
	}
	snapshot, ok := e.Snapshot(edit.URI)
	doc := e.document(edit.URI)
	if !ok || doc == nil {
		return false, textClosed, nil
	}
	if snapshot.Version != edit.Version {
		return false, textMoved, nil
	}
	applied, reason, err = e.apply(ctx, label, e.client.WorkspaceEdit(snapshot.Note, edit))
	if err != nil || applied && !edit.Changes(snapshot.Note) { // there may be nothing to tell of
		return applied, reason, err
	}
	if applied {
		e.mu.Lock()
		doc.edited = edit.Version
		e.mu.Unlock()
	}
	e.moved(ctx, doc, edit.Version, gatheredTime)
	return applied, reason, err
}

// apply sends an edit. The library's own ApplyEdit expects a bare boolean and calls every
// conforming reply an error after the edit was made.
func (e *editor) apply(ctx context.Context, label string, edit lsp.WorkspaceEdit) (bool, string, error) {
	var reply protocol.ApplyWorkspaceEditResponse
	params := lsp.ApplyWorkspaceEditParams{Label: label, Edit: edit}
	if err := e.conn.Call(ctx, personTime, protocol.MethodWorkspaceApplyEdit, params, &reply); err != nil {
		return false, "", err
	}
	if !reply.Applied && reply.FailureReason == "" {
		reply.FailureReason = textRefused
	}
	return reply.Applied, reply.FailureReason, nil
}

func (e *editor) CreateFile(ctx context.Context, path, text string) error {
	if !e.client.ApplyEdit || !e.client.ResourceCreate {
		return lsp.Failed(textNoCreate, path)
	}
	uri := lsp.URI(path)
	applied, reason, err := e.apply(ctx, textCreate, lsp.WorkspaceEdit{DocumentChanges: []any{
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

// resolveCodeAction answers with the edit of a code action that was chosen.
func (s *session) resolveCodeAction(params json.RawMessage) (dispatch.Work, error) {
	var action lsp.CodeAction
	var of struct{ Data handlers.Arguments }
	err := json.Unmarshal(params, &action)
	if err == nil {
		err = json.Unmarshal(params, &of)
	}
	if err != nil {
		return dispatch.Work{}, lsp.InvalidParams("%v", err)
	}
	snapshot, open := s.snapshot(of.Data.URI)
	if !open {
		return dispatch.Work{}, lsp.ErrContentModified
	}
	return dispatch.Work{Lane: dispatch.Fast, Run: func(context.Context) (any, error) {
		action.Edit, err = handlers.ResolveRemoval(snapshot, of.Data)
		return action, err
	}}, nil
}
