package ingest

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"lacuna/knowledge/head"
	"lacuna/knowledge/passage"
	"lacuna/knowledge/plaintext"
)

// outline is what the structure of a document says about its passages. Its spans are bytes of the
// document.
type outline struct {
	title    string // the first level-one heading, else the front matter's title; may be empty
	pairs    []pair // questions with their answers; no section overlaps them
	sections []section
	hidden   int // comments and hidden elements
}

// heading is a heading of a document, and the bytes of its lines.
type heading struct {
	passage.Span
	level int
	text  string
}

// blockParser finds blocks only. Inline markup does not matter to passages, and leaving it out
// keeps the cost of hostile text low.
var blockParser = parser.NewParser(
	parser.WithBlockParsers(parser.DefaultBlockParsers()...),
	parser.WithInlineParsers([]util.PrioritizedValue{}...),
)

// lineFeeds makes every carriage return that ends a line by itself a line feed, because the Markdown
// parser and the counting of lines know no other. No byte moves.
func lineFeeds(text string) string {
	if !strings.Contains(text, "\r") {
		return text
	}
	changed := []byte(text)
	for i, c := range changed {
		if c == '\r' && (i+1 == len(changed) || changed[i+1] != '\n') {
			changed[i] = '\n'
		}
	}
	return string(changed)
}

// outlineOf reads the structure of a Markdown document whose lines end with a line feed. Where
// paired is set, questions and answers that are marked as such become pairs.
func outlineOf(source string, paired bool) outline {
	front := head.FrontMatter(source)
	o := outline{title: front.Title}
	body := blanked(source, front.End)

	var headings []heading
	var code, scripts []passage.Span
	if nesting(body) <= deepestNesting {
		headings, code, scripts = blocksOf(body)
	}
	o.hidden = countHidden(body, code)
	units := unitsOf(body, code, scripts)

	title := slices.IndexFunc(headings, func(h heading) bool { return h.level == 1 && h.text != "" })
	if title >= 0 {
		o.title = headings[title].text
		headings[title].text = "" // so that it is on no heading path
	}
	if paired {
		o.pairs = pairsOf(body, headings, code)
		headings = withBreaks(headings, o.pairs)
	}
	o.sections = sectionsOf(headings, units, len(body))
	return o
}

// breakLevel is the level of a heading without words that only parts what stands before and behind
// it: deeper than any, it closes no section.
const breakLevel = 1000

// withBreaks returns headings with a break in the place of those inside each pair. Both are in order.
func withBreaks(headings []heading, pairs []pair) []heading {
	parted := make([]heading, 0, len(headings)+len(pairs))
	for _, pair := range pairs {
		for len(headings) > 0 && headings[0].Start < pair.Start {
			parted, headings = append(parted, headings[0]), headings[1:]
		}
		for len(headings) > 0 && headings[0].Start < pair.End {
			headings = headings[1:]
		}
		parted = append(parted, heading{Span: pair.Span, level: breakLevel})
	}
	return append(parted, headings...)
}

// sectionsOf puts the units of a document of length end under their headings. The units of the
// heading lines themselves are dropped.
func sectionsOf(headings []heading, units []passage.Span, end int) []section {
	var sections []section
	var path []heading
	open := heading{} // before the first
	for i := 0; ; i++ {
		until := end
		if i < len(headings) {
			until = headings[i].Start
		}
		var s section
		if s.units, units = within(units, open.End, until); len(s.units) > 0 {
			for _, h := range path {
				s.headings = append(s.headings, h.text)
			}
			sections = append(sections, s)
		}
		if i == len(headings) {
			return sections
		}
		open = headings[i]
		path = slices.DeleteFunc(path, func(h heading) bool { return h.level >= open.level })
		if open.text != "" {
			path = append(path, open)
		}
	}
}

// within returns the units inside start..end, and those behind it.
func within(units []passage.Span, start, end int) (inside, rest []passage.Span) {
	for len(units) > 0 && units[0].Start < end {
		if units[0].Start >= start && units[0].End <= end {
			inside = append(inside, units[0])
		}
		units = units[1:]
	}
	return inside, units
}

// unitsOf returns what passages are packed from: sentences with the list markers and table bars in
// front of them, and blocks of code, each whole.
func unitsOf(body string, code, scripts []passage.Span) []passage.Span {
	units := slices.DeleteFunc(widened(body, passage.Sentences(body, passage.Markdown)), func(s passage.Span) bool {
		return overlaps(scripts, s) || overlaps(code, s)
	})
	units = append(units, code...)
	slices.SortFunc(units, func(a, b passage.Span) int { return cmp.Compare(a.Start, b.Start) })
	return units
}

// blanked returns source with everything before end replaced by spaces and line ends, so that
// offsets stay what they are.
func blanked(source string, end int) string {
	if end == 0 {
		return source
	}
	blank := []byte(source)
	for i := range end {
		if blank[i] != '\n' && blank[i] != '\r' {
			blank[i] = ' '
		}
	}
	return string(blank)
}

// overlaps reports whether s shares a byte with one of the spans, which are in order.
func overlaps(spans []passage.Span, s passage.Span) bool {
	i, _ := slices.BinarySearchFunc(spans, s.Start, func(span passage.Span, start int) int {
		return cmp.Compare(span.End, start+1)
	})
	return i < len(spans) && spans[i].Start < s.End
}

