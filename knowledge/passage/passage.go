// Package passage holds the unit of everything Lacuna knows: a passage of one of the user's own
// sources, where it stands, and the identity by which a note cites it.
//
// The package depends on nothing of ours and reads no files. Begin with [Passage].
package passage

import (
	"crypto/md5"
	"encoding/hex"
	"fmt"
	"path"
	"strings"
	"time"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"lacuna/knowledge/plaintext"
)

// ID identifies a passage; a citation in a note finds it again by its ID. Its first half says what the
// passage says, its second half under which title and headings: the same words on two pages are two
// passages. The path of the file is not part of it, so a citation survives moving the file.
type ID [md5.Size]byte

// TextID is the first half of an [ID]: 64 bits of the MD5 of the normalised text, shared by passages of
// the same text. It is the deduplication key of the Misknow-RAG paper.
type TextID [md5.Size / 2]byte

// Text returns the half that passages of the same text share.
func (id ID) Text() TextID { return TextID(id[:md5.Size/2]) }

// IDOf returns the identity of text without title and headings. Texts that differ only in Unicode
// composition or white space share one identity; case matters. Lacuna 0.1 identified every passage this
// way.
func IDOf(text string) ID { return md5.Sum([]byte(normal(text))) }

func normal(text string) string { return plaintext.OneLine(norm.NFC.String(text)) }

// String returns the identity as 32 lower-case hexadecimal digits.
func (id ID) String() string { return hex.EncodeToString(id[:]) }

// ParseID parses the output of [ID.String].
func ParseID(s string) (ID, error) {
	var id ID
	if len(s) != hex.EncodedLen(len(id)) {
		return ID{}, fmt.Errorf("passage id %q: want %d hexadecimal digits", s, hex.EncodedLen(len(id)))
	}
	if _, err := hex.Decode(id[:], []byte(s)); err != nil {
		return ID{}, fmt.Errorf("passage id %q: %w", s, err)
	}
	return id, nil
}

// MarshalText writes an identity as [ID.String] does.
func (id ID) MarshalText() ([]byte, error) { return []byte(id.String()), nil }

// UnmarshalText parses the output of [ID.MarshalText].
func (id *ID) UnmarshalText(text []byte) (err error) {
	*id, err = ParseID(string(text))
	return err
}

// Kind is the kind of record a passage comes from. Its values appear in JSON output.
type Kind string

const (
	Text Kind = "passage" // running text of a document
	QA   Kind = "qa"      // a stored question with its answer
)

// Format is the markup of a passage's text; it decides how sentences are found.
type Format string

const (
	Plain    Format = "plain"
	Markdown Format = "markdown"
	Wrapped  Format = "wrapped" // text whose lines go on: in a block of it, a line end is a space
)

// Span is a half-open range of bytes.
type Span struct{ Start, End int }

// Len returns the number of bytes in the span.
func (s Span) Len() int { return s.End - s.Start }

// Place is where a passage's text stands on disk. The bytes at the place equal [Passage.Text].
type Place struct {
	File  string // absolute path
	Field string // the record's field that holds the text; empty if the text stands in the file itself
	// Record is the byte offset in the file (decompressed, for .gz) at which the record begins. It is 0
	// if Field is empty.
	Record int64
	Span   Span // bytes of the file, or of the decoded field if Field is set
	Line   int  // of the file (first is 1), where the text or its record begins: a line, or what [UnitOf] says
}

// Unit is the unit of [Place.Line].
type Unit int

const (
	Lines      Unit = iota
	Pages           // of a PDF, whose text has no lines of the file
	Paragraphs      // of an office document. In Word these are the w:p elements in order, all of them: empty ones, those in tables, and what is repeated for older programs
	Cells           // of a notebook
	Parts           // of an EPUB file: its pages in the order in which they are read
	Slides          // of a presentation, in the order in which they are shown
)

// UnitOf returns the unit in which places in a file are counted.
func UnitOf(file string) Unit {
	switch strings.ToLower(path.Ext(file)) {
	case ".pdf":
		return Pages
	case ".docx", ".docm", ".dotx", ".dotm", ".odt", ".ott", ".fodt", ".rtf":
		return Paragraphs
	case ".ipynb":
		return Cells
	case ".epub":
		return Parts
	case ".pptx", ".pptm", ".ppsx", ".odp":
		return Slides
	}
	return Lines
}

// Mark says that the text from an offset on stands on another line than the text before it.
type Mark struct{ Offset, Line int32 }

