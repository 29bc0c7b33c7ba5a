// Package glob matches names of files against patterns that strangers wrote, in time linear in the
// name. Begin with [Compile].
package glob

import (
	"errors"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"unicode/utf8"
)

// Limits of the patterns of one list. A stranger's pattern must cost no more to look at than the names
// it is held against.
const (
	maxPattern = 1000 // bytes

	// MaxBytes bounds the length of the patterns of one list together.
	MaxBytes = 16 << 10
)

var errMalformed = errors.New("no pattern")

// Valid reports whether a pattern is well formed.
func Valid(pattern string) bool {
	_, err := compile(pattern)
	return err == nil
}

// FewEnough reports whether patterns have at most [MaxBytes] together.
func FewEnough(patterns []string) bool {
	total := 0
	for _, p := range patterns {
		total += len(p)
	}
	return total <= MaxBytes
}

// Patterns holds compiled patterns.
type Patterns []pattern

// pattern is one pattern. Without wildcards, one that names a folder matches what is in it.
type pattern struct {
	written string
	folder  string         // what names in such a folder begin with
	matches *regexp.Regexp // nil where it is not well formed, which matches nothing
}

// Compile returns patterns ready to be matched. It reads them as the Go package doublestar does: * and
// ? match within a name, ** as a whole name any number of folders, [a-z] and [^a-z] a character, {a,b}
// either, and \ takes the meaning from the character behind it. A pattern that is not well formed
// matches nothing.
func Compile(written []string) Patterns {
	if !FewEnough(written) {
		return Patterns{{written: "patterns that are too long", folder: "/"}} // which no name begins with
	}
	all := make(Patterns, 0, len(written))
	for _, w := range written {
		p := pattern{written: w, folder: clean(w) + "/"}
		p.matches, _ = compile(w)
		all = append(all, p)
	}
	return all
}

// First returns the first pattern that matches a name with forward slashes, or "".
func (all Patterns) First(name string) string {
	for _, p := range all {
		if p.matches != nil && p.matches.MatchString(name) || strings.HasPrefix(name, p.folder) {
			return p.written
		}
	}
	return ""
}

