package papers

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"

	"lacuna/knowledge/answer"
	"lacuna/knowledge/eval"
	"lacuna/knowledge/experiment"
	"lacuna/knowledge/experiment/report"
	"lacuna/knowledge/gate"
)

// nan stands for a figure that a paper does not print.
var nan = math.NaN()

// table is an artefact with a row for each system: a plan, whose figures stand beside the published ones.
type table struct {
	rows []system
	sets []columns
	// over is the system that the others are compared with, unless their row says otherwise.
	over   string
	recall bool // its figures are context recall
	// mean is the measure of which the mean over all data sets is shown; empty shows none.
	mean string
	// extend adds rows whose answers follow from those of the systems that were run; may be nil.
	extend func(ctx context.Context, b *Bench, ran *Ran) (extension, error)
}

// system is a row of a table.
type system struct {
	id   string // of package systems
	name string // as the paper has it
	over string // that it is compared with, in place of the table's
	// derived rows are not asked: [table.extend] says what they answer.
	derived bool
}

// columns are the figures of one data set.
type columns struct {
	slot Slot
	all  []column
	// published has the figures of a system in the order of the published columns.
	published map[string][]float64
	// plotted is the measure of the picture, and the first of its published columns is drawn beside it.
	plotted string
	// drawn are other measures with a picture of their own.
	drawn   []string
	caption string // below the table; may be empty
}

// column is a measure of ours with the columns that the paper has for it.
type column struct {
	measure string // of package experiment
	papers  []string
	plain   bool // it says nothing of quality and is not compared
}

// extension has the answers of derived rows.
type extension struct {
	answer func(c experiment.Cell, qid string) (experiment.Answered, bool)
	// figures are more figures of a row.
	figures func(c experiment.Cell, set experiment.Set) []experiment.Figure
	notes   func(set experiment.Set) []string
}

// artefact makes an artefact of a table.
func (t table) artefact(a Artefact) Artefact {
	for _, s := range t.sets {
		a.Slots = append(a.Slots, s.slot)
	}
	a.table, a.Make = &t, t.make
	return a
}

// Values of a table, for programs. All figures but p are in percent, as the papers have them.
type (
	tableValues struct {
		Datasets []setValues `json:"datasets"`
		Mean     *setValues  `json:"mean,omitempty"`
		// Left names the data sets of the paper that were not given.
		Left []string `json:"not_given,omitempty"`
	}
	setValues struct {
		Name       string      `json:"name"`
		Title      string      `json:"title"`
		Questions  int         `json:"n"`
		PublishedN int         `json:"published_n,omitempty"`
		Rows       []rowValues `json:"rows"`
		Order      *agreement  `json:"order,omitempty"`
		Majority   *float64    `json:"majority,omitempty"` // accuracy of always giving the most frequent right letter
		Notes      []string    `json:"notes,omitempty"`
	}
	rowValues struct {
		System   string         `json:"system"`
		Name     string         `json:"name"`
		Asked    int            `json:"asked"`
		Failed   int            `json:"failed"`
		Degraded int            `json:"degraded"`
		Lacks    map[string]int `json:"lacks,omitempty"`
		Figures  []figureValues `json:"figures"`
	}
	figureValues struct {
		Measure   string             `json:"measure"`
		N         int                `json:"n"` // 0 leaves out value, low and high
		Value     float64            `json:"value"`
		Low       float64            `json:"low"`
		High      float64            `json:"high"`
		Published map[string]float64 `json:"published,omitempty"`
		Gain      *gainValues        `json:"gain,omitempty"`
	}
	gainValues struct {
		Over      string   `json:"over"`
		Value     float64  `json:"value"`
		Low       float64  `json:"low"`
		High      float64  `json:"high"`
		N         int      `json:"n"`
		P         float64  `json:"p"`
		Published *float64 `json:"published,omitempty"`
	}
	// agreement counts the pairs of systems whose published figures differ, and those of them that ours put the same way.
	agreement struct {
		Measure string `json:"measure"`
		Pairs   int    `json:"pairs"`
		Same    int    `json:"same"`
		Equal   int    `json:"equal"` // in our figures
	}
)

