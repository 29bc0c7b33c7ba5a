package passage

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// block is a stretch of text that no sentence crosses.
type block struct {
	Span
	whole bool // it is one sentence, such as a heading or a table row
}

// lines splits text at \n, \r\n and \r. The spans exclude the line ends.
func lines(text string) []Span {
	var all []Span
	start := 0
	for i := 0; i < len(text); i++ {
		if text[i] != '\n' && text[i] != '\r' {
			continue
		}
		all = append(all, Span{start, i})
		if text[i] == '\r' && i+1 < len(text) && text[i+1] == '\n' {
			i++
		}
		start = i + 1
	}
	if start < len(text) {
		all = append(all, Span{start, len(text)})
	}
	return all
}

func blank(line string) bool { return strings.TrimSpace(line) == "" }

// markdownBlocks reads the line structure of Markdown that matters to sentences. It is not a Markdown
// parser: what it does not know is running text.
func markdownBlocks(text string) []block {
	s := markdownScanner{text: text, lines: lines(text)}
	for s.at < len(s.lines) {
		s.line()
	}
	s.flush()
	return s.found
}

type markdownScanner struct {
	text      string
	lines     []Span
	at        int // index of the current line
	found     []block
	paragraph Span // open paragraph; empty when none is
	inList    bool
	inTable   bool
}

var (
	fenceLine     = regexp.MustCompile("^ {0,3}(```+|~~~+)")
	headingLine   = regexp.MustCompile(`^ {0,3}#{1,6}(?:[ \t]|$)`)
	headingClose  = regexp.MustCompile(`[ \t]#+[ \t]*$`)
	ruleLine      = regexp.MustCompile(`^ {0,3}(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,}|=+[ \t]*)$`)
	delimiterLine = regexp.MustCompile(`^[ \t]*\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$`)
	referenceLine = regexp.MustCompile(`^ {0,3}\[[^\]^][^\]]*\]:[ \t]*\S+`)
	footnoteMark  = regexp.MustCompile(`^ {0,3}\[\^[^\]]+\]:[ \t]*`)
	quoteMark     = regexp.MustCompile(`^(?: {0,3}> ?)+`)
	taskMark      = regexp.MustCompile(`^\[[ xX]\][ \t]+`)
	tagsLine      = regexp.MustCompile(`^[ \t]*(?:</?[A-Za-z][^<>]*>[ \t]*)+$`)
	image         = regexp.MustCompile(`^!\[[^\[\]]{0,500}\](?:\([^()\s]{0,1000}(?:\s+"[^"]{0,500}")?\)|\[[^\[\]]{0,500}\])`)
)

var linkedImage = regexp.MustCompile(`^\[!\[[^\[\]]*\]\([^()\s]*\)\]\([^()\s]*\)`)

// longestImage bounds the text that is looked at for an image that is a link, in bytes.
const longestImage = 2000

const commentOpen, commentClose = "<!--", "-->"

// line reads the current line and the lines that belong to it, and moves on.
func (s *markdownScanner) line() {
	span := s.lines[s.at]
	s.at++
	if mark := quoteMark.FindString(s.text[span.Start:span.End]); mark != "" {
		span.Start += len(mark)
	}
	line := s.text[span.Start:span.End]
	switch {
	case blank(line):
		s.flush()
		s.inTable = false
	case fenceLine.MatchString(line):
		s.flush()
		s.skipFence(strings.TrimLeft(line, " "))
	case s.indentedCode(line):
	case strings.HasPrefix(strings.TrimLeft(line, " \t"), "<!--"):
		s.flush()
		s.skipComment(span)
	case headingLine.MatchString(line):
		s.flush()
		s.inList, s.inTable = false, false
		s.heading(span)
	case ruleLine.MatchString(line) || tagsLine.MatchString(line) || referenceLine.MatchString(line):
		s.flush()
	case s.tableRow(line):
		s.flush()
		s.row(span)
	default:
		s.prose(span)
	}
}

func (s *markdownScanner) flush() {
	if s.paragraph.Len() > 0 {
		s.withoutIslands(s.paragraph)
	}
	s.paragraph = Span{}
}

// skipFence skips the lines of a code fence, up to its end or the end of the text.
func (s *markdownScanner) skipFence(open string) {
	mark := open[:1]
	length := len(open) - len(strings.TrimLeft(open, mark))
	for s.at < len(s.lines) {
		line := s.text[s.lines[s.at].Start:s.lines[s.at].End]
		line = strings.TrimSpace(strings.TrimPrefix(line, quoteMark.FindString(line)))
		s.at++
		if len(line) >= length && strings.Trim(line, mark) == "" {
			return
		}
	}
}

