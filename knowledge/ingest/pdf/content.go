package pdf

import (
	"bytes"
	"math"
	"slices"
)

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

func (m matrix) point(x, y float64) (float64, float64) {
	return x*m.a + y*m.c + m.e, x*m.b + y*m.d + m.f
}

// glyph is the text of a code on the page. Its places are in the frame of its turn, in points: the
// page's coordinates turned back so that the text runs to the right and lines follow downwards.
type glyph struct {
	text     string
	x, y     float64 // where it begins on its baseline
	end      float64 // where its box ends
	size     float64 // of the font as it looks
	turn     int16   // degrees anticlockwise in which the text runs, from 0 to 359
	bold     bool
	artifact bool // is marked as no part of the content
}

// rule is a straight line that is drawn across or down the page, in points of the page.
type rule struct{ x0, y0, x1, y1 float64 }

// Bounds of a page.
const (
	mostGlyphs    = 1 << 20
	mostRules     = 1 << 16
	mostOperators = 20 << 20
	deepestForm   = 12
	mostForms     = 20_000
	deepestState  = 1024
	mostItems     = 1 << 20 // of the array of one operator
)

// interpreter follows the operators of a page and notes the text and the rules that they draw.
type interpreter struct {
	f         *file
	resources dict
	fonts     map[reference]*font // of the file
	now       state
	saved     []state
	text      matrix // Tm
	line      matrix // Tlm
	marks     []mark
	hidden    int // open marked content that is not shown
	artifacts int // open artifacts
	depth     int
	forms     int
	operators int
	glyphs    []glyph
	rules     []rule
	path      []rule
	at, start [2]float64 // of the path
}

type state struct {
	page                                      matrix
	font                                      *font
	size, spacing, wordSpacing, leading, rise float64
	scale                                     float64
}

// mark is open marked content.
type mark struct {
	artifact, hidden bool
	actual           *string
	from             int // its first glyph
}

// operand is an operand of an operator.
type operand struct {
	token
	object   object // of a dictionary
	from, to int    // items of an array
}

// run follows operators.
func (in *interpreter) run(data []byte) {
	p := parser{lexer: lexer{data: data}}
	var operands []operand
	var items []token
	for {
		t := p.next()
		switch t.kind {
		case endToken:
			return
		case openArray:
			from := len(items)
			for depth := 1; depth > 0 && len(items) < mostItems; {
				switch item := p.next(); item.kind {
				case endToken:
					depth = 0
				case openArray:
					depth++
				case closeArray:
					depth--
				case numberToken, stringToken:
					items = append(items, item)
				}
			}
			operands = append(operands, operand{token: t, from: from, to: len(items)})
		case openDict:
			operands = append(operands, operand{token: t, object: p.dict(0)})
			p.elements = 0
		case keywordToken:
			if in.operators++; in.operators > mostOperators {
				return
			}
			if string(t.bytes) == "BI" {
				skipImage(&p.lexer)
			} else {
				in.do(t.bytes, operands, items)
			}
			operands, items, p.scratch = operands[:0], items[:0], p.scratch[:0]
		case closeArray, closeDict:
		default:
			if len(operands) < 64 {
				operands = append(operands, operand{token: t})
			}
		}
	}
}

// skipImage moves behind the data of an inline image.
func skipImage(l *lexer) {
	for {
		t := l.next()
		if t.kind == endToken {
			return
		}
		if t.kind == keywordToken && string(t.bytes) == "ID" {
			break
		}
	}
	for from := l.at; ; {
		i := bytes.Index(l.data[from:], []byte("EI"))
		if i < 0 {
			l.at = len(l.data)
			return
		}
		i += from
		from = i + 2
		if i > l.at && classes[l.data[i-1]] != space || from < len(l.data) && classes[l.data[from]] != space {
			continue
		}
		text := true
		for _, c := range l.data[from:min(from+16, len(l.data))] {
			text = text && (c >= 0x20 && c < 0x7f || c == '\n' || c == '\r' || c == '\t')
		}
		if text {
			l.at = from
			return
		}
	}
}

type operands []operand

func (o operands) number(i int) float64 {
	if i < len(o) {
		return o[i].number
	}
	return 0
}

func (o operands) bytes(i int) []byte {
	if i < len(o) {
		return o[i].token.bytes
	}
	return nil
}

