package pdf

import (
	"math"
	"strings"

	"github.com/ledongthuc/pdf"
	"golang.org/x/text/unicode/norm"

	"lacuna/knowledge/plaintext"
)

// Line is a stretch of text on one baseline, without leading or trailing space. Its numbers are points,
// 72 to the inch; y grows upwards.
type Line struct {
	Text string  `json:"text"`
	Size float64 `json:"size"` // of most of its letters
	X    float64 `json:"x"`
	Y    float64 `json:"y"`
	End  float64 `json:"end"` // where its last letter ends
}

// tidy writes letters as people type them: no ligatures, composed accents, single spaces.
func tidy(s string) string {
	return plaintext.OneLine(norm.NFC.String(ligatures.Replace(s)))
}

var ligatures = strings.NewReplacer("\uFB00", "ff", "\uFB01", "fi", "\uFB02", "fl", "\uFB03", "ffi", "\uFB04", "ffl",
	"\uFB05", "st", "\uFB06", "st", "\u00AD", "", "\x00", "", "\uFFFD", "")

// matrix maps points as in PDF 32000-1, 8.3.3: (x y 1) times [a b 0; c d 0; e f 1].
type matrix struct{ a, b, c, d, e, f float64 }

var identity = matrix{a: 1, d: 1}

// times applies m first, then n.
func (m matrix) times(n matrix) matrix {
	return matrix{
		m.a*n.a + m.b*n.c, m.a*n.b + m.b*n.d,
		m.c*n.a + m.d*n.c, m.c*n.b + m.d*n.d,
		m.e*n.a + m.f*n.c + n.e, m.e*n.b + m.f*n.d + n.f,
	}
}

// glyph is a letter on the page.
type glyph struct {
	text            string
	x, y, end, size float64 // end is where the next letter of the run would begin
}

// painter follows the operators of a page and collects the glyphs they show. Its state is defined in
// PDF 32000-1, 9.3; colours and lines do not matter.
type painter struct {
	resources  pdf.Value
	fonts      map[string]*font
	depth      int
	glyphs     []glyph
	graphics   []state
	now        state
	text, line matrix
}

type state struct {
	page                                      matrix
	font                                      *font
	size, spacing, wordSpacing, leading, rise float64
	scale                                     float64 // of widths; 0 stands for 1
}

const mostGlyphs = 4 << 20 // of a page

// content follows a stream of operators, or several as one.
func (p *painter) content(stream pdf.Value) {
	if p.now.page == (matrix{}) {
		p.now.page = identity
	}
	pdf.Interpret(stream, func(stack *pdf.Stack, operator string) {
		arguments := make([]pdf.Value, stack.Len())
		for i := len(arguments) - 1; i >= 0; i-- {
			arguments[i] = stack.Pop()
		}
		p.do(operator, operands(arguments))
	})
}

// operands are the arguments of an operator; a missing one is null or 0.
type operands []pdf.Value

func (o operands) at(i int) pdf.Value {
	if i >= len(o) {
		return pdf.Value{}
	}
	return o[i]
}

func (o operands) number(i int) float64 { return o.at(i).Float64() }

func (o operands) matrix() matrix {
	return matrix{o.number(0), o.number(1), o.number(2), o.number(3), o.number(4), o.number(5)}
}

