package sanitise

import (
	"html"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"lacuna/knowledge/plaintext"
)

// What a model wrote must not hold anything that an editor or a renderer would fetch, run or follow.
var (
	comment         = regexp.MustCompile(`(?s)<!--.*?(?:-->|$)`)
	htmlTag         = regexp.MustCompile(`(?s)</?[a-zA-Z][a-zA-Z0-9-]*(?:[\s/][^<>]*)?>|<[!?][^<>]*>|<[a-zA-Z][^\s<>]*[:@][^\s<>]*>`)
	wholeTag        = regexp.MustCompile(`<[A-Za-z/!?%|][^<>]*>`)
	halfTag         = regexp.MustCompile(`<([A-Za-z/!?%|])`)
	definition      = regexp.MustCompile(`(?m)^[ \t>]*\[[^\]\n]*\]:[ \t]*\S.*$`)
	definitionStart = regexp.MustCompile(`^\[[^\[\]]*\]:\s*`)
	image           = regexp.MustCompile(`!\[[^\[\]]*\](?:\([^()]*(?:\([^()]*\)[^()]*)*\)|\[[^\[\]]*\])?`)
	link            = regexp.MustCompile(`!?\[([^\[\]]*)\](?:\([^()]*(?:\([^()]*\)[^()]*)*\)|\[[^\[\]]*\])`)
	markup          = regexp.MustCompile("(?m)`+|\\*\\*+|__+|~~+|^[ \\t]*(?:#{1,6}[ \\t]+|(?:>[ \\t]?)+|(?:[-+*•][ \\t]+))")
	markLike        = regexp.MustCompile(`\s*(?:\[\d{1,6}(?:\s*[,;–-]\s*\d{1,6})*\]|【\d[^【】]{0,30}】)`)
	backslash       = regexp.MustCompile("\\\\([!-/:-@\\[-`{-~])")
	// danglingSpace matches the space left before the end of a sentence that lost its last word.
	danglingSpace = regexp.MustCompile(`(?:\s*\(\s*\)|\s)+([.,;](?:\s|$))`)
)

// markupJoints keep apart what would be markup together, after everything that is has gone.
var markupJoints = strings.NewReplacer("](", "] (", "![", "! [", "]:", "] :", "][", "] [")

const (
	// script matches schemes that only run code; they are looked for within words too.
	script = `(?:javascript|vbscript|livescript)`
	// acting matches other schemes that act without a slash after them.
	acting = `(?:command|vscode[\w-]*|data|file|mailto|tel|sms|xmpp|about|blob|jar|view-source|intent)`
	// running matches the schemes that a click must never reach, whatever a source quotes.
	running = `(?:` + script + `|command|vscode[\w-]*|data|file|blob|jar|view-source|intent|about)`
)

// An address is anything of which some program makes a link.
var (
	address       = regexp.MustCompile(`(?i)<?(?:[a-z][a-z0-9+.\-]*:/[^\s<>"'` + "`" + `]*|www\.[^\s<>"'` + "`" + `]*|` + script + `:[^\s]*|` + acting + `:[^\s]+|[\p{L}\p{N}._%+\-]+@[\p{L}\p{N}\-]+(?:\.[\p{L}\p{N}\-]+)+)>?`)
	runningScheme = regexp.MustCompile(`(?i)^<?` + running + `:`)
	wordScheme    = regexp.MustCompile(`(?i)^<?(?:www\.|` + acting + `:[^/])`)
)

// replaceAddresses replaces each address. A scheme that is the end of a longer word does not begin one.
func replaceAddresses(text string, replace func(found string) string) string {
	var b strings.Builder
	for {
		at := address.FindStringIndex(text)
		if at == nil {
			return b.String() + text
		}
		found := text[at[0]:at[1]]
		before, _ := utf8.DecodeLastRuneInString(text[:at[0]])
		if (unicode.IsLetter(before) || endsWord(&b, at[0])) && wordScheme.MatchString(found) {
			_, size := utf8.DecodeRuneInString(found)
			b.WriteString(text[:at[0]+size])
			text = text[at[0]+size:]
			continue
		}
		b.WriteString(text[:at[0]])
		b.WriteString(replace(found))
		text = text[at[1]:]
	}
}

// endsWord reports whether a letter precedes the beginning of a text of which more has been written.
func endsWord(written *strings.Builder, at int) bool {
	if at > 0 {
		return false
	}
	before, _ := utf8.DecodeLastRuneInString(written.String())
	return unicode.IsLetter(before)
}

// maxPasses limits how often markup may appear below other markup.
const maxPasses = 8

// Plain reduces a model's text to one line without HTML, images, link targets, markup, invisible
// characters and addresses, except for addresses that one of the cited texts contains exactly. Plain of
// Plain is the same.
//
// It runs before sentences are compared with sources. [Words] checks again what an editor shows,
// because not all of that has passed through Plain.
func Plain(text string, cited ...string) string {
	text = Bare(text)
	for range maxPasses {
		before := text
		if strings.ContainsAny(text, "<[]!:@`*_~#>-+•") || strings.Contains(strings.ToLower(text), "www.") {
			text = reduce(text, cited)
		}
		if text = plaintext.OneLine(text); text == before {
			return text
		}
	}
	// No one writes such a text by accident.
	return strings.Join(strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }), " ")
}

