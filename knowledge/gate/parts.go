package gate

import (
	"strings"

	"lacuna/knowledge/passage"
)

// Windows of a response that is a single sentence.
const (
	windowWords = 16
	windowStep  = 8
)

// parts are the sentences of a text, or its windows.
func parts(text string) []string {
	var all []string
	for _, s := range passage.Sentences(text, passage.Plain) {
		all = append(all, text[s.Start:s.End])
	}
	if len(all) > 1 {
		return all
	}
	return windows(text)
}

// windows of a text, each with windowWords words, one beginning every windowStep words.
func windows(text string) []string {
	all := strings.Fields(text)
	var parts []string
	for at := 0; at < len(all); at += windowStep {
		parts = append(parts, strings.Join(all[at:min(at+windowWords, len(all))], " "))
		if at+windowWords >= len(all) {
			break
		}
	}
	return parts
}