// Quote returns a pattern that matches a name with forward slashes. It has ? for the characters with a meaning of their own,
// because on Windows \ divides names, and so matches some other names too.
func Quote(name string) string {
	return strings.NewReplacer(`\`, `?`, `*`, `?`, `[`, `?`, `]`, `?`, `{`, `?`, `}`, `?`).Replace(name)
}

func clean(pattern string) string { return path.Clean(filepath.ToSlash(pattern)) }

// compile translates a pattern into a regular expression, which is matched in time linear in the
// length of the name.
func compile(pattern string) (*regexp.Regexp, error) {
	pattern = clean(pattern)
	if len(pattern) > maxPattern || !utf8.ValidString(pattern) {
		return nil, errMalformed
	}
	t := translation{pattern: pattern}
	t.WriteString(`\A(?s:`)
	if err := t.sequence(0, atStart); err != nil {
		return nil, err
	}
	t.WriteString(`)\z`)
	return regexp.Compile(t.String())
}

// edge says whether a place in a pattern is where a name begins.
type edge int

const (
	inside  edge = iota
	atStart      // at the beginning, or behind a slash
	either       // behind alternatives that differ
)

// translation is a pattern being written as a regular expression.
type translation struct {
	strings.Builder
	pattern string
	at      int
}

// sequence translates up to the end of the pattern, or of the alternative if depth is not 0.
func (t *translation) sequence(depth int, here edge) error {
	_, err := t.terms(depth, here)
	return err
}

func (t *translation) terms(depth int, here edge) (edge, error) {
	for t.at < len(t.pattern) {
		rest := t.pattern[t.at:]
		r, size := utf8.DecodeRuneInString(rest)
		switch {
		case depth > 0 && (r == ',' || r == '}'):
			return here, nil
		case strings.HasPrefix(rest, "/**") && t.follows(t.at+3, depth) == "":
			t.WriteString(`(?:/.*)?`) // a folder and all in it
			t.at += 3
			continue
		case strings.HasPrefix(rest, "/**") && depth > 0 && t.closes(t.at+3) && t.follows(t.at+3, depth) == "/":
			t.WriteString(`(?:/[^/]*)*`) // before the slash behind the alternatives
			t.at += 3
			here = inside
			continue
		case strings.HasPrefix(rest, "**") && (here == either || here == atStart && depth > 0 && t.closes(t.at+2) && t.follows(t.at+2, depth) == "/"):
			return here, errMalformed
		case strings.HasPrefix(rest, "**") && here == atStart && t.follows(t.at+2, depth) == "":
			t.WriteString(`.*`)
			t.at += 2
			continue
		case strings.HasPrefix(rest, "**/") && here == atStart:
			t.WriteString(`(?:[^/]*/)*`)
			t.at += 3
			continue
		case r == '*':
			t.WriteString(`[^/]*`)
		case r == '?':
			t.WriteString(`[^/]`)
		case r == '[':
			if err := t.class(); err != nil {
				return here, err
			}
			here = inside
			continue
		case r == '}':
			return here, errMalformed
		case r == '{':
			var err error
			if here, err = t.alternatives(depth, here); err != nil {
				return here, err
			}
			continue
		case r == '\\':
			if t.at++; t.at == len(t.pattern) {
				return here, errMalformed
			}
			r, size = utf8.DecodeRuneInString(t.pattern[t.at:])
			fallthrough
		default:
			t.WriteString(regexp.QuoteMeta(string(r)))
		}
		t.at += size
		here = inside
		if r == '/' {
			here = atStart
		}
	}
	if depth > 0 {
		return here, errMalformed
	}
	return here, nil
}

// closes reports whether an alternative ends at a place.
func (t *translation) closes(at int) bool {
	return at < len(t.pattern) && (t.pattern[at] == ',' || t.pattern[at] == '}')
}

// follows returns the character that comes behind a place, or behind the alternatives that end there;
// "" at the end of the pattern.
func (t *translation) follows(at, depth int) string {
	for ; depth > 0 && t.closes(at); depth-- {
		for open := 1; open > 0; at++ {
			if at >= len(t.pattern) {
				return "?" // never closed
			}
			switch t.pattern[at] {
			case '\\':
				at++
			case '{':
				open++
			case '}':
				open--
			}
		}
	}
	if at >= len(t.pattern) {
		return ""
	}
	return t.pattern[at : at+1]
}

// alternatives translates {a,b}.
func (t *translation) alternatives(depth int, here edge) (edge, error) {
	t.at++
	t.WriteString(`(?:`)
	behind, first := here, true
	for {
		end, err := t.terms(depth+1, here)
		if err != nil {
			return here, err
		}
		if first {
			behind, first = end, false
		} else if end != behind {
			behind = either
		}
		t.at++
		if t.pattern[t.at-1] == '}' {
			t.WriteString(`)`)
			return behind, nil
		}
		t.WriteString(`|`)
	}
}

// class translates [a-z].
func (t *translation) class() error {
	rest := t.pattern[t.at+1:]
	negated := strings.HasPrefix(rest, "!") || strings.HasPrefix(rest, "^")
	if negated {
		rest = rest[1:]
	}
	var ranges strings.Builder
	next := func() (r rune, ok bool) {
		rest = strings.TrimPrefix(rest, `\`)
		r, size := utf8.DecodeRuneInString(rest)
		rest = rest[size:]
		return r, size > 0
	}
	for n := 0; ; n++ {
		if rest == "" || rest[0] == ']' && n == 0 {
			return errMalformed
		}
		if rest[0] == ']' {
			break
		}
		low, ok := next()
		high := low
		if ok && strings.HasPrefix(rest, "-") && len(rest) > 1 && rest[1] != ']' {
			rest = rest[1:]
			high, ok = next()
		}
		if !ok {
			return errMalformed
		}
		high = max(low, high) // one the wrong way round is its first character
		ranges.WriteString(regexp.QuoteMeta(string(low)) + "-" + regexp.QuoteMeta(string(high)))
	}
	t.at = len(t.pattern) - len(rest) + 1
	not := ""
	if negated {
		not = "^"
	}
	t.WriteString("[" + not + ranges.String() + "]")
	return nil
}
