package evaluation

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"lacuna/knowledge/experiment"
	"lacuna/knowledge/experiment/report"
)

// leading lists the measures that stand in the first table of a data set and in its picture, the most telling first, by
// how their names begin.
var leading = []string{
	"accuracy", "EM", "cover match", "F1", "ROUGE-L, ", "ROUGE-1, ", "nDCG@10 of what was read", "gaps, AUC", "decides right",
	"context recall", "answered", "right, of those answered", "citation precision", "citations resolved",
}

// mostLeading is how many measures the first table has.
const mostLeading = 7

// pageOf returns the report of a run of a plan.
func pageOf(plan experiment.Plan, name string, results experiment.Results, p Provenance) (report.Report, error) {
	page := report.Report{Title: cmp.Or(plan.Name, name), Provenance: p.facts()}
	asked, planned := results.Progress()
	page.Lead = []string{fmt.Sprintf("%s on %s. Each figure stands above its 95 %% interval.", counted(len(plan.Systems), "system"), counted(len(plan.Datasets), "data set"))}
	if asked < planned {
		page.Lead = append(page.Lead, fmt.Sprintf("The run has not ended: %d of %s were asked.", asked, countQuestions(planned)))
	}
	for _, t := range results.Tables {
		sections, err := sectionsOf(plan, t)
		if err != nil {
			return page, err
		}
		page.Sections = append(page.Sections, sections...)
	}
	page.Caveats = []string{
		"An interval says how much a figure would vary with other questions of the same kind. It does not say how much it would with other wordings of a prompt, with other models, or from one run to the next.",
	}
	if len(results.Tables) > 0 && len(leadingOf(results.Tables[0])) > 3 {
		page.Caveats = append(page.Caveats, "Of many differences some are large by chance: one in twenty that are none has p below .05.")
	}
	if n := results.Failed(); n > 0 {
		page.Caveats = append(page.Caveats, fmt.Sprintf("Left out because something failed: %s.", countQuestions(n)))
	}
	return page, nil
}

// sectionsOf describes one data set with one model and seed: what matters most, and all of it.
func sectionsOf(plan experiment.Plan, t experiment.Table) ([]report.Section, error) {
	s := report.Section{Heading: headOf(t)}
	over := cmp.Or(plan.Baseline, plan.Systems[0])
	chosen := leadingOf(t)
	if len(chosen) == 0 {
		s.Text = []string{"Nothing could be measured."}
		return []report.Section{s}, nil
	}
	if majority := majorityOf(t); majority > 0 {
		s.Text = append(s.Text, fmt.Sprintf("Always giving the most frequent right letter would be right for %s %%.", report.Number(100*majority, 1)))
	}
	for _, row := range t.Rows {
		if text := comparison(row, chosen[0], over); text != "" {
			s.Text = append(s.Text, text)
		}
	}
	s.Tables = []report.Table{leadingTable(t, chosen)}
	if more, any := gainsTable(t, chosen, over); any {
		s.Tables = append(s.Tables, more)
	}
	for _, draw := range []func(experiment.Table, string) (report.SVG, error){dotsOf, riskOf} {
		picture, err := draw(t, chosen[0])
		if err != nil {
			return nil, err
		}
		if picture != "" {
			s.Plots = append(s.Plots, picture)
		}
	}
	return []report.Section{s, {Heading: headOf(t) + ": all measures", Tables: []report.Table{allTable(t)}}}, nil
}

func majorityOf(t experiment.Table) float64 {
	for _, row := range t.Rows {
		if row.Majority != nil {
			return *row.Majority
		}
	}
	return 0
}

// leadingOf returns the names of the leading measures that a table has.
func leadingOf(t experiment.Table) []string {
	var chosen []string
	for _, begins := range leading {
		for _, name := range namesOf(t) {
			whole := name == begins || strings.HasSuffix(begins, ", ") && strings.HasPrefix(name, begins)
			if whole && len(chosen) < mostLeading {
				chosen = append(chosen, name)
			}
		}
	}
	return chosen
}