// reduce removes one layer of markup.
func reduce(text string, cited []string) string {
	text = comment.ReplaceAllString(text, " ")
	text = htmlTag.ReplaceAllString(text, "")
	text = halfTag.ReplaceAllString(text, "< $1")
	text = definition.ReplaceAllString(text, " ")
	text = image.ReplaceAllString(text, "")
	text = link.ReplaceAllString(text, "$1")
	text = markup.ReplaceAllString(text, "")
	text = replaceAddresses(text, func(found string) string {
		url := bareAddress(found)
		if !runningScheme.MatchString(url) && slices.ContainsFunc(cited, func(text string) bool { return containsAddress(text, url) }) {
			return found
		}
		return strings.TrimPrefix(found, url)
	})
	return WithoutModeLine(danglingSpace.ReplaceAllString(markupJoints.Replace(text), "$1"))
}

// containsAddress reports whether a text contains an address whole, not as the beginning of another.
func containsAddress(text, url string) bool {
	for _, found := range address.FindAllString(text, -1) {
		if bareAddress(found) == url {
			return true
		}
	}
	return false
}

// bareAddress returns an address without the punctuation that ends the sentence around it.
func bareAddress(found string) string {
	const ends = `.,;:!?'"”’>]}。，；：！？）】」`
	url := strings.TrimRight(found, ends)
	if !strings.Contains(url, "(") {
		url = strings.TrimRight(url, ends+")")
	}
	return url
}

// Words reduces the text of a model or an endpoint to words on one line: without images, links and
// their definitions, HTML, code, and anything like a citation, which only Lacuna writes. It replaces an
// address with leftOut, unless one of the quotes contains the same. The result must still be escaped
// for the place where it is shown.
//
// Words undoes entities and escapes, because it is the last step before an editor, and not everything
// has passed through [Plain]: errors of endpoints, reasons of a gate and remembered gaps have not.
func Words(text string, quotes []string, leftOut string) string {
	if onlyWords(text) {
		return plaintext.OneLine(text)
	}
	text = plaintext.OneLine(Visible(text))
	text = repeat(text, html.UnescapeString)
	text = repeat(text, func(s string) string { return backslash.ReplaceAllString(s, "$1") })
	text = repeat(text, func(s string) string { return link.ReplaceAllString(s, "$1") })
	text = repeat(text, func(s string) string { return markLike.ReplaceAllString(s, "") })
	var quoted []string
	for _, q := range quotes {
		for _, found := range address.FindAllString(q, -1) {
			quoted = append(quoted, strings.Trim(found, "<>().,;:!?"))
		}
	}
	text = replaceAddresses(text, func(found string) string {
		url := strings.Trim(found, "<>().,;:!?")
		if slices.Contains(quoted, url) && !runningScheme.MatchString(url) {
			return found
		}
		return leftOut + found[len(strings.TrimRight(found, ".,;:!?")):]
	})
	text = repeat(text, func(s string) string { return wholeTag.ReplaceAllString(s, " ") })
	text = halfTag.ReplaceAllString(text, "< $1")
	text = strings.ReplaceAll(text, "`", "'")
	text = repeat(text, func(s string) string { return definitionStart.ReplaceAllString(s, "") })
	return WithoutModeLine(Line(text))
}

// onlyWords reports whether a text is words and ordinary punctuation. Most texts are, and every
// diagnostic asks.
func onlyWords(text string) bool {
	for _, r := range text {
		switch {
		case unicode.IsLetter(r), unicode.IsDigit(r), r == ' ', strings.ContainsRune(",.;?!'\"()%+-–—’‘“”…，。？！；、（）", r):
		default:
			return false
		}
	}
	return utf8.ValidString(text) && !strings.Contains(strings.ToLower(text), "www.")
}

// repeat repeats a shortening change until nothing changes, so that removing something cannot make
// something new appear.
func repeat(text string, change func(string) string) string {
	for {
		next := change(text)
		if next == text {
			return text
		}
		text = next
	}
}

// Each of these may be a token of some model's chat template, which a tokenizer reads out of plain
// text. A space inside makes them text again.
var (
	tag      = regexp.MustCompile(`<(/?[\p{L}_|｜▁]|!--)`)
	tagEnd   = regexp.MustCompile(`([|｜])>`)
	turn     = regexp.MustCompile(`(?i)\[(/?(?:INST|SYS|SYSTEM_PROMPT|TOOL_[A-Z_]+|AVAILABLE_TOOLS|MODEL_SETTINGS|THINK|ARGS|CALL_ID|IMG[A-Z_]*|PREFIX|SUFFIX|MIDDLE|[gs]MASK))\]`)
	bracket  = regexp.MustCompile(`<{3,}|>{3,}`) // as fences are written
	citation = regexp.MustCompile(`(?i)[\[【［]\s*((?:(?:contexts?|sources?|passages?|documents?|文档|资料|来源|上下文)\s*)?\d+(?:\s*[,，、;；–—-]\s*\d+)*)\s*[\]】］]`)
)

