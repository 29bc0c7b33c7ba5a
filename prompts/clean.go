package prompts

import (
	"reflect"
	"regexp"
	"strings"
	"unicode"
)

var (
	// Any of these may be a token of some model's chat template, which a tokenizer reads out of plain
	// text. A space within is all it takes to make them text again.
	tag      = regexp.MustCompile(`<(/?[\p{L}_|｜▁]|!--)`)
	tagEnd   = regexp.MustCompile(`([|｜])>`)
	turn     = regexp.MustCompile(`(?i)\[(/?(?:INST|SYS|SYSTEM_PROMPT|TOOL_[A-Z_]+|AVAILABLE_TOOLS|MODEL_SETTINGS|THINK|ARGS|CALL_ID|IMG[A-Z_]*|PREFIX|SUFFIX|MIDDLE|[gs]MASK))\]`)
	bracket  = regexp.MustCompile(`<{3,}|>{3,}`) // as fences are written
	citation = regexp.MustCompile(`(?i)[\[【［]\s*((?:(?:contexts?|sources?|passages?|documents?|文档|资料|来源|上下文)\s*)?\d+(?:\s*[,，、;；–—-]\s*\d+)*)\s*[\]】］]`)
)

// cleaned copies an input with every string in it made harmless. Only the question that a person
// wrote keeps its lines: everything else stands on one line, so that no passage can begin a line of
// its own that looks like ours.
func cleaned(in Input) reflect.Value {
	from := reflect.Indirect(reflect.ValueOf(in))
	to := reflect.New(from.Type()).Elem()
	for i := range from.NumField() {
		field := from.Field(i)
		if from.Type().Field(i).Name == "Question" {
			to.Field(i).SetString(harmless(field.String()))
			continue
		}
		to.Field(i).Set(cleanedValue(field))
	}
	return to
}

func cleanedValue(from reflect.Value) reflect.Value {
	to := reflect.New(from.Type()).Elem()
	switch from.Kind() {
	case reflect.String:
		to.SetString(oneLine(data(from.String())))
	case reflect.Slice:
		if from.Len() > 0 {
			to.Set(reflect.MakeSlice(from.Type(), from.Len(), from.Len()))
		}
		for i := range from.Len() {
			to.Index(i).Set(cleanedValue(from.Index(i)))
		}
	case reflect.Struct:
		for i := range from.NumField() {
			to.Field(i).Set(cleanedValue(from.Field(i)))
		}
	default:
		to.Set(from)
	}
	return to
}

// harmless takes out of a text what a person does not see, and breaks what a model might take for
// the beginning of a turn or of a fence. It changes nothing but spaces in what is seen: a source is
// shown to a model as it stands. Taking markup off is for what models say (packages answer, handlers).
func harmless(text string) string {
	text = strings.Map(visible, strings.ToValidUTF8(text, "\uFFFD"))
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

// data makes a text harmless that no person asked with. Numbers in square brackets become round ones:
// they are how models cite, and a passage with references of its own must not lend them its numbers.
func data(text string) string {
	text = harmless(text)
	if !strings.ContainsAny(text, "[【［") {
		return text
	}
	return citation.ReplaceAllString(text, "($1)")
}

// visible drops characters that change what is read without being seen: zero-width characters,
// direction controls, tags and variation selectors, which can hide whole texts. Joiners go with them;
// Persian and Indic words lose a little of their spelling by that, and still read.
func visible(r rune) rune {
	switch {
	case ' ' <= r && r < '\u007F', r == '\n', r == '\t':
		return r
	case r == '\r', r == '\u0085', r == '\u2028', r == '\u2029':
		return '\n'
	case r == '\u00AD', r == '\u034F', r == '\u061C', r == '\u115F', r == '\u1160', r == '\u3164', r == '\uFFA0',
		'\u180B' <= r && r <= '\u180F', '\u200B' <= r && r <= '\u200F', '\u202A' <= r && r <= '\u202E',
		'\u2060' <= r && r <= '\u206F', '\uFE00' <= r && r <= '\uFE0F', r == '\uFEFF', '\uFFF0' <= r && r <= '\uFFFB',
		0xE0000 <= r && r <= 0xE0FFF:
		return -1
	case unicode.IsControl(r):
		return ' '
	}
	return r
}

// oneLine joins the words of a text with single spaces.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }
