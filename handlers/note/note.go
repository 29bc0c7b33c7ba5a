// Package note reads and writes the parts of a document that Lacuna cares about: questions, the
// answers it wrote under them, and the citations inside those. It is pure text: it knows neither
// editors nor knowledge bases, and every place is a byte span.
package note

import (
	"lacuna/handlers/position"
	"lacuna/knowledge/passage"
)

// Language is the markup of a document.
type Language string

const (
	Markdown  Language = "markdown"
	Plaintext Language = "plaintext"
)

// LanguageOf chooses the language from an editor's language identifier and the file's name.
func LanguageOf(languageID, path string) Language { panic("not built yet") }

// Note is a parsed document. It is immutable; an edit makes a new one.
type Note struct {
	Text      string
	Language  Language
	Lines     *position.Lines
	Questions []Question // in order of their place; none overlap
	Answers   []Answer   // in order of their place, including those whose question is gone
	Private   bool       // the front matter says "lacuna: private"
}

// QuestionID identifies a question across edits elsewhere in the note: a hash of its text, without
// case, white space and markup, and its ordinal among equal questions.
type QuestionID string

// Question is a question somebody wrote.
type Question struct {
	ID     QuestionID
	Text   string       // without list marker, heading marks and emphasis, on one line
	Span   passage.Span // of the question as written, for diagnostics and edits
	Answer int          // index into Note.Answers of the block below it, or -1
}

// Answer is a block that Lacuna wrote.
type Answer struct {
	Span      passage.Span // the whole block with its marker lines, without the blank line before it
	Question  string       // the identity of the question it answered, as written in the marker
	Marks     []Mark       // citation marks in the text, such as [1], in order
	Citations []Citation   // the sources listed in the block
}

// Mark is a citation mark in the text of an answer.
type Mark struct {
	N     int
	Span  passage.Span
	Quote string // the verbatim text the mark stands behind, white space as in the note
}

// Citation is a source listed in an answer block, with what is needed to find it again.
type Citation struct {
	N       int
	Passage passage.ID
	Path    string // as written: relative to the note's folder where possible
	Line    int
	Span    passage.Span // of the listing in the note
}

// Block is the content of an answer, ready to be written in a note's own markup.
type Block struct {
	Status  string   // the first line, such as "Answered from 2 sources"
	Notes   []string // further lines under the status, such as "Previously answered on 2024-05-01: …"
	Bullets []Bullet
	Sources []BlockSource
}

// Bullet is one verbatim statement with its citation.
type Bullet struct {
	Lead     string // shown before the text in brackets; may be empty
	Text     string
	Citation int
}

// BlockSource is one line of the block's list of sources.
type BlockSource struct {
	N       int
	Passage passage.ID
	Label   string // what a person reads, such as "guidelines/metformin.md:31"
	Path    string // relative path or URI the label links to
	Line    int
}

// Edit replaces a span of the note by new text.
type Edit struct {
	Span    passage.Span
	NewText string
}

// Parse reads a note. It accepts every text, whatever its bytes.
func Parse(text string, language Language) *Note { panic("not built yet") }

// Find returns the question with that identity.
func (n *Note) Find(id QuestionID) (Question, bool) { panic("not built yet") }

// QuestionAt returns the question whose span, or whose answer block, holds the offset.
func (n *Note) QuestionAt(offset int) (Question, bool) { panic("not built yet") }

// Write returns the edit that puts the block under the question, replacing the block that is there.
func (n *Note) Write(q Question, b Block) Edit { panic("not built yet") }

// Remove returns the edit that takes the question's answer out again.
func (n *Note) Remove(q Question) Edit { panic("not built yet") }
