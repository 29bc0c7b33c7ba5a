// Package document holds the block model between the readers of file formats and the passages made of
// them: headings, paragraphs, list items, table rows, code, footnotes and the rest, each with its bytes.
//
// Every reader produces a [Document]: for a format whose text is the file's own (Markdown, Org) with
// spans of the file, for others (PDF, Word, HTML) with a [Builder], which writes the text they extract.
// [Document.Sections] then groups blocks below their headings, and [Link] finds what introduces each
// block. The package knows no format and opens no files.
package document

import (
	"strings"

	"lacuna/knowledge/passage"
)

// Document is what a reader made of a file. Its spans are bytes of Text.
type Document struct {
	Text   string
	Format passage.Format // of Text; it decides how sentences are found
	Title  string         // may be empty
	// Aliases are other names of the document.
	Aliases []string
	Date    string // as written
	About   passage.Metadata
	Blocks  []Block        // in order and apart; text outside them is markup, or left out
	Marks   []passage.Mark // the lines, pages or paragraphs of the file on which extracted text stands; none if Text is the file's own
	Omitted []Omission
	Hidden  int    // comments, invisible characters and hidden elements: what readers of the file do not see
	Partly  string // why some of the file's text is missing; empty if none is
	// Personal says that the document is about a patient, whose record it is. It counts as private.
	Personal bool
	// Keywords are properties in which a document may say that it is private.
	Keywords []string
}

// Block is a part of a document.
type Block struct {
	Kind         passage.BlockKind
	passage.Span        // with its marker or bars
	Level        int    // of a heading, of a list item, or of a paragraph inside an item, from 1; else 0
	Label        string // of a heading: its words, as they appear above passages; empty for none
	Lead         int    // 1 plus the index of the block that introduces it; 0 for none. [Link] sets what the reader left 0
	Chrome       Chrome // why it is not part of the content; such a block is not quoted
	// Together says that the block stays in one passage with the block before it, if both fit: a row of
	// a table with the row before.
	Together bool
	// Apart says that no passage joins it to the block before it, for example because hidden text is
	// between.
	Apart bool
}

// Unread is the error for a file that no reader takes, although its name has the ending of one. It says
// why in words for the user.
type Unread string

func (u Unread) Error() string { return string(u) }

// Chrome says why a block is not content. It is empty for content.
type Chrome string

// Kinds of chrome. The names are what users read in the list of what was left out.
const (
	Content     Chrome = ""
	Navigation  Chrome = "navigation"
	Breadcrumbs Chrome = "breadcrumbs"
	RunningHead Chrome = "running heads and page numbers"
	Contents    Chrome = "table of contents"
	Index       Chrome = "index of words"
	Notice      Chrome = "cookie and site notices"
	Quoted      Chrome = "quoted earlier messages"
	Signature   Chrome = "signatures"
)

// Omission counts what a reader left out of a document.
type Omission struct {
	What  string `json:"what"`            // such as "navigation" or "comments"
	Count int    `json:"count,omitempty"` // of places
	Words int    `json:"words,omitempty"` // if known
	// Lost says that it is content which could not be read, rather than left out on purpose.
	Lost bool `json:"lost,omitempty"`
}

// Omit counts one place that was left out, with its words.
func (d *Document) Omit(what string, words int) {
	d.Add(Omission{What: what, Count: 1, Words: words})
}

// Lose counts one place of content that could not be read.
func (d *Document) Lose(what string, words int) {
	d.Add(Omission{What: what, Count: 1, Words: words, Lost: true})
}

// Add counts what was left out, with what was left out for the same reason before.
func (d *Document) Add(more Omission) {
	for i := range d.Omitted {
		if o := &d.Omitted[i]; o.What == more.What && o.Lost == more.Lost {
			o.Count += more.Count
			o.Words += more.Words
			return
		}
	}
	d.Omitted = append(d.Omitted, more)
}

// LineAt returns the line of the file on which extracted text stands at an offset.
func (d *Document) LineAt(offset int) int {
	line := 1
	if len(d.Marks) > 0 {
		line = int(d.Marks[max(0, lastMark(d.Marks, offset))].Line)
	}
	return line
}

// TakeTitle makes the label of the first level-one heading the title, unless there is a title. The
// heading then labels no passage.
func (d *Document) TakeTitle() {
	for i := range d.Blocks {
		b := &d.Blocks[i]
		if b.Kind != passage.Heading || b.Level != 1 || b.Label == "" || b.Chrome != Content {
			continue
		}
		if d.Title == "" || strings.EqualFold(d.Title, b.Label) {
			d.Title, b.Label = b.Label, ""
		}
		return
	}
}
