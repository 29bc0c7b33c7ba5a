package note

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"lacuna/knowledge/plaintext"
)

var org = markup{
	hidden:     "# lacuna %s",
	cite:       orgCite,
	link:       `\[\[file:(?P<path>[^\[\]]*?)(?:::(?P<line>\d{1,9}))?\]\[(?P<label>[^\[\]]*)\]\]`,
	number:     "%d. ",
	open:       "# lacuna:answer %s",
	close:      "# lacuna:end",
	openLine:   regexp.MustCompile(`^# lacuna:answer ([0-9a-f]+(?:-[0-9]+)?)$`),
	status:     "*%s*",
	source:     orgSource,
	sourceLine: regexp.MustCompile(`^(?P<n>\d{1,6})\. \[\[file:(?P<path>.*?)(?:::(?P<line>\d{1,9}))?\]\[.*?\]\](?:: "(?P<quote>.*)")? @@comment:lacuna:cite (?P<id>[0-9a-f]{32})@@$`),
	escape:     escapeOrg,
	unescape:   plainOrg,
	begin:      unchanged, // escapeOrg does it
	unbegin:    unchanged,
	item:       "- ",
	otherItems: "-+",
	leftQuote:  `"`, rightQuote: `"`,
	quoteLine: quotePattern("", `"`, `"`),
	placeLine: quotePattern(titled, `"`, `"`),

	directive: regexp.MustCompile(`^#\s+lacuna:\s*(ask|skip|off|on|private)$`),
	comment:   "# ",
	trail:     " \t*_/+",
	strip:     stripOrg,
	isOutside: outsideOrg,
	option:    plainOption,
	inline:    inlineOrg,
}.withLean(titled)

// orgSource lists a source with a link to its line. The identity stands in an export snippet for a
// back end that does not exist, which is how Org hides words within a line.
func orgSource(s BlockSource) string {
	target := "file:" + escapePath(s.Path, `[]\%#<>?:*|{}`)
	if s.Line > 0 {
		target += "::" + strconv.Itoa(s.Line)
	}
	label := strings.NewReplacer("[", "(", "]", ")").Replace(plaintext.OneLine(s.Label))
	return fmt.Sprintf("%d. [[%s][%s]]%s @@comment:lacuna:cite %s@@", s.N, target, escapeOrg(label), quoteSuffix(escapeOrg(s.Quote)), s.Passage)
}

const (
	// pause is the zero width space, with which the manual of Org keeps apart what would be markup.
	pause  = "\u200b"
	dollar = `\dollar{}` // Org's name for the sign: a pause does not stop a formula
)

var (
	orgStart  = regexp.MustCompile(`^(?:[-+](?:\s|$)|[*#:|%]|(?:\d+|[A-Za-z])[.)](?:\s|$))`)
	orgDate   = regexp.MustCompile(`^\d{4}-`)
	orgNumber = regexp.MustCompile(`^\d{1,3}\]`)
	orgDigits = regexp.MustCompile(`^:\d+(?:[\s.,;)]|$)`)
)

// escapeOrg puts a pause wherever one is needed for the text to be nothing but words. A pause that
// is there already is written twice.
func escapeOrg(s string) string {
	var b strings.Builder
	before := ' '
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		if orgActive(before, r, s[i:], s[i+size:]) || i == 0 && orgStart.MatchString(s) {
			b.WriteString(pause)
		}
		switch s[i : i+size] {
		case pause:
			b.WriteString(pause + pause)
		case "$":
			b.WriteString(dollar)
		default:
			b.WriteString(s[i : i+size])
		}
		before, i = r, i+size
	}
	return b.String()
}

// orgActive reports whether a character could make markup of the text: r between the one before it
// and what comes after, where from begins with r.
func orgActive(before, r rune, from, after string) bool {
	if string(r) == pause {
		return false
	}
	next, _ := utf8.DecodeRuneInString(after)
	apart := after == "" || unicode.IsSpace(next)
	switch before {
	case '\\', '_', '^': // of an index both sides are kept apart: not every program minds the one before it
		return true
	case '[':
		return !orgNumber.MatchString(from)
	case '<':
		return !unicode.IsSpace(r) && !unicode.IsDigit(r) && !strings.ContainsRune("=-.", r) || orgDate.MatchString(from)
	case ']', '{', '@', ':':
		if r == before {
			return true
		}
	}
	switch r {
	case '_', '^':
		return true
	case '*', '/', '=', '~', '+':
		return !isLetterOrDigit(before) && (after == "" || !apart)
	case ':':
		return unicode.IsLetter(before) && !unicode.IsSpace(next) && !orgDigits.MatchString(from) // at the end a quotation mark follows
	}
	return false
}

