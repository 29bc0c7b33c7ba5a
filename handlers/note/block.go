package note

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"lacuna/knowledge/head"
	"lacuna/knowledge/passage"
	"lacuna/knowledge/plaintext"
)

// Block is the content of an answer, ready to be written in a note's own markup.
type Block struct {
	Status  string   // the first line, such as "Answered from 2 sources"
	Notes   []string // further lines under the status
	Bullets []Bullet
	Missing []string // what the sources lack, a line each
	Sources []BlockSource
	Lean    bool // is written in the lean form
}

// BlockSource is one line of the block's list of sources.
type BlockSource struct {
	N       int
	Passage passage.ID
	Label   string // as shown, such as "guidelines/metformin.md:31"
	Title   string // as a lean answer shows it, such as "Metformin, line 31, 2025-02-01"
	Path    string // relative path that the label links to
	Page    string // the name of the page, if a lean answer is to link to it as a wiki does
	Heading string // that the passage stands under, as such a link has it
	Line    int    // 0 if the source has no lines
	Quote   string // the words that a claim rests on; empty where a bullet quotes them
}

// Edit replaces a span of the note by new text.
type Edit struct {
	Span    passage.Span
	NewText string
}

// Write returns the edit that puts the block under the question, replacing the block that is there.
func (n *Note) Write(q Question, b Block) Edit {
	eol := n.lineEnd(q)
	block := n.render(q, b, eol)
	if q.Answer >= 0 {
		return Edit{n.Answers[q.Answer].Span, block}
	}
	if b.Lean && n.adjoins(q) { // without a last line, what follows would be a part of the block's list
		block += eol
	}
	return Edit{passage.Span{Start: q.lines.End, End: q.lines.End}, eol + eol + block}
}

// adjoins reports whether the line below a question would go on with the list of an answer above it.
func (n *Note) adjoins(q Question) bool {
	next := n.Lines.LineAt(q.lines.End) + 1
	if next >= n.Lines.Count() {
		return false
	}
	text, offset := n.trimmedLine(next)
	return text != "" && n.columnOf(next, offset) >= head.Columns(q.indent)
}

// Remove returns the edit that removes the question's answer, with the blank line that Write put before
// it. Without an answer it changes nothing.
func (n *Note) Remove(q Question) Edit {
	if q.Answer < 0 {
		return Edit{Span: passage.Span{Start: q.lines.End, End: q.lines.End}}
	}
	block := n.Answers[q.Answer].Span
	start := block.Start
	for range 2 { // the line end before the block, and the blank line's
		line := n.Lines.LineAt(start)
		first, _ := n.Lines.Span(line)
		if line == 0 || strings.TrimSpace(n.Text[first:start]) != "" {
			break
		}
		_, start = n.Lines.Span(line - 1)
	}
	return Edit{Span: passage.Span{Start: max(start, q.lines.End), End: block.End}}
}

func (n *Note) render(q Question, b Block, eol string) string {
	m := n.markup
	var lines []string
	if lines = m.renderLean(q, b); !b.Lean {
		lines = m.renderFull(q, b)
	}
	for i, line := range lines {
		switch {
		case b.Lean && q.Answer >= 0 && n.Answers[q.Answer].Quoted:
			lines[i] = strings.TrimRight(q.indent+quotation+" "+line, " ")
		case line != "":
			lines[i] = q.indent + line
		}
	}
	return strings.Join(lines, eol)
}

// renderFull writes a block in the full form, without the indentation of its question.
func (m *markup) renderFull(q Question, b Block) []string {
	lines := []string{fmt.Sprintf(m.open, q.ID), fmt.Sprintf(m.status, m.escape(plaintext.OneLine(b.Status)))}
	if m.blankLines {
		lines = slices.Insert(lines, 1, "")
	}
	for _, note := range b.Notes {
		lines = append(lines, "", m.begin(m.escape(plaintext.OneLine(note))))
	}
	var statements, places, sources []string
	for _, bullet := range b.Bullets {
		if bullet.Basis == Place {
			places = append(places, m.place(bullet, bullet.marks(), m.placeLine))
			continue
		}
		statements = append(statements, m.bullet(bullet))
	}
	for _, s := range b.Sources {
		sources = append(sources, m.source(s))
	}
	lines = append(lines, listLines(statements, m.list)...)
	if len(places) > 0 && (len(b.Notes)+len(statements) > 0 || !announcesPlaces(b.Status)) {
		lines = append(lines, "", NearestPlaces)
	}
	lines = append(lines, listLines(places, m.list)...)
	for _, missing := range b.Missing {
		lines = append(lines, "", MissingKnowledge+" "+m.escape(plaintext.OneLine(missing)))
	}
	lines = append(lines, listLines(sources, m.sources)...)
	if m.blankLines {
		lines = append(lines, "")
	}
	return append(lines, m.close)
}

