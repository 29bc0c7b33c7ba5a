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

	"lacuna/knowledge/document"
	"lacuna/knowledge/head"
	"lacuna/knowledge/passage"
	"lacuna/knowledge/plaintext"
)

// blockParser finds blocks only. Passages do not depend on inline markup, and leaving it out keeps
// hostile text cheap.
var blockParser = parser.NewParser(
	parser.WithBlockParsers(parser.DefaultBlockParsers()...),
	parser.WithInlineParsers([]util.PrioritizedValue{}...),
)

// markdownOutline reads the structure of a Markdown document whose lines end with a line feed. If
// paired is set, questions and answers marked as such become pairs.
func markdownOutline(source string, paired bool) (document.Document, []pair) {
	front := head.FrontMatter(source)
	d := document.Document{Text: source, Format: passage.Markdown, Title: front.Title}
	body := blank(source, front.End)

	var headings []heading
	var code, scripts []passage.Span
	if maxNesting(body) <= nestingLimit {
		headings, code, scripts = structureOf(body)
	}
	d.Hidden = countHiddenMarkup(body, code)
	units := unitsOf(body, code, scripts)

	title := slices.IndexFunc(headings, func(h heading) bool { return h.level == 1 && h.text != "" })
	if title >= 0 {
		d.Title = headings[title].text
		headings[title].text = "" // so that it is on no heading path
	}
	var pairs []pair
	if paired {
		pairs = pairsOf(body, headings, code)
		headings = addBreaks(headings, pairs)
	}
	d.Blocks = blocksOf(headings, units, codeIn(code))
	return d, pairs
}

// addBreaks returns headings with each pair's headings replaced by a break. Both lists are in order.
func addBreaks(headings []heading, pairs []pair) []heading {
	parted := make([]heading, 0, len(headings)+len(pairs))
	for _, pair := range pairs {
		for len(headings) > 0 && headings[0].Start < pair.Start {
			parted, headings = append(parted, headings[0]), headings[1:]
		}
		for len(headings) > 0 && headings[0].Start < pair.End {
			headings = headings[1:]
		}
		parted = append(parted, heading{Span: pair.Span, level: separatorLevel})
	}
	return append(parted, headings...)
}

// unitsOf returns the units from which passages are packed: sentences with their list markers and table
// bars, and whole blocks of code.
func unitsOf(body string, code, scripts []passage.Span) []passage.Span {
	units := slices.DeleteFunc(widen(body, passage.Sentences(body, passage.Markdown)), func(s passage.Span) bool {
		return overlaps(scripts, s) || overlaps(code, s)
	})
	units = append(units, code...)
	slices.SortFunc(units, func(a, b passage.Span) int { return cmp.Compare(a.Start, b.Start) })
	return units
}

