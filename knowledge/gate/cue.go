package gate

import (
	"regexp"
	"regexp/syntax"
)

// cue is a pattern of whole words, in any case. Searching a text for it goes from word to word and looks
// closer only at those that begin as the pattern may: the patterns of the features take a fifth of the
// time that way that they take as plain expressions.
type cue struct {
	here  *regexp.Regexp // matches at the beginning of a text
	first [128]bool      // letters and digits that a match may begin with
}

// newCue makes a cue of an expression that begins with a letter or digit.
func newCue(words string) *cue {
	expression := `(?i)^(?:` + words + `)\b`
	c := &cue{here: regexp.MustCompile(expression)}
	parsed, err := syntax.Parse(`(?i)(?:`+words+`)`, syntax.Perl)
	if err != nil {
		panic(err) // MustCompile has compiled it
	}
	program, err := syntax.Compile(parsed.Simplify())
	if err != nil {
		panic(err)
	}
	c.begins(program, program.Start, make(map[int]bool))
	return c
}

// begins notes what the instructions from a place on can read first.
func (c *cue) begins(program *syntax.Prog, at int, seen map[int]bool) {
	if seen[at] {
		return
	}
	seen[at] = true
	switch i := &program.Inst[at]; i.Op {
	case syntax.InstAlt, syntax.InstAltMatch:
		c.begins(program, int(i.Out), seen)
		c.begins(program, int(i.Arg), seen)
	case syntax.InstCapture, syntax.InstNop, syntax.InstEmptyWidth:
		c.begins(program, int(i.Out), seen)
	default:
		for r := range rune(len(c.first)) {
			c.first[r] = c.first[r] || i.MatchRune(r)
		}
	}
}

// in reports whether the cue is in a text.
func (c *cue) in(text string) bool {
	_, end := c.next(text, 0)
	return end >= 0
}

// count is how often it is in a text, as no two overlap.
func (c *cue) count(text string) int {
	n := 0
	for _, end := c.next(text, 0); end >= 0; _, end = c.next(text, end) {
		n++
	}
	return n
}

// next is the first match that begins at a place or later; end is -1 where there is none.
func (c *cue) next(text string, from int) (start, end int) {
	for at := from; at < len(text); at++ {
		if b := text[at]; b >= 128 || !c.first[b] || at > 0 && isWord(text[at-1]) {
			continue
		}
		if match := c.here.FindStringIndex(text[at:]); match != nil {
			return at, at + match[1]
		}
	}
	return -1, -1
}

// isWord reports whether a byte is of a word, as regular expressions see it.
func isWord(b byte) bool {
	return 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z' || '0' <= b && b <= '9' || b == '_'
}
