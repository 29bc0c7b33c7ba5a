package prompts

import (
	"regexp"
	"strings"
)

var (
	thinkOpens  = regexp.MustCompile(`(?i)^\s*<think(?:ing)?>`)
	thinkCloses = regexp.MustCompile(`(?i)</think(?:ing)?>`)
)

// SplitReasoning takes a leading <think>…</think> out of a reply. Closed is false when the block
// does not end: the output ran out while the model was still thinking, and there is no reply.
//
// Some servers put the opening tag into the prompt, and then a reply begins with the reasoning
// itself; so what stands before a lone closing tag is reasoning too.
func SplitReasoning(text string) (reasoning, reply string, closed bool) {
	opening := thinkOpens.FindStringIndex(text)
	closing := thinkCloses.FindStringIndex(text)
	switch {
	case opening == nil && closing == nil:
		return "", text, true
	case closing == nil:
		return strings.TrimSpace(text[opening[1]:]), "", false
	}
	start := 0
	if opening != nil {
		start = opening[1]
	}
	return strings.TrimSpace(text[start:closing[0]]), strings.TrimSpace(text[closing[1]:]), true
}
