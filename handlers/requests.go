package handlers

import (
	"context"

	"go.lsp.dev/protocol"
)

// Hover explains what stands at a place.
func Hover(ctx context.Context, s Snapshot, at protocol.Position) (*protocol.Hover, error) {
	return nil, nil
}

// Definition leads from a citation to its source.
func Definition(ctx context.Context, s Snapshot, at protocol.Position) (any, error) { return nil, nil }
