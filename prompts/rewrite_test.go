package prompts

import (
	"strings"
	"testing"
)

func TestParseRewrite(t *testing.T) {
	const want = "When is garlic planted, and how deep?"
	for _, reply := range []string{
		`{"question": "When is garlic planted, and how deep?"}`,
		`{"rewritten_question": ["When is garlic planted, and how deep?"]}`,
		"Question: When is garlic planted, and how deep?",
		"```json\n{'query': 'When is garlic planted, and how deep?'}\n```",
		"<think>They ask for two things.</think>\nWhen is garlic planted, and how deep?",
	} {
		if got, path, err := ParseRewrite(reply); got != want || err != nil || path == Unparsed {
			t.Errorf("%s: %q by %s, %v", reply, got, path, err)
		}
	}
	for _, reply := range []string{
		"", "{}", `{"question": ""}`, `{"question": null}`, `{"question": ["a?", "b?"]}`,
		`{"question": "a?\nb?"}`, `{"question": "` + strings.Repeat("long ", 100) + `?"}`,
		"Garlic is planted in autumn.", "When?\nHow deep?", "I cannot help with that.", zeros,
	} {
		if got, path, err := ParseRewrite(reply); err == nil || path != Unparsed {
			t.Errorf("%.40s: %q by %s, want an error", reply, got, path)
		}
	}
}
