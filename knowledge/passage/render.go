package passage

import (
	"cmp"
	"html"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"lacuna/knowledge/plaintext"
	"lacuna/knowledge/sanitise"
)

// Rendering is the text of a passage as a reader of its document sees it: without markup, on one line,
// and with the header's words before the cells of a table row. Each byte of it knows the byte of the
// passage that it comes from, so that what is shown can be traced back to the source.
type Rendering struct {
	passage *Passage // nil for a block by itself
	blocks  []Block
	headed  []int // indices of the rows that show the names of their columns
	text    []byte
	at      []int // for each byte of text the offset in the passage; never decreases
}

// maxRendered bounds the texts whose markup is read. A longer one is shown as it stands.
const maxRendered = 64 << 10

// Render returns the passage as a reader sees it. The cost is linear in its length.
func (p *Passage) Render() *Rendering {
	r := &Rendering{passage: p, blocks: p.parts()}
	format := p.Format
	if len(p.Text) > maxRendered {
		format = Plain
	}
	for i, b := range r.blocks {
		if i > 0 {
			r.separate(r.blocks[i-1], b)
		}
		if b.Kind != Row {
			r.block(p.Text[b.Start:b.End], b.Start, b.Kind, format)
			continue
		}
		var headers [][]string
		for _, l := range r.Introduction(i) {
			if l.Kind == HeaderRow {
				headers = append(headers, cellTexts(l.Text, format))
			}
		}
		if r.row(p.Text[b.Start:b.End], b.Start, format, headers) {
			r.headed = append(r.headed, i)
		}
	}
	return r
}

// Passage returns the passage that is shown.
func (r *Rendering) Passage() *Passage { return r.passage }

// Blocks returns the blocks of the passage; those of a text without blocks are found line by line.
func (r *Rendering) Blocks() []Block { return r.blocks }

// Introduction is [Passage.Introduction] for one of Blocks.
func (r *Rendering) Introduction(i int) []Lead { return r.passage.introduction(r.blocks, i) }

// BlockAt returns the index of the block that holds an offset of the text, or -1.
func (r *Rendering) BlockAt(offset int) int {
	i, _ := slices.BinarySearchFunc(r.blocks, offset, func(b Block, at int) int { return cmp.Compare(b.End, at+1) })
	if i == len(r.blocks) || r.blocks[i].Start > offset {
		return -1
	}
	return i
}

// Span returns what a reader sees of a span of the passage, on one line.
func (r *Rendering) Span(s Span) string {
	from, to := r.within(s)
	return lineMarks.Replace(strings.TrimSpace(string(r.text[from:to])))
}

// Lines returns what a reader sees of a span of the passage on lines of their own: each block, each item
// behind "- ", and the lines of code.
func (r *Rendering) Lines(s Span) []string {
	var shown []string
	end := -1 // of the paragraph that is open
	for _, b := range r.blocks {
		part := Span{max(s.Start, b.Start), min(s.End, b.End)}
		if part.Len() <= 0 {
			continue
		}
		from, to := r.within(part)
		for k, line := range strings.Split(strings.Trim(string(r.text[from:to]), "\n"), "\n") {
			line = strings.TrimRight(line, " ")
			if k == 0 && part.Start > b.Start && b.Kind != Code { // the space behind a sentence
				line = strings.TrimLeft(line, " ")
			}
			if strings.TrimSpace(line) == "" {
				continue
			}
			switch {
			case b.Kind == Item && k == 0 && part.Start == b.Start && listNumberLen(strings.TrimSpace(line)) == 0:
				line = strings.Repeat("  ", max(0, b.Level-1)) + "- " + strings.TrimSpace(line)
			case b.Kind == Paragraph && end >= 0 && len(r.passage.Blocks) > 0 && strings.Count(r.passage.Text[end:b.Start], "\n") < 2:
				shown[len(shown)-1] += " " + strings.TrimSpace(line)
				continue
			}
			shown = append(shown, line)
		}
		if end = -1; b.Kind == Paragraph && len(shown) > 0 {
			end = b.End
		}
	}
	return shown
}

// IsHeaded reports whether all of a span is rows that show the names of their columns.
func (r *Rendering) IsHeaded(s Span) bool {
	i := r.BlockAt(s.Start)
	return i >= 0 && r.blocks[i].End >= s.End && slices.Contains(r.headed, i)
}

func (r *Rendering) within(s Span) (from, to int) {
	from, _ = slices.BinarySearch(r.at, s.Start)
	to, _ = slices.BinarySearch(r.at, s.End)
	return from, max(from, to)
}

