package server

import (
	"context"
	"encoding/json"
	"fmt"

	"go.lsp.dev/protocol"

	"lacuna/handlers"
	"lacuna/handlers/lsp"
	"lacuna/server/dispatch"
)

func (e *editor) ApplyEdit(ctx context.Context, label string, edit handlers.DocumentEdit) (applied bool, reason string, err error) {
	if !e.client.ApplyEdit {
		return false, textNoApplyEdit, nil
	}
	snapshot, ok := e.Snapshot(edit.URI)
	if !ok {
		return false, textClosed, nil
	}
	if snapshot.Version != edit.Version {
		return false, textMoved, nil
	}
	return e.apply(ctx, label, e.client.WorkspaceEdit(snapshot.Note, edit))
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
