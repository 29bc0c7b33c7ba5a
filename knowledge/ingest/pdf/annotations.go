package pdf

import (
	"cmp"
	"math"
	"strings"
)

// drawAnnotations executes what lies on top of a page: values of form fields and comments with text.
func (in *interpreter) drawAnnotations(all array, upright matrix) {
	const hidden, noView = 1 << 1, 1 << 5
	page := in.resources
	regenerate, _ := in.f.resolve(in.f.dict(in.f.catalogue()["AcroForm"])["NeedAppearances"]).(bool)
	for _, o := range all[:min(len(all), maxForms)] {
		d := in.f.dict(o)
		flags, _ := in.f.number(d["F"])
		box := readNumbers(in.f, d["Rect"], 4)
		if int(flags)&(hidden|noView) != 0 || box == nil || in.f.name(d["Subtype"]) == "Popup" {
			continue
		}
		box = []float64{min(box[0], box[2]), min(box[1], box[3]), max(box[0], box[2]), max(box[1], box[3])}
		in.state, in.stack, in.resources = graphicsState{page: upright, scale: 1}, nil, page
		if regenerate && in.f.name(d["Subtype"]) == "Widget" && in.drawFieldValue(d, box) {
			continue // viewers draw the value too, because the appearance may be an old one
		}
		if s := in.appearance(d); s != nil {
			if m, ok := in.fitAppearance(s, box); ok {
				in.state.page = m.times(upright)
				before := len(in.glyphs)
				in.drawForm(s)
				if len(in.glyphs) > before {
					continue
				}
			}
		}
		if in.f.name(d["Subtype"]) == "Widget" {
			in.drawFieldValue(d, box)
		}
	}
}

// appearance returns the normal appearance of an annotation, or nil if it has none.
func (in *interpreter) appearance(d dict) *stream {
	normal := in.f.resolve(in.f.dict(d["AP"])["N"])
	if states, ok := normal.(dict); ok {
		normal = in.f.resolve(states[in.f.name(d["AS"])])
	}
	s, _ := normal.(*stream)
	return s
}

// fitAppearance returns the matrix that maps the box of an appearance to a rectangle, by PDF 32000-1,
// 12.5.5.
func (in *interpreter) fitAppearance(s *stream, box []float64) (matrix, bool) {
	own := readNumbers(in.f, s.dict["BBox"], 4)
	if own == nil {
		return matrix{}, false
	}
	m := identity
	if n := readNumbers(in.f, s.dict["Matrix"], 6); n != nil {
		m = matrix{n[0], n[1], n[2], n[3], n[4], n[5]}
	}
	x0, y0, x1, y1 := math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)
	for _, corner := range [][2]float64{{own[0], own[1]}, {own[2], own[1]}, {own[0], own[3]}, {own[2], own[3]}} {
		x, y := m.point(corner[0], corner[1])
		x0, y0, x1, y1 = min(x0, x), min(y0, y), max(x1, x), max(y1, y)
	}
	if x1-x0 <= 0 || y1-y0 <= 0 {
		return matrix{}, false
	}
	a, d := (box[2]-box[0])/(x1-x0), (box[3]-box[1])/(y1-y0)
	return matrix{a, 0, 0, d, box[0] - x0*a, box[1] - y0*d}, true
}

// drawFieldValue shows the value of a text or choice field and reports whether it has one.
func (in *interpreter) drawFieldValue(d dict, box []float64) bool {
	var value object
	kind := name("")
	for range 16 {
		value, kind = cmp.Or(value, in.f.resolve(d["V"])), cmp.Or(kind, in.f.name(d["FT"]))
		if d = in.f.dict(d["Parent"]); d == nil {
			break
		}
	}
	var chosen []text
	for _, o := range in.f.asArray(value) {
		if s, ok := in.f.resolve(o).(text); ok && s != "" {
			chosen = append(chosen, s)
		}
	}
	size := min(10, 0.8*(box[3]-box[1]))
	if len(chosen) == 0 || kind != "Tx" && kind != "Ch" || size <= 1 {
		return false
	}
	t := &font{simple: true, scale: 1, height: 1}
	at := box[1] + 0.25*(box[3]-box[1])
	for _, s := range chosen {
		for line := range strings.Lines(textString(s)) {
			x, y := in.state.page.point(box[0]+2, at)
			for _, r := range line {
				g := glyph{text: t.displayText(string(r), ""), x: x, y: y, end: x + 0.5*size, size: size}
				if x += 0.5 * size; g.text != "" && isFinite(g.x, g.y) && len(in.glyphs) < maxGlyphs {
					in.glyphs = append(in.glyphs, g)
				}
			}
			at -= 1.2 * size
		}
	}
	return true
}
