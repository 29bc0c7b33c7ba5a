package note

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"lacuna/knowledge/plaintext"
	"lacuna/knowledge/sanitise"
)

var asciidoc = markup{
	hidden:     "// lacuna %s",
	cite:       asciidocCite,
	link:       `link:(?P<path>[^\[\s]*?)` + fragmentForm + `\[(?P<label>[^\]]*)\]`,
	number:     "%d. ",
	open:       "// lacuna:answer %s",
	close:      "// lacuna:end",
	openLine:   regexp.MustCompile(`^// lacuna:answer ([0-9a-f]+(?:-[0-9]+)?)$`),
	blankLines: true,
	status:     "*%s*",
	source:     asciidocSource,
	sourceLine: regexp.MustCompile(`^(?P<n>\d{1,6})\. link:(?P<path>[^\[\s]*?)#(?:L(?P<line>\d{1,9})-)?lacuna-(?P<id>[0-9a-f]{32})\[[^\]]*\](?:: "(?P<quote>.*)")?$`),
	escape:     escapeAsciidoc,
	unescape:   plainAsciidoc,
	begin:      unchanged, // escapeAsciidoc does it
	unbegin:    unchanged,
	item:       "- ",
	otherItems: "-*",
	leftQuote:  `"`, rightQuote: `"`,
	quoteLine: quotePattern("", `"`, `"`),
	placeLine: quotePattern(titled, `"`, `"`),
	sources:   [2]string{"//-"}, // without a line between them one list becomes a part of the other

	directive: regexp.MustCompile(`^//\s*lacuna:\s*(ask|skip|off|on|private)$`),
	comment:   "//",
	underline: underlineAsciidoc,
	trail:     " \t*_#+",
	strip:     stripAsciidoc,
	isOutside: outsideAsciidoc,
	option:    asciidocOption,
	inline:    inlineAsciidoc,
}.withLean(titled)

// asciidocSource lists a source with a link. There are no comments within a line, so the identity
// stands in the link's fragment.
func asciidocSource(s BlockSource) string {
	target := asciidocTarget(s.Path) + "#"
	if s.Line > 0 {
		target += fmt.Sprintf("L%d-", s.Line)
	}
	return fmt.Sprintf("%d. link:%slacuna-%s[%s]%s", s.N, target, s.Passage, escapeAsciidoc(plaintext.OneLine(s.Label)), quoteSuffix(escapeAsciidoc(plaintext.OneLine(s.Quote))))
}

// asciidocStart is a beginning that would make a line an item of a list or a remark of a kind, up to
// the character that does.
var asciidocStart = regexp.MustCompile(`^(?:(?:\d+|[A-Za-z])(\.)\s|[ivxIVX]+(\))\s|(?:NOTE|TIP|IMPORTANT|WARNING|CAUTION)(:)\s)`)

// escapeAsciidoc writes every character that AsciiDoc gives a meaning by its number, which needs no
// context to be undone and none to be harmless. Marks of sentences and brackets of words stay as
// they are.
func escapeAsciidoc(s string) string {
	start := none
	if at := asciidocStart.FindStringSubmatchIndex(s); at != nil {
		start = sanitise.GroupStart(at)
	}
	var b strings.Builder
	before := ' '
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		numbered := i == start || i == 0 && !isLetterOrDigit(r) || asciidocActive(before, r, s[i+size:]) || r == ';' && strings.HasSuffix(b.String(), ";")
		if numbered && (r != utf8.RuneError || size > 1) {
			fmt.Fprintf(&b, "&#%d;", r)
		} else {
			b.WriteString(s[i : i+size])
		}
		before, i = r, i+size
	}
	return b.String()
}

// asciidocActive reports whether a character could make markup of the text: r between the one before
// it and what comes after. Of what works in pairs, either is enough.
func asciidocActive(before, r rune, after string) bool {
	next, _ := utf8.DecodeRuneInString(after)
	switch r {
	case '\\', '*', '_', '`', '#', '+', '^', '~', '[', ']', '{', '}', '<', '>', '|', '&', '$', '@', '=':
		return true
	case ':':
		return next != ' '
	case '\'':
		return r == next || !isLetterOrDigit(before)
	case '-', '.', '/', ';', '(', ')':
		return r == before || r == next && after != ""
	case 'C', 'R', 'T': // of (C), which becomes a sign
		return before == '('
	}
	return false
}

var asciidocNumber = regexp.MustCompile(`&#(\d{1,7});`)

// plainAsciidoc undoes escapeAsciidoc.
func plainAsciidoc(s string) string {
	return asciidocNumber.ReplaceAllStringFunc(s, func(written string) string {
		number, _ := strconv.Atoi(written[2 : len(written)-1]) // the pattern has only digits there
		return string(rune(number))
	})
}

