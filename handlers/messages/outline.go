package messages

import (
	"fmt"
	"strings"
)

// Texts behind questions in an outline or in the text.
const (
	StateAnswering = "being answered"
	stateAnswered  = "answered"
	stateOpen      = "open"

	HintTooltip = "How likely it is that your sources have what this question needs, how much of the answer cites them, and what is missing. Hover over the question to see more."
)

// Hint says how far a question is covered, 0..1 or below 0 if unknown, and by what.
func Hint(covered float64, cited, statements, places, gaps int) string {
	var parts []string
	if covered >= 0 {
		parts = append(parts, fmt.Sprintf("covered %.0f %%", 100*covered))
	}
	if statements > 0 {
		parts = append(parts, fmt.Sprintf("%d of %s cited", cited, count(statements, "sentence")))
	}
	if places > 0 {
		parts = append(parts, count(places, "nearest place"))
	}
	if gaps > 0 {
		parts = append(parts, count(gaps, "gap"))
	}
	return strings.Join(parts, " · ")
}

// QuestionState says in a few words how a question stands.
func QuestionState(answered bool, gaps int) string {
	state := stateOpen
	if answered {
		state = stateAnswered
	}
	if gaps > 0 {
		state += ", " + count(gaps, "gap")
	}
	return state
}
