package sanitise

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// What Markdown with GitHub's extensions could take for markup. Some editors show backslashes, so none
// are added where nothing can go wrong: "< 30", "Dose: 5 mg".
var (
	activeAnywhere = regexp.MustCompile("[\\\\`*_~\\[\\]|]|<[A-Za-z/!?]|&#?[0-9A-Za-z]{1,32};|://")
	activeAddress  = regexp.MustCompile(`(?i)\b(?:www\.|(?:mailto|xmpp):)|[0-9a-z.!#$%&'*+/=?^{}~-]@`)
	activeAtStart  = regexp.MustCompile(`^(?:#{1,6}(?:\s|$)|>|[-+](?:\s|$)|=+\s*$|-[-\s]*$|\d{1,9}[.)](?:\s|$))`)
)

// Markdown returns one line of Markdown that shows a text as it is. It also keeps a bare address from
// becoming a link, because a click in a hover must never lead outside the user's files.
func Markdown(line string) string {
	line = activeAnywhere.ReplaceAllString(Redact(Visible(line)), `\$0`)
	line = activeAddress.ReplaceAllStringFunc(line, func(address string) string {
		last := len(address) - 1
		return address[:last] + `\` + address[last:]
	})
	marker := strings.TrimRight(activeAtStart.FindString(line), " \t")
	if marker == "" {
		return line
	}
	return marker[:len(marker)-1] + `\` + line[len(marker)-1:]
}

// In a note, what could begin HTML, an image or a link gets a backslash, which Markdown does not show.
//
// Much else runs what stands in Markdown without reading it as Markdown: knitr and Quarto look for
// `r …` and `{python} …` in the text as it is written, Quarto and Jekyll for {{ … }} and {% … %},
// Templater for <% … %>, and a backslash before it stops none of them. Pandoc keeps \input{…} as TeX and
// `…`{=html} as HTML, and MDX runs what stands in braces. So these characters are written as numbers,
// which all of them show and none looks through.
var (
	activeTag   = regexp.MustCompile(`(<)[A-Za-z/!?]`)
	activeLink  = regexp.MustCompile(`!(\[)|\](\()`)
	escapedTag  = regexp.MustCompile(`\\*(\\<)[A-Za-z/!?]`)
	escapedLink = regexp.MustCompile(`!\\*(\\\[)|\]\\*(\\\()`)
)

const numbers = `#(?:36|37|60|64|91|92|94|96|123);`

var (
	numericEscape = regexp.MustCompile(`&` + numbers)
	escapeLike    = regexp.MustCompile(`&((?:amp;)*` + numbers + `)`)
	escapedEscape = regexp.MustCompile(`&amp;((?:amp;)*` + numbers + `)`)
)

// NoteMarkdown escapes a line for a note, so that every renderer of Markdown shows it as it is and runs
// nothing in it. [ReadNoteMarkdown] is its exact inverse.
func NoteMarkdown(line string) string {
	if !strings.ContainsAny(line, "&`{[(%<$@^\\") {
		return line
	}
	line = escapeLike.ReplaceAllString(line, "&amp;$1")
	code := plainCode(line)
	dollars := strings.Count(line, "$") > 1
	var b strings.Builder
	for i := 0; i < len(line); i++ {
		if active(line, i, dollars) && (line[i] != '`' || !code[i]) {
			fmt.Fprintf(&b, "&#%d;", line[i])
		} else {
			b.WriteByte(line[i])
		}
	}
	return InsertBackslash(activeLink, InsertBackslash(activeTag, b.String()))
}

// active reports whether the byte at i could begin something that is run, included or hidden.
func active(line string, i int, dollars bool) bool {
	next := byte(0)
	if i+1 < len(line) {
		next = line[i+1]
	}
	switch line[i] {
	case '`', '{':
		return true
	case '^':
		return next == '[' || i == 0 // a footnote, also where the text is the label of a link
	case '$':
		return dollars || next < '0' || next > '9' // a price is no mathematics
	case '[':
		return next == '[' || next == '^' // a link of a wiki, a footnote
	case '%':
		return next == '%' // a comment of Obsidian
	case '<':
		return next == '%'
	case '@': // a citation of pandoc; not the middle of an address
		before, _ := utf8.DecodeLastRuneInString(line[:i])
		return !unicode.IsLetter(before) && !unicode.IsDigit(before) && !strings.ContainsRune("._%+-", before) &&
			(isWord(next) || next == '{' || next >= utf8.RuneSelf)
	case '\\': // a command of TeX, mathematics, or one that would undo a backslash of ours
		behind := strings.TrimLeft(line[i:], `\`)
		return behind != "" && (isWord(behind[0]) || behind[0] >= utf8.RuneSelf || strings.IndexByte("<[()!]", behind[0]) >= 0)
	}
	return false
}

// codeSpan matches a harmless code span, such as `max_connections`: it begins with a letter or digit, and
// holds nothing that would need escaping.
var (
	codeSpan = regexp.MustCompile("`[\\pL\\pN_./:+*-][\\pL\\pN_ ./:,;+*()='\"|#?!-]*`")
	engine   = regexp.MustCompile("(?i)^`(?:r|py|python|julia|ojs|js|javascript|sql|bash|sh|zsh|perl|ruby|node|dot|mermaid|dv|dataview)(?:[^\\pL\\pN_]|$)")
)

// plainCode returns the places of backticks that may stay.
func plainCode(line string) map[int]bool {
	stay := make(map[int]bool)
	for _, at := range codeSpan.FindAllStringIndex(line, -1) {
		// What stands behind it must not make a beginning of its end.
		apart := (at[0] == 0 || line[at[0]-1] != '`') && (at[1] == len(line) || strings.IndexByte(" .,;:)!?'\"", line[at[1]]) >= 0)
		if apart && (!engine.MatchString(line[at[0]:at[1]]) || at[1]-at[0] > 2 && !strings.ContainsAny(line[at[0]+1:at[1]-1], " #:=")) {
			stay[at[0]], stay[at[1]-1] = true, true
		}
	}
	return stay
}

// ReadNoteMarkdown is the inverse of [NoteMarkdown].
func ReadNoteMarkdown(line string) string {
	line = RemoveBackslash(escapedTag, RemoveBackslash(escapedLink, line))
	if !strings.Contains(line, "&") {
		return line
	}
	line = numericEscape.ReplaceAllStringFunc(line, func(number string) string {
		var c byte
		_, _ = fmt.Sscanf(number, "&#%d;", &c) // the pattern has made sure of it
		return string(rune(c))
	})
	return escapedEscape.ReplaceAllString(line, "&$1")
}

// InsertBackslash inserts a backslash before what the pattern's group matches.
func InsertBackslash(pattern *regexp.Regexp, s string) string {
	var out strings.Builder
	last := 0
	for _, at := range pattern.FindAllStringSubmatchIndex(s, -1) {
		group := GroupStart(at)
		out.WriteString(s[last:group])
		out.WriteByte('\\')
		last = group
	}
	return out.String() + s[last:]
}

// RemoveBackslash removes the backslash at the beginning of the pattern's group.
func RemoveBackslash(pattern *regexp.Regexp, s string) string {
	var out strings.Builder
	last := 0
	for _, at := range pattern.FindAllStringSubmatchIndex(s, -1) {
		group := GroupStart(at)
		out.WriteString(s[last:group])
		last = group + 1
	}
	return out.String() + s[last:]
}

// GroupStart returns the start of the group that took part in a match of
// [regexp.Regexp.FindStringSubmatchIndex].
func GroupStart(at []int) int {
	start := -1
	for i := 2; i < len(at); i += 2 {
		start = max(start, at[i])
	}
	return start
}
