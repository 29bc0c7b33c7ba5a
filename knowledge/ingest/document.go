package ingest

import (
	"cmp"
	"slices"
	"strings"

	"lacuna/knowledge/document"
	"lacuna/knowledge/ingest/markup"
	"lacuna/knowledge/passage"
)

// fileDocument is a document with what its file adds. Its spans are bytes of Text.
type fileDocument struct {
	document.Document
	pairs  []markup.Pair // questions with their answers; no block overlaps them
	field  string        // of the places
	offset int           // offset of Text in the file
	// private says which line makes the document private, if any.
	private privacy
}

// widen extends sentences over the markup before the first one of a line and the bar after a row, so
// that a passage begins where its line does. Sentences stay in order and apart. Markers are short;
// widen takes nothing longer.
func widen(body string, sentences []passage.Span) []passage.Span {
	const longest = 64
	floor := 0
	for i := range sentences {
		s := &sentences[i]
		prefix := body[max(floor, s.Start-longest):s.Start]
		prefix = prefix[strings.LastIndexAny(prefix, "\r\n")+1:]
		if len(prefix) < longest && strings.Trim(prefix, " \t>|-+*•·◦▪‣–0123456789.)[]xX") == "" {
			s.Start -= len(strings.TrimLeft(prefix, " \t"))
		}
		ceiling := len(body)
		if i+1 < len(sentences) {
			ceiling = sentences[i+1].Start // which a bar may open
		}
		between := body[s.End:ceiling]
		if rest := strings.TrimLeft(between, " \t"); strings.HasPrefix(rest, "|") {
			s.End = ceiling - len(rest) + 1
		}
		floor = s.End
	}
	return sentences
}

// overlaps reports whether s shares a byte with one of the spans, which are in order.
func overlaps(spans []passage.Span, s passage.Span) bool {
	i, _ := slices.BinarySearchFunc(spans, s.Start, func(span passage.Span, start int) int {
		return cmp.Compare(span.End, start+1)
	})
	return i < len(spans) && spans[i].Start < s.End
}

// lineFeeds replaces each carriage return that ends a line by itself with a line feed, because the
// Markdown parser and the line counter know no other line end. No byte moves.
func lineFeeds(text string) string {
	if !strings.Contains(text, "\r") {
		return text
	}
	changed := []byte(text)
	for i, c := range changed {
		if c == '\r' && (i+1 == len(changed) || changed[i+1] != '\n') {
			changed[i] = '\n'
		}
	}
	return string(changed)
}

const byteOrderMark = "\uFEFF"

// marksWithin returns the marks of a span of a text, with offsets from the span's start. The first mark
// has offset 0.
func marksWithin(marks []passage.Mark, span passage.Span) []passage.Mark {
	compare := func(m passage.Mark, at int) int { return int(m.Offset) - at }
	from, exact := slices.BinarySearchFunc(marks, span.Start, compare)
	if !exact {
		from--
	}
	to, _ := slices.BinarySearchFunc(marks, span.End, compare)
	if from < 0 || from >= to {
		return nil
	}
	inside := slices.Clone(marks[from:to])
	for i := range inside {
		inside[i].Offset = max(0, inside[i].Offset-int32(span.Start))
	}
	return inside
}

// lineIndex finds the line of an offset.
type lineIndex struct{ ends []int32 } // offsets of the line feeds

func newLineIndex(text string) lineIndex {
	l := lineIndex{make([]int32, 0, strings.Count(text, "\n"))}
	for i := 0; i < len(text); i++ {
		if text[i] == '\n' {
			l.ends = append(l.ends, int32(i))
		}
	}
	return l
}

// at returns the line of an offset, counting from 1.
func (l lineIndex) at(offset int) int {
	before, _ := slices.BinarySearch(l.ends, int32(offset))
	return before + 1
}

// extractedField is the field of a place in a file whose bytes are not its text: the span is one of the
// extracted text, which is always the same for the same file.
const extractedField = "text"
