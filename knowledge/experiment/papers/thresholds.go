package papers

import (
	"context"
	"fmt"
	"math"
	"slices"

	"lacuna/knowledge/experiment/report"
	"lacuna/knowledge/gate"
)

func ccskThresholds() Artefact {
	return Artefact{
		ID: "thresholds", Name: "Threshold study", Shows: "CCSK with its thresholds searched for, one fixed, and all fixed, on recorded answers",
		Needs: Needs{Encoder: true}, Slots: recordedSlots, Make: thresholds,
		Caveats: append([]string{
			"The paper prints no numbers but two: the best thresholds it found, .4 for the prediction, .3 for the confidence and .3 for a single module, and its best accuracy with all three searched for, 65.07 on ComplexQuestions.",
			"Fixed means the values from which the paper suggests to begin: .6, .5 and .5.",
			"The printed confidence, the larger of two weights that sum to 1, is never below one half, so that its best threshold of .3 would never fail. Here the confidence is that of the module that is relied on, before it is made to sum to 1.",
		}, recordedCaveats...),
	}
}

// studied lists the policies of the study, plain ones first.
var studied = []struct{ policy, name string }{
	{"never", "never searches"}, {"always", "always searches"}, {"default", "Lacuna's default gate"},
	{"sn", "SN alone"}, {"rqm", "RQM alone"}, {"linear", "linear mixture"},
	{"ccsk", "CCSK, all searched for"},
	{"ccsk-fixed-prediction", "prediction fixed at .6"}, {"ccsk-fixed-confidence", "confidence fixed at .5"},
	{"ccsk-fixed-single", "single fixed at .5"}, {"ccsk-fixed", "all fixed"},
	{gate.Oracle, "oracle"},
}

// Values of the study, for programs. Shares and accuracies are in percent.
type (
	studyValues struct {
		Dropped int           `json:"left_out"`
		Models  []modelValues `json:"models"`
	}
	modelValues struct {
		Model  string         `json:"model"`
		N      int            `json:"n"`
		Same   float64        `json:"same"` // share of questions whose answers are equally good
		Rows   []policyValues `json:"policies"`
		Fused  int            `json:"sweep_n"`
		Sweeps []sweepValues  `json:"sweeps"`
		Chance float64        `json:"within_chance"` // differences below it are
	}
	policyValues struct {
		Policy    string   `json:"policy"`
		Accuracy  float64  `json:"accuracy"`
		Low       float64  `json:"low"`
		High      float64  `json:"high"`
		Retrieved float64  `json:"retrieved"`
		Decided   *float64 `json:"decided_right,omitempty"`
		Gain      *float64 `json:"more_than_ccsk,omitempty"`
		GainLow   *float64 `json:"gain_low,omitempty"`
		GainHigh  *float64 `json:"gain_high,omitempty"`
	}
	sweepValues struct {
		Threshold string       `json:"threshold"`
		Points    [][3]float64 `json:"points"` // its value, the accuracy, the share retrieved
	}
)

func thresholds(ctx context.Context, b *Bench) (Made, error) {
	recorded, err := recordingOf(b)
	if err != nil {
		return Made{}, err
	}
	var names []string
	for _, s := range studied {
		names = append(names, s.policy)
	}
	compared, err := recorded.compare(ctx, b, names...)
	if err != nil {
		return Made{}, err
	}
	rows := slices.DeleteFunc(compared.Table("ccsk"), func(r gate.Row) bool { return r.Dataset != "" })
	values := studyValues{Dropped: recorded.dropped}
	made := Made{Empty: len(recorded.items) == 0}
	made.Report.Lead = []string{recorded.lead(), fmt.Sprintf("Each policy was trained in %d parts, each decided without it; accuracy is the share of right answers, in percent, with the central 95 %% of 2,000 resamples of the questions.", folds)}
	made.Report.Provenance = recorded.facts
	for _, model := range recorded.models {
		var own []gate.Row
		for _, s := range studied {
			for _, r := range rows {
				if r.Model == model && r.Policy == s.policy {
					own = append(own, r)
				}
			}
		}
		if len(own) == 0 {
			continue
		}
		sweeps, n := gate.Sweeps(gate.OfModel(model, compared.Outcomes["ccsk"]))
		section, err := thresholdSection(model, own, sweeps, n)
		if err != nil {
			return made, err
		}
		section.Text = slices.Concat([]string{labelsOf(recorded.of(model))}, missingParts(compared.Of(model)), section.Text)
		made.Report.Sections = append(made.Report.Sections, section)
		values.Models = append(values.Models, modelValuesOf(model, own, sweeps, n))
	}
	made.Values = values
	return made, nil
}

