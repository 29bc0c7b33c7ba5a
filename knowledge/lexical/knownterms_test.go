package lexical

import (
	"strings"
	"testing"
)

// A term that is remembered is the one that is computed, also where two words share a slot of the table.
func TestKnownTerms(t *testing.T) {
	words := strings.Fields("Treatments treatment TREATED α β don't dont Straße 治疗 naïve naive the of ﬁbrillation " + strings.Repeat("x", 2*maxTerm))
	for range 2 {
		for _, word := range words {
			kind := script(0)
			if first := []rune(word)[0]; scriptOf(first) == greek {
				kind = greek
			}
			if got, want := wordTerm(word, kind), termOf(word, kind); got != want {
				t.Errorf("wordTerm(%q) = %q, want %q", word, got, want)
			}
		}
	}
}
