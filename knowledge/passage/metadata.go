package passage

import (
	"reflect"
	"strconv"
)

// Metadata is what a document says about itself. Its passages share one.
type Metadata struct {
	Description  string   `json:"description,omitempty"`
	Tags         []string `json:"tags,omitempty"`
	Authors      []string `json:"authors,omitempty"`
	Version      string   `json:"version,omitempty"`
	Replaces     string   `json:"replaces,omitempty"`      // the document that this one replaces
	SupersededBy string   `json:"superseded_by,omitempty"` // the document that replaces this one
	ReviewDue    string   `json:"review_due,omitempty"`    // as written, preferably a date like 2026-05-31
	Page         string   `json:"page,omitempty"`          // address or identifier of the original, such as a DOI
	// Pages are the printed numbers of the pages of a PDF file, where they differ from their places.
	Pages []PageLabels `json:"pages,omitempty"`
}

// IsZero reports whether a document says nothing about itself.
func (m Metadata) IsZero() bool { return reflect.ValueOf(m).IsZero() }

// PageLabel returns the number of a page as it is printed on it; empty if it is unknown or the page's
// place in the file.
func (m *Metadata) PageLabel(page int) string {
	if m == nil {
		return ""
	}
	for i := len(m.Pages) - 1; i >= 0; i-- {
		if l := m.Pages[i]; l.From <= page {
			if label := l.label(page); label != strconv.Itoa(page) {
				return label
			}
			break
		}
	}
	return ""
}
