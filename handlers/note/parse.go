package note

import (
	"slices"
	"sort"
	"strings"

	"lacuna/handlers/position"
	"lacuna/knowledge/head"
	"lacuna/knowledge/passage"
)

// Parse reads a note. It accepts every text, whatever its bytes, in time linear in its length.
func Parse(text string, language Language) *Note {
	n := &Note{Text: text, Language: language, Lines: position.NewLines(text), markup: language.markup(), seen: new(paragraphs)}
	n.readHead()
	s := newScanner(n)
	for line := n.front; line < n.Lines.Count(); line = s.scan(line) {
		if s.joint(line) {
			n.joints = append(n.joints, line)
		}
	}
	s.flush()
	n.identify()
	return n
}

func newScanner(n *Note) *scanner {
	return &scanner{note: n, markup: n.markup, blankAbove: true, below: none, above: none, options: none, looked: none, keep: none}
}

// readHead reads the front matter and whether the note is private.
func (n *Note) readHead() {
	statement, private := head.Private(n.Text, n.Language.head())
	if n.Private = private || n.withheld; private && !statement.Clear {
		n.Unclear = statement.Span
	}
	n.front = n.FrontMatter()
}

// FrontMatter returns the number of lines of the front matter, delimiters included; 0 without one, and in
// languages other than Markdown.
func (n *Note) FrontMatter() int {
	if n.Language != Markdown {
		return 0
	}
	lines, end := 0, head.FrontMatter(n.Text).End
	for lines < n.Lines.Count() && end > 0 {
		if start, _ := n.Lines.Span(lines); start >= end {
			break
		}
		lines++
	}
	return lines
}

// WithText returns what [Parse] would return for a new text of the note. If the text differs in one
// stretch, as after a keystroke, it reads only the lines around that stretch.
//
// That is sound because a note has joints: lines at which the scanner carries no context (see
// scanner.joint), so that the lines below are read the same whatever is above. Reading begins at the
// last joint before the change, keeping what was read above, and ends at a joint behind the change that
// was a joint before: below it nothing differs except its place.
func (n *Note) WithText(text string) *Note {
	same, sameEnd := sameEnds(n.Text, text)
	from := n.jointBefore(same)
	if from == none || n.unclosed {
		return n.again(text)
	}
	e := &Note{Text: text, Language: n.Language, Lines: n.Lines.WithText(text, same, sameEnd), markup: n.markup, seen: n.seen, withheld: n.withheld}
	s := newScanner(e)
	if e.readHead(); e.front != n.front {
		return n.again(text)
	}
	first, _ := n.Lines.Span(from)
	e.appendContent(n.contentBetween(0, first))
	e.joints = slices.Clone(n.joints[:sort.SearchInts(n.joints, from)])
	above := *e
	down, lower := len(text)-len(n.Text), e.Lines.Count()-n.Lines.Count()
	line := from
	for ; line < e.Lines.Count(); line = s.scan(line) {
		if !s.joint(line) {
			continue
		}
		if start, _ := e.Lines.Span(line); start > len(text)-sameEnd && n.isJoint(line-lower) {
			break
		}
		e.joints = append(e.joints, line)
	}
	if s.flush(); e.unclosed {
		return n.again(text)
	}
	e.detach(len(above.candidates), len(above.Answers), len(above.Headings))
	if line < e.Lines.Count() {
		start, _ := e.Lines.Span(line)
		e.appendContent(n.contentBetween(start-down, len(n.Text)).moveBy(down))
		for _, joint := range n.joints[sort.SearchInts(n.joints, line-lower):] {
			e.joints = append(e.joints, joint+lower)
		}
	}
	e.identify()
	return e
}

// again reads a new text of the note from its beginning.
func (n *Note) again(text string) *Note {
	e := Parse(text, n.Language)
	e.seen, e.withheld, e.Private = n.seen, n.withheld, e.Private || n.withheld
	return e
}

// sameEnds returns how many bytes two texts share at the beginning and, of the rest, at the end.
func sameEnds(a, b string) (start, end int) {
	most := min(len(a), len(b))
	const stride = 1 << 10 // bytes in one comparison, which is faster than one by one
	for start+stride <= most && a[start:start+stride] == b[start:start+stride] {
		start += stride
	}
	for start < most && a[start] == b[start] {
		start++
	}
	a, b = a[start:], b[start:]
	most -= start
	for end+stride <= most && a[len(a)-end-stride:len(a)-end] == b[len(b)-end-stride:len(b)-end] {
		end += stride
	}
	for end < most && a[len(a)-1-end] == b[len(b)-1-end] {
		end++
	}
	return start, end
}

// jointBefore returns the last joint whose line begins strictly before an offset, or none: a line feed
// inserted at the beginning of a line would join a carriage return before it.
func (n *Note) jointBefore(offset int) int {
	at := sort.Search(len(n.joints), func(i int) bool {
		start, _ := n.Lines.Span(n.joints[i])
		return start >= offset
	})
	if at == 0 {
		return none
	}
	return n.joints[at-1]
}

