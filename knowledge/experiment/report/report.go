// Package report writes what an experiment found as one page of HTML, which needs no network and no script, and as
// plain text; and draws its plots.
//
// Begin with [Report]. A [Plot] draws itself as an [SVG], which is also a file of its own.
//
// Every text is escaped and shown with its invisible characters spelt out, because models and sources wrote some.
package report

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"math"
	"strings"
	"unicode/utf8"

	"lacuna/knowledge/plaintext"
	"lacuna/knowledge/sanitise"
)

// Report is what an experiment found.
type Report struct {
	Title string
	// Lead says in a paragraph each what was done and what came out.
	Lead     []string
	Sections []Section
	// Caveats say what the figures do not show.
	Caveats []string
	// Provenance says how to get the same figures again.
	Provenance []Fact
}

// Fact is a named value.
type Fact struct{ Name, Value string }

// Section is a part of a report. What is empty is left out.
type Section struct {
	Heading string
	Text    []string
	Tables  []Table
	Plots   []SVG
}

// Table has rows of cells, and says below what is special about some of them.
type Table struct {
	Caption string
	Columns []Column
	Rows    [][]Cell
	Notes   []string
}

// Column is the head of a column.
type Column struct {
	Name    string
	Numbers bool // its cells stand to the right
	// Published says that its cells were not measured here.
	Published bool
}

// Cell is a place of a table.
type Cell struct {
	Text string
	// Under stands below in small letters: an interval, or the number of questions.
	Under string
	// Head makes it the name of its row.
	Head bool
}

// Text is a cell that holds a text.
func Text(text string) Cell { return Cell{Text: text} }

// Measured is the cell of a figure with its interval and the number of questions, all as they are to be shown. NaN
// and missing intervals are left out.
func Measured(value, low, high float64, n, decimals int) Cell {
	if math.IsNaN(value) {
		return Cell{Text: "–"}
	}
	c := Cell{Text: Number(value, decimals)}
	if !math.IsNaN(low) && !math.IsNaN(high) {
		c.Under = fmt.Sprintf("[%s, %s]", Number(low, decimals), Number(high, decimals))
	}
	if n > 0 {
		c.Under = strings.TrimSpace(c.Under + fmt.Sprintf(" n = %d", n))
	}
	return c
}

// Number writes a figure; a dash for NaN.
func Number(value float64, decimals int) string {
	if math.IsNaN(value) || math.IsInf(value, 0) {
		return "–"
	}
	return strings.Replace(fmt.Sprintf("%.*f", decimals, value+0), "-", "−", 1)
}

// Difference writes a figure with its sign.
func Difference(value float64, decimals int) string {
	if written := Number(value, decimals); math.IsNaN(value) || strings.HasPrefix(written, "−") {
		return written
	}
	return "+" + Number(value, decimals)
}

//go:embed report.tmpl
var pageTemplate string

var page = template.Must(template.New("report").Funcs(template.FuncMap{
	"visible": visible,
	"colours": func() template.CSS { return template.CSS(colourSheet(":root")) },
}).Parse(pageTemplate))

// WriteHTML writes the page. Equal reports give equal bytes.
func (r Report) WriteHTML(w io.Writer) error { return page.Execute(w, r) }

// WriteText writes the report without its plots, in lines for a terminal.
func (r Report) WriteText(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintln(&b, visible(r.Title))
	for _, paragraph := range r.Lead {
		fmt.Fprintln(&b, visible(paragraph))
	}
	for _, s := range r.Sections {
		fmt.Fprintf(&b, "\n%s\n", visible(s.Heading))
		for _, paragraph := range s.Text {
			fmt.Fprintln(&b, visible(paragraph))
		}
		for _, t := range s.Tables {
			t.writeText(&b)
		}
	}
	if len(r.Caveats) > 0 {
		fmt.Fprint(&b, "\nTo keep in mind\n")
		for _, caveat := range r.Caveats {
			fmt.Fprintf(&b, "- %s\n", visible(caveat))
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// writeText aligns the columns of a table.
func (t Table) writeText(b *strings.Builder) {
	if t.Caption != "" {
		fmt.Fprintln(b, visible(t.Caption))
	}
	rows := make([][]string, 0, len(t.Rows)+1)
	var head []string
	for _, c := range t.Columns {
		head = append(head, visible(c.Name))
	}
	rows = append(rows, head)
	for _, row := range t.Rows {
		var cells []string
		for _, c := range row {
			cells = append(cells, strings.TrimSpace(visible(c.Text)+" "+visible(c.Under)))
		}
		rows = append(rows, cells)
	}
	widths := make([]int, len(t.Columns))
	for _, row := range rows {
		for i, cell := range row {
			if i < len(widths) {
				widths[i] = max(widths[i], utf8.RuneCountInString(cell))
			}
		}
	}
	for _, row := range rows {
		var line strings.Builder
		for i, cell := range row {
			pad := strings.Repeat(" ", max(0, widths[min(i, len(widths)-1)]-utf8.RuneCountInString(cell)))
			if i < len(t.Columns) && t.Columns[i].Numbers && !strings.Contains(cell, "[") {
				cell = pad + cell
			} else {
				cell += pad
			}
			line.WriteString("  " + cell)
		}
		fmt.Fprintln(b, strings.TrimRight(line.String(), " "))
	}
	for _, note := range t.Notes {
		fmt.Fprintf(b, "  %s\n", visible(note))
	}
}

// visible is a text on one line whose every character can be seen.
func visible(text string) string { return sanitise.Visible(plaintext.OneLine(text)) }

// clip is a text of at most as many letters.
func clip(text string, letters int) string {
	if utf8.RuneCountInString(text) <= letters {
		return text
	}
	return plaintext.Clip(text, letters-1) + "…"
}
