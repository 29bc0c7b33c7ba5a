package eval

import (
	"fmt"
	"html"
	"io"
	"math"
	"strings"
)

// Series is one curve or one bar of a [Figure].
type Series struct {
	Name string
	// Values of a curve are heights at equal steps from 0 to 100 % of the horizontal axis. A bar has
	// one value, or three: its height and the two ends of its interval.
	Values []float64
}

// Figure is a diagram to be drawn as SVG. Equal figures give equal bytes, so that they can be kept under
// version control.
type Figure struct {
	Title      string
	Horizontal string
	Vertical   string
	Series     []Series
}

// Sizes in pixels. The legend of curves is on the right, the names of bars are below.
const (
	width, height            = 720, 420
	left, right, top, bottom = 70, 190, 40, 60
	innerWidth               = width - left - right
	innerHeight              = height - top - bottom
	ticks                    = 5
)

// dashes distinguish series of the same colour.
var dashes = []string{"", ` stroke-dasharray="6 3"`, ` stroke-dasharray="2 3"`}

// colours stay distinct for readers with red-green colour blindness (Okabe and Ito 2008).
var colours = []string{"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000"}

// DrawCurves draws each series as a line.
func DrawCurves(w io.Writer, f Figure) error {
	c := newCanvas(f, innerWidth)
	for _, percent := range []int{0, 20, 40, 60, 80, 100} {
		c.text(left+float64(percent)/100*innerWidth, height-bottom+18, "middle", fmt.Sprintf("%d %%", percent))
	}
	for n, s := range f.Series {
		var points []string
		for i, v := range s.Values {
			x := left + innerWidth*float64(i)/float64(max(len(s.Values)-1, 1))
			points = append(points, fmt.Sprintf("%.1f,%.1f", x, c.y(v)))
		}
		colour := colours[n%len(colours)]
		dash := dashes[n/len(colours)%len(dashes)]
		c.printf(`<polyline fill="none" stroke="%s" stroke-width="1.5"%s points="%s"/>`, colour, dash, strings.Join(points, " "))
		y := top + 12 + 18*float64(n)
		c.printf(`<line x1="%d" y1="%.1f" x2="%d" y2="%.1f" stroke="%s" stroke-width="3"%s/>`, width-right+12, y-4, width-right+34, y-4, colour, dash)
		c.text(width-right+40, y, "start", s.Name)
	}
	return c.write(w)
}

// DrawBars draws each series as a bar, with its interval as a line.
func DrawBars(w io.Writer, f Figure) error {
	const wide = width - left - 20 // bars need no legend
	c := newCanvas(f, wide)
	step := wide / float64(max(len(f.Series), 1))
	for n, s := range f.Series {
		if len(s.Values) == 0 {
			continue
		}
		x := left + step*(float64(n)+.2)
		y := c.y(s.Values[0])
		c.printf(`<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" fill="%s"/>`, x, y, .6*step, height-bottom-y, colours[0])
		if len(s.Values) == 3 {
			c.printf(`<line x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f" stroke="black" stroke-width="1.5"/>`, x+.3*step, c.y(s.Values[1]), x+.3*step, c.y(s.Values[2]))
		}
		c.text(x+.3*step, height-bottom+18+14*float64(n%2), "middle", fmt.Sprintf("%s %.2f", s.Name, s.Values[0]))
	}
	return c.write(w)
}

// canvas gathers the elements of a figure.
type canvas struct {
	strings.Builder
	low, high float64 // of the vertical axis
}

// newCanvas draws the frame, whose lines are wide pixels long.
func newCanvas(f Figure, wide float64) *canvas {
	c := &canvas{low: math.Inf(1), high: math.Inf(-1)}
	for _, s := range f.Series {
		for _, v := range s.Values {
			c.low, c.high = min(c.low, v), max(c.high, v)
		}
	}
	if !(c.low < c.high) { // nothing to show, or one height only
		c.low, c.high = math.Min(c.low, 0), math.Max(c.high, 1)
	}
	margin := .06 * (c.high - c.low)
	c.low, c.high = c.low-margin, c.high+margin
	c.printf(`<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" font-family="sans-serif" font-size="12">`, width, height)
	c.printf(`<rect width="%d" height="%d" fill="white"/>`, width, height)
	c.printf(`<text x="%d" y="22" font-size="15">%s</text>`, left, html.EscapeString(f.Title))
	for t := range ticks + 1 {
		v := c.low + (c.high-c.low)*float64(t)/ticks
		c.printf(`<line x1="%d" y1="%.1f" x2="%.1f" y2="%.1f" stroke="#dddddd"/>`, left, c.y(v), left+wide, c.y(v))
		c.text(left-6, c.y(v)+4, "end", fmt.Sprintf("%.1f", v))
	}
	c.text(left+wide/2, height-12, "middle", f.Horizontal)
	c.printf(`<text transform="translate(16 %d) rotate(-90)" text-anchor="middle">%s</text>`, top+innerHeight/2, html.EscapeString(f.Vertical))
	return c
}

// y is where a height is drawn.
func (c *canvas) y(v float64) float64 { return top + innerHeight*(c.high-v)/(c.high-c.low) }

func (c *canvas) printf(format string, args ...any) { fmt.Fprintf(c, format+"\n", args...) }

func (c *canvas) text(x, y float64, anchor, text string) {
	c.printf(`<text x="%.1f" y="%.1f" text-anchor="%s">%s</text>`, x, y, anchor, html.EscapeString(text))
}

func (c *canvas) write(w io.Writer) error {
	_, err := io.WriteString(w, c.String()+"</svg>\n")
	return err
}
