// Package gap judges, without a model, what the sources lack for a question: how probable it is
// that they do not hold the answer, what exactly is missing, and what to search for instead.
//
// The judge is calibrated on the user's own base without labels, by hiding documents from it and
// asking questions about them (the rehearsal). Begin with [Judge].
package gap

import "lacuna/knowledge/passage"

// Code is the kind of a gap; it is the code of the diagnostic that shows it.
type Code string

const (
	MissingTopic  Code = "missing-topic"  // the sources do not treat the subject
	MissingAspect Code = "missing-aspect" // they treat the subject but not this side of it
)

// Status is where a gap is in its life.
type Status string

const (
	Open      Status = "open"
	Dismissed Status = "dismissed"
)

// Gap is one thing the sources do not know.
type Gap struct {
	Code        Code
	Text        string // what is missing, in words; at most 120 characters
	Query       string // what to search for to fill it
	Status      Status
	Probability float64            // that it is really missing, calibrated
	Nearest     []*passage.Passage // at most three, nearest first
}
