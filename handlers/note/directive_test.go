package note

import (
	"strings"
	"testing"
)

// TestDirectivesAreRead writes every directive of every language and reads it back.
func TestDirectivesAreRead(t *testing.T) {
	const first, second = "Is it a?", "Is it b?"
	want := map[string]int{"ask": 2, "skip": 1, "off": 0, "on": 2, "private": 2}
	for _, language := range Languages() {
		for _, word := range Directives() {
			line := language.Directive(word)
			if line == "" && language == Plaintext && word == "private" {
				continue
			}
			text := line + "\n\n" + first + "\n\n" + second + "\n"
			if !strings.HasPrefix(line, language.Comment()) {
				text = "---\n" + line + "\n---\n\n" + first + "\n\n" + second + "\n"
			}
			n := Parse(text, language)
			if len(n.Questions) != want[word] || n.Private != (word == "private") {
				t.Errorf("%s: %q gives %d questions, private %v", language, line, len(n.Questions), n.Private)
			}
		}
	}
}