func (p *painter) do(operator string, o operands) {
	switch operator {
	case "q":
		if len(p.graphics) < 1024 {
			p.graphics = append(p.graphics, p.now)
		}
	case "Q":
		if n := len(p.graphics); n > 0 {
			p.now, p.graphics = p.graphics[n-1], p.graphics[:n-1]
		}
	case "cm":
		p.now.page = o.matrix().times(p.now.page)
	case "Do":
		p.form(p.resources.Key("XObject").Key(o.at(0).Name()))
	case "BT":
		p.text, p.line = identity, identity
	case "Tf":
		p.now.font, p.now.size = p.fontNamed(o.at(0).Name()), o.number(1)
	case "Tc":
		p.now.spacing = o.number(0)
	case "Tw":
		p.now.wordSpacing = o.number(0)
	case "Tz":
		p.now.scale = o.number(0) / 100
	case "TL":
		p.now.leading = o.number(0)
	case "Ts":
		p.now.rise = o.number(0)
	case "Td":
		p.move(o.number(0), o.number(1))
	case "TD":
		p.now.leading = -o.number(1)
		p.move(o.number(0), o.number(1))
	case "Tm":
		p.text, p.line = o.matrix(), o.matrix()
	case "T*":
		p.move(0, -p.now.leading)
	case "Tj":
		p.show(o.at(0).RawString())
	case "'":
		p.move(0, -p.now.leading)
		p.show(o.at(0).RawString())
	case "\"":
		p.now.wordSpacing, p.now.spacing = o.number(0), o.number(1)
		p.move(0, -p.now.leading)
		p.show(o.at(2).RawString())
	case "TJ":
		p.showAll(o.at(0))
	}
}

// form follows a drawing that the page uses by name. The depth is bounded, because a drawing may use
// itself.
func (p *painter) form(drawing pdf.Value) {
	if drawing.Key("Subtype").Name() != "Form" || p.depth == 8 {
		return
	}
	outer, fonts, now, graphics := p.resources, p.fonts, p.now, p.graphics
	if own := drawing.Key("Resources"); !own.IsNull() {
		p.resources, p.fonts = own, map[string]*font{}
	}
	if m := drawing.Key("Matrix"); m.Len() == 6 {
		var o operands
		for i := range 6 {
			o = append(o, m.Index(i))
		}
		p.now.page = o.matrix().times(p.now.page)
	}
	p.depth++
	p.graphics = nil
	p.content(drawing)
	p.depth--
	p.resources, p.fonts, p.now, p.graphics = outer, fonts, now, graphics
}

func (p *painter) fontNamed(name string) *font {
	f, known := p.fonts[name]
	if !known {
		f = newFont(p.resources.Key("Font").Key(name))
		p.fonts[name] = f
	}
	return f
}

func (p *painter) move(x, y float64) {
	p.line = matrix{a: 1, d: 1, e: x, f: y}.times(p.line)
	p.text = p.line
}

// showAll shows strings. Numbers between them move the next string, in thousandths of the font size.
func (p *painter) showAll(list pdf.Value) {
	for i := range list.Len() {
		if item := list.Index(i); item.Kind() == pdf.String {
			p.show(item.RawString())
		} else {
			p.advance(-item.Float64() / 1000 * p.now.size)
		}
	}
}

func (p *painter) show(raw string) {
	f := p.now.font
	if f == nil {
		return
	}
	for len(raw) > 0 && len(p.glyphs) < mostGlyphs {
		code := raw[:min(f.codeLength, len(raw))]
		raw = raw[len(code):]
		place := matrix{a: 1, d: 1, f: p.now.rise}.times(p.text).times(p.now.page)
		width := f.width(code)/1000*p.now.size + p.now.spacing
		if code == " " {
			width += p.now.wordSpacing
		}
		p.advance(width)
		after := p.text.times(p.now.page)
		// Text that runs upwards or is mirrored is no running text of the page: labels of axes, stamps.
		size := math.Abs(p.now.size * math.Hypot(place.c, place.d))
		if place.a > 0 && math.Abs(place.b) < place.a/4 && finite(place.e, place.f, after.e, size) {
			p.glyphs = append(p.glyphs, glyph{f.letters(code), place.e, place.f, after.e, size})
		}
	}
}

// finite reports whether all numbers are finite, which products of a file's numbers need not be.
func finite(numbers ...float64) bool {
	for _, x := range numbers {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return false
		}
	}
	return true
}

func (p *painter) advance(by float64) {
	if p.now.scale != 0 {
		by *= p.now.scale
	}
	p.text = matrix{a: 1, d: 1, e: by}.times(p.text)
}

// font decodes the codes of a font and knows their widths.
type font struct {
	codeLength int // in bytes
	encoding   pdf.TextEncoding
	known      map[string]string // letters of codes
	widths     map[int]float64   // in thousandths of the size
	otherwise  float64           // width of an unlisted code
}

