package passage

import (
	"html"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"lacuna/knowledge/plaintext"
	"lacuna/knowledge/sanitise"
)

// inline reads the inline markup of a block of Markdown: it decides for each byte whether it is shown.
// It is no Markdown parser: what it does not know is text.
type inline struct {
	text     string
	hide     []bool
	instead  map[int]string // what is shown at an offset, before its byte
	brackets []int          // offsets of open brackets
	runs     []run
}

// run is a run of emphasis marks.
type run struct {
	at, n         int
	opens, closes bool
}

// Ranges that one look ahead may cover.
const (
	maxTarget = 1000 // of a link, a tag or a template
	maxRuns   = 50   // open runs that one closing run is compared with
)

var (
	admonitionMark  = regexp.MustCompile(`^[ \t]*(?:(?:!!!|\?\?\?)\+?[ \t]+|:{3,}[ \t]*)\{?([\w-]+)\}?(?:[ \t]+inline(?:[ \t]+end)?)?[ \t]*`)
	calloutMark     = regexp.MustCompile(`^\[!([\w-]+)(?:\|[^\]\n]*)?\][+-]?[ \t]*`)
	quoteLine       = regexp.MustCompile(`^[ \t]*(?:>[ \t]?)+`)
	itemLine        = regexp.MustCompile(`^[ \t]*(?:[-+*•][ \t]+)?(?:\[[ xX]\][ \t]+)?`)
	hashes          = regexp.MustCompile(`^[ \t]*#{1,6}(?:[ \t]+|$)`)
	definitionLabel = regexp.MustCompile(`^[ \t]*:[ \t]+`)
	footnoteLabel   = regexp.MustCompile(`^[ \t]*\[\^([^\]\s]{1,80})\]:[ \t]*`)
	icon            = regexp.MustCompile(`^:(?:material|fontawesome|octicons|simple|lucide|mdi|tabler|bootstrap|phosphor)-[a-z0-9-]+:`)
	emoji           = regexp.MustCompile(`^:[a-z][a-z0-9_+-]{1,30}:(?:\s|$)`)
	attributes      = regexp.MustCompile(`^\{(?::[^{}\n]*|[ \t]*(?:[#.][\w:-]+|[\w-]+=(?:"[^"\n]*"|'[^'\n]*'|[^\s{}"']+))(?:[ \t]+(?:[#.][\w:-]+|[\w-]+=(?:"[^"\n]*"|'[^'\n]*'|[^\s{}"']+)))*[ \t]*)\}`)
	reference       = regexp.MustCompile(`^\[[^\[\]\n]{0,200}\]`)
	autolink        = regexp.MustCompile(`^<([A-Za-z][A-Za-z0-9+.-]{1,31}:[^\s<>]*|[^\s<>@]+@[^\s<>]+)>`)
	htmlTag         = regexp.MustCompile(`^</?([A-Za-z][A-Za-z0-9-]*)(?:[\s/][^<>]*)?>`)
	altText         = regexp.MustCompile(`\balt=(?:"([^"]*)"|'([^']*)')`)
	textParameter   = regexp.MustCompile(`\btext=(?:"([^"]*)"|'([^']*)')`)
	entity          = regexp.MustCompile(`^&(?:#[0-9]{1,7}|#[xX][0-9A-Fa-f]{1,6}|[A-Za-z][A-Za-z0-9]{1,30});`)
	blockID         = regexp.MustCompile(`[ \t]\^[A-Za-z0-9-]+[ \t\r\n]*$`)
	numeric         = regexp.MustCompile(`^[0-9,;–\- ]+$`)
)

// breaking are the elements whose tags separate words.
var breaking = plaintext.Set(`address article aside blockquote br dd details dialog div dl dt fieldset figcaption figure footer form h1 h2
	h3 h4 h5 h6 header hr li main nav ol option p pre section summary table tbody td tfoot th thead tr ul`)

// markdown adds a block of Markdown without its markup.
func (r *Rendering) markdown(text string, from int, kind BlockKind) {
	in := inline{text: text, hide: make([]bool, len(text)), instead: make(map[int]string)}
	in.marks(kind)
	in.scan()
	in.emphasis()
	for i := 0; i < len(text); {
		if words, ok := in.instead[i]; ok {
			r.putWords(words, from+i)
		}
		if in.hide[i] {
			i++
			continue
		}
		_, size := utf8.DecodeRuneInString(text[i:])
		r.put(text[i:i+size], from+i)
		i += size
	}
}

// wrapped adds a block of Org or reStructuredText.
func (r *Rendering) wrapped(text string, from int, kind BlockKind) {
	file := ""
	if r.passage != nil {
		file = r.passage.Place.File
	}
	w := readWrapped(text, kind, file)
	for i := 0; i < len(text); {
		_, size := utf8.DecodeRuneInString(text[i:])
		if !w.hide[i] {
			r.put(text[i:i+size], from+i)
		}
		i += size
	}
}

