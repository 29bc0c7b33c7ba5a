package ingest

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"lacuna/knowledge/passage"
)

const (
	// Sentences packs whole sentences, after the Misknow-RAG paper; the default.
	Sentences Chunker = "sentences"
	// Chars1000 makes chunks of at most 1,000 characters, overlapping by at most 200, cut between
	// paragraphs, else lines, else words. It is how the snippets of MedRAG (Xiong et al., 2024) were
	// made, which the MedRGAG paper uses.
	Chars1000 Chunker = "chars-1000-200"
)

// Chunker names how running text is divided into passages.
type Chunker string

const (
	maxChunkChars = 1000
	overlapChars  = 200
)

// measure counts the size of a passage in the unit of its language.
type measure struct {
	// next returns the length in bytes and the size of the next indivisible piece of a non-empty text.
	next func(text string) (length, size int)
	max  int // the largest size of a passage
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

// pack joins units, which are in order, into stretches of text of at most m.max, of whole units each.
// It cuts a larger unit and joins it to no other. No stretch crosses
// what [apart] keeps apart.
func (m measure) pack(text string, units []unit) []passage.Span {
	var packed []passage.Span
	var open passage.Span
	size := 0
	for _, unit := range units {
		if open.Len() > 0 {
			// A word that goes on across the border counts twice here, so the sum is never too low.
			grown := size + m.count(text[open.End:unit.End])
			if grown <= m.max && !unit.apart && !apart(text[open.End:unit.Start]) {
				open.End, size = unit.End, grown
				continue
			}
			packed = append(packed, open)
			open = passage.Span{}
		}
		if size = m.count(text[unit.Start:unit.End]); size <= m.max {
			open = unit.Span
		} else {
			packed = append(packed, m.cut(text, unit.Span)...)
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

// The Misknow-RAG paper limits a passage to fewer than 300 words, or 400 tokens of Chinese. White space
// separates words; a token is a Han character, or up to four letters or digits of a run of others.
var (
	words  = measure{nextWord, 299}
	tokens = measure{nextToken, 400}
)

// measureOf returns tokens if at least a third of the letters are Han, else words.
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

// separators lists the places to cut a text, best first; a piece without any of them is cut anywhere.
var separators = []string{"\n\n", "\n", " "}

// chunkChars divides the text of units, which are in order. No chunk crosses what [apart] keeps apart.
func chunkChars(text string, units []unit) []passage.Span {
	var pieces []passage.Span
	for len(units) > 0 {
		n := 1
		for n < len(units) && !units[n].apart && !apart(text[units[n-1].End:units[n].Start]) {
			n++
		}
		stretch := passage.Span{Start: units[0].Start, End: units[n-1].End}
		pieces = append(pieces, splitChars(text, stretch, separators)...)
		units = units[n:]
	}
	return pieces
}

// splitChars cuts a stretch at the first separator, joins short parts, and cuts long ones at the next
// separator.
func splitChars(text string, s passage.Span, separators []string) []passage.Span {
	if utf8.RuneCountInString(text[s.Start:s.End]) <= maxChunkChars {
		return []passage.Span{s}
	}
	if len(separators) == 0 {
		return cutChars(text, s)
	}
	var pieces, short []passage.Span
	rest := s
	for rest.Start < s.End {
		part := rest
		if at := strings.Index(text[rest.Start:rest.End], separators[0]); at >= 0 {
			part.End = rest.Start + at
			rest.Start = part.End + len(separators[0])
		} else {
			rest.Start = s.End
		}
		part = trimSpace(text, part)
		switch long := utf8.RuneCountInString(text[part.Start:part.End]) > maxChunkChars; {
		case part.Len() == 0:
		case long:
			pieces = append(append(pieces, joinChars(text, short)...), splitChars(text, part, separators[1:])...)
			short = nil
		default:
			short = append(short, part)
		}
	}
	return append(pieces, joinChars(text, short)...)
}

// joinChars joins short parts into chunks as long as possible, which overlap by whole parts.
func joinChars(text string, parts []passage.Span) []passage.Span {
	if len(parts) == 0 {
		return nil
	}
	// starts and ends are the places of the parts in characters.
	starts, ends := make([]int, len(parts)), make([]int, len(parts))
	at, offset := 0, parts[0].Start
	for i, part := range parts {
		starts[i] = at + utf8.RuneCountInString(text[offset:part.Start])
		ends[i] = starts[i] + utf8.RuneCountInString(text[part.Start:part.End])
		at, offset = ends[i], part.End
	}
	var pieces []passage.Span
	first := 0
	for i := range parts {
		if ends[i]-starts[first] <= maxChunkChars {
			continue
		}
		pieces = append(pieces, passage.Span{Start: parts[first].Start, End: parts[i-1].End})
		for first < i && (ends[i-1]-starts[first] > overlapChars || ends[i]-starts[first] > maxChunkChars) {
			first++
		}
	}
	return append(pieces, passage.Span{Start: parts[first].Start, End: parts[len(parts)-1].End})
}

// cutChars cuts a stretch that has no separator.
func cutChars(text string, s passage.Span) []passage.Span {
	var pieces []passage.Span
	for {
		end := s.Start + runes(text[s.Start:s.End], maxChunkChars)
		pieces = append(pieces, passage.Span{Start: s.Start, End: end})
		if end == s.End {
			return pieces
		}
		s.Start += runes(text[s.Start:s.End], maxChunkChars-overlapChars)
	}
}

// runes returns the length in bytes of the first n characters of a text, or of all of it.
func runes(text string, n int) int {
	for i := range text {
		if n == 0 {
			return i
		}
		n--
	}
	return len(text)
}
