package note

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"lacuna/knowledge/passage"
)

// askingSpans returns the questions in running text, in order: sentences that end in a question mark, each without
// what stands behind it on its line, such as a remark in brackets, a tag or a block id. A question that only
// completes the one before belongs to it. trail are the characters that may close emphasis behind the mark.
func askingSpans(text, trail string) []passage.Span {
	var found []passage.Span
	from := 0 // the end of the question before
	quoted := quotedSpans(text)
	for at := nextMark(text, 0); at < len(text); at = nextMark(text, at) {
		end := at + len(text[at:]) - len(strings.TrimLeft(text[at:], "?!？！"))
		closed := end + len(text[end:]) - len(strings.TrimLeft(text[end:], strings.Trim(trail, " \t")))
		mark, _ := utf8.DecodeRuneInString(text[at:])
		next, _ := utf8.DecodeRuneInString(text[closed:])
		switch {
		case mark == '?' && closed < len(text) && !unicode.IsSpace(next) && !strings.ContainsRune("（(，。；<%", next) && !unicode.Is(unicode.Han, next):
		case overlapsAny(quoted, at):
		default:
			if start := askingStart(text, from, at); start >= 0 {
				span := passage.Span{Start: start, End: closed}
				if last := len(found) - 1; last >= 0 && strings.TrimSpace(text[found[last].End:start]) == "" && completes(text[start:end]) {
					found[last].End = closed
				} else {
					found = append(found, span)
				}
			}
			from = closed
		}
		at = end
	}
	return found
}

// nextMark returns the offset of the next question mark, or the end.
func nextMark(text string, from int) int {
	if at := strings.IndexAny(text[from:], "?？"); at >= 0 {
		return from + at
	}
	return len(text)
}

var (
	arrow     = regexp.MustCompile(`^.*(?:→|->|=>)[ \t]*`)
	tagsAhead = regexp.MustCompile(`^(?:#[\p{L}\d_/-]+[ \t]+)+`)
	clock     = regexp.MustCompile(`^\d{1,2}[:.]\d{2}[ \t]+`)
)

// askingStart returns where the sentence begins that asks at a mark, behind an arrow, tags or the time of an entry;
// -1 if there are no words or the mark belongs to an address.
func askingStart(text string, from, mark int) int {
	start := from
	if sentences := passage.Sentences(text[from:mark], passage.Plain); len(sentences) > 0 {
		start = from + sentences[len(sentences)-1].Start
	}
	for _, ahead := range []*regexp.Regexp{arrow, clock, tagsAhead} {
		start += len(ahead.FindString(text[start:mark]))
	}
	words := text[start:mark]
	if strings.IndexFunc(words, isLetterOrDigit) < 0 || strings.Contains(words[strings.LastIndexAny(words, " \t")+1:], "://") {
		return -1
	}
	return start + len(words) - len(strings.TrimLeft(words, " \t"))
}

// completes reports whether a question only goes on with the one before it: "In which words?", "And why not?".
func completes(question string) bool {
	first, _, _ := strings.Cut(strings.TrimLeft(question, "*_~= \t"), " ")
	switch strings.ToLower(first) {
	case "and", "or", "und", "oder":
		return true
	}
	if han := strings.Count(question, "") - 1; strings.ContainsFunc(question, func(r rune) bool { return unicode.Is(unicode.Han, r) }) {
		return han < 6
	}
	return len(strings.Fields(question)) < 4
}

// quotedSpans returns what is no running text of the writer's own in a line: code, formulas, links, text in quotation
// marks and in brackets.
func quotedSpans(text string) []passage.Span {
	var spans []passage.Span
	for at := 0; at < len(text); {
		length := 0
		for _, pair := range quotations {
			if !strings.HasPrefix(text[at:], pair[0]) {
				continue
			}
			if end := strings.Index(text[at+len(pair[0]):], pair[1]); end >= 0 {
				length = len(pair[0]) + end + len(pair[1])
				break
			}
		}
		if length > 0 {
			spans = append(spans, passage.Span{Start: at, End: at + length})
			at += length
			continue
		}
		_, size := utf8.DecodeRuneInString(text[at:])
		at += size
	}
	return spans
}

