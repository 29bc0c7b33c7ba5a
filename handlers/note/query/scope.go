package query

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"lacuna/handlers/note"
	"lacuna/knowledge/head"
	"lacuna/knowledge/passage"
	"lacuna/knowledge/redact"
)

// place says where a source stands as seen from the question.
type place int

const (
	own       place = iota // on its line, before it
	parent                 // a line that it is indented below
	above                  // an earlier line of its section
	blockHead              // the first line of its paragraph or list
	heading                // the heading above it
	outer                  // a heading above that one
	title                  // of the note
	diagnosis              // a line of diagnoses, or the subject line of a letter
	rowHead                // the first cell of its row
	rowCell                // another cell of its row, before it
	column                 // the head of its column
	around                 // another line near it, above or below
	places
)

// source is a stretch of the note from which a question may take words.
type source struct {
	passage.Span
	place    place
	distance int // lines between it and the question
}

// scope has all sources of a question, nearest first.
type scope struct {
	text    string
	sources []source
	people  map[int][]redact.Span // what identifies people in sources, as far as these were needed
}

const (
	maxAbove     = 6 // lines of running text above the question
	maxLook      = 40
	maxBelow     = 12
	maxDiagnoses = 5
	headLines    = 60 // lines from the top in which diagnoses are looked for
	titleLines   = 12 // the same for a title
)

func (s *scope) add(at place, distance int, span passage.Span) {
	line := s.text[span.Start:span.End]
	span.Start += len(line) - len(strings.TrimLeft(line, " \t"))
	span.End = span.Start + len(strings.TrimSpace(line))
	const longest = 400 // bytes of a source
	if span.Len() > longest && at == own {
		span.Start = span.End - longest
	}
	span.End = min(span.End, span.Start+longest)
	if span.Len() > 0 {
		s.sources = append(s.sources, source{span, at, distance})
	}
}

// scopeOf gathers the sources of a question.
func scopeOf(n *note.Note, q passage.Span) *scope {
	s := &scope{text: n.Text}
	line := n.Lines.LineAt(q.Start)
	start, end := n.Lines.Span(line)
	section := s.headings(n, q, line)
	whole := strings.TrimSpace(n.Text[start:end])
	switch {
	case strings.HasPrefix(whole, "|"):
		s.row(n, q, line, "|")
	case n.Language == note.Latex && strings.Contains(whole, "&") && strings.HasSuffix(whole, `\\`):
		s.row(n, q, line, "&")
	default:
		s.line(passage.Span{Start: start, End: max(start, q.Start)})
	}
	s.above(n, q, line, section)
	s.top(n, line)
	s.around(n, line)
	return s
}

// around adds the other lines near the question: what they say again and again is what the note is about.
func (s *scope) around(n *note.Note, line int) {
	var had [maxLook + maxBelow + 1]bool // by distance
	for _, source := range s.sources {
		if d := line - n.Lines.LineAt(source.Start) + maxBelow; d >= 0 && d < len(had) {
			had[d] = true
		}
	}
	take := func(at int) {
		a, b := n.Lines.Span(at)
		if _, in := answerAt(n, a); !in && !had[line-at+maxBelow] {
			s.add(around, line-at, passage.Span{Start: a, End: b})
		}
	}
	for at := line - 1; at >= max(0, line-maxLook); at-- {
		take(at)
	}
	for at := line + 1; at <= min(n.Lines.Count()-1, line+maxBelow); at++ {
		take(at)
	}
}

// line adds what stands on the line before the question: the sentence that leads to it, and those before as if they were
// lines of their own.
func (s *scope) line(before passage.Span) {
	sentences := passage.Sentences(s.text[before.Start:before.End], passage.Plain)
	for i, sentence := range slices.Backward(sentences) {
		span := passage.Span{Start: before.Start + sentence.Start, End: before.Start + sentence.End}
		if distance := len(sentences) - 1 - i; distance == 0 {
			s.add(own, 0, span)
		} else {
			s.add(above, distance, span)
		}
	}
}

// headings adds the headings above the question and returns the first line of its section.
func (s *scope) headings(n *note.Note, q passage.Span, line int) (section int) {
	level, at, first := 100, heading, true
	behind, _ := slices.BinarySearchFunc(n.Headings, q.Start+1, func(h note.Heading, at int) int { return cmp.Compare(h.Span.Start, at) })
	for i := behind - 1; i >= 0 && level > 1; i-- {
		h := n.Headings[i]
		switch {
		case h.Span.End >= q.Start: // the question is the heading
			level = h.Level
			continue
		case first && section == 0:
			section = n.Lines.LineAt(h.Span.End) + 1
		}
		first = false
		if h.Level >= level {
			continue
		}
		level = h.Level
		if h.Level == 1 && at != heading {
			at = title
		}
		s.add(at, line-n.Lines.LineAt(h.Span.Start), h.Span)
		at = outer
	}
	return section
}

var (
	tableRule = regexp.MustCompile(`^\|?[ \t]*:?-+:?[ \t]*(?:[|+][ \t]*:?-+:?[ \t]*)*\|?$`)
)

