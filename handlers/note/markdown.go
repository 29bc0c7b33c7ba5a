package note

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"lacuna/knowledge/passage"
	"lacuna/knowledge/plaintext"
	"lacuna/knowledge/sanitise"
)

var markdown = markup{
	hidden:   "<!-- lacuna %s -->",
	cite:     markdownCite,
	link:     `\[(?P<label>(?:[^\[\]\\]|\\.)*)\]\((?:<(?P<path>[^<>#]*)` + fragmentForm + `>|(?P<path>[^<>()#]*)` + fragmentForm + `)\)|` + wikiForm,
	number:   "%d. ",
	open:     "<!-- lacuna:answer %s -->",
	close:    "<!-- lacuna:end -->",
	openLine: regexp.MustCompile(`^<!-- lacuna:answer ([0-9a-f]+(?:-[0-9]+)?) -->$`),
	status:   "**%s**",
	source: func(s BlockSource) string {
		return fmt.Sprintf("%d. [%s](%s)%s <!-- lacuna:cite %s -->",
			s.N, escapeLabel(s.Label), linkTarget(s), quoteSuffix(sanitise.NoteMarkdown(plaintext.OneLine(s.Quote))), s.Passage)
	},
	sourceLine: regexp.MustCompile(`^(?P<n>\d{1,6})\. \[.*\]\(<?(?P<path>[^>]*?)(?:#(?:L|page=|paragraph=|slide=|cell=|part=)(?P<line>\d{1,9}))?>?\)(?:: "(?P<quote>.*)")? <!-- lacuna:cite (?P<id>[0-9a-f]{32}) -->$`),
	item:       "- ",
	otherItems: "-+*",
	quotations: true,
	leftQuote:  `"`, rightQuote: `"`,
	quoteLine: quotePattern("", `"`, `"`),
	placeLine: quotePattern(titled, `"`, `"`),

	directive:    regexp.MustCompile(`^<!--\s*lacuna:\s*(ask|skip|off|on)\s*-->$`),
	comment:      "<!--",
	stripComment: func(line string) string { return markdownAside.ReplaceAllString(line, "") },
	trail:        " \t*_~=",
	underline:    underlineMarkdown,
	strip:        (*scanner).stripMarkdown,
	isOutside:    (*scanner).outsideMarkdown,
	option:       plainOption,
	inline:       plainText,

	escape:   sanitise.NoteMarkdown,
	unescape: sanitise.ReadNoteMarkdown,
	begin:    func(s string) string { return sanitise.InsertBackslash(activeStart, s) },
	unbegin:  func(s string) string { return sanitise.RemoveBackslash(escapedStart, s) },
}.withLean(titled)

var plain = markup{
	hidden:   "(lacuna %s)",
	cite:     plainCite,
	link:     `\((?:(?P<label>[^()]*); )?(?P<path>[^();]*?)(?::(?P<line>\d{1,9}))?\)`,
	number:   "%d. ",
	open:     "--- lacuna answer %s ---",
	close:    "--- end of lacuna answer ---",
	openLine: regexp.MustCompile(`^--- lacuna answer ([0-9a-f]+(?:-[0-9]+)?) ---$`),
	status:   "%s",
	source: func(s BlockSource) string {
		return fmt.Sprintf("%d. %s:%d%s (lacuna %s)", s.N, escapePath(s.Path, `%"`), s.Line, quoteSuffix(s.Quote), s.Passage)
	},
	sourceLine: regexp.MustCompile(`^(?P<n>\d{1,6})\. (?P<path>.*?):(?P<line>\d{1,9})(?:: "(?P<quote>.*)")? \(lacuna (?P<id>[0-9a-f]{32})\)$`),
	escape:     unchanged,
	unescape:   unchanged,
	begin:      unchanged,
	unbegin:    unchanged,
	item:       "- ",
	otherItems: "-+*",
	leftQuote:  `"`, rightQuote: `"`,
	quoteLine: quotePattern("", `"`, `"`),
	placeLine: quotePattern(titled, `"`, `"`),

	directive:    markdown.directive,
	comment:      markdown.comment,
	stripComment: markdown.stripComment,
	trail:        markdown.trail,
	strip:        (*scanner).stripPlain,
	isOutside:    (*scanner).outsidePlain,
	option:       plainOption,
	inline:       plainText,
}.withLean(titled)