// Find returns the span of the passage that is shown as these words, whatever white space is between
// them; false if none is.
func (r *Rendering) Find(shown string) (Span, bool) {
	words := strings.Fields(strings.ReplaceAll(shown, lineMark, " "))
	if len(words) == 0 {
		return Span{}, false
	}
	text := string(r.text)
	for from := 0; ; {
		i := strings.Index(text[from:], words[0])
		if i < 0 {
			return Span{}, false
		}
		start := from + i
		if end, ok := followsWords(text, start, words); ok {
			return Span{Start: r.at[start], End: r.at[end-1] + 1}, true
		}
		from = start + len(words[0])
	}
}

// followsWords reports whether the words stand at an offset of text with white space between them, and
// where they end.
func followsWords(text string, at int, words []string) (end int, ok bool) {
	for i, word := range words {
		if i > 0 {
			next := skipSpace(text, at)
			if next == at {
				return 0, false
			}
			at = next
		}
		if !strings.HasPrefix(text[at:], word) {
			return 0, false
		}
		at += len(word)
	}
	return at, true
}

// lineMark stands for a line end of code where a text is shown on one line.
const lineMark = " ⏎ "

var lineMarks = strings.NewReplacer("\n", lineMark)

// Words returns a block as a reader sees it, on one line, without what introduces it.
func (l Lead) Words(format Format) string {
	r := &Rendering{}
	if l.Kind == Row {
		r.row(l.Text, 0, format, nil)
	} else {
		r.block(l.Text, 0, l.Kind, format)
	}
	return r.Span(Span{End: len(l.Text)})
}

// put adds text that stands at an offset of the passage. White space becomes one space.
func (r *Rendering) put(text string, from int) {
	for i := 0; i < len(text); {
		c, size := utf8.DecodeRuneInString(text[i:])
		if unicode.IsSpace(c) {
			r.space(from + i)
		} else {
			for k := range size {
				r.text, r.at = append(r.text, text[i+k]), append(r.at, from+i+k)
			}
		}
		i += size
	}
}

// putAt adds text that stands for something at an offset.
func (r *Rendering) putAt(text string, at int) {
	for i := range len(text) {
		r.text, r.at = append(r.text, text[i]), append(r.at, at)
	}
}

func (r *Rendering) space(at int) {
	if n := len(r.text); n > 0 && r.text[n-1] != ' ' && r.text[n-1] != '\n' {
		r.putAt(" ", at)
	}
}

func (r *Rendering) trim() {
	n := len(strings.TrimRight(string(r.text[max(0, len(r.text)-8):]), " "))
	n += max(0, len(r.text)-8)
	r.text, r.at = r.text[:n], r.at[:n]
}

// separate writes what stands between two blocks.
func (r *Rendering) separate(before, next Block) {
	r.trim()
	n := len(r.text)
	if n == 0 {
		return
	}
	at := max(next.Start-1, before.End)
	last, _ := utf8.DecodeLastRune(r.text)
	switch {
	case next.Kind == Code:
		r.putAt("\n", at)
		return
	case (next.Kind == Item || next.Kind == Row) && !strings.ContainsRune(".!?:;,…。！？：；，", last):
		r.putAt(";", at)
	}
	r.putAt(" ", at)
}

// block adds a block that is no row.
func (r *Rendering) block(text string, from int, kind BlockKind, format Format) {
	switch {
	case kind == Code:
		r.code(text, from, format)
	case kind == HeaderRow:
		r.row(withoutRule(text, format), from, format, nil)
	case format == Markdown:
		r.markdown(text, from, kind)
	case format == Wrapped:
		r.wrapped(text, from, kind)
	default:
		start := len(text) - len(strings.TrimLeft(text, " \t\r\n"))
		if kind == Item {
			start += bulletLen(text[start:])
		}
		r.put(text[start:], from+start)
	}
}

// fence opens or closes a block of code.
var fence = regexp.MustCompile("^[ \t>]*(?:```+|~~~+)[^`]*$")

// code adds lines of code without fences, indented as far as they are beyond the first.
func (r *Rendering) code(text string, from int, format Format) {
	all := lines(text)
	indent := -1
	for i, l := range all {
		line := text[l.Start:l.End]
		if blank(line) || format == Markdown && (i == 0 || i == len(all)-1) && fence.MatchString(line) || format == Wrapped && isCodeMark(all, i, text) {
			continue
		}
		body := strings.TrimLeft(line, " \t")
		if indent < 0 || len(line)-len(body) < indent {
			indent = len(line) - len(body)
		}
		if n := len(r.text); n > 0 && r.text[n-1] != '\n' {
			r.putAt("\n", max(r.at[n-1], from+l.Start-1))
		}
		body = strings.TrimRight(line[indent:], " \t")
		for k := range len(body) {
			r.text, r.at = append(r.text, body[k]), append(r.at, from+l.Start+indent+k)
		}
	}
}