// row adds the cells of a table row before the question, and the head of its column.
func (s *scope) row(n *note.Note, q passage.Span, line int, mark string) {
	start, _ := n.Lines.Span(line)
	cells, from := 0, start
	for at := start; at < q.Start; at++ {
		if n.Text[at:at+1] != mark {
			continue
		}
		if strings.TrimSpace(n.Text[from:at]) != "" {
			if cells == 0 {
				s.add(rowHead, 0, passage.Span{Start: from, End: at})
			} else {
				s.add(rowCell, 0, passage.Span{Start: from, End: at})
			}
			cells++
		}
		from = at + 1
	}
	if strings.TrimSpace(n.Text[from:q.Start]) != "" {
		s.add(own, 0, passage.Span{Start: from, End: q.Start})
	}
	before := strings.Count(n.Text[start:q.Start], mark)
	first := line
	for first > 0 {
		a, b := n.Lines.Span(first - 1)
		if !strings.Contains(n.Text[a:b], mark) || line-first > maxLook {
			break
		}
		first--
	}
	if first == line {
		return
	}
	a, b := n.Lines.Span(first)
	for at := a; at < b; at++ {
		if n.Text[at:at+1] != mark {
			continue
		}
		if before--; before == 0 {
			cell, _, _ := strings.Cut(n.Text[at+1:b], mark)
			s.add(column, line-first, passage.Span{Start: at + 1, End: at + 1 + len(cell)})
		}
	}
}

// above adds the lines above the question in its section: those that it is indented below, the first of its paragraph,
// and the nearest others.
func (s *scope) above(n *note.Note, q passage.Span, line, section int) {
	start, _ := n.Lines.Span(line)
	indent := head.Columns(n.Text[start : start+len(n.Text[start:q.Start])-len(strings.TrimLeft(n.Text[start:q.Start], " \t"))])
	if strings.HasPrefix(n.Text[start:], "|") {
		indent = 0
	}
	taken, inBlock, last := 0, true, -1
	for at := line - 1; at >= section && line-at <= maxLook; at-- {
		a, b := n.Lines.Span(at)
		if answer, in := answerAt(n, a); in {
			at = n.Lines.LineAt(answer.Start)
			continue
		}
		text := strings.TrimSpace(n.Text[a:b])
		if text == "" {
			if inBlock && last >= 0 {
				s.block(n, line, last)
			}
			inBlock = false
			continue
		}
		if tableRule.MatchString(text) || strings.HasPrefix(text, "|") || codeLine.MatchString(text) {
			continue
		}
		if inBlock {
			last = at
		}
		column := head.Columns(n.Text[a : b-len(strings.TrimLeft(n.Text[a:b], " \t"))])
		switch {
		case column < indent:
			indent = column
			s.add(parent, line-at, passage.Span{Start: a, End: b})
		case taken < maxAbove:
			taken++
			s.add(above, line-at, passage.Span{Start: a, End: b})
		case !inBlock:
			return
		}
	}
	if inBlock && last >= 0 {
		s.block(n, line, last)
	}
}

var codeLine = regexp.MustCompile("^(?:```|~~~|#\\+|:[A-Za-z]+:|\\\\(?:begin|end|usepackage|documentclass|item$))")

func (s *scope) block(n *note.Note, line, first int) {
	a, b := n.Lines.Span(first)
	s.add(blockHead, line-first, passage.Span{Start: a, End: b})
}

func answerAt(n *note.Note, offset int) (passage.Span, bool) {
	i, found := slices.BinarySearchFunc(n.Answers, offset, func(a note.Answer, at int) int { return cmp.Compare(a.Span.Start, at) })
	if !found {
		i--
	}
	if i >= 0 && offset < n.Answers[i].Span.End {
		return n.Answers[i].Span, true
	}
	return passage.Span{}, false
}

var (
	orgTitle   = regexp.MustCompile(`(?i)^(?:#\+title:|\\title\{|title:|\* title:)[ \t]*(.*?)\}?$`)
	diagnoses  = regexp.MustCompile(`(?i)^\W*(?:diagnos[ei]s|diagnos(?:is|en|e)|impression|problem list|re|betrifft|betreff|diagnose|assessment|诊断|主诉|事由)\b?[*_]*[ \t]*(?:[:：]|$)[*_ \t]*(.*)$`)
	listedItem = regexp.MustCompile(`^(?:[-*+•]|\(?\d{1,2}[.)])[ \t]+|^[ \t]{2,}\S`)
)

// diagnosesIn finds what follows a label of diagnoses on a line. Most lines need no regular expression for that.
func diagnosesIn(line string) []int {
	const longest = 24 // bytes of a label with its markup
	if head := line[:min(len(line), longest)]; len(line) > longest && !strings.Contains(head, ":") && !strings.Contains(head, "：") {
		return nil
	}
	return diagnoses.FindStringSubmatchIndex(line)
}

// top adds the title of the note and its diagnoses.
func (s *scope) top(n *note.Note, line int) {
	titled, left := false, 0
	start, _ := n.Lines.Span(line)
	for _, source := range s.sources {
		titled = titled || source.place == title
	}
	for at := 0; at < min(line, headLines); at++ {
		a, b := n.Lines.Span(at)
		text := n.Text[a:b]
		trimmed := strings.TrimSpace(text)
		if found := diagnosesIn(text); found != nil {
			s.add(diagnosis, line-at, passage.Span{Start: a + found[2], End: a + found[3]})
			left = maxDiagnoses
			continue
		}
		switch {
		case trimmed == "" && left == maxDiagnoses: // between the label and its list
		case left > 0 && listedItem.MatchString(text):
			left--
			s.add(diagnosis, line-at, passage.Span{Start: a, End: b})
		default:
			left = 0
		}
		if titled || trimmed == "" {
			continue
		}
		if found := orgTitle.FindStringSubmatchIndex(text); at < titleLines && found != nil {
			s.add(title, line-at, passage.Span{Start: a + found[2], End: a + found[3]})
			titled = true
		} else if n.Language == note.Plaintext {
			s.add(title, line-at, passage.Span{Start: a, End: b})
			titled = true
		}
	}
	if !titled && len(n.Headings) > 0 && n.Headings[0].Span.Start < start && !slices.ContainsFunc(s.sources, func(other source) bool {
		return other.Start == n.Headings[0].Span.Start
	}) {
		s.add(title, line, n.Headings[0].Span)
	}
}