// putWords adds text that stands for something at an offset, with single spaces.
func (r *Rendering) putWords(text string, at int) {
	for _, c := range text {
		if unicode.IsSpace(c) {
			r.space(at)
		} else {
			r.putAt(string(c), at)
		}
	}
}

func (in *inline) drop(from, to int) {
	for i := from; i < to; i++ {
		in.hide[i] = true
	}
}

// marks hides what makes a block what it is: the marks of a heading, an item, a quotation, an admonition.
func (in *inline) marks(kind BlockKind) {
	if at := blockID.FindStringIndex(in.text); at != nil {
		in.drop(at[0], at[1])
	}
	for i, l := range lines(in.text) {
		line := in.text[l.Start:l.End]
		at := len(quoteLine.FindString(line))
		in.drop(l.Start, l.Start+at)
		if i > 0 {
			if kind == Heading {
				in.drop(l.Start, l.End) // an underline
			}
			continue
		}
		line = line[at:]
		start := l.Start + at
		if m := calloutMark.FindStringSubmatchIndex(line); m != nil {
			in.label(line, m, start)
			continue
		}
		if m := admonitionMark.FindStringSubmatchIndex(line); m != nil && kind == Admonition {
			in.label(line, m, start)
			if title := line[m[1]:]; len(title) > 1 && title[0] == '"' {
				in.drop(start+m[1], start+m[1]+1)
				if strings.HasSuffix(strings.TrimRight(title[1:], " \t"), `"`) {
					in.drop(start+strings.LastIndexByte(line, '"'), l.End)
				}
			}
			continue
		}
		switch kind {
		case Heading:
			in.drop(start, start+len(hashes.FindString(line)))
			if end := headingClose.FindStringIndex(line); end != nil {
				in.drop(start+end[0], l.End)
			}
		case Item:
			in.drop(start, start+len(itemLine.FindString(line)))
		case Definition:
			in.drop(start, start+len(definitionLabel.FindString(line)))
		case Footnote:
			if m := footnoteLabel.FindStringSubmatchIndex(line); m != nil {
				in.drop(start, start+m[2])
				in.drop(start+m[3], start+m[3]+1)
			}
		}
	}
}

// label hides the mark of an admonition, but shows its type where it has no title.
func (in *inline) label(line string, m []int, start int) {
	in.drop(start, start+m[1])
	if strings.TrimSpace(strings.Trim(line[m[1]:], `"`)) == "" {
		for i := start + m[2]; i < start+m[3]; i++ {
			in.hide[i] = false
		}
	}
}

// scan reads everything but emphasis, whose marks it collects.
func (in *inline) scan() {
	for i := 0; i < len(in.text); {
		if in.hide[i] {
			i++
			continue
		}
		i = in.token(i)
	}
}

// token reads what begins at i, and returns where the next begins.
func (in *inline) token(i int) int {
	text := in.text
	rest := text[i:min(len(text), i+maxTarget)]
	switch text[i] {
	case '\\':
		if i+1 < len(text) && strings.IndexByte("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~", text[i+1]) >= 0 {
			in.hide[i] = true
			return i + 2
		}
		if i+1 == len(text) || text[i+1] == '\n' || text[i+1] == '\r' { // a hard break
			in.hide[i] = true
		}
	case '`':
		return in.codeSpan(i)
	case '<':
		return in.angle(i, rest)
	case '&':
		if found := entity.FindString(rest); found != "" {
			if shown := html.UnescapeString(found); shown != found && showableEntity(shown) {
				in.drop(i, i+len(found))
				in.instead[i] = shown
			}
			return i + len(found)
		}
	case '!':
		if strings.HasPrefix(rest, "![[") {
			in.hide[i] = true
			return i + 1
		}
	case '[':
		return in.open(i, rest)
	case ']':
		return in.close(i)
	case '{':
		return in.brace(i, rest)
	case ':':
		if found := icon.FindString(rest); found != "" {
			in.drop(i, i+len(found))
			return i + len(found)
		}
		if i == 0 || isSpaceByte(text[i-1]) {
			if found := strings.TrimSpace(emoji.FindString(rest)); found != "" {
				in.drop(i, i+len(found))
				return i + len(found)
			}
		}
	case '*', '_', '~', '=':
		n := 1
		for i+n < len(text) && text[i+n] == text[i] {
			n++
		}
		in.addRun(i, n)
		return i + n
	}
	_, size := utf8.DecodeRuneInString(text[i:])
	return i + size
}