// maxHeader bounds the words of a table's header that are repeated with the cells of a row.
const maxHeader = 40

// row adds the cells of a table row, each after the words of its column's headers, outermost first.
// Without headers of as many columns, or if they are long, the cells stand alone, and it returns false.
func (r *Rendering) row(text string, from int, format Format, headers [][]string) (headed bool) {
	cells := cellsOf(text, format)
	words := 0
	headed = len(headers) > 0 && len(cells) > 1
	for _, h := range headers {
		headed = headed && len(h) == len(cells)
		words += len(strings.Fields(strings.Join(h, " ")))
	}
	headed = headed && words <= maxHeader
	first := true
	for i, cell := range cells {
		shown := Rendering{passage: r.passage}
		shown.cell(text[cell.Start:cell.End], from+cell.Start, format)
		shown.trim()
		if len(shown.text) == 0 {
			continue
		}
		at := shown.at[0]
		if n := len(r.at); n > 0 {
			at = max(at, r.at[n-1])
		}
		if !first {
			r.putAt("; ", at)
		}
		first = false
		if headed {
			before := ""
			for _, h := range headers {
				if name := h[i]; name != "" && name != before && name != string(shown.text) {
					before = name
					r.putAt(strings.TrimRight(name, ":： ")+": ", at)
				}
			}
		}
		r.text, r.at = append(r.text, shown.text...), append(r.at, shown.at...)
	}
	return headed
}

func (r *Rendering) cell(text string, from int, format Format) {
	switch format {
	case Markdown:
		r.markdown(text, from, Paragraph)
		return
	case Wrapped:
		r.wrapped(text, from, Row)
		return
	}
	r.put(strings.TrimSpace(text), from+len(text)-len(strings.TrimLeft(text, " \t\r\n")))
}

// withoutRule returns a header without the line of dashes below it.
func withoutRule(text string, format Format) string {
	if first, rule, ok := strings.Cut(text, "\n"); ok && format == Markdown && delimiterLine.MatchString(strings.TrimRight(rule, " \t\r\n")) {
		return first
	}
	return text
}

// cellTexts returns the cells of a header as a reader sees them.
func cellTexts(text string, format Format) []string {
	text = withoutRule(text, format)
	cells := cellsOf(text, format)
	texts := make([]string, len(cells))
	for i, c := range cells {
		var r Rendering
		r.cell(text[c.Start:c.End], 0, format)
		texts[i] = strings.TrimSpace(string(r.text))
	}
	return texts
}

// cellEnd ends a cell of a table that is written as HTML; without it the next cell begins with cellStart.
var (
	cellEnd   = regexp.MustCompile(`(?i)</t[dh]\s*>`)
	cellStart = regexp.MustCompile(`(?i)<t[dh](?:\s[^<>]*)?>`)
)

// cellsOf returns the cells of a row. In Markdown a bar without a backslash separates them, or the tags of
// HTML; elsewhere a bar between spaces.
func cellsOf(text string, format Format) []Span {
	if format == Markdown && strings.Contains(text, "<") {
		for _, tag := range []*regexp.Regexp{cellEnd, cellStart} {
			var cells []Span
			start := 0
			for _, at := range tag.FindAllStringIndex(text, -1) {
				if tag == cellEnd || strings.TrimSpace(tags.ReplaceAllString(text[start:at[0]], "")) != "" {
					cells = append(cells, Span{start, at[0]})
				}
				start = at[1]
			}
			if len(cells) == 0 {
				continue
			}
			if strings.TrimSpace(tags.ReplaceAllString(text[start:], "")) != "" {
				cells = append(cells, Span{start, len(text)})
			}
			return cells
		}
	}
	outer := trimSpan(text, Span{End: len(text)})
	bar := func(i int) bool {
		if text[i] != '|' || i > 0 && text[i-1] == '\\' {
			return false
		}
		if format == Markdown {
			return true
		}
		return (i == 0 || isSpaceByte(text[i-1])) && (i+1 == len(text) || isSpaceByte(text[i+1]))
	}
	if outer.Len() > 0 && bar(outer.Start) {
		outer.Start++
	}
	if outer.Len() > 0 && bar(outer.End-1) {
		outer.End--
	}
	var cells []Span
	start := outer.Start
	for i := outer.Start; i < outer.End; i++ {
		if bar(i) {
			cells = append(cells, Span{start, i})
			start = i + 1
		}
	}
	return append(cells, Span{start, max(start, outer.End)})
}

var tags = regexp.MustCompile(`<[^<>]*>`)

func trimSpan(text string, s Span) Span {
	body := text[s.Start:s.End]
	left := strings.TrimLeft(body, " \t\r\n")
	s.Start += len(body) - len(left)
	s.End = s.Start + len(strings.TrimRight(left, " \t\r\n"))
	return s
}

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
