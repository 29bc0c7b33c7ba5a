// Package note reads and writes the parts of a document that Lacuna cares about: questions, the
// answers it wrote below them, and the citations in those answers. It is pure text: it knows neither
// editors nor knowledge bases, and every place is a span of bytes.
//
// To read a note, begin with [Parse]; after an edit, [Note.WithText] reads only what changed. To write
// an answer, begin with [Note.Write]. What differs between languages is a markup (markup.go): Markdown
// and plain text are in markdown.go, and every other language has a file of its own.
package note

import (
	"cmp"
	"sync"

	"lacuna/handlers/note/sense"
	"lacuna/handlers/position"
	"lacuna/knowledge/passage"
	"lacuna/knowledge/question"
)

// Language is the markup of a document.
type Language string

const (
	Markdown  Language = "markdown"
	Plaintext Language = "plaintext"
	Org       Language = "org"
	Latex     Language = "latex"
	RST       Language = "restructuredtext"
	AsciiDoc  Language = "asciidoc"
	Typst     Language = "typst"
)

// Note is a parsed document. It is immutable; an edit makes a new one.
type Note struct {
	Text      string
	Language  Language
	Lines     *position.Lines
	Questions []Question // in order of their place; none overlap; see [Sense]
	Answers   []Answer   // in order of their place, including those whose question is gone
	Headings  []Heading  // in order of their place, questions among them; none in answers
	Private   bool       // the note says "lacuna: private", or something that can only mean it
	// Unclear is the line that makes the note private if it is not written as expected; else empty.
	Unclear passage.Span

	withheld bool // the note is private whatever it says
	// candidates holds all sentences that may ask, in order of their place; Questions are those of them that count.
	candidates []Question
	markup     *markup
	front      int           // lines of the front matter
	joints     []int         // lines that can be read without the lines above, ascending; see WithText
	unclosed   bool          // an answer block has lost its last line
	running    []runningLine // lines of running text, in order
	seen       *paragraphs   // what earlier versions of the note knew of their paragraphs
}

// QuestionID identifies a question across edits elsewhere in the note: a hash of its letters and
// digits, without case, and its ordinal among equal questions.
type QuestionID string

// Heading is a heading of a note.
type Heading struct {
	Level int          // 1 is the outermost that the language has; levels may be left out
	Text  string       // without markup, on one line; may be empty
	Span  passage.Span // of its line, or of its underlined lines, without surrounding white space
}

// Question is a question in a note.
type Question struct {
	ID     QuestionID
	Text   string       // without list marker, heading marks and emphasis, on one line
	Span   passage.Span // of the question as written, for diagnostics
	Answer int          // index into Note.Answers of the block below it, or -1
	// Replied says that the writer answers it: in the section below it, if it is a heading, behind "A:", or by ticking
	// it off.
	Replied bool
	// Sense says how surely its writer wants an answer looked up.
	Sense Sense
	// Options are the answers to choose from on the lines below the question; none of an open question.
	Options []question.Option

	lines    passage.Span // its whole lines, those of its options among them, without the last line end
	heading  bool         // is a heading
	explicit bool         // a directive or "Q:" makes it a question
	unmarked bool         // it has no question mark
	form     sense.Form   // where it stands
	indent   string       // what the lines of its answer begin with, to stay in a list item
	root     QuestionID   // the identity without the ordinal
}

// Settled reports whether nothing is to be looked up for a question that Lacuna has not answered: its writer answers
// it, or does not mean it as one.
func (q Question) Settled() bool { return q.Answer < 0 && (q.Replied || q.Sense == Unlikely) }

// Sense says how surely the writer of a question wants an answer looked up. A question that a directive or "Q:" makes
// one is always Certain.
type Sense uint8

// The senses, each surer than the one before.
const (
	Unlikely Sense = iota // rhetoric, politeness, what is asked of somebody else, what the writer answers
	Likely                // perhaps one
	Certain
)

// Answer is a block that Lacuna wrote.
type Answer struct {
	Span       passage.Span // from the beginning of the first marker line to the end of the last
	Question   string       // the identity of the question it answered, as written in the marker
	Status     string       // the first line of text, without markup: how far the question is answered
	Statements []Statement  // in order
	Marks      []Mark       // citation marks in the text, such as [1], in order
	Missing    []Missing    // what it says the sources lack, in order
	Citations  []Citation   // the sources that the block lists or links to, in order
	Lean       bool         // it is written in the lean form
	Quoted     bool         // somebody put it into a quotation
}

// Missing is a line of an answer that names what the sources lack.
type Missing struct {
	Text string
	Span passage.Span // of the line, without white space around it
}

// Mark is a citation mark in the text of an answer.
type Mark struct {
	N     int
	Span  passage.Span // of the mark, or of the words of a link
	Basis Basis        // of its statement: Quote, Place or Claim
	Quote string       // the verbatim text before it, white space folded to single spaces; empty for a claim
}

