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
// change. So commands edit a note one after the other, and each waits for that news: an edit that is made
// without it is for a text that is there no more.
const (
	// appliedTime bounds the wait for the change that an edit has made.
	appliedTime = replyTime
	// refusedTime bounds the wait for a change that would explain why an edit was refused. Editors gather
	// what is typed for some tenths of a second.
	refusedTime = 500 * time.Millisecond
)

// Turn waits until no other command edits a document. A document that is not open has no turns.
func (e *editor) Turn(ctx context.Context, uri protocol.DocumentURI) (end func(), err error) {
	doc := e.document(uri)
	if doc == nil {
		return func() {}, nil
	}
	select {
	case doc.turn <- struct{}{}:
		return func() { <-doc.turn }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
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
	switch {
	case err != nil:
	case !applied:
		e.moved(ctx, doc, edit.Version, refusedTime)
	case edit.Changes(snapshot.Note): // else there may be nothing to tell of
		e.moved(ctx, doc, edit.Version, appliedTime)
	}
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
