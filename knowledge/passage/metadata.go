package passage

import "reflect"

// Metadata is what a document says about itself. Its passages share one.
type Metadata struct {
	Description string   `json:"description,omitempty"`
	Tags        []string `json:"tags,omitempty"`
	Authors     []string `json:"authors,omitempty"`
	Version     string   `json:"version,omitempty"`
	Replaces    string   `json:"replaces,omitempty"`   // the document that this one replaces
	ReviewDue   string   `json:"review_due,omitempty"` // as written, preferably a date like 2026-05-31
	Page        string   `json:"page,omitempty"`       // address or identifier of the original, such as a DOI
}

// IsZero reports whether a document says nothing about itself.
func (m Metadata) IsZero() bool { return reflect.ValueOf(m).IsZero() }
