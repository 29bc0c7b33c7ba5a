package handlers

import (
	"html"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxSentence is the length in characters at which a model's sentence is cut, and maxWords that in
// bytes of what is looked at: what is left out may be longer than what stays.
const (
	maxSentence = 1500
	maxWords    = 4 * maxSentence
)

var (
	linkWords  = regexp.MustCompile(`!?\[([^\[\]]*)\](?:\((?:[^()]|\([^()]*\))*\)|\[[^\[\]]*\])`)
	definition = regexp.MustCompile(`^\[[^\[\]]*\]:\s*`)
	address    = regexp.MustCompile(`(?i)<?(?:\b[a-z][a-z0-9+.-]*://|\bwww\.|\b(?:command|file|data|vscode|vscode-insiders|javascript|vbscript|mailto|tel|xmpp|about|blob):)[^\s<>"'\x60]+>?|[a-z0-9._%+-]+@[a-z0-9-]+(?:\.[a-z0-9-]+)+`)
	wholeTag   = regexp.MustCompile(`<[A-Za-z/!?%|][^<>]*>`)
	halfTag    = regexp.MustCompile(`<([A-Za-z/!?%|])`)
	markLike   = regexp.MustCompile(`\s*(?:\[\d{1,6}(?:\s*[,;–-]\s*\d{1,6})*\]|【\d[^【】]{0,30}】)`)
	escaped    = regexp.MustCompile("\\\\([!-/:-@\\[-`{-~])")
)

// harmless is what a model wrote, on one line, as far as it can do nothing but be read: without
// images, links and their definitions, HTML, code, and what looks like a citation, which only Lacuna
// writes. Addresses are left out unless exactly the same stands in one of the quotes. What is left
// still has to be escaped for the place where it is shown.
//
// Package answer has reduced most of it to plain text already. It is looked at again here because this
// is the last place before an editor, which undoes entities and escapes and makes links of schemes that
// no other reader knows, and because not all that is shown has come that way: errors of endpoints, the
// reasons of a gate and remembered gaps have not.
func harmless(text string, quotes []string) string {
	text = text[:min(len(text), maxWords)]
	if onlyWords(text) {
		return shorten(oneLine(text), maxSentence)
	}
	text = oneLine(visible(text))
	text = settled(text, html.UnescapeString)
	text = settled(text, func(s string) string { return escaped.ReplaceAllString(s, "$1") })
	text = settled(text, func(s string) string { return linkWords.ReplaceAllString(s, "$1") })
	text = settled(text, func(s string) string { return markLike.ReplaceAllString(s, "") })
	text = withoutAddresses(text, quotes)
	text = settled(text, func(s string) string { return wholeTag.ReplaceAllString(s, " ") })
	text = halfTag.ReplaceAllString(text, "< $1")
	text = strings.ReplaceAll(text, "`", "'")
	text = settled(text, func(s string) string { return definition.ReplaceAllString(s, "") })
	return shorten(oneLine(visible(text)), maxSentence)
}

// onlyWords reports whether a text is words and the usual marks between them. Most are, and every
// diagnostic asks.
func onlyWords(text string) bool {
	for _, r := range text {
		switch {
		case unicode.IsLetter(r), unicode.IsDigit(r), unicode.IsMark(r), r == ' ', strings.ContainsRune(",.;?!'\"()%+-–—’‘“”…，。？！；、（）", r):
		default:
			return false
		}
	}
	return utf8.ValidString(text) && !strings.Contains(strings.ToLower(text), "www.")
}

// settled repeats a change that only shortens until it changes nothing, so that nothing appears by
// taking away what stood around it.
func settled(text string, change func(string) string) string {
	for {
		next := change(text)
		if next == text {
			return text
		}
		text = next
	}
}

// withoutAddresses says where an address was left out, which is better than to hide it.
func withoutAddresses(text string, quotes []string) string {
	var quoted []string
	for _, q := range quotes {
		for _, found := range address.FindAllString(q, -1) {
			quoted = append(quoted, bare(found))
		}
	}
	return address.ReplaceAllStringFunc(text, func(found string) string {
		if slices.Contains(quoted, bare(found)) {
			return found
		}
		return textLinkLeftOut + found[len(strings.TrimRight(found, ".,;:!?")):]
	})
}

// bare is an address without what a sentence puts around it.
func bare(address string) string { return strings.Trim(address, "<>().,;:!?") }
