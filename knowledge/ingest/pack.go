package ingest

import (
	"unicode"
	"unicode/utf8"

	"lacuna/knowledge/passage"
)

// measure counts the size of a passage in the unit of its language.
type measure struct {
	// next returns the length in bytes of the next indivisible piece of a text that is not empty,
	// and its size.
	next func(text string) (length, size int)
	max  int // the largest size of a passage
}

// After the Misknow-RAG paper a passage has fewer than 300 words, or 400 tokens of Chinese. Words
// are what white space separates; a token is a Han character, or four letters or digits of a run
// of others.
var (
	words  = measure{nextWord, 299}
	tokens = measure{nextToken, 400}
)

// measureOf chooses tokens where at least a third of the letters are Han, and words elsewhere.
func measureOf(text string) measure {
	han, letters := 0, 0
	for _, r := range text {
		if unicode.IsLetter(r) {
			letters++
			if unicode.Is(unicode.Han, r) {
				han++
			}
		}
	}
	if han > 0 && 3*han >= letters {
		return tokens
	}
	return words
}

func nextWord(text string) (length, size int) {
	inside := false
	for i, r := range text {
		if space := unicode.IsSpace(r); !space {
			inside = true
		} else if inside {
			return i, 1
		}
	}
	if inside {
		return len(text), 1
	}
	return len(text), 0
}

func nextToken(text string) (length, size int) {
	run := 0
	for i, r := range text {
		han := unicode.Is(unicode.Han, r)
		other := !han && (unicode.IsLetter(r) || unicode.IsDigit(r))
		if run > 0 && !other {
			return i, (run + 3) / 4
		}
		switch {
		case other:
			run++
		case han:
			return i + utf8.RuneLen(r), 1
		default:
			_, width := utf8.DecodeRuneInString(text[i:])
			return i + width, 0
		}
	}
	return len(text), (run + 3) / 4
}

func (m measure) count(text string) int {
	total := 0
	for len(text) > 0 {
		length, size := m.next(text)
		total += size
		text = text[length:]
	}
	return total
}

// pack joins units, which are in order, into stretches of text of at most m.max, of whole units
// each. A unit that is larger is cut and joined to no other. No stretch crosses the text between
// two units for which apart is true.
func (m measure) pack(text string, units []passage.Span, apart func(between string) bool) []passage.Span {
	var packed []passage.Span
	var open passage.Span
	size := 0
	for _, unit := range units {
		if open.Len() > 0 {
			// A word that goes on across the border counts twice here, so the sum is never too low.
			grown := size + m.count(text[open.End:unit.End])
			if grown <= m.max && !apart(text[open.End:unit.Start]) {
				open.End, size = unit.End, grown
				continue
			}
			packed = append(packed, open)
			open = passage.Span{}
		}
		if size = m.count(text[unit.Start:unit.End]); size <= m.max {
			open = unit
		} else {
			packed = append(packed, m.cut(text, unit)...)
		}
	}
	if open.Len() > 0 {
		packed = append(packed, open)
	}
	return packed
}

// cut divides a unit into pieces of at most m.max, between words or tokens.
func (m measure) cut(text string, unit passage.Span) []passage.Span {
	var pieces []passage.Span
	from, at, total := unit.Start, unit.Start, 0
	for at < unit.End {
		length, size := m.next(text[at:unit.End])
		if total+size > m.max && total > 0 {
			pieces = append(pieces, trimSpace(text, passage.Span{Start: from, End: at}))
			from, total = at, 0
		}
		total += size
		at += length
	}
	return append(pieces, trimSpace(text, passage.Span{Start: from, End: unit.End}))
}

func trimSpace(text string, s passage.Span) passage.Span {
	for s.Start < s.End {
		r, size := utf8.DecodeRuneInString(text[s.Start:s.End])
		if !unicode.IsSpace(r) {
			break
		}
		s.Start += size
	}
	for s.Start < s.End {
		r, size := utf8.DecodeLastRuneInString(text[s.Start:s.End])
		if !unicode.IsSpace(r) {
			break
		}
		s.End -= size
	}
	return s
}
