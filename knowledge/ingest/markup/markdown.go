package markup

import (
	"regexp"
	"strings"

	"github.com/yuin/goldmark/ast"
	extensionast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/text"

	"lacuna/knowledge/document"
	"lacuna/knowledge/head"
	"lacuna/knowledge/passage"
)

// Markdown reads a Markdown document in any of the dialects that people keep notes and manuals in:
// GitHub's, MkDocs', Docusaurus', Jekyll's, Hugo's, Obsidian's, pandoc's. If paired is set, questions and
// answers marked as such become pairs.
func Markdown(source string, paired bool) (document.Document, []Pair) {
	m := markdown{leads: map[ast.Node]int{}}
	m.Text, m.Format = source, passage.Markdown
	front := head.FrontMatter(source)
	m.front(front)
	body := blank(source, front.End)
	if maxNesting(body) <= nestingLimit {
		root := blockParser.Parse(text.NewReader([]byte(body)))
		for node := root.FirstChild(); node != nil; node = next(node) {
			m.node(node)
		}
	} else {
		m.paragraphs(body)
	}
	m.Hidden += countHiddenMarkup(body, m.code)
	m.markContents()
	if len(m.Blocks) == 1 && m.Blocks[0].Kind == passage.Heading && m.Hidden > 0 {
		m.Blocks = nil // a page to be written: a title and a comment about it
		m.Omit("unwritten pages", 0)
	}
	m.TakeTitle()
	var pairs []Pair
	if paired {
		pairs = pairsOf(body, m.Blocks, m.code)
		m.Blocks = withoutPairs(m.Blocks, pairs)
	}
	return m.Document, pairs
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

type markdown struct {
	blocks
	code  []passage.Span   // blocks of code, in order
	leads map[ast.Node]int // 1 plus the index of the title of an admonition
}

// front adds what a document's front matter says.
func (d *blocks) front(f head.Front) {
	d.Title, d.Aliases, d.Date, d.About = f.Title, f.Aliases, f.Date, f.About
	if f.Description.Len() > 0 {
		d.add(document.Block{Kind: passage.Property, Span: f.Description})
		d.apart = true
	}
}

// place says where a block stands.
type place struct {
	level  int      // of the item that holds it; 0 for none
	lead   int      // the title of the admonition directly around it
	quoted bool     // inside a quotation, an item or a footnote: its headings head no section
	parent ast.Node // nearest container
	first  bool     // in the container
}

func (m *markdown) place(node ast.Node) place {
	p := place{parent: node.Parent(), first: node.PreviousSibling() == nil}
	for up := node.Parent(); up != nil; up = up.Parent() {
		switch n := up.(type) {
		case *ast.ListItem:
			p.level++
			p.quoted = true
		case *ast.Blockquote:
			p.quoted = true
		case *container:
			p.quoted = p.quoted || n.fence == 0
		}
		if p.lead == 0 && p.level == 0 {
			p.lead = m.leads[up]
		}
	}
	return p
}

// node adds the blocks of a node without children.
func (m *markdown) node(node ast.Node) {
	if c, ok := node.(*container); ok {
		m.leads[node] = m.add(document.Block{Kind: passage.Admonition, Span: c.title})
		return
	}
	lines := node.Lines()
	if node.Type() != ast.TypeBlock || lines.Len() == 0 {
		return
	}
	whole := wholeLines(m.Text, lines.At(0).Start, lines.At(lines.Len()-1).Stop)
	at := m.place(node)
	switch n := node.(type) {
	case *ast.Heading:
		if !at.quoted {
			m.heading(n, whole)
			return
		}
		m.text(node, at)
	case *ast.FencedCodeBlock:
		m.verbatim(includeFences(m.Text, whole), at)
	case *ast.CodeBlock:
		m.verbatim(whole, at)
	case *verbatim:
		if n.hidden {
			m.code = append(m.code, whole)
			m.hide(whole)
			return
		}
		m.verbatim(passage.Span{Start: lines.At(0).Start, End: whole.End}, at)
	case *ast.HTMLBlock:
		if n.HasClosure() {
			whole.End = max(whole.End, n.ClosureLine.Stop)
		}
		m.html(whole, at)
	case *extensionast.DefinitionTerm:
		m.add(document.Block{Kind: passage.Term, Span: passage.Span{Start: lines.At(0).Start, End: lines.At(0).Stop}, Level: at.level})
	case *ast.Paragraph, *ast.TextBlock:
		m.text(node, at)
	}
}

// verbatim adds a block of code.
func (m *markdown) verbatim(s passage.Span, at place) {
	if n := len(m.code); n > 0 && m.code[n-1].End > s.Start {
		// An item ended the block before, so this fence opens a block and does not close that one.
		m.code[n-1].End = s.Start
		if last := len(m.Blocks) - 1; last >= 0 && m.Blocks[last].Kind == passage.Code && m.Blocks[last].End > s.Start {
			m.Blocks[last].Span = trim(m.Text, passage.Span{Start: m.Blocks[last].Start, End: s.Start})
		}
	}
	m.code = append(m.code, s)
	m.add(document.Block{Kind: passage.Code, Span: s, Level: at.level})
}

// includeFences extends a block of code over its fence lines.
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

func (m *markdown) heading(n *ast.Heading, whole passage.Span) {
	line := strings.TrimLeft(m.Text[whole.Start:whole.End], " ")
	if !strings.HasPrefix(line, "#") { // underlined
		whole.End = nextLine(m.Text, whole.End).End
	}
	lines := n.Lines()
	written := m.Text[lines.At(0).Start:lines.At(lines.Len()-1).Stop]
	m.add(document.Block{Kind: passage.Heading, Span: whole, Level: n.Level, Label: headingText(written)})
}

// nestingLimit bounds the nesting of block quotes and lists. A deeper document is read as paragraphs,
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
		case opening && strings.IndexByte(">-+*.):!?=", b) >= 0:
			count++
			deepest = max(deepest, count+blanks/2)
		case b != ' ' && b != '\t' && (b < '0' || '9' < b):
			opening = false
		}
	}
	return deepest
}

