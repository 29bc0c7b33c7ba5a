package pdf

import (
	"bytes"
	"math"
	"slices"
	"strings"
)

// matrix maps points as PDF 32000-1, 8.3.3 defines: (x y 1) times [a b 0; c d 0; e f 1].
type matrix struct{ a, b, c, d, e, f float64 }

var identity = matrix{a: 1, d: 1}

// times returns the matrix that applies m first, then n.
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

// glyph is the text of one code on the page. Its coordinates are points of the page rotated back by
// its angle, so that text runs to the right and lines follow downwards.
type glyph struct {
	text     string
	x, y     float64 // its origin on the baseline
	end      float64 // right edge of its box
	size     float64 // apparent size of the font
	angle    int16   // direction of the text in degrees anticlockwise, from 0 to 359
	bold     bool
	artifact bool // inside marked content with the tag Artifact
}

// rule is a horizontal or vertical line, in points of the page.
type rule struct{ x0, y0, x1, y1 float64 }

// Limits of one page.
const (
	maxGlyphs     = 1 << 20
	maxRules      = 1 << 16
	maxOperators  = 20 << 20
	maxFormDepth  = 12
	maxForms      = 20_000
	maxStateDepth = 1024
	maxArrayItems = 1 << 20 // elements of the arrays of one operator
)

// interpreter executes the operators of a page and collects the text and the rules that they draw.
type interpreter struct {
	f          *file
	resources  dict
	fonts      map[reference]*font // of the file
	state      graphicsState
	stack      []graphicsState
	textMatrix matrix // Tm
	lineMatrix matrix // Tlm
	marks      []markedContent
	hidden     int // depth of marked content that is not shown
	artifacts  int // depth of artifacts
	depth      int
	forms      int
	operators  int
	glyphs     []glyph
	rules      []rule
	path       []rule
	at, start  [2]float64 // of the path
	pictures   float64    // area of the pictures, in square points
	unmapped   int        // letters whose font does not say what they mean
}

type graphicsState struct {
	page                                      matrix
	font                                      *font
	size, spacing, wordSpacing, leading, rise float64
	scale                                     float64
}

// markedContent is a marked-content sequence that has not ended yet (PDF 32000-1, 14.6).
type markedContent struct {
	artifact, hidden bool
	actualText       *string
	from             int // its first glyph
}

// operand is an operand of an operator.
type operand struct {
	token
	object   object // of a dictionary
	from, to int    // items of an array
}

