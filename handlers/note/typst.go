package note

import (
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"

	"lacuna/knowledge/plaintext"
)

var typst = markup{
	hidden:     "// lacuna %s",
	cite:       typstCite,
	link:       `#link\("(?P<path>[^"]*?)` + fragmentForm + `"\)\[(?P<label>(?:[^\]\\]|\\.)*)\]`,
	number:     "%d. ",
	open:       "// lacuna:answer %s",
	close:      "// lacuna:end",
	openLine:   asciidoc.openLine,
	status:     "*%s*",
	source:     typstSource,
	sourceLine: regexp.MustCompile(`^(?P<n>\d{1,6})\. #link\("(?P<path>[^"]*?)(?:#(?:L|page=|paragraph=|slide=|cell=|part=)(?P<line>\d{1,9}))?"\)\[(?:[^\]\\]|\\.)*\](?:: "(?P<quote>.*)")? // lacuna:cite (?P<id>[0-9a-f]{32})$`),
	escape:     escapeTypst,
	unescape:   withoutBackslashes,
	begin:      unchanged, // escapeTypst does it
	unbegin:    unchanged,
	item:       "- ",
	otherItems: "-",
	leftQuote:  `"`, rightQuote: `"`,
	quoteLine: quotePattern("", `"`, `"`),
	placeLine: quotePattern(titled, `"`, `"`),

	directive:    asciidoc.directive,
	comment:      "//",
	stripComment: withoutTypstComment,
	trail:        " \t*_]\\",
	strip:        stripTypst,
	isOutside:    outsideTypst,
	option:       plainOption,
	inline:       inlineTypst,
}.withLean(titled)

// typstSource lists a source with a link, behind which a comment holds the identity.
func typstSource(s BlockSource) string {
	return fmt.Sprintf(`%d. #link("%s")[%s]%s // lacuna:cite %s`, s.N, typstTarget(s), escapeTypst(plaintext.OneLine(s.Label)), quoteSuffix(escapeTypst(plaintext.OneLine(s.Quote))), s.Passage)
}

// typstStart is a beginning that would make a line a heading, an item of a list or a term.
var typstStart = regexp.MustCompile(`^(?:[=+/-]|\d+(\.))`)

// escapeTypst puts a backslash before what could begin or end markup, code, a comment, an address, a
// reference or one of the signs that are written with several characters.
func escapeTypst(s string) string {
	start := none
	if at := typstStart.FindStringSubmatchIndex(s); at != nil {
		start = max(at[2], 0)
	}
	var b strings.Builder
	before := ' '
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		if i == start || typstActive(before, r, s[i+size:]) {
			b.WriteByte('\\')
		}
		b.WriteString(s[i : i+size])
		before, i = r, i+size
	}
	return b.String()
}

func typstActive(before, r rune, after string) bool {
	next, _ := utf8.DecodeRuneInString(after)
	switch r {
	case '\\', '*', '_', '`', '#', '$', '<', '>', '@', '~', '[', ']':
		return true
	case '/':
		return before == '/' || before == ':' || before == '*' || next == '/' || next == '*'
	case '-':
		return before == '-' || next == '-' || next == '?'
	case '.':
		return before == '.'
	}
	return false
}

var (
	typstHeading = regexp.MustCompile(`^(=+)[ \t]+`)
	typstItem    = regexp.MustCompile(`^(?:[-+]|\d{1,9}\.)[ \t]+`)
	typstTerm    = regexp.MustCompile(`^/[ \t]+[^:]{1,80}:[ \t]+`)
	typstLabel   = regexp.MustCompile(`[ \t]*<[\pL\pN_.:-]+>$`)
	typstMarks   = regexp.MustCompile(`\\(\S)|#[\pL\pN_.-]+(?:\([^()]*\))?(?:\[([^\[\]]*)\])?;?|\\$|\B[*_]+\b|\b[*_]+\B|\*+|\$|` + "`+")
)

func stripTypst(s *scanner, p *piece, indent int) (isItem bool, level int) {
	p.text = typstLabel.ReplaceAllString(p.text, "")
	if found := typstHeading.FindStringSubmatch(p.text); found != nil {
		s.listIndent = 0
		p.cut(len(found[0]))
		return false, len(found[1])
	}
	marker := typstItem.FindString(p.text)
	if marker != "" {
		s.listIndent = indent + len(strings.TrimRight(marker, " \t")) + 1
	} else {
		marker = typstTerm.FindString(p.text)
	}
	p.cut(len(marker))
	return marker != "", 0
}

// outsideTypst reports whether the line is a comment, code, raw text, or a formula. Code goes on until
// its brackets are closed.
func outsideTypst(s *scanner, text string, _ int) bool {
	switch {
	case strings.HasPrefix(text, "//"):
		return true
	case strings.HasPrefix(text, "/*"):
		s.untilHas(text, "*/")
		return true
	case strings.HasPrefix(text, "```"):
		s.untilHas(text[3:], "```")
		return true
	case strings.HasPrefix(text, "$"):
		s.untilHas(text[1:], "$")
		return true
	case strings.HasPrefix(text, "#"):
		if open := openBrackets(text); open > 0 {
			s.isLastLine = func(line string) bool {
				open += openBrackets(line)
				return open <= 0
			}
		}
		return true
	case strings.Trim(text, ")]};, ") == "": // what is left of code
		return true
	}
	return false
}

// openBrackets counts the brackets of a line that are opened and not closed there; below 0, those that
// are closed and were not opened.
func openBrackets(line string) int {
	open := 0
	for i := 0; i < len(line); i++ {
		switch line[i] {
		case '\\':
			i++
		case '(', '[', '{':
			open++
		case ')', ']', '}':
			open--
		case '/':
			if strings.HasPrefix(line[i:], "//") && (i == 0 || line[i-1] != ':') {
				return open
			}
		}
	}
	return open
}

// withoutTypstComment takes the comment off the end of a line; an address is none.
func withoutTypstComment(line string) string {
	for i := 0; i+1 < len(line); i++ {
		switch {
		case line[i] == '\\':
			i++
		case line[i:i+2] == "//" && (i == 0 || line[i-1] != ':'):
			return strings.TrimRight(line[:i], " \t")
		}
	}
	return line
}

func inlineTypst(text string) string {
	return plaintext.OneLine(strings.ToValidUTF8(typstMarks.ReplaceAllString(text, "$1$2"), "\ufffd"))
}

func typstCite(s BlockSource) string {
	return `#link("` + typstTarget(s) + `")[` + escapeTypst(plaintext.OneLine(s.Title)) + "]"
}

// typstTarget writes the target of a link.
func typstTarget(s BlockSource) string {
	target := linkTarget(BlockSource{Path: s.Path, Line: s.Line})
	return strings.ReplaceAll(strings.Trim(target, "<>"), `"`, "%22")
}
