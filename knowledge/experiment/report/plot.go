package report

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"html"
	"html/template"
	"image/color"
	"math"
	"regexp"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

// Point is a place in a plot. Low and High are the ends of its interval, and NaN if it has none.
type Point struct{ X, Y, Low, High float64 }

// At is a point without an interval.
func At(x, y float64) Point { return Point{x, y, math.NaN(), math.NaN()} }

// Series is what one colour of a plot stands for.
type Series struct {
	Name   string // empty: it needs no legend
	Points []Point
	// Hollow draws the points as rings: of figures that were not measured here.
	Hollow bool
}

// Plot is a diagram. Equal plots give equal bytes.
type Plot struct {
	Title string
	X, Y  string // what the axes show
	// Names are of the places 0, 1, 2 … of the rows of [Plot.Dots].
	Names  []string
	Series []Series
}

// SVG is a drawn plot. It follows the colours of the page around it; [SVG.File] has its own.
type SVG string

// HTML returns the picture for a page.
func (s SVG) HTML() template.HTML { return template.HTML(s) }

// File returns the picture as a file of its own, light or dark as its reader prefers.
func (s SVG) File() []byte {
	at := strings.Index(string(s), ">") + 1
	return []byte(`<?xml version="1.0" encoding="UTF-8"?>` + "\n" + string(s[:at]) + "<style>svg{background:var(--page);color:var(--ink)}" + colourSheet(":root") + "</style>" + string(s[at:]) + "\n")
}

// Sizes of the pictures.
const (
	wide      vg.Length = 560
	high      vg.Length = 300
	rowHigh   vg.Length = 19 // of a row of dots
	maxPoints           = 20000
	maxName             = 48 // letters of a name in a picture
)

// A colour of the palette is drawn as one that nothing else has, which then becomes a variable of the page's style.
var (
	ink    = color.RGBA{1, 1, 1, 255}
	grid   = color.RGBA{2, 2, 2, 255}
	series = func(n int) color.Color { return color.RGBA{3, 3, uint8(n % len(palette)), 255} }
)

// palette has the colours of series in the light and in the dark. They stay distinct for readers with red-green
// colour blindness (after Okabe and Ito 2008).
var palette = [][2]string{
	{"#0072b2", "#5ab4ec"}, {"#c04f00", "#f58a4b"}, {"#00805c", "#3fc79a"}, {"#a8508a", "#dd8fc0"},
	{"#8a6a00", "#e6b422"}, {"#5b5b5b", "#b4b4b4"},
}

// colourSheet returns the variables of the colours, as style sheets hold them.
func colourSheet(selector string) string {
	var light, dark strings.Builder
	for n, c := range palette {
		fmt.Fprintf(&light, "--s%d:%s;", n, c[0])
		fmt.Fprintf(&dark, "--s%d:%s;", n, c[1])
	}
	const lightPage = "--page:#ffffff;--ink:#1c1c1c;--soft:#5c5c5c;--line:#d9d9d9;--shade:#f4f4f2;"
	const darkPage = "--page:#17181a;--ink:#e8e6e3;--soft:#a5a29c;--line:#3c3e42;--shade:#212327;"
	return selector + "{" + lightPage + light.String() + "}" +
		"@media screen and (prefers-color-scheme:dark){" + selector + "{" + darkPage + dark.String() + "}}"
}

// Lines draws each series as a line through its points, with their intervals.
func (p Plot) Lines() (SVG, error) {
	drawn, legend := p.frame()
	for n, s := range p.Series {
		line := &plotter.Line{XYs: xys(s.Points), LineStyle: stroke(n)}
		if len(line.XYs) == 0 {
			continue
		}
		drawn.Add(line)
		legend.Add(name(s.Name), line)
		if len(s.Points) <= 12 {
			points := &plotter.Scatter{XYs: line.XYs, GlyphStyle: glyph(n, s.Hollow)}
			drawn.Add(points)
		}
		addIntervals(drawn, n, s.Points, true)
	}
	p.extent(drawn)
	return p.write(drawn, legend, high)
}

