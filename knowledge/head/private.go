package head

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"lacuna/knowledge/passage"
	"lacuna/knowledge/plaintext"
)

// Private returns the line by which a document is private, preferring a clear one; false if it is not
// private. It takes time linear in the length of the text.
func Private(text string, markup Markup) (Statement, bool) {
	s := search{text: text, markup: markup}
	s.head()
	if !s.found.Clear {
		s.body()
	}
	return s.found, s.found.Line > 0
}

// verdict classifies what a line says about privacy.
type verdict int

const (
	silent  verdict = iota
	keyed           // it concerns Lacuna, but says neither private nor public
	unclear         // it can only mean private
	clear
)

var (
	clearly = regexp.MustCompile(`^["']?lacuna["']? ?[:=] ?\[? ?["']?private["']? ?\]? ?[;,.]? ?(?:(?:#|//|%|;).*)?$`)
	// named matches the key; letters after it would make another word.
	named  = regexp.MustCompile(`^lacuna(?:[^\pL\pN]|priv|$)`)
	ours   = regexp.MustCompile(`^lacuna ?:? ?(?:answer|end|cite)(?:[^\pL\pN]|$)`) // marks of answers
	valued = regexp.MustCompile(`^lacuna["'\])}*_]* ?(?:[:=]+|->) ?["']?([^"'#]*)`)
	words  = regexp.MustCompile(`[\pL\pN]+`)
	// tagged matches a word among others, such as a tag.
	tagged = regexp.MustCompile(`(?:^|[^\pL\pN])lacuna ?[:=/._-]+ ?private(?:[^\pL\pN]|$)`)
)

// judge reads a line, or the part of it that is a comment.
func judge(line string) verdict {
	if !mayName(line) || isMark(line) {
		return silent
	}
	folded := fold(line)
	stated := strings.TrimLeftFunc(folded, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	if !named.MatchString(stated) || ours.MatchString(stated) {
		return silent
	}
	if clearly.MatchString(folded) {
		return clear
	}
	for _, word := range words.FindAllString(stated[len("lacuna"):], -1) {
		if strings.HasPrefix(word, "priv") || nearly(word, "private") {
			return unclear
		}
	}
	if found := valued.FindStringSubmatch(stated); found != nil && strings.TrimSpace(found[1]) != "public" {
		return keyed
	}
	return silent
}

// Means reports whether words that stand alone, such as a line or the keywords of a file, say that the
// file is private.
func Means(words string) bool { return judge(words) >= unclear || mentions(words) }

// Names reports whether a name, such as a column's, concerns Lacuna.
func Names(name string) bool { return mayName(name) && named.MatchString(fold(name)) }

// mentions reports whether a line contains a word such as the tag lacuna-private.
func mentions(line string) bool { return mayName(line) && tagged.MatchString(fold(line)) }

// mayName quickly rules out lines that do not concern Lacuna. A line with non-ASCII letters may name it
// in disguise.
func mayName(line string) bool {
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case c >= utf8.RuneSelf:
			return true
		case (c == 'l' || c == 'L') && len(line)-i >= len("lacuna") && strings.EqualFold(line[i:i+len("lacuna")], "lacuna"):
			return true
		}
	}
	return false
}

// isMark quickly recognises the marks around Lacuna's answers.
func isMark(line string) bool {
	line = strings.TrimLeft(line, " ")
	return strings.HasPrefix(line, "lacuna:answer ") || strings.HasPrefix(line, "lacuna:end") || strings.HasPrefix(line, "lacuna:cite ") || leanMark.MatchString(line)
}

// leanMark is the hidden line of an answer, behind what begins a comment.
var leanMark = regexp.MustCompile(`^\(?lacuna [0-9a-f]{8}\b`)

// longestStatement limits how much of a line is read, in bytes; a statement is shorter.
const longestStatement = 400

