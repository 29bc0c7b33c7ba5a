package note

import (
	"fmt"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"lacuna/knowledge/passage"
	"lacuna/knowledge/plaintext"
)

// markup defines one language: how an answer block is written in it, and what its lines mean. Everything
// else about blocks and questions is shared.
type markup struct {
	open       string // format of the first line, with the question's identity
	close      string // the last line
	openLine   *regexp.Regexp
	blankLines bool   // the first and the last line need blank lines next to them
	status     string // format of the status line
	source     func(BlockSource) string
	sourceLine *regexp.Regexp           // with the groups n, path, line, quote, id
	hidden     string                   // format of the hidden line of a lean answer, with the question's identity
	cite       func(BlockSource) string // a short link to a place
	link       string                   // the expression of such a link, with the groups label, path and line
	number     string                   // format of what begins a listed source in a lean answer
	escape     func(string) string
	unescape   func(string) string // undoes escape
	begin      func(string) string // keeps the words of a bullet from beginning a block of another kind
	unbegin    func(string) string // undoes begin

	item                  string         // what a statement's line begins with
	otherItems            string         // the characters that may begin it as well
	quotations            bool           // lines that begin with quotation are one
	leftQuote, rightQuote string         // the quotation marks around a quote
	quoteLine             *regexp.Regexp // of a quote behind item, made by quotePattern
	placeLine             *regexp.Regexp // the same of a nearest place
	list                  [2]string      // the lines around the statements, if the language needs any
	sources               [2]string      // the same around the sources

	begins                                       [2]string      // what the first lines of blocks begin with
	hiddenLine, quoteLink, placeLink, listedLink *regexp.Regexp // made by withLean

	directive    *regexp.Regexp                                                  // a comment that is a directive, with its word
	comment      string                                                          // how such a comment begins
	stripComment func(string) string                                             // removes a comment at the end of a line; may be nil
	underline    func(s *scanner, title, line string) (level int)                // of the heading if line underlines title, else 0; may be nil
	trail        string                                                          // characters that may follow a question mark
	strip        func(s *scanner, p *piece, indent int) (isItem bool, level int) // removes the marker of a list item or heading; level is 0 without a heading
	isOutside    func(s *scanner, text string, indent int) bool                  // whether a line is not running text
	option       func(text string, l *letters) (string, optionKind)              // the words of a line that may list an option, behind its marker
	inline       func(string) string                                             // the words of a question or heading without markup
}

// opens reports whether a line, without surrounding white space, begins a block, and for which question.
func (m *markup) opens(line string) (identity string, ok bool) {
	if line = m.unquoted(line); !m.mayOpen(line) {
		return "", false
	}
	found := m.openLine.FindStringSubmatch(line)
	if found == nil {
		found = m.hiddenLine.FindStringSubmatch(line)
	}
	if found == nil {
		return "", false
	}
	return found[1], true
}

// quotation begins each line of a quotation in Markdown, into which somebody may have put an answer.
const quotation = ">"

// unquoted returns a line without the marks of quotations.
func unquoted(text string) string { return strings.TrimLeft(text, "> \t") }

// unquoted returns the first line of a lean answer that stands in a quotation without the marks of that, and any other
// line as it is.
func (m *markup) unquoted(line string) string {
	if m.quotations && strings.HasPrefix(line, quotation) {
		if inner := unquoted(line); strings.HasPrefix(inner, m.begins[0]) {
			return inner
		}
	}
	return line
}

// listMarker begins an item of a list in Markdown and in plain text.
var listMarker = regexp.MustCompile(`^(?:[-*+]|\d{1,9}[.)])[ \t]+`)

// cutItem returns what stands behind the mark of a list item, for which formatters have a choice of characters.
func (m *markup) cutItem(line string) (words string, ok bool) {
	if words, ok = strings.CutPrefix(line, m.item); ok {
		return strings.TrimLeft(words, " \t"), true
	}
	if len(line) < 2 || line[1] != ' ' && line[1] != '\t' || strings.IndexByte(m.otherItems, line[0]) < 0 {
		return line, false
	}
	return strings.TrimLeft(line[1:], " \t"), true
}

// mayOpen reports whether a line begins as the first line of a block does: nearly none does.
func (m *markup) mayOpen(line string) bool {
	return strings.HasPrefix(line, m.begins[0]) || strings.HasPrefix(line, m.begins[1])
}

// Fragment returns the end of a link to a line of a file, in the file's unit, such as line or page.
func Fragment(file string, line int) string {
	switch passage.UnitOf(file) {
	case passage.Pages:
		return "#page=" + strconv.Itoa(line)
	case passage.Paragraphs:
		return "#paragraph=" + strconv.Itoa(line)
	case passage.Cells:
		return "#cell=" + strconv.Itoa(line)
	case passage.Parts:
		return "#part=" + strconv.Itoa(line)
	case passage.Slides:
		return "#slide=" + strconv.Itoa(line)
	}
	return "#L" + strconv.Itoa(line)
}

// fragmentOf returns the end of a link to a source; empty without a line.
func fragmentOf(s BlockSource) string {
	if s.Line <= 0 {
		return ""
	}
	return Fragment(s.Path, s.Line)
}

// angleBracketed puts a link's target into angle brackets if it needs them. A target that begins with a
// percent sign is escaped instead, because "<%" begins a command of Templater.
func angleBracketed(target string) string {
	switch {
	case !strings.ContainsAny(target, " ()"):
		return target
	case strings.HasPrefix(target, "%"):
		return strings.NewReplacer(" ", "%20", "(", "%28", ")", "%29").Replace(target)
	}
	return "<" + target + ">"
}

// escapePath writes a path so that it reads back byte for byte. As in a URL, it percent-encodes the
// special characters, which must include the percent sign, invisible characters, and spaces that folding
// would lose.
func escapePath(path, special string) string {
	var b strings.Builder
	for i := 0; i < len(path); {
		r, size := utf8.DecodeRuneInString(path[i:])
		broken := r == utf8.RuneError && size == 1
		lost := r == ' ' && (i == 0 || i+1 == len(path) || path[i+1] == ' ')
		if broken || lost || !unicode.IsPrint(r) || strings.ContainsRune(special, r) {
			for _, c := range []byte(path[i : i+size]) {
				fmt.Fprintf(&b, "%%%02X", c)
			}
		} else {
			b.WriteString(path[i : i+size])
		}
		i += size
	}
	return b.String()
}

// unescapePath undoes escapePath. It leaves a path with a bare percent sign as it is.
func unescapePath(written string) string {
	if path, err := url.PathUnescape(written); err == nil {
		return path
	}
	return written
}

// quoteSuffix returns the end of a source's line: the words that are cited.
func quoteSuffix(quote string) string {
	if quote = plaintext.OneLine(quote); quote == "" {
		return ""
	}
	return `: "` + quote + `"`
}

// readSource reads a line that lists a source, without indentation.
func (m *markup) readSource(line string) (Citation, bool) {
	found := m.sourceLine.FindStringSubmatch(line)
	if found == nil {
		return Citation{}, false
	}
	part := func(name string) string { return found[m.sourceLine.SubexpIndex(name)] }
	id, err := passage.ParseID(part("id"))
	if err != nil {
		return Citation{}, false
	}
	number, _ := strconv.Atoi(part("n"))
	at, _ := strconv.Atoi(part("line"))
	return Citation{N: number, Passage: id, Path: unescapePath(m.unescape(part("path"))), Line: at, Quote: m.unescape(part("quote"))}, true
}

func unchanged(s string) string { return s }
