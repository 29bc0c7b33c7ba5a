package papers

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"lacuna/knowledge/experiment"
	"lacuna/knowledge/experiment/report"
)

// sweep is a figure of plans that differ in one thing: systems are asked the same questions at each step.
type sweep struct {
	rows  []system
	sets  []swept
	steps func(b *Bench) ([]step, error)
	// recall says that context recall is measured.
	recall bool
	// draw makes the pictures of one measure on one data set.
	draw func(title, measure string, lines []lineValues) ([]report.SVG, error)
}

// swept is a data set of a sweep, with the measures that are drawn.
type swept struct {
	slot     Slot
	measures []string
}

// step is one value of what varies.
type step struct {
	name   string // of its plan, and so of its folder
	title  string // for people
	x      float64
	change func(p *experiment.Plan)
}

// Values of a sweep, for programs; figures are in percent.
type (
	sweptValues struct {
		Datasets []sweptSet `json:"datasets"`
		Left     []string   `json:"not_given,omitempty"`
	}
	sweptSet struct {
		Name      string          `json:"name"`
		Title     string          `json:"title"`
		Questions int             `json:"n"`
		Measures  []measureValues `json:"measures"`
	}
	measureValues struct {
		Measure string       `json:"measure"`
		Lines   []lineValues `json:"systems"`
	}
	lineValues struct {
		System string        `json:"system"`
		Name   string        `json:"name"`
		Points []pointValues `json:"points"`
	}
	pointValues struct {
		Step   string  `json:"step"`
		X      float64 `json:"x"`
		Value  float64 `json:"value"`
		Low    float64 `json:"low"`
		High   float64 `json:"high"`
		N      int     `json:"n"` // 0: not measured
		Failed int     `json:"failed"`
		title  string
	}
)

func (w sweep) artefact(a Artefact) Artefact {
	for _, s := range w.sets {
		a.Slots = append(a.Slots, s.slot)
	}
	a.Make = w.make
	return a
}

// make runs the plan of each step. If a run ends early, what was measured until then is shown with the error.
func (w sweep) make(ctx context.Context, b *Bench) (Made, error) {
	steps, err := w.steps(b)
	if err != nil {
		return Made{}, err
	}
	made := Made{Empty: true}
	var values sweptValues
	for _, s := range w.sets {
		if !slices.ContainsFunc(b.Data, func(g Given) bool { return g.Slot.ID == s.slot.ID }) {
			values.Left = append(values.Left, s.slot.Title)
		}
	}
	var failed error
	for _, step := range steps {
		plan := table{rows: w.rows, over: w.rows[0].id, recall: w.recall}.plan(b)
		plan.Name = step.name
		step.change(&plan)
		var ran *Ran
		if ran, failed = b.Run(ctx, plan); ran == nil {
			break
		}
		made.Report.Provenance = ran.Provenance
		for _, set := range ran.Sets {
			for _, cell := range plan.Cells(ran.Sets) {
				if cell.Dataset == set.Name {
					row := experiment.MeasureRow(cell, plan.Baseline, set, b.Seed, ran.Answer)
					made.Empty = made.Empty && row.Asked == row.Failed
					values.add(w, set, row, step)
				}
			}
		}
		if failed != nil {
			break
		}
	}
	if len(values.Datasets) == 0 {
		return Made{}, failed
	}
	made.Values = values
	made.Report.Lead = []string{w.lead(b, values)}
	for _, set := range values.Datasets {
		section := report.Section{Heading: fmt.Sprintf("%s, n = %d", set.Title, set.Questions)}
		for _, m := range set.Measures {
			section.Tables = append(section.Tables, m.table(steps, set.Questions))
			pictures, err := w.draw(set.Title, m.Measure, m.Lines)
			if err != nil {
				return made, err
			}
			section.Plots = append(section.Plots, pictures...)
		}
		made.Report.Sections = append(made.Report.Sections, section)
	}
	if len(values.Left) > 0 {
		made.Report.Lead = append(made.Report.Lead, "Not measured, because no data was given: "+strings.Join(values.Left, ", ")+".")
	}
	return made, failed
}