// MarshalJSON leaves out figures that nothing was measured for.
func (f figureValues) MarshalJSON() ([]byte, error) {
	type all figureValues
	if f.N > 0 {
		return json.Marshal(all(f))
	}
	return json.Marshal(struct {
		Measure   string             `json:"measure"`
		N         int                `json:"n"`
		Published map[string]float64 `json:"published,omitempty"`
	}{f.Measure, 0, f.Published})
}

// plan returns the plan of a table for the data sets that were given.
func (t table) plan(b *Bench) experiment.Plan {
	p := experiment.Plan{Baseline: t.over, Questions: b.Questions, Seed: b.Seed, AsPublished: b.AsPublished}
	for _, s := range t.rows {
		if !s.derived {
			p.Systems = append(p.Systems, s.id)
		}
	}
	if !slices.Contains(p.Systems, p.Baseline) {
		p.Baseline = ""
	}
	if t.recall {
		p.Recall = b.Recall
	}
	for _, g := range b.Data {
		set := experiment.PlannedSet{Name: g.Slot.ID, File: g.File, Part: g.Part, Sources: g.Sources}
		if len(g.Slot.Kinds) == 1 {
			set.Kind = string(g.Slot.Kinds[0])
		}
		p.Datasets = append(p.Datasets, set)
	}
	return p
}

func (t table) make(ctx context.Context, b *Bench) (Made, error) {
	ran, failed := b.Run(ctx, t.plan(b))
	if ran == nil {
		return Made{}, failed
	}
	var more extension
	if t.extend != nil {
		var err error
		if more, err = t.extend(ctx, b, ran); err != nil {
			return Made{}, err
		}
	}
	made := Made{Empty: true}
	var values tableValues
	leaked := known(ran.Sets, b)
	for _, columns := range t.sets {
		at := slices.IndexFunc(ran.Sets, func(s experiment.Set) bool { return s.Name == columns.slot.ID })
		if at < 0 {
			values.Left = append(values.Left, columns.slot.Title)
			continue
		}
		set := ran.Sets[at]
		of := t.measure(ran, set, columns, b.Seed, more)
		if n := leaked[set.Name]; n > 0 {
			of.Notes = append(of.Notes, fmt.Sprintf("%d of the questions are stored questions or titles of the sources, word for word or by their ID: who searches finds their answers.", n))
		}
		made.Empty = made.Empty && !slices.ContainsFunc(of.Rows, func(r rowValues) bool { return r.Asked > r.Failed })
		values.Datasets = append(values.Datasets, of)
		section, err := t.section(columns, of)
		if err != nil {
			return made, err
		}
		made.Report.Sections = append(made.Report.Sections, section)
	}
	if mean, ok := t.meanOver(ran, b.Seed); ok {
		section, err := t.section(mean.columns, mean.setValues)
		if err != nil {
			return made, err
		}
		section.Heading = mean.Title
		made.Report.Sections = append(made.Report.Sections, section)
		values.Mean = &mean.setValues
	}
	made.Values = values
	made.Report.Lead = t.lead(b, values)
	made.Report.Provenance = ran.Provenance
	return made, failed
}

// measure returns the figures of one data set.
func (t table) measure(ran *Ran, set experiment.Set, c columns, seed uint64, more extension) setValues {
	values := setValues{Name: c.slot.ID, Title: c.slot.Title, Questions: len(set.Questions), PublishedN: c.slot.N}
	if more.notes != nil {
		values.Notes = more.notes(set)
	}
	answer := func(cell experiment.Cell, qid string) (experiment.Answered, bool) {
		if at := slices.IndexFunc(t.rows, func(s system) bool { return s.id == cell.System }); at >= 0 && t.rows[at].derived {
			return more.answer(cell, qid)
		}
		return ran.Answer(cell, qid)
	}
	base := experiment.Cell{}
	for _, cell := range ran.Plan.Cells(ran.Sets) {
		if cell.Dataset == set.Name {
			base = cell
		}
	}
	for _, s := range t.rows {
		cell, over := base, t.over
		cell.System = s.id
		if s.over != "" {
			over = s.over
		}
		row := experiment.MeasureRow(cell, over, set, seed, answer)
		if more.figures != nil {
			row.Figures = append(row.Figures, more.figures(cell, set)...)
		}
		values.Rows = append(values.Rows, rowOf(row, s, over, c))
		if row.Majority != nil {
			share := 100 * *row.Majority
			values.Majority = &share
		}
	}
	values.Order = agree(values.Rows, c)
	return values
}

