package ingest

import (
	"context"
	"time"

	"lacuna/knowledge/document"
	"lacuna/knowledge/ingest/clinical"
)

// extractXML reads the XML of clinical documents, drug labels, articles and manuals.
func extractXML(ctx context.Context, content []byte, _ time.Duration) (document.Document, error) {
	return clinical.ReadXML(ctx, content)
}

// extractJSON reads FHIR resources.
func extractJSON(ctx context.Context, content []byte, _ time.Duration) (document.Document, error) {
	return clinical.ReadJSON(ctx, content)
}
