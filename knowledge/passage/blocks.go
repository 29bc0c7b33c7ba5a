package passage

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// block is a stretch of text no sentence crosses.
type block struct {
	Span
	whole bool // is one sentence as it stands, such as a heading or a row of a table
}

func blocks(text string, format Format) []block {
	if format == Markdown {
		return markdownBlocks(text)
	}
	return plainBlocks(text)
}

// lines cuts text at \n, \r\n and \r. The spans leave the line ends out.
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

// plainBlocks finds the paragraphs of plain text and, within them, the lines that belong together.
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

// Widths between which a column of text counts as wrapped by hand or by an editor. Narrower ones
// are lists and verse, wider ones are paragraphs on one line each.
const (
	narrowestColumn = 40
	widestColumn    = 120
)

// appendWrapped joins a line to the next where the next line's first word would not have fitted
// into the paragraph's column: there the line was broken for want of room.
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

// bulletLen is the length of a list bullet and one space at the beginning of line, or 0.
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

// listNumberLen is the length of a list number such as "2. " or "10) " at the beginning of line,
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