// known counts the questions of each set whose own source is in the base.
func known(sets []experiment.Set, b *Bench) map[string]int {
	var items []gate.Item
	for _, set := range sets {
		for _, q := range set.Questions {
			items = append(items, gate.Item{Question: gate.Question{ID: q.ID, Text: q.Text}, Dataset: set.Name})
		}
	}
	_, dropped := gate.SplitLeaked(items, b.Library.Passages())
	count := map[string]int{}
	for _, i := range dropped {
		count[i.Dataset]++
	}
	return count
}

// meanColumns are the figures of the mean over data sets.
type meanColumns struct {
	setValues
	columns columns
}

// meanOver returns the mean of a measure over the data sets, each of equal weight; false if there are not several. Its
// intervals are of resamples of all questions. The published means are over the same data sets.
func (t table) meanOver(ran *Ran, seed uint64) (meanColumns, bool) {
	if t.mean == "" || len(ran.Sets) < 2 {
		return meanColumns{}, false
	}
	type scored struct {
		set   int
		value float64
	}
	mean := func(some []scored) float64 {
		sums, counts := make([]float64, len(ran.Sets)), make([]float64, len(ran.Sets))
		for _, s := range some {
			sums[s.set] += s.value
			counts[s.set]++
		}
		sum, n := 0.0, 0.0
		for i := range sums {
			if counts[i] > 0 {
				sum, n = sum+sums[i]/counts[i], n+1
			}
		}
		return sum / n
	}
	m := meanColumns{columns: columns{plotted: t.mean, published: map[string][]float64{}}}
	m.Name, m.Title = "mean", fmt.Sprintf("Mean over %d data sets", len(ran.Sets))
	var over []columns
	for _, set := range ran.Sets {
		at := slices.IndexFunc(t.sets, func(c columns) bool { return c.slot.ID == set.Name })
		over = append(over, t.sets[at])
		m.Questions += len(set.Questions)
	}
	first := over[0].all[slices.IndexFunc(over[0].all, func(c column) bool { return c.measure == t.mean })]
	m.columns.all = []column{first}
	for _, s := range t.rows {
		for _, name := range first.papers {
			sum := 0.0
			for _, c := range over {
				sum += c.publishedAt(s.id, name)
			}
			m.columns.published[s.id] = append(m.columns.published[s.id], sum/float64(len(over)))
		}
		row := experiment.Row{}
		var all []scored
		for i, set := range ran.Sets {
			for _, cell := range ran.Plan.Cells(ran.Sets) {
				if cell.Dataset == set.Name && cell.System == s.id {
					for _, v := range experiment.Values(t.mean, cell, set, ran.Answer) {
						all = append(all, scored{i, v})
					}
				}
			}
		}
		if row.Asked = len(all); row.Asked > 0 {
			low, high := eval.Bootstrap(all, mean, meanResamples, seed)
			row.Figures = []experiment.Figure{{Name: t.mean, Value: mean(all), Low: low, High: high, N: len(all)}}
		}
		m.Rows = append(m.Rows, rowOf(row, s, t.over, m.columns))
	}
	m.Order = agree(m.Rows, m.columns)
	return m, true
}

const meanResamples = 10_000

