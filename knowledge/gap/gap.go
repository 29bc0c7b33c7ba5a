// Package gap judges, without a model, what the sources lack for a question: how probable it is
// that they do not hold the answer, what exactly is missing, and what to search for instead.
//
// The judge is calibrated on the user's own base without labels, by hiding documents from it and
// asking questions about them (the rehearsal, fitted by [Companion]). It sees whether the subject
// of a question is there, and in bases whose passages carry headings or whose stored questions
// carry a type, whether that side of the subject is. It does not read: one fact missing from a
// well covered subject is beyond it.
//
// Gaps that a model named come from package answer; package ledger stores them beyond a session.
//
// Begin with [Judge].
package gap

import (
	"strings"

	"lacuna/knowledge/passage"
)

// Code is the kind of a gap; it is the code of the diagnostic that shows it.
type Code string

const (
	MissingTopic  Code = "missing-topic"  // the sources do not treat the subject
	MissingAspect Code = "missing-aspect" // they treat the subject but not this side of it
	// MissingKnowledge is what a model that read the evidence missed in it.
	MissingKnowledge Code = "missing-knowledge"
)

// Status is where a gap is in its life.
type Status string

const (
	Open      Status = "open"
	Retrieved Status = "retrieved" // a second search found it in the sources
	Generated Status = "generated" // the sources lack it; a model wrote background about it
	Dismissed Status = "dismissed"
)

// Gap is one thing the sources do not know.
type Gap struct {
	// ID tells the gaps of one question apart and stays the same when they are judged again: the
	// code, followed by a hash of the text where a question can have several of the code.
	ID          string
	Code        Code
	Text        string // what is missing, in words; at most [MaxText] characters
	Query       string // what to search for to fill it
	Status      Status
	Probability float64            // that it is really missing, calibrated
	Nearest     []*passage.Passage // at most three, nearest first
	Evidence    []passage.ID       // what fills it, where it is Retrieved
}

// IDOf is the identity of a gap with this code and text.
func IDOf(code Code, text string) string {
	if code != MissingKnowledge {
		return string(code)
	}
	id := passage.IDOf(strings.ToLower(text))
	return string(code) + "/" + id.String()[:8]
}

// MaxText is the length of a gap's text in characters at most.
const MaxText = 120

// Verdict is what the judge holds of one question.
type Verdict struct {
	// Probability that the sources do not hold what the question needs: the larger of Topic and
	// Aspect. All three lie in 0..1.
	Probability float64
	Topic       float64 // that the subject is missing
	Aspect      float64 // that the subject is there but this side of it is not; 0 where the base has no labels
	// Gaps are the things missing, most certain first; at most one of each code, and at least one
	// where Probability is [MissingFrom] or more. [SeverityOf] says which of them deserve a mark.
	Gaps []Gap
	// OffTopic says that the sources know next to nothing of what the question is about.
	OffTopic bool
}

// Severity says how loudly a gap should be shown.
type Severity uint8

const (
	Silent      Severity = iota // not shown as a diagnostic
	Information                 // probably missing
	Warning                     // almost certainly missing
)

// MissingFrom is the probability from which something is taken to be missing. It is one line for
// everything that is said of a question: from here on no answer is outright, and below it there is
// no mark.
const MissingFrom = 0.6

// Missing reports whether what is missing with this probability is taken to be missing.
func Missing(probability float64) bool { return probability >= MissingFrom }

// Thresholds of [SeverityOf]. On the development questions, half of which lacked their evidence,
// a gap from warnAt was wrong for 0-2 % of the covered questions (7 % for precise claims against a
// dense base) and one from MissingFrom for 2-26 %. Small bases know few words, so more of any question
// looks missing there and they are shown later.
const (
	warnAt      = 0.9
	showSmallAt = 0.75
)

// smallBase is how many passages a base, or a shelf of one, needs to be judged as a large one.
const smallBase = 2000

// SeverityOf is the severity of a gap of the given probability in a library of so many passages
// and stored questions.
func SeverityOf(probability float64, passages int) Severity {
	from := MissingFrom
	if passages < smallBase {
		from = showSmallAt
	}
	switch {
	case probability >= warnAt:
		return Warning
	case probability >= from:
		return Information
	}
	return Silent
}

// Severity is how loudly a gap should be shown in a library of so many passages and stored
// questions. A silent one is named beside its answer and nowhere else. What a model missed in what it
// read does not depend on how much else there is.
func (g Gap) Severity(passages int) Severity {
	if g.Code == MissingKnowledge {
		passages = smallBase
	}
	return SeverityOf(g.Probability, passages)
}

// maxNearest is how many nearest passages a gap carries.
const maxNearest = 3