// indentedCode reports whether line is code by its indentation; after a list or in a paragraph such a
// line belongs to the text before it.
func (s *markdownScanner) indentedCode(line string) bool {
	indented := strings.HasPrefix(line, "    ") || strings.HasPrefix(line, "\t")
	return indented && !s.inList && s.paragraph.Len() == 0
}

// skipComment skips a comment at the beginning of a line. It may contain blank lines, and without an
// end it hides the rest of the text, as in a browser.
func (s *markdownScanner) skipComment(line Span) {
	from := line.Start + strings.Index(s.text[line.Start:line.End], commentOpen) + len(commentOpen)
	length := strings.Index(s.text[from:], commentClose)
	if length < 0 {
		s.at = len(s.lines)
		return
	}
	behind := from + length + len(commentClose)
	for s.at < len(s.lines) && s.lines[s.at].Start < behind {
		s.at++
	}
	// What follows the comment on its last line is text.
	if last := s.lines[s.at-1]; behind < last.End {
		s.at--
		s.lines[s.at].Start = behind
	}
}

func (s *markdownScanner) heading(line Span) {
	text := s.text[line.Start:line.End]
	opening := len(text) - len(strings.TrimLeft(text, " #\t"))
	if closing := headingClose.FindStringIndex(text); closing != nil && closing[0] >= opening {
		line.End = line.Start + closing[0]
	}
	line.Start += opening
	if line.Start < line.End {
		s.found = append(s.found, block{line, true})
	}
}

// tableRow reports whether line is a table row: the next line is the delimiter row of a table, or the
// previous line was a row.
func (s *markdownScanner) tableRow(line string) bool {
	if !strings.Contains(line, "|") {
		s.inTable = false
		return false
	}
	if !s.inTable && s.at < len(s.lines) {
		next := s.text[s.lines[s.at].Start:s.lines[s.at].End]
		s.inTable = strings.Contains(next, "|") && delimiterLine.MatchString(next)
	}
	return s.inTable || strings.HasPrefix(strings.TrimSpace(line), "|")
}

func (s *markdownScanner) row(line Span) {
	text := s.text[line.Start:line.End]
	if delimiterLine.MatchString(text) {
		return
	}
	line.Start += len(text) - len(strings.TrimLeft(text, "| \t"))
	line.End -= len(text) - len(strings.TrimRight(text, "| \t"))
	if line.Start < line.End {
		s.found = append(s.found, block{line, true})
	}
}

// prose adds a line to the open paragraph, or opens one.
func (s *markdownScanner) prose(line Span) {
	text := s.text[line.Start:line.End]
	indent := len(text) - len(strings.TrimLeft(text, " \t"))
	mark := bulletLen(text[indent:]) + listNumberLen(text[indent:])
	if mark > 0 {
		s.flush()
		s.inList = true
		line.Start += indent + mark
		line.Start += len(taskMark.FindString(s.text[line.Start:line.End]))
	} else if s.paragraph.Len() == 0 {
		s.inList = s.inList && indent > 0
	}
	if foot := footnoteMark.FindString(text); foot != "" {
		s.flush()
		line.Start += len(foot)
	}
	if s.paragraph.Len() == 0 {
		s.paragraph = line
	}
	s.paragraph.End = line.End
	if hardBreak(text) {
		s.flush()
	}
}

