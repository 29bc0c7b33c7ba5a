package note

import (
	"fmt"
	"slices"
	"strings"

	"lacuna/knowledge/passage"
)

// Block is the content of an answer, ready to be written in a note's own markup.
type Block struct {
	Status  string   // the first line, such as "Answered from 2 sources"
	Notes   []string // further lines under the status
	Bullets []Bullet
	Sources []BlockSource
}

// BlockSource is one line of the block's list of sources.
type BlockSource struct {
	N       int
	Passage passage.ID
	Label   string // what a person reads, such as "guidelines/metformin.md:31"
	Path    string // relative path that the label links to
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
	return Edit{passage.Span{Start: q.lines.End, End: q.lines.End}, eol + eol + block}
}

// Remove returns the edit that takes the question's answer out again, with the blank line that
// Write put before it. Without an answer it changes nothing.
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
	m := n.Language.markup()
	lines := []string{fmt.Sprintf(m.open, q.ID), fmt.Sprintf(m.status, m.escape(oneLine(b.Status)))}
	if m.apart {
		lines = slices.Insert(lines, 1, "")
	}
	for _, note := range b.Notes {
		lines = append(lines, "", m.begin(m.escape(oneLine(note))))
	}
	var statements, sources []string
	for _, bullet := range b.Bullets {
		statements = append(statements, m.bullet(bullet))
	}
	for _, s := range b.Sources {
		sources = append(sources, m.source(s))
	}
	lines = append(lines, listed(statements, m.list)...)
	lines = append(lines, listed(sources, m.sources)...)
	if m.apart {
		lines = append(lines, "")
	}
	lines = append(lines, m.close)
	for i, line := range lines {
		if line != "" {
			lines[i] = q.indent + line
		}
	}
	return strings.Join(lines, eol)
}

// listed puts a blank line before the lines of a list, and around them what the language wants.
func listed(items []string, around [2]string) []string {
	if len(items) == 0 {
		return nil
	}
	lines := []string{""}
	if around[0] != "" {
		lines = append(lines, around[0])
	}
	lines = append(lines, items...)
	if around[1] != "" {
		lines = append(lines, around[1])
	}
	return lines
}

// readAnswer reads the block whose first line is given and returns the line behind it. A block
// that has lost its last line ends with the last line that looks like a part of it, so that
// nothing a person wrote below is taken for Lacuna's.
func (n *Note) readAnswer(first int, identity string) (Answer, int) {
	m := n.Language.markup()
	start, end := n.Lines.Span(first)
	a := Answer{Span: passage.Span{Start: start, End: end}, Question: identity}
	last, closed := n.closing(first, m)
	n.open = n.open || !closed
	next, status := first+1, first+1
	if m.apart {
		status++
	}
	for line := first + 1; line < last; line++ {
		trimmed, offset := n.trimmedLine(line)
		known := a.read(m, trimmed, offset) || m.surrounds(trimmed)
		if !known && a.Status == "" && (closed || line == status) {
			a.Status = m.readStatus(trimmed)
		}
		part := known || line == status && trimmed != ""
		switch {
		case part:
			a.Span.End, next = offset+len(trimmed), line+1
		case trimmed != "" && !closed:
			return a, next
		default:
			a.readUncited(m, trimmed, offset)
		}
	}
	if closed {
		trimmed, offset := n.trimmedLine(last)
		a.Span.End, next = offset+len(trimmed), last+1
	}
	return a, next
}

// readStatus is the text of a status line.
func (m *markup) readStatus(line string) string {
	before, after, _ := strings.Cut(m.status, "%s")
	line = m.plain(strings.TrimSuffix(strings.TrimPrefix(line, before), after))
	return strings.Trim(line, "*_ ") // as somebody's formatter may write it
}

// surrounds reports whether a line stands around the lists of a block.
func (m *markup) surrounds(line string) bool {
	return line != "" && (slices.Contains(m.list[:], line) || slices.Contains(m.sources[:], line))
}

// closing finds the last line of the block that begins at first. Without one it returns the line
// of the next block, or the number of lines.
func (n *Note) closing(first int, m *markup) (line int, closed bool) {
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

// read takes in one line of a block, already without white space around it, and reports whether
// it is a statement or a source.
func (a *Answer) read(m *markup, line string, offset int) bool {
	if a.readBullet(m, line, offset) {
		return true
	}
	c, ok := m.readSource(line)
	if ok {
		c.Span = passage.Span{Start: offset, End: offset + len(line)}
		a.Citations = append(a.Citations, c)
	}
	return ok
}

// lineEnd is the line end to write after a question: its own, or the note's first.
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
