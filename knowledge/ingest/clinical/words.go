package clinical

import (
	"slices"
	"strings"
	"unicode"

	"lacuna/knowledge/plaintext"
)

// foldedWords returns the words of a text for comparison.
func foldedWords(text string) []string {
	return strings.FieldsFunc(plaintext.Fold(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

// maxTitleWords is the length from which the title of a label is a notice about its highlights.
const maxTitleWords = 16

// containsWords reports whether all words of a part are among those of a text, whatever their case.
func containsWords(text, part string) bool {
	have := map[string]bool{}
	for _, word := range foldedWords(text) {
		have[word] = true
	}
	for _, word := range foldedWords(part) {
		if !have[word] {
			return false
		}
	}
	return true
}

// titleOfRecord adds the names of patients to the title of a record.
func titleOfRecord(title string, names []string) string {
	who := strings.Join(names, ", ")
	switch {
	case who == "" || strings.Contains(strings.ToLower(title), strings.ToLower(who)):
		return title
	case title == "":
		return who
	}
	return title + ": " + who
}

// appendNew appends names that are not in the list yet, whatever their case.
func appendNew(list []string, names ...string) []string {
	for _, name := range names {
		if !slices.ContainsFunc(list, func(known string) bool { return strings.EqualFold(known, name) }) {
			list = append(list, name)
		}
	}
	return list
}

// wordSet holds the words that have been written.
type wordSet map[string]bool

func newWordSet(text string) wordSet {
	s := wordSet{}
	s.add(text)
	return s
}

func (s wordSet) add(text string) {
	for _, word := range foldedWords(text) {
		s[word] = true
	}
}

// has reports whether all words of a text have been written.
func (s wordSet) has(text string) bool {
	for _, word := range foldedWords(text) {
		if !s[word] {
			return false
		}
	}
	return true
}

// short returns a name for a message.
func short(name string) string {
	const longest = 40
	if len(name) > longest {
		return strings.ToValidUTF8(name[:longest], "") + "…"
	}
	return name
}

// dateOf writes a date of HL7 version 3, such as 20120806120000-0500, as 2012-08-06.
func dateOf(value string) string {
	digits := value
	if i := strings.IndexFunc(value, func(r rune) bool { return r < '0' || r > '9' }); i >= 0 {
		digits = value[:i]
	}
	switch {
	case len(digits) >= 8:
		return digits[:4] + "-" + digits[4:6] + "-" + digits[6:8]
	case len(digits) >= 6:
		return digits[:4] + "-" + digits[4:6]
	case len(digits) == 4:
		return digits
	}
	return ""
}