// Dots draws one row for each name, from the top, with the X of each point as a dot and its interval as a line.
// The Y of a point is its row.
func (p Plot) Dots() (SVG, error) {
	flipped := p
	flipped.Series = nil
	last := float64(len(p.Names) - 1)
	for n, s := range p.Series {
		moved := Series{Name: s.Name, Hollow: s.Hollow}
		for _, point := range s.Points {
			point.Y = last - point.Y + .16*(float64(len(p.Series)-1)/2-float64(n))
			moved.Points = append(moved.Points, point)
		}
		flipped.Series = append(flipped.Series, moved)
	}
	drawn, legend := flipped.frame()
	for n, s := range flipped.Series {
		points := &plotter.Scatter{XYs: xys(s.Points), GlyphStyle: glyph(n, s.Hollow)}
		if len(points.XYs) == 0 {
			continue
		}
		addIntervals(drawn, n, s.Points, false)
		drawn.Add(points)
		if s.Name != "" {
			legend.Add(name(s.Name), points)
		}
	}
	rows := make([]string, len(p.Names))
	for i, text := range p.Names {
		rows[len(rows)-1-i] = text
	}
	drawn.Y.Tick.Marker = names(rows)
	flipped.extent(drawn)
	drawn.Y.Min, drawn.Y.Max = -.6, last+.6
	return p.write(drawn, legend, rowHigh*vg.Length(len(p.Names))+70)
}

// Steps draws each series as the outline of a histogram. A point is the left end of a bin and its height; the last
// point closes the last bin.
func (p Plot) Steps() (SVG, error) {
	drawn, legend := p.frame()
	for n, s := range p.Series {
		line := &plotter.Line{XYs: xys(s.Points), LineStyle: stroke(n), StepStyle: plotter.PostStep}
		if len(line.XYs) == 0 {
			continue
		}
		drawn.Add(line)
		legend.Add(name(s.Name), line)
	}
	p.extent(drawn)
	return p.write(drawn, legend, high)
}

// Scatter draws the points of each series.
func (p Plot) Scatter() (SVG, error) {
	drawn, legend := p.frame()
	for n, s := range p.Series {
		points := &plotter.Scatter{XYs: xys(s.Points[:min(len(s.Points), maxPoints)]), GlyphStyle: glyph(n, s.Hollow)}
		if len(points.XYs) == 0 {
			continue
		}
		points.Radius = 2
		drawn.Add(points)
		legend.Add(name(s.Name), points)
	}
	p.extent(drawn)
	return p.write(drawn, legend, wide*.75)
}

// frame returns an empty plot with its axes, and an empty legend.
func (p Plot) frame() (*plot.Plot, *plot.Legend) {
	drawn := plot.New()
	drawn.BackgroundColor = color.Transparent
	drawn.X.Label.Text, drawn.Y.Label.Text = name(p.X), name(p.Y)
	for _, axis := range []*plot.Axis{&drawn.X, &drawn.Y} {
		axis.LineStyle.Color, axis.Tick.LineStyle.Color = grid, grid
		for _, style := range []*text.Style{&axis.Label.TextStyle, &axis.Tick.Label} {
			sansSerif(style, 10)
		}
		axis.Padding = 4
	}
	lines := plotter.NewGrid()
	lines.Vertical.Color, lines.Horizontal.Color = grid, grid
	lines.Vertical.Width, lines.Horizontal.Width = .4, .4
	drawn.Add(lines)
	legend := plot.NewLegend()
	sansSerif(&legend.TextStyle, 10)
	legend.Left, legend.Top = true, true
	legend.Padding = 3
	return drawn, &legend
}

func sansSerif(style *text.Style, size font.Length) {
	style.Font.Variant, style.Font.Size, style.Color = "Sans", size, ink
}

// extent makes room for intervals, and for a plot all of whose values are alike.
func (p Plot) extent(drawn *plot.Plot) {
	for _, axis := range []*plot.Axis{&drawn.X, &drawn.Y} {
		if !(axis.Min < axis.Max) || math.IsInf(axis.Min, 0) || math.IsInf(axis.Max, 0) {
			if math.IsInf(axis.Min, 0) || math.IsNaN(axis.Min) {
				axis.Min = 0
			}
			axis.Min, axis.Max = axis.Min-.5, axis.Min+.5
		}
	}
}

