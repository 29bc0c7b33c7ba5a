package workspace

import (
	"fmt"

	"lacuna/knowledge/lexical"
	"lacuna/knowledge/llm"
	"lacuna/knowledge/passage"
	"lacuna/knowledge/redact"
)

// tellTale are the classes of identifiers whose presence alone forbids sending in the strict mode.
var tellTale = []redact.Class{redact.Name, redact.Record, redact.SSN}

// redact replaces what identifies people in the messages of one request, as the settings say.
func (w *Workspace) redact(messages []string) (llm.Redaction, error) {
	privacy := w.loaded.Settings.Privacy
	if privacy.Redact == "off" {
		return llm.Redaction{Messages: messages, Restore: func(reply string) string { return reply }}, nil
	}
	found := redact.Messages(messages, redact.Options{Known: w.known, Listed: privacy.Listed})
	if privacy.Redact == "strict" {
		for _, class := range tellTale {
			if found.Counts[class] > 0 {
				return llm.Redaction{}, fmt.Errorf("it holds what identifies a person (%s), and privacy.redact is strict", found.Details())
			}
		}
	}
	return llm.Redaction{Messages: found.Messages, Details: found.Details(), Restore: found.Restore}, nil
}

// known reports whether the user's sources use a word, so that a disease is not taken for the
// person it is named after.
func (w *Workspace) known(word string) bool {
	library := w.Library()
	for _, term := range lexical.Terms(word) {
		occurs := false
		for _, kind := range []passage.Kind{passage.Text, passage.QA} {
			shelf := library.Collection(kind)
			occurs = occurs || shelf != nil && shelf.DocFreq(term) > 0
		}
		if !occurs {
			return false
		}
	}
	return true
}