// add adds the figures of a system at a step.
func (v *sweptValues) add(w sweep, set experiment.Set, row experiment.Row, at step) {
	i := slices.IndexFunc(v.Datasets, func(s sweptSet) bool { return s.Name == set.Name })
	if i < 0 {
		of := w.sets[slices.IndexFunc(w.sets, func(s swept) bool { return s.slot.ID == set.Name })]
		new := sweptSet{Name: set.Name, Title: of.slot.Title, Questions: len(set.Questions)}
		for _, measure := range of.measures {
			m := measureValues{Measure: measure}
			for _, s := range w.rows {
				m.Lines = append(m.Lines, lineValues{System: s.id, Name: s.name})
			}
			new.Measures = append(new.Measures, m)
		}
		v.Datasets, i = append(v.Datasets, new), len(v.Datasets)
	}
	for _, m := range v.Datasets[i].Measures {
		for n := range m.Lines {
			if m.Lines[n].System != row.Cell.System {
				continue
			}
			p := pointValues{Step: at.name, X: at.x, Failed: row.Failed, title: at.title}
			if f := slices.IndexFunc(row.Figures, func(f experiment.Figure) bool { return f.Name == m.Measure }); f >= 0 {
				of := row.Figures[f]
				p.Value, p.Low, p.High, p.N = 100*of.Value, 100*of.Low, 100*of.High, of.N
			}
			m.Lines[n].Points = append(m.Lines[n].Points, p)
		}
	}
}

func (w sweep) lead(b *Bench, v sweptValues) string {
	model := "your model"
	if b.Model != "" {
		model = b.Model
	}
	how := "as their papers describe"
	if !b.AsPublished {
		how = "by your settings, not as published"
	}
	var sets []string
	for _, s := range v.Datasets {
		sets = append(sets, fmt.Sprintf("%d questions of %s", s.Questions, s.Title))
	}
	return fmt.Sprintf("%s answered %s with %s, %s. Figures are in percent, with the central 95 %% of 10,000 bootstrap resamples of the questions.",
		join(w.rows, func(s system) string { return s.name }), strings.Join(sets, " and "), model, how)
}

// table shows a measure with a row for each system and a column for each step; all is the number of questions.
func (m measureValues) table(steps []step, all int) report.Table {
	t := report.Table{Caption: m.Measure, Columns: []report.Column{{Name: "system"}}}
	for _, s := range steps {
		t.Columns = append(t.Columns, report.Column{Name: s.title, Numbers: true})
	}
	for _, line := range m.Lines {
		row := []report.Cell{{Text: line.Name, Under: line.System, Head: true}}
		failed := 0
		for i := range steps {
			cell := report.Text("–")
			if i < len(line.Points) && line.Points[i].N > 0 {
				p := line.Points[i]
				n := 0
				if p.N != all {
					n = p.N
				}
				cell = report.Measured(p.Value, p.Low, p.High, n, 1)
			}
			if i < len(line.Points) {
				failed += line.Points[i].Failed
			}
			row = append(row, cell)
		}
		t.Rows = append(t.Rows, row)
		if failed > 0 {
			t.Notes = append(t.Notes, fmt.Sprintf("%s: %d questions failed and are left out; --again asks them again.", line.Name, failed))
		}
	}
	return t
}

// drawLines draws a line for each system, by the value of what varies.
func drawLines(x string) func(title, measure string, lines []lineValues) ([]report.SVG, error) {
	return func(title, measure string, lines []lineValues) ([]report.SVG, error) {
		p := report.Plot{Title: title + ": " + measure, X: x, Y: measure + ", % [95 % interval]"}
		for i, line := range lines {
			s := report.Series{Name: line.Name}
			for _, point := range line.Points {
				if point.N > 0 { // beside each other, so that intervals do not hide one another
					beside := .08 * (float64(i) - float64(len(lines)-1)/2)
					s.Points = append(s.Points, report.Point{X: point.X + beside, Y: point.Value, Low: point.Low, High: point.High})
				}
			}
			p.Series = append(p.Series, s)
		}
		picture, err := p.Lines()
		return []report.SVG{picture}, err
	}
}

