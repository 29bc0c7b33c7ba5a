package passage

import (
	"cmp"
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
		from := len(r.text)
		if b.Kind != Row {
			r.block(p.Text[b.Start:b.End], b.Start, b.Kind, format)
			r.part(from, b.Kind)
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
		r.part(from, b.Kind)
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
	start, end, ok := plaintext.FindWords(string(r.text), words)
	if !ok {
		return Span{}, false
	}
	return Span{Start: r.at[start], End: r.at[end-1] + 1}, true
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
	r.part(0, l.Kind)
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

// part puts a space where hiding markup brought together, in the block shown from an index of the text on, what an editor takes
// for more than text: "**vim**:" for an order, "!\[" for an image. Without it the sentence could not be quoted.
func (r *Rendering) part(from int, kind BlockKind) {
	joined := func(start, end int) bool { // that the passage does not have it so
		for i := start + 1; i < end; i++ {
			if r.at[i] != r.at[i-1]+1 && r.text[i] != ' ' && r.text[i-1] != ' ' {
				return true
			}
		}
		return false
	}
	if kind == Code || !joined(from, len(r.text)) {
		return
	}
	var spaces []int
	for _, j := range sanitise.Joints(string(r.text[from:])) {
		if joined(from+j.Start, from+j.End) {
			spaces = append(spaces, from+j.Space)
		}
	}
	if len(spaces) == 0 {
		return
	}
	slices.Sort(spaces)
	text, at := slices.Clone(r.text[from:]), slices.Clone(r.at[from:])
	r.text, r.at = r.text[:from], r.at[:from]
	last := 0
	for _, i := range slices.Compact(spaces) {
		r.text, r.at = append(r.text, text[last:i-from]...), append(r.at, at[last:i-from]...)
		last = i - from
		r.putAt(" ", at[last])
	}
	r.text, r.at = append(r.text, text[last:]...), append(r.at, at[last:]...)
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