// addIntervals draws the intervals of points, upright or level.
func addIntervals(drawn *plot.Plot, n int, points []Point, upright bool) {
	for _, point := range points {
		if math.IsNaN(point.Low) || math.IsNaN(point.High) {
			continue
		}
		ends := plotter.XYs{{X: point.Low, Y: point.Y}, {X: point.High, Y: point.Y}}
		if upright {
			ends = plotter.XYs{{X: point.X, Y: point.Low}, {X: point.X, Y: point.High}}
		}
		line := &plotter.Line{XYs: ends, LineStyle: stroke(n)}
		line.Width = 1
		drawn.Add(line)
	}
}

// stroke is the line of a series. Series beyond the palette are dashed.
func stroke(n int) draw.LineStyle {
	style := draw.LineStyle{Color: series(n), Width: 1.6}
	switch n / len(palette) {
	case 0:
	case 1:
		style.Dashes = []vg.Length{6, 3}
	default:
		style.Dashes = []vg.Length{2, 3}
	}
	return style
}

func glyph(n int, hollow bool) draw.GlyphStyle {
	style := draw.GlyphStyle{Color: series(n), Radius: 3.2, Shape: draw.CircleGlyph{}}
	if hollow {
		style.Shape = draw.RingGlyph{}
	}
	return style
}

// xys returns the points that can be drawn.
func xys(points []Point) plotter.XYs {
	var drawn plotter.XYs
	for _, p := range points {
		if !math.IsNaN(p.X+p.Y) && !math.IsInf(p.X+p.Y, 0) {
			drawn = append(drawn, plotter.XY{X: p.X, Y: p.Y})
		}
	}
	return drawn
}

// name is a text in a picture: one short line whose every character is visible.
func name(text string) string {
	return clip(visible(text), maxName)
}

// names marks the places 0, 1, 2 … of an axis.
type names []string

// Ticks implements [plot.Ticker].
func (n names) Ticks(_, _ float64) []plot.Tick {
	ticks := make([]plot.Tick, len(n))
	for i, text := range n {
		ticks[i] = plot.Tick{Value: float64(i), Label: name(text)}
	}
	return ticks
}

// write draws a plot with its legend below it.
func (p Plot) write(drawn *plot.Plot, legend *plot.Legend, height vg.Length) (SVG, error) {
	const row = 16
	var below vg.Length
	entries := 0
	if legend != nil {
		for _, s := range p.Series {
			if s.Name != "" && len(xys(s.Points)) > 0 {
				entries++
			}
		}
		below = vg.Length(entries)*row + 6
	}
	canvas := vgsvg.New(wide, height+below)
	area := draw.New(canvas)
	drawn.Draw(draw.Crop(area, 2, -10, below, -6))
	if entries > 0 {
		legend.Draw(draw.Crop(area, 60, 0, 0, -height))
	}
	var raw bytes.Buffer
	if _, err := canvas.WriteTo(&raw); err != nil {
		return "", err
	}
	return themed(raw.String(), p.Title)
}

var (
	preamble   = regexp.MustCompile(`(?s)^.*?<svg[^>]*?viewBox="([^"]*)"[^>]*>`)
	hexColour  = regexp.MustCompile(`#0([123])0[123]0([0-9A-F])`)
	fontFamily = regexp.MustCompile(`font-family:[^;"]*`)
)

// themed gives a picture its title and the colours and letters of the page around it.
func themed(svg, title string) (SVG, error) {
	head := preamble.FindStringSubmatch(svg)
	if head == nil {
		return "", fmt.Errorf("report: the plotting library wrote no picture")
	}
	body := hexColour.ReplaceAllStringFunc(svg[len(head[0]):], func(hex string) string {
		switch hex[2] {
		case '1':
			return "var(--ink)"
		case '2':
			return "var(--line)"
		}
		return "var(--s" + hex[6:] + ")"
	})
	body = fontFamily.ReplaceAllString(body, "font-family:Liberation Sans,Arial,Helvetica,sans-serif")
	opening := fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="%s" role="img" class="plot"><title>%s</title>`, head[1], html.EscapeString(visible(title)))
	whole := opening + strings.TrimSpace(body)
	if err := xml.Unmarshal([]byte(whole), new(struct{})); err != nil {
		return "", fmt.Errorf("report: a picture that cannot be read: %w", err)
	}
	return SVG(whole), nil
}