// rowOf puts the figures of a row beside the published ones.
func rowOf(row experiment.Row, s system, over string, c columns) rowValues {
	values := rowValues{System: s.id, Name: s.name, Asked: row.Asked, Failed: row.Failed, Degraded: row.Degraded, Lacks: row.Lacks}
	for _, column := range c.all {
		at := slices.IndexFunc(row.Figures, func(f experiment.Figure) bool { return f.Name == column.measure })
		figure := figureValues{Measure: column.measure, Published: map[string]float64{}}
		for _, name := range column.papers {
			if v := c.publishedAt(s.id, name); !math.IsNaN(v) {
				figure.Published[name] = v
			}
		}
		if at >= 0 {
			f := row.Figures[at]
			figure.Value, figure.Low, figure.High, figure.N = 100*f.Value, 100*f.Low, 100*f.High, f.N
		}
		for _, g := range row.Gains {
			if g.Name != column.measure || column.plain {
				continue
			}
			figure.Gain = &gainValues{Over: over, Value: 100 * g.Value, Low: 100 * g.Low, High: 100 * g.High, N: g.N, P: g.Chance}
			if len(column.papers) > 0 {
				if d := c.publishedAt(s.id, column.papers[0]) - c.publishedAt(over, column.papers[0]); !math.IsNaN(d) {
					d = math.Round(100*d) / 100
					figure.Gain.Published = &d
				}
			}
		}
		values.Figures = append(values.Figures, figure)
	}
	return values
}

// publishedAt returns the published figure of a system in a column; NaN where the paper has none.
func (c columns) publishedAt(system, name string) float64 {
	n := 0
	for _, column := range c.all {
		for _, paper := range column.papers {
			if paper == name {
				if figures := c.published[system]; n < len(figures) {
					return figures[n]
				}
				return math.NaN()
			}
			n++
		}
	}
	return math.NaN()
}

// agree compares the order of the systems by the plotted measure with the published one; nil if there are no pairs.
func agree(rows []rowValues, c columns) *agreement {
	a := agreement{Measure: c.plotted}
	for i, x := range rows {
		for _, y := range rows[:i] {
			ours, theirs, ok := c.differences(x, y)
			if !ok || theirs == 0 {
				continue
			}
			a.Pairs++
			switch {
			case ours == 0:
				a.Equal++
			case ours*theirs > 0:
				a.Same++
			}
		}
	}
	if a.Pairs == 0 {
		return nil
	}
	return &a
}

// differences returns by how much one row is above another, in our figures and in the published ones.
func (c columns) differences(x, y rowValues) (ours, theirs float64, ok bool) {
	fx, px := c.plottedOf(x)
	fy, py := c.plottedOf(y)
	return fx.Value - fy.Value, px - py, fx.N > 0 && fy.N > 0 && !math.IsNaN(px) && !math.IsNaN(py)
}

// plottedOf returns the plotted figure of a row and the published one beside it.
func (c columns) plottedOf(r rowValues) (figureValues, float64) {
	for i, column := range c.all {
		if column.measure == c.plotted {
			published := math.NaN()
			if len(column.papers) > 0 {
				published = c.publishedAt(r.System, column.papers[0])
			}
			return r.Figures[i], published
		}
	}
	return figureValues{}, math.NaN()
}

// lead says what was done.
func (t table) lead(b *Bench, v tableValues) []string {
	var sets []string
	for _, s := range v.Datasets {
		text := fmt.Sprintf("%d questions of %s", s.Questions, s.Title)
		if s.Questions == 1 {
			text = "1 question of " + s.Title
		}
		if s.PublishedN > 0 {
			text += fmt.Sprintf(" (the paper asked %d)", s.PublishedN)
		}
		sets = append(sets, text)
	}
	how := "run as its paper describes"
	if !b.AsPublished {
		how = "run by your settings, not as published"
	}
	model := "your model"
	if b.Model != "" {
		model = b.Model
	}
	asked := 0
	for _, s := range t.rows {
		asked += int(1 - truth(s.derived))
	}
	policies := ""
	if derived := len(t.rows) - asked; derived > 0 {
		policies = fmt.Sprintf(" %d policies chose among their answers.", derived)
	}
	lead := []string{fmt.Sprintf("%d systems, each %s, answered %s with %s.%s Our figures stand beside the published ones, in percent, with the central 95 %% of 10,000 bootstrap resamples of the questions.", asked, how, strings.Join(sets, ", "), model, policies)}
	if len(v.Left) > 0 {
		lead = append(lead, "Not measured, because no data was given: "+strings.Join(v.Left, ", ")+".")
	}
	return lead
}

