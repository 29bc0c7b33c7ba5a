package markup

import (
	"html"
	"regexp"
	"strings"

	"lacuna/knowledge/plaintext"
)

var (
	headingAnchor    = regexp.MustCompile(`[ \t]*\{[:#.][^{}]*\}[ \t]*#*[ \t]*$`)
	headingLink      = regexp.MustCompile(`!?\[([^\[\]]*)\](?:\([^()\s]*(?:[ \t]+"[^"]*")?\)|\[[^\[\]]*\])`)
	wikiLink         = regexp.MustCompile(`!?\[\[(?:[^\[\]|]*\|)?([^\[\]|]*)\]\]`)
	headingMarkup    = regexp.MustCompile("<[^<>]*>|[*`]+|\\\\([!-/:-@\\[-`{-~])")
	headingUnderline = regexp.MustCompile(`(^|[^\pL\d])_+([^_]+)_+($|[^\pL\d])`)
	headingEmoji     = regexp.MustCompile(`:(?:material|octicons|fontawesome|simple|lucide)-[\w-]+:(?:\{[^{}]*\})?`)
	headingBlock     = regexp.MustCompile(`[ \t]+\^[\w-]+$`)
)

// headingText returns a heading as it reads, on one line.
func headingText(written string) string {
	written = headingAnchor.ReplaceAllString(strings.TrimSpace(written), "")
	written = wikiLink.ReplaceAllString(written, "$1")
	written = headingLink.ReplaceAllString(written, "$1")
	written = headingEmoji.ReplaceAllString(written, "")
	written = headingBlock.ReplaceAllString(written, "")
	written = headingUnderline.ReplaceAllString(written, "$1$2$3")
	return plaintext.OneLine(html.UnescapeString(headingMarkup.ReplaceAllString(written, "$1")))
}