var quotations = [][2]string{
	{"``", "``"}, {"`", "`"}, {"$", "$"}, {"[[", "]]"}, {"](", ")"}, {"<!--", "-->"}, {"%%", "%%"}, {"(", ")"}, {"（", "）"},
	{`"`, `"`}, {"“", "”"}, {"„", "“"}, {"«", "»"}, {"「", "」"}, {"<http", ">"},
}

func overlapsAny(spans []passage.Span, at int) bool {
	for _, s := range spans {
		if s.Start <= at && at < s.End {
			return true
		}
	}
	return false
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

var (
	remarkBehind = regexp.MustCompile(`^(?:[ \t]*(?:\([^()]*(?:\)|$)|（[^（）]*(?:）|$)|%%.*?%%|\\cite\w*\{[^{}]*\}|#[\p{L}\d_/-]+|\^[A-Za-z\d-]+|!?\[\[[^\[\]]*\]\]|\[[^\[\]]*\]\([^()]*\)))*[ \t]*`)
	noReply      = regexp.MustCompile(`(?i)\b(?:not (?:sure|decided|clear|known)|nobody|no one|no idea|unclear|unknown|tbc|tbd|i (?:think|assume|guess|recall|suppose)|somebody|waiting|check|look (?:it )?up|find out|ask|maybe|perhaps|niemand|unklar|weiß nicht|vielleicht|keine ahnung)\b|没人|无人|不清楚|不知道|不确定|待查|查`)
)

// repliesAtOnce reports whether a sentence that reads as a reply stands behind a question in its paragraph: more than
// a remark in brackets, a tag or another question, and no word of doubt.
func repliesAtOnce(behind string) bool {
	behind = behind[len(remarkBehind.FindString(behind)):]
	if behind == "" || noReply.MatchString(behind) {
		return false
	}
	spans := askingSpans(behind, " \t*_~=")
	return len(spans) == 0 || spans[0].Start > 2
}

var (
	tickedBox  = regexp.MustCompile(`^(?:[-*+]|\d{1,9}[.)])[ \t]+\[[xX]\][ \t]`)
	openBox    = regexp.MustCompile(`\[ \][ \t]+$`)
	answerLine = regexp.MustCompile(`^(?:\*\*|__)?(?i:a|answer|antwort|答|回答)(?:\*\*|__)?[ \t]*[:：](?:\*\*|__)?[ \t]*\S`)
)

// Settled reports whether nothing is to be looked up for a question: its writer answers it, and Lacuna has not.
func (q Question) Settled() bool { return q.Replied && q.Answer < 0 }

// replies reports whether the writer answers a question: see [Question.Replied].
func (n *Note) replies(q Question) bool {
	line := n.Lines.LineAt(q.lines.Start)
	if text, _ := n.trimmedLine(line); tickedBox.MatchString(text) {
		return true
	}
	if q.heading {
		return n.sectionReplies(q)
	}
	if next := n.Lines.LineAt(q.lines.End) + 1; next < n.Lines.Count() {
		text, _ := n.trimmedLine(next)
		return answerLine.MatchString(text) && !noReply.MatchString(text)
	}
	return false
}

// leastSection is the number of words from which on a section answers its heading even in other words.
const leastSection = 20

// sectionReplies reports whether running text below a heading answers it: no question, no task, no doubt, and more than
// a remark that shares no word with it; what is asked in the section ends it.
func (n *Note) sectionReplies(q Question) bool {
	at, _ := slices.BinarySearchFunc(n.Headings, q.Span.Start, func(h Heading, start int) int { return cmp.Compare(h.Span.End, start) })
	if at == len(n.Headings) {
		return false
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
			return false
		}
		text := n.Text[l.Start:l.End]
		start, _ := n.Lines.Span(n.Lines.LineAt(l.Start))
		if noReply.MatchString(text) || strings.ContainsAny(text, "?？") || questionMarkerLen(text) > 0 {
			return false
		}
		if !openBox.MatchString(n.Text[start:l.Start]) && strings.IndexFunc(text, isLetterOrDigit) >= 0 {
			if words += len(strings.Fields(text)); words >= leastSection || sharesWord(q.Text, text) {
				return true
			}
		}
	}
	return false
}

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