// listLines puts a blank line before the lines of a list, and around them what the language needs.
func listLines(items []string, around [2]string) []string {
	if len(items) == 0 {
		return nil
	}
	return append([]string{""}, surround(items, around)...)
}

// surround puts around the lines of a list what the language needs.
func surround(items []string, around [2]string) []string {
	if len(items) == 0 {
		return nil
	}
	var lines []string
	if around[0] != "" {
		lines = append(lines, around[0])
	}
	lines = append(lines, items...)
	if around[1] != "" {
		lines = append(lines, around[1])
	}
	return lines
}

// readAnswer reads the block that begins on line first and returns the line behind it. If the block has
// lost its last line, it ends with the last line that looks like a part of it, so that no text of the
// user is taken for Lacuna's. looked is the last line that it had to read to know that.
func (n *Note) readAnswer(first int, identity string) (answer Answer, next, looked int) {
	m := n.markup
	hidden, _ := n.trimmedLine(first)
	if found := m.hiddenLine.FindStringSubmatch(m.unquoted(hidden)); found != nil {
		return n.readLean(first, identity, strings.Fields(found[2]), found[3] != "")
	}
	start, end := n.Lines.Span(first)
	a := Answer{Span: passage.Span{Start: start, End: end}, Question: identity}
	last, closed := n.closingLine(first, m)
	n.unclosed = n.unclosed || !closed
	next, looked = first+1, first
	status := first + 1
	if m.blankLines {
		status++
	}
	quote := m.quoteLine // what a line with a quote looks like here
	for line := first + 1; line < last; line++ {
		trimmed, offset := n.trimmedLine(line)
		known := a.read(m, quote, trimmed, offset) || m.surrounds(trimmed) || trimmed == NearestPlaces
		if !known && a.Status == "" && (closed || line == status) {
			a.Status = m.readStatus(trimmed)
		}
		if trimmed == NearestPlaces || announcesPlaces(a.Status) && len(a.Statements) == 0 {
			quote = m.placeLine
		}
		part := known || line == status && trimmed != ""
		switch {
		case part:
			a.Span.End, next = offset+len(trimmed), line+1
		case trimmed != "" && !closed:
			return a, next, looked
		default:
			a.readUncited(m, trimmed, offset)
		}
	}
	if closed {
		trimmed, offset := n.trimmedLine(last)
		a.Span.End, next = offset+len(trimmed), last+1
	}
	return a, next, looked
}

// readStatus returns the text of a status line.
func (m *markup) readStatus(line string) string {
	before, after, _ := strings.Cut(m.status, "%s")
	line = m.unescape(strings.TrimSuffix(strings.TrimPrefix(line, before), after))
	return strings.Trim(line, "*_ ") // a formatter may write emphasis another way
}

// surrounds reports whether a line opens or closes a list of a block.
func (m *markup) surrounds(line string) bool {
	return line != "" && (slices.Contains(m.list[:], line) || slices.Contains(m.sources[:], line))
}

// closingLine finds the last line of the block that begins at first. Without one it returns the line
// of the next block, or the number of lines.
func (n *Note) closingLine(first int, m *markup) (line int, closed bool) {
	for line = first + 1; line < n.Lines.Count(); line++ {
		trimmed, _ := n.trimmedLine(line)
		if trimmed == m.close {
			return line, true
		}
		if _, ok := m.opens(trimmed); ok {
			break
		}
	}
	return line, false
}

// trimmedLine returns a line without the white space around it, and where it begins.
func (n *Note) trimmedLine(line int) (text string, offset int) {
	start, end := n.Lines.Span(line)
	text = strings.TrimLeft(n.Text[start:end], " \t")
	return strings.TrimRight(text, " \t"), end - len(text)
}

// read reads one line of a block, without surrounding white space, and reports whether it is a
// statement, a source or what is missing. quote matches a line with a quote.
func (a *Answer) read(m *markup, quote *regexp.Regexp, line string, offset int) bool {
	if a.readBullet(m, quote, line, offset) {
		return true
	}
	if a.readMissing(m, line, offset) {
		return true
	}
	c, ok := m.readSource(line)
	if ok {
		c.Span = passage.Span{Start: offset, End: offset + len(line)}
		a.Citations = append(a.Citations, c)
	}
	return ok
}

// readMissing reads a line that names what the sources lack.
func (a *Answer) readMissing(m *markup, line string, offset int) bool {
	missing, ok := strings.CutPrefix(line, MissingKnowledge+" ")
	if ok {
		a.Missing = append(a.Missing, Missing{Text: plaintext.OneLine(m.unescape(missing)), Span: spanAt(0, len(line), offset)})
	}
	return ok
}

