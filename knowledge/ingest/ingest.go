// Package ingest reads the user's sources into passages and reports what it skipped and why.
package ingest

import "lacuna/knowledge/passage"

// Source is a configured source. Path is absolute.
type Source struct {
	Name     string
	Kind     passage.Kind
	Path     string   // a folder or a file
	Include  []string // doublestar patterns relative to Path; empty means every format we read
	Exclude  []string
	Fields   Fields
	Implicit bool // found as the workspace's kb/ folder rather than configured
	// Confined refuses files whose real path lies outside Path; it is set for sources that a
	// workspace names, so that a link in a cloned repository cannot read the user's home.
	Confined bool
}

// Fields are the names of the columns of a JSON Lines or CSV source. Zero values mean the defaults
// of the configuration reference.
type Fields struct {
	ID, Question, Answer, Also       string // question-answer pairs; defaults id question answer synonyms
	Title, Section, Text             string // passages; defaults title section text
	Document, Date, Topic, Kind, URL string // defaults ref date focus qtype url
}

// FileState says what became of a file.
type FileState string

const (
	Indexed FileState = "indexed"
	Skipped FileState = "skipped"
	Failed  FileState = "failed"
)

// FileReport is the fate of one file of a source.
type FileReport struct {
	Source   string
	File     string // absolute path
	State    FileState
	Reason   string // why it was skipped, failed, or read only in part; empty when all is well
	Passages int
	Line     int // where the reason applies; 0 when it applies to the whole file
}
