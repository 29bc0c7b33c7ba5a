package prompts

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// thoughtTags are the tags between which models write their reasoning. A server that is set up for the
// model takes them out; others pass them on.
var thoughtTags = []struct{ opens, closes string }{
	{"<think>", "</think>"},
	{"<thinking>", "</thinking>"},
	{"<thought>", "</thought>"},
	{"<reasoning>", "</reasoning>"},
	{"<seed:think>", "</seed:think>"},
	{"[think]", "[/think]"}, // of Mistral
	{"◁think▷", "◁/think▷"},
	{"<|begin_of_thought|>", "<|end_of_thought|>"},
	{"<|channel|>analysis<|message|>", "<|channel|>final<|message|>"}, // of gpt-oss
}

// turnTokens may stand between the two channels.
var turnTokens = regexp.MustCompile(`(?:<\|end\|>)?(?:<\|start\|>(?:assistant)?)?$`)

var thinkOpens, thinkCloses = func() (opens, closes *regexp.Regexp) {
	var opening, closing []string
	for _, t := range thoughtTags {
		opening, closing = append(opening, regexp.QuoteMeta(t.opens)), append(closing, regexp.QuoteMeta(t.closes))
	}
	return regexp.MustCompile(`(?i)^\s*(?:` + strings.Join(opening, "|") + `)`), regexp.MustCompile(`(?i)` + strings.Join(closing, "|"))
}()

// SplitReasoning takes a leading <think>…</think>, or what else models write, out of a reply. Closed is
// false when the block does not end: the output ran out while the model was still thinking, and there
// is no reply.
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
	return strings.TrimSpace(turnTokens.ReplaceAllString(text[start:closing[0]], "")), strings.TrimSpace(text[closing[1]:]), true
}

// MayThink reports whether a reply of which this is the beginning begins with reasoning, or may yet turn
// out to.
func MayThink(beginning string) bool {
	beginning = strings.TrimLeftFunc(beginning, unicode.IsSpace)
	return slices.ContainsFunc(thoughtTags, func(t struct{ opens, closes string }) bool {
		head := beginning[:min(len(beginning), len(t.opens))]
		return strings.EqualFold(head, t.opens[:len(head)])
	})
}

// ReasoningEnd is where in a reply its reasoning has ended, in bytes; 0 if it has not.
func ReasoningEnd(text string) int {
	if at := thinkCloses.FindStringIndex(text); at != nil {
		return at[1]
	}
	return 0
}

var (
	// objectComes is a line that says that JSON comes, and nothing else.
	objectComes = regexp.MustCompile(`(?i)^[^\p{L}\p{N}]*(?:\d{1,2}[^\p{L}\p{N}]*)?(?:dict|json|output|verdict|result|answer|判断|结论|输出)?[^\p{L}\p{N}]*$|\bjson\b|[:：][^\p{L}\p{N}]*$`)
	// thinkingLabel is what models write above their thinking.
	thinkingLabel = regexp.MustCompile(`(?i)^[^\p{L}\p{N}]*(?:thinking|thoughts?|reasoning|analysis|思考|推理|分析)[ \t*_]*(?:[:：][ \t*_]*|\n)`)
)

// What is shorter is no thinking.
const (
	leastThought     = 4  // words
	hanPerWord       = 2  // characters
	longestAnnounced = 90 // characters
)

// thinkingIn is the thinking in the text around an object: without the line that announces the object,
// marks of fences, and headings; empty where that is no more than a courtesy or a refusal.
func thinkingIn(text string) string {
	text = strings.TrimSpace(anyFence.ReplaceAllString(text, ""))
	for text != "" {
		cut := strings.LastIndexByte(text, '\n') + 1
		line := strings.TrimSpace(text[cut:])
		if len([]rune(line)) > longestAnnounced || !objectComes.MatchString(line) {
			break
		}
		text = strings.TrimSpace(text[:cut])
	}
	text = between(strings.TrimSpace(thinkingLabel.ReplaceAllString(text, "")))
	han := 0
	for _, r := range text {
		if unicode.Is(unicode.Han, r) {
			han++
		}
	}
	words := len(strings.Fields(text)) + han/hanPerWord
	if words < leastThought || refusal.MatchString(text) {
		return ""
	}
	return text
}