// MissingKnowledge begins a line that names what the sources lack. Notes on disk are read by these words, so they
// must not change.
const MissingKnowledge = "Missing knowledge:"

// lineEnd returns the line end to write after a question: its own, or the note's first.
func (n *Note) lineEnd(q Question) string {
	for _, at := range []int{q.lines.End, strings.IndexAny(n.Text, "\r\n")} {
		if at < 0 || at >= len(n.Text) {
			continue
		}
		switch {
		case strings.HasPrefix(n.Text[at:], "\r\n"):
			return "\r\n"
		case n.Text[at] == '\r':
			return "\r"
		case n.Text[at] == '\n':
			return "\n"
		}
	}
	return "\n"
}

// What stands before the nearest places: as a line of its own, or at the end of the status. Perhaps is the whole
// status where nothing is known to be missing. Notes on disk are read by these words, so they must not change.
const (
	NearestPlaces = "Nearest places:"
	Perhaps       = "Perhaps here:"
)

// announcesPlaces reports whether a line says that the nearest places follow.
func announcesPlaces(line string) bool {
	return strings.HasSuffix(line, NearestPlaces) || line == Perhaps
}

// Bullet is one statement with its citations.
type Bullet struct {
	Basis     Basis
	Title     string // of a Place: the title and headings that it stands under; may be empty
	Lead      string // the sentence before a quote, shown in brackets; may be empty
	Text      string
	Citations []int // one for a quote or a place, one or more for what sources state or contradict, else none
	Finding
}

// String returns the statement as it is shown outside of notes.
func (b Bullet) String() string {
	text := plaintext.OneLine(b.Text)
	if b.Basis == Quote || b.Basis == Place {
		text = "“" + text + "”"
	}
	if lead := plaintext.OneLine(b.Lead); lead != "" {
		text = "(" + lead + ") " + text
	}
	if title := plaintext.OneLine(b.Title); title != "" {
		text = title + ": " + text
	}
	return text + b.suffix(unchanged)
}

// Statement is a bullet that was read from a note.
type Statement struct {
	Basis Basis
	Text  string       // with single spaces; a quote is without its lead
	Span  passage.Span // of the words in the note, up to the marks or the remark behind them
	Cites []int        // numbers of the sources that it names
	Finding
}

// bullet writes a statement. Reading goes by the end of the line, so a model's words must not end in
// something that looks like a citation or a remark.
func (m *markup) bullet(b Bullet) string {
	text := plaintext.OneLine(b.Text)
	if b.Basis == Quote {
		return m.item + m.quote(b, b.marks())
	}
	text = strings.TrimSpace(endMarks.ReplaceAllString(text, ""))
	if strings.HasSuffix(text, `"`) && strings.ContainsAny(text[:1], `"(`) {
		text = text[:len(text)-1] + "”"
	}
	return m.item + m.begin(m.escape(text)) + b.suffix(m.escape)
}

// quote writes a quote with its lead and its citation.
func (m *markup) quote(b Bullet, citation string) string {
	return m.lead(b.Lead) + m.leftQuote + m.escape(plaintext.OneLine(b.Text)) + m.rightQuote + " " + citation
}

// place writes a nearest place: its title and headings, then the quote. It leaves them out if the quote would
// not read back in that form.
func (m *markup) place(b Bullet, citation string, form *regexp.Regexp) string {
	quote := m.quote(b, citation)
	title := plaintext.OneLine(strings.ReplaceAll(b.Title, `"`, "”"))
	if title == "" {
		return m.item + quote
	}
	line := m.begin(m.escape(title+":")) + " " + quote
	if found := form.FindStringSubmatch(line); found == nil || m.unescape(found[1]) != plaintext.OneLine(b.Text) {
		return m.item + quote
	}
	return m.item + line
}

// lead writes the sentence before a quote, unless it could be mistaken for the beginning of the quote.
func (m *markup) lead(text string) string {
	text = plaintext.OneLine(text)
	if text = m.escape(text); text == "" || strings.Contains(text, ") "+m.leftQuote) {
		return ""
	}
	return "(" + text + ") "
}

// quotePattern matches a quote between two quotation marks, behind the beginning of its line and what may
// come before its lead.
func quotePattern(before, left, right string) *regexp.Regexp {
	left, right = regexp.QuoteMeta(left), regexp.QuoteMeta(right)
	return regexp.MustCompile(`^` + before + `(?:\(.*?\) )?` + left + `(.*)` + right + ` (\[(\d{1,6})\])$`)
}

// titled matches what a nearest place stands under, before its quote.
const titled = "(?:[^\"`(].*?: )?"

