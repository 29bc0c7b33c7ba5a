package prompts

import "strings"

// What [Trial] tells a model to begin its reply with, and what its data says.
const (
	trialWord = "Heard:"
	trialData = "quince"
)

// Trial is a small prompt of the usual shape, for trying a model: a system message, and a user's
// message with delimited data and a question. It contains no text of a note or a source.
func Trial() Chat {
	system := "You are being tried. You answer a question from data. Begin your reply with the word \"" + trialWord + "\" and then give the answer, as one word and nothing else.\n\n" + dataRule
	const text, question = "[1] (Title: Orchard) The tree beside the gate is a " + trialData + ".", "Question:\nWhich tree stands beside the gate?"
	data := delimit(text, delimiter(question, []string{text}))
	return Chat{Template: "trial", Messages: []Message{{Role: "system", Text: system}, {Role: "user", Text: data + "\n\n" + question}}}
}

// ParseTrial reports whether a reply to [Trial] follows the system part, and whether it contains the
// answer from the data.
func ParseTrial(reply string) (heeds, reads bool) {
	text := strings.ToLower(reply)
	return strings.Contains(text, strings.ToLower(strings.TrimSuffix(trialWord, ":"))), strings.Contains(text, trialData)
}
