package note

import (
	"regexp"
	"strings"

	"lacuna/knowledge/passage"
	"lacuna/knowledge/plaintext"
)

// Link leads from a note's own text, outside of answers, to a file.
type Link struct {
	Path string // as written: relative to the note's folder, or absolute
	// Label is set instead of Path for the name of a place in brackets, as completion writes it in
	// languages other than Markdown. It is without the line or page.
	Label string
	Wiki  bool // Path is the name of a page in double brackets

	span   passage.Span // to replace when the file is renamed
	suffix string       // what follows the path in it, such as "#L7"
}

// Links to files differ between languages. The group path is the file, and the group behind is the rest
// of the link.
var (
	markdownLink = regexp.MustCompile(`\]\(\s*(?:<(?P<path>[^<>#]*)(?P<behind>#[^<>]*)?>|(?P<path>[^()<>#\s]+)(?P<behind>#[^()<>\s]*)?)(?:\s+(?:"[^"]*"|'[^']*'))?\s*\)` +
		`|^ {0,3}\[[^\]]+\]:[ \t]*(?:<(?P<path>[^<>#]*)(?P<behind>#[^<>]*)?>|(?P<path>[^<>#\s]+)(?P<behind>#\S*)?)`)
	fileLinks = map[Language]*regexp.Regexp{
		Org:      regexp.MustCompile(`\[\[(?:file:)?(?P<path>[^\[\]:]+)(?P<behind>::[^\[\]]*)?\](?:\[[^\[\]]*\])?\]`),
		RST:      regexp.MustCompile("`[^`<]*<(?P<path>[^<>`#]+)(?P<behind>#[^<>`]*)?>`_"),
		AsciiDoc: regexp.MustCompile(`\b(?:link|xref):(?P<path>[^\[\s#]+)(?P<behind>#[^\[\s]*)?\[`),
		Typst:    regexp.MustCompile(`#link\("(?P<path>[^"#]+)(?P<behind>#[^"]*)?"\)`),
		Latex:    regexp.MustCompile(`\\href\{(?P<path>[^{}#\\]+)(?P<behind>\\?#[^{}]*)?\}`),
		Markdown: markdownLink,
	}
	wikiLink   = regexp.MustCompile(`!?\[\[([^\[\]|#\n]+)(?:#([^\[\]|\n]*))?(?:\|([^\[\]\n]*))?\]\]`)
	placeLabel = regexp.MustCompile(`\[(?P<label>[^\[\]\n]*?/[^\[\]\n]*?)(?P<behind>:\d{1,9}|, p\. \d{1,9})?\]`)
	urlScheme  = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9+.-]+:`) // an address with a scheme; a drive has one letter
	fence      = regexp.MustCompile("^ {0,3}(?:`{3,}|~{3,})")
)

// Links returns the links of a note to files, in order, without links in answers, in Markdown code and to
// URLs.
func (n *Note) Links() []Link {
	var links []Link
	code := ""
	for i := range n.Lines.Count() {
		start, end := n.Lines.Span(i)
		line := n.Text[start:end]
		if n.Language == Markdown && inCode(line, &code) || n.inAnswer(start) {
			continue
		}
		links = append(links, n.linksOf(line, start)...)
	}
	return links
}

// LinkHabit counts the links of the note's own text to files: in double brackets, as in wikis, and of Markdown.
func (n *Note) LinkHabit() (wiki, markdown int) {
	for _, l := range n.Links() {
		switch {
		case l.Wiki:
			wiki++
		case l.Label == "":
			markdown++
		}
	}
	return wiki, markdown
}

// inCode reports whether a line belongs to a block of code between fences; code is the fence of the
// block that is open.
func inCode(line string, code *string) bool {
	mark := strings.TrimSpace(fence.FindString(line))
	switch {
	case *code != "" && strings.HasPrefix(mark, *code):
		*code = ""
		return true
	case *code == "" && mark != "":
		*code = mark
	}
	return *code != ""
}

func (n *Note) inAnswer(offset int) bool {
	for _, a := range n.Answers {
		if a.Span.Start <= offset && offset < a.Span.End {
			return true
		}
	}
	return false
}

func (n *Note) linksOf(line string, start int) []Link {
	var links []Link
	if pattern := fileLinks[n.Language]; pattern != nil {
		for _, at := range pattern.FindAllStringSubmatchIndex(line, -1) {
			path, behind := submatch(pattern, "path", at), submatch(pattern, "behind", at)
			written := line[path.Start:path.End]
			if urlScheme.MatchString(written) || strings.Count(line[:at[0]], "`")%2 == 1 {
				continue
			}
			link := Link{Path: unescapePath(n.markup.unescape(written)), span: path, suffix: line[behind.Start:behind.End]}
			link.span.End = max(path.End, behind.End)
			if n.Language == Markdown && path.Start > 0 && line[path.Start-1] == '<' {
				link.span.Start, link.span.End = link.span.Start-1, link.span.End+1
			}
			links = append(links, link.moveBy(start))
		}
	}
	if n.Language == Markdown {
		for _, at := range wikiLink.FindAllStringSubmatchIndex(line, -1) {
			if strings.Count(line[:at[0]], "`")%2 == 0 {
				link := Link{Path: strings.TrimSpace(line[at[2]:at[3]]), Wiki: true, span: passage.Span{Start: at[2], End: at[3]}}
				links = append(links, link.moveBy(start))
			}
		}
		return links
	}
	for _, at := range placeLabel.FindAllStringSubmatchIndex(line, -1) {
		label, behind := submatch(placeLabel, "label", at), submatch(placeLabel, "behind", at)
		link := Link{Label: n.markup.unescape(line[label.Start:label.End]), span: label, suffix: line[behind.Start:behind.End]}
		link.span.End = max(label.End, behind.End)
		links = append(links, link.moveBy(start))
	}
	return links
}

// submatch returns the span that a named group matched, or the zero span.
func submatch(pattern *regexp.Regexp, name string, at []int) passage.Span {
	for i, group := range pattern.SubexpNames() {
		if group == name && at[2*i] >= 0 {
			return passage.Span{Start: at[2*i], End: at[2*i+1]}
		}
	}
	return passage.Span{}
}

// moveBy returns the link with its span moved to the right by start bytes.
func (l Link) moveBy(start int) Link {
	l.span.Start, l.span.End = l.span.Start+start, l.span.End+start
	return l
}

// special lists the characters that must be escaped in the path of a link.
var special = map[Language]string{
	Markdown: "<>[]\\%#?&:`{}$@^", Org: `[]\%#<>:`, RST: " <>`\\%#?", AsciiDoc: " []`\\%#?+<>", Typst: `"\%#`, Latex: `{}\%#&$^~"`,
}

// Redirect returns the edit that changes the path, or the label, of a link and keeps what follows it.
func (n *Note) Redirect(l Link, to string) Edit {
	switch {
	case l.Wiki:
		return Edit{Span: l.span, NewText: to}
	case l.Label != "":
		to = n.markup.escape(plaintext.OneLine(to))
	default:
		to = escapePath(to, special[n.Language])
	}
	to += l.suffix
	if n.Language == Markdown {
		to = angleBracketed(to)
	}
	return Edit{Span: l.span, NewText: to}
}
