// Package notebook reads Jupyter notebooks: Markdown as text, code with what introduces it, and short
// output. Places are cells; the first is 1. Begin with [Read].
package notebook

import (
	"context"
	"encoding/json"
	"errors"
	"regexp"
	"strings"

	"lacuna/knowledge/document"
	"lacuna/knowledge/passage"
)

// ErrNotNotebook says that a file is JSON of another kind, or none.
var ErrNotNotebook = errors.New("not a notebook")

// shortOutput bounds the output that is kept: a longer one is data.
const (
	shortOutputLines = 12
	shortOutputBytes = 600
)

// notebook is a file of version 3 or 4 of the format.
type notebook struct {
	Cells      []cell
	Worksheets []struct{ Cells []cell } // of version 3
	Metadata   struct {
		Title   string
		Date    string
		Authors []struct{ Name string }
		Tags    []string
	}
}

type cell struct {
	Type    string `json:"cell_type"`
	Source  lines
	Input   lines // of version 3
	Level   int   // of a heading of version 3
	Outputs []output
}

type output struct {
	Type string `json:"output_type"`
	Text lines
	Data map[string]json.RawMessage
}

// lines is text that may be written as a list of lines.
type lines string

// UnmarshalJSON reads text. It takes anything else for none.
func (l *lines) UnmarshalJSON(data []byte) error {
	var text string
	var parts []string
	switch {
	case json.Unmarshal(data, &text) == nil:
	case json.Unmarshal(data, &parts) == nil:
		text = strings.Join(parts, "")
	}
	*l = lines(strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n"))
	return nil
}

// Read reads a notebook. markdown finds the structure of the Markdown of a cell, with spans of it.
func Read(_ context.Context, content []byte, markdown func(source string) document.Document) (document.Document, error) {
	var n notebook
	var mistyped *json.UnmarshalTypeError
	if err := json.Unmarshal(content, &n); err != nil && !errors.As(err, &mistyped) {
		return document.Document{}, ErrNotNotebook
	}
	for _, sheet := range n.Worksheets {
		n.Cells = append(n.Cells, sheet.Cells...)
	}
	if n.Cells == nil {
		return document.Document{}, ErrNotNotebook
	}
	w := writer{markdown: markdown}
	w.Format, w.Title, w.Date, w.About.Tags = passage.Markdown, n.Metadata.Title, n.Metadata.Date, n.Metadata.Tags
	for _, a := range n.Metadata.Authors {
		if a.Name != "" {
			w.About.Authors = append(w.About.Authors, a.Name)
		}
	}
	for i, c := range n.Cells {
		w.cell(c, i+1)
		if w.text.Len() > document.MaxText {
			return document.Document{}, document.ErrTooMuchText
		}
	}
	w.Text = w.text.String()
	if len(w.Blocks) > 0 && w.Blocks[0].Kind == passage.Paragraph && w.Title == "" {
		if m := boldLine.FindStringSubmatch(w.Text[w.Blocks[0].Start:]); m != nil {
			w.Title = m[1]
		}
	}
	w.TakeTitle()
	return w.Document, nil
}

// boldLine is the first line of a notebook whose title is written in bold, above headings such as "Setup".
var boldLine = regexp.MustCompile(`^\*\*([^*\n]{3,120})\*\*[ \t]*(?:\n|$)`)

// writer writes the text of a notebook.
type writer struct {
	document.Document
	text     strings.Builder
	markdown func(string) document.Document
	number   int // of the cell
}

func (w *writer) cell(c cell, number int) {
	w.number = number
	source := controls.ReplaceAllString(string(c.Source+c.Input), "")
	switch c.Type {
	case "markdown":
		w.add(w.markdown(source), source)
	case "heading":
		text := strings.Join(strings.Fields(source), " ")
		w.block(document.Block{Kind: passage.Heading, Level: min(max(c.Level, 1), 6), Label: text}, text)
	case "code":
		w.block(document.Block{Kind: passage.Code}, code(source))
		w.outputs(c.Outputs, len(w.Blocks))
	default: // raw text for other programs
		if words := len(strings.Fields(source)); words > 0 {
			w.Omit("raw cells", words)
		}
	}
}

// add adds the Markdown of a cell. Its first heading of level one may be the title of the notebook.
func (w *writer) add(d document.Document, source string) {
	at := w.begin(source)
	if at < 0 {
		return
	}
	first := len(w.Blocks)
	for _, b := range d.Blocks {
		if b.Kind == passage.Heading && b.Level == 1 && b.Label == "" {
			b.Label = d.Title
		}
		b.Start += at
		b.End += at
		if b.Lead > 0 {
			b.Lead += first
		}
		w.Blocks = append(w.Blocks, b)
	}
	w.Hidden += d.Hidden
	for _, o := range d.Omitted {
		w.Omit(o.What, o.Words)
	}
}

// block adds a block of its own, unless it is empty.
func (w *writer) block(b document.Block, text string) {
	if at := w.begin(text); at >= 0 {
		b.Start, b.End = at, at+len(text)
		w.Blocks = append(w.Blocks, b)
	}
}

// begin writes text behind a blank line and returns where it begins, or -1 if it is blank.
func (w *writer) begin(text string) int {
	if strings.TrimSpace(text) == "" {
		return -1
	}
	if w.text.Len() > 0 {
		w.text.WriteString("\n\n")
	}
	at := w.text.Len()
	w.Marks = append(w.Marks, passage.Mark{Offset: int32(at), Line: int32(w.number)})
	w.text.WriteString(text)
	return at
}

var (
	escapes  = regexp.MustCompile("\x1b\\[[0-9;?]*[A-Za-z]")
	controls = regexp.MustCompile("[\x00-\x08\x0b-\x1f\x7f]")
)

// code returns code or output as it is shown: without colours, and blank lines at its ends.
func code(text string) string {
	text = controls.ReplaceAllString(escapes.ReplaceAllString(text, ""), "")
	text = strings.TrimRight(text, " \t\n")
	for {
		line, rest, found := strings.Cut(text, "\n")
		if !found || strings.TrimSpace(line) != "" {
			return text
		}
		text = rest
	}
}

// outputs adds short output below the code whose block has a number, and counts the rest.
func (w *writer) outputs(outputs []output, lead int) {
	for _, o := range outputs {
		text := string(o.Text)
		if plain, found := o.Data["text/plain"]; found && text == "" {
			var l lines
			_ = l.UnmarshalJSON(plain) // which takes anything
			text = string(l)
		}
		for kind := range o.Data {
			if strings.HasPrefix(kind, "image/") {
				w.Omit("pictures", 0)
				text = ""
				break
			}
		}
		text = code(text)
		switch words := len(strings.Fields(text)); {
		case o.Type == "error" || o.Type == "pyerr":
			w.Omit("errors of code", words)
		case words == 0:
		case len(text) > shortOutputBytes || strings.Count(text, "\n") >= shortOutputLines || strings.HasPrefix(text, "<") || lead == 0:
			w.Omit("output of code", words)
		default:
			w.block(document.Block{Kind: passage.Code, Lead: lead, Together: true}, text)
		}
	}
}
