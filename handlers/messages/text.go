package messages

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"lacuna/knowledge/passage"
	"lacuna/knowledge/plaintext"
	"lacuna/knowledge/sanitise"
)

// LinkRemoved stands where an address was.
const LinkRemoved = "⟨address left out⟩"

const (
	// MaxSentence is the length in characters at which a model's sentence is cut. maxWords is how many
	// bytes of it are looked at, because sanitising may remove more than it keeps.
	MaxSentence = 1500
	maxWords    = 4 * MaxSentence
)

// Sanitise returns the words of a model or an endpoint, cut at [MaxSentence], without anything that could
// act. It keeps an address only if one of the quotes has it. The caller must still escape the result for
// its place.
func Sanitise(text string, quotes []string) string {
	text = text[:min(len(text), maxWords)]
	return Shorten(sanitise.Words(text, quotes, LinkRemoved), MaxSentence)
}

// Breadcrumb returns the title and headings of a passage, or the question of a stored question.
func Breadcrumb(p *passage.Passage) string {
	if p.Kind == passage.QA {
		return "“" + plaintext.OneLine(p.Question) + "”"
	}
	return strings.Join(breadcrumbs(p), between)
}

// between stands between a title and its headings.
const between = " › "

// breadcrumbs returns the title and headings of a passage, without a heading that says the one above it again; its
// record if it has none.
func breadcrumbs(p *passage.Passage) []string {
	parts := make([]string, 0, len(p.Headings)+1)
	for _, part := range append([]string{title(p)}, p.Headings...) {
		part = strings.TrimRight(plaintext.OneLine(part), " :")
		if again := len(parts) > 0 && unnumbered(part) != "" && unnumbered(part) == unnumbered(parts[len(parts)-1]); part != "" && !again {
			parts = append(parts, part)
		}
	}
	if len(parts) == 0 {
		return []string{p.Record}
	}
	return parts
}

// unnumbered returns a heading without its number.
func unnumbered(heading string) string { return strings.TrimLeft(heading, "0123456789. ") }

// title returns the title of a passage. One that is only the name of its file is put into words.
func title(p *passage.Passage) string {
	file := filepath.Base(p.Place.File)
	if p.Title == strings.TrimSuffix(file, filepath.Ext(file)) && !strings.Contains(p.Title, " ") {
		return strings.ReplaceAll(p.Title, "_", " ")
	}
	return p.Title
}

func UpperFirst(s string) string {
	runes := []rune(s)
	if len(runes) > 0 {
		runes[0] = unicode.ToUpper(runes[0])
	}
	return string(runes)
}

// count returns a number with its noun.
func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

func lowerFirst(s string) string {
	first, size := utf8.DecodeRuneInString(s)
	second, _ := utf8.DecodeRuneInString(s[size:])
	if unicode.IsUpper(second) { // an abbreviation
		return s
	}
	return string(unicode.ToLower(first)) + s[size:]
}

// Shorten cuts a text at the end of a word, to at most maxChars characters.
func Shorten(s string, maxChars int) string {
	if utf8.RuneCountInString(s) <= maxChars {
		return s
	}
	cut := string([]rune(s)[:maxChars-1])
	if i := strings.LastIndexByte(cut, ' '); i > len(cut)/2 {
		cut = cut[:i]
	}
	return strings.TrimRight(cut, " ,;:") + "…"
}

// Sentences joins the sentences that are not empty.
func Sentences(all ...string) string {
	return strings.Join(slices.DeleteFunc(all, func(s string) bool { return s == "" }), " ")
}