// fold normalises the ways of writing a statement: case, width, quotation marks, kinds of space,
// invisible characters, and letters of other scripts that look the same.
func fold(line string) string {
	line = line[:min(len(line), longestStatement)]
	line = strings.Map(func(r rune) rune {
		if unicode.In(r, unicode.Cf, unicode.Variation_Selector) || r == '\u034F' || r == '\u115F' || r == '\u3164' || r == utf8.RuneError {
			return -1
		}
		return r
	}, line)
	return lookalikes.Replace(plaintext.Fold(line))
}

// lookalikes replaces lower-case Greek and Cyrillic letters, and marks that stand for a colon.
var lookalikes = strings.NewReplacer(
	"а", "a", "с", "c", "е", "e", "і", "i", "ӏ", "l", "ո", "n", "р", "p", "т", "t", "υ", "u", "ν", "v", "ѵ", "v", "α", "a", "ι", "i", "ρ", "p", "τ", "t", "ο", "o",
	"∶", ":", "ː", ":", "꞉", ":", "：", ":", "«", `"`, "»", `"`, "‹", "'", "›", "'", "`", "'",
)

// nearly reports whether a word differs from another by at most two edits.
func nearly(word, wanted string) bool {
	if len(word) < len(wanted)-2 || len(word) > len(wanted)+2 {
		return false
	}
	before := make([]int, len(wanted)+1)
	for j := range before {
		before[j] = j
	}
	for i := range len(word) {
		row := make([]int, len(wanted)+1)
		row[0] = i + 1
		for j := range len(wanted) {
			cost := 1
			if word[i] == wanted[j] {
				cost = 0
			}
			row[j+1] = min(row[j]+1, before[j+1]+1, before[j]+cost)
		}
		before = row
	}
	return before[len(wanted)] <= 2
}

// search is the search for a statement in a document.
type search struct {
	text   string
	markup Markup
	found  Statement
	code   []passage.Span // in order; computed on demand
	looked bool           // code is computed
}

// say records what a line says. plain reports whether a clear statement may stand there.
func (s *search) say(l lineScanner, v verdict, plain bool) {
	isClear := v == clear && plain
	if v >= unclear && (s.found.Line == 0 || isClear && !s.found.Clear) {
		s.found = Statement{Span: l.at, Line: l.number, Clear: isClear}
	}
}

// head reads the lines at the beginning of a document: front matter, even if it is not closed or has
// unusual fences, or lines that look like it without fences.
func (s *search) head() {
	lines := scanLines(s.text)
	lines.at.Start += len(s.text) - len(strings.TrimPrefix(s.text, byteOrderMark))
	for !lines.done() && isBlank(lines.text()) {
		lines.next()
	}
	if lines.done() {
		return
	}
	fence := fenceOf(lines.text())
	if s.commented() && lines.text() != fence { // where other lines of dashes are code, or headings
		fence = ""
	}
	if fence == "" {
		s.unfenced(lines)
		return
	}
	lines.next()
	if end := FrontMatter(s.text).End; end > 0 {
		s.fenced(lines, end, true, true)
		return
	}
	end, closed := blockEnd(lines, fence)
	s.fenced(lines, end, closed, false)
}

// commented reports whether the language has comments of its own, which are read later.
func (s *search) commented() bool { return s.markup > Markdown }

// isBlank reports whether a line shows nothing.
func isBlank(line string) bool {
	line = strings.TrimSpace(visible(line))
	return line == "" || strings.HasPrefix(line, "<!--") && strings.Index(line, "-->") == len(line)-len("-->")
}

// fenceOf returns the marks of a line that opens front matter, or was meant to.
func fenceOf(line string) string {
	line = strings.TrimSpace(strings.NewReplacer("—", "---", "–", "--").Replace(visible(line)))
	found := fenceLine.FindStringSubmatch(line)
	if found == nil {
		return ""
	}
	return found[1][:3]
}

var fenceLine = regexp.MustCompile(`^(-{3,}|\+{3,}|;{3,})[ \t]*(?i:ya?ml|toml|json)?$`)