// section shows one data set.
func (t table) section(c columns, v setValues) (report.Section, error) {
	s := report.Section{Heading: fmt.Sprintf("%s, n = %d", v.Title, v.Questions)}
	shown := report.Table{Columns: []report.Column{{Name: "system"}}}
	for _, column := range c.all {
		shown.Columns = append(shown.Columns, report.Column{Name: column.measure, Numbers: true})
		for _, name := range column.papers {
			shown.Columns = append(shown.Columns, report.Column{Name: name + ", paper", Numbers: true, Published: true})
		}
	}
	for _, r := range v.Rows {
		row := []report.Cell{{Text: r.Name, Under: r.System, Head: true}}
		for i, f := range r.Figures {
			row = append(row, cellOf(f, v.Questions))
			for _, name := range c.all[i].papers {
				row = append(row, report.Text(report.Number(c.publishedAt(r.System, name), 2)))
			}
		}
		shown.Rows = append(shown.Rows, row)
		if r.Failed > 0 {
			shown.Notes = append(shown.Notes, fmt.Sprintf("%s: %d of %d questions failed and are left out; --again asks them again.", r.Name, r.Failed, r.Asked))
		}
		if r.Asked < v.Questions {
			shown.Notes = append(shown.Notes, fmt.Sprintf("%s: %d of %d questions are not answered yet; the same command goes on.", r.Name, v.Questions-r.Asked, v.Questions))
		}
	}
	shown.Notes = append(shown.Notes, v.without()...)
	if n := v.unvaried(); n > 0 {
		note := "Where all questions have the same value, resamples have no spread, which does not mean certainty"
		if n >= 10 {
			note += fmt.Sprintf(": after %d questions alike, 1 in %d may still differ (95 %%)", n, n/3)
		}
		shown.Notes = append(shown.Notes, note+".")
	}
	if v.Majority != nil {
		shown.Notes = append(shown.Notes, fmt.Sprintf("Always giving the letter that is most often right would be right for %s %%.", report.Number(*v.Majority, 1)))
	}
	if c.caption != "" {
		shown.Notes = append(shown.Notes, c.caption)
	}
	shown.Notes = append(shown.Notes, v.Notes...)
	s.Tables = append(s.Tables, shown)
	if gains, ok := gainTable(v, c.plotted); ok {
		s.Tables = append(s.Tables, gains)
	}
	if o := v.Order; o != nil {
		text := fmt.Sprintf("By %s, our figures put %d of %d pairs of systems in the published order", o.Measure, o.Same, o.Pairs)
		if o.Equal > 0 {
			text += fmt.Sprintf("; %d are equal", o.Equal)
		}
		s.Text = append(s.Text, text+".")
	}
	for _, measure := range append([]string{c.plotted}, c.drawn...) {
		c.plotted = measure
		picture, err := t.picture(c, v)
		if err != nil {
			return s, err
		}
		s.Plots = append(s.Plots, picture)
	}
	return s, nil
}

// unvaried returns the number of questions of a figure without any spread; 0 if all have some.
func (v setValues) unvaried() int {
	for _, r := range v.Rows {
		for _, f := range r.Figures {
			if f.N > 0 && f.Low == f.High && f.Measure != "searched" {
				return f.N
			}
		}
	}
	return 0
}