// thresholdSection shows the policies for one model, and what each threshold decides.
func thresholdSection(model string, rows []gate.Row, sweeps []gate.Sweep, n int) (report.Section, error) {
	s := report.Section{Heading: fmt.Sprintf("%s, n = %d", modelName(model), rows[0].N)}
	t := report.Table{Columns: []report.Column{
		{Name: "policy"}, {Name: "accuracy", Numbers: true}, {Name: "more than CCSK", Numbers: true}, {Name: "searched for, %", Numbers: true}, {Name: "decides right, %", Numbers: true},
	}}
	dots := report.Series{Name: "accuracy"}
	p := report.Plot{Title: modelName(model) + ": accuracy of policies", X: "accuracy, % [95 % interval]"}
	for _, r := range rows {
		name := nameOfPolicy(r.Policy)
		gain := report.Text("–")
		if !math.IsNaN(r.Gain.Mean) {
			gain = report.Measured(100*r.Gain.Mean, 100*r.Gain.Low, 100*r.Gain.High, 0, 2)
			gain.Text = report.Difference(100*r.Gain.Mean, 2)
		}
		t.Rows = append(t.Rows, []report.Cell{
			{Text: name, Under: r.Policy, Head: true}, report.Measured(100*r.Score.Mean, 100*r.Score.Low, 100*r.Score.High, 0, 2), gain,
			report.Text(report.Number(100*r.Retrieved, 1)), report.Text(report.Number(100*r.Decision, 1)),
		})
		if r.Policy == gate.Oracle {
			continue // so far above the others that they could not be told apart
		}
		dots.Points = append(dots.Points, report.Point{X: 100 * r.Score.Mean, Y: float64(len(p.Names)), Low: 100 * r.Score.Low, High: 100 * r.Score.High})
		p.Names = append(p.Names, name)
	}
	p.Series = []report.Series{dots}
	s.Tables = []report.Table{t}
	s.Text = append(s.Text, chance(rows))
	picture, err := p.Dots()
	if err != nil || n == 0 {
		s.Plots = append(s.Plots, picture)
		return s, err
	}
	lines := report.Plot{Title: modelName(model) + ": accuracy by threshold", X: "value of the threshold", Y: "accuracy, %"}
	for _, sweep := range sweeps {
		line := report.Series{Name: sweep.Threshold + " varied"}
		for _, point := range sweep.Points {
			line.Points = append(line.Points, report.At(point.Value, 100*point.Score.Mean))
		}
		lines.Series = append(lines.Series, line)
	}
	for _, r := range rows {
		if r.Policy == "never" || r.Policy == "always" {
			lines.Series = append(lines.Series, report.Series{Name: nameOfPolicy(r.Policy), Points: []report.Point{report.At(.05, 100*r.Score.Mean), report.At(.95, 100*r.Score.Mean)}})
		}
	}
	swept, err := lines.Lines()
	s.Plots = []report.SVG{picture, swept}
	s.Text = append(s.Text, fmt.Sprintf("The lines vary one threshold while the two others stay where the search begins, for the %d questions of which a fusion net decides. They show what was there to find, and not what a search finds: that would have to be done on other questions.", n))
	return s, err
}

// chance says which differences explain nothing.
func chance(rows []gate.Row) string {
	points := 100 * gate.Resolution(rows)
	if math.IsNaN(points) {
		return "No policy differs from CCSK in any answer."
	}
	return fmt.Sprintf("Differences of less than about %.1f points are within chance.", points)
}

func nameOfPolicy(policy string) string {
	for _, s := range studied {
		if s.policy == policy {
			return s.name
		}
	}
	return policy
}

func modelValuesOf(model string, rows []gate.Row, sweeps []gate.Sweep, n int) modelValues {
	percent := func(x float64) *float64 {
		if math.IsNaN(x) {
			return nil
		}
		x *= 100
		return &x
	}
	v := modelValues{Model: model, N: rows[0].N, Same: 100 * rows[0].Same, Fused: n}
	if points := gate.Resolution(rows); !math.IsNaN(points) {
		v.Chance = 100 * points
	}
	for _, r := range rows {
		v.Rows = append(v.Rows, policyValues{
			Policy: r.Policy, Accuracy: 100 * r.Score.Mean, Low: 100 * r.Score.Low, High: 100 * r.Score.High, Retrieved: 100 * r.Retrieved,
			Decided: percent(r.Decision), Gain: percent(r.Gain.Mean), GainLow: percent(r.Gain.Low), GainHigh: percent(r.Gain.High),
		})
	}
	for _, s := range sweeps {
		of := sweepValues{Threshold: s.Threshold}
		for _, p := range s.Points {
			of.Points = append(of.Points, [3]float64{p.Value, 100 * p.Score.Mean, 100 * p.Retrieved})
		}
		v.Sweeps = append(v.Sweeps, of)
	}
	return v
}
