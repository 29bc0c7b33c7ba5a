package redact

import (
	"strings"
	"testing"
)

// FuzzMessages: whatever the text, restoring gives it back and no placeholder splits a character.
func FuzzMessages(f *testing.F) {
	f.Add("Mr Berg was seen on 3 March 2024.", "anna@example.org")
	f.Add("姓名：王小明", "[NAME-1] 1.1.1.1")
	f.Fuzz(func(t *testing.T, a, b string) {
		r := Messages([]string{a, b}, Options{Origins: []string{b + "\n" + a, a}})
		for i, text := range []string{a, b} {
			if mayCollide(text) {
				continue
			}
			if got := r.Restore(r.Messages[i]); got != text {
				t.Errorf("%q became %q, restored %q", text, r.Messages[i], got)
			}
		}
	})
}

// mayCollide: a text that holds a placeholder of its own cannot be told from a replaced one.
func mayCollide(text string) bool {
	return placeholderPattern.MatchString(text) || strings.Contains(text, "[")
}
