package sense

// Form is where a candidate stands.
type Form uint8

// The forms of a candidate.
const (
	Paragraph Form = iota
	Heading
	Item
	Task    // an item with an open box, or behind "TODO"
	Done    // an item with a ticked box
	Cell    // of a table
	Callout // a line of a callout or a quotation
	Comment
)

// Candidate is a sentence that may ask, with what stands around it. Texts are as written.
type Candidate struct {
	Text     string
	Unmarked bool // it has no question mark
	Form     Form
	Ahead    string // before it on its lines
	Behind   string // after it in its paragraph
	Above    string // the nearest line above, if not blank
	Below    string // the nearest line below that does not belong to it, blank lines left out
	Deeper   bool   // Below is indented more, as the reply to an item is
	Gap      bool   // blank lines stand between it and Below
	Section  string // the heading it stands under; for a heading, the one above it in rank
	Title    string // of the note
	Replies  bool   // its form says that the writer answers it
	Leaves   bool   // a heading whose section has nothing that would answer it
	// Asked is the share of the lines around it, up to three above and three below, that have a question mark.
	Asked float64
}
