// Package pdf reads the text of PDF files: paragraphs, headings and table rows in reading order, page by
// page, with their positions.
//
//	bytes ── objects ── fonts ── content ── words ── layout ── tables ── chrome ── outline ── Document
//
// Each step has its own files:
//
//   - objects: object (tokens and values), file (cross-references), filter, crypt
//   - fonts, from codes to text and widths: font, encoding, cmap, fontfile
//   - content, from operators to glyphs and rules: content, annotations
//   - words, from glyphs to words and rows: words
//   - layout, from rows to columns and paragraphs: layout
//   - tables: tables finds them by their columns, grids by their rules
//   - chrome: contents, indexes; running: running heads and page numbers
//   - outline: page labels, bookmarks, headings
//   - structure: list items, captions, footnotes
//
// Begin with parse, which calls these steps in this order, and with [Document], which they fill.
// Positions are points from the lower left corner of the page as shown, rotated so that text runs to the
// right.
//
// A hostile file can make a reader loop, exhaust memory or crash. Every step has limits, and [Read] runs
// them in a child process that is limited in time and memory. A program that reads PDFs must call [Child]
// first. Nothing here opens files or connections.
package pdf

import "errors"

// Document holds the text of a file.
type Document struct {
	Title string   `json:"title"`           // from the file's properties; may be empty
	About []string `json:"about,omitempty"` // subject and keywords
	Pages []Page   `json:"pages"`
	// XFA says that the file is an XFA form, whose content may be outside its pages.
	XFA bool `json:"xfa,omitempty"`
}

// Page holds the text of one page.
type Page struct {
	Number int     `json:"number"`          // from 1
	Label  string  `json:"label,omitempty"` // the page label, if it differs from the number
	Blocks []Block `json:"blocks"`
	// Picture says that the page shows a picture and hardly any text, as a scanned page does.
	Picture bool `json:"picture,omitempty"`
	// Recognised says that OCR made the text out of a picture.
	Recognised bool `json:"recognised,omitempty"`
	// Unmapped counts letters that are left out because their font does not say what they mean.
	Unmapped int `json:"unmapped,omitempty"`
	// Broken says that reading the page failed halfway.
	Broken bool `json:"broken,omitempty"`
}

// Kind says what a block is.
type Kind string

// Kinds of blocks.
const (
	Text     Kind = "text" // a paragraph, a label
	Heading  Kind = "heading"
	Row      Kind = "row"  // of a table
	Item     Kind = "item" // of a list
	Caption  Kind = "caption"
	Footnote Kind = "footnote"
)

// Chrome says why a block is not part of the text.
type Chrome string

// Kinds of chrome.
const (
	NotChrome Chrome = ""
	Artifact  Chrome = "artifact"     // marked as an artifact in the file
	Running   Chrome = "running head" // or foot, or page number
	Contents  Chrome = "contents"     // of a table of contents
	Index     Chrome = "index"        // of an index of words
)

// Block is a paragraph, a heading or a table row. Blocks are in reading order.
type Block struct {
	Kind   Kind   `json:"kind"`
	Level  int    `json:"level,omitempty"` // of a heading, of an item, or of a paragraph inside an item, from 1
	Chrome Chrome `json:"chrome,omitempty"`
	// First marks the first row of a table, Header a row that names the columns.
	First  bool     `json:"first,omitempty"`
	Header bool     `json:"header,omitempty"`
	Cells  []string `json:"cells,omitempty"` // of a row, including empty cells
	Lines  []Line   `json:"lines"`           // from top to bottom; of a row, cell after cell
	turned bool     // it runs in another direction than most of the page
}

// Line is text on one baseline, without leading or trailing space. Its numbers are points (1/72 inch)
// from the lower left corner of the page. If text runs in another direction than to the right, they are
// measured on the page rotated so that it does.
type Line struct {
	Text string  `json:"text"`
	Size float64 `json:"size"` // of most of its letters
	Bold bool    `json:"bold,omitempty"`
	X    float64 `json:"x"`
	Y    float64 `json:"y"`
	End  float64 `json:"end"` // right edge of the last letter
}

// Errors that tell the user what to do about a file.
var (
	ErrEncrypted = errors.New("encrypted")
	ErrNoText    = errors.New("no text, only images; run OCR on it first")
	ErrNoMap     = errors.New("its fonts do not say which letters they show; run OCR on it first")
)
