package sense

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"lacuna/knowledge/passage"
)

// Asking returns the questions in running text, in order: sentences that end in a question mark, each without
// what stands behind it on its line, such as a remark in brackets, a tag or a block id. A question that only
// completes the one before belongs to it. trail are the characters that may close emphasis behind the mark.
func Asking(text, trail string) []passage.Span {
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

// Sentences returns the sentences of running text, also those that go on in lower case behind a full stop, as notes have it.
func Sentences(text string) []passage.Span {
	var all []passage.Span
	for _, span := range passage.Sentences(text, passage.Plain) {
		from := span.Start
		for _, stop := range fullStop.FindAllStringIndex(text[from:span.End], -1) {
			if end := from + stop[1]; end < span.End {
				all = append(all, passage.Span{Start: span.Start, End: len(strings.TrimRight(text[:end], " \t"))})
				span.Start = end
			}
		}
		all = append(all, span)
	}
	return all
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
	// fullStop ends a sentence that goes on in lower case, or behind a figure, as notes have it.
	fullStop = regexp.MustCompile(`(?:\p{L}{4,}|[\d%°]C?\)?)[.;]["”)]?[ \t]{1,3}|[.!][ \t]{2,}`)
	clock    = regexp.MustCompile(`^\d{1,2}[:.]\d{2}[ \t]+`)
)

// askingStart returns where the sentence begins that asks at a mark, behind an arrow, tags or the time of an entry;
// -1 if there are no words or the mark belongs to an address.
func askingStart(text string, from, mark int) int {
	start := from
	if sentences := passage.Sentences(text[from:mark], passage.Plain); len(sentences) > 0 {
		start = from + sentences[len(sentences)-1].Start
	}
	if stops := fullStop.FindAllStringIndex(text[start:mark], -1); len(stops) > 0 {
		start += stops[len(stops)-1][1]
	}
	for _, ahead := range []*regexp.Regexp{arrow, clock, tagsAhead} {
		start += len(ahead.FindString(text[start:mark]))
	}
	words := text[start:mark]
	if strings.IndexFunc(words, letterOrDigit) < 0 || strings.Contains(words[strings.LastIndexAny(words, " \t")+1:], "://") {
		return -1
	}
	return start + len(words) - len(strings.TrimLeft(words, " \t"))
}

// completes reports whether a question only goes on with the one before it: "In which words?", "And why not?".
func completes(question string) bool {
	first, _, _ := strings.Cut(strings.TrimLeft(question, "*_~= \t"), " ")
	switch strings.ToLower(first) {
	case "and", "or", "und", "oder", "for", "für": // a question of its own, as short as it is
		return false
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
		if text[at] == '[' {
			length = len(linkAhead.FindString(text[at:]))
		}
		for _, pair := range quotations {
			if length > 0 || !strings.HasPrefix(text[at:], pair[0]) {
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

// linkAhead matches a link: its words are the title of what it leads to.
var linkAhead = regexp.MustCompile(`^\[[^\[\]]*\]\([^()]*\)`)

var quotations = [][2]string{
	{"``", "``"}, {"`", "`"}, {"$", "$"}, {"[[", "]]"}, {"<!--", "-->"}, {"%%", "%%"}, {"(", ")"}, {"（", "）"},
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

func letterOrDigit(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