// visible returns a line without invisible characters and with plain spaces.
func visible(line string) string {
	for i := 0; i < len(line); i++ {
		if line[i] >= 0x80 {
			return strings.Map(func(r rune) rune {
				switch {
				case r == 0xFEFF, 0x200B <= r && r <= 0x200F, r == 0x2060:
					return -1
				case r == 0xA0, 0x2000 <= r && r <= 0x200A, r == 0x202F, r == 0x3000:
					return ' '
				}
				return r
			}, line)
		}
	}
	return line
}

// blockEnd returns where the line begins that closes the block whose first line is the current one.
func blockEnd(lines lineScanner, fence string) (end int, closed bool) {
	for ; !lines.done(); lines.next() {
		if line := strings.TrimRight(lines.text(), " \t"); closes(line, fence) || fenceOf(line) == fence {
			return lines.at.Start, true
		}
	}
	return len(lines.body), false
}

var (
	blockScalar = regexp.MustCompile(`:[ \t]*[|>][-+0-9]*[ \t]*(?:#.*)?$`)
	tomlTable   = regexp.MustCompile(`^\[+[ \t]*["']?(?i:lacuna)\b.*\]`)
	// proseKey matches keys of text for people, which may well mention the words.
	proseKey = regexp.MustCompile(`(?i)^[ \t]*["']?(?:sub)?(?:title|description|summary|abstract|excerpt|comment)["']?[ \t]*[:=]`)
	// metadata matches a line of front matter, keyValue a line that shows it without fences.
	metadata  = regexp.MustCompile(`^(?:[ \t]*["'{}\[\]#%;:.\\/*>-]|[\pL_][^:=]{0,40}[:=])`)
	keyValue  = regexp.MustCompile(`^[ \t]*["']?[\pL_][^:=]{0,40}[:=]`)
	remark    = regexp.MustCompile(`^[ \t]*["'{}\[\]#%;:./]`)
	terse     = regexp.MustCompile(`^[^\pL\pN]*lacuna ?(?:[^\pL\pN ]|priv|is priv)`)
	multiline = regexp.MustCompile(`"""|'''`)
)

// fenced reads the lines of a block up to an offset. If the block is not closed, it ends where lines
// stop looking like front matter.
func (s *search) fenced(lines lineScanner, end int, closed, standard bool) {
	scalar := false // in the lines of a text of several lines
	quotes := ""    // by which one of TOML is open
	never := map[string]bool{}
	for ; !lines.done() && lines.at.Start < end; lines.next() {
		line := lines.text()
		indented := strings.HasPrefix(line, " ") || strings.HasPrefix(line, "\t")
		blank := strings.TrimSpace(line) == ""
		switch {
		case !closed && !blank && !indented && !metadata.MatchString(visible(line)):
			return
		case quotes != "":
			if strings.Contains(line, quotes) {
				quotes = ""
			}
			continue
		case scalar && (indented || blank):
			continue
		}
		scalar = blockScalar.MatchString(line)
		if all := multiline.FindAllString(line, -1); len(all)%2 == 1 && !never[all[len(all)-1]] {
			quotes = all[len(all)-1]
			if !strings.Contains(lines.body[min(lines.behind, end):end], quotes) { // it would hide all the rest
				never[quotes], quotes = true, ""
			}
		}
		switch v := judge(line); {
		case v == keyed && closed, tomlTable.MatchString(strings.TrimSpace(line)):
			s.say(lines, unclear, false) // there, nothing but this can be meant
		case v == silent && !proseKey.MatchString(line) && mentions(line):
			s.say(lines, unclear, false)
		default:
			s.say(lines, v, standard && !indented && v == clear)
		}
	}
}

// unfenced reads the lines before the first blank one, while they look like front matter. A sentence
// about Lacuna may begin there, so the words must stand close together.
func (s *search) unfenced(lines lineScanner) {
	for ; !lines.done(); lines.next() {
		line := visible(lines.text())
		if strings.TrimSpace(line) == "" || !keyValue.MatchString(line) && (s.commented() || !remark.MatchString(line)) {
			return
		}
		if v := judge(line); v >= unclear && terse.MatchString(fold(line)) {
			s.say(lines, v, s.markup == Plain)
		}
	}
}