func newFont(v pdf.Value) *font {
	library := pdf.Font{V: v}
	f := &font{codeLength: 1, encoding: library.Encoder(), known: map[string]string{}, widths: map[int]float64{}}
	if v.Key("Subtype").Name() == "Type0" {
		f.codeLength = 2
		f.cidWidths(v.Key("DescendantFonts").Index(0))
		return f
	}
	for i, width := range library.Widths() {
		f.widths[library.FirstChar()+i] = width
	}
	f.otherwise = v.Key("FontDescriptor").Key("MissingWidth").Float64()
	if len(f.widths) == 0 {
		f.otherwise = 500 // one of the fonts every reader brings along; half the size is near their mean
	}
	return f
}

// cidWidths reads the widths of a composite font as in PDF 32000-1, 9.7.4.3: a code and a list of
// widths, or two codes and the width of every code between them.
func (f *font) cidWidths(descendant pdf.Value) {
	f.otherwise = 1000
	if given := descendant.Key("DW"); !given.IsNull() {
		f.otherwise = given.Float64()
	}
	list := descendant.Key("W")
	for i := 0; i+1 < list.Len(); {
		first := int(list.Index(i).Int64())
		if several := list.Index(i + 1); several.Kind() == pdf.Array {
			for k := range several.Len() {
				f.widths[first+k] = several.Index(k).Float64()
			}
			i += 2
			continue
		}
		last := min(int(list.Index(i+1).Int64()), 1<<16)
		for code := first; code <= last; code++ {
			f.widths[code] = list.Index(i + 2).Float64()
		}
		i += 3
	}
}

func (f *font) width(code string) float64 {
	number := 0
	for _, b := range []byte(code) {
		number = number<<8 | int(b)
	}
	if width, listed := f.widths[number]; listed {
		return width
	}
	return f.otherwise
}

func (f *font) letters(code string) string {
	letters, known := f.known[code]
	if !known {
		letters = f.encoding.Decode(code)
		f.known[code] = letters
	}
	return letters
}

// Distances relative to a letter's size; measured on files from a browser, TeX and office programs.
const (
	wordGap  = 0.17 // the least space between words
	sameLine = 0.45 // how far a raised or lowered letter stands from the line
	wideGap  = 2.5  // the least space between columns of a table, which no sentence crosses
)

// lines joins the glyphs in the order in which the page shows them. That keeps columns apart, because
// every program that sets columns writes one after the other.
func (p *painter) lines() []Line {
	var lines []Line
	var b strings.Builder
	sizes := map[float64]int{}
	var line Line
	finish := func() {
		if line.Text = tidy(b.String()); line.Text != "" {
			line.Size = mostFrequent(sizes)
			lines = append(lines, line)
		}
		b.Reset()
		clear(sizes)
	}
	var last glyph
	for i, g := range p.glyphs {
		size := max(g.size, last.size, 1)
		gap := g.x - last.end
		switch {
		case i == 0:
			line = Line{X: g.x, Y: g.y}
		case math.Abs(g.y-line.Y) > sameLine*size, gap > wideGap*size, g.x < last.x-size/2:
			finish()
			line = Line{X: g.x, Y: g.y}
		case gap > wordGap*size && !wide(last.text) && !wide(g.text):
			b.WriteByte(' ')
		}
		b.WriteString(g.text)
		sizes[math.Round(2*g.size)/2] += len(g.text)
		if strings.TrimSpace(g.text) != "" {
			line.End = g.end
		}
		last = g
	}
	finish()
	return lines
}

// wide reports whether a letter belongs to a script that is written without spaces.
func wide(letter string) bool {
	for _, r := range letter {
		return r >= 0x2E80 && r < 0xA4D0 || r >= 0xF900 && r < 0xFB00 || r >= 0xFF00 && r < 0xFFE0
	}
	return false
}

func mostFrequent(sizes map[float64]int) float64 {
	best, most := 0.0, 0
	for size, n := range sizes {
		if n > most || n == most && size > best {
			best, most = size, n
		}
	}
	return best
}