func (o operands) matrix() matrix {
	return matrix{o.number(0), o.number(1), o.number(2), o.number(3), o.number(4), o.number(5)}
}

func (in *interpreter) do(operator []byte, o operands, items []token) {
	switch string(operator) {
	case "q":
		if len(in.saved) < deepestState {
			in.saved = append(in.saved, in.now)
		}
	case "Q":
		if n := len(in.saved); n > 0 {
			in.now, in.saved = in.saved[n-1], in.saved[:n-1]
		}
	case "cm":
		in.now.page = o.matrix().times(in.now.page)
	case "Do":
		in.form(name(o.bytes(0)))
	case "gs":
		in.graphicsState(name(o.bytes(0)))

	case "BT":
		in.text, in.line = identity, identity
	case "Tf":
		in.now.font, in.now.size = in.fontNamed(name(o.bytes(0))), o.number(1)
	case "Tc":
		in.now.spacing = o.number(0)
	case "Tw":
		in.now.wordSpacing = o.number(0)
	case "Tz":
		in.now.scale = o.number(0) / 100
	case "TL":
		in.now.leading = o.number(0)
	case "Ts":
		in.now.rise = o.number(0)
	case "Td":
		in.move(o.number(0), o.number(1))
	case "TD":
		in.now.leading = -o.number(1)
		in.move(o.number(0), o.number(1))
	case "Tm":
		in.text = o.matrix()
		in.line = in.text
	case "T*":
		in.move(0, -in.now.leading)
	case "Tj":
		in.show(o.bytes(0))
	case "'":
		in.move(0, -in.now.leading)
		in.show(o.bytes(0))
	case "\"":
		in.now.wordSpacing, in.now.spacing = o.number(0), o.number(1)
		in.move(0, -in.now.leading)
		in.show(o.bytes(2))
	case "TJ":
		if len(o) == 0 {
			return
		}
		for _, item := range items[o[0].from:o[0].to] {
			if item.kind == stringToken {
				in.show(item.bytes)
			} else {
				in.advance(-item.number / 1000 * in.now.size)
			}
		}

	case "BMC":
		in.open(name(o.bytes(0)), nil)
	case "BDC":
		var properties object
		if len(o) > 1 {
			if properties = o[1].object; o[1].kind == nameToken {
				properties = in.f.dict(in.resources["Properties"])[name(o.bytes(1))]
			}
		}
		in.open(name(o.bytes(0)), properties)
	case "EMC":
		in.close()

	case "m":
		in.at = [2]float64{o.number(0), o.number(1)}
		in.start = in.at
	case "l":
		to := [2]float64{o.number(0), o.number(1)}
		in.draw(in.at, to)
		in.at = to
	case "c":
		in.at = [2]float64{o.number(4), o.number(5)}
	case "v", "y":
		in.at = [2]float64{o.number(2), o.number(3)}
	case "h":
		in.draw(in.at, in.start)
		in.at = in.start
	case "re":
		x, y, w, h := o.number(0), o.number(1), o.number(2), o.number(3)
		in.at = [2]float64{x, y}
		in.start = in.at
		a, b, c := [2]float64{x + w, y}, [2]float64{x + w, y + h}, [2]float64{x, y + h}
		in.draw(in.at, a)
		in.draw(a, b)
		in.draw(b, c)
		in.draw(c, in.at)
	case "S", "s", "f", "F", "f*", "B", "B*", "b", "b*":
		if in.hidden == 0 && len(in.rules) < mostRules {
			in.rules = append(in.rules, in.path...)
		}
		in.path = in.path[:0]
	case "n":
		in.path = in.path[:0]
	}
}

// draw adds a line to the path where it runs across or down the page.
func (in *interpreter) draw(from, to [2]float64) {
	if len(in.path) >= mostRules {
		return
	}
	r := rule{}
	r.x0, r.y0 = in.now.page.point(from[0], from[1])
	r.x1, r.y1 = in.now.page.point(to[0], to[1])
	if !finite(r.x0, r.y0, r.x1, r.y1) {
		return
	}
	if dx, dy := math.Abs(r.x1-r.x0), math.Abs(r.y1-r.y0); min(dx, dy) < 1 && max(dx, dy) > 4 {
		in.path = append(in.path, rule{min(r.x0, r.x1), min(r.y0, r.y1), max(r.x0, r.x1), max(r.y0, r.y1)})
	}
}

