package ingest

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"lacuna/knowledge/passage"
)

var (
	hiddenBlock     = regexp.MustCompile(`(?i)^\s*<(?:script|style|template)\b`)
	hiddenAttribute = regexp.MustCompile(`(?i)\shidden\b|display\s*:\s*none|visibility\s*:\s*hidden|font-size\s*:\s*0`)
	hiddenOpening   = regexp.MustCompile(`(?i)<!--|<(?:script|style|template)\b`)
)

// countInvisible counts characters that change the meaning of a text without being seen: zero-width
// spaces, direction controls, tag characters, and joiners between Latin letters, where nothing is
// joined.
func countInvisible(body string) int {
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

// Lacuna's own marks in notes, as package note writes and reads them.
var (
	selfMarkdown = regexp.MustCompile(`(?s)<!--\s*lacuna:answer\s.*?<!--\s*lacuna:end\s*-->|<!--\s*lacuna:\s*off\s*-->.*?(?:<!--\s*lacuna:\s*on\s*-->|\z)`)
	selfPlain    = regexp.MustCompile(`(?ms)^--- lacuna answer [^\n]*$.*?^--- end of lacuna answer ---$|` +
		`^[^\n]*\blacuna:answer\s.*?\blacuna:end\b[^\n]*$|^[^\n]*\blacuna:\s*off\b[^\n]*$.*?(?:\blacuna:\s*on\b[^\n]*$|\z)`)
	selfAnswer = regexp.MustCompile(`lacuna:answer|lacuna answer`)
)

// selfAnswers returns, in order, the stretches that must not become evidence: answers that Lacuna
// wrote, which it would otherwise quote as a source, and text that the author told it to leave alone.
func selfAnswers(body string, format passage.Format) []passage.Span {
	if !strings.Contains(body, "lacuna") {
		return nil // most documents; the patterns below cost more than all else
	}
	pattern := selfPlain
	if format == passage.Markdown {
		pattern = selfMarkdown
	}
	var spans []passage.Span
	for _, at := range pattern.FindAllStringIndex(body, -1) {
		spans = append(spans, passage.Span{Start: at[0], End: at[1]})
	}
	return spans
}

// apart reports whether the text between two sentences keeps them in separate passages. Hidden text
// must not be quoted along, and invalid bytes cannot be.
func apart(between string) bool {
	return hiddenOpening.MatchString(between) || selfAnswer.MatchString(between) || !utf8.ValidString(between)
}
