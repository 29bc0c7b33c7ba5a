package markup

import (
	"regexp"
	"strings"

	"lacuna/knowledge/passage"
)

var (
	hiddenStart   = regexp.MustCompile(`<[A-Za-z]`)
	hiddenOpening = regexp.MustCompile(`(?i)<!--|<(?:script|style|template)\b`)
	selfComment   = regexp.MustCompile(`^<!--\s*/?lacuna\b`)
)

// longestTag limits how much of a tag is inspected, in bytes.
const longestTag = 300

// countHiddenMarkup counts the comments and hidden elements of a Markdown document, outside code.
// Lacuna's own marks do not count.
func countHiddenMarkup(body string, code []passage.Span) int {
	count := 0
	seen := func(from int) bool {
		return overlaps(code, passage.Span{Start: from, End: from + 1}) || selfComment.MatchString(body[from:])
	}
	for _, at := range hiddenOpening.FindAllStringIndex(body, -1) {
		if !seen(at[0]) {
			count++
		}
	}
	for _, at := range hiddenStart.FindAllStringIndex(body, -1) {
		tag := body[at[1]:min(len(body), at[1]+longestTag)]
		if end := strings.IndexAny(tag, "<>"); end >= 0 {
			tag = tag[:end]
		}
		if hiddenInside.MatchString(tag) && !seen(at[0]) {
			count++
		}
	}
	return count
}

// islands are the pairs of marks that enclose comments in running text.
var islands = []struct{ open, end string }{
	{"<!--", "-->"}, {"%%", "%%"}, {"{/*", "*/}"}, {"{% comment %}", "{% endcomment %}"}, {"<script", "</script>"}, {"<style", "</style>"},
}

// hiddenSpans returns the comments and scripts in the text of a paragraph, in order. An opening without
// its end hides nothing. Code in backticks is text.
func hiddenSpans(text string) []passage.Span {
	if !strings.ContainsAny(text, "<%{") {
		return nil
	}
	var spans []passage.Span
	missing := ends{}
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '`':
			run := len(text[i:]) - len(strings.TrimLeft(text[i:], "`"))
			if end := missing.behind(text, i+run, text[i:i+run]); end < len(text) || strings.HasSuffix(text, text[i:i+run]) && end > i+run {
				i = end - 1
			} else {
				i += run - 1
			}
		case '<', '%', '{':
			for _, island := range islands {
				if !strings.HasPrefix(text[i:], island.open) || island.open == "%%" && !opensComment(text, i) {
					continue
				}
				end := missing.behind(text, i+len(island.open), island.end)
				if end == len(text) && !strings.HasSuffix(text, island.end) || end < i+len(island.open)+len(island.end) {
					continue
				}
				spans = append(spans, passage.Span{Start: i, End: end})
				i = end - 1
				break
			}
		}
	}
	return spans
}

// opensComment reports whether the two percent signs at an offset begin a word, and so a comment of
// Obsidian's.
func opensComment(text string, at int) bool {
	return (at == 0 || strings.IndexByte(" \t\n(", text[at-1]) >= 0) && (at+2 >= len(text) || text[at+2] != '%')
}