// readBullet reads a line without surrounding white space and reports whether it is a statement that
// Lacuna wrote. quoted matches a line with a quote: that of an answer, or of a nearest place.
func (a *Answer) readBullet(m *markup, quoted *regexp.Regexp, line string, offset int) bool {
	whole := line
	line, isItem := m.cutItem(line)
	if !isItem {
		return false
	}
	offset += len(whole) - len(line)
	if at := quoted.FindStringSubmatchIndex(line); at != nil {
		basis := Quote
		if quoted == m.placeLine {
			basis = Place
		}
		number, _ := strconv.Atoi(line[at[6]:at[7]])
		quote := m.unescape(line[at[2]:at[3]])
		a.Marks = append(a.Marks, Mark{N: number, Span: spanAt(at[4], at[5], offset), Basis: basis, Quote: quote})
		a.addStatement(basis, quote, spanAt(at[2]-len(m.leftQuote), at[3]+len(m.rightQuote), offset))
		a.Statements[len(a.Statements)-1].Cites = []int{number}
		return true
	}
	words, found, marks, ok := m.readSuffix(line)
	if !ok {
		return false
	}
	for _, mark := range marks {
		number, _ := strconv.Atoi(line[mark.Start+1 : mark.End-1])
		found.Cites = append(found.Cites, number)
		a.Marks = append(a.Marks, Mark{N: number, Span: spanAt(mark.Start, mark.End, offset), Basis: found.Basis})
	}
	found.Text, found.Span = plaintext.OneLine(m.unescape(m.unbegin(words))), spanAt(0, len(words), offset)
	a.Statements = append(a.Statements, found)
	return true
}

// readUncited reads a list line that is not, or no longer, a statement of Lacuna's.
func (a *Answer) readUncited(m *markup, line string, offset int) {
	if text, ok := m.cutItem(line); ok && strings.TrimSpace(text) != "" {
		a.addStatement(Uncited, m.unescape(m.unbegin(text)), spanAt(len(line)-len(text), len(line), offset))
	}
}

func (a *Answer) addStatement(basis Basis, text string, span passage.Span) {
	a.Statements = append(a.Statements, Statement{Basis: basis, Text: plaintext.OneLine(text), Span: span})
}

func spanAt(start, end, by int) passage.Span { return passage.Span{Start: start + by, End: end + by} }

// ByModel reports whether a model wrote a part of the answer.
func (a *Answer) ByModel() bool {
	for _, s := range a.Statements {
		if s.Basis != Quote && s.Basis != Place && s.Basis != Uncited && s.Basis != Opinion {
			return true
		}
	}
	for _, c := range a.Citations {
		if c.Quote != "" {
			return true
		}
	}
	return false
}

// NotAnswered begins the first line of a block with neither an answer nor nearest places; earlier versions wrote it
// before the places, too. Notes on disk are read by these words, so they must not change.
const NotAnswered = "Not answered"

// Taken begins the first line of an answer that the user made of a nearest place, and NoPlace is that of a block
// whose places the user dismissed. Notes on disk are read by these words, so they must not change.
const (
	Taken   = "Answered: you took this place"
	NoPlace = NotAnswered + ": none of the nearest places answers this"
)

// Open reports whether a question still needs an answer: it has no block below it, or an empty one, or one
// that says [NotAnswered] or shows the nearest places. A block to which the user added a statement is an answer, whatever its first
// line says; so is a block that was written before the question was edited. So is what the writer replies.
func (n *Note) Open(q Question) bool {
	if q.Answer < 0 {
		return !q.Settled()
	}
	a := n.Answers[q.Answer]
	if a.Status == "" {
		return len(a.Statements) == 0 && len(a.Citations) == 0
	}
	added := slices.ContainsFunc(a.Statements, func(s Statement) bool { return s.Basis == Uncited })
	return (strings.HasPrefix(a.Status, NotAnswered) || announcesPlaces(a.Status)) && !added
}

// OpenQuestions returns the open questions in order, without those that a directive switches off.
func (n *Note) OpenQuestions() []Question {
	return slices.DeleteFunc(slices.Clone(n.Questions), func(q Question) bool { return !n.Open(q) })
}

// Relocate returns the edit that changes the path of a source, or the name of its page, and nothing else, apart from a
// label that names the path. Of to it takes these.
func (n *Note) Relocate(c Citation, to BlockSource) Edit {
	source := BlockSource{N: c.N, Title: c.Label, Path: to.Path, Page: to.Page, Heading: c.Heading, Line: c.Line, Quote: c.Quote}
	switch {
	case c.Linked:
		return Edit{Span: c.Span, NewText: n.markup.cite(source)}
	case c.Passage == passage.ID{}:
		return Edit{Span: c.Span, NewText: n.markup.listed(source)}
	}
	source.Passage, source.Label = c.Passage, to.Label
	return Edit{Span: c.Span, NewText: n.markup.source(source)}
}
