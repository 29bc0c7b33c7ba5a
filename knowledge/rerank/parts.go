package rerank

import (
	"strings"
	"unicode"

	"lacuna/knowledge/passage"
)

// partLength is the number of letters of the parts that words are compared by; of Chinese it is one character.
const partLength = 4

// parts returns the distinct parts of the words of a text, each a few letters long; a shorter word is one part.
func parts(text string) []string {
	var list []string
	seen := make(map[string]bool)
	add := func(part string) {
		if !seen[part] {
			seen[part] = true
			list = append(list, part)
		}
	}
	for _, word := range strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !passage.IsWordRune(r) }) {
		runes := []rune(word)
		size := partLength
		if unicode.Is(unicode.Han, runes[0]) {
			size = 1
		}
		if len(runes) <= size {
			add(word)
			continue
		}
		for i := range len(runes) - size + 1 {
			add(string(runes[i : i+size]))
		}
	}
	return list
}