// paragraphs reads a text whose structure is too deep to be parsed: each line is a paragraph.
func (m *markdown) paragraphs(body string) {
	for line := wholeLines(body, 0, 0); line.Start < len(body); line = nextLine(body, line.End) {
		line := line
		line.Start += len(body[line.Start:line.End]) - len(strings.TrimLeft(body[line.Start:line.End], " \t>#-+*"))
		m.lines([]passage.Span{line}, place{}, passage.Paragraph)
	}
}

// text adds the blocks of a paragraph.
func (m *markdown) text(node ast.Node, at place) {
	lines := make([]passage.Span, node.Lines().Len())
	for i := range lines {
		seg := node.Lines().At(i)
		lines[i] = passage.Span{Start: seg.Start, End: seg.Start + len(strings.TrimRight(m.Text[seg.Start:seg.Stop], "\r\n"))}
	}
	kind := passage.Paragraph
	switch parent := at.parent.(type) {
	case *ast.ListItem:
		if at.first {
			kind = passage.Item
			lines[0].Start = markerStart(m.Text, lines[0].Start)
		}
	case *container:
		if parent.footnote {
			kind = passage.Footnote
			if at.first {
				lines[0].Start = markerStart(m.Text, lines[0].Start)
			}
		}
	case *extensionast.DefinitionDescription:
		kind = passage.Definition
	case *ast.Blockquote:
		if lead, rest := m.callout(lines, at); lead > 0 {
			m.leads[parent], at.lead = lead, lead
			lines = rest
		}
	}
	m.lines(lines, at, kind)
}

// markerStart returns where the marker before the text of an item or footnote begins.
func markerStart(body string, at int) int {
	line := strings.LastIndexByte(body[:at], '\n') + 1
	before := strings.TrimRight(body[line:at], " \t")
	return line + strings.LastIndexAny(before, " \t>") + 1
}

var calloutMark = regexp.MustCompile(`^\[!([\w-]+)(?:\|[^\]]*)?\][+-]?[ \t]*`)

