package ingest

import (
	"strings"
	"unicode/utf8"

	"lacuna/knowledge/passage"
)

// Chunker names the way running text is divided into passages.
type Chunker string

const (
	// Sentences packs whole sentences, after the Misknow-RAG paper; the default.
	Sentences Chunker = "sentences"
	// Chars1000 makes pieces of at most 1,000 characters, of which the last 200 at most begin the next,
	// cut between paragraphs, else lines, else words. So were the snippets of MedRAG (Xiong et al.,
	// 2024) made, on which the MedRGAG paper works.
	Chars1000 Chunker = "chars-1000-200"
)

const (
	mostChars    = 1000
	overlapChars = 200
)

// separators are tried in turn; a piece that has none of them is cut anywhere.
var separators = []string{"\n\n", "\n", " "}

// packChars divides the text of units, which are in order. No piece crosses the text between two units
// for which apart is true.
func packChars(text string, units []passage.Span, apart func(between string) bool) []passage.Span {
	var pieces []passage.Span
	for len(units) > 0 {
		n := 1
		for n < len(units) && !apart(text[units[n-1].End:units[n].Start]) {
			n++
		}
		stretch := passage.Span{Start: units[0].Start, End: units[n-1].End}
		pieces = append(pieces, splitChars(text, stretch, separators)...)
		units = units[n:]
	}
	return pieces
}

// splitChars cuts a stretch at the first separator, joins what is short, and cuts what is long at the
// next.
func splitChars(text string, s passage.Span, separators []string) []passage.Span {
	if utf8.RuneCountInString(text[s.Start:s.End]) <= mostChars {
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
		switch long := utf8.RuneCountInString(text[part.Start:part.End]) > mostChars; {
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

// joinChars joins parts, each short enough, into pieces as long as may be, which overlap by whole parts.
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
		if ends[i]-starts[first] <= mostChars {
			continue
		}
		pieces = append(pieces, passage.Span{Start: parts[first].Start, End: parts[i-1].End})
		for first < i && (ends[i-1]-starts[first] > overlapChars || ends[i]-starts[first] > mostChars) {
			first++
		}
	}
	return append(pieces, passage.Span{Start: parts[first].Start, End: parts[len(parts)-1].End})
}

// cutChars cuts a stretch without separators.
func cutChars(text string, s passage.Span) []passage.Span {
	var pieces []passage.Span
	for {
		end := s.Start + runes(text[s.Start:s.End], mostChars)
		pieces = append(pieces, passage.Span{Start: s.Start, End: end})
		if end == s.End {
			return pieces
		}
		s.Start += runes(text[s.Start:s.End], mostChars-overlapChars)
	}
}

// runes is the length in bytes of the first n characters of a text, or of all of it.
func runes(text string, n int) int {
	for i := range text {
		if n == 0 {
			return i
		}
		n--
	}
	return len(text)
}
