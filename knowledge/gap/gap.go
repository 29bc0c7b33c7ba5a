package gap

import (
	"strings"

	"lacuna/knowledge/passage"
)

// Code is the kind of a gap; it is the code of the diagnostic that shows it.
type Code string

const (
	MissingTopic  Code = "missing-topic"  // the sources do not treat the subject
	MissingAspect Code = "missing-aspect" // they treat the subject but not this aspect of it
	// MissingKnowledge marks what a model that read the evidence did not find in it.
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

// Gap is one thing that the sources do not know.
type Gap struct {
	// ID identifies the gap among its question's gaps and stays the same when the question is judged
	// again: the code, followed by a hash of the text if a question can have several gaps of the code.
	ID          string
	Code        Code
	Text        string // what is missing, in words; at most [MaxText] characters
	Query       string // what to search for to fill it
	Status      Status
	Probability float64            // that it is really missing, calibrated
	Nearest     []*passage.Passage // of the page that the question names; at most three, nearest first
	Evidence    []passage.ID       // what fills it, if it is Retrieved
}

// IDOf returns the identity of a gap with this code and text.
func IDOf(code Code, text string) string {
	if code != MissingKnowledge {
		return string(code)
	}
	id := passage.IDOf(strings.ToLower(text))
	return string(code) + "/" + id.String()[:8]
}

// MaxText is the maximal length of a gap's text in characters.
const MaxText = 120

// Verdict is the judge's verdict on one question.
type Verdict struct {
	// Probability that the sources do not hold what the question needs: the larger of Topic and
	// Aspect. All three lie in 0..1.
	Probability float64
	Topic       float64 // that the subject is missing
	Aspect      float64 // that the subject is there but the aspect asked for is not; 0 if the base has no labels
	// Gaps lists what is missing, most certain first; at most one of each code, and at least one if
	// Probability is [MissingFrom] or more. [SeverityOf] says which of them deserve a mark.
	Gaps []Gap
	// OffTopic says that the sources know next to nothing about the subject of the question.
	OffTopic bool
}

// Severity says how loudly a gap should be shown.
type Severity uint8

const (
	Silent      Severity = iota // not shown as a diagnostic
	Information                 // probably missing
	Warning                     // almost certainly missing
)

// MissingFrom is the probability from which something is taken to be missing. It is one threshold for
// everything: from here on no answer is given outright, and below it there is no mark.
const MissingFrom = 0.6

// Missing reports whether something with this probability is taken to be missing.
func Missing(probability float64) bool { return probability >= MissingFrom }

// warnAt is the probability from which a gap is almost certain. On the development questions, half of which
// lacked their evidence, a gap from there on was wrong for 0-2 % of the covered questions, and for 7 % of precise
// claims against a dense base.
const warnAt = 0.9

// smallBase is the number of passages from which a collection is judged by its vectors and a calibration of its
// own.
const smallBase = 10_000

// SeverityOf returns the severity of a gap with the given probability.
func SeverityOf(probability float64) Severity {
	switch {
	case probability >= warnAt:
		return Warning
	case Missing(probability):
		return Information
	}
	return Silent
}

// Severity returns how loudly to show a gap. A silent gap is named with its answer and nowhere else.
func (g Gap) Severity() Severity { return SeverityOf(g.Probability) }

// maxNearest is the number of nearest passages that a gap carries.
const maxNearest = 3
