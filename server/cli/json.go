package cli

import (
	"bytes"
	"encoding/json"
	"path/filepath"

	"lacuna/knowledge"
	"lacuna/knowledge/eval"
	"lacuna/knowledge/passage"
	"lacuna/knowledge/sanitise"
	"lacuna/server/workspace"
)

// printJSON prints a value as one line and passes it on at once, for whoever reads as we go.
func (p *program) printJSON(value any) error {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return err
	}
	if _, err := p.out.Write(sanitise.JSON(text.Bytes())); err != nil {
		return err
	}
	return p.out.Flush()
}

// searchJSON is one line of search --format json.
type searchJSON struct {
	QID   string    `json:"qid"`
	Query string    `json:"query"`
	Hits  []hitJSON `json:"hits"`
}

// hitJSON is a passage found, with its text.
type hitJSON struct {
	evidenceJSON
	Title    string   `json:"title,omitempty"`
	Headings []string `json:"headings,omitempty"`
	Question string   `json:"question,omitempty"`
	placeJSON
	Text string `json:"text"`
}

// evidenceJSON is a passage found, by name.
type evidenceJSON struct {
	Rank      int     `json:"rank"`
	Source    string  `json:"source"`
	Record    string  `json:"record"`
	Passage   string  `json:"passage"`
	Kind      string  `json:"kind"`
	Score     float64 `json:"score"`
	Retriever string  `json:"retriever"`
}

// placeJSON is where a text stands: bytes start to end of the file, or of the record's field.
type placeJSON struct {
	File  string `json:"file"` // relative to the workspace where it lies inside
	Field string `json:"field,omitempty"`
	Start int    `json:"start"`
	End   int    `json:"end"`
	Line  int    `json:"line"` // a page of a PDF, a paragraph of a Word document
}

func hitsJSON(w *workspace.Workspace, q eval.Query, hits []knowledge.Hit) searchJSON {
	line := searchJSON{QID: q.ID, Query: q.Text, Hits: make([]hitJSON, 0, len(hits))}
	for _, hit := range hits {
		p := hit.Passage
		line.Hits = append(line.Hits, hitJSON{
			evidenceJSON: evidenceOf(hit),
			Title:        p.Title, Headings: p.Headings, Question: p.Question,
			placeJSON: placeOf(w.Root(), p.Place), Text: p.Text,
		})
	}
	return line
}

func evidenceOf(hit knowledge.Hit) evidenceJSON {
	p := hit.Passage
	return evidenceJSON{hit.Rank, p.Source, p.Record, p.ID.String(), string(p.Kind), hit.Score, string(hit.Retriever)}
}

func placeOf(root string, at passage.Place) placeJSON {
	return placeJSON{File: display(root, at.File), Field: at.Field, Start: at.Span.Start, End: at.Span.End, Line: at.Line}
}

// display is a path as it is shown: relative to the workspace, with forward slashes, where it lies
// inside.
func display(root, path string) string {
	if relative, err := filepath.Rel(root, path); err == nil && filepath.IsLocal(relative) {
		return filepath.ToSlash(relative)
	}
	return path
}