// callout adds the title of a quotation that is one: > [!warning] Title.
func (m *markdown) callout(lines []passage.Span, at place) (lead int, rest []passage.Span) {
	if !at.first || len(lines) == 0 {
		return 0, nil
	}
	s := lines[0]
	mark := calloutMark.FindStringSubmatchIndex(m.Text[s.Start:s.End])
	if mark == nil {
		return 0, nil
	}
	title := trim(m.Text, passage.Span{Start: s.Start + mark[1], End: s.End})
	if title.Len() == 0 {
		title = span(s.Start, mark[2:4])
	}
	return m.add(document.Block{Kind: passage.Admonition, Span: title}), lines[1:]
}

var (
	attributeLine = regexp.MustCompile(`^[ \t]*\{:?[#.:%=\w][^{}]*\}[ \t]*$`)
	templateLine  = regexp.MustCompile(`^[ \t]*(?:(?:\{%[^\n]*?%\}|\{\{[^\n]*?\}\})[ \t]*)+$`)
	contentsLine  = regexp.MustCompile(`(?i)^[ \t]*(?:\[\[?_?toc_?\]?\]|\{:?toc\}|@\[toc\](?:\([^()]*\))?)[ \t]*$`)
	includeLine   = regexp.MustCompile(`^[ \t]*;?-{1,2}8<-{1,2}`)
	abbreviation  = regexp.MustCompile(`^[ \t]*\*\[[^\[\]]+\]:[ \t]*\S`)
	reference     = regexp.MustCompile(`^ {0,3}\[[^\]^][^\]]*\]:[ \t]*\S+`)
	referenceName = regexp.MustCompile(`^[ \t]*(?:"[^"]*"|'[^']*'|\([^()]*\))[ \t]*$`)
	moduleLine    = regexp.MustCompile(`^(?:import[ \t]+(?:[\w*{][^;]*[ \t}]from[ \t]*)?['"]|import[ \t]+\{?[ \t]*$|export[ \t]+(?:const|let|var|default|function|async)\b)`)
	embedLine     = regexp.MustCompile(`^[ \t]*!\[\[([^\[\]]+)\]\][ \t]*(?:\^[\w-]+)?[ \t]*$`)
	imageLine     = regexp.MustCompile(`^[ \t]*(?:\[?!\[([^\[\]]*)\](?:\((?:<[^<>]*>|[^()\s]*(?:\([^()\s]*\))?[^()\s]*)(?:[ \t]+(?:"[^"]*"|'[^']*'))?[ \t]*\)|\[[^\[\]]*\])(?:\{[^{}]*\})?(?:\]\([^()]*\)|\]\[[^\[\]]*\])?(?:\{[^{}]*\})?[ \t]*)+\\?$`)
	imageText     = regexp.MustCompile(`!\[([^\[\]]*)\]`)
	badge         = regexp.MustCompile(`(?i)badge|shields\.io|codecov|travis-ci|\bstatus\b`)
	caption       = regexp.MustCompile(`\b(?:caption|title|alt|label)[ \t]*=[ \t]*"([^"]*)"`)
	rule          = regexp.MustCompile(`^[ \t]*\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$`)
	gridRule      = regexp.MustCompile(`^[ \t]*\+(?:[-=:]+\+)+[ \t]*$`)
	trailing      = regexp.MustCompile(`[ \t\n]+(?:\^[\w-]+|\{[:#.][^{}]*\})[ \t]*$`)
	unclosedTag   = regexp.MustCompile(`^[ \t]*</?[A-Za-z][^<>]*$`)
)