// body reads the comments and settings of each language, outside code.
func (s *search) body() {
	switch s.markup {
	case Plain, Markdown:
		s.htmlComments(true)
		s.alone()
		s.otherComments()
	case HTML:
		s.htmlComments(false)
		s.metaElements()
	case Org:
		s.eachLine(orgLine)
	case RST:
		s.eachLine(restLine)
	case LaTeX:
		s.eachLine(latexLine)
	case AsciiDoc:
		s.eachLine(slashLine)
	case Typst:
		s.eachLine(slashLine)
	}
}

// htmlComments reads each line of each comment. A comment that is never closed ends with its line.
func (s *search) htmlComments(mayBeCode bool) {
	lines, closed := scanLines(s.text), true
	for at := 0; ; {
		open := strings.Index(s.text[at:], "<!--")
		if open < 0 {
			return
		}
		start := at + open + len("<!--")
		length := -1
		if closed {
			length = strings.Index(s.text[start:], "-->")
			closed = length >= 0
		}
		for !lines.done() && lines.behind <= start {
			lines.next()
		}
		inside := lines
		if length < 0 {
			length = max(0, lines.at.End-start)
		}
		at = start + length
		for ; !inside.done() && inside.at.Start < at; inside.next() {
			from, to := max(start, inside.at.Start), min(at, inside.at.End)
			if from >= to {
				continue
			}
			if v := judge(s.text[from:to]); v >= unclear && !(mayBeCode && s.isCode(start)) {
				s.say(inside, v, true)
			}
		}
		if s.found.Clear {
			return
		}
	}
}

// alone looks for paragraphs that only say private, after the head.
func (s *search) alone() {
	for _, name := range []string{"lacuna", "Lacuna", "LACUNA"} {
		for at := 0; s.found.Line == 0; {
			i := strings.Index(s.text[at:], name)
			if i < 0 {
				break
			}
			start := at + i
			at = start + len(name)
			if (start == 0 || s.text[start-1] == '\n') && judge(s.lineFrom(start)) == clear && s.isParagraph(start) && !s.isCode(start) {
				s.sayAt(start)
			}
		}
	}
}

// lineFrom returns the rest of a line from an offset on, as far as it is read.
func (s *search) lineFrom(start int) string {
	line := s.text[start:]
	line = line[:min(len(line), longestStatement)]
	if end := strings.IndexAny(line, "\r\n"); end >= 0 {
		line = line[:end]
	}
	return line
}

// isParagraph reports whether a line stands between blank lines, rules or the ends of the text.
func (s *search) isParagraph(start int) bool {
	const across = " \t\r-+*_=~"
	above := strings.TrimRight(strings.TrimSuffix(s.text[:start], "\n"), across)
	below := strings.TrimLeft(s.text[start+len(s.lineFrom(start)):], " \t\r")
	below = strings.TrimLeft(strings.TrimPrefix(below, "\n"), across)
	return (above == "" || above[len(above)-1] == '\n') && (below == "" || below[0] == '\n')
}

// sayAt records an unclear statement at an offset.
func (s *search) sayAt(start int) {
	lines := scanLines(s.text)
	for !lines.done() && lines.behind <= start {
		lines.next()
	}
	s.say(lines, unclear, false)
}

// otherComments reads the comments of Markdown programs other than HTML's.
func (s *search) otherComments() {
	for _, mark := range []string{"\n%%", "\n{/*", "\n[//]:", "\n[comment]:", "\n{::comment}"} {
		for at := 0; s.found.Line == 0; {
			i := strings.Index(s.text[at:], mark)
			if i < 0 {
				break
			}
			at += i + len(mark)
			if judge(s.lineFrom(at)) >= unclear && !s.isCode(at) {
				s.sayAt(at)
			}
		}
	}
}

var metaElement = regexp.MustCompile(`(?i)<meta\b[^<>]{0,400}>`)