// run executes the operators of a content stream.
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
			for depth := 1; depth > 0 && len(items) < maxArrayItems; {
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
			if in.operators++; in.operators > maxOperators {
				return
			}
			if string(t.bytes) == "BI" {
				skipImage(&p.lexer)
				in.addPicture()
			} else {
				in.execute(t.bytes, operands, items)
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

// skipImage skips the data of an inline image. Bytes of the image can spell "EI", so the operator
// counts only between spaces and before printable text.
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

func (in *interpreter) execute(operator []byte, o operands, items []token) {
	switch string(operator) {
	case "q":
		if len(in.stack) < maxStateDepth {
			in.stack = append(in.stack, in.state)
		}
	case "Q":
		if n := len(in.stack); n > 0 {
			in.state, in.stack = in.stack[n-1], in.stack[:n-1]
		}
	case "cm":
		in.state.page = o.matrix().times(in.state.page)
	case "Do":
		in.drawNamedForm(name(o.bytes(0)))
	case "gs":
		in.setGraphicsState(name(o.bytes(0)))

	case "BT":
		in.textMatrix, in.lineMatrix = identity, identity
	case "Tf":
		in.state.font, in.state.size = in.namedFont(name(o.bytes(0))), o.number(1)
	case "Tc":
		in.state.spacing = o.number(0)
	case "Tw":
		in.state.wordSpacing = o.number(0)
	case "Tz":
		in.state.scale = o.number(0) / 100
	case "TL":
		in.state.leading = o.number(0)
	case "Ts":
		in.state.rise = o.number(0)
	case "Td":
		in.moveLine(o.number(0), o.number(1))
	case "TD":
		in.state.leading = -o.number(1)
		in.moveLine(o.number(0), o.number(1))
	case "Tm":
		in.textMatrix = o.matrix()
		in.lineMatrix = in.textMatrix
	case "T*":
		in.moveLine(0, -in.state.leading)
	case "Tj":
		in.showText(o.bytes(0))
	case "'":
		in.moveLine(0, -in.state.leading)
		in.showText(o.bytes(0))
	case "\"":
		in.state.wordSpacing, in.state.spacing = o.number(0), o.number(1)
		in.moveLine(0, -in.state.leading)
		in.showText(o.bytes(2))
	case "TJ":
		if len(o) == 0 {
			return
		}
		for _, item := range items[o[0].from:o[0].to] {
			if item.kind == stringToken {
				in.showText(item.bytes)
			} else {
				in.moveText(-item.number / 1000 * in.state.size)
			}
		}

	case "BMC":
		in.beginMarked(name(o.bytes(0)), nil)
	case "BDC":
		var properties object
		if len(o) > 1 {
			if properties = o[1].object; o[1].kind == nameToken {
				properties = in.f.dict(in.resources["Properties"])[name(o.bytes(1))]
			}
		}
		in.beginMarked(name(o.bytes(0)), properties)
	case "EMC":
		in.endMarked()

	case "m":
		in.at = [2]float64{o.number(0), o.number(1)}
		in.start = in.at
	case "l":
		to := [2]float64{o.number(0), o.number(1)}
		in.addRule(in.at, to)
		in.at = to
	case "c":
		in.at = [2]float64{o.number(4), o.number(5)}
	case "v", "y":
		in.at = [2]float64{o.number(2), o.number(3)}
	case "h":
		in.addRule(in.at, in.start)
		in.at = in.start
	case "re":
		x, y, w, h := o.number(0), o.number(1), o.number(2), o.number(3)
		in.at = [2]float64{x, y}
		in.start = in.at
		a, b, c := [2]float64{x + w, y}, [2]float64{x + w, y + h}, [2]float64{x, y + h}
		in.addRule(in.at, a)
		in.addRule(a, b)
		in.addRule(b, c)
		in.addRule(c, in.at)
	case "S", "s", "f", "F", "f*", "B", "B*", "b", "b*":
		if in.hidden == 0 && len(in.rules) < maxRules {
			in.rules = append(in.rules, in.path...)
		}
		in.path = in.path[:0]
	case "n":
		in.path = in.path[:0]
	}
}

// addRule adds a line to the path if it is horizontal or vertical and longer than 4 points.
func (in *interpreter) addRule(from, to [2]float64) {
	if len(in.path) >= maxRules {
		return
	}
	r := rule{}
	r.x0, r.y0 = in.state.page.point(from[0], from[1])
	r.x1, r.y1 = in.state.page.point(to[0], to[1])
	if !isFinite(r.x0, r.y0, r.x1, r.y1) {
		return
	}
	if dx, dy := math.Abs(r.x1-r.x0), math.Abs(r.y1-r.y0); min(dx, dy) < 1 && max(dx, dy) > 4 {
		in.path = append(in.path, rule{min(r.x0, r.x1), min(r.y0, r.y1), max(r.x0, r.x1), max(r.y0, r.y1)})
	}
}

// beginMarked begins marked content.
func (in *interpreter) beginMarked(tag name, properties object) {
	m := markedContent{from: len(in.glyphs), artifact: tag == "Artifact"}
	d := in.f.dict(properties)
	if tag == "OC" {
		m.hidden = in.f.isHidden(properties)
	}
	if actual, ok := in.f.resolve(d["ActualText"]).(text); ok {
		s := textString(actual)
		m.actualText = &s
	}
	if m.artifact {
		in.artifacts++
	}
	if m.hidden {
		in.hidden++
	}
	if len(in.marks) < maxStateDepth {
		in.marks = append(in.marks, m)
	}
}

// endMarked ends marked content. If it has /ActualText and stands on one line, that text replaces what
// it shows.
func (in *interpreter) endMarked() {
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
	if m.actualText == nil || m.from >= len(in.glyphs) {
		return
	}
	shown := in.glyphs[m.from:]
	first := shown[0]
	for _, g := range shown {
		if g.angle != first.angle || math.Abs(g.y-first.y) > first.size/2 || g.x < first.x-first.size/2 {
			return // several lines, whose words keep their places
		}
		first.end = max(first.end, g.end)
	}
	first.text = (&font{}).displayText(*m.actualText, "")
	in.glyphs = append(in.glyphs[:m.from], first)
}

// isHidden reports whether optional content is off when the file is opened.
func (f *file) isHidden(o object) bool {
	if f.hiddenGroups == nil {
		f.hiddenGroups = map[int]bool{}
		for _, group := range f.array(f.dict(f.dict(f.catalogue()["OCProperties"])["D"])["OFF"]) {
			if r, ok := group.(reference); ok {
				f.hiddenGroups[r.number] = true
			}
		}
	}
	if len(f.hiddenGroups) == 0 {
		return false
	}
	if r, ok := o.(reference); ok && f.hiddenGroups[r.number] {
		return true
	}
	d := f.dict(o)
	groups, shown := f.asArray(d["OCGs"]), false
	if r, ok := d["OCGs"].(reference); ok && f.hiddenGroups[r.number] {
		return true
	}
	for _, group := range groups {
		r, ok := group.(reference)
		shown = shown || !ok || !f.hiddenGroups[r.number]
	}
	return len(groups) > 0 && f.name(d["Type"]) == "OCMD" && !shown
}

// drawNamedForm executes the form XObject of that name.
func (in *interpreter) drawNamedForm(n name) {
	o := in.f.dict(in.resources["XObject"])[n]
	s, ok := in.f.resolve(o).(*stream)
	switch {
	case !ok:
	case in.f.name(s.dict["Subtype"]) == "Form":
		in.drawForm(s)
	default:
		in.addPicture()
	}
}

// addPicture counts a picture, which fills the unit square of user space.
func (in *interpreter) addPicture() {
	if area := math.Abs(in.state.page.a*in.state.page.d - in.state.page.b*in.state.page.c); isFinite(area) && in.hidden == 0 {
		in.pictures += area
	}
}

// drawForm executes a form. The depth is bounded, because a form can draw itself.
func (in *interpreter) drawForm(s *stream) {
	if in.forms++; in.depth >= maxFormDepth || in.forms > maxForms || s.dict["OC"] != nil && in.f.isHidden(s.dict["OC"]) {
		return
	}
	outer, now, saved, text, line, marks := in.resources, in.state, in.stack, in.textMatrix, in.lineMatrix, len(in.marks)
	if own := in.f.dict(s.dict["Resources"]); own != nil {
		in.resources = own
	}
	if m := readNumbers(in.f, s.dict["Matrix"], 6); m != nil {
		in.state.page = matrix{m[0], m[1], m[2], m[3], m[4], m[5]}.times(in.state.page)
	}
	in.depth++
	in.stack = nil
	in.run(in.f.decode(s))
	for len(in.marks) > marks {
		in.endMarked()
	}
	in.depth--
	in.resources, in.state, in.stack, in.textMatrix, in.lineMatrix = outer, now, saved, text, line
}

// setGraphicsState takes the font from an ExtGState.
func (in *interpreter) setGraphicsState(n name) {
	state := in.f.dict(in.f.dict(in.resources["ExtGState"])[n])
	if chosen := in.f.array(state["Font"]); len(chosen) == 2 {
		in.state.font = in.loadFont(chosen[0])
		in.state.size, _ = in.f.number(chosen[1])
	}
}

func (in *interpreter) namedFont(n name) *font {
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

func (in *interpreter) moveLine(x, y float64) {
	in.lineMatrix = matrix{a: 1, d: 1, e: x, f: y}.times(in.lineMatrix)
	in.textMatrix = in.lineMatrix
}

// moveText advances the text position, in units of text space.
func (in *interpreter) moveText(by float64) {
	if in.state.font != nil && in.state.font.vertical {
		in.textMatrix.e += by * in.textMatrix.c
		in.textMatrix.f += by * in.textMatrix.d
		return
	}
	by *= in.state.scale
	in.textMatrix.e += by * in.textMatrix.a
	in.textMatrix.f += by * in.textMatrix.b
}

// showText collects the glyphs of a string.
func (in *interpreter) showText(s []byte) {
	font := in.state.font
	if font == nil {
		return
	}
	full := in.textMatrix.times(in.state.page)
	// A negative size rotates letters, as a matrix would.
	alongX, alongY := in.state.size*in.state.scale*full.a, in.state.size*in.state.scale*full.b
	if font.vertical {
		alongX, alongY = -math.Abs(in.state.size)*full.c, -math.Abs(in.state.size)*full.d
	}
	degrees := math.Atan2(alongY, alongX) * 180 / math.Pi
	size := math.Abs(in.state.size) * math.Hypot(full.c, full.d) * font.height
	if !isFinite(degrees, size) {
		return
	}
	angle := snapAngle(degrees)
	sin, cos := sincos(angle)
	unit := math.Hypot(alongX, alongY) // points per unit of size along the text
	for len(s) > 0 && len(in.glyphs) < maxGlyphs {
		c := font.next(s)
		if c.length == 0 {
			return
		}
		isSpace := c.length == 1 && s[0] == ' '
		s = s[min(c.length, len(s)):]
		x, y := in.textMatrix.times(in.state.page).point(0, in.state.rise)
		width := font.advance(c)
		if font.vertical {
			in.moveText(in.state.spacing - in.state.size)
			x += 0.5 * size // the origin of vertical text is the middle of its column
			width = 1
		} else {
			by := width*in.state.size + in.state.spacing
			if isSpace {
				by += in.state.wordSpacing
			}
			in.moveText(by)
		}
		g := glyph{text: font.text(c), size: size, angle: angle, bold: font.bold, artifact: in.artifacts > 0}
		g.x, g.y = x*cos+y*sin, y*cos-x*sin
		g.end = g.x + width*unit
		switch {
		case in.hidden > 0 || !isFinite(g.x, g.y, g.end):
		case g.text != "":
			in.glyphs = append(in.glyphs, g)
			if font.drawn {
				font.shown[g.text]++
			}
		case font.unreadable && strings.TrimSpace(font.letters[c.value&0xff]) != "", width > 0 && !font.isBlank(c):
			in.unmapped++
		}
	}
}

// snapAngle rounds to whole degrees from 0 to 359, and to a quarter turn if that is at most 6 degrees
// away.
func snapAngle(degrees float64) int16 {
	angle := (int16(math.Round(degrees)) + 720) % 360
	for _, quarter := range []int16{0, 90, 180, 270, 360} {
		if away := angle - quarter; -6 <= away && away <= 6 {
			return quarter % 360
		}
	}
	return angle
}

func sincos(angle int16) (sin, cos float64) {
	switch angle {
	case 0:
		return 0, 1
	case 90:
		return 1, 0
	case 180:
		return 0, -1
	case 270:
		return -1, 0
	}
	return math.Sincos(float64(angle) * math.Pi / 180)
}

// rotateRules returns the rules in the coordinates of text at an angle; none unless it is a quarter
// turn.
func rotateRules(rules []rule, angle int16) []rule {
	if angle == 0 {
		return rules
	}
	if angle%90 != 0 {
		return nil
	}
	sin, cos := sincos(angle)
	all := slices.Clone(rules)
	for i, r := range all {
		x0, y0, x1, y1 := r.x0*cos+r.y0*sin, r.y0*cos-r.x0*sin, r.x1*cos+r.y1*sin, r.y1*cos-r.x1*sin
		all[i] = rule{min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1)}
	}
	return all
}

// isFinite reports whether all numbers have a size that a page can have. Products of a file's own
// numbers can overflow.
func isFinite(numbers ...float64) bool {
	for _, x := range numbers {
		if !(math.Abs(x) < 1e7) {
			return false
		}
	}
	return true
}