// lines adds the blocks of the lines of a paragraph: a table in it, its pictures, what is left of it
// without markup.
func (m *markdown) lines(lines []passage.Span, at place, kind passage.BlockKind) {
	var open passage.Span
	flush := func() {
		if open.Len() > 0 {
			m.running(open, at, kind)
			if kind == passage.Item {
				kind = passage.Paragraph
			}
		}
		open = passage.Span{}
	}
	for i := 0; i < len(lines); i++ {
		s := lines[i]
		line := m.Text[s.Start:s.End]
		if kind == passage.Item && open.Len() == 0 {
			line = line[passage.MarkerLen(line):]
		}
		switch {
		case strings.TrimSpace(line) == "":
			flush()
		case m.startsTable(lines, i):
			flush()
			i = m.table(lines, i, at) - 1
		case open.Len() == 0 && reference.MatchString(line):
			if i+1 < len(lines) && referenceName.MatchString(m.Text[lines[i+1].Start:lines[i+1].End]) {
				i++
			}
		case open.Len() == 0 && i == 0 && unclosedTag.MatchString(line) && len(lines) > 1:
			m.html(passage.Span{Start: s.Start, End: lines[len(lines)-1].End}, at)
			return
		case open.Len() == 0 && i == 0 && at.level == 0 && moduleLine.MatchString(line):
			m.Omit("imports", 0)
			return
		case m.isMarkup(line):
			flush()
			m.captions(s, caption.FindAllStringSubmatchIndex(line, -1))
		case abbreviation.MatchString(line):
			flush()
			m.add(document.Block{Kind: passage.Definition, Span: s})
		case embedLine.MatchString(line):
			flush()
			m.Omit("embedded files", 0)
		case imageLine.MatchString(line):
			flush()
			if badge.MatchString(line) {
				m.Omit("badges", 0)
				continue
			}
			m.captions(passage.Span{Start: s.End - len(line), End: s.End}, imageText.FindAllStringSubmatchIndex(line, -1))
		default:
			if open.Len() == 0 {
				open = s
			}
			open.End = s.End
		}
	}
	flush()
}

// isMarkup reports whether a line is an instruction for the program that renders the document.
func (m *markdown) isMarkup(line string) bool {
	return attributeLine.MatchString(line) || templateLine.MatchString(line) || contentsLine.MatchString(line) || includeLine.MatchString(line)
}

// captions adds the captions found in a line.
func (m *markdown) captions(line passage.Span, found [][]int) {
	for _, at := range found {
		if s := span(line.Start, at[2:4]); len(strings.Fields(m.Text[s.Start:s.End])) > 1 {
			m.add(document.Block{Kind: passage.Caption, Span: s})
		}
	}
}

// running adds running text, without what is hidden in it.
func (m *markdown) running(s passage.Span, at place, kind passage.BlockKind) {
	if cut := trailing.FindStringIndex(m.Text[s.Start:s.End]); cut != nil && cut[0] > 0 {
		s.End = s.Start + cut[0]
	}
	from := s.Start
	part := func(end int) {
		b := document.Block{Kind: kind, Span: passage.Span{Start: from, End: end}, Level: at.level}
		if kind == passage.Paragraph && at.level == 0 {
			b.Lead = at.lead
		}
		if m.add(b) > 0 && kind == passage.Item {
			kind = passage.Paragraph
		}
	}
	for _, h := range hiddenSpans(m.Text[s.Start:s.End]) {
		h.Start, h.End = h.Start+s.Start, h.End+s.Start
		part(h.Start)
		m.apart = true
		if !strings.HasPrefix(m.Text[h.Start:h.End], "<") { // those are counted elsewhere
			m.Hidden++
		}
		from = h.End
	}
	part(s.End)
}

// startsTable reports whether a table begins with a line: the line below it is the rule of its header,
// or it has bars at both ends.
func (m *markdown) startsTable(lines []passage.Span, i int) bool {
	line := strings.TrimSpace(m.Text[lines[i].Start:lines[i].End])
	if gridRule.MatchString(line) {
		return true
	}
	if !strings.Contains(line, "|") {
		return false
	}
	if i+1 < len(lines) {
		below := m.Text[lines[i+1].Start:lines[i+1].End]
		if strings.ContainsAny(below, "|:") && strings.Contains(below, "-") && rule.MatchString(below) {
			return true
		}
	}
	return len(line) > 2 && line[0] == '|' && line[len(line)-1] == '|' && strings.Count(line, "|") > 2
}