// blank replaces everything before end with spaces and line ends, so that offsets stay.
func blank(source string, end int) string {
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

// structureOf returns the headings, code blocks and scripts of a document, in order.
func structureOf(body string) (headings []heading, code, scripts []passage.Span) {
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
			fenced := includeFences(body, span)
			if n := len(code); n > 0 && code[n-1].End > fenced.Start {
				// A list item ended the block before, so this fence opens a block and does not close that one.
				code[n-1] = trimBlankEnd(body, passage.Span{Start: code[n-1].Start, End: fenced.Start})
			}
			code = append(code, fenced)
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

// next returns the node after n in the order of the text. It does not recurse, because the writer
// chooses the nesting and an overflowing stack cannot be recovered from.
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

// headingText returns a heading as it reads, on one line.
func headingText(written string) string {
	written = headingAnchor.ReplaceAllString(written, "")
	written = headingLink.ReplaceAllString(written, "$1")
	return plaintext.OneLine(headingMarkup.ReplaceAllString(written, ""))
}

// includeFences extends a code block over its fence lines.
func includeFences(body string, code passage.Span) passage.Span {
	if code.Start > 0 {
		code.Start = strings.LastIndexByte(body[:code.Start-1], '\n') + 1
	}
	line := nextLine(body, code.End)
	if fence := strings.Trim(body[line.Start:line.End], " \t\r>"); len(fence) >= 3 && strings.Trim(fence, fence[:1]) == "" && strings.ContainsAny(fence[:1], "`~") {
		code.End = line.End
	}
	return code
}

// nestingLimit bounds the nesting of block quotes and lists. A deeper document is read without headings,
// because parsing it would cost too much.
const nestingLimit = 100

// maxNesting returns the greatest number of blocks that can be open on a line: the markers at its
// beginning, and as many lists as the blanks before a marker have room for.
func maxNesting(body string) int {
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

var (
	questionMark = regexp.MustCompile(`^[ \t]*(?:#{1,6}[ \t]+|[-*+][ \t]+)?(?:\*\*|__)?(?:[Qq](?:uestion)?|问)(?:\*\*|__)?[:：](?:\*\*|__)?[ \t]*`)
	answerMark   = regexp.MustCompile(`^[ \t]*(?:#{1,6}[ \t]+|[-*+][ \t]+)?(?:\*\*|__)?(?:[Aa](?:nswer)?|答)(?:\*\*|__)?[:：](?:\*\*|__)?[ \t]*`)
)

// pairsOf returns the pairs of a Markdown document whose headings and code are given. A question ends
// at a blank line or at its answer, which must follow; an answer ends at the next question, heading or
// hidden text.
func pairsOf(body string, headings []heading, code []passage.Span) []pair {
	s := pairScanner{body: body, headings: headings}
	for line := wholeLines(body, 0, 0); line.Start < len(body); line = nextLine(body, line.End) {
		if !overlaps(code, passage.Span{Start: line.Start, End: line.End + 1}) {
			s.line(line)
		}
	}
	s.close(len(body))
	return s.pairs
}

// pairScanner finds pairs line by line.
type pairScanner struct {
	body     string
	headings []heading // not yet passed
	path     []heading
	open     pair
	state    pairState
	pairs    []pair
}

type pairState int

const (
	outside       pairState = iota
	inQuestion              // its lines
	afterQuestion           // behind them
	answering
)

func (s *pairScanner) line(line passage.Span) {
	text := s.body[line.Start:line.End]
	question, answer := questionMark.FindString(text), answerMark.FindString(text)
	if len(s.headings) > 0 && s.headings[0].Start <= line.Start {
		h := s.headings[0]
		s.headings = s.headings[1:]
		if question == "" && (answer == "" || s.state == outside) {
			s.close(line.Start)
			s.path = slices.DeleteFunc(s.path, func(above heading) bool { return above.level >= h.level })
			if h.text != "" {
				s.path = append(s.path, h)
			}
			return
		}
	}
	switch {
	case question != "":
		s.close(line.Start)
		s.state = inQuestion
		s.open = pair{Span: passage.Span{Start: line.Start}, question: text[len(question):]}
		for _, h := range s.path {
			s.open.headings = append(s.open.headings, h.text)
		}
	case answer != "" && (s.state == inQuestion || s.state == afterQuestion):
		s.state = answering
		s.open.answer.Start = line.Start + len(answer)
	case s.state == inQuestion && strings.TrimSpace(text) != "":
		s.open.question += " " + text
	case s.state == inQuestion:
		s.state = afterQuestion
	case s.state == afterQuestion && strings.TrimSpace(text) != "":
		s.state = outside
	}
}

// close ends the open pair before an offset, and adds it if it is complete.
func (s *pairScanner) close(end int) {
	if s.state == answering {
		p := s.open
		if hidden := hiddenOpening.FindStringIndex(s.body[p.answer.Start:end]); hidden != nil {
			end = p.answer.Start + hidden[0]
		}
		p.answer = trimSpace(s.body, passage.Span{Start: p.answer.Start, End: end})
		p.question = strings.TrimSpace(headingText(p.question))
		p.End = p.answer.End
		if p.question != "" && p.answer.Len() > 0 && !hiddenOpening.MatchString(p.question) {
			s.pairs = append(s.pairs, p)
		}
	}
	s.state = outside
}

// passage returns the pair as a passage of the document that base describes.
func (p *pair) passage(base passage.Passage, text string) passage.Passage {
	base.Kind = passage.QA
	base.Question = p.question
	base.Text = text[p.answer.Start:p.answer.End]
	base.Headings = p.headings
	base.Title = ""
	base.Identify("")
	return base
}