// widened takes the markup before the first sentence of a line and the bar behind a row into the
// sentences, so that a passage begins as its line does. The sentences are in order and stay apart. It
// takes little: what is longer than a marker is no marker.
func widened(body string, sentences []passage.Span) []passage.Span {
	const longest = 64
	floor := 0
	for i := range sentences {
		s := &sentences[i]
		prefix := body[max(floor, s.Start-longest):s.Start]
		prefix = prefix[strings.LastIndexAny(prefix, "\r\n")+1:]
		if len(prefix) < longest && strings.Trim(prefix, " \t>|-+*•·◦▪‣–0123456789.)[]xX") == "" {
			s.Start -= len(strings.TrimLeft(prefix, " \t"))
		}
		ceiling := len(body)
		if i+1 < len(sentences) {
			ceiling = sentences[i+1].Start // which a bar may open
		}
		between := body[s.End:ceiling]
		if rest := strings.TrimLeft(between, " \t"); strings.HasPrefix(rest, "|") {
			s.End = ceiling - len(rest) + 1
		}
		floor = s.End
	}
	return sentences
}

// blocksOf finds the headings, the blocks of code and the scripts of a document, in order.
func blocksOf(body string) (headings []heading, code, scripts []passage.Span) {
	source := []byte(body)
	root := blockParser.Parse(text.NewReader(source))
	for node := root.FirstChild(); node != nil; node = next(node) {
		lines := node.Lines()
		if node.Type() != ast.TypeBlock || lines.Len() == 0 {
			continue
		}
		span := wholeLines(body, lines.At(0).Start, lines.At(lines.Len()-1).Stop)
		switch n := node.(type) {
		case *ast.Heading:
			if node.Parent() == root {
				headings = append(headings, headingAt(body, n, span))
			}
		case *ast.FencedCodeBlock:
			code = append(code, withFences(body, span))
		case *ast.CodeBlock:
			code = append(code, trimBlankEnd(body, span))
		case *ast.HTMLBlock:
			if hiddenBlock.MatchString(body[span.Start:span.End]) {
				scripts = append(scripts, span)
			}
		}
	}
	return headings, code, scripts
}

// next is the node after n in the order of the text. It does not recurse: nesting is the writer's
// choice, and an overflowing stack cannot be recovered from.
func next(n ast.Node) ast.Node {
	if n.Type() == ast.TypeBlock && n.FirstChild() != nil && n.FirstChild().Type() == ast.TypeBlock {
		return n.FirstChild()
	}
	for n != nil && n.NextSibling() == nil {
		n = n.Parent()
	}
	if n == nil {
		return nil
	}
	return n.NextSibling()
}

// wholeLines extends start..end to whole lines, without the last line's end.
func wholeLines(body string, start, end int) passage.Span {
	start = strings.LastIndexByte(body[:start], '\n') + 1
	for end > start && (body[end-1] == '\n' || body[end-1] == '\r') {
		end--
	}
	if length := strings.IndexByte(body[end:], '\n'); length >= 0 {
		end += length
	} else {
		end = len(body)
	}
	return passage.Span{Start: start, End: end}
}

// nextLine returns the line behind offset end, which is the end of a line.
func nextLine(body string, end int) passage.Span {
	if end >= len(body) {
		return passage.Span{Start: len(body), End: len(body)}
	}
	return wholeLines(body, end+1, end+1)
}

func headingAt(body string, n *ast.Heading, span passage.Span) heading {
	line := strings.TrimLeft(body[span.Start:span.End], " ")
	if !strings.HasPrefix(line, "#") { // underlined
		span.End = nextLine(body, span.End).End
	}
	lines := n.Lines()
	written := body[lines.At(0).Start:lines.At(lines.Len()-1).Stop]
	return heading{Span: span, level: n.Level, text: headingText(written)}
}

var (
	headingAnchor = regexp.MustCompile(`[ \t]*\{#[^{}]*\}[ \t]*$`)
	headingLink   = regexp.MustCompile(`!?\[([^\[\]]*)\]\([^()\s]*\)`)
	headingMarkup = regexp.MustCompile("<[^<>]*>|[*`]+")
)

// headingText is a heading as it reads, on one line.
func headingText(written string) string {
	written = headingAnchor.ReplaceAllString(written, "")
	written = headingLink.ReplaceAllString(written, "$1")
	return plaintext.OneLine(headingMarkup.ReplaceAllString(written, ""))
}

// withFences takes the fence lines around a block of code in.
func withFences(body string, code passage.Span) passage.Span {
	if code.Start > 0 {
		code.Start = strings.LastIndexByte(body[:code.Start-1], '\n') + 1
	}
	line := nextLine(body, code.End)
	if fence := strings.Trim(body[line.Start:line.End], " \t\r>"); len(fence) >= 3 && strings.Trim(fence, fence[:1]) == "" && strings.ContainsAny(fence[:1], "`~") {
		code.End = line.End
	}
	return code
}

func trimBlankEnd(body string, s passage.Span) passage.Span {
	s.End = s.Start + len(strings.TrimRight(body[s.Start:s.End], " \t\r\n"))
	return s
}

// deepestNesting is how many block quotes and lists may stand in each other. A deeper document is read
// without its headings; parsing it would cost more than it says.
const deepestNesting = 100

// nesting is the greatest number of blocks that can be open on a line: the markers in front of it, and
// as many lists as the blanks before a marker have room for.
func nesting(body string) int {
	deepest, count, blanks, opening := 0, 0, 0, true
	for i := 0; i < len(body); i++ {
		switch b := body[i]; {
		case b == '\n':
			count, blanks, opening = 0, 0, true
		case opening && b == ' ':
			blanks++
		case opening && b == '\t':
			blanks += 4
		case opening && strings.IndexByte(">-+*.)", b) >= 0:
			count++
			deepest = max(deepest, count+blanks/2)
		case b != ' ' && b != '\t' && (b < '0' || '9' < b):
			opening = false
		}
	}
	return deepest
}