var (
	asciidocHeading   = regexp.MustCompile(`^(={1,6}|#{1,6})[ \t]+`)
	asciidocItem      = regexp.MustCompile(`^(?:[*.]{1,5}|-|\d{1,9}\.|[A-Za-z]\.|[ivxIVX]+\)|<[\d.]{1,3}>)[ \t]+(?:\[[ xX*]\][ \t]+)?`)
	asciidocTerm      = regexp.MustCompile(`^[^:;]{1,80}(?::{2,4}|;;)[ \t]+`)
	asciidocRemark    = regexp.MustCompile(`^(?:NOTE|TIP|IMPORTANT|WARNING|CAUTION):[ \t]+`)
	asciidocAttribute = regexp.MustCompile(`^:!?[\w-]+!?:(?:\s|$)`)
	asciidocMacro     = regexp.MustCompile(`^[\w-]+::\S*\[.*\]$`)
	asciidocQuoting   = regexp.MustCompile("^(?:-{4,}|\\.{4,}|_{4,}|\\+{4,}|/{4,}|```.*|[|,:!]={3,})$")
	asciidocAround    = regexp.MustCompile(`^(?:={4,}|\*{4,}|--|'{3,}|<{3,}|\+)$`)
	asciidocStyle     = regexp.MustCompile(`^\[(?:source|listing|literal|quote|verse|stem|latexmath|asciimath|pass|comment)\b.*\]$`)
	asciidocLink      = regexp.MustCompile(`(?:(?:link|mailto|xref):\S*?|\b(?:https?|ftp)://[^\s\[\]]*)\[([^\[\]]*)\]|<<[^<>,]*(?:,\s*([^<>]*))?>>`)
	asciidocMarks     = regexp.MustCompile("\\B[*_#`]+\\b|\\b[*_#`]+\\B|\\*+|`+|#+$|[ \t]\\+$")
)

// stripAsciidoc never indents the answer below a list item: an indented line would be shown as it is
// written. The list ends there instead.
func stripAsciidoc(s *scanner, p *piece, indent int) (isItem bool, level int) {
	if marker := asciidocHeading.FindString(p.text); marker != "" && indent == 0 {
		p.cut(len(marker))
		marks := strings.TrimRight(marker, " \t")
		if words, closed := strings.CutSuffix(p.text, marks); closed {
			p.text = strings.TrimRight(words, " \t")
		}
		return false, len(marks)
	}
	if marker := asciidocItem.FindString(p.text); marker != "" {
		p.cut(len(marker))
		return true, 0
	}
	if marker := asciidocTerm.FindString(p.text); marker != "" {
		p.cut(len(marker))
		return true, 0
	}
	p.cut(len(asciidocRemark.FindString(p.text)))
	return false, 0
}

// underlineAsciidoc knows the headings of two lines.
func underlineAsciidoc(s *scanner, title, line string) int {
	if s.first != s.above || !repeats(line, "=-~^+") || !aboutAsLong(title, line) {
		return 0
	}
	return 1 + strings.IndexByte("=-~^+", line[0])
}

// outsideAsciidoc reports whether the line is a comment, an attribute, a macro, the edge of a block, or
// in a block or paragraph whose words are not the writer's.
func outsideAsciidoc(s *scanner, text string, indent int) bool {
	switch {
	case asciidocQuoting.MatchString(text):
		last := text
		if strings.HasPrefix(last, "```") {
			last = "```"
		}
		s.isLastLine = func(line string) bool { return line == last }
		return true
	case asciidocStyle.MatchString(text):
		s.isLastLine = styledAsciidoc()
		return true
	case strings.HasPrefix(text, "//"), asciidocAround.MatchString(text), asciidocMacro.MatchString(text):
		return true
	case strings.HasPrefix(text, ">"), strings.HasPrefix(text, "|"):
		return true
	case text[0] == '[' && strings.HasSuffix(text, "]"):
		return true
	case text[0] == '.' && len(text) > 1 && text[1] != '.' && text[1] != ' ' && text[1] != '\t': // the title of a block
		return true
	case asciidocAttribute.MatchString(text):
		return true
	case s.blankAbove && indent > 0 && !asciidocItem.MatchString(text): // shown as it is written
		s.isLastLine = func(line string) bool { return line == "" }
		return true
	}
	return false
}

// styledAsciidoc ends behind the block or the paragraph that follows the line with its style.
func styledAsciidoc() func(line string) bool {
	edge, begun := "", false
	return func(line string) bool {
		if begun {
			return line == edge
		}
		switch begun = true; {
		case asciidocQuoting.MatchString(line) || asciidocAround.MatchString(line):
			edge = line
		case line == "":
			return true
		case strings.HasPrefix(line, ".") || strings.HasPrefix(line, "["): // a title or more attributes
			begun = false
		}
		return false
	}
}

func inlineAsciidoc(text string) string {
	text = asciidocLink.ReplaceAllString(text, "$1$2")
	return plaintext.OneLine(strings.ToValidUTF8(plainAsciidoc(asciidocMarks.ReplaceAllString(text, "")), "\ufffd"))
}

func asciidocCite(s BlockSource) string {
	return "link:" + asciidocTarget(s.Path) + fragmentOf(s) + "[" + escapeAsciidoc(plaintext.OneLine(s.Title)) + "]"
}

// asciidocTarget writes the path of a link.
func asciidocTarget(path string) string {
	target := escapePath(path, " <>[]{}`\\%#?&:*|_@^~+'\"();,!$=")
	return strings.NewReplacer("--", "-%2D", "...", "..%2E").Replace(target) // which become dashes and dots even in a link
}