var markdownAside = regexp.MustCompile(`[ \t]*<!--.*-->$`)

var (
	activeStart  = regexp.MustCompile(fmt.Sprintf(starts, ""))
	escapedStart = regexp.MustCompile(fmt.Sprintf(starts, `\\`))
)

// starts matches the beginnings that would make a list item's words something else: a quotation, a
// heading, a list, a rule, code, a task, a Pandoc block, a link definition.
const starts = `^\\*(%[1]s>)|^\\*(%[1]s#)#{0,5}(?:\s|$)|^\\*(%[1]s[-+*])(?:\s|$)|^\\*(%[1]s[-_*])(?:\s*[-_*]){2,}\s*$|` +
	"^\\\\*(%[1]s[~`])[~`]{2}|" + `^\\*(%[1]s:):{2}|^\\*(%[1]s\[)(?:[ xX]\]\s|[^\]]*\]:)|^\d{1,9}\\*(%[1]s[.)])(?:\s|$)`

var (
	checkBox = regexp.MustCompile(`^\[[^\[\]\n]\][ \t]+`)
	// propertyLine is a property of Logseq or Dataview, which belongs to what stands above it.
	propertyLine = regexp.MustCompile(`^(?:[-*+][ \t]+)?[\p{L}\d_.-]+::(?:[ \t]|$)`)
	heading      = regexp.MustCompile(`^#{1,6}[ \t]+`)
)

// stripPlain removes the marker of a list item from the piece and records the item's indentation.
func (s *scanner) stripPlain(p *piece, indent int) (isItem bool, level int) {
	if !strings.ContainsRune("-*+0123456789", rune(p.text[0])) {
		return false, 0
	}
	marker := listMarker.FindString(p.text)
	if marker == "" {
		return false, 0
	}
	s.listIndent = indent + len(strings.TrimRight(marker, " \t")) + 1
	p.cut(len(marker))
	p.cut(len(checkBox.FindString(p.text)))
	return true, 0
}

// stripMarkdown does the same with the marker of a list item or heading.
func (s *scanner) stripMarkdown(p *piece, indent int) (isItem bool, level int) {
	if p.text[0] != '#' {
		return s.stripPlain(p, indent)
	}
	if marker := heading.FindString(p.text); marker != "" {
		s.listIndent = 0
		p.cut(len(marker))
		p.text = strings.TrimRight(strings.TrimRight(p.text, "#"), " \t")
		return false, strings.Count(marker, "#")
	}
	return s.stripPlain(p, indent)
}

// outsideMarkdown reports whether the line is not running text: code, a quotation, a table, a comment. It
// records what extends beyond the line.
func (s *scanner) outsideMarkdown(text string, indent int) bool {
	return s.outsidePlain(text, indent) || s.blankAbove && indent >= s.listIndent+4
}

// outsidePlain is the part of outsideMarkdown that also applies to plain text.
func (s *scanner) outsidePlain(text string, _ int) bool {
	switch {
	case strings.HasPrefix(text, "```") || strings.HasPrefix(text, "~~~"):
		s.fence = text[:len(text)-len(strings.TrimLeft(text, text[:1]))]
		return true
	case strings.HasPrefix(text, ">"), strings.HasPrefix(text, "|"), propertyLine.MatchString(text):
		return true
	case strings.HasPrefix(text, "<!--"):
		s.comment = !strings.Contains(text, "-->")
		return s.comment || strings.HasSuffix(text, "-->")
	}
	return false
}

// underlineMarkdown accepts a single "=". A single dash begins a list item instead.
func underlineMarkdown(s *scanner, _, line string) int {
	switch {
	case s.listIndent > 0:
	case strings.Trim(line, "=") == "":
		return 1
	case repeats(line, "-"):
		return 2
	}
	return 0
}

