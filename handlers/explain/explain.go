// Package explain holds a page about each mark that Lacuna shows: what it means, why it appears, what to do
// about it, and how to silence it.
package explain

import (
	"embed"
	"path"
	"strings"
)

//go:embed *.md
var pages embed.FS

// Codes returns the codes that have a page, sorted.
func Codes() []string {
	entries, err := pages.ReadDir(".")
	if err != nil {
		panic(err) // the folder is embedded
	}
	codes := make([]string, len(entries))
	for i, entry := range entries {
		codes[i] = strings.TrimSuffix(entry.Name(), path.Ext(entry.Name()))
	}
	return codes
}

// Page returns the page about a code, as Markdown without links; ok is false if there is none.
func Page(code string) (markdown string, ok bool) {
	text, err := pages.ReadFile(code + ".md")
	return string(text), err == nil
}

// Summary returns the first sentence of the page about a code.
func Summary(code string) string {
	page, _ := Page(code)
	_, rest, _ := strings.Cut(page, "\n\n")
	paragraph, _, _ := strings.Cut(rest, "\n\n")
	sentence, _, _ := strings.Cut(strings.Join(strings.Fields(paragraph), " "), ". ")
	return strings.TrimRight(sentence, ".:")
}
