package gate

import (
	"regexp"
	"testing"
)

// everyCue is the cues that features are made of, with the words they were made of.
var everyCue = map[string]*cue{
	`not|except|least|false|incorrect|never|without|contraindicated`:                                             negations,
	`\d+[- ](?:year|month|week|day)s?[- ]old`:                                                                    vignettes,
	`incorrect|ruled? out|unlikely|not (?:the|a|associated|typically)|eliminat\w+|less likely`:                   eliminations,
	`therefore|clearly|definitely|is known|the (?:correct )?answer is|thus|hence`:                                confidence,
	`stud(?:y|ies)|trials?|evidence|patients|research|documents?|contexts?`:                                      studies,
	`none of the (?:options|above|choices)|question (?:is|seems)|closest|by default|if (?:i|we) (?:had|have) to`: flawed,
}

// FuzzCue holds a cue to the plain expression that it stands for.
func FuzzCue(f *testing.F) {
	for _, text := range []string{
		"", "Not.", "a 45-year-old, 3 weeks old", "not the first, not a second; UNLIKELY", "knot nota _not not_ 不not", "the the answer is B. hence thus",
		"Studies of a study; documents", "if i had to, none of the above", "is is known", "not\xffnot\u017ftudy",
	} {
		f.Add(text)
	}
	plain := make(map[string]*regexp.Regexp)
	for words := range everyCue {
		plain[words] = regexp.MustCompile(`(?i)\b(?:` + words + `)\b`)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for words, c := range everyCue {
			// An expression in any case takes the long s and the Kelvin sign for letters, at the edge of a
			// word for the one and not for the other; no text of interest has them.
			if regexp.MustCompile("[\u017f\u212a]").MatchString(text) {
				return
			}
			if want, got := len(plain[words].FindAllStringIndex(text, -1)), c.count(text); got != want || c.in(text) != (want > 0) {
				t.Errorf("%q in %q: %d times, want %d", words, text, got, want)
			}
		}
	})
}
