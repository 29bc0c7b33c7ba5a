// Package sense tells the questions that a writer wants looked up from sentences that only look like such: politeness,
// rhetoric, what is asked of somebody else, what the writer answers himself, flashcards, quotations. It knows a sentence
// and what stands around it, and nothing of notes as wholes.
//
// A candidate becomes a set of named features (features.go), and a logistic regression over them gives the probability
// that a careful colleague would go and look it up. Its weights are in the program; README.md says how they were made.
package sense

import (
	_ "embed"
	"math"
	"strconv"
	"strings"
)

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
	// Asked is the share of the lines around it, up to three above and three below, that have a question mark.
	Asked float64
}

//go:embed weights.txt
var weightsText string

var weights = readWeights(weightsText)

// readWeights reads a line "FEATURE WEIGHT" each.
func readWeights(text string) map[string]float64 {
	read := make(map[string]float64)
	for line := range strings.Lines(text) {
		name, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		w, err := strconv.ParseFloat(value, 64)
		if err != nil {
			panic("sense: weights.txt: " + err.Error())
		}
		read[name] = w
	}
	return read
}

// Open returns the probability, in 0..1, that the writer wants an answer looked up. It takes some ten microseconds and
// is safe for concurrent use.
func Open(c Candidate) float64 {
	sum := 0.0
	for _, name := range Features(c) {
		sum += weights[name]
	}
	return 1 / (1 + math.Exp(-sum))
}
