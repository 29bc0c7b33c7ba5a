package head

import (
	"regexp"
	"strings"
)

// reader judges the lines of a language. It remembers the open block.
type reader struct {
	end     func(line string) bool // of a block of code or a comment; nil outside
	comment bool                   // the block is a comment
	never   map[string]bool        // ends of blocks that do not occur any more
	margin  int                    // lines indented further are code or a comment; -1 outside
	ahead   lineScanner            // at the line being judged
}

func (s *search) eachLine(judgeLine func(r *reader, line string) verdict) {
	r := reader{margin: -1, never: map[string]bool{}}
	for lines := scanLines(s.text); !lines.done() && !s.found.Clear; lines.next() {
		line := strings.TrimRight(lines.text(), " \t")
		switch {
		case r.end != nil && r.end(line):
			r.end, r.comment = nil, false
		case r.end != nil && r.comment:
			s.say(lines, judge(line), false)
		case r.end == nil:
			r.ahead = lines
			s.say(lines, judgeLine(&r, line), true)
		}
	}
}

// skipTo treats the lines up to one that ends a block as code or as a comment, if there is such a line.
// After many missing ends it gives up.
func (r *reader) skipTo(name string, comment bool, end func(line string) bool) {
	const mostNever = 8
	if r.never[name] || len(r.never) > mostNever {
		return
	}
	lines := r.ahead
	for lines.next(); !lines.done(); lines.next() {
		if end(strings.TrimRight(lines.text(), " \t")) {
			r.end, r.comment = end, comment
			return
		}
	}
	r.never[name] = true
}

// begins reports whether the first character of a line that is not white space is one of some.
func begins(line, characters string) bool {
	line = strings.TrimLeft(line, " \t")
	return line != "" && strings.IndexByte(characters, line[0]) >= 0
}

var (
	orgBlock    = regexp.MustCompile(`(?i)^[ \t]*#\+begin_(src|example|export|comment)\b`)
	orgPlace    = regexp.MustCompile(`^[ \t]*(?:#\+|#[ \t]|:[^ \t])`)
	orgProperty = regexp.MustCompile(`(?i)^[ \t]*#\+(?:property|filetags|keywords|category):[ \t]*:?`)
)

func orgLine(r *reader, line string) verdict {
	if !begins(line, "#:") {
		return silent
	}
	if found := orgBlock.FindStringSubmatch(line); found != nil {
		kind := strings.ToLower(found[1])
		r.skipTo(kind, kind == "comment", func(line string) bool { return strings.EqualFold(strings.TrimSpace(line), "#+end_"+kind) })
		return silent
	}
	property := orgProperty.FindString(line)
	switch {
	case !orgPlace.MatchString(line):
		return silent
	case property != "" && mentions(line[len(property):]):
		return unclear
	case property != "":
		return judge(line[len(property):])
	case begins(line, ":"): // a property
		return min(unclear, judge(line))
	}
	return judge(strings.TrimLeft(line, " \t#+"))
}

var (
	restCode    = regexp.MustCompile(`^[ \t]*\.\.[ \t]+(?:code|code-block|sourcecode|parsed-literal|math|prompt|doctest|raw|highlight)::`)
	restMarkup  = regexp.MustCompile(`^[ \t]*\.\.[ \t]+(?:\|[^|]*\|[ \t]+)?[\w:+.-]+::`)
	restComment = regexp.MustCompile(`^[ \t]*\.\.(?:[ \t]|$)`)
)

func restLine(r *reader, line string) verdict {
	if line == "" {
		return silent
	}
	indent := len(line) - len(strings.TrimLeft(line, " \t"))
	if r.margin >= 0 && indent > r.margin {
		if r.comment {
			return judge(line)
		}
		return silent
	}
	r.margin, r.comment = -1, false
	switch {
	case begins(line, ".") && restCode.MatchString(line):
		r.margin = indent
	case begins(line, ".") && restComment.MatchString(line):
		if !restMarkup.MatchString(line) {
			r.margin, r.comment = indent, true
		}
		return judge(strings.TrimLeft(line, " \t."))
	case begins(line, ":"):
		return judge(strings.TrimLeft(line, " \t:"))
	case strings.HasSuffix(line, "::"):
		r.margin = indent
	}
	return silent
}

var latexBlock = regexp.MustCompile(`^[ \t]*\\begin\{(verbatim|Verbatim|lstlisting|minted|filecontents|comment)(\*?)\}`)

func latexLine(r *reader, line string) verdict {
	if begins(line, `\`) {
		if found := latexBlock.FindStringSubmatch(line); found != nil {
			end := `\end{` + found[1] + found[2] + "}"
			r.skipTo(end, found[1] == "comment", func(line string) bool { return strings.Contains(line, end) })
			return silent
		}
	}
	for i := 0; i < len(line); i++ {
		switch line[i] {
		case '\\':
			if verb := verbatim(line[i:]); verb > 0 {
				i += verb - 1
			} else if i++; strings.HasPrefix(line[i:], "lacuna") && judge(line[i:]) >= unclear {
				return unclear // a command that means to
			}
		case '%':
			return judge(strings.TrimLeft(line[i:], "% \t"))
		}
	}
	return silent
}

// verbatim returns the length of \verb and its argument at the beginning of a text, or 0.
func verbatim(text string) int {
	rest, ok := strings.CutPrefix(text, `\verb`)
	rest = strings.TrimPrefix(rest, "*")
	if !ok || rest == "" {
		return 0
	}
	end := strings.IndexByte(rest[1:], rest[0])
	if end < 0 {
		return 0
	}
	return len(text) - len(rest) + end + 2
}

var (
	slashBlock = regexp.MustCompile("^[ \t]*(-{4,}|\\.{4,}|\\+{4,}|/{4,}|```+|/\\*)(.*)$")
	slashPlace = regexp.MustCompile(`^[ \t]*(?://|/\*|:|#(?:let|metadata)\b)`)
	typstLet   = regexp.MustCompile(`^[ \t]*#let[ \t]+`)
)

// slashLine reads AsciiDoc and Typst, whose comments begin alike.
func slashLine(r *reader, line string) verdict {
	if !begins(line, "-.+/`:#") {
		if _, comment, found := strings.Cut(line, " // "); found {
			return judge(comment)
		}
		return silent
	}
	if found := slashBlock.FindStringSubmatch(line); found != nil {
		edge, rest := found[1], found[2]
		switch {
		case edge == "/*" && !strings.Contains(rest, "*/"):
			r.skipTo(edge, true, func(line string) bool { return strings.Contains(line, "*/") })
		case edge[0] == '`' && !strings.Contains(rest, edge):
			r.skipTo(edge, false, func(line string) bool { return strings.Contains(line, edge) })
		case edge[0] != '`' && rest == "":
			r.skipTo(edge, edge[0] == '/', func(line string) bool { return strings.TrimLeft(line, " \t") == edge })
		}
	}
	if !slashPlace.MatchString(line) {
		return silent
	}
	return judge(strings.TrimLeft(typstLet.ReplaceAllString(line, ""), " \t/*:#"))
}
