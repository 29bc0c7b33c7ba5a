package markup

import (
	"bytes"
	"regexp"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"lacuna/knowledge/passage"
)

// blockParser finds blocks only. Passages do not depend on inline markup, and leaving it out keeps
// hostile text cheap.
var blockParser = parser.NewParser(
	parser.WithBlockParsers(append(parser.DefaultBlockParsers(),
		util.Prioritized(extension.NewDefinitionListParser(), 101),
		util.Prioritized(extension.NewDefinitionDescriptionParser(), 102),
		util.Prioritized(indentedParser{}, 110),
		util.Prioritized(fencedParser{}, 120),
		util.Prioritized(verbatimParser{}, 130),
	)...),
	parser.WithInlineParsers([]util.PrioritizedValue{}...),
)

// container is a block that holds others: an admonition, a tab, a footnote or a fenced division.
type container struct {
	ast.BaseBlock
	title    passage.Span // of an admonition; empty for none
	footnote bool
	fence    byte // that closes it; 0 for one whose content is indented
	length   int  // of the fence at least
}

var containerKind = ast.NewNodeKind("Container")

func (*container) Kind() ast.NodeKind        { return containerKind }
func (c *container) Dump(src []byte, at int) { ast.DumpHelper(c, src, at, nil, nil) }

var (
	// MkDocs: !!! note "Title", ??? tip, ???+ tip "Title", === "Tab".
	bangLine     = regexp.MustCompile(`^(?:!!!|\?\?\?\+?)[ \t]*([\w-]+(?:[ \t]+[\w-]+)*)?(?:[ \t]+"([^"\n]*)")?[ \t]*\r?\n?$`)
	tabLine      = regexp.MustCompile(`^===[+!]?[ \t]+"([^"\n]+)"[ \t]*\r?\n?$`)
	footnoteLine = regexp.MustCompile(`^\[\^[^\]\s]+\]:[ \t]*`)
	// Docusaurus, VitePress, pandoc and MyST: :::note Title, ::: {.warning}, ```{note} Title; plug-ins of
	// Obsidian: ```ad-note.
	divisionLine  = regexp.MustCompile(`^(:{3,})[ \t]*(?:\{([^{}\n]*)\}|([\w.-]+))?[ \t]*(?:\[([^\[\]\n]*)\]|([^\n:{]*?))?[ \t]*(?:\{[^{}\n]*\})?[ \t]*:*[ \t]*\r?\n?$`)
	directiveLine = regexp.MustCompile("^(`{3,}|~{3,})[ \t]*(?:\\{([\\w-]+)\\}|ad-([\\w-]+))[ \t]*([^`\n]*?)[ \t]*\r?\n?$")
	// admonitions are the names after which a directive's content is text.
	admonitions = map[string]bool{"note": true, "warning": true, "tip": true, "info": true, "important": true, "caution": true, "danger": true,
		"hint": true, "attention": true, "error": true, "seealso": true, "admonition": true, "abstract": true, "summary": true, "example": true,
		"question": true, "quote": true, "success": true, "failure": true, "bug": true, "dropdown": true, "margin": true, "sidebar": true,
		"epigraph": true, "topic": true, "exercise": true, "solution": true, "proof": true, "theorem": true, "definition": true, "remark": true,
		"details": true, "versionadded": true, "versionchanged": true, "deprecated": true}
)

// indentedParser opens containers whose content is indented by four columns.
type indentedParser struct{}

func (indentedParser) Trigger() []byte { return []byte("!?=[") }

func (indentedParser) Open(_ ast.Node, reader text.Reader, pc parser.Context) (ast.Node, parser.State) {
	line, segment := reader.PeekLine()
	pos := pc.BlockOffset()
	if pos < 0 || segment.Padding > 0 {
		return nil, parser.NoChildren
	}
	rest, at := line[pos:], segment.Start+pos
	if m := footnoteLine.FindIndex(rest); m != nil {
		reader.Advance(pos + m[1])
		return &container{footnote: true}, parser.HasChildren
	}
	c := &container{}
	if m := bangLine.FindSubmatchIndex(rest); m != nil {
		if c.title = span(at, m[4:6]); m[4] < 0 {
			c.title = span(at, m[2:4])
		} else if m[2] < 0 && m[4] < 0 {
			return nil, parser.NoChildren
		}
	} else if m := tabLine.FindSubmatchIndex(rest); m != nil {
		c.title = span(at, m[2:4])
	} else {
		return nil, parser.NoChildren
	}
	reader.Advance(len(line) - 1)
	return c, parser.HasChildren
}