// metaElements reads the meta elements of a page.
func (s *search) metaElements() {
	for _, at := range metaElement.FindAllStringIndex(s.text, -1) {
		element := fold(s.text[at[0]:at[1]])
		if strings.Contains(element, "lacuna") && strings.Contains(element, "priv") {
			s.sayAt(at[0])
			return
		}
	}
}

// isCode reports whether an offset stands in code.
func (s *search) isCode(offset int) bool {
	if !s.looked {
		s.looked = true
		s.code = codeOf(s.text, s.markup == Markdown)
	}
	i, exact := slices.BinarySearchFunc(s.code, offset, func(span passage.Span, at int) int { return cmp.Compare(span.Start, at) })
	return exact || i > 0 && offset < s.code[i-1].End || inSpan(s.text, offset)
}

// inSpan reports whether an offset stands between backticks on its line. On a very long line it looks
// only nearby.
func inSpan(text string, offset int) bool {
	const near = 4 << 10
	start, end := max(0, offset-near), min(len(text), offset+near)
	if i := strings.LastIndexAny(text[start:offset], "\r\n"); i >= 0 {
		start += i + 1
	}
	if i := strings.IndexAny(text[offset:end], "\r\n"); i >= 0 {
		end = offset + i
	}
	for at := start; at < end; {
		i := strings.IndexByte(text[at:end], '`')
		if i < 0 || at+i > offset {
			return false
		}
		open := at + i
		ticks := len(text[open:end]) - len(strings.TrimLeft(text[open:end], "`"))
		at = open + ticks
		for close := at; close < end; {
			j := strings.IndexByte(text[close:end], '`')
			if j < 0 {
				break
			}
			run := len(text[close+j:end]) - len(strings.TrimLeft(text[close+j:end], "`"))
			if run == ticks {
				if open < offset && offset < close+j {
					return true
				}
				at = close + j + run
				break
			}
			close += j + run
		}
	}
	return false
}

var listItem = regexp.MustCompile(`^(?:[-*+]|\d{1,9}[.)])[ \t]+`)

// codeOf returns the code blocks of a Markdown document: fenced ones and, if indented is set, those
// indented further than their list item.
func codeOf(text string, indented bool) []passage.Span {
	var code []passage.Span
	fence, from := "", 0
	margin, blankAbove, inset := 0, true, false
	for lines := scanLines(text); !lines.done(); lines.next() {
		line := strings.TrimRight(lines.text(), " \t")
		trimmed := strings.TrimLeft(line, " \t")
		for strings.HasPrefix(trimmed, ">") { // of a quotation
			trimmed = strings.TrimLeft(trimmed[1:], " \t")
		}
		width := Columns(line[:len(line)-len(strings.TrimLeft(line, " \t"))])
		switch {
		case fence != "":
			if strings.HasPrefix(trimmed, fence) && strings.Trim(trimmed, fence[:1]) == "" {
				code = append(code, passage.Span{Start: from, End: lines.at.End})
				fence = ""
			}
		case strings.HasPrefix(trimmed, "```"), strings.HasPrefix(trimmed, "~~~"):
			fence, from = trimmed[:len(trimmed)-len(strings.TrimLeft(trimmed, trimmed[:1]))], lines.at.Start
		case trimmed == "":
			blankAbove = true
			continue
		case indented && width >= margin+4 && (blankAbove || inset):
			code = append(code, lines.at)
			inset = true
			continue
		default:
			if item := listItem.FindString(trimmed); item != "" {
				margin = width + len(item)
			} else if width < margin && blankAbove {
				margin = 0
			}
		}
		blankAbove, inset = false, false
	}
	if fence != "" {
		code = append(code, passage.Span{Start: from, End: len(text)})
	}
	return code
}

// Columns returns the width of white space, with tabs to the next multiple of four.
func Columns(space string) int {
	width := 0
	for i := range len(space) {
		if space[i] == '\t' {
			width += 4 - width%4
		} else {
			width++
		}
	}
	return width
}
