// Package pdf takes the text from PDF files: paragraphs, headings and rows of tables in reading order,
// page by page, with their places.
//
// A file passes through these steps, each in files of its own: objects (object, file, filter, crypt),
// what codes mean (font, encoding, cmap, fontfile), the text and the rules that a page draws (content,
// annotations), words and rows (words), reading order (layout, tables, grids), and what the parts are to
// the document (chrome, outline). parse joins them. Places are points from the lower left
// corner of the page as it is shown, turned so that text runs to the right.
//
// A hostile file can make a reader turn in circles, fill the memory or end the program. Every step is
// bounded, and [Read] besides runs them in a child process with limits of time and memory. The program
// that wants PDFs calls [Child] before anything else. Nothing here opens files or connections.
package pdf

import "errors"

// Document is the text of a file.
type Document struct {
	Title string   `json:"title"`           // as the file's own information gives it; may be empty
	About []string `json:"about,omitempty"` // its subject and keywords
	Pages []Page   `json:"pages"`
	// XFA says that the file is a form whose content may be elsewhere than on its pages.
	XFA bool `json:"xfa,omitempty"`
}

// Page is the text of one page. Pages count from 1.
type Page struct {
	Number int     `json:"number"`
	Label  string  `json:"label,omitempty"` // what the file calls it, where that is not its number
	Blocks []Block `json:"blocks"`
	// Broken says that the page could not be read to its end.
	Broken bool `json:"broken,omitempty"`
}

// Kind classifies a block.
type Kind string

// Kinds of blocks.
const (
	Text    Kind = "text" // a paragraph, an item of a list, a label
	Heading Kind = "heading"
	Row     Kind = "row" // of a table
)

// Chrome is why a block is no part of what the document says.
type Chrome string

// Kinds of chrome.
const (
	NotChrome Chrome = ""
	Artifact  Chrome = "artifact"     // marked as such in the file
	Running   Chrome = "running head" // or foot, or page number
	Contents  Chrome = "contents"     // of a table of contents
	Index     Chrome = "index"        // of an index of words
)

// Block is a part of a page that belongs together, in reading order.
type Block struct {
	Kind   Kind   `json:"kind"`
	Level  int    `json:"level,omitempty"` // of a heading, from 1
	Chrome Chrome `json:"chrome,omitempty"`
	// First marks the first row of a table, and Header a row that names the columns of those below.
	First  bool     `json:"first,omitempty"`
	Header bool     `json:"header,omitempty"`
	Cells  []string `json:"cells,omitempty"` // of a row, with empty ones in their places
	Lines  []Line   `json:"lines"`           // from top to bottom; of a row, cell after cell
}

// Line is a stretch of text on one baseline, without leading or trailing space. Its numbers are points,
// of which 72 make an inch; pages grow upwards from their lower left corner. Text that runs in another
// direction than to the right is measured on the page turned so that it does.
type Line struct {
	Text string  `json:"text"`
	Size float64 `json:"size"` // of most of its letters
	Bold bool    `json:"bold,omitempty"`
	X    float64 `json:"x"`
	Y    float64 `json:"y"`
	End  float64 `json:"end"` // where its last letter ends
}

// Errors that tell the user what to do about a file.
var (
	ErrEncrypted = errors.New("encrypted")
	ErrNoText    = errors.New("no text, only images; run OCR on it first")
)