// Citation is a source that an answer block lists, with what is needed to find it again.
type Citation struct {
	N       int
	Passage passage.ID   // zero in a lean answer, where the quote finds the passage
	Path    string       // as written: relative to the note's folder where possible
	Line    int          // 0 if none is written
	Quote   string       // the verbatim text that claims rest on; empty where statements quote it
	Span    passage.Span // of the listing, or of the link behind a quote
	Label   string       // as written, in a lean answer
	Linked  bool         // it is a link behind a quote, of a lean answer
	Wiki    bool         // the link is one of a wiki: Path is the name of a page, with folders if it needs them
	Heading string       // that such a link leads to; may be empty
	Edited  bool         // the quote is not what a lean answer was written with; false if that is not known
}

// AsPrivate returns the note as private, whatever it says; so are the notes made of it by [Note.WithText].
func (n *Note) AsPrivate() *Note {
	private := *n
	private.Private, private.withheld = true, true
	return &private
}

// Find returns the question with that identity.
func (n *Note) Find(id QuestionID) (Question, bool) {
	for _, q := range n.Questions {
		if q.ID == id {
			return q, true
		}
	}
	return Question{}, false
}

// QuestionAt returns the question on whose lines, or in whose answer block, the offset lies.
func (n *Note) QuestionAt(offset int) (Question, bool) {
	at, found := Question{}, false
	for _, q := range n.Questions {
		if contains(q.Span, offset) {
			return q, true
		}
		if contains(q.lines, offset) && (!found || q.Span.Start <= offset) { // several may share their lines
			at, found = q, true
		}
	}
	if found {
		return at, true
	}
	for _, q := range n.Questions {
		if q.Answer >= 0 && contains(n.Answers[q.Answer].Span, offset) {
			return q, true
		}
	}
	return Question{}, false
}

// CitationAt returns the answer's citation at the offset: on a mark, or on the line that lists the
// source. Quote is the verbatim text that is cited there: the mark's, the listing's, or else the first
// mark's with that number.
func (n *Note) CitationAt(offset int) (cited Citation, quote string, span passage.Span, ok bool) {
	for _, a := range n.Answers {
		if !contains(a.Span, offset) {
			continue
		}
		for _, m := range a.Marks {
			if contains(m.Span, offset) {
				cited, ok = a.citation(m.N)
				return cited, cmp.Or(m.Quote, cited.Quote), m.Span, ok
			}
		}
		for _, c := range a.Citations {
			if contains(c.Span, offset) {
				return c, cmp.Or(c.Quote, a.quote(c.N)), c.Span, true
			}
		}
	}
	return Citation{}, "", passage.Span{}, false
}

// StatementAt returns the statement whose words are at the offset.
func (n *Note) StatementAt(offset int) (Statement, bool) {
	for _, a := range n.Answers {
		for _, s := range a.Statements {
			if contains(s.Span, offset) {
				return s, true
			}
		}
	}
	return Statement{}, false
}

func (a *Answer) citation(n int) (Citation, bool) {
	for _, c := range a.Citations {
		if c.N == n {
			return c, true
		}
	}
	return Citation{}, false
}

func (a *Answer) quote(n int) string {
	for _, m := range a.Marks {
		if m.N == n {
			return m.Quote
		}
	}
	return ""
}

// contains includes the end: a cursor behind the last letter is still on the word.
func contains(s passage.Span, offset int) bool { return s.Start <= offset && offset <= s.End }

// Sentence is a sentence of a note that says something: one that a person wrote, or a statement of an answer.
type Sentence struct {
	Key  string // a digest: equal for sentences with the same words, question and citations
	Text string // as people read it, on one line: without markup, citations and remarks
	// Span is the sentence in the note, without citations and remarks behind it; End is behind these.
	Span    passage.Span
	End     int
	Cites   []Cite // in order; none if it cites nothing
	Opinion bool   // marked as the writer's own
	// Answer and Statement are indices of the statement of an answer that it is; Answer is -1 in running text.
	Answer, Statement int
	Question          string // that the answer answers; empty in running text
}

// Cite is a pointer of a sentence to a source.
type Cite struct {
	Passage passage.ID // of a source that an answer lists; zero in running text
	Path    string     // as written: relative to the note's folder, or absolute; of a link
	Line    int        // 0 if none is written
	Quote   string     // words of the passage that a lean answer's list of sources has; may be empty
	Name    string     // of a page, a place such as "guidelines/gout.md", or a key, where there is no Path
	Heading string     // of the page; may be empty
}

// runningLine is a line of running text, without its markers and without white space around it.
type runningLine struct {
	passage.Span
	continues bool // the paragraph of the line before
}

// paragraphs caches what the paragraphs of a note say, for all versions of the note. It is safe for concurrent
// use.
type paragraphs struct {
	mu    sync.Mutex
	cited map[paragraphKey][]Sentence // by text, with spans relative to the paragraph; guarded by mu
	// last is the version that was asked about last, with or without sentences that cite nothing; running has its
	// sentences in running text, and all these and its statements. Guarded by mu.
	last         *Note
	uncited      bool
	running, all []Sentence
	read         map[sense.Candidate]sense.Reading // readings of candidates; guarded by mu
}

type paragraphKey struct {
	text    string
	uncited bool
}
