// Package gate decides whether a question needs retrieval at all: by the policies of the CCSK paper, by the
// policies that paper compares itself with, and by plain rules, which are hard to beat (docs/gate.md).
//
// For each question there are two candidate answers, one from the model alone (the closed-book answer) and
// one from retrieved evidence. A policy sees the question and the closed-book answer and decides whether to
// retrieve. It learns from a history of questions for which both answers and their quality are known.
//
// Begin with [Policy] and [Learners]; [Evaluate] compares policies, and [Gated] puts one before a system.
package gate

import (
	"context"

	"lacuna/prompts"
)

// Response is an answer as a model gave it.
type Response struct {
	Text   string
	Choice string // letter, of a question with options; empty when none was chosen
	// Hidden says that there was an answer whose text is no longer known.
	Hidden bool
}

// Question holds the input of a policy's decision.
type Question struct {
	ID      string
	Model   string // that answers
	Text    string
	Options []prompts.Option
	// Closed is the answer without retrieval; nil when there is none.
	Closed *Response
	// Check says what the model found wrong with the question; empty if the model did not check it.
	Check prompts.Class
	// Confidence, in 0..1, is how sure the model said it was that it can answer; nil if it was not asked.
	Confidence *float64
}

// Item is a question of the history: both answers, and how good each was in 0..1.
type Item struct {
	Question
	Retrieved Response
	Score     [2]float64 // of the closed-book answer, of the retrieved one
	EM, F1    [2]float64 // of both answers to an open question with gold answers; NaN if not known
	Golds     []string   // may be empty if the scores are given
	Dataset   string     // to report by; may be empty
	// LeftOut says that its own source was hidden while it was answered, so that it gave nothing away.
	LeftOut bool
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

// scores returns two scores with the label.
func (l Label) scores() [2]float64 {
	switch l {
	case Better:
		return [2]float64{0, 1}
	case Worse:
		return [2]float64{1, 0}
	}
	return [2]float64{.5, .5}
}

// Decision holds a policy's decision about one question, with its reasons.
type Decision struct {
	Policy    string
	Retrieve  bool
	Score     float64 // Retrieve is Score > Threshold
	Threshold float64
	Why       string             // in words, such as "2 of 5 similar questions needed retrieval"
	Signals   map[string]float64 // the parts of the score, by name
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

// Policy decides whether to retrieve. It is immutable and safe for concurrent use.
type Policy interface {
	Name() string
	Decide(q Question) Decision
}

// Arbiter is a policy that also chooses between the two answers once both are there. Other policies take
// the retrieved one.
type Arbiter interface {
	Policy
	// KeepsClosed reports whether the closed-book answer is better after all.
	KeepsClosed(q Question, retrieved Response) bool
}

// Partial is a policy that may have been trained without some of its parts.
type Partial interface {
	Policy
	// Missing says in words which parts are missing, and why.
	Missing() []string
}

// MissingParts returns the parts that a policy was trained without, in words.
func MissingParts(p Policy) []string {
	if partial, ok := p.(Partial); ok {
		return partial.Missing()
	}
	return nil
}

// byQuestion is a policy that may ignore the closed-book answer.
type byQuestion interface{ ByQuestion() bool }

// ByQuestion reports whether a policy decides by the question alone, without a closed-book answer.
func ByQuestion(p Policy) bool {
	q, ok := p.(byQuestion)
	return ok && q.ByQuestion()
}

// Learner fits a policy to a history.
type Learner struct {
	Name    string
	Encodes bool   // it needs an encoder
	Rule    bool   // it needs no history and no encoder: Fit always returns the same
	SameAs  string // name of the policy that decides just like it, under another paper's name; may be empty
	// Knows reports whether a question has what the policy decides by: Fields names these fields of a
	// row of a history. It is nil if every question has it.
	Knows  func(Question) bool
	Fields string
	// Fit fits a policy, deterministically for a seed. With an empty history the policy always retrieves.
	Fit func(ctx context.Context, history []Item, e Encoder, seed uint64) (Policy, error)
}
