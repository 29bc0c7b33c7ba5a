package answer

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// What a text written by a model must not hold, because an editor or a renderer would fetch it, run
// it or follow it.
var (
	comment    = regexp.MustCompile(`(?s)<!--.*?(?:-->|$)`)
	htmlTag    = regexp.MustCompile(`(?s)</?[a-zA-Z][a-zA-Z0-9-]*(?:[\s/][^<>]*)?>|<[!?][^<>]*>|<[a-zA-Z][^\s<>]*[:@][^\s<>]*>`)
	openTag    = regexp.MustCompile(`<([a-zA-Z/!?])`)
	definition = regexp.MustCompile(`(?m)^[ \t>]*\[[^\]\n]*\]:[ \t]*\S.*$`)
	image      = regexp.MustCompile(`!\[[^\[\]]*\](?:\([^()]*(?:\([^()]*\)[^()]*)*\)|\[[^\[\]]*\])?`)
	link       = regexp.MustCompile(`\[([^\[\]]*)\](?:\([^()]*(?:\([^()]*\)[^()]*)*\)|\[[^\[\]]*\])`)
	address    = regexp.MustCompile(`(?i)\b[a-z][a-z0-9+.\-]*:/[^\s]*|\bwww\.[^\s]*|\b(?:javascript|vbscript|command|vscode[\w-]*|data|file|mailto):[^\s]+|[^\s@<>()\[\]]+@[^\s@]+`)
	harmful    = regexp.MustCompile(`(?i)^(?:javascript|vbscript|command|vscode[\w-]*|data|file):`)
	markup     = regexp.MustCompile("(?m)`+|\\*\\*+|__+|~~+|^[ \\t]*(?:#{1,6}[ \\t]+|(?:>[ \\t]?)+|(?:[-+*•][ \\t]+))")
)

// loose is what is left before the end of a sentence that lost its last word.
var loose = regexp.MustCompile(`(?:\s*\(\s*\)|\s)+([.,;](?:\s|$))`)

// joints keep apart what would be markup together, after everything that is has gone.
var joints = strings.NewReplacer("](", "] (", "![", "! [", "]:", "] :", "][", "] [")

// plainText reduces what a model wrote to text on one line: without HTML, images and the targets of
// links, without characters that nobody sees, and without addresses, but for those that one of the
// cited texts holds exactly. Plain text of plain text is the same.
//
// It comes before sentences are compared with sources, so that all who read a [Result], the command
// line as well, get words. Editors render more than that, and package handlers looks again at what it
// shows. What goes into a prompt is another matter, because nothing of it may be lost: package prompts
// breaks markup there instead of taking it off.
func plainText(text string, cited ...string) string {
	text = strings.Map(seen, strings.ToValidUTF8(text, ""))
	for range mostPasses {
		before := text
		if strings.ContainsAny(text, "<[]!:@`*_~#>-+•") || strings.Contains(strings.ToLower(text), "www.") {
			text = reduce(text, cited)
		}
		text = strings.Join(strings.Fields(text), " ")
		if text == before {
			return text
		}
	}
	// Nobody writes such a text by accident.
	return strings.Join(strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }), " ")
}

// mostPasses is how often markup may come to light below other markup.
const mostPasses = 8

// reduce takes off one layer of markup.
func reduce(text string, cited []string) string {
	text = comment.ReplaceAllString(text, " ")
	text = htmlTag.ReplaceAllString(text, "")
	text = openTag.ReplaceAllString(text, "< $1")
	text = definition.ReplaceAllString(text, " ")
	text = image.ReplaceAllString(text, "")
	text = link.ReplaceAllString(text, "$1")
	text = markup.ReplaceAllString(text, "")
	text = address.ReplaceAllStringFunc(text, func(found string) string {
		url := bareAddress(found)
		if !harmful.MatchString(url) && slices.ContainsFunc(cited, func(text string) bool { return holdsAddress(text, url) }) {
			return found
		}
		return found[len(url):]
	})
	return loose.ReplaceAllString(joints.Replace(text), "$1")
}

// holdsAddress reports whether a text holds an address whole, and not as the beginning of another.
func holdsAddress(text, url string) bool {
	for _, found := range address.FindAllString(text, -1) {
		if bareAddress(found) == url {
			return true
		}
	}
	return false
}

// bareAddress is an address without what ends the sentence around it.
func bareAddress(found string) string {
	const ends = `.,;:!?'"”’>]}。，；：！？）】」`
	url := strings.TrimRight(found, ends)
	if !strings.Contains(url, "(") {
		url = strings.TrimRight(url, ends+")")
	}
	return url
}

// seen drops what nobody sees: controls and formatting, such as changes of direction, joiners and
// tags, variation selectors, and private characters. Ends of lines stay, for [plainText] to look at.
func seen(r rune) rune {
	switch {
	case r == '\n', r == '\t':
		return r
	case r == '\r', r == '\u2028', r == '\u2029', r == '\u0085':
		return '\n'
	case unicode.In(r, unicode.Cc, unicode.Cf, unicode.Co, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point):
		return -1
	}
	return r
}