// escapeLabel writes the label of a link.
func escapeLabel(label string) string {
	return labelEscaper.Replace(sanitise.NoteMarkdown(plaintext.OneLine(label)))
}

var labelEscaper = strings.NewReplacer(`\[`, `\[`, `\(`, `\(`, `\<`, `\<`, `\`, `\\`, `[`, `\[`, `]`, `\]`, `<`, `\<`, "`", "&#96;", "$", "&#36;")

// linkTarget returns the target of a source's link. A path with spaces or parentheses is put into angle
// brackets, which keep it readable.
func linkTarget(s BlockSource) string {
	return angleBracketed(escapePath(s.Path, special[Markdown]) + fragmentOf(s))
}

var (
	link     = regexp.MustCompile(`!?\[([^\[\]]*)\]\([^()]*\)`)
	wikiPage = regexp.MustCompile(`!?\[\[(?:[^\[\]|]*\|)?([^\[\]|]*)\]\]`)
	emphasis = regexp.MustCompile("\\*+|~~|==|`+|\\b_+|_+\\b")
	comment  = regexp.MustCompile(`<!--.*?-->|%%.*?%%`)
)

// wikiWords returns what a link in double brackets shows: its alias, or its page and heading.
func wikiWords(link string) string {
	words := wikiPage.FindStringSubmatch(link)[1]
	return strings.TrimSpace(strings.ReplaceAll(words, "#", " "))
}

// plainText returns a question as it is searched for: without markup, on one line.
func plainText(text string) string {
	if strings.ContainsAny(text, "<[*~`_=%") { // most have no markup, and every keystroke may read them all
		text = comment.ReplaceAllString(text, " ")
		text = wikiPage.ReplaceAllStringFunc(text, wikiWords)
		text = link.ReplaceAllString(text, "$1")
		text = emphasis.ReplaceAllString(text, "")
	}
	return plaintext.OneLine(strings.ToValidUTF8(text, "\ufffd"))
}

// wikiForm is a link of a wiki, with the name of a page as its path.
const wikiForm = `\[\[(?P<path>[^\[\]|#\n]+)(?:#(?:page=(?P<line>\d{1,9})|(?P<heading>[^\[\]|\n]*)))?(?:\|(?P<label>[^\[\]\n]*))?\]\]`

func markdownCite(s BlockSource) string {
	if link, ok := wikiCite(s); ok {
		return link
	}
	return "[" + escapeLabel(s.Title) + "](" + linkTarget(s) + ")"
}

// wikiCite writes a link as a wiki does; false if the source has no name there, or if the link could not hold what it
// shows: nothing in it can be escaped.
func wikiCite(s BlockSource) (link string, ok bool) {
	if s.Page == "" {
		return "", false
	}
	link = s.Page
	switch {
	case s.Line > 0 && passage.UnitOf(s.Page) == passage.Pages:
		link += "#page=" + strconv.Itoa(s.Line)
	case s.Heading != "":
		link += "#" + s.Heading
	}
	if label := wikiLabel.Replace(plaintext.OneLine(s.Title)); label != "" {
		link += "|" + label
	}
	return "[[" + link + "]]", sanitise.NoteMarkdown(link) == link && !strings.ContainsAny(link, "[]<>`")
}

var wikiLabel = strings.NewReplacer("[", "(", "]", ")", "|", "/", "<", "‹", ">", "›", "`", "'")

// plainCite names the page and its file, which cannot be links.
func plainCite(s BlockSource) string {
	label := plainLabel.Replace(plaintext.OneLine(s.Title))
	if label != "" {
		label += "; "
	}
	place := escapePath(s.Path, `%"();:`)
	if s.Line > 0 {
		place += ":" + strconv.Itoa(s.Line)
	}
	return "(" + label + place + ")"
}

var plainLabel = strings.NewReplacer("(", "[", ")", "]")
