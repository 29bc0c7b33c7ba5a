package note

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"lacuna/handlers/note/sense"
	"lacuna/knowledge/head"
	"lacuna/knowledge/question"
)

// Reading returns the note with other questions counted: "sure" has only those that are Certain, "all" every sentence
// with a question mark that its writer does not answer. For anything else it returns the note itself.
func (n *Note) Reading(questions string) *Note {
	var sense func(q Question) Sense
	switch questions {
	case "sure":
		sense = func(q Question) Sense {
			if q.Sense == Likely {
				return Unlikely
			}
			return q.Sense
		}
	case "all":
		sense = func(q Question) Sense {
			if q.unmarked {
				return q.Sense
			}
			return Certain
		}
	default:
		return n
	}
	read := *n
	read.Questions = slices.Clone(n.Questions)
	for i := range read.Questions {
		read.Questions[i].Sense = sense(read.Questions[i])
	}
	return &read
}

// Thresholds of the probability that a question is open, measured on notes left out of training.
const (
	likelyFrom  = .4
	certainFrom = .65
	// openTaskFrom is that of an open task in the form of a question, which is more than what stands around it says.
	openTaskFrom = .5
)

// senseOf returns the sense of a candidate that is open with a probability.
func (q *Question) senseOf(open float64) Sense {
	switch {
	case q.explicit, open >= certainFrom:
		return Certain
	case open >= likelyFrom:
		return Likely
	}
	return Unlikely
}

// headsNothing reports whether a candidate is a heading in the form of a question with nothing but doubt of the writer's
// below it, or with what goes on about a person of whom it asks nothing.
func headsNothing(c sense.Candidate) bool {
	return c.Leaves && !c.Unmarked && (c.Below == "" || heading.MatchString(c.Below) || strings.ContainsAny(c.Below, "?？") || noReply.MatchString(c.Below) ||
		ofPerson.MatchString(c.Below) && !person.MatchString(c.Text))
}

var (
	person   = regexp.MustCompile(`(?i)\b(?:he|she|his|him|her|patient)\b`)
	ofPerson = regexp.MustCompile(`^(?i:he|she|his|her)\b`)
)

// asksAsTask reports whether a candidate is an open task in the form of a question.
func asksAsTask(c sense.Candidate) bool {
	return c.Form == sense.Task && !c.Unmarked && !c.Replies && sense.BeginsAsking(c.Text)
}

// mostRemembered bounds the candidates whose readings are kept.
const mostRemembered = 1 << 14

// read reads a candidate by itself; most are those of the version before.
func (n *Note) read(c sense.Candidate) sense.Reading {
	n.seen.mu.Lock()
	defer n.seen.mu.Unlock()
	if r, known := n.seen.read[c]; known {
		return r
	}
	if n.seen.read == nil || len(n.seen.read) >= mostRemembered {
		n.seen.read = make(map[sense.Candidate]sense.Reading)
	}
	for _, s := range []*string{&c.Text, &c.Ahead, &c.Behind, &c.Above, &c.Below, &c.Section, &c.Title} {
		*s = strings.Clone(*s) // not to keep this version of the note in memory
	}
	r := sense.Read(c)
	n.seen.read[c] = r
	return r
}

// Bounds on what is read around a candidate.
const (
	mostAround = 160 // bytes of a text
	nearLines  = 3
)

