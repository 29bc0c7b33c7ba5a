package sanitise

import (
	"regexp"
	"strings"
)

// Any of these may be a token of some model's chat template, which a tokenizer reads out of plain text.
// A space within is all it takes to make them text again.
var (
	tag      = regexp.MustCompile(`<(/?[\p{L}_|｜▁]|!--)`)
	tagEnd   = regexp.MustCompile(`([|｜])>`)
	turn     = regexp.MustCompile(`(?i)\[(/?(?:INST|SYS|SYSTEM_PROMPT|TOOL_[A-Z_]+|AVAILABLE_TOOLS|MODEL_SETTINGS|THINK|ARGS|CALL_ID|IMG[A-Z_]*|PREFIX|SUFFIX|MIDDLE|[gs]MASK))\]`)
	bracket  = regexp.MustCompile(`<{3,}|>{3,}`) // as fences are written
	citation = regexp.MustCompile(`(?i)[\[【［]\s*((?:(?:contexts?|sources?|passages?|documents?|文档|资料|来源|上下文)\s*)?\d+(?:\s*[,，、;；–—-]\s*\d+)*)\s*[\]】］]`)
)

// Prompt takes out of a text what a person does not see, and breaks what a model might take for the
// beginning of a turn or of a fence. It changes nothing but spaces in what is seen: a source is shown to
// a model as it stands.
func Prompt(text string) string {
	text = strings.Map(prompted, strings.ToValidUTF8(text, "\uFFFD"))
	if strings.ContainsAny(text, "<>[") { // most texts have none
		text = tag.ReplaceAllString(text, "< $1")
		text = tagEnd.ReplaceAllString(text, "$1 >")
		text = turn.ReplaceAllString(text, "[ $1 ]")
		text = bracket.ReplaceAllStringFunc(text, func(run string) string {
			return strings.TrimSpace(strings.Repeat(run[:1]+" ", len(run)))
		})
	}
	return strings.TrimSpace(text)
}

// PromptData is [Prompt] for a text that no person asked with. Numbers in square brackets become round
// ones: they are how models cite, and a passage with references of its own must not lend them its numbers.
func PromptData(text string) string {
	text = Prompt(text)
	if !strings.ContainsAny(text, "[【［") {
		return text
	}
	return citation.ReplaceAllString(text, "($1)")
}

// prompted drops what is not seen. Joiners go with it; Persian and Indic words lose a little of their
// spelling by that, and still read.
func prompted(r rune) rune {
	switch classOf(r) {
	case control:
		return ' '
	case lineEnd:
		if r == '\v' || r == '\f' {
			return ' '
		}
		return '\n'
	case hidden, joiner:
		return -1
	}
	return r
}