// showableEntity reports whether an entity stands for something that is seen.
func showableEntity(shown string) bool {
	for _, c := range shown {
		if !unicode.IsGraphic(c) && c != '\n' && c != '\t' {
			return false
		}
	}
	return utf8.ValidString(shown)
}

// codeSpan hides the marks around code, which is shown as it stands.
func (in *inline) codeSpan(i int) int {
	n := 1
	for i+n < len(in.text) && in.text[i+n] == '`' {
		n++
	}
	window := in.text[:min(len(in.text), i+n+maxTarget)]
	for at := i + n; at < len(window); {
		next := strings.IndexByte(window[at:], '`')
		if next < 0 {
			break
		}
		at += next
		length := 1
		for at+length < len(window) && window[at+length] == '`' {
			length++
		}
		if length == n {
			in.drop(i, i+n)
			in.drop(at, at+n)
			return at + n
		}
		at += length
	}
	return i + n
}

// angle reads a comment, an address or a tag.
func (in *inline) angle(i int, rest string) int {
	if strings.HasPrefix(rest, commentOpen) {
		if end := strings.Index(rest, commentClose); end >= 0 {
			in.drop(i, i+end+len(commentClose))
			return i + end + len(commentClose)
		}
	}
	if m := autolink.FindStringSubmatchIndex(rest); m != nil {
		in.drop(i, i+m[2])
		in.drop(i+m[3], i+m[1])
		return i + m[1]
	}
	m := htmlTag.FindStringSubmatchIndex(rest)
	if m == nil || !sanitise.Element(strings.ToLower(rest[m[2]:m[3]])) && !isComponent(rest, m) {
		return i + 1 // what the writer wants to be read, such as <branch>
	}
	in.drop(i, i+m[1])
	name := strings.ToLower(rest[m[2]:m[3]])
	if alt := altText.FindStringSubmatch(rest[:m[1]]); name == "img" && alt != nil {
		in.instead[i] = " " + alt[1] + alt[2] + " "
	} else if breaking[name] {
		in.instead[i] = " "
	}
	return i + m[1]
}

// isComponent reports whether a tag of no element is one of MDX: it has a capital, and attributes or an end.
func isComponent(rest string, m []int) bool {
	tag, name := rest[:m[1]], rest[m[2]:m[3]]
	return 'A' <= name[0] && name[0] <= 'Z' && (tag[1] == '/' || strings.HasSuffix(tag, "/>") || strings.Contains(tag, "=") || strings.Contains(rest, "</"+name+">"))
}

// open reads a wiki link, a reference to a footnote, or the bracket that opens a link.
func (in *inline) open(i int, rest string) int {
	if strings.HasPrefix(rest, "[[") {
		end := strings.Index(rest, "]]")
		if inside := rest[2:max(2, end)]; end > 2 && !strings.ContainsAny(inside, "[]\n") {
			in.drop(i, i+2)
			in.drop(i+end, i+end+2)
			if bar := strings.LastIndexByte(inside, '|'); bar >= 0 && strings.TrimSpace(inside[bar+1:]) != "" {
				in.drop(i+2, i+2+bar+1)
			} else if hash := strings.LastIndexByte(inside, '#'); hash == 0 {
				in.drop(i+2, i+3)
			}
			return i + end + 2
		}
	}
	if m := footnoteRef.FindString(rest); m != "" {
		in.drop(i, i+len(m))
		return i + len(m)
	}
	in.brackets = append(in.brackets, i)
	return i + 1
}

var footnoteRef = regexp.MustCompile(`^\[\^[^\[\]\s]{1,80}\]`)

// close ends a link: its words are shown, its target is not.
func (in *inline) close(i int) int {
	if len(in.brackets) == 0 {
		return i + 1
	}
	open := in.brackets[len(in.brackets)-1]
	in.brackets = in.brackets[:len(in.brackets)-1]
	end := in.target(i + 1)
	if end < 0 {
		rest := in.text[i+1 : min(len(in.text), i+1+maxTarget)]
		if ref := reference.FindString(rest); ref != "" && !numeric.MatchString(ref[1:len(ref)-1]) {
			end = i + 1 + len(ref)
		} else if attributes.MatchString(rest) {
			end = i + 1
		}
	}
	if end < 0 {
		return i + 1
	}
	in.hide[open] = true
	if open > 0 && in.text[open-1] == '!' {
		in.hide[open-1] = true
	}
	in.drop(i, end)
	if rest := in.text[end:min(len(in.text), end+maxTarget)]; strings.HasPrefix(rest, "{") {
		if found := attributes.FindString(rest); found != "" {
			in.drop(end, end+len(found))
			end += len(found)
		}
	}
	return end
}