// span returns the span of a submatch in a text that begins at an offset; an empty one if it is missing.
func span(at int, m []int) passage.Span {
	if m[0] < 0 {
		return passage.Span{}
	}
	return passage.Span{Start: at + m[0], End: at + m[1]}
}

func (indentedParser) Continue(_ ast.Node, reader text.Reader, _ parser.Context) parser.State {
	line, _ := reader.PeekLine()
	if util.IsBlank(line) {
		return parser.Continue | parser.HasChildren
	}
	at, padding := util.IndentPosition(line, reader.LineOffset(), 4)
	if at < 0 {
		return parser.Close
	}
	reader.AdvanceAndSetPadding(at, padding)
	return parser.Continue | parser.HasChildren
}

func (indentedParser) Close(ast.Node, text.Reader, parser.Context) {}
func (indentedParser) CanInterruptParagraph() bool                 { return true }
func (indentedParser) CanAcceptIndentedLine() bool                 { return false }

// fencedParser opens containers that a line of colons closes, or of the marks that opened them.
type fencedParser struct{}

func (fencedParser) Trigger() []byte { return []byte(":`~") }

var openFences = parser.NewContextKey()

// maxFences bounds the fenced containers that are open at a time.
const maxFences = 16

func fencesOf(pc parser.Context) []*container {
	open, _ := pc.Get(openFences).([]*container)
	return open
}

func (fencedParser) Open(_ ast.Node, reader text.Reader, pc parser.Context) (ast.Node, parser.State) {
	line, segment := reader.PeekLine()
	pos := pc.BlockOffset()
	open := fencesOf(pc)
	if pos < 0 || segment.Padding > 0 || len(open) >= maxFences {
		return nil, parser.NoChildren
	}
	rest, at := line[pos:], segment.Start+pos
	var c *container
	if m := divisionLine.FindSubmatchIndex(rest); m != nil {
		name := string(rest[max(0, m[6]):max(0, m[7])])
		if m[4] < 0 && m[6] < 0 && m[10] >= m[11] {
			return nil, parser.NoChildren // it closes nothing
		}
		c = &container{fence: ':', length: 3}
		switch {
		case m[8] >= 0:
			c.title = span(at, m[8:10])
		case m[10] < m[11]:
			c.title = span(at, m[10:12])
		case admonitions[strings.ToLower(name)]:
			c.title = span(at, m[6:8])
		}
	} else if m := directiveLine.FindSubmatchIndex(rest); m != nil {
		if m[4] >= 0 && !admonitions[strings.ToLower(string(rest[m[4]:m[5]]))] {
			return nil, parser.NoChildren
		}
		c = &container{fence: rest[0], length: m[3] - m[2]}
		switch {
		case m[8] < m[9]:
			c.title = span(at, m[8:10])
		case m[4] >= 0:
			c.title = span(at, m[4:6])
		default:
			c.title = span(at, m[6:8])
		}
	} else {
		return nil, parser.NoChildren
	}
	pc.Set(openFences, append(open, c))
	reader.Advance(len(line) - 1)
	return c, parser.HasChildren
}

func (fencedParser) Continue(node ast.Node, reader text.Reader, pc parser.Context) parser.State {
	c := node.(*container)
	open := fencesOf(pc)
	if len(open) > 0 && open[len(open)-1] == c {
		line, _ := reader.PeekLine()
		mark := bytes.Trim(line, " \t\r\n")
		if len(mark) >= c.length && len(bytes.Trim(mark, string(c.fence))) == 0 {
			reader.AdvanceToEOL()
			return parser.Close
		}
	}
	return parser.Continue | parser.HasChildren
}

