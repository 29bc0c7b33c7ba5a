package office

import (
	"context"
	"errors"

	"lacuna/knowledge/document"
)

// RTF reads a document in Rich Text Format.
func RTF(ctx context.Context, content []byte) (document.Document, error) {
	return document.Document{}, errors.ErrUnsupported
}
