package history

import (
	"strings"
	"time"

	"lacuna/knowledge/answer"
	"lacuna/knowledge/gate"
	"lacuna/prompts"
)

// How says by what a person showed which answer served.
type How string

const (
	Overruled How = "override" // had the question answered the other way
	Kept      How = "accepted" // left the answer as it was, or said that it is right
	Edited    How = "edited"
	Removed   How = "rejected"
)

// Label says of a question which of the two answers served better. Its rows are those that
// [gate.Read] reads.
type Label struct {
	ID        string  `json:"id"`    // of the question in its note
	Model     string  `json:"model"` // as the settings name it, like the gate's history
	Question  string  `json:"question"`
	Closed    *string `json:"closed,omitempty"`    // the answer of the model alone; nil where it is not known
	Retrieved *string `json:"retrieved,omitempty"` // the answer from sources; nil where it is not known
	// Check and Confidence are what the model said of the question and of how sure it is, where it was
	// asked before it answered.
	Check      prompts.Class `json:"check,omitempty"`
	Confidence *float64      `json:"closed_confidence,omitempty"`

	Label gate.Label `json:"label"`
	How   How        `json:"how"`
	Date  string     `json:"date"` // such as 2026-11-21
	Note  string     `json:"note"`
}

// Preferred is the label of a person who had a question answered by the model alone or from the
// sources and then asked for the other: the second is the one they preferred. It is false where the
// two are of one kind.
func Preferred(first, second answer.Result, question, note string, at time.Time) (Label, bool) {
	if Searched(first) == Searched(second) {
		return Label{}, false
	}
	l := labelOf(question, note, Overruled, at, first, second)
	l.Label = gate.Worse
	if Searched(second) {
		l.Label = gate.Better
	}
	return l, true
}

// Observed is the label of a person who did something with an answer before which a gate had decided.
// It is false where none had: then nothing was chosen that could have been wrong. An answer that was
// edited tells for neither side.
func Observed(r answer.Result, how How, question, note string, at time.Time) (Label, bool) {
	if r.Decision == nil {
		return Label{}, false
	}
	l := labelOf(question, note, how, at, r)
	switch right := how == Kept; {
	case how == Edited:
		l.Label = gate.Same
	case right == Searched(r):
		l.Label = gate.Better
	default:
		l.Label = gate.Worse
	}
	return l, true
}

func labelID(note, question string) string { return identity("label", note, question) }

func labelOf(question, note string, how How, at time.Time, answers ...answer.Result) Label {
	l := Label{ID: labelID(note, question), Question: question, How: how, Date: at.Format(time.DateOnly), Note: note}
	for _, r := range answers {
		if d := r.Decision; d != nil && d.Confidence != nil {
			l.Check, l.Confidence = d.Check, d.Confidence
		}
		text := textOf(r)
		if Searched(r) {
			l.Retrieved = &text
		} else {
			l.Closed = &text
		}
	}
	return l
}

// Searched reports whether an answer is from the sources rather than from a model alone, whose sentences
// may have been looked up in them afterwards.
func Searched(r answer.Result) bool {
	if r.Decision != nil {
		return r.Decision.Retrieve && !r.Decision.OwnAnswer
	}
	for _, s := range r.Trace {
		if s.Stage == answer.StageRetrieve {
			return true
		}
	}
	return len(r.Models) == 0 || len(r.Citations) > 0 && !r.CitedAfterwards
}

func textOf(r answer.Result) string {
	said := make([]string, len(r.Statements))
	for i, s := range r.Statements {
		said[i] = wording(s)
	}
	return strings.Join(said, " ")
}
