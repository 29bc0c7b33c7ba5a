// Package gate decides whether a question needs retrieval at all: the policies of the CCSK paper, those
// they are compared with, and the plain rules that are hard to beat.
//
// For each question there are two candidate answers, one from the model alone (the closed-book answer)
// and one from retrieved evidence. A policy sees the question and the closed-book answer and says
// whether to go on to the other one. It learns from a history of questions for which both answers and
// their quality are known.
//
// Begin with [Policy], [Learners] and [Evaluate].
package gate

import (
	"context"

	"lacuna/prompts"
)

// Response is an answer as it came from a model.
type Response struct {
	Text   string
	Choice string // letter, of a question with options; empty when none was chosen
	// Hidden says that there was an answer, but nobody knows any more what it said.
	Hidden bool
}

// Question is what a policy decides about.
type Question struct {
	ID      string
	Model   string // that answers
	Text    string
	Options []prompts.Option
	// Closed is the answer without retrieval; nil when there is none.
	Closed *Response
	// Check is what the model, asked for that, found wrong with the question as it was put; empty where
	// it was not asked.
	Check prompts.Class
	// Confidence is how sure the model, asked for that, said it was that it can answer, in 0..1; nil
	// where it was not asked.
	Confidence *float64
}

// Item is a question of the history: both answers, and how good each was in 0..1.
type Item struct {
	Question
	Retrieved Response
	Score     [2]float64 // of the closed-book answer, of the retrieved one
	EM, F1    [2]float64 // of both answers to an open question with gold answers; NaN where not known
	Golds     []string   // may be empty where the scores are given
	Dataset   string     // where it is from, to report by; may be empty
}

// Label says which of the two answers is better.
type Label string

const (
	Better Label = "ir better"
	Worse  Label = "ir worse"
	Same   Label = "same"
)

// Label compares the scores of the two answers.
func (i Item) Label() Label {
	switch {
	case i.Score[1] > i.Score[0]:
		return Better
	case i.Score[1] < i.Score[0]:
		return Worse
	}
	return Same
}

// scores are two scores that have the label.
func (l Label) scores() [2]float64 {
	switch l {
	case Better:
		return [2]float64{0, 1}
	case Worse:
		return [2]float64{1, 0}
	}
	return [2]float64{.5, .5}
}

// Decision is what a policy says of one question, with its reasons.
type Decision struct {
	Policy    string
	Retrieve  bool
	Score     float64 // that it was decided by; Retrieve where it is above Threshold
	Threshold float64
	Why       string             // in words, such as "2 of 5 similar questions needed retrieval"
	Signals   map[string]float64 // what went into the score, by name
	Near      []Neighbour        // past questions it was compared with, nearest first
	Missing   []string           // parts of the policy that the history was too small for, in words
}

// Neighbour is a past question near a new one.
type Neighbour struct {
	ID         string
	Text       string
	Similarity float64 // cosine
	Label      Label
}

// Policy decides. It is immutable and safe for concurrent use.
type Policy interface {
	Name() string
	Decide(q Question) Decision
}

// Arbiter is a policy that also chooses between the two answers once both are there. Others take the
// retrieved one.
type Arbiter interface {
	Policy
	// KeepsClosed reports whether the closed-book answer is to be kept after all.
	KeepsClosed(q Question, retrieved Response) bool
}

// Partial is a policy that may have been trained without a part of what its name stands for.
type Partial interface {
	Policy
	// Missing says in words which parts are not there, and why; nothing where all are.
	Missing() []string
}

// MissingParts are the parts that a policy was trained without, in words.
func MissingParts(p Policy) []string {
	if partial, ok := p.(Partial); ok {
		return partial.Missing()
	}
	return nil
}

// byQuestion is a policy to which the closed-book answer may make no difference.
type byQuestion interface{ ByQuestion() bool }

// ByQuestion reports whether a policy decides by the question alone, so that the closed-book answer need
// not be had first.
func ByQuestion(p Policy) bool {
	q, ok := p.(byQuestion)
	return ok && q.ByQuestion()
}

// Learner makes a policy from a history.
type Learner struct {
	Name    string
	Encodes bool   // it needs an encoder
	Rule    bool   // it needs no history and no encoder: Fit always returns the same
	SameAs  string // name of the policy that decides just like it, under another paper's name; may be empty
	// Knows reports whether a question comes with what the policy decides by, which are the Fields of
	// a row of a history. It is nil where every question does.
	Knows  func(Question) bool
	Fields string
	// Fit learns; the seed draws what is drawn at random. An empty history is no error: the policy then
	// retrieves.
	Fit func(ctx context.Context, history []Item, e Encoder, seed uint64) (Policy, error)
}