func misknowFigure3() Artefact {
	return sweep{
		rows: []system{
			{id: "std-rag/wiki", name: "STD-RAG Wiki"}, {id: "misknow/wiki", name: "Misknow Wiki"},
			{id: "std-rag/qa", name: "STD-RAG QA"}, {id: "misknow/qa", name: "Misknow QA"},
		},
		sets: []swept{
			{huatuo, []string{"context recall", "ROUGE-1, Chinese words"}},
			{naturalQuestions, []string{"context recall", "cover match"}},
		},
		recall: true,
		steps: func(*Bench) ([]step, error) {
			var all []step
			for _, k := range []int{2, 4, 6, 8, 10} {
				all = append(all, step{fmt.Sprintf("k%d", k), fmt.Sprintf("K = %d", k), float64(k), func(p *experiment.Plan) { p.Passages = k }})
			}
			return all, nil
		},
		draw: drawLines("texts for the reader, K"),
	}.artefact(Artefact{
		ID: "fig3", Name: "Figure 3", Shows: "context recall and answers by the number of texts that are read",
		Needs: Needs{Model: true, Texts: true, Pairs: true},
		Caveats: append([]string{
			"The paper shows Huatuo-26M alone and prints no numbers; the values of K cannot be read from its text, and 2 to 10 are a choice.",
			"Expect missing knowledge above the standard systems, more so for QA, and the gap to shrink as K grows.",
			"Misknow reads half of K by the question and the other half by what is missing; where nothing is judged missing, it reads the first half alone.",
			misknowWords,
		}, recallCaveats...),
	})
}

func medrgagFigure4() Artefact {
	w := sweep{
		rows: []system{{id: "medrgag", name: "MedRGAG"}},
		steps: func(b *Bench) ([]step, error) {
			var all []step
			for _, play := range scaled {
				for _, model := range b.Models {
					all = append(all, step{
						fmt.Sprintf("%s-%d", play.name, len(all)+1), fmt.Sprintf("%s as %s", model, play.title), float64(len(all)),
						func(p *experiment.Plan) {
							p.Roles = map[string]string{}
							for _, role := range play.roles {
								p.Roles[role] = model
							}
						},
					})
				}
			}
			return all, nil
		},
		draw: drawScales,
	}
	for _, slot := range examinations {
		w.sets = append(w.sets, swept{slot, []string{"accuracy"}})
	}
	return w.artefact(Artefact{
		ID: "fig4", Name: "Figure 4", Shows: "MedRGAG with other models as generator, and as summariser, explorer and integrator",
		Needs: Needs{Model: true, Models: true, Texts: true, Reranker: true},
		Caveats: []string{
			"The paper prints no numbers. Expect a bigger generator to help, most on MedMCQA and MMLU-Med, and smaller auxiliary models to hurt.",
			"One thing varies at a time: the models of all other roles stay those of your settings.",
			examinationMajority, examinationParsed, examinationSources,
		},
	})
}

// scaled lists what the models of Figure 4 play, one at a time.
var scaled = []struct {
	name, title string
	roles       []string
}{
	{"generator", "generator", []string{"generator"}},
	{"auxiliary", "auxiliary model", []string{"summariser", "explorer", "integrator"}},
}

// drawScales draws a row for each model in each part that it plays.
func drawScales(title, measure string, lines []lineValues) ([]report.SVG, error) {
	p := report.Plot{Title: title + ": " + measure, X: measure + ", % [95 % interval]"}
	for _, line := range lines {
		s := report.Series{Name: line.Name}
		for _, point := range line.Points {
			if point.N > 0 {
				s.Points = append(s.Points, report.Point{X: point.Value, Y: float64(len(p.Names)), Low: point.Low, High: point.High})
				p.Names = append(p.Names, point.title)
			}
		}
		p.Series = append(p.Series, s)
	}
	picture, err := p.Dots()
	return []report.SVG{picture}, err
}