func hardBreak(line string) bool {
	return strings.HasSuffix(line, "  ") || strings.HasSuffix(line, `\`)
}

// withoutIslands adds the blocks of a paragraph between its comments and images.
func (s *markdownScanner) withoutIslands(p Span) {
	text := s.text[p.Start:p.End]
	lastClose := strings.LastIndex(text, commentClose)
	from := 0
	for i := 0; i < len(text); i++ {
		length := 0
		switch {
		case strings.HasPrefix(text[i:], commentOpen) && i+len(commentOpen) <= lastClose:
			length = strings.Index(text[i+len(commentOpen):], commentClose) + len(commentOpen) + len(commentClose)
		case strings.HasPrefix(text[i:], "[!["):
			length = len(linkedImage.FindString(text[i:min(len(text), i+longestImage)]))
		case strings.HasPrefix(text[i:], "!["):
			length = len(image.FindString(text[i:]))
		}
		if length > 0 {
			s.found = append(s.found, block{Span: Span{p.Start + from, p.Start + i}})
			from = i + length
			i = from - 1
		}
	}
	s.found = append(s.found, block{Span: Span{p.Start + from, p.End}})
}

// Runs returns the stretches of plain text whose lines belong together: lines that were wrapped, or single
// ones.
func Runs(text string) []Span {
	blocks := plainBlocks(text)
	runs := make([]Span, len(blocks))
	for i, b := range blocks {
		runs[i] = b.Span
	}
	return runs
}

// plainBlocks returns the paragraphs of plain text and, within them, the lines that belong together.
func plainBlocks(text string) []block {
	var found []block
	var paragraph []Span
	flush := func() {
		found = appendWrapped(found, text, paragraph)
		paragraph = paragraph[:0]
	}
	for _, line := range lines(text) {
		if blank(text[line.Start:line.End]) {
			flush()
			continue
		}
		paragraph = append(paragraph, line)
	}
	flush()
	return found
}

// A column of text between these widths counts as wrapped by hand or by an editor. Narrower ones are
// lists and verse, wider ones are paragraphs on one line each.
const (
	narrowestColumn = 40
	widestColumn    = 120
)

// appendWrapped joins a line to the next if the next line's first word would not have fitted into the
// paragraph's column: the line was broken for lack of room.
func appendWrapped(found []block, text string, paragraph []Span) []block {
	width := 0
	for _, line := range paragraph {
		width = max(width, utf8.RuneCountInString(text[line.Start:line.End]))
	}
	wraps := narrowestColumn <= width && width <= widestColumn
	for i, line := range paragraph {
		if i > 0 && wraps && continues(text, paragraph[i-1], line, width) {
			found[len(found)-1].End = line.End
			continue
		}
		found = append(found, block{Span: line})
	}
	return found
}

func continues(text string, before, line Span, width int) bool {
	next := strings.TrimLeftFunc(text[line.Start:line.End], unicode.IsSpace)
	if bulletLen(next) > 0 || listNumberLen(next) > 0 || strings.HasPrefix(next, "|") { // a row of a table
		return false
	}
	word, _, _ := strings.Cut(next, " ")
	room := width - utf8.RuneCountInString(text[before.Start:before.End])
	return room < utf8.RuneCountInString(word)+1
}

// bulletLen returns the length of a list bullet and one space at the beginning of line, or 0.
func bulletLen(line string) int {
	r, size := utf8.DecodeRuneInString(line)
	if r == utf8.RuneError || !strings.ContainsRune("-+*•·◦▪‣–", r) {
		return 0
	}
	if len(line) == size {
		return size
	}
	if line[size] == ' ' || line[size] == '\t' {
		return size + 1
	}
	return 0
}

// listNumberLen returns the length of a list number such as "2. " or "10) " at the beginning of line,
// or 0.
func listNumberLen(line string) int {
	digits := 0
	for digits < len(line) && '0' <= line[digits] && line[digits] <= '9' {
		digits++
	}
	if digits == 0 || digits > 9 || digits >= len(line) || line[digits] != '.' && line[digits] != ')' {
		return 0
	}
	switch {
	case len(line) == digits+1:
		return digits + 1
	case line[digits+1] == ' ' || line[digits+1] == '\t':
		return digits + 2
	}
	return 0
}

// MarkerLen returns the length of the list marker that a text begins with, and of the box of a task behind
// it.
func MarkerLen(text string) int {
	indent := len(text) - len(strings.TrimLeft(text, " \t"))
	n := bulletLen(text[indent:]) + listNumberLen(text[indent:])
	if n == 0 {
		return 0
	}
	n += indent
	n += len(text[n:]) - len(strings.TrimLeft(text[n:], " \t"))
	return n + len(taskMark.FindString(text[n:]))
}

// runBlocks returns the stretches of a block of Markdown that no sentence crosses: what lies between hard
// breaks, comments and images. The first begins at an offset.
func runBlocks(text string, at int) []block {
	s := markdownScanner{text: text}
	s.paragraph = Span{at, at}
	for _, line := range lines(text[at:]) {
		s.paragraph.End = at + line.End
		if hardBreak(text[at+line.Start : at+line.End]) {
			s.flush()
			s.paragraph.Start = s.paragraph.End
		}
		if s.paragraph.Len() == 0 {
			s.paragraph = Span{at + line.End, at + line.End}
		}
	}
	s.flush()
	return s.found
}
