package ingest

import (
	"regexp"
	"unicode"
	"unicode/utf8"

	"lacuna/knowledge/passage"
)

var (
	hiddenBlock   = regexp.MustCompile(`(?i)^\s*<(?:script|style|template)\b`)
	hiddenElement = regexp.MustCompile(`(?i)<[a-z][^<>]{0,300}(?:\shidden\b|display\s*:\s*none|visibility\s*:\s*hidden|font-size\s*:\s*0)`)
	hiddenOpening = regexp.MustCompile(`(?i)<!--|<(?:script|style|template)\b`)
	ownComment    = regexp.MustCompile(`^<!--\s*/?lacuna\b`)
)

// countHidden counts the comments and elements of a Markdown document that its reader does not
// see, outside code. Lacuna's own marks do not count.
func countHidden(body string, code []passage.Span) int {
	count := 0
	for _, pattern := range []*regexp.Regexp{hiddenOpening, hiddenElement} {
		for _, at := range pattern.FindAllStringIndex(body, -1) {
			span := passage.Span{Start: at[0], End: at[1]}
			if !overlaps(code, span) && !ownComment.MatchString(body[at[0]:]) {
				count++
			}
		}
	}
	return count
}

// hiddenRunes counts characters that change what is read without being seen: zero-width spaces,
// direction controls, tag characters, and joiners between Latin letters, where nothing is joined.
func hiddenRunes(body string) int {
	count := 0
	before := rune(0)
	for i, r := range body {
		switch {
		case r < 0x180E:
		case r == 0x180E, r == 0x200B, r == 0x2060, r == 0xFEFF,
			0x202A <= r && r <= 0x202E, 0x2066 <= r && r <= 0x2069,
			0xE0000 <= r && r <= 0xE007F:
			count++
		case r == 0x200C, r == 0x200D:
			after, _ := utf8.DecodeRuneInString(body[i+utf8.RuneLen(r):])
			if unicode.Is(unicode.Latin, before) && unicode.Is(unicode.Latin, after) {
				count++
			}
		}
		before = r
	}
	return count
}
