package ingest

import (
	"regexp"
	"slices"
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
	selfAnswer = regexp.MustCompile(`lacuna:answer|lacuna answer|\blacuna [0-9a-f]{8}\b`)
	// A lean answer begins with selfLean and has no last line. selfHead begins its paragraphs before the statements,
	// selfPart those behind, and selfItem the statements. selfWrapped begins a paragraph before the statements that an
	// editor wrapped.
	selfLean = regexp.MustCompile(`(?m)^[ \t>]*(?:<!--|\(|#|%|\.\.|//) ?lacuna [0-9a-f]{8}(?:-\d+)?(?: [0-9a-f]{4})*(?: taken)?(?: -->|\))?[ \t\r]*$`)
	selfHead = regexp.MustCompile(`^(?:\*\*.*\*\*|\*.*\*|\\textbf\{.*\}|Note: .*|Perhaps here:|.*Nearest places:|Not answered.*)$`)
	selfPart = regexp.MustCompile("^(?:Missing knowledge: .*|//-|\\d+\\. .*(?:\\]\\(.*\\)|\\]\\]|`__|\\]|\\(.*\\))(?:: .*)?)$")
	selfItem = regexp.MustCompile(`^(?:[-+*] |\d+\. "|\\item\b|\\begin\{itemize\}$|".*" [\[(])`)

	selfWrapped = regexp.MustCompile(`^(?:\*\*|\*[^ *]|\\textbf\{|Note: |Not answered|Nothing on )`)
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
	for _, at := range selfLean.FindAllStringIndex(body, -1) {
		spans = append(spans, passage.Span{Start: at[0], End: endOfLean(body, at[1])})
	}
	slices.SortFunc(spans, func(a, b passage.Span) int { return a.Start - b.Start })
	return slices.CompactFunc(spans, func(next, before passage.Span) bool { return next.Start < before.End })
}

// endOfLean returns the end of the lean answer whose hidden line ends at an offset. A list right below it belongs to
// it as a whole: of a line that somebody changed there, nobody can tell who wrote it.
func endOfLean(body string, hidden int) int {
	end, inList, seenList, inHead := hidden, false, false, false
	for at := hidden; at < len(body); {
		next := strings.IndexByte(body[at:], '\n') + 1
		if next == 0 {
			next = len(body) - at
		}
		line := strings.Trim(body[at:at+next], " \t\r\n>")
		at += next
		isHead := selfHead.MatchString(line)
		switch {
		case line == "":
			inList, inHead = false, false
			continue
		case selfLean.MatchString(body[at-next : at]):
			return end
		case inHead:
			isHead = true
		case !inList && !seenList && selfWrapped.MatchString(line):
			inHead, isHead = true, true
		case inList, selfPart.MatchString(line), isHead && (!seenList || strings.HasSuffix(line, "Nearest places:")):
		case selfItem.MatchString(line) && !seenList, at-next == hidden+1:
			inList = true
		default:
			return end
		}
		seenList = (seenList || inList) && !isHead
		end = at - next + len(strings.TrimRight(body[at-next:at], "\r\n"))
	}
	return end
}

// apart reports whether the text between two sentences keeps them in separate passages. Hidden text
// must not be quoted along, and invalid bytes cannot be.
func apart(between string) bool {
	return hiddenOpening.MatchString(between) || selfAnswer.MatchString(between) || !utf8.ValidString(between)
}
