package prompts

import (
	"regexp"
	"strconv"
	"strings"
)

// Class says how far a question can be searched for as it stands.
type Class string

const (
	Clear      Class = "clear"
	Incomplete Class = "incomplete" // one query completes it
	Ambiguous  Class = "ambiguous"  // several queries each say one of its meanings
)

// Check is the reply to [QueryCheck].
type Check struct {
	Class   Class
	Queries []string // none when clear, at most one when incomplete, at most three when ambiguous
}

// classes are the words that models use for the classes, in the order in which they are looked for.
var classes = []struct {
	class Class
	words []string
	most  int
}{
	{Incomplete, []string{"incomplete", "unclear", "underspecified", "不完整", "不清楚"}, 1},
	{Ambiguous, []string{"ambiguous", "multiple", "歧义", "模糊", "多义"}, 3},
	{Clear, []string{"clear", "complete", "unambiguous", "清晰", "清楚", "明确", "完整"}, 0},
}

// ParseCheck reads a check; a class that is none of the three is an error.
func ParseCheck(reply string) (Check, Path, error) {
	check, path, err := decode(reply, []field{classField, queriesField}, func(value any) (Check, bool) {
		o, ok := objectIn(value, classField)
		if !ok {
			return Check{}, false
		}
		said, _ := o.get(classField)
		first, _, _ := strings.Cut(folded(textOf(said)), "_")
		for _, c := range classes {
			for _, word := range c.words {
				if first == word || first != "" && !isASCII(word) && strings.Contains(first, word) {
					queries, _ := o.get(queriesField)
					return Check{c.class, distinct(listOf(queries), c.most, longestItem)}, true
				}
			}
		}
		return Check{}, false
	})
	if err == errNoSense { //nolint:errorlint // it is never wrapped
		if text, _ := spoken(reply); isClear.MatchString(text) {
			return Check{Class: Clear}, Bare, nil
		}
	}
	return check, path, err
}

// isClear is a reply of one sentence that finds nothing to complete.
var isClear = regexp.MustCompile(`(?i)^[\s*"']*(?:(?:the|this) question is )?clear[\s*"'.]*$`)

func isASCII(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return r > '\u007F' }) < 0
}

// percentage is a share in a sentence.
var percentage = regexp.MustCompile(`\b\d{1,3}(?:\.\d+)?\s*(?:%|％|/\s*100\b)`)

var (
	estimate = regexp.MustCompile(`^[^\d-]{0,3}(\d{1,3}(?:\.\d+)?)\s*(%|％|/\s*(\d{1,3})|out\s+of\s+(\d{1,3}))?`)
	onlyOne  = regexp.MustCompile(`(?i)(?:confidence|certainty)["'”\s]*[:：]\s*["']?1\.0*(?:\D|$)`)
)

// ParseConfidence reads a confidence as a share, from 0 to 1. It was asked for in hundredths; a number
// up to 1 with a decimal point is taken for a share already.
func ParseConfidence(reply string) (float64, Path, error) {
	share := func(value any) (float64, bool) {
		if o, ok := objectIn(value, sureField); ok {
			value, _ = o.get(sureField)
		}
		if value == 1.0 && onlyOne.MatchString(reply) { // the point is lost in the number
			return 1, true
		}
		return shareOf(textOf(value))
	}
	c, path, err := decode(reply, []field{sureField}, share)
	if err == errNoSense {
		if text, _ := spoken(reply); len(text) <= shortLine {
			if c, ok := shareOf(text); ok {
				return c, Bare, nil
			}
			if all := percentage.FindAllString(text, -1); len(all) == 1 {
				if c, ok := shareOf(all[0]); ok {
					return c, Lines, nil
				}
			}
		}
	}
	return c, path, err
}

// shareOf reads "85", "85 %", "0.85", "8/10" and "8 out of 10".
func shareOf(text string) (float64, bool) {
	m := estimate.FindStringSubmatch(strings.TrimSpace(text))
	if m == nil {
		return 0, false
	}
	n, err := strconv.ParseFloat(m[1], 64)
	of := 100.0
	switch whole := m[3] + m[4]; {
	case whole != "":
		of, _ = strconv.ParseFloat(whole, 64) // digits are a number
	case m[2] == "" && n <= 1 && strings.Contains(m[1], "."):
		of = 1
	}
	if err != nil || n > of {
		return 0, false
	}
	return n / of, true
}
