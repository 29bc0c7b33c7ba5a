package pdf

import (
	"math"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// itemMark matches the beginning of a list item. An "o" is a bullet before a capital only, because it
// is a word in some languages.
var itemMark = regexp.MustCompile(`^(?:[•●▪◦‣–⁃∙○■□◆◇❖➢➤►▶✓✔☐☒☑*-]|\(?\d{1,3}[.)]|\(?(?:[a-z]|[ivx]{1,5})[.)]|\([A-Z]\))\s|^o\s+\p{Lu}`)

// bulletMark matches an item that has no number.
var bulletMark = regexp.MustCompile(`^[•●▪◦‣–⁃∙○■□◆◇❖➢➤►▶✓✔☐☒☑*-]\s`)

// loneMark matches a mark that stands apart from the text of its item.
var loneMark = regexp.MustCompile(`^(?:[•●▪◦‣–⁃∙○■□◆◇❖➢➤►▶✓✔☐☒☑*-]|o|\(?\d{1,3}[.)]|\(?(?:[a-z]|[ivx]{1,5})[.)]|\([A-Z]\))$`)

// markStructure marks list items, captions and footnotes among the blocks of text.
func markStructure(pages []Page) {
	for i := range pages {
		joinMarks(&pages[i])
	}
	markCaptions(pages)
	markFootnotes(pages)
	markItems(pages)
}

// maxInitialDistance bounds the blocks between a large initial and its text.
const maxInitialDistance = 3

// joinInitials joins a large initial to the text that it begins.
func joinInitials(p *Page) {
	for i := 0; i < len(p.Blocks); i++ {
		b := &p.Blocks[i]
		if b.Kind != Text || b.Chrome != NotChrome || len(b.Lines) != 1 || utf8.RuneCountInString(b.Lines[0].Text) != 1 {
			continue
		}
		initial := b.Lines[0]
		if r, _ := utf8.DecodeRuneInString(initial.Text); !unicode.IsUpper(r) {
			continue
		}
		for k := i + 1; k < len(p.Blocks) && k <= i+maxInitialDistance; k++ {
			next := &p.Blocks[k]
			if next.Kind != Text || next.Chrome != NotChrome {
				continue
			}
			first := &next.Lines[0]
			r, _ := utf8.DecodeRuneInString(first.Text)
			if top := initial.Y + initial.Size; initial.Size >= 1.5*first.Size && unicode.IsLetter(r) && first.X > initial.X && first.X-initial.End < first.Size && first.Y > initial.Y-2 && first.Y < top {
				first.Text = initial.Text + first.Text
				p.Blocks = append(p.Blocks[:i], p.Blocks[i+1:]...)
				i--
				break
			}
		}
	}
}

// joinMarks joins a mark that stands apart to its item: in a block of its own on the same baseline, or
// in the first column of a table that has no other column but the text.
func joinMarks(p *Page) {
	blocks := p.Blocks[:0]
	for i := 0; i < len(p.Blocks); i++ {
		b := p.Blocks[i]
		if b.Kind == Row && b.First {
			n := 1
			for i+n < len(p.Blocks) && p.Blocks[i+n].Kind == Row && !p.Blocks[i+n].First {
				n++
			}
			if items := itemsOf(p.Blocks[i : i+n]); items != nil {
				blocks = append(blocks, items...)
			} else {
				blocks = append(blocks, p.Blocks[i:i+n]...)
			}
			i += n - 1
			continue
		}
		if b.Kind == Text && len(b.Lines) == 1 && i+1 < len(p.Blocks) && loneMark.MatchString(b.Lines[0].Text) {
			next, mark := &p.Blocks[i+1], b.Lines[0]
			if next.Kind == Text && next.Chrome == b.Chrome {
				if first := &next.Lines[0]; math.Abs(first.Y-mark.Y) < 0.5*max(first.Size, mark.Size) && first.X > mark.X && first.X-mark.End < 6*first.Size {
					first.Text, first.X = mark.Text+" "+first.Text, mark.X
					continue
				}
			}
		}
		blocks = append(blocks, b)
	}
	p.Blocks = blocks
}

// itemsOf returns the rows of a table as paragraphs if all of them are a mark and one text; else nil.
func itemsOf(rows []Block) []Block {
	var items []Block
	for _, r := range rows {
		if len(r.Lines) < 2 || r.Header || !loneMark.MatchString(r.Lines[0].Text) || len(r.Cells) < 2 || r.Cells[0] != r.Lines[0].Text {
			return nil
		}
		filled := 0
		for _, cell := range r.Cells {
			if cell != "" {
				filled++
			}
		}
		if filled != 2 {
			return nil
		}
		b := Block{Kind: Text, Chrome: r.Chrome, Lines: append([]Line(nil), r.Lines[1:]...)}
		b.Lines[0].Text, b.Lines[0].X = r.Lines[0].Text+" "+b.Lines[0].Text, r.Lines[0].X
		items = append(items, b)
	}
	return items
}

var (
	captionMark  = regexp.MustCompile(`^(?i:table|figure|fig\.|exhibit|chart|box|tabelle|tab\.|abbildung|abb\.|tableau|tabla|tabela|figura)\s*(?:[A-Z]?\d{1,3}(?:[.-]\d{1,3})*|[IVX]{1,5}|[A-Z])(?:\s*[.:|–—-]|\s+\p{Lu}|$)|^[图圖表]\s*\d`)
	drawingMark  = regexp.MustCompile(`^(?i:tab|fig|abb)|^[图圖表]`) // an "Exhibit A" in large letters is a part of the document
	footnoteMark = regexp.MustCompile(`^(?:[¹²³⁰⁴-⁹]+|\d{1,3}|[*†‡§]{1,3})\s?\p{L}`)
)

const maxCaptionBytes = 400

func markCaptions(pages []Page) {
	for i := range pages {
		for k := range pages[i].Blocks {
			b := &pages[i].Blocks[k]
			if b.Chrome != NotChrome || b.Kind != Text && (b.Kind != Heading || !drawingMark.MatchString(b.Lines[0].Text)) || !captionMark.MatchString(b.Lines[0].Text) {
				continue
			}
			length := 0
			for _, line := range b.Lines {
				length += len(line.Text)
			}
			if length <= maxCaptionBytes {
				b.Kind, b.Level = Caption, 0
			}
		}
	}
}

// markFootnotes marks small text that begins with a number or a sign in the lower half of a page, and
// below which nothing larger stands.
func markFootnotes(pages []Page) {
	body := bodySize(pages)
	for i := range pages {
		top, bottom := math.Inf(-1), math.Inf(1)
		for _, b := range pages[i].Blocks {
			for _, line := range b.Lines {
				top, bottom = max(top, line.Y), min(bottom, line.Y)
			}
		}
		floor := math.Inf(1) // of larger text
		for _, b := range pages[i].Blocks {
			for _, line := range b.Lines {
				if b.Chrome == NotChrome && line.Size > 0.95*body {
					floor = min(floor, line.Y)
				}
			}
		}
		for k := range pages[i].Blocks {
			b := &pages[i].Blocks[k]
			first := b.Lines[0]
			if b.Kind == Text && b.Chrome == NotChrome && first.Size <= 0.92*body && first.Y < (top+bottom)/2 && first.Y < floor && footnoteMark.MatchString(first.Text) {
				b.Kind = Footnote
			}
		}
	}
}

// bodySize returns the size of most letters.
func bodySize(pages []Page) float64 {
	letters := map[float64]int{}
	for i := range pages {
		for _, b := range pages[i].Blocks {
			if b.Chrome == NotChrome {
				for _, line := range b.Lines {
					letters[line.Size] += utf8.RuneCountInString(line.Text)
				}
			}
		}
	}
	return mode(letters)
}

// openItem is the last item of a level that may have more items or paragraphs below it.
type openItem struct {
	x     float64
	style string // of its mark
}

const maxItemLevel = 8

// markItems marks list items with their levels, which marks and indentation show, and the paragraphs
// inside them.
func markItems(pages []Page) {
	var open []openItem
	var last Line
	page := -1
	for i := range pages {
		for k := range pages[i].Blocks {
			b := &pages[i].Blocks[k]
			switch {
			case b.Chrome != NotChrome || b.Kind == Footnote:
				continue
			case b.Kind != Text:
				open = nil
				continue
			}
			line := b.Lines[0]
			moved := page != i || line.Y > last.Y // to another column or page
			page, last = i, b.Lines[len(b.Lines)-1]
			if style := markStyle(line.Text); style != "" {
				open = openLevel(open, openItem{line.X, style}, line.Size, moved)
				b.Kind, b.Level = Item, len(open)
				continue
			}
			first, _ := utf8.DecodeRuneInString(line.Text)
			if moved && unicode.IsLower(first) {
				continue // the item goes on
			}
			level := 0
			for at := range open {
				if indent := line.X - open[at].x; !moved && indent > 0.5*line.Size && indent < 8*line.Size {
					level = at + 1
				}
			}
			open, b.Level = open[:level], level
		}
	}
}

// openLevel returns the open items after next, which is then the last of them.
func openLevel(open []openItem, next openItem, size float64, moved bool) []openItem {
	near := func(o openItem) bool { return math.Abs(o.x-next.x) < 0.4*size }
	if moved { // the margin may be another
		for i := len(open) - 1; i >= 0; i-- {
			if open[i].style == next.style {
				for k := range open[:i+1] {
					open[k].x += next.x - open[i].x
				}
				break
			}
		}
	}
	for i := len(open) - 1; i >= 0; i-- {
		if near(open[i]) && open[i].style == next.style {
			return append(open[:i], next)
		}
	}
	for i := len(open) - 1; i >= 0; i-- { // marks that are not aligned, such as numbers with one and two digits
		if open[i].style == next.style && math.Abs(open[i].x-next.x) < size {
			return append(open[:i], next)
		}
	}
	for len(open) > 0 && open[len(open)-1].x > next.x && !near(open[len(open)-1]) {
		open = open[:len(open)-1]
	}
	if len(open) == maxItemLevel {
		open = open[:maxItemLevel-1]
	}
	return append(open, next)
}

// markStyle returns what the marks of one level have in common, such as "•" or "(1)"; "" if the text
// does not begin with a mark.
func markStyle(text string) string {
	mark := itemMark.FindString(text)
	if mark == "" {
		return ""
	}
	mark, _, _ = strings.Cut(mark, " ")
	var style strings.Builder
	lastClass := ' '
	for _, r := range mark {
		class := r
		switch {
		case unicode.IsDigit(r):
			class = '1'
		case unicode.IsLower(r) && len(mark) > 1:
			class = 'a'
		case unicode.IsUpper(r) && len(mark) > 1:
			class = 'A'
		}
		if class != lastClass {
			style.WriteRune(class)
		}
		lastClass = class
	}
	return style.String()
}