func (fencedParser) Close(node ast.Node, _ text.Reader, pc parser.Context) {
	open := fencesOf(pc)
	for i, c := range open {
		if c == node {
			pc.Set(openFences, open[:i:i])
			return
		}
	}
}
func (fencedParser) CanInterruptParagraph() bool { return true }
func (fencedParser) CanAcceptIndentedLine() bool { return false }

// verbatim is a block whose lines are not parsed: a formula, a listing or a comment.
type verbatim struct {
	ast.BaseBlock
	hidden bool
	end    int // offset behind it
}

var verbatimKind = ast.NewNodeKind("Verbatim")

func (*verbatim) Kind() ast.NodeKind        { return verbatimKind }
func (*verbatim) IsRaw() bool               { return true }
func (v *verbatim) Dump(src []byte, at int) { ast.DumpHelper(v, src, at, nil, nil) }

// verbatimParser opens blocks that end with a mark of their own: $$ … $$, %% … %%, {% highlight %} …
type verbatimParser struct{}

func (verbatimParser) Trigger() []byte { return []byte("$%{") }

var (
	highlightLine = regexp.MustCompile(`^\{(?:%-?[ \t]*|\{[<%][ \t]*)(highlight|code-block|codeblock|comment)\b[^\n]*$`)
	lookahead     = parser.NewContextKey()
)

// ends holds, for each closing mark, the offset from which on none is left.
type ends map[string]int

// find returns the offset behind the next mark from an offset on, or -1. Repeated calls stay linear if
// the mark is missing.
func (e ends) find(source []byte, from int, mark string) int {
	if none, ok := e[mark]; ok && from >= none {
		return -1
	}
	at := bytes.Index(source[from:], []byte(mark))
	if at < 0 {
		e[mark] = from
		return -1
	}
	return from + at + len(mark)
}

func (verbatimParser) Open(_ ast.Node, reader text.Reader, pc parser.Context) (ast.Node, parser.State) {
	line, segment := reader.PeekLine()
	pos := pc.BlockOffset()
	if pos < 0 || segment.Padding > 0 {
		return nil, parser.NoChildren
	}
	known, ok := pc.Get(lookahead).(ends)
	if !ok {
		known = ends{}
		pc.Set(lookahead, known)
	}
	source, rest, at := reader.Source(), line[pos:], segment.Start+pos
	v := &verbatim{end: -1}
	switch {
	case bytes.HasPrefix(rest, []byte("$$")):
		if v.end = known.find(source, at+2, "$$"); v.end >= 0 && bytes.Contains(source[at:v.end], []byte("\n\n")) {
			v.end = -1
		}
	case bytes.HasPrefix(rest, []byte("%%")):
		v.hidden, v.end = true, known.find(source, at+2, "%%")
	default:
		m := highlightLine.FindSubmatch(bytes.TrimRight(rest, "\r\n"))
		if m == nil {
			break
		}
		mark := "end" + string(m[1])
		if bytes.HasPrefix(rest, []byte("{{")) {
			mark = string(m[1]) + " >"
		}
		v.hidden = string(m[1]) == "comment"
		v.end = known.find(source, segment.Stop, mark)
	}
	if v.end < 0 {
		return nil, parser.NoChildren
	}
	left, _, _ := bytes.Cut(source[v.end:], []byte("\n"))
	if rest[0] != '{' && !util.IsBlank(left) {
		return nil, parser.NoChildren // text goes on behind it
	}
	v.Lines().Append(text.NewSegment(at, segment.Stop))
	reader.AdvanceToEOL()
	return v, parser.NoChildren
}

func (verbatimParser) Continue(node ast.Node, reader text.Reader, _ parser.Context) parser.State {
	v := node.(*verbatim)
	_, segment := reader.PeekLine()
	if segment.Start >= v.end {
		return parser.Close
	}
	v.Lines().Append(segment)
	reader.AdvanceToEOL()
	return parser.Continue | parser.NoChildren
}

func (verbatimParser) Close(ast.Node, text.Reader, parser.Context) {}
func (verbatimParser) CanInterruptParagraph() bool                 { return true }
func (verbatimParser) CanAcceptIndentedLine() bool                 { return false }
