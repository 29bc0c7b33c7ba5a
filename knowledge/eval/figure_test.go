package eval

import (
	"bytes"
	"encoding/xml"
	"io"
	"math"
	"strings"
	"testing"
)

func TestFiguresAreWholeAndRepeatable(t *testing.T) {
	f := Figure{Title: "A & B < C", Horizontal: "share", Vertical: "accuracy", Series: []Series{
		{"one", []float64{58.8, 61.2, 61.7}}, {"<two>", []float64{60, 59, 61}}, {"none", nil},
	}}
	for name, draw := range map[string]func(io.Writer, Figure) error{"curves": DrawCurves, "bars": DrawBars} {
		for _, figure := range []Figure{f, {}, {Series: []Series{{"flat", []float64{1, 1, 1}}}}} {
			var first, second bytes.Buffer
			if err := draw(&first, figure); err != nil {
				t.Fatal(err)
			}
			if err := draw(&second, figure); err != nil || first.String() != second.String() {
				t.Errorf("%s: %v, or other bytes the second time", name, err)
			}
			decoder := xml.NewDecoder(strings.NewReader(first.String()))
			for {
				_, err := decoder.Token()
				if err == io.EOF {
					break
				}
				if err != nil {
					t.Fatalf("%s: %v in\n%s", name, err, first.String())
				}
			}
			if strings.Contains(first.String(), "NaN") || strings.Contains(first.String(), "Inf") {
				t.Errorf("%s: a place that is no number", name)
			}
		}
	}
}

// TestHeights checks a drawn height against the axis by hand: the range 0 to 1 with a margin of 6 %
// on 320 pixels.
func TestHeights(t *testing.T) {
	c := newCanvas(Figure{Series: []Series{{"s", []float64{0, 1}}}}, innerWidth)
	if got, want := c.y(0), top+innerHeight*1.06/1.12; math.Abs(got-want) > 1e-9 {
		t.Errorf("0 is drawn at %v, want %v", got, want)
	}
	if c.y(1) >= c.y(0) {
		t.Error("more is not higher")
	}
}
