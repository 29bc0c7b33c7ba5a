package sense

import (
	_ "embed"
	"slices"
	"strings"
)

//go:embed classes.txt
var classesText string

// classes has the classes of words that tell how a sentence is meant; a line of classes.txt is a class, a tab, words.
var classes = readClasses(classesText)

func readClasses(text string) map[string][]string {
	read := make(map[string][]string)
	for line := range strings.Lines(text) {
		class, words, _ := strings.Cut(strings.TrimSpace(line), "\t")
		for _, word := range strings.Fields(words) {
			if !slices.Contains(read[word], class) {
				read[word] = append(read[word], class)
			}
		}
	}
	return read
}
