package ingest

import (
	"errors"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"unicode/utf8"
)

// Limits of the patterns of one source. A pattern of a stranger's must cost no more to look at than
// the names that it is held against.
const (
	longestPattern = 1000 // bytes

	// MostPatternBytes is how long the patterns of one list may be together.
	MostPatternBytes = 16 << 10
)

var errPattern = errors.New("no pattern")

// ValidPattern reports whether a pattern of Source.Include or Source.Exclude is well formed.
func ValidPattern(pattern string) bool {
	_, err := compilePattern(pattern)
	return err == nil
}

// ValidPatterns reports whether patterns are few enough to be matched.
func ValidPatterns(patterns []string) bool {
	total := 0
	for _, p := range patterns {
		total += len(p)
	}
	return total <= MostPatternBytes
}

// patterns is a list of them, ready to be matched.
type patterns []pattern

// pattern is one of them. One without wildcards that names a folder matches what is in it.
type pattern struct {
	written string
	folder  string         // what names in such a folder begin with
	matches *regexp.Regexp // nil where it is not well formed, which matches nothing
}

func compilePatterns(written []string) patterns {
	if !ValidPatterns(written) {
		return patterns{{written: "patterns that are too long", folder: "/"}} // which no name begins with
	}
	all := make(patterns, 0, len(written))
	for _, w := range written {
		p := pattern{written: w, folder: cleanPattern(w) + "/"}
		p.matches, _ = compilePattern(w)
		all = append(all, p)
	}
	return all
}

// first returns the first pattern that matches a name with forward slashes, or "".
func (all patterns) first(record string) string {
	for _, p := range all {
		if p.matches != nil && p.matches.MatchString(record) || strings.HasPrefix(record, p.folder) {
			return p.written
		}
	}
	return ""
}

func cleanPattern(pattern string) string { return path.Clean(filepath.ToSlash(pattern)) }

// compilePattern makes a regular expression of a pattern, which are matched in time linear in the
// length of the name. It reads patterns as the Go package doublestar does: * and ? match within a
// name, ** as a whole name any number of folders, [a-z] and [^a-z] a character, {a,b} either, and \
// takes the meaning from the character behind it.
func compilePattern(pattern string) (*regexp.Regexp, error) {
	clean := cleanPattern(pattern)
	if len(clean) > longestPattern || !utf8.ValidString(clean) {
		return nil, errPattern
	}
	t := translation{pattern: clean}
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
			return here, errPattern
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
			return here, errPattern
		case r == '{':
			var err error
			if here, err = t.alternatives(depth, here); err != nil {
				return here, err
			}
			continue
		case r == '\\':
			if t.at++; t.at == len(t.pattern) {
				return here, errPattern
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
		return here, errPattern
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
			return errPattern
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
			return errPattern
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
