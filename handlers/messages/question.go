package messages

import (
	"slices"
	"strings"

	"lacuna/knowledge/plaintext"
	"lacuna/knowledge/question"
	"lacuna/knowledge/sanitise"
)

// Understood says in one line what a question is taken to ask for: its subject, the side of it, the kind of
// answer, and what limits it. It is empty if nothing can be told.
func Understood(r question.Reading) string {
	var parts []string
	for i, subject := range r.Subject {
		if i == maxSubjects {
			break
		}
		parts = append(parts, "“"+phrase(subject)+"”")
	}
	if r.Aspect != "" {
		parts = append(parts, string(r.Aspect))
	}
	if expected := expectedWords(r.Expected); expected != "" && expected != string(r.Aspect) {
		parts = append(parts, expected)
	}
	var limits []string
	for _, c := range r.Conditions {
		if !slices.Contains(limits, c.Name) {
			limits = append(limits, c.Name)
		}
	}
	if len(limits) > 0 {
		parts = append(parts, "for: "+strings.Join(limits, ", "))
	}
	if len(parts) == 0 {
		return ""
	}
	return "Understood as: " + strings.Join(parts, " · ")
}

// Subject names what a question is about; empty if nothing can be told.
func Subject(r question.Reading) string {
	if len(r.Subject) == 0 {
		return ""
	}
	return phrase(r.Subject[0])
}

func phrase(p question.Phrase) string {
	return sanitise.Visible(Shorten(plaintext.OneLine(p.Text), maxSubject))
}

// SearchedFor says what was searched for where the words of a question alone were not enough.
func SearchedFor(query string) string {
	return "Searched for: " + sanitise.Visible(Shorten(plaintext.OneLine(query), maxQuery))
}

// maxQuery bounds the characters of a query that is shown.
const maxQuery = 300

// maxSubjects bounds the subjects that a line names, and maxSubject the characters of one.
const (
	maxSubjects = 3
	maxSubject  = 60
)

// expectedWords names the answer that a question waits for; empty if it may be anything.
func expectedWords(e question.Expected) string {
	words := map[question.Kind]string{
		question.Date: "a date or time", question.Duration: "how long", question.Frequency: "how often",
		question.Person: "who", question.Place: "where", question.Contact: "how to reach someone", question.YesNo: "yes or no",
		question.List: "a list", question.Steps: "steps", question.Command: "a command or option",
		question.Define: "what it is", question.Comparison: "a comparison", question.Reason: "why",
	}[e.Kind]
	switch {
	case e.Kind == question.Quantity && e.Measure != "":
		return "how much (" + string(e.Measure) + ")"
	case e.Kind == question.Quantity:
		return "how much or how many"
	}
	return words
}