// plainOrg undoes escapeOrg.
func plainOrg(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); {
		switch rest := s[i:]; {
		case strings.HasPrefix(rest, pause+pause):
			b.WriteString(pause)
			i += 2 * len(pause)
		case strings.HasPrefix(rest, pause):
			i += len(pause)
		case strings.HasPrefix(rest, dollar):
			b.WriteByte('$')
			i += len(dollar)
		default:
			b.WriteByte(s[i])
			i++
		}
	}
	return b.String()
}

var (
	orgHeading  = regexp.MustCompile(`^\*+[ \t]+(?:(?:TODO|NEXT|WAITING|DONE)[ \t]+)?(?:\[#[A-Z0-9]\][ \t]+)?`)
	orgTags     = regexp.MustCompile(`[ \t]+:[\w@#%:]+:$`)
	orgBlock    = regexp.MustCompile(`(?i)^#\+begin_(src|example|export|comment|quote|verse)(?:\s|$)`)
	orgDrawer   = regexp.MustCompile(`^:[\w-]+:$`)
	orgPlanning = regexp.MustCompile(`^(?:DEADLINE|SCHEDULED|CLOSED|CLOCK):`)
	orgLink     = regexp.MustCompile(`\[\[[^\[\]]*\](?:\[([^\[\]]*)\])?\]`)
	orgEmphasis = regexp.MustCompile(`\B[*/_=~+]+\b|\b[*/_=~+]+\B|[*/=~+]+$`)
)

func stripOrg(s *scanner, p *piece, indent int) (isItem bool, level int) {
	if p.text[0] == '*' && indent == 0 {
		marker := orgHeading.FindString(p.text)
		if marker == "" {
			return false, 0
		}
		s.listIndent = 0
		p.cut(len(marker))
		p.text = orgTags.ReplaceAllString(p.text, "")
		return false, strings.IndexAny(marker, " \t")
	}
	return s.stripPlain(p, indent)
}

// outsideOrg reports whether the line is a comment, a keyword, a table, a drawer, or in a block
// whose words are not the writer's.
func outsideOrg(s *scanner, text string, _ int) bool {
	switch {
	case strings.HasPrefix(text, "#+"):
		if found := orgBlock.FindStringSubmatch(text); found != nil {
			s.untilLine("#+end_" + found[1])
		}
		return true
	case text == "#", strings.HasPrefix(text, "# "), strings.HasPrefix(text, "|"):
		return true
	case text == ":", strings.HasPrefix(text, ": "):
		return true
	case orgDrawer.MatchString(text):
		if !strings.EqualFold(text, ":END:") {
			s.untilLine(":END:")
		}
		return true
	case strings.HasPrefix(text, `\begin{`):
		name, _, _ := strings.Cut(text[len(`\begin{`):], "}")
		s.untilHas(text, `\end{`+name+"}")
		return true
	case strings.HasPrefix(text, `\[`):
		s.untilHas(text, `\]`)
		return true
	}
	return orgPlanning.MatchString(text)
}

// untilLine makes everything up to that line, whatever its case, no running text.
func (s *scanner) untilLine(last string) {
	s.isLastLine = func(line string) bool { return strings.EqualFold(line, last) }
}

// untilHas does so up to the line that holds the mark, which may be the first one.
func (s *scanner) untilHas(first, mark string) {
	if !strings.Contains(first, mark) {
		s.isLastLine = func(line string) bool { return strings.Contains(line, mark) }
	}
}

func inlineOrg(text string) string {
	text = orgLink.ReplaceAllString(text, "$1")
	return plaintext.OneLine(strings.ToValidUTF8(orgEmphasis.ReplaceAllString(text, ""), "\ufffd"))
}

func orgCite(s BlockSource) string {
	target := "file:" + escapePath(s.Path, `[]\%#<>?:*|{}`)
	if s.Line > 0 {
		target += "::" + strconv.Itoa(s.Line)
	}
	return "[[" + target + "][" + escapeOrg(orgLabel.Replace(plaintext.OneLine(s.Title))) + "]]"
}

var orgLabel = strings.NewReplacer("[", "(", "]", ")")