// Passage is one retrievable piece of a source. It is immutable once its library is published.
type Passage struct {
	ID     ID
	Source string // name of the configured source
	// Record is the record's name in its source: a row's id, or the file's path relative to the source,
	// with forward slashes. It is the docid in TREC output.
	Record string
	// Document groups the passages that belong together: the file, or the row's "ref" if it has one, or
	// a stored question's focus. It is never empty.
	Document string
	Kind     Kind
	Format   Format
	Title    string   // of the document, or the focus of a stored question; may be empty
	Headings []string // from the outermost heading inwards, without the title
	// Section says what the passage tells about its title: the innermost heading, the row's "section",
	// or the type of a stored question ("treatment"). It may be empty.
	Section  string
	Text     string   // exactly the bytes at Place
	Question string   // the stored question; only for QA
	Also     []string // other names of the title: aliases of a document, synonyms of a stored question's focus
	Date     string   // of the document or stored answer, as it says; may be empty
	Place    Place
	// Blocks are the parts of the text, in order and apart; none for a record. Leads introduce blocks
	// from outside the text.
	Blocks []Block
	Leads  []Lead
	// About is what the document says about itself; nil if nothing.
	About *Metadata
	// Marks are the lines of extracted text, in order; a text that stands in the file itself has none.
	Marks []Mark
	// Private says that the document states "lacuna: private": its text serves offline answers and must
	// not be sent anywhere.
	Private bool
	// Published says who published the passage and when, if its text is not a file's on this machine but came from
	// elsewhere and was verified; nil for what stands on disk.
	Published *Publication
}

// Publication says who published a passage.
type Publication struct {
	By string    // the key that signed it, as people name it
	On time.Time // UTC, by the publisher's clock
}

// Identify sets the identity. name is the record's own name, such as the id of a row; empty for a
// document, and for a row without a name.
func (p *Passage) Identify(name string) {
	p.ID = p.Bare()
	above := normal(strings.Join(append([]string{name, p.Title, p.Section}, p.Headings...), "\x00"))
	if strings.Trim(above, "\x00") == "" {
		return
	}
	place := md5.Sum([]byte(above))
	copy(p.ID[len(TextID{}):], place[:])
}

// content returns what the passage says.
func (p *Passage) content() string {
	if p.Kind == QA {
		return p.Question + "\n" + p.Text
	}
	return p.Text
}

// Bare returns the identity of the text alone, which earlier versions used.
func (p *Passage) Bare() ID { return IDOf(p.content()) }

// Has reports whether id identifies the passage, now or in an earlier version.
func (p *Passage) Has(id ID) bool { return p.ID == id || p.ID.Text() == id.Text() && p.Bare() == id }

// PlaceOf returns the place of a span of the text. Its line is the line of the span's first word: a table
// bar or list marker before it may stand on another line.
func (p *Passage) PlaceOf(span Span) Place {
	at := p.Place
	first := max(0, strings.IndexFunc(p.Text[span.Start:span.End], IsWordRune))
	at.Line = p.LineAt(span.Start + first)
	at.Span = Span{Start: p.Place.Span.Start + span.Start, End: p.Place.Span.Start + span.End}
	return at
}

// LineAt returns the line of an offset in the text, in the file's unit. Without marks it is the
// record's line.
func (p *Passage) LineAt(offset int) int {
	line := p.Place.Line
	if p.Place.Field == "" {
		return line + LineEnds(p.Text[:offset])
	}
	for _, m := range p.Marks {
		if int(m.Offset) > offset {
			break
		}
		line = int(m.Line)
	}
	return line
}

// LineEnds counts the line ends in a text: line feeds, carriage returns, and both together as one.
func LineEnds(text string) int {
	return strings.Count(text, "\n") + strings.Count(text, "\r") - strings.Count(text, "\r\n")
}

// Indexed returns the text by which the passage is found: title and other names, headings, what
// introduces it, the text, and the document's tags; or, for a stored question, the question with its
// synonyms, because the answer is not indexed.
func (p *Passage) Indexed() string {
	if p.Kind == QA {
		return strings.Join(append([]string{p.Question}, p.Also...), "\n")
	}
	parts := append(p.above(), p.Also...)
	for _, l := range p.Leads {
		parts = append(parts, l.Text)
	}
	parts = append(parts, p.Text)
	if p.About != nil {
		parts = append(parts, p.About.Tags...)
	}
	return strings.Join(parts, "\n")
}

// Names returns what the document is called, or the focus of a stored question: the title, which may be
// empty, and the document's aliases.
func (p *Passage) Names() []string {
	if p.Kind == QA {
		return []string{p.Title}
	}
	return append([]string{p.Title}, p.Also...)
}

// Above returns the title and the headings, one per line.
func (p *Passage) Above() string { return strings.Join(p.above(), "\n") }

func (p *Passage) above() []string {
	parts := make([]string, 0, len(p.Headings)+2)
	if p.Title != "" {
		parts = append(parts, p.Title)
	}
	return append(parts, p.Headings...)
}

// IsWordRune reports whether a rune is a letter or a digit.
func IsWordRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