// open begins marked content.
func (in *interpreter) open(tag name, properties object) {
	m := mark{from: len(in.glyphs), artifact: tag == "Artifact"}
	d := in.f.dict(properties)
	if tag == "OC" {
		m.hidden = in.f.isHidden(properties)
	}
	if actual, ok := in.f.resolve(d["ActualText"]).(text); ok {
		s := textString(actual)
		m.actual = &s
	}
	if m.artifact {
		in.artifacts++
	}
	if m.hidden {
		in.hidden++
	}
	if len(in.marks) < deepestState {
		in.marks = append(in.marks, m)
	}
}

// close ends marked content and gives what it shows the text that it is said to have.
func (in *interpreter) close() {
	n := len(in.marks)
	if n == 0 {
		return
	}
	m := in.marks[n-1]
	in.marks = in.marks[:n-1]
	if m.artifact {
		in.artifacts--
	}
	if m.hidden {
		in.hidden--
	}
	if m.actual == nil || m.from >= len(in.glyphs) {
		return
	}
	shown := in.glyphs[m.from:]
	first := shown[0]
	for _, g := range shown {
		if g.turn != first.turn || math.Abs(g.y-first.y) > first.size/2 || g.x < first.x-first.size/2 {
			return // lines of text, whose words have places of their own
		}
		first.end = max(first.end, g.end)
	}
	first.text = (&font{}).shown(*m.actual, "")
	in.glyphs = append(in.glyphs[:m.from], first)
}

// isHidden reports whether optional content is switched off when the file is opened.
func (f *file) isHidden(o object) bool {
	if f.off == nil {
		f.off = map[int]bool{}
		for _, group := range f.array(f.dict(f.dict(f.catalogue()["OCProperties"])["D"])["OFF"]) {
			if r, ok := group.(reference); ok {
				f.off[r.number] = true
			}
		}
	}
	if len(f.off) == 0 {
		return false
	}
	if r, ok := o.(reference); ok && f.off[r.number] {
		return true
	}
	d := f.dict(o)
	groups, shown := f.listed(d["OCGs"]), false
	if r, ok := d["OCGs"].(reference); ok && f.off[r.number] {
		return true
	}
	for _, group := range groups {
		r, ok := group.(reference)
		shown = shown || !ok || !f.off[r.number]
	}
	return len(groups) > 0 && f.name(d["Type"]) == "OCMD" && !shown
}

// form follows a drawing that the page uses by name. A drawing within a drawing is bounded, or one
// that uses itself would never end.
func (in *interpreter) form(n name) {
	o := in.f.dict(in.resources["XObject"])[n]
	s, ok := in.f.resolve(o).(*stream)
	if !ok || in.f.name(s.dict["Subtype"]) != "Form" {
		return
	}
	in.draws(s)
}

func (in *interpreter) draws(s *stream) {
	if in.forms++; in.depth >= deepestForm || in.forms > mostForms || s.dict["OC"] != nil && in.f.isHidden(s.dict["OC"]) {
		return
	}
	outer, now, saved, text, line, marks := in.resources, in.now, in.saved, in.text, in.line, len(in.marks)
	if own := in.f.dict(s.dict["Resources"]); own != nil {
		in.resources = own
	}
	if m := numbers(in.f, s.dict["Matrix"], 6); m != nil {
		in.now.page = matrix{m[0], m[1], m[2], m[3], m[4], m[5]}.times(in.now.page)
	}
	in.depth++
	in.saved = nil
	in.run(in.f.decoded(s))
	for len(in.marks) > marks {
		in.close()
	}
	in.depth--
	in.resources, in.now, in.saved, in.text, in.line = outer, now, saved, text, line
}

// graphicsState takes the font of a named graphics state.
func (in *interpreter) graphicsState(n name) {
	state := in.f.dict(in.f.dict(in.resources["ExtGState"])[n])
	if chosen := in.f.array(state["Font"]); len(chosen) == 2 {
		in.now.font = in.loadFont(chosen[0])
		in.now.size, _ = in.f.number(chosen[1])
	}
}

func (in *interpreter) fontNamed(n name) *font {
	return in.loadFont(in.f.dict(in.resources["Font"])[n])
}