// candidate returns what stands around a question.
func (n *Note) candidate(q Question) sense.Candidate {
	c := sense.Candidate{Text: clip(q.Text), Unmarked: q.unmarked, Form: q.form, Replies: q.Replied}
	if q.heading && !q.Replied {
		_, c.Leaves = n.sectionReplies(q)
	}
	first, last := n.Lines.LineAt(q.Span.Start), n.Lines.LineAt(q.Span.End)
	start, _ := n.Lines.Span(first)
	_, end := n.Lines.Span(last)
	c.Ahead = clipStart(strings.TrimLeft(n.Text[start:q.Span.Start], " \t>#|-*+"))
	c.Behind = clip(strings.TrimLeft(n.Text[min(q.Span.End, end):end], " \t*_~="))
	if above, _ := n.lineText(first - 1); !n.Language.isMachinery(above) {
		c.Above = clipStart(above)
	}
	_, after := n.Lines.Span(n.Lines.LineAt(q.lines.End))
	after = max(after, end)
	for line := n.Lines.LineAt(after) + 1; line < n.Lines.Count() && line <= n.Lines.LineAt(after)+nearLines; line++ {
		below, indent := n.lineText(line)
		if below == "" {
			c.Gap = true
			continue
		}
		if !n.Language.isMachinery(below) {
			c.Below, c.Deeper = clip(below), indent > n.indentOf(first)
			if answerMark.MatchString(below) || cardBack.MatchString(below) {
				c.Below = clip("A: " + n.announced(line+1))
			}
			if q.form == sense.Callout {
				c.Below = strings.TrimLeft(c.Below, "> \t")
			}
		}
		break
	}
	if c.Gap && !q.heading && !c.Deeper && len(longWords.FindAllString(q.Text, 2)) > 1 && !sharesWord(q.Text, c.Below) {
		c.Below, c.Gap = "", false // a paragraph apart that takes up no word of it is no reply
	}
	asked, lines := 0, 0
	for line := max(first-nearLines, 0); line <= min(last+nearLines, n.Lines.Count()-1); line++ {
		if line >= first && line <= last {
			continue
		}
		if text, _ := n.lineText(line); text != "" {
			lines++
			if strings.ContainsAny(text, "?？") {
				asked++
			}
		}
	}
	if lines > 0 {
		c.Asked = float64(asked) / float64(lines)
	}
	c.Section, c.Title = n.sectionOf(q)
	return c
}

// announced returns the text below a line that announces an answer: nothing, if a heading or another question stands there.
func (n *Note) announced(line int) string {
	text, _ := n.lineText(line)
	if text == "" {
		text, _ = n.lineText(line + 1)
	}
	if heading.MatchString(text) || strings.ContainsAny(text, "?？") || questionMarkerLen(text) > 0 {
		return ""
	}
	return text
}

// sectionOf returns the heading that a question stands under, and the title of the note.
func (n *Note) sectionOf(q Question) (section, title string) {
	at, _ := slices.BinarySearchFunc(n.Headings, q.Span.Start, func(h Heading, start int) int { return cmp.Compare(h.Span.Start, start+1) })
	level := int(^uint(0) >> 1)
	if q.heading && at > 0 {
		at--
		level = n.Headings[at].Level
	}
	for at--; at >= 0; at-- {
		if n.Headings[at].Level < level {
			section = clip(n.Headings[at].Text)
			break
		}
	}
	switch {
	case len(n.Headings) > 0 && n.Headings[0].Span.Start < q.Span.Start:
		title = n.Headings[0].Text
	case n.front < n.Lines.Count():
		title, _ = n.lineText(n.front)
	}
	return section, clip(title)
}

// lineText returns a line without white space around it, and its indentation; empty outside of the note.
func (n *Note) lineText(line int) (text string, indent int) {
	if line < n.front || line >= n.Lines.Count() {
		return "", 0
	}
	text, offset := n.trimmedLine(line)
	start, _ := n.Lines.Span(line)
	return text, offset - start
}

func (n *Note) indentOf(line int) int {
	_, offset := n.trimmedLine(line)
	start, _ := n.Lines.Span(line)
	return head.Columns(n.Text[start:offset])
}

// isMachinery reports whether a line begins an answer, or is a comment of Lacuna's: what it says of a question is no
// reply of the writer's.
func (l Language) isMachinery(line string) bool { return strings.Contains(line, "lacuna") }

