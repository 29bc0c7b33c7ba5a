package server

import (
	"context"
	"fmt"

	"go.lsp.dev/protocol"

	"lacuna/handlers"
	"lacuna/handlers/lsp"
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
	edits := make([]protocol.TextEdit, len(edit.Edits))
	for i, one := range edit.Edits {
		edits[i] = protocol.TextEdit{Range: handlers.SpanRange(snapshot.Note.Lines, one.Span, e.client.Encoding), NewText: one.NewText}
	}
	whole := lsp.WorkspaceEdit{Changes: map[protocol.DocumentURI][]protocol.TextEdit{snapshot.URI: edits}}
	if e.client.DocumentChanges {
		whole = lsp.WorkspaceEdit{DocumentChanges: []any{textEdit(snapshot.URI, &snapshot.Version, edits)}}
	}
	return e.apply(ctx, label, whole)
}

func textEdit(uri protocol.DocumentURI, version *int32, edits []protocol.TextEdit) lsp.TextDocumentEdit {
	return lsp.TextDocumentEdit{
		TextDocument: protocol.OptionalVersionedTextDocumentIdentifier{
			TextDocumentIdentifier: protocol.TextDocumentIdentifier{URI: uri},
			Version:                version,
		},
		Edits: edits,
	}
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
		textEdit(uri, nil, []protocol.TextEdit{{NewText: text}}),
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
