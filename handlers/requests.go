package handlers

import (
	"context"
	"encoding/json"

	"go.lsp.dev/protocol"

	"lacuna/handlers/lsp"
)

// CodeActions lists what can be done at a place.
func CodeActions(ctx context.Context, s Snapshot, p *lsp.CodeActionParams) ([]any, error) {
	return []any{}, nil
}

// Hover explains what stands at a place.
func Hover(ctx context.Context, s Snapshot, at protocol.Position) (*protocol.Hover, error) {
	return nil, nil
}

// Definition leads from a citation to its source.
func Definition(ctx context.Context, s Snapshot, at protocol.Position) (any, error) { return nil, nil }

// CodeLens shows the state of each question above it.
func CodeLens(ctx context.Context, s Snapshot) ([]protocol.CodeLens, error) {
	return []protocol.CodeLens{}, nil
}

// Execute runs a command.
func Execute(ctx context.Context, e Editor, command string, args []json.RawMessage) (any, error) {
	return nil, lsp.Failed("%s is no command of Lacuna", command)
}

// Commands are the names Execute knows.
func Commands() []string { return []string{} }

// CodeActionKinds are the kinds CodeActions uses.
func CodeActionKinds() []protocol.CodeActionKind {
	return []protocol.CodeActionKind{protocol.QuickFix, protocol.Refactor}
}