// clip returns the beginning of a text, and clipStart its end, at most [mostAround] bytes each.
func clip(text string) string {
	if len(text) <= mostAround {
		return text
	}
	return strings.ToValidUTF8(text[:mostAround], "")
}

func clipStart(text string) string {
	if len(text) <= mostAround {
		return text
	}
	return strings.ToValidUTF8(text[len(text)-mostAround:], "")
}

var (
	blockID      = regexp.MustCompile(`^\^[A-Za-z\d-]+$`)
	calloutTitle = regexp.MustCompile(`^\[![\w-]+(?:\|[^\]]*)?\][+-]?[ \t]*`)
	tableRule    = regexp.MustCompile(`^\|?[ \t]*:?-+:?[ \t]*(?:[|+][ \t]*:?-+:?[ \t]*)*\|?[ \t]*$`)
)

// attachedBelow returns the last line that belongs to a question above a line, or none: the rest of its sentence or
// paragraph, its properties, and a list that the question introduces. No answer may be written above it.
func (s *scanner) attachedBelow(first int, goesOn, introduces bool) int {
	n, last := s.note, none
	line := first
	drawer, list := false, false
	for ; line < n.Lines.Count(); line++ {
		text, _ := n.trimmedLine(line)
		_, opens := s.markup.opens(text)
		switch {
		case drawer:
			drawer = !strings.EqualFold(text, ":END:")
		case opens:
			text = ""
		case text == "" && line == first && introduces && line+1 < n.Lines.Count():
			if below, _ := n.trimmedLine(line + 1); listMarker.MatchString(below) {
				continue
			}
		case n.Language == Org && orgDrawer.MatchString(text):
			drawer = true
		case n.Language == Org && orgPlanning.MatchString(text), propertyLine.MatchString(text), blockID.MatchString(text):
		case goesOn && text != "" && !s.beginsBlock(text):
		case introduces && text != "" && !strings.ContainsAny(text, "?？") && (listMarker.MatchString(text) || list && !s.beginsBlock(text)):
			list, goesOn = true, false
		default:
			text = ""
		}
		if text == "" {
			break
		}
		last = line
	}
	if list && line < n.Lines.Count() { // a list in which something is asked is none of the question's
		if text, _ := n.trimmedLine(line); strings.ContainsAny(text, "?？") {
			last = none
		}
	}
	s.looked = max(s.looked, line)
	return last
}

// beginsBlock reports whether a line begins something other than more of a paragraph.
func (s *scanner) beginsBlock(text string) bool {
	return listMarker.MatchString(text) || heading.MatchString(text) || strings.ContainsRune("#>|`~=\\.:", rune(text[0])) || strings.HasPrefix(text, s.markup.comment)
}

var noReply = regexp.MustCompile(`(?i)\b(?:not (?:sure|decided|clear|known)|nobody|no one|no idea|todo|pending|later|promised|will (?:ring|call|ask|check|come back|reply)|unclear|unknown|tbc|tbd|i (?:think|assume|guess|recall|suppose)|somebody|waiting|check|look (?:it )?up|find out|ask|maybe|perhaps|niemand|unklar|weiß nicht|vielleicht|keine ahnung)\b|没人|无人|不清楚|不知道|不确定|待查|查|未定|不详`)

var (
	openBox    = regexp.MustCompile(`\[ \][ \t]+$`)
	doneBox    = regexp.MustCompile(`\[[xX]\][ \t]+$`)
	answerLine = regexp.MustCompile(`^(?:[-*+][ \t]+)?(?:\*\*|__)?(?i:a|ans|answer|reply|response|antwort|答|回答|回复|答案)(?:\*\*|__)?[ \t]*[:：](?:\*\*|__)?[ \t]*[^\s*_]`)
	// answerMark matches a line that only announces the answer below it.
	answerMark = regexp.MustCompile(`^(?:[-*+#]+[ \t]+)?(?:\*\*|__|[*_])?(?i:a|ans|answer|reply|response|solution|key|antwort|lösung|答|回答|回复|答案|解)(?:\*\*|__|[*_])?[ \t]*[:：]?(?:\*\*|__|[*_])?$`)
	cardBack   = regexp.MustCompile(`^\?{1,2}$`) // parts the two sides of a flashcard
	rightMark  = regexp.MustCompile(`[✓✔✅☑]`)
)