// Prompt drops invisible characters from a text, and breaks what a model might take for the beginning
// of a turn or a delimiter. It changes only spaces in what is visible: a model sees a source as it
// stands.
func Prompt(text string) string {
	text = strings.Map(dropForPrompt, strings.ToValidUTF8(text, "\uFFFD"))
	if strings.ContainsAny(text, "<>[") { // most texts have none
		text = tag.ReplaceAllString(text, "< $1")
		text = tagEnd.ReplaceAllString(text, "$1 >")
		text = turn.ReplaceAllString(text, "[ $1 ]")
		text = bracket.ReplaceAllStringFunc(text, func(run string) string {
			return strings.TrimSpace(strings.Repeat(run[:1]+" ", len(run)))
		})
	}
	return strings.TrimSpace(text)
}

// PromptData is [Prompt] for text that the user did not ask. Numbers in square brackets become round
// ones: models cite with them, and a passage with references must not lend them its numbers.
func PromptData(text string) string {
	text = Prompt(text)
	if !strings.ContainsAny(text, "[【［") {
		return text
	}
	return citation.ReplaceAllString(text, "($1)")
}

// dropForPrompt drops invisible characters, joiners included; Persian and Indic words lose a little of their
// spelling, and still read.
func dropForPrompt(r rune) rune {
	switch classOf(r) {
	case control:
		return ' '
	case lineEnd:
		if r == '\v' || r == '\f' {
			return ' '
		}
		return '\n'
	case hidden, joiner:
		return -1
	}
	return r
}

var runningLink = regexp.MustCompile(`(?i)\]\(\s*<?` + running + `[\w-]*:`)

// unquotable matches what an editor would render as something other than text, or what a click would
// run.
var unquotable = regexp.MustCompile(`(?i)<[a-z/!?][^<>]*>|` + joint)

// joint matches what has a meaning only while it stands together.
const joint = `<!--|-->|!\[|\]\(\s*<?` + running + `[\w-]*:`

var joints = regexp.MustCompile(`(?i)` + joint)

// placeholder matches a word in angle brackets that no browser knows, such as <branch name>.
var placeholder = regexp.MustCompile(`<(\pL[\pL\pN_-]*)(?: [\pL\pN _.-]*)?>`)

// Element reports whether a lower-case name is that of an element of HTML.
func Element(name string) bool { return htmlElements[name] }

var htmlElements = plaintext.Set(`a abbr address article aside audio b bdi bdo big blockquote br button caption center cite code
	col colgroup data dd del details dfn dialog div dl dt em embed fieldset figcaption figure font footer form h1 h2 h3 h4 h5 h6
	header hr i iframe img input ins kbd label legend li link main map mark marquee math menu meta nav nobr noscript object ol
	optgroup option output p param picture pre progress q s samp script section select small source span strike strong style sub
	summary sup svg table tbody td template textarea tfoot th thead time title tr track tt u ul var video wbr html body head base
	frame frameset applet plaintext xmp slot canvas area bgsound`)

// Quotable reports whether a sentence of a source may be shown word for word: without HTML, comments,
// images, links that run something, orders to editors, and invisible characters. Joiners may stay, and so may words in angle
// brackets that are no elements.
func Quotable(text string) bool {
	text = placeholder.ReplaceAllStringFunc(text, func(found string) string {
		name := placeholder.FindStringSubmatch(found)[1]
		if Element(strings.ToLower(name)) {
			return found
		}
		return name
	})
	return !unquotable.MatchString(text) && Literal(text)
}

// Joint is a place for which [Quotable] refuses a text, and which a space makes harmless.
type Joint struct {
	Start, End int // what has a meaning
	Space      int // where a space takes it away
}

// Joints returns the places of a text that are a comment, an image, a link that runs something or an order to an editor; those of
// orders come last.
func Joints(text string) []Joint {
	var all []Joint
	for _, m := range joints.FindAllStringIndex(text, -1) {
		all = append(all, Joint{m[0], m[1], m[0] + 1})
	}
	for _, m := range modeLine.FindAllStringSubmatchIndex(text, -1) {
		space := m[0] + 1 // of -*-
		for _, name := range [][]int{m[2:4], m[4:6]} {
			if name[0] >= 0 {
				space = name[1] // before the colon, as WithoutModeLine has it
			}
		}
		all = append(all, Joint{m[0], m[1], space})
	}
	return all
}

// Literal reports whether code of a source may be shown as it stands: it has no invisible character, no link
// that runs something, and no order to an editor.
func Literal(text string) bool {
	return !runningLink.MatchString(text) && !modeLine.MatchString(text) && strings.IndexFunc(text, func(r rune) bool {
		kind := classOf(r)
		return kind == control || kind == hidden || kind == personal || kind == lineEnd && r != '\r'
	}) < 0
}
