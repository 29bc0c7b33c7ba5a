package history

import (
	"strings"
	"time"

	"lacuna/knowledge/answer"
	"lacuna/knowledge/gate"
	"lacuna/prompts"
)

// How says what the user did that shows which answer was better.
type How string

const (
	Overruled How = "override" // had the question answered the other way
	Accepted  How = "accepted" // left the answer as it was, or said that it is right
	Edited    How = "edited"
	Rejected  How = "rejected"
)

// Label says which of the two answers to a question was better. It is a row for [gate.Read].
type Label struct {
	ID        string  `json:"id"`    // of the question in its note
	Model     string  `json:"model"` // as the settings name it, like the gate's history
	Question  string  `json:"question"`
	Closed    *string `json:"closed,omitempty"`    // the answer of the model alone; nil if not known
	Retrieved *string `json:"retrieved,omitempty"` // the answer from sources; nil if not known
	// Check and Confidence are what the model said about the question and how sure it was, if it was
	// asked before it answered.
	Check      prompts.Class `json:"check,omitempty"`
	Confidence *float64      `json:"closed_confidence,omitempty"`

	Label gate.Label `json:"label"`
	How   How        `json:"how"`
	Date  string     `json:"date"` // such as 2026-11-21
	Note  string     `json:"note"`
}

// LabelOfPreference returns the label of a question that the user had answered by the model alone or from
// the sources and then asked for the other way: the second answer is preferred. It is false if both answers
// are of one kind.
func LabelOfPreference(first, second answer.Result, question, note string, at time.Time) (Label, bool) {
	if IsFromSources(first) == IsFromSources(second) {
		return Label{}, false
	}
	l := labelOf(question, note, Overruled, at, first, second)
	l.Label = gate.Worse
	if IsFromSources(second) {
		l.Label = gate.Better
	}
	return l, true
}

// LabelOfAction returns the label of what the user did with an answer that a gate had decided on. It is false
// if no gate had decided: then nothing was chosen that could be wrong. An edited answer counts for neither
// side.
func LabelOfAction(r answer.Result, how How, question, note string, at time.Time) (Label, bool) {
	if r.Decision == nil {
		return Label{}, false
	}
	l := labelOf(question, note, how, at, r)
	switch right := how == Accepted; {
	case how == Edited:
		l.Label = gate.Same
	case right == IsFromSources(r):
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
		if IsFromSources(r) {
			l.Retrieved = &text
		} else {
			l.Closed = &text
		}
	}
	return l
}

// IsFromSources reports whether an answer was made from the sources rather than by a model alone, whose
// sentences may have been looked up in the sources afterwards.
func IsFromSources(r answer.Result) bool {
	if r.Decision != nil {
		return r.Decision.Retrieve && !r.Decision.OwnAnswer
	}
	for _, s := range r.Trace {
		if s.Stage == answer.StageRetrieve {
			return true
		}
	}
	return len(r.Models) == 0 || answer.Supported(r.Statements) && !r.CitedAfterwards
}

func textOf(r answer.Result) string {
	said := make([]string, len(r.Statements))
	for i, s := range r.Statements {
		said[i] = s.Reads()
	}
	return strings.Join(said, " ")
}
