package note

import (
	"slices"
	"strings"
)

// NotAnswered begins the first line of a block that says that there is no answer. Blocks are read by these
// words, so they stay as they are.
const NotAnswered = "Not answered"

// Open reports whether a question still waits for an answer: there is no block below it, or one that says
// that there is no answer, or an empty one. A block to which somebody has added a statement is an answer,
// whatever its first line says; so is one that was written for the question before it was changed.
func (n *Note) Open(q Question) bool {
	if q.Answer < 0 {
		return true
	}
	a := n.Answers[q.Answer]
	if a.Status == "" {
		return len(a.Statements) == 0 && len(a.Citations) == 0
	}
	added := slices.ContainsFunc(a.Statements, func(s Statement) bool { return s.Basis == Uncited })
	return strings.HasPrefix(a.Status, NotAnswered) && !added
}

// OpenQuestions are the questions that are open, in order. What a directive keeps from being asked is no
// question.
func (n *Note) OpenQuestions() []Question {
	return slices.DeleteFunc(slices.Clone(n.Questions), func(q Question) bool { return !n.Open(q) })
}
