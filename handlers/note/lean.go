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

// A lean answer has one hidden line, with the question's identity and what became of a nearest place. Each quote
// ends in a link to its place, and numbers with a list of sources remain for a model's sentences. Which passage a
// link means is not written: the quoted words find it.
//
// It has no last line. What belongs to it is known by its form and by its order: the status, the statements, the
// nearest places, what is missing, the sources. A blank line stands only between these parts, so a list that
// somebody writes below a blank line is not taken for one of them.

// Answered is the status of a lean answer that shows none: it quotes the sources, and nothing is to be added.
const Answered = "Answered"

// answeredFrom is a status that a lean answer does not show. Notes on disk are read by these words, so they must not
// change.
var answeredFrom = regexp.MustCompile(`^Answered(?: from \d+ sources?)?$`)

// RemarkOfAnswer begins a line of a lean answer that says something about the answer, not about its subject. Notes on
// disk are read by these words, so they must not change.
const RemarkOfAnswer = "Note:"

// takenWord stands in the hidden line of an answer that the user made of a nearest place.
const takenWord = "taken"

const (
	identityForm = `([0-9a-f]{8}(?:-[0-9]+)?)`
	fragmentForm = `(?:#(?:L|page=|paragraph=|slide=|cell=|part=)(?P<line>\d{1,9}))?`
)

// withLean completes a markup with the expressions that read lean answers.
func (m markup) withLean(titledPlace string) markup {
	beginning := func(format string) string {
		before, _, _ := strings.Cut(format, "%s")
		return strings.ReplaceAll(before, "%%", "%")
	}
	before := beginning(m.hidden)
	_, after, _ := strings.Cut(m.hidden, "%s")
	m.begins = [2]string{before, beginning(m.open)}
	m.hiddenLine = regexp.MustCompile(`^` + regexp.QuoteMeta(before) + identityForm + `(?: (` + takenWord + `))?` + regexp.QuoteMeta(after) + `$`)
	left, right := regexp.QuoteMeta(m.leftQuote), regexp.QuoteMeta(m.rightQuote)
	quote := `(?:\(.*?\) )?` + left + `(?P<quote>.*)` + right + ` (?P<link>` + m.link + `)$`
	m.quoteLink = regexp.MustCompile(`^` + quote)
	m.placeLink = regexp.MustCompile(`^` + titledPlace + quote)
	number := strings.Replace(regexp.QuoteMeta(m.number), `%d`, `(?P<n>\d{1,6})`, 1)
	m.listedLink = regexp.MustCompile(`^` + number + m.link + `(?:: ` + left + `(?P<quote>.*)` + right + `)?$`)
	return m
}

// hiddenOf returns the hidden line of a lean answer.
func (m *markup) hiddenOf(q Question, b Block) string {
	identity := string(q.ID)
	if b.Status == Taken {
		identity += " " + takenWord
	}
	return fmt.Sprintf(m.hidden, identity)
}

// renderLean writes a block in the lean form, without the indentation of its question.
func (m *markup) renderLean(q Question, b Block) []string {
	lines := []string{m.hiddenOf(q, b)}
	if m.blankLines {
		lines = append(lines, "")
	}
	first := len(lines)
	part := func(items ...string) {
		if len(items) > 0 && len(lines) > first {
			lines = append(lines, "")
		}
		lines = append(lines, items...)
	}
	silent := b.Status == "" || b.Status == Taken || answeredFrom.MatchString(b.Status)
	if !silent {
		part(fmt.Sprintf(m.status, m.escape(plaintext.OneLine(b.Status))))
	}
	for _, remark := range b.Notes {
		part(RemarkOfAnswer + " " + m.escape(plaintext.OneLine(remark)))
	}
	var statements, places, sources []string
	numbered := make(map[int]bool)
	for _, bullet := range b.Bullets {
		source, linked := bullet.link(b.Sources)
		switch {
		case bullet.Basis == Place && linked:
			places = append(places, m.place(bullet, m.cite(source), m.placeLink))
		case linked:
			statements = append(statements, m.item+m.quote(bullet, m.cite(source)))
		default:
			statements = append(statements, m.bullet(bullet))
			for _, n := range bullet.Citations {
				numbered[n] = true
			}
		}
	}
	for _, s := range b.Sources {
		if numbered[s.N] {
			sources = append(sources, m.listed(s))
		}
	}
	part(surround(statements, m.list)...)
	if len(places) > 0 && (len(b.Notes)+len(statements) > 0 || !announcesPlaces(b.Status)) {
		part(NearestPlaces)
	}
	part(surround(places, m.list)...)
	for _, missing := range b.Missing {
		part(MissingKnowledge + " " + m.escape(plaintext.OneLine(missing)))
	}
	part(surround(sources, m.sources)...)
	return lines
}

