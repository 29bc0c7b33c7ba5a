package ingest

import (
	"context"
	"time"

	"lacuna/knowledge/document"
	"lacuna/knowledge/ingest/bibliography"
	"lacuna/knowledge/ingest/clinical"
)

// extractXML reads the XML of clinical documents, drug labels, articles and manuals.
func extractXML(ctx context.Context, content []byte, _ time.Duration) (document.Document, error) {
	return clinical.ReadXML(ctx, content)
}

// extractBibTeX reads the abstracts and notes of a reference list.
func extractBibTeX(ctx context.Context, content []byte, _ time.Duration) (document.Document, error) {
	return bibliography.Read(ctx, ".bib", content)
}

// extractJSON reads FHIR resources, and reference lists in CSL.
func extractJSON(ctx context.Context, content []byte, _ time.Duration) (document.Document, error) {
	if bibliography.IsCSL(content) {
		return bibliography.Read(ctx, ".json", content)
	}
	return clinical.ReadJSON(ctx, content)
}
