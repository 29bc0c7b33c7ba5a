package note

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"regexp"
	"slices"
	"sort"
	"strconv"
	"strings"

	"lacuna/knowledge/head"
	"lacuna/knowledge/passage"
	"lacuna/knowledge/plaintext"
)

// A lean answer has one hidden line, with the question's identity, a check of each quote and what became of a nearest
// place. Each quote ends in a link to its place, and numbers with a list of sources remain for a model's sentences.
// Which passage a link means is not written: the quoted words find it. If they no longer do, the check says whether the
// quote was edited or its source has changed.
//
// An editor may wrap the lines, somebody may put the answer into a quotation or change the marks of the list: it is read
// all the same.
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
	checksForm   = `((?: [0-9a-f]{4})*)`
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
	m.hiddenLine = regexp.MustCompile(`^` + regexp.QuoteMeta(before) + identityForm + checksForm + `(?: (` + takenWord + `))?` + regexp.QuoteMeta(after) + `$`)
	left, right := regexp.QuoteMeta(m.leftQuote), regexp.QuoteMeta(m.rightQuote)
	quote := `(?:\(.*?\) )?` + left + `(?P<quote>.*)` + right + ` (?P<link>` + m.link + `)$`
	m.quoteLink = regexp.MustCompile(`^(?:` + ledIn + `)?` + quote)
	m.placeLink = regexp.MustCompile(`^` + titledPlace + quote)
	number := strings.Replace(regexp.QuoteMeta(m.number), `%d`, `(?P<n>\d{1,6})`, 1)
	m.listedLink = regexp.MustCompile(`^` + number + `(?P<link>` + m.link + `)(?:: ` + left + `(?P<quote>.*)` + right + `)?$`)
	return m
}

// ledIn matches the words that somebody put before a quote, up to a colon.
const ledIn = "[^\"`(\\[].*?:[*_]* "

// hiddenOf returns the hidden line of a lean answer. checked are the quotes in it that stand in their sources.
func (m *markup) hiddenOf(q Question, b Block, checked []string) string {
	identity := string(q.ID)
	for _, quote := range checked {
		identity += " " + checkOf(quote)
	}
	if b.Status == Taken {
		identity += " " + takenWord
	}
	return fmt.Sprintf(m.hidden, identity)
}