func (n *Note) isJoint(line int) bool {
	_, found := slices.BinarySearch(n.joints, line)
	return found
}

// joint reports whether a line can be read without the lines above it: it follows a blank line, is
// in no list, comment, code block or stretch without questions, and no answer may begin here. In
// languages that rank headings by order of use, a line below an underlined heading is no joint.
func (s *scanner) joint(next int) bool {
	return next > s.looked && next > s.keep && s.blankAbove && s.listIndent == 0 && s.below == none && s.box == 0 && !s.off && !s.ask && !s.skip &&
		s.insetColumn == 0 && s.isLastLine == nil && s.fence == "" && !s.comment && s.styles == nil
}

// content holds the result of reading some lines.
type content struct {
	questions     []Question
	answers       []Answer
	headings      []Heading
	running       []runningLine
	answersBefore int // answers before these
}

// contentBetween returns what was read between two offsets, which must be at joints. It shares memory
// with the note.
func (n *Note) contentBetween(from, to int) content {
	within := func(count int, start func(i int) int) (first, last int) {
		first = sort.Search(count, func(i int) bool { return start(i) >= from })
		return first, max(first, sort.Search(count, func(i int) bool { return start(i) >= to }))
	}
	q, qEnd := within(len(n.candidates), func(i int) int { return n.candidates[i].Span.Start })
	a, aEnd := within(len(n.Answers), func(i int) int { return n.Answers[i].Span.Start })
	h, hEnd := within(len(n.Headings), func(i int) int { return n.Headings[i].Span.Start })
	l, lEnd := within(len(n.running), func(i int) int { return n.running[i].Start })
	return content{n.candidates[q:qEnd], n.Answers[a:aEnd], n.Headings[h:hEnd], n.running[l:lEnd], a}
}

// appendContent appends content of an earlier version of the note.
func (n *Note) appendContent(c content) {
	shift := len(n.Answers) - c.answersBefore
	for _, q := range c.questions {
		if q.Answer >= 0 {
			q.Answer += shift
		}
		n.candidates = append(n.candidates, q)
	}
	n.Answers = append(n.Answers, c.answers...)
	n.Headings = append(n.Headings, c.headings...)
	n.running = append(n.running, c.running...)
}

// moveBy returns a copy of the content, moved down by that many bytes.
func (c content) moveBy(by int) content {
	move := func(s *passage.Span) { s.Start, s.End = s.Start+by, s.End+by }
	c.questions, c.answers, c.headings = slices.Clone(c.questions), slices.Clone(c.answers), slices.Clone(c.headings)
	c.running = slices.Clone(c.running)
	for i := range c.running {
		move(&c.running[i].Span)
	}
	for i := range c.questions {
		move(&c.questions[i].Span)
		move(&c.questions[i].lines)
	}
	for i := range c.headings {
		move(&c.headings[i].Span)
	}
	for i := range c.answers {
		a := &c.answers[i]
		a.Statements, a.Marks, a.Citations = slices.Clone(a.Statements), slices.Clone(a.Marks), slices.Clone(a.Citations)
		a.Missing = slices.Clone(a.Missing)
		move(&a.Span)
		for j := range a.Statements {
			move(&a.Statements[j].Span)
		}
		for j := range a.Marks {
			move(&a.Marks[j].Span)
		}
		for j := range a.Missing {
			move(&a.Missing[j].Span)
		}
		for j := range a.Citations {
			move(&a.Citations[j].Span)
		}
	}
	return c
}

// detach copies the strings of the content from those indices on. Otherwise they would keep this whole
// text in memory for as long as a later version of the note uses them.
func (n *Note) detach(questions, answers, headings int) {
	own := func(s *string) { *s = strings.Clone(*s) }
	for i := range n.candidates[questions:] {
		own(&n.candidates[questions+i].Text)
		for j := range n.candidates[questions+i].Options {
			own(&n.candidates[questions+i].Options[j].Text)
		}
	}
	for i := range n.Headings[headings:] {
		own(&n.Headings[headings+i].Text)
	}
	for i := range n.Answers[answers:] {
		a := &n.Answers[answers+i]
		own(&a.Question)
		for j := range a.Statements {
			s := &a.Statements[j]
			own(&s.Text)
			for k := range s.Unstated {
				own(&s.Unstated[k])
			}
			for k := range s.Differences {
				own(&s.Differences[k].Said)
				own(&s.Differences[k].Stated)
			}
		}
		for j := range a.Marks {
			own(&a.Marks[j].Quote)
		}
		for j := range a.Missing {
			own(&a.Missing[j].Text)
		}
		for j := range a.Citations {
			own(&a.Citations[j].Path)
			own(&a.Citations[j].Label)
			own(&a.Citations[j].Heading)
			own(&a.Citations[j].Quote)
		}
	}
}
