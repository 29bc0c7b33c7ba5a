package ingest

import (
	"regexp"
	"strings"

	"lacuna/knowledge/passage"
)

// Lacuna's own marks in notes, as package note writes and reads them.
var (
	ownMarkdown = regexp.MustCompile(`(?s)<!--\s*lacuna:answer\s.*?<!--\s*lacuna:end\s*-->|<!--\s*lacuna:\s*off\s*-->.*?(?:<!--\s*lacuna:\s*on\s*-->|\z)`)
	ownPlain    = regexp.MustCompile(`(?ms)^--- lacuna answer [^\n]*$.*?^--- end of lacuna answer ---$|` +
		`^[^\n]*\blacuna:answer\s.*?\blacuna:end\b[^\n]*$|^[^\n]*\blacuna:\s*off\b[^\n]*$.*?(?:\blacuna:\s*on\b[^\n]*$|\z)`)
	ownMark   = regexp.MustCompile(`\blacuna:`)
	ownAnswer = regexp.MustCompile(`lacuna:answer|lacuna answer`)
)

// ownBlocks finds, in order, what must not become evidence: the answers that Lacuna wrote, or it
// would quote itself as a source, and what the writer told it to leave alone.
func ownBlocks(body string, format passage.Format) []passage.Span {
	if !strings.Contains(body, "lacuna") {
		return nil // most documents; the patterns below cost more than all else
	}
	pattern := ownPlain
	if format == passage.Markdown {
		pattern = ownMarkdown
	}
	var spans []passage.Span
	for _, at := range pattern.FindAllStringIndex(body, -1) {
		spans = append(spans, passage.Span{Start: at[0], End: at[1]})
	}
	return spans
}