// renderLean writes a block in the lean form, without the indentation of its question.
func (m *markup) renderLean(q Question, b Block) []string {
	lines := []string{m.hiddenOf(q, b, b.quotes())}
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

// checkOf returns what tells an edited quote from one whose source has changed. White space does not count, because an
// editor may wrap the quote.
func checkOf(quote string) string {
	sum := sha256.Sum256([]byte(strings.Join(strings.Fields(quote), "")))
	return hex.EncodeToString(sum[:2])
}

// quotes returns the words of sources that a lean block shows, in order.
func (b Block) quotes() []string {
	var quotes []string
	for _, bullet := range b.Bullets {
		if _, linked := bullet.link(b.Sources); linked {
			quotes = append(quotes, bullet.Text)
		}
	}
	for _, s := range b.Sources {
		if cites := func(b Bullet) bool { return slices.Contains(b.Citations, s.N) }; s.Quote != "" && slices.ContainsFunc(b.Bullets, cites) {
			quotes = append(quotes, s.Quote)
		}
	}
	return quotes
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
	note      *Note
	m         *markup
	answer    Answer
	column    int   // of its first line: a line that is indented less does not belong to it
	part      int   // the last part that was read
	begun     bool  // something was read
	blank     bool  // a blank line was read since
	places    bool  // quotes from here on are nearest places
	opened    bool  // a line that opens a list was read last, and belongs to the block if its list does
	inList    bool  // such a list is open
	paragraph bool  // what was read last is a paragraph, of which an editor may have wrapped the rest
	between   []int // lines since that are not known; they belong to the block if a line below them does
	looked    int   // the last line that was read to know where the block ends
}

// readLean reads the lean block that begins on line first. It returns the line behind the block, and the last line
// that it looked at to know where the block ends.
func (n *Note) readLean(first int, identity string, checks []string, taken bool) (a Answer, next, looked int) {
	hidden, start := n.trimmedLine(first)
	begin, _ := n.Lines.Span(first)
	l := leanReader{note: n, m: n.markup, column: n.columnOf(first, start), looked: first, answer: Answer{
		Span: passage.Span{Start: begin, End: start + len(hidden)}, Question: identity, Lean: true, Quoted: strings.HasPrefix(hidden, quotation),
	}}
	next = first + 1
	adjoins := false // words of the user stand where the answer was
	for line := first + 1; line < n.Lines.Count(); {
		text, offset := n.trimmedLine(line)
		l.looked = max(l.looked, line)
		if !l.begun && len(l.between) == 0 && l.m.quotations && strings.HasPrefix(text, quotation) {
			l.answer.Quoted = true
		}
		if l.answer.Quoted && l.begun && text == "" {
			break // and with it the quotation ends
		}
		if text, offset = l.bare(text, offset); text == "" {
			if len(l.between) > 0 && !l.paragraph {
				break
			}
			l.blank = true
			line++
			continue
		}
		if _, opens := l.m.opens(text); opens || l.column > n.columnOf(line, offset) {
			break
		}
		if last, end, ok := l.readFrom(line, text, offset); ok {
			l.answer.Span.End, next, line = end, last+1, last+1
			continue
		}
		if l.opened = l.m.beginsList(text); l.opened {
			line++
			continue
		}
		if adjoins = adjoins || line == first+1; l.blank || !l.m.mayBeBetween(text) || len(l.between) >= mostBetween {
			break
		}
		l.between = append(l.between, line)
		line++
	}
	l.answer.numberLinks()
	l.answer.compare(checks)
	switch {
	case taken:
		l.answer.Status = Taken
	case l.answer.Status == "" && (l.begun || adjoins):
		l.answer.Status = Answered
	}
	return l.answer, next, l.looked
}

// bare returns a line without the marks of the quotation that the answer stands in.
func (l *leanReader) bare(text string, offset int) (string, int) {
	if !l.answer.Quoted {
		return text, offset
	}
	inner := unquoted(text)
	return inner, offset + len(text) - len(inner)
}

// columnOf returns the column of an offset in a line; marks of quotations count as white space.
func (n *Note) columnOf(line, offset int) int {
	start, _ := n.Lines.Span(line)
	return head.Columns(strings.ReplaceAll(n.Text[start:offset], quotation, " "))
}

// mostBetween bounds the lines of the user between two statements.
const mostBetween = 100

// What an editor made of one line of an answer is at most so many lines and bytes. Of these lines, so many may look like
// the last.
const (
	mostWrapped      = 40
	mostWrappedBytes = 8 << 10
	mostEnds         = 8
)

// readFrom reads what begins on a line, which may go on on the lines below: an editor wraps long ones. It returns the
// last line of it, and where that ends.
func (l *leanReader) readFrom(line int, text string, offset int) (last, end int, ok bool) {
	var s, broken stretch // broken is one that is taken only if no longer one is a quote
	var brokenLast, brokenEnd int
	s.join(text, offset)
	switch {
	case l.breaksQuote(s.text):
		broken, brokenLast, brokenEnd = s, line, offset+len(text)
	case l.read(s):
		return line, offset + len(text), true
	}
	if !l.m.mayBegin(text) {
		return 0, 0, false
	}
	ends := 0
	for last = line + 1; last < l.note.Lines.Count() && last-line < mostWrapped && len(s.text) < mostWrappedBytes && ends < mostEnds; last++ {
		text, offset = l.note.trimmedLine(last)
		l.looked = max(l.looked, last)
		if text, offset = l.bare(text, offset); !l.m.goesOn(text) || l.note.columnOf(last, offset) < l.column {
			break
		}
		s.join(text, offset)
		if !strings.Contains(wrappedEnds, text[len(text)-1:]) {
			continue
		}
		ends++
		switch {
		case l.breaksQuote(s.text):
			if broken.text == "" {
				broken, brokenLast, brokenEnd = stretch{s.text, slices.Clone(s.cuts)}, last, offset+len(text)
			}
		case l.read(s):
			return last, offset + len(text), true
		}
	}
	return brokenLast, brokenEnd, broken.text != "" && l.read(broken)
}

// breaksQuote reports whether a text reads as a sentence with marks, but opens a quote that it does not close: an editor may
// have wrapped the quote behind a number in brackets of its own.
func (l *leanReader) breaksQuote(text string) bool {
	sentence, _ := l.m.cutItem(text)
	inside, opens := strings.CutPrefix(sentence, l.m.leftQuote)
	if !opens || l.m.leftQuote == "" || strings.Contains(inside, l.m.rightQuote) {
		return false
	}
	a := l.answer
	_, ok := l.line(&a, text)
	return ok && len(a.Statements) > len(l.answer.Statements)
}

// wrappedEnds are the characters that a quote with its link, a sentence with its marks, a status and a listed source end
// in.
const wrappedEnds = `)]*_"'>`

// mayBegin reports whether a line may be the first of such lines.
func (m *markup) mayBegin(text string) bool {
	status, _, _ := strings.Cut(m.status, "%s")
	_, isItem := m.cutItem(text)
	return isItem || strings.HasPrefix(text, m.leftQuote) || strings.HasPrefix(text, "(") || status != "" && strings.HasPrefix(text, status) ||
		'0' <= text[0] && text[0] <= '9'
}

// goesOn reports whether a line may go on with the one above it.
func (m *markup) goesOn(text string) bool {
	if text == "" || strings.HasPrefix(text, "<!--") || strings.HasPrefix(text, "#") || strings.HasPrefix(text, "|") {
		return false
	}
	_, opens := m.opens(text)
	_, isItem := m.cutItem(text)
	return !opens && !isItem && !strings.HasPrefix(text, "1. ") && !m.surrounds(text)
}

// stretch is some lines of a note as one: wrapped lines read so.
type stretch struct {
	text string
	cuts []cut // in order, the first at 0
}

// cut says where in the note the text of a stretch stands, from at on.
type cut struct{ at, offset int }

// join adds a line.
func (s *stretch) join(text string, offset int) {
	if s.text != "" {
		s.text += " "
	}
	s.cuts = append(s.cuts, cut{len(s.text), offset})
	s.text += text
}

// span returns where in the note a span of the stretch is.
func (s stretch) span(in passage.Span) passage.Span {
	start := s.offset(in.Start)
	if in.Len() == 0 {
		return passage.Span{Start: start, End: start}
	}
	return passage.Span{Start: start, End: s.offset(in.End-1) + 1}
}

func (s stretch) offset(at int) int {
	i := sort.Search(len(s.cuts), func(i int) bool { return s.cuts[i].at > at }) - 1
	return s.cuts[i].offset + at - s.cuts[i].at
}

// place moves what was read of a stretch, behind what an answer had before, to where it stands in the note.
func (s stretch) place(a, before *Answer) {
	for i := len(before.Statements); i < len(a.Statements); i++ {
		a.Statements[i].Span = s.span(a.Statements[i].Span)
	}
	for i := len(before.Marks); i < len(a.Marks); i++ {
		a.Marks[i].Span = s.span(a.Marks[i].Span)
	}
	for i := len(before.Missing); i < len(a.Missing); i++ {
		a.Missing[i].Span = s.span(a.Missing[i].Span)
	}
	for i := len(before.Citations); i < len(a.Citations); i++ {
		a.Citations[i].Span = s.span(a.Citations[i].Span)
	}
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
func (l *leanReader) read(s stretch) bool {
	a := l.answer
	closes := l.inList && !l.blank && (s.text == l.m.list[1] || s.text == l.m.sources[1])
	if _, ok := l.line(&a, s.text); !ok && !closes {
		return false // before the lines between are read, which may be many
	}
	a = l.answer
	for _, line := range l.between {
		own, at := l.bare(l.note.trimmedLine(line))
		a.readUncited(l.m, own, at)
	}
	if closes {
		l.answer, l.inList, l.between = a, false, nil
		return true
	}
	before := a
	part, ok := l.line(&a, s.text)
	again := part == l.part && l.begun && l.blank && part != partHead && part != partMissing
	if !ok || part < l.part || again {
		return false
	}
	s.place(&a, &before)
	l.answer, l.part, l.begun = a, part, true
	l.paragraph = part == partHead || part == partMissing
	l.places = l.places || part == partPlacesHead || announcesPlaces(a.Status)
	l.inList = l.inList || l.opened
	l.blank, l.opened, l.between = false, false, nil
	return true
}

// line reads one line into an answer and says to which part it belongs.
func (l *leanReader) line(a *Answer, text string) (part int, ok bool) {
	m := l.m
	quoted, linked := m.quoteLine, m.quoteLink
	part = partStatements
	if l.places {
		quoted, linked, part = m.placeLine, m.placeLink, partPlaces
	}
	switch {
	case a.readLink(m, linked, text, 0):
		return part, true
	case a.readBullet(m, quoted, text, 0):
		if a.Statements[len(a.Statements)-1].Basis != Place && l.part < partPlacesHead {
			part = partStatements // between a status that announces the places, and these
		}
		return part, true
	case text == NearestPlaces:
		return partPlacesHead, true
	case a.readMissing(m, text, 0):
		return partMissing, true
	case strings.HasPrefix(text, RemarkOfAnswer+" "):
		return partHead, true
	case !l.begun && m.isStatus(text) && (m.status != "%s" || !l.blank):
		a.Status = m.readStatus(text)
		return partHead, true
	}
	return partSources, a.readListed(m, text, 0)
}

// isStatus reports whether a line is in the form of a status.
func (m *markup) isStatus(line string) bool {
	before, after, _ := strings.Cut(m.status, "%s")
	_, isItem := m.cutItem(line)
	return !isItem && len(line) > len(before)+len(after) && strings.HasPrefix(line, before) && strings.HasSuffix(line, after)
}

// readLink reads a quote that ends in a link to its place. Its number is below zero until [Answer.numberLinks].
func (a *Answer) readLink(m *markup, form *regexp.Regexp, line string, offset int) bool {
	whole := line
	if line, _ = m.cutItem(line); m.otherItems != "" {
		line = line[len(listMarker.FindString(line)):]
	}
	at := form.FindStringSubmatchIndex(line)
	if at == nil {
		return false
	}
	basis := Quote
	if form == m.placeLink {
		basis = Place
	}
	offset += len(whole) - len(line)
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

// compare finds the citations whose quotes were edited: no check in the hidden line is theirs. Without checks nothing is
// known.
func (a *Answer) compare(checks []string) {
	for i := range a.Citations {
		c := &a.Citations[i]
		quote := cmp.Or(c.Quote, a.quote(c.N))
		c.Edited = len(checks) > 0 && quote != "" && !slices.Contains(checks, checkOf(quote))
	}
}

// linkOf returns the citation that a matched line links to.
func (m *markup) linkOf(form *regexp.Regexp, line string, at []int) Citation {
	part := func(name string) string {
		span := submatch(form, name, at)
		return line[span.Start:span.End]
	}
	number, _ := strconv.Atoi(part("line"))
	if form.SubexpIndex("heading") >= 0 && strings.HasPrefix(part("link"), "[[") {
		return Citation{Path: strings.TrimSpace(part("path")), Line: number, Label: part("label"), Heading: part("heading"), Linked: true, Wiki: true}
	}
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