// replies reports whether the writer answers a question: see [Question.Replied].
func (n *Note) replies(q Question) bool {
	if q.form == sense.Done {
		return true
	}
	if slices.ContainsFunc(q.Options, func(o question.Option) bool { return rightMark.MatchString(o.Text) }) {
		return true
	}
	if q.heading {
		replies, _ := n.sectionReplies(q)
		return replies
	}
	if next := n.Lines.LineAt(q.lines.End) + 1; next < n.Lines.Count() {
		text, _ := n.trimmedLine(next)
		if cardBack.MatchString(text) && next+1 < n.Lines.Count() {
			back, _ := n.trimmedLine(next + 1)
			return back != "" && !noReply.MatchString(back)
		}
		return answerLine.MatchString(text) && !noReply.MatchString(text)
	}
	return false
}

// leastSection is the number of words from which on a section answers its heading even in other words.
const leastSection = 20

// sectionReplies reports whether running text below a heading answers it: no question, no task, no doubt, and more than
// a remark that shares no word with it; what is asked in the section ends it. Or else it reports whether the section
// leaves it open: it has nothing, begins with doubt, or ends without a word of a question that has words to share.
func (n *Note) sectionReplies(q Question) (replies, leaves bool) {
	at, _ := slices.BinarySearchFunc(n.Headings, q.Span.Start, func(h Heading, start int) int { return cmp.Compare(h.Span.End, start) })
	if at == len(n.Headings) {
		return false, false
	}
	end := len(n.Text)
	for _, h := range n.Headings[at+1:] {
		if h.Level <= n.Headings[at].Level {
			end = h.Span.Start
			break
		}
	}
	first, _ := slices.BinarySearchFunc(n.running, n.Headings[at].Span.End, func(l runningLine, after int) int { return cmp.Compare(l.Start, after) })
	words := 0
	for _, l := range n.running[first:] {
		if l.Start >= end {
			break
		}
		text := n.Text[l.Start:l.End]
		start, _ := n.Lines.Span(n.Lines.LineAt(l.Start))
		if strings.ContainsAny(text, "?？") || questionMarkerLen(text) > 0 {
			if words > 0 {
				break
			}
			return false, at+1 < len(n.Headings) && n.Headings[at+1].Span.End <= l.Start
		}
		if noReply.MatchString(text) {
			return false, words == 0
		}
		if !openBox.MatchString(n.Text[start:l.Start]) && strings.IndexFunc(text, isLetterOrDigit) >= 0 {
			if words += len(strings.Fields(text)); words >= leastSection || sharesWord(q.Text, text) {
				return true, false
			}
		}
	}
	return false, words == 0 || len(longWords.FindAllString(q.Text, 2)) > 1
}

// longWords matches the words by which a reply to a question would be known.
var longWords = regexp.MustCompile(`\pL{5,}|\p{Han}{2}`)

// sharesWord reports whether a text has a longer word of a question, or two Han characters in a row.
func sharesWord(question, text string) bool {
	text = strings.ToLower(text)
	for word := range strings.FieldsFuncSeq(strings.ToLower(question), func(r rune) bool { return !isLetterOrDigit(r) }) {
		runes := []rune(word)
		if unicode.Is(unicode.Han, runes[0]) {
			for i := 2; i <= len(runes); i++ {
				if strings.Contains(text, string(runes[i-2:i])) {
					return true
				}
			}
			continue
		}
		if len(runes) >= 5 && strings.Contains(text, word) {
			return true
		}
	}
	return false
}
