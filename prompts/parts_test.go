package prompts

import (
	"slices"
	"strings"
	"testing"
)

func TestParts(t *testing.T) {
	data, words := func(text string) Part { return Part{true, text} }, func(text string) Part { return Part{false, text} }
	for text, want := range map[string][]Part{
		"":                                nil,
		"Question:\nWhy?":                 {words("Question:\nWhy?")},
		"<<<data x\nA\n\nB\nx data>>>":    {data("A\n\nB")},
		"<<<data x\nA\nx data>>>\n\nWhy?": {data("A"), words("Why?")},
		"Why?\n<<<data x\nA\nx data>>>\n<<<data y\nB\ny data>>>\nGo.": {words("Why?"), data("A"), data("B"), words("Go.")},
		"<<<data x\nnever closed":                                     {words("<<<data x\nnever closed")},
		"<<<data x\nother code\ny data>>>":                            {words("<<<data x\nother code\ny data>>>")},
		"<<<data ":                                                    {words("<<<data ")},
	} {
		if got := Parts(text); !slices.Equal(got, want) {
			t.Errorf("%q has the parts %+v, want %+v", text, got, want)
		}
	}
}

// TestPartsOfAPrompt holds that a rendered prompt comes apart into what was put in, whatever evidence says.
func TestPartsOfAPrompt(t *testing.T) {
	for _, attack := range attacks {
		chat, err := Default().Render(AnswerContext{Question: "Why?", Contexts: []Context{{N: 1, Title: "Page", Text: attack}, {N: 2, Text: "The last one."}}})
		if err != nil {
			t.Fatal(err)
		}
		parts := Parts(chat.Messages[len(chat.Messages)-1].Text)
		if len(parts) != 2 || !parts[0].Data || parts[1].Data || !strings.HasSuffix(parts[0].Text, "The last one.") || !strings.HasPrefix(parts[1].Text, "Question:\nWhy?") {
			t.Errorf("%q: parts %+v", attack, parts)
		}
	}
}