// namesOf returns the names of all measures of a table, in their order.
func namesOf(t experiment.Table) []string {
	var all []string
	for _, row := range t.Rows {
		for _, f := range row.Figures {
			if !slices.Contains(all, f.Name) {
				all = append(all, f.Name)
			}
		}
	}
	return all
}

func figureOf(row experiment.Row, name string) (experiment.Figure, bool) {
	at := slices.IndexFunc(row.Figures, func(f experiment.Figure) bool { return f.Name == name })
	if at < 0 {
		return experiment.Figure{}, false
	}
	return row.Figures[at], true
}

func gainOf(row experiment.Row, name string) (experiment.Gain, bool) {
	at := slices.IndexFunc(row.Gains, func(g experiment.Gain) bool { return g.Name == name })
	if at < 0 {
		return experiment.Gain{}, false
	}
	return row.Gains[at], true
}

// comparison says in a sentence whether a system is better than the baseline.
func comparison(row experiment.Row, measure, over string) string {
	g, ok := gainOf(row, measure)
	if !ok {
		return ""
	}
	interval := fmt.Sprintf("[%s, %s] on %s, %s", report.Difference(g.Low, 3), report.Difference(g.High, 3), countQuestions(g.N), chance(g.Chance))
	switch {
	case g.Low > 0:
		return fmt.Sprintf("%s has more %s than %s: %s %s.", row.Cell.System, measure, over, report.Difference(g.Value, 3), interval)
	case g.High < 0:
		return fmt.Sprintf("%s has less %s than %s: %s %s.", row.Cell.System, measure, over, report.Difference(g.Value, 3), interval)
	}
	return fmt.Sprintf("These questions do not tell %s from %s by %s: %s %s.", row.Cell.System, over, measure, report.Difference(g.Value, 3), interval)
}

// cellOf is the cell of a figure, with its number of questions if it is not of all that a system answered.
func cellOf(row experiment.Row, name string) report.Cell {
	f, ok := figureOf(row, name)
	switch {
	case !ok:
		return report.Text("–")
	case f.N == row.Asked-row.Failed:
		f.N = 0
	}
	return report.Measured(f.Value, f.Low, f.High, f.N, 3)
}

// leadingTable has a row for each system.
func leadingTable(t experiment.Table, chosen []string) report.Table {
	table := report.Table{Columns: []report.Column{{Name: "system"}}}
	for _, name := range chosen {
		table.Columns = append(table.Columns, report.Column{Name: name, Numbers: true})
	}
	priced := slices.ContainsFunc(t.Rows, func(row experiment.Row) bool { return row.Times.Calls > 0 })
	if priced {
		table.Columns = append(table.Columns, report.Column{Name: "cost of a question", Numbers: true})
	}
	for _, row := range t.Rows {
		head := report.Cell{Text: row.Cell.System, Under: fmt.Sprintf("n = %d", row.Asked-row.Failed), Head: true}
		if text := strings.Trim(asked(row), " ()"); text != "" {
			table.Notes = append(table.Notes, row.Cell.System+": "+text+".")
		}
		cells := []report.Cell{head}
		for _, name := range chosen {
			cells = append(cells, cellOf(row, name))
		}
		if priced {
			cells = append(cells, costOf(row.Times))
		}
		table.Rows = append(table.Rows, cells)
	}
	return table
}

func costOf(t experiment.Times) report.Cell {
	if t.Calls == 0 {
		return report.Text("–")
	}
	c := report.Cell{Text: report.Number(t.Calls, 1) + " calls", Under: fmt.Sprintf("%.0f + %.0f tokens", t.Prompt, t.Written)}
	if t.Cost > 0 {
		c.Text = priceOf(t)
		c.Under = report.Number(t.Calls, 1) + " calls, " + c.Under
	}
	if t.MedianMS > 0 {
		c.Under += fmt.Sprintf(", %.1f s", t.MedianMS/1000)
	}
	return c
}