// lacks says what an answer was given without.
var lacks = []struct {
	what answer.Lack
	text string
}{
	{answer.NoEncoder, "an encoder for the search by meaning, so that words were searched for"},
	{answer.NoEndpoint, "the endpoint of the encoder, so that the built-in one searched"},
	{answer.NoReranker, "the reranker of the paper"},
	{answer.NoSelector, "the reranker that selects"},
	{answer.NoExamples, "stored questions as examples for background"},
	{answer.NoEvidence, "evidence, because the search found nothing"},
	{answer.NoOptions, "options in the question"},
	{answer.NoGate, "a trained gate"},
}

// without says which answers were given without something, a line for each thing, and how many had a stage that failed.
func (v setValues) without() []string {
	var notes []string
	line := func(count func(r rowValues) int, text string) {
		var rows []string
		for _, r := range v.Rows {
			if n := count(r); n > 0 {
				rows = append(rows, fmt.Sprintf("%s %d", r.Name, n))
			}
		}
		if len(rows) > 0 {
			notes = append(notes, fmt.Sprintf("Answers without %s: %s.", text, strings.Join(rows, ", ")))
		}
	}
	for _, l := range lacks {
		line(func(r rowValues) int { return r.Lacks[string(l.what)] }, l.text)
	}
	line(func(r rowValues) int {
		most := 0
		for _, n := range r.Lacks {
			most = max(most, n)
		}
		return max(0, r.Degraded-most)
	}, "a stage that failed")
	return notes
}

// cellOf shows a figure with its interval, and with the number of questions where it is not all.
func cellOf(f figureValues, all int) report.Cell {
	if f.N == 0 {
		return report.Text("–")
	}
	n := 0
	if f.N != all {
		n = f.N
	}
	return report.Measured(f.Value, f.Low, f.High, n, 1)
}

// gainTable shows what each system has more than the one it is compared with; false if there is nothing to compare.
func gainTable(v setValues, measure string) (report.Table, bool) {
	gains := report.Table{
		Caption: measure + ": differences, question by question",
		Columns: []report.Column{{Name: "system"}, {Name: "more than"}, {Name: "ours", Numbers: true}, {Name: "p", Numbers: true}, {Name: "paper", Numbers: true, Published: true}},
	}
	for _, r := range v.Rows {
		for _, f := range r.Figures {
			g := f.Gain
			if f.Measure != measure || g == nil {
				continue
			}
			published := "–"
			if g.Published != nil {
				published = report.Difference(*g.Published, 2)
			}
			n := 0
			if g.N != v.Questions {
				n = g.N
			}
			ours := report.Measured(g.Value, g.Low, g.High, n, 1)
			ours.Text = report.Difference(g.Value, 1)
			gains.Rows = append(gains.Rows, []report.Cell{{Text: r.Name, Head: true}, report.Text(v.nameOf(g.Over)), ours, report.Text(report.Number(g.P, 3)), report.Text(published)})
		}
	}
	return gains, len(gains.Rows) > 0
}

func (v setValues) nameOf(system string) string {
	for _, r := range v.Rows {
		if r.System == system {
			return r.Name
		}
	}
	return system
}

// picture draws the plotted measure of all systems beside the published figures.
func (t table) picture(c columns, v setValues) (report.SVG, error) {
	p := report.Plot{Title: v.Title + ": " + c.plotted, X: c.plotted + ", % [95 % interval]"}
	ours, theirs := report.Series{Name: "ours"}, report.Series{Name: "published", Hollow: true}
	for i, r := range v.Rows {
		p.Names = append(p.Names, r.Name)
		f, published := c.plottedOf(r)
		if f.N > 0 {
			ours.Points = append(ours.Points, report.Point{X: f.Value, Y: float64(i), Low: f.Low, High: f.High})
		}
		if !math.IsNaN(published) {
			theirs.Points = append(theirs.Points, report.At(published, float64(i)))
		}
	}
	for _, column := range c.all {
		if column.measure == c.plotted && len(column.papers) > 0 {
			theirs.Name = "published, " + column.papers[0]
		}
	}
	p.Series = []report.Series{ours, theirs}
	return p.Dots()
}

func truth(holds bool) float64 {
	if holds {
		return 1
	}
	return 0
}