// table adds the rows of the table that begins with line i, and returns the first line behind it.
func (m *markdown) table(lines []passage.Span, i int, at place) int {
	row := func(s passage.Span, kind passage.BlockKind, together bool) bool {
		if text := strings.Trim(m.Text[s.Start:s.End], " \t|>"); !hasWords(text) {
			return false
		}
		return m.add(document.Block{Kind: kind, Span: s, Level: at.level, Together: together}) > 0
	}
	line := func(i int) string { return m.Text[lines[i].Start:lines[i].End] }
	if gridRule.MatchString(line(i)) {
		return m.grid(lines, i, row)
	}
	together := false
	if i+1 < len(lines) && rule.MatchString(line(i+1)) {
		together = row(lines[i], passage.HeaderRow, false)
		i += 2
	}
	for ; i < len(lines) && strings.Contains(line(i), "|"); i++ {
		if !rule.MatchString(line(i)) {
			together = row(lines[i], passage.Row, together) || together
		}
	}
	return i
}

// grid adds the rows of a table drawn with +---+ and |.
func (m *markdown) grid(lines []passage.Span, i int, row func(passage.Span, passage.BlockKind, bool) bool) int {
	together := false
	for i++; i < len(lines); {
		first := i
		for i < len(lines) && strings.HasPrefix(strings.TrimSpace(m.Text[lines[i].Start:lines[i].End]), "|") {
			i++
		}
		if i == first {
			break
		}
		kind := passage.Row
		if i < len(lines) && strings.Contains(m.Text[lines[i].Start:lines[i].End], "=") && gridRule.MatchString(m.Text[lines[i].Start:lines[i].End]) {
			kind = passage.HeaderRow
		}
		together = row(passage.Span{Start: lines[first].Start, End: lines[i-1].End}, kind, together) || together
		if i < len(lines) && gridRule.MatchString(m.Text[lines[i].Start:lines[i].End]) {
			i++
		}
	}
	return i
}

var (
	contentsHeading = regexp.MustCompile(`(?i)^(?:(?:table of )?contents|toc|on this page|in this (?:article|page|section)|index|inhalt(?:sverzeichnis)?|sommaire|contenido|indice|índice|目录|目錄|目次)\W*$`)
	linkTarget      = regexp.MustCompile(`^(?:\[[ xX]\][ \t]+)?[*_#\d.\s]*(?:\[(?:[^\[\]]|\[[^\[\]]*\])*\]\(<?([^()\s]*)>?[^()]*\)|!?\[\[([^\[\]|]*)[^\[\]]*\]\])[*_.,;:\s]*$`)
)

// target returns where an item leads that is a link and nothing else.
func (m *markdown) target(b document.Block) (target string, ok bool) {
	if b.Kind != passage.Item {
		return "", false
	}
	written := m.Text[b.Start:b.End]
	found := linkTarget.FindStringSubmatch(written[passage.MarkerLen(written):])
	if found == nil {
		return "", false
	}
	return found[1] + found[2], true
}

// markContents labels tables of contents: lists of links into the document, and a document that is
// nothing but links to others of the folder.
func (m *markdown) markContents() {
	const few = 3
	links, words := 0, 0
	for i := 0; i < len(m.Blocks); i++ {
		first := i
		inside := true
		for ; i < len(m.Blocks); i++ {
			target, ok := m.target(m.Blocks[i])
			if !ok {
				break
			}
			inside = inside && strings.HasPrefix(target, "#")
			if !strings.Contains(target, "://") {
				links++
			}
		}
		if i-first >= few && inside {
			m.label(first, i)
		}
		if i < len(m.Blocks) && m.Blocks[i].Kind != passage.Heading {
			words += len(strings.Fields(m.Text[m.Blocks[i].Start:m.Blocks[i].End]))
		}
	}
	if links >= 2*few && words <= links/2 {
		m.label(0, len(m.Blocks))
	}
}

// label labels blocks as a table of contents, with the heading above them.
func (m *markdown) label(first, end int) {
	if first > 0 && contentsHeading.MatchString(strings.Trim(m.Text[m.Blocks[first-1].Start:m.Blocks[first-1].End], "#*_: \t\n")) {
		first--
	}
	for i := first; i < end; i++ {
		m.Blocks[i].Chrome = document.Contents
	}
	if end < len(m.Blocks) {
		m.Blocks[end].Apart = true
	}
}