func (in *interpreter) loadFont(o object) *font {
	r, isReference := o.(reference)
	if loaded, known := in.fonts[r]; isReference && known {
		return loaded
	}
	loaded := newFont(in.f, in.f.dict(o))
	if isReference {
		in.fonts[r] = loaded
	}
	return loaded
}

func (in *interpreter) move(x, y float64) {
	in.line = matrix{a: 1, d: 1, e: x, f: y}.times(in.line)
	in.text = in.line
}

// advance moves the place of the next glyph, in units of the text.
func (in *interpreter) advance(by float64) {
	if in.now.font != nil && in.now.font.vertical {
		in.text.e += by * in.text.c
		in.text.f += by * in.text.d
		return
	}
	by *= in.now.scale
	in.text.e += by * in.text.a
	in.text.f += by * in.text.b
}

// show notes the glyphs of a string.
func (in *interpreter) show(s []byte) {
	font := in.now.font
	if font == nil {
		return
	}
	full := in.text.times(in.now.page)
	// A negative size turns letters round, as a matrix would.
	alongX, alongY := in.now.size*in.now.scale*full.a, in.now.size*in.now.scale*full.b
	if font.vertical {
		alongX, alongY = -math.Abs(in.now.size)*full.c, -math.Abs(in.now.size)*full.d
	}
	degrees := math.Atan2(alongY, alongX) * 180 / math.Pi
	size := math.Abs(in.now.size) * math.Hypot(full.c, full.d) * font.tall
	if !finite(degrees, size) {
		return
	}
	turn := snapped(degrees)
	sin, cos := sincos(turn)
	unit := math.Hypot(alongX, alongY) // points of one size along the text
	for len(s) > 0 && len(in.glyphs) < mostGlyphs {
		c := font.next(s)
		if c.length == 0 {
			return
		}
		isSpace := c.length == 1 && s[0] == ' '
		s = s[min(c.length, len(s)):]
		x, y := in.text.times(in.now.page).point(0, in.now.rise)
		width := font.advance(c)
		if font.vertical {
			in.advance(in.now.spacing - in.now.size)
			x += 0.5 * size // the place of vertical text is the middle of the column
			width = 1
		} else {
			by := width*in.now.size + in.now.spacing
			if isSpace {
				by += in.now.wordSpacing
			}
			in.advance(by)
		}
		g := glyph{text: font.text(c), size: size, turn: turn, bold: font.bold, artifact: in.artifacts > 0}
		g.x, g.y = x*cos+y*sin, y*cos-x*sin
		g.end = g.x + width*unit
		if in.hidden == 0 && g.text != "" && finite(g.x, g.y, g.end) {
			in.glyphs = append(in.glyphs, g)
		}
	}
}

// snapped returns whole degrees from 0 to 359, and quarters where little is missing.
func snapped(degrees float64) int16 {
	turn := (int16(math.Round(degrees)) + 720) % 360
	for _, quarter := range []int16{0, 90, 180, 270, 360} {
		if away := turn - quarter; -6 <= away && away <= 6 {
			return quarter % 360
		}
	}
	return turn
}

func sincos(turn int16) (sin, cos float64) {
	switch turn {
	case 0:
		return 0, 1
	case 90:
		return 1, 0
	case 180:
		return 0, -1
	case 270:
		return -1, 0
	}
	return math.Sincos(float64(turn) * math.Pi / 180)
}

// turned returns the rules in the frame of a turn; of one that is no quarter, none.
func turned(rules []rule, turn int16) []rule {
	if turn == 0 {
		return rules
	}
	if turn%90 != 0 {
		return nil
	}
	sin, cos := sincos(turn)
	all := slices.Clone(rules)
	for i, r := range all {
		x0, y0, x1, y1 := r.x0*cos+r.y0*sin, r.y0*cos-r.x0*sin, r.x1*cos+r.y1*sin, r.y1*cos-r.x1*sin
		all[i] = rule{min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1)}
	}
	return all
}

// finite reports whether all are numbers of a size that a page can have, which products of a file's own
// numbers need not be.
func finite(numbers ...float64) bool {
	for _, x := range numbers {
		if !(math.Abs(x) < 1e7) {
			return false
		}
	}
	return true
}