// link returns the source that a quote links to.
func (b Bullet) link(sources []BlockSource) (BlockSource, bool) {
	if b.Basis != Quote && b.Basis != Place || len(b.Citations) != 1 {
		return BlockSource{}, false
	}
	at := slices.IndexFunc(sources, func(s BlockSource) bool { return s.N == b.Citations[0] })
	if at < 0 {
		return BlockSource{}, false
	}
	return sources[at], true
}

// listed writes a line of the list of sources.
func (m *markup) listed(s BlockSource) string {
	line := fmt.Sprintf(m.number, s.N) + m.cite(s)
	if quote := plaintext.OneLine(s.Quote); quote != "" {
		line += ": " + m.leftQuote + m.escape(quote) + m.rightQuote
	}
	return line
}

// Parts of a lean answer, in their order.
const (
	partHead = iota
	partStatements
	partPlacesHead
	partPlaces
	partMissing
	partSources
)

// leanReader reads one lean answer.
type leanReader struct {
	note    *Note
	m       *markup
	answer  Answer
	part    int   // the last part that was read
	begun   bool  // something was read
	blank   bool  // a blank line was read since
	places  bool  // quotes from here on are nearest places
	opened  bool  // a line that opens a list was read last, and belongs to the block if its list does
	inList  bool  // such a list is open
	between []int // lines since that are not known; they belong to the block if a line below them does
}

// readLean reads the lean block that begins on line first. It returns the line behind the block, and the last line
// that it looked at to know where the block ends.
func (n *Note) readLean(first int, identity string, taken bool) (a Answer, next, looked int) {
	hidden, start := n.trimmedLine(first)
	column := n.columnOf(first, start)
	begin, _ := n.Lines.Span(first)
	l := leanReader{note: n, m: n.markup, answer: Answer{Span: passage.Span{Start: begin, End: start + len(hidden)}, Question: identity, Lean: true}}
	next, looked = first+1, first
	adjoins := false // words of the user stand where the answer was
	for line := first + 1; line < n.Lines.Count(); line++ {
		text, offset := n.trimmedLine(line)
		looked = line
		if text == "" {
			if len(l.between) > 0 {
				break
			}
			l.blank = true
			continue
		}
		if _, opens := l.m.opens(text); opens || n.columnOf(line, offset) < column {
			break
		}
		if l.read(text, offset) {
			l.answer.Span.End, next = offset+len(text), line+1
			continue
		}
		if l.opened = l.m.beginsList(text); l.opened {
			continue
		}
		if adjoins = adjoins || line == first+1; l.blank || !l.m.mayBeBetween(text) {
			break
		}
		l.between = append(l.between, line)
	}
	l.answer.numberLinks()
	switch {
	case taken:
		l.answer.Status = Taken
	case l.answer.Status == "" && (l.begun || adjoins):
		l.answer.Status = Answered
	}
	return l.answer, next, looked
}

// columnOf returns the column of an offset in a line.
func (n *Note) columnOf(line, offset int) int {
	start, _ := n.Lines.Span(line)
	return head.Columns(n.Text[start:offset])
}

// beginsList reports whether a line opens a list of a block and says nothing else.
func (m *markup) beginsList(text string) bool {
	return text != "" && (text == m.list[0] || text == m.sources[0])
}

// mayBeBetween reports whether a line may have been put between the statements of an answer: an item or a paragraph,
// no heading and no command.
func (m *markup) mayBeBetween(text string) bool {
	return strings.HasPrefix(text, m.item) || !strings.ContainsAny(text[:1], `#=*\%/.<`)
}

// read reads one line, with those between it and the last, and reports whether they belong to the block.
func (l *leanReader) read(text string, offset int) bool {
	a := l.answer
	for _, line := range l.between {
		own, at := l.note.trimmedLine(line)
		a.readUncited(l.m, own, at)
	}
	if l.inList && !l.blank && (text == l.m.list[1] || text == l.m.sources[1]) {
		l.answer, l.inList, l.between = a, false, nil
		return true
	}
	part, ok := l.line(&a, text, offset)
	again := part == l.part && l.begun && l.blank && part != partHead && part != partMissing
	if !ok || part < l.part || again {
		return false
	}
	l.answer, l.part, l.begun = a, part, true
	l.places = l.places || part == partPlacesHead || announcesPlaces(a.Status)
	l.inList = l.inList || l.opened
	l.blank, l.opened, l.between = false, false, nil
	return true
}