// gainsTable has how much more each system has than the baseline, a row for each measure.
func gainsTable(t experiment.Table, chosen []string, over string) (table report.Table, any bool) {
	table = report.Table{Caption: "More than " + over + ", question by question", Columns: []report.Column{{Name: "measure"}}}
	var rows []experiment.Row
	for _, row := range t.Rows {
		if len(row.Gains) > 0 {
			rows = append(rows, row)
			table.Columns = append(table.Columns, report.Column{Name: row.Cell.System, Numbers: true}, report.Column{Name: "p", Numbers: true})
		}
	}
	for _, name := range chosen {
		cells, known := []report.Cell{{Text: name, Head: true}}, false
		for _, row := range rows {
			g, ok := gainOf(row, name)
			if known = known || ok; !ok {
				cells = append(cells, report.Text("–"), report.Text(""))
				continue
			}
			c := report.Measured(g.Value, g.Low, g.High, 0, 3)
			c.Text = report.Difference(g.Value, 3)
			cells = append(cells, c, report.Text(strings.TrimPrefix(strings.TrimPrefix(chance(g.Chance), "p "), "= ")))
		}
		if known {
			table.Rows = append(table.Rows, cells)
		}
	}
	return table, len(rows) > 0 && len(table.Rows) > 0
}

// allTable has every measure of every system.
func allTable(t experiment.Table) report.Table {
	table := report.Table{Columns: []report.Column{{Name: "measure"}}}
	for _, row := range t.Rows {
		table.Columns = append(table.Columns, report.Column{Name: row.Cell.System, Numbers: true})
	}
	for _, name := range namesOf(t) {
		cells := []report.Cell{{Text: name, Head: true}}
		for _, row := range t.Rows {
			cells = append(cells, cellOf(row, name))
		}
		table.Rows = append(table.Rows, cells)
	}
	return table
}

// dotsOf draws one measure of all systems.
func dotsOf(t experiment.Table, measure string) (report.SVG, error) {
	p := report.Plot{Title: headOf(t) + ": " + measure, X: measure + " [95 % interval]"}
	dots := report.Series{}
	for _, row := range t.Rows {
		if f, ok := figureOf(row, measure); ok {
			dots.Points = append(dots.Points, report.Point{X: f.Value, Y: float64(len(p.Names)), Low: f.Low, High: f.High})
			p.Names = append(p.Names, row.Cell.System)
		}
	}
	if len(dots.Points) < 2 {
		return "", nil
	}
	p.Series = []report.Series{dots}
	return p.Dots()
}

// riskOf draws the share of wrong answers over coverage, if those questions are answered first of which least is missing.
func riskOf(t experiment.Table, _ string) (report.SVG, error) {
	p := report.Plot{Title: headOf(t) + ": wrong answers over coverage", X: "share of questions answered, surest first", Y: "share of wrong answers"}
	for _, row := range t.Rows {
		line := report.Series{Name: row.Cell.System}
		for _, point := range row.Curve {
			line.Points = append(line.Points, report.Point{X: point.Coverage, Y: point.Risk, Low: math.NaN(), High: math.NaN()})
		}
		p.Series = append(p.Series, line)
	}
	if !slices.ContainsFunc(p.Series, func(s report.Series) bool { return len(s.Points) > 1 }) {
		return "", nil
	}
	return p.Lines()
}

func counted(n int, name string) string {
	if n == 1 {
		return "1 " + name
	}
	return fmt.Sprintf("%d %ss", n, name)
}

// writePage writes a report into a folder and returns its path.
func writePage(dir string, page report.Report) (string, error) {
	path := filepath.Join(dir, "report.html")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return path, err
	}
	file, err := os.Create(path)
	if err != nil {
		return path, err
	}
	return path, errors.Join(page.WriteHTML(file), file.Close())
}