// target returns where the target of a link ends that begins at i, or -1.
func (in *inline) target(i int) int {
	if i >= len(in.text) || in.text[i] != '(' {
		return -1
	}
	window := in.text[:min(len(in.text), i+4*maxTarget)]
	depth := 0
	for at := i; at < len(window); at++ {
		switch window[at] {
		case '\\':
			at++
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return at + 1
			}
		case '"':
			if isSpaceByte(window[at-1]) { // a title
				if end := strings.IndexByte(window[at+1:], '"'); end >= 0 {
					at += end + 1
				}
			}
		case '\n':
			if at+1 < len(window) && window[at+1] == '\n' {
				return -1
			}
		}
	}
	return -1
}

// templates are the marks around what a site's generator replaces.
var templates = [][2]string{{"{{<", ">}}"}, {"{{%", "%}}"}, {"{{", "}}"}, {"{%", "%}"}}

// brace reads a template or a list of attributes. Where a template stood inside a sentence, "…" says that
// something is missing there.
func (in *inline) brace(i int, rest string) int {
	for _, marks := range templates {
		if !strings.HasPrefix(rest, marks[0]) {
			continue
		}
		length := strings.Index(rest[len(marks[0]):], marks[1])
		if length < 0 {
			break
		}
		end := len(marks[0]) + length + len(marks[1])
		inside := strings.Trim(rest[len(marks[0]):len(marks[0])+length], " \t/-")
		in.drop(i, i+end)
		words := textParameter.FindStringSubmatch(inside)
		name, _, _ := strings.Cut(inside, " ")
		switch {
		case words != nil:
			in.instead[i] = words[1] + words[2]
		case marks[0] == "{%" || strings.HasPrefix(strings.TrimLeft(rest[len(marks[0]):], " "), "/"):
		case name != "" && (strings.Contains(rest, marks[0]+"/"+name) || strings.Contains(rest, marks[0]+" /"+name)):
		case in.insideSentence(i, i+end):
			in.instead[i] = "…"
		}
		return i + end
	}
	if found := attributes.FindString(rest); found != "" && (found[1] == ':' || i == 0 || !isWordByte(in.text[i-1])) {
		in.drop(i, i+len(found))
		return i + len(found)
	}
	return i + 1
}

// insideSentence reports whether words or punctuation stand on both sides of a span of its line.
func (in *inline) insideSentence(from, to int) bool {
	before := in.text[max(0, from-maxTarget):from]
	before = before[strings.LastIndexByte(before, '\n')+1:]
	after, _, _ := strings.Cut(in.text[to:min(len(in.text), to+maxTarget)], "\n")
	return strings.ContainsFunc(before, IsWordRune) && strings.TrimSpace(after) != ""
}

// addRun adds a run of emphasis marks, with what it may do by the rules of CommonMark.
func (in *inline) addRun(at, n int) {
	before, _ := utf8.DecodeLastRuneInString(in.text[:at])
	after, _ := utf8.DecodeRuneInString(in.text[at+n:])
	space := func(r rune) bool { return r == utf8.RuneError || unicode.IsSpace(r) }
	punctuation := func(r rune) bool { return r != utf8.RuneError && (unicode.IsPunct(r) || unicode.IsSymbol(r)) }
	left := !space(after) && (!punctuation(after) || space(before) || punctuation(before))
	right := !space(before) && (!punctuation(before) || space(after) || punctuation(after))
	r := run{at: at, n: n, opens: left, closes: right}
	switch in.text[at] {
	case '*':
		if unicode.IsDigit(before) && unicode.IsDigit(after) {
			return
		}
	case '_':
		r.opens, r.closes = left && (!right || punctuation(before)), right && (!left || punctuation(after))
	case '~', '=':
		if n != 2 {
			return
		}
		r.opens, r.closes = left && !IsWordRune(before), right && !IsWordRune(after)
	}
	if r.opens || r.closes {
		in.runs = append(in.runs, r)
	}
}

// emphasis hides the marks of emphasis that belong together.
func (in *inline) emphasis() {
	var open []int // indices of runs
	for k := range in.runs {
		closer := &in.runs[k]
		for closer.closes && closer.n > 0 {
			match := -1
			for o := len(open) - 1; o >= max(0, len(open)-maxRuns); o-- {
				opener := in.runs[open[o]]
				if in.text[opener.at] == in.text[closer.at] && opener.n > 0 {
					match = o
					break
				}
			}
			if match < 0 {
				break
			}
			opener := &in.runs[open[match]]
			n := 1
			if opener.n > 1 && closer.n > 1 {
				n = 2
			}
			in.drop(opener.at+opener.n-n, opener.at+opener.n)
			in.drop(closer.at, closer.at+n)
			opener.n -= n
			closer.at += n
			closer.n -= n
			open = open[:match+1]
			if opener.n == 0 {
				open = open[:match]
			}
		}
		if closer.opens && closer.n > 0 {
			open = append(open, k)
		}
	}
}