// line reads one line into an answer and says to which part it belongs.
func (l *leanReader) line(a *Answer, text string, offset int) (part int, ok bool) {
	m := l.m
	quoted, linked := m.quoteLine, m.quoteLink
	part = partStatements
	if l.places {
		quoted, linked, part = m.placeLine, m.placeLink, partPlaces
	}
	switch {
	case a.readLink(m, linked, text, offset):
		return part, true
	case a.readBullet(m, quoted, text, offset):
		if a.Statements[len(a.Statements)-1].Basis != Place && l.part < partPlacesHead {
			part = partStatements // between a status that announces the places, and these
		}
		return part, true
	case text == NearestPlaces:
		return partPlacesHead, true
	case a.readMissing(m, text, offset):
		return partMissing, true
	case strings.HasPrefix(text, RemarkOfAnswer+" "):
		return partHead, true
	case !l.begun && m.isStatus(text) && (m.status != "%s" || !l.blank):
		a.Status = m.readStatus(text)
		return partHead, true
	}
	return partSources, a.readListed(m, text, offset)
}

// isStatus reports whether a line is in the form of a status.
func (m *markup) isStatus(line string) bool {
	before, after, _ := strings.Cut(m.status, "%s")
	return !strings.HasPrefix(line, m.item) && len(line) > len(before)+len(after) && strings.HasPrefix(line, before) && strings.HasSuffix(line, after)
}

// readLink reads a quote that ends in a link to its place. Its number is below zero until [Answer.numberLinks].
func (a *Answer) readLink(m *markup, form *regexp.Regexp, line string, offset int) bool {
	line, isItem := strings.CutPrefix(line, m.item)
	if !isItem {
		return false
	}
	at := form.FindStringSubmatchIndex(line)
	if at == nil {
		return false
	}
	basis := Quote
	if form == m.placeLink {
		basis = Place
	}
	offset += len(m.item)
	quote, link := submatch(form, "quote", at), submatch(form, "link", at)
	words := plaintext.OneLine(m.unescape(line[quote.Start:quote.End]))
	c := m.linkOf(form, line, at)
	c.N, c.Span = -1-len(a.Citations), spanAt(link.Start, link.End, offset)
	a.Citations = append(a.Citations, c)
	shown := submatch(form, "label", at)
	if shown.Len() == 0 {
		shown = link
	}
	a.Marks = append(a.Marks, Mark{N: c.N, Span: spanAt(shown.Start, shown.End, offset), Basis: basis, Quote: words})
	a.addStatement(basis, words, spanAt(quote.Start-len(m.leftQuote), quote.End+len(m.rightQuote), offset))
	a.Statements[len(a.Statements)-1].Cites = []int{c.N}
	return true
}

// linkOf returns the citation that a matched line links to.
func (m *markup) linkOf(form *regexp.Regexp, line string, at []int) Citation {
	part := func(name string) string {
		span := submatch(form, name, at)
		return line[span.Start:span.End]
	}
	number, _ := strconv.Atoi(part("line"))
	return Citation{Path: unescapePath(m.unescape(part("path"))), Line: number, Label: m.unescape(part("label")), Linked: true}
}

// readListed reads a line of the list of sources. A number that no sentence has is somebody's own list.
func (a *Answer) readListed(m *markup, line string, offset int) bool {
	at := m.listedLink.FindStringSubmatchIndex(line)
	if at == nil {
		return false
	}
	c := m.linkOf(m.listedLink, line, at)
	number, quote := submatch(m.listedLink, "n", at), submatch(m.listedLink, "quote", at)
	c.N, _ = strconv.Atoi(line[number.Start:number.End])
	c.Quote, c.Linked, c.Span = m.unescape(line[quote.Start:quote.End]), false, spanAt(0, len(line), offset)
	_, isListed := a.citation(c.N)
	if isListed || !slices.ContainsFunc(a.Marks, func(mark Mark) bool { return mark.N == c.N }) {
		return false
	}
	a.Citations = append(a.Citations, c)
	return true
}

// numberLinks gives links the numbers that no listed source has.
func (a *Answer) numberLinks() {
	used := make(map[int]bool)
	for _, m := range a.Marks {
		used[m.N] = true
	}
	number, next := make(map[int]int), 1
	for i := range a.Citations {
		c := &a.Citations[i]
		if c.N >= 0 {
			continue
		}
		for used[next] {
			next++
		}
		number[c.N], c.N, used[next] = next, next, true
	}
	for i := range a.Marks {
		if m := &a.Marks[i]; m.N < 0 {
			m.N = number[m.N]
		}
	}
	for i := range a.Statements {
		for j, n := range a.Statements[i].Cites {
			if n < 0 {
				a.Statements[i].Cites[j] = number[n]
			}
		}
	}
}
