package note

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"lacuna/knowledge/plaintext"
)

var rest = markup{
	hidden:     ".. lacuna %s",
	cite:       restCite,
	link:       "`(?P<label>(?:[^`<\\\\]|\\\\.)*) <(?P<path>[^<>`]*?)" + fragmentForm + ">`__",
	number:     "%d. ",
	open:       ".. lacuna:answer %s",
	close:      ".. lacuna:end",
	openLine:   regexp.MustCompile(`^\.\. lacuna:answer ([0-9a-f]+(?:-[0-9]+)?)$`),
	blankLines: true,
	status:     "**%s**",
	source:     restSource,
	sourceLine: regexp.MustCompile("^(?P<n>\\d{1,6})\\. `.*? <(?P<path>[^<>]*?)#(?:L(?P<line>\\d{1,9})-)?lacuna-(?P<id>[0-9a-f]{32})>`__(?:: \"(?P<quote>.*)\")?$"),
	escape:     escapeRest,
	unescape:   withoutBackslashes,
	begin:      unchanged, // escapeRest does it
	unbegin:    unchanged,
	item:       "- ",
	otherItems: "-+*",
	leftQuote:  `"`, rightQuote: `"`,
	quoteLine: quotePattern("", `"`, `"`),
	placeLine: quotePattern(titled, `"`, `"`),

	directive: regexp.MustCompile(`^\.\.\s+lacuna:\s*(ask|skip|off|on|private)$`),
	comment:   "..",
	trail:     " \t*_",
	underline: underlineRest,
	strip:     stripRest,
	isOutside: outsideRest,
	option:    plainOption,
	inline:    inlineRest,
}.withLean(titled)

// restSource lists a source with a link. There are no comments within a line, so the identity
// stands in the link's fragment.
func restSource(s BlockSource) string {
	target := escapePath(s.Path, " <>[]`\\%#?&:*|_@") + "#"
	if s.Line > 0 {
		target += fmt.Sprintf("L%d-", s.Line)
	}
	label := strings.NewReplacer("<", `\<`, ">", `\>`).Replace(escapeRest(plaintext.OneLine(s.Label)))
	return fmt.Sprintf("%d. `%s <%slacuna-%s>`__%s", s.N, label, target, s.Passage, quoteSuffix(escapeRest(plaintext.OneLine(s.Quote))))
}

// restEnumerated is the beginning of a list, behind a first character that says nothing.
var restEnumerated = regexp.MustCompile(`^[A-Za-z0-9]+[.)](?:\s|$)`)

// escapeRest puts a backslash before what could begin or end inline markup, an address, a literal
// block or, at the beginning, a block of any kind.
func escapeRest(s string) string {
	var b strings.Builder
	before := ' '
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		if restActive(before, r, s[i+size:]) || i == 0 && (r < 0x80 && !isLetterOrDigit(r) && !unicode.IsControl(r) || restEnumerated.MatchString(s)) {
			b.WriteByte('\\')
		}
		b.WriteString(s[i : i+size])
		before, i = r, i+size
	}
	return b.String()
}

func restActive(before, r rune, after string) bool {
	next, _ := utf8.DecodeRuneInString(after)
	switch r {
	case '\\', '*', '`', '|', '@':
		return true
	case '_':
		return after == "" || !isLetterOrDigit(next)
	case ':':
		return before == ':' || after != "" && !unicode.IsSpace(next) && !unicode.IsDigit(next) || after == ""
	}
	return false
}

// withoutBackslashes takes away a backslash before any character, and leaves the character.
func withoutBackslashes(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) {
			i++
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

var (
	restUnderline = regexp.MustCompile("^(?:={2,}|-{2,}|~{2,}|`{2,}|:{2,}|'{2,}|\"{2,}|\\^{2,}|_{2,}|\\*{2,}|\\+{2,}|#{2,}|\\.{3,})$")
	restItem      = regexp.MustCompile(`^(?:[-*+•‣⁃]|(?:\d{1,9}|#)[.)]|\((?:\d{1,9}|#)\))[ \t]+`)
	restField     = regexp.MustCompile(`^:[\w -]+:(?:\s|$)`)
	restTable     = regexp.MustCompile(`^=+(?: +=+)+$`)
	restRemark    = regexp.MustCompile(`^\.\.[ \t]+(?:(?i:todo|note|hint|warning|attention)::[ \t]+)?([\pL(][^:]*(?::[^:]+)*)$`)
	restLink      = regexp.MustCompile("(?::[\\w-]+:)?`([^`<]*?)(?:\\s*<[^`>]*>)?`_{0,2}")
	restMarks     = regexp.MustCompile(`\*+|\||_+\B`)
)

func stripRest(s *scanner, p *piece, indent int) (isItem bool, level int) {
	marker := restItem.FindString(p.text)
	if marker != "" {
		s.listIndent = indent + utf8.RuneCountInString(marker)
		p.cut(len(marker))
	}
	if strings.HasSuffix(p.text, "::") {
		s.insetColumn = max(indent, s.listIndent) + 1
	}
	return marker != "", 0
}

// underlineRest ranks headings as the language does: by the order in which a note first uses a
// character, with a line above or without.
func underlineRest(s *scanner, title, line string) int {
	if s.first != s.above || !restUnderline.MatchString(line) || len(line) < 4 && utf8.RuneCountInString(title) > len(line) {
		return 0
	}
	style := line[:1]
	if s.above > 0 {
		if over, _ := s.note.trimmedLine(s.above - 1); over == line {
			style += style
		}
	}
	if !slices.Contains(s.styles, style) {
		s.styles = append(s.styles, style)
	}
	return 1 + slices.Index(s.styles, style)
}

// outsideRest reports whether the line is a comment, a directive, a field, a table, a quotation or a
// line above a title, and notes where what belongs to it is further to the right.
func outsideRest(s *scanner, text string, indent int) bool {
	switch {
	case text == "..", strings.HasPrefix(text, ".. "), text == "__", strings.HasPrefix(text, "__ "):
		s.insetColumn = indent + 1
		return true
	case restField.MatchString(text):
		s.insetColumn = indent + 1
		return true
	case restTable.MatchString(text):
		s.isLastLine = func(line string) bool { return line == "" }
		return true
	case strings.HasPrefix(text, "|"), strings.HasPrefix(text, "+-"), strings.HasPrefix(text, ">>>"):
		return true
	case text == "::":
		s.insetColumn = max(indent, s.listIndent) + 1
		return true
	case restUnderline.MatchString(text):
		return true
	}
	return s.blankAbove && indent > s.listIndent && !restItem.MatchString(text)
}

func inlineRest(text string) string {
	text = restMarks.ReplaceAllString(restLink.ReplaceAllString(text, "$1"), "")
	return plaintext.OneLine(strings.ToValidUTF8(withoutBackslashes(text), "\ufffd"))
}

func restCite(s BlockSource) string {
	label := escapeRest(restLabel.Replace(plaintext.OneLine(s.Title)))
	return "`" + label + " <" + escapePath(s.Path, " <>[]`\\%#?&:*|_@") + fragmentOf(s) + ">`__"
}

// restLabel replaces what would begin the target of a link.
var restLabel = strings.NewReplacer("<", "‹", ">", "›")
