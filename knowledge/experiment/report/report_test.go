package report

import (
	"bytes"
	"encoding/xml"
	"io"
	"math"
	"os"
	"strings"
	"testing"
)

// hostile is what a model or a passage may have written.
const hostile = "<script>alert(1)</script>\"'><img src=x onerror=alert(1)> javascript:alert(1) </title></style> \u202edesrever"

func drawn(t *testing.T, draw func() (SVG, error)) SVG {
	t.Helper()
	svg, err := draw()
	if err != nil {
		t.Fatal(err)
	}
	return svg
}

// plots has one of each kind, with what may be in the way.
func plots() map[string]func() (SVG, error) {
	curves := []Series{{Name: "one", Points: []Point{At(0, 58.8), {50, 61.2, 60, 63}, At(100, 61.7)}}, {Name: hostile, Points: []Point{At(0, 60), At(100, math.NaN())}}, {Name: "none"}}
	p := Plot{Title: hostile, X: "share " + hostile, Y: "accuracy, %", Series: curves}
	rows := Plot{Title: "Rows", X: "accuracy", Names: []string{"first", hostile, "third"}, Series: []Series{
		{Name: "ours", Points: []Point{{61, 0, 58, 64}, {62, 1, 60, 65}, At(63, 2)}},
		{Name: "published", Hollow: true, Points: []Point{At(60, 0), At(66, 1)}},
	}}
	flat := Plot{Series: []Series{{Name: "flat", Points: []Point{At(1, 1), At(2, 1)}}}}
	many := Plot{Names: []string{"a", "b"}}
	for range 14 {
		many.Series = append(many.Series, Series{Name: "x", Points: []Point{At(0, 1), At(1, 2)}})
	}
	all := map[string]func() (SVG, error){"rows": rows.Dots}
	for name, plot := range map[string]Plot{"usual": p, "flat": flat, "empty": {}, "many": many} {
		all[name+" lines"], all[name+" dots"] = plot.Lines, plot.Dots
		all[name+" steps"], all[name+" scatter"] = plot.Steps, plot.Scatter
	}
	return all
}

func TestPlots(t *testing.T) {
	for name, plot := range plots() {
		svg := drawn(t, plot)
		if again := drawn(t, plot); again != svg {
			t.Errorf("%s: other bytes the second time", name)
		}
		decoder := xml.NewDecoder(bytes.NewReader(svg.File()))
		for {
			token, err := decoder.Token()
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatalf("%s: %v in\n%s", name, err, svg)
			}
			if start, ok := token.(xml.StartElement); ok && strings.Contains(" script img image a foreignObject ", " "+start.Name.Local+" ") {
				t.Errorf("%s: the element %s", name, start.Name.Local)
			}
		}
		for _, wrong := range []string{"NaN", "Inf", "#0", "\u202e", "http://www.w3.org/1999/xlink"} {
			if strings.Contains(string(svg), wrong) {
				t.Errorf("%s: %q in the picture", name, wrong)
			}
		}
	}
}

// TestHigherIsHigher holds that a picture has its axis the right way round.
func TestHigherIsHigher(t *testing.T) {
	p := Plot{Names: []string{"low", "high"}, Series: []Series{{Name: "s", Points: []Point{At(0, 0), At(1, 1)}}}}
	rows := string(drawn(t, p.Dots))
	if low, high := strings.Index(rows, ">low<"), strings.Index(rows, ">high<"); low < high {
		t.Error("the first row is not the top one, which the library writes last")
	}
}

func example(t *testing.T) Report {
	r := Report{
		Title: "Table " + hostile, Lead: []string{hostile}, Caveats: []string{hostile},
		Provenance: []Fact{{"model", hostile}},
		Sections: []Section{{Heading: hostile, Text: []string{hostile}, Tables: []Table{{
			Caption: hostile, Columns: []Column{{Name: "system"}, {Name: hostile, Numbers: true}, {Name: "published", Numbers: true, Published: true}},
			Rows:  [][]Cell{{{Text: hostile, Head: true}, Measured(41.41, 38, 44, 256, 2), Text(hostile)}, {{Text: "x", Head: true}, Measured(math.NaN(), 0, 0, 0, 2), Text("")}},
			Notes: []string{hostile},
		}}}},
	}
	for _, plot := range plots() {
		r.Sections[0].Plots = append(r.Sections[0].Plots, drawn(t, plot))
		break
	}
	return r
}

func TestPageIsInert(t *testing.T) {
	var page bytes.Buffer
	if err := example(t).WriteHTML(&page); err != nil {
		t.Fatal(err)
	}
	text := page.String()
	for _, wrong := range []string{"<script", "<img", "\u202e", "<a ", "src=\"", "url(", "@import", "ZgotmplZ"} {
		if strings.Contains(text, wrong) {
			t.Errorf("%q is in the page", wrong)
		}
	}
	if links := strings.Count(text, "http"); links != strings.Count(text, `xmlns="http://www.w3.org/2000/svg"`)+1 { // and http-equiv
		t.Errorf("the page has addresses")
	}
	if !strings.Contains(text, "[38.00, 44.00] n = 256") || !strings.Contains(text, "&lt;script&gt;") {
		t.Error("the interval or the escaped text is missing")
	}
	if err := os.WriteFile(t.TempDir()+"/page.html", page.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestText(t *testing.T) {
	r := Report{Title: "A table", Lead: []string{"What it says."}, Caveats: []string{"One."}, Sections: []Section{{Heading: "Part", Tables: []Table{{
		Columns: []Column{{Name: "system"}, {Name: "EM", Numbers: true}},
		Rows:    [][]Cell{{{Text: "direct", Head: true}, {Text: "22.27"}}, {{Text: "x", Head: true}, {Text: "3.1"}}},
	}}}}}
	var b strings.Builder
	if err := r.WriteText(&b); err != nil {
		t.Fatal(err)
	}
	want := "A table\nWhat it says.\n\nPart\n  system     EM\n  direct  22.27\n  x         3.1\n\nTo keep in mind\n- One.\n"
	if b.String() != want {
		t.Errorf("wrote\n%s\nwant\n%s", b.String(), want)
	}
}

func TestNumber(t *testing.T) {
	for got, want := range map[string]string{
		Number(-1.234, 2): "−1.23", Number(math.NaN(), 1): "–", Difference(.5, 1): "+0.5", Difference(-.5, 1): "−0.5",
	} {
		if got != want {
			t.Errorf("wrote %s, want %s", got, want)
		}
	}
}
