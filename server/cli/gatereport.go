package cli

import (
	"bytes"
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"lacuna/knowledge/experiment/report"
	"lacuna/knowledge/gate"
)

// gateReportJSON is the output of gate report --json.
type gateReportJSON struct {
	Pairs    int         `json:"pairs"`
	Dropped  int         `json:"dropped"` // questions left out
	Folds    int         `json:"folds"`
	Against  string      `json:"against"` // the policy that gains are against
	Rows     []gateRow   `json:"rows"`
	Curves   []curveJSON `json:"curves"`
	Notes    []string    `json:"notes"` // on policies that have no row of their own, or not for every pair
	Cautions []string    `json:"cautions"`
}

// curveJSON is a cost curve: the accuracy for each share retrieved, from 0 to 100 hundredths.
type curveJSON struct {
	Policy string     `json:"policy"`
	Model  string     `json:"model"`
	Area   *float64   `json:"area"`
	Score  []*float64 `json:"score"`
}

// curve is the cost curve of a policy for a model.
type curve struct {
	model string
	gate.Curve
}

// gateReport compares policies on a history.
func (p *program) gateReport(ctx context.Context, o *gateOptions) error {
	s, err := p.study(ctx, o)
	if err != nil {
		return err
	}
	defer s.workspace.Close()
	learners, err := s.comparedLearners(p, o)
	if err != nil {
		return err
	}
	comparison, err := s.compare(ctx, p, o, learners)
	if err != nil {
		return err
	}
	rows, curves := comparison.Table(o.against), curvesOf(comparison, models(s.items))
	if o.plots != "" {
		if err := s.draw(ctx, o, rows, curves); err != nil {
			return err
		}
	}
	if o.json {
		report := gateReportJSON{
			Pairs: len(s.items), Dropped: len(distinctIDs(s.dropped)), Folds: o.folds, Against: o.against,
			Rows: rowsJSON(rows), Notes: s.notes(o), Cautions: s.cautions(rows, comparison),
		}
		report.Curves = convert(curves, func(c curve) curveJSON {
			return curveJSON{c.Policy, c.model, figure(c.Area()), convert(c.Score[:], figure)}
		})
		return p.printJSON(report)
	}
	s.printHistory(p)
	fmt.Fprintf(p.out, "%d folds by question, gains against %s\n", o.folds, o.against)
	printGateTable(p.out, rows)
	printCurves(p, curves)
	fmt.Fprintln(p.out)
	for _, said := range append(s.notes(o), s.cautions(rows, comparison)...) {
		fmt.Fprintln(p.out, said)
	}
	return nil
}

// comparedLearners returns the learners to compare: those named, or all that can be trained; the study of
// thresholds only if its figure is drawn. It leaves out learners that decide just like another one, or by
// fields that the history lacks (notes says so). The learner that gains are measured against is always
// included.
func (s *study) comparedLearners(p *program, o *gateOptions) ([]gate.Learner, error) {
	if len(o.policies) > 0 {
		return s.learners(o, append(slices.Clone(o.policies), o.against)...)
	}
	var names, left []string
	for _, l := range gate.Learners(o.price) {
		switch {
		case strings.HasPrefix(l.Name, "ccsk-fixed") && o.plots == "", l.SameAs != "", s.known(l) == 0:
		case l.Encodes && s.encoder == nil:
			left = append(left, l.Name)
		default:
			names = append(names, l.Name)
		}
	}
	if len(left) > 0 {
		p.warn("the sources are too few to train an encoder, so these policies are left out: %s", strings.Join(left, ", "))
	}
	return s.learners(o, append(names, o.against)...)
}

// notes says why some policies are not compared on every pair. For policies named by flags it says only
// that.
func (s *study) notes(o *gateOptions) []string {
	said := []string{}
	for _, l := range gate.Learners(o.price) {
		named := slices.Contains(o.policies, l.Name)
		switch known := s.known(l); {
		case len(o.policies) > 0 && !named:
		case l.SameAs != "" && !named:
			said = append(said, fmt.Sprintf("%s decides just like %s and has no row of its own.", l.Name, l.SameAs))
		case known == 0:
			said = append(said, fmt.Sprintf("%s is left out: it decides by %s, and no pair of the history has that.", l.Name, l.Fields))
		case known < len(s.items):
			said = append(said, fmt.Sprintf("%s decides by %s and retrieves for the %s of %d that do not have that.", l.Name, l.Fields, count(len(s.items)-known, "pair"), len(s.items)))
		}
	}
	return said
}

func curvesOf(c gate.Comparison, models []string) []curve {
	var all []curve
	for _, model := range models {
		for _, policy := range c.Policies {
			all = append(all, curve{model, gate.CostCurve(policy, gate.OfModel(model, c.Outcomes[policy]))})
		}
	}
	return all
}

// curveColumns lists the columns of the table of cost curves: shares retrieved, in hundredths.
var curveColumns = []int{0, 10, 15, 20, 30, 50, 80, 100}

func printCurves(p *program, curves []curve) {
	for n, c := range curves {
		if n == 0 || curves[n-1].model != c.model {
			fmt.Fprintf(p.out, "\n%saccuracy by share retrieved; area over a line from never to always\n  %-21s", modelPrefix(c.model), "policy")
			for _, at := range curveColumns {
				fmt.Fprintf(p.out, "  %3d %%", at)
			}
			fmt.Fprintf(p.out, "   area\n")
		}
		fmt.Fprintf(p.out, "  %-21s", c.Policy)
		for _, at := range curveColumns {
			fmt.Fprintf(p.out, "  %5.1f", 100*c.Score[at])
		}
		// Adding 0 makes what rounds to -0 a 0.
		fmt.Fprintf(p.out, "  %+5.2f\n", math.Round(1e4*c.Area())/100+0)
	}
}

// modelPrefix returns the model's name for the beginning modelPrefix a heading.
func modelPrefix(model string) string {
	if model == "" {
		return ""
	}
	return printable(model) + ": "
}

// gateRow is a row of gate report --json. Shares and scores are in 0..1; null means not available.
type gateRow struct {
	Policy    string   `json:"policy"`
	Model     string   `json:"model"`
	Dataset   string   `json:"dataset,omitempty"` // left out: all together
	N         int      `json:"n"`
	Score     *float64 `json:"score"`
	Low       *float64 `json:"low"`
	High      *float64 `json:"high"`
	EM        *float64 `json:"em"`
	F1        *float64 `json:"f1"`
	Retrieved *float64 `json:"retrieved"`
	Kept      *float64 `json:"kept"`
	Decided   *float64 `json:"decided_right"`
	Same      *float64 `json:"same"`
	Gain      *float64 `json:"gain"`
	GainLow   *float64 `json:"gain_low"`
	GainHigh  *float64 `json:"gain_high"`
}

func rowsJSON(rows []gate.Row) []gateRow {
	return convert(rows, func(r gate.Row) gateRow {
		return gateRow{
			Policy: r.Policy, Model: r.Model, Dataset: r.Dataset, N: r.N,
			Score: figure(r.Score.Mean), Low: figure(r.Score.Low), High: figure(r.Score.High), EM: figure(r.EM), F1: figure(r.F1),
			Retrieved: figure(r.Retrieved), Kept: figure(r.Kept), Decided: figure(r.Decision), Same: figure(r.Same),
			Gain: figure(r.Gain.Mean), GainLow: figure(r.Gain.Low), GainHigh: figure(r.Gain.High),
		}
	})
}

// figure rounds a share or score for JSON to 1e-6; nil for NaN.
func figure(x float64) *float64 {
	const steps = 1e6
	return number(math.Round(x*steps) / steps)
}

// pooled returns the rows that pool all data sets.
func pooled(rows []gate.Row) []gate.Row {
	var kept []gate.Row
	for _, r := range rows {
		if r.Dataset == "" {
			kept = append(kept, r)
		}
	}
	return kept
}

// printGateTable prints rows, with a heading for each model and data set.
func printGateTable(out io.Writer, rows []gate.Row) {
	for n, r := range rows {
		if n == 0 || rows[n-1].Model != r.Model || rows[n-1].Dataset != r.Dataset {
			printHeading(out, r)
		}
		line := fmt.Sprintf("  %-21s  %6.2f [%5.2f, %5.2f]  %5.1f %%  %s", r.Policy, 100*r.Score.Mean, 100*r.Score.Low, 100*r.Score.High, 100*r.Retrieved, percent(r.Decision))
		if !math.IsNaN(r.EM) {
			line += fmt.Sprintf("  %6.2f  %6.2f", 100*r.EM, 100*r.F1)
		}
		if !math.IsNaN(r.Gain.Mean) {
			line += fmt.Sprintf("  %+6.2f [%+.2f, %+.2f]%s", 100*r.Gain.Mean, 100*r.Gain.Low, 100*r.Gain.High, mark(r.Gain))
		}
		fmt.Fprintln(out, strings.TrimRight(line, " "))
	}
}

func printHeading(out io.Writer, r gate.Row) {
	name := strings.Trim(printable(r.Model)+", "+printable(r.Dataset), ", ")
	if name != "" {
		name += ": "
	}
	fmt.Fprintf(out, "\n%s%s, the two answers equally good for %.1f %%\n", name, count(r.N, "question"), 100*r.Same)
	open := ""
	if !math.IsNaN(r.EM) {
		open = "      EM      F1"
	}
	fmt.Fprintf(out, "  %-21s  %-22s  %-7s  %-7s%s  gain [95 %%]\n", "policy", "accuracy [95 %]", "retr.", "decided", open)
}

// mark returns a word for a gain whose interval excludes 0.
func mark(gain gate.Interval) string {
	switch {
	case gain.Low > 0:
		return " better"
	case gain.High < 0:
		return " worse"
	}
	return ""
}

func percent(share float64) string {
	if math.IsNaN(share) {
		return "       "
	}
	return fmt.Sprintf("%5.1f %%", 100*share)
}

// tellsApart is the largest difference, in points, that chance may explain if a history is to rank policies;
// the measured gains of gates are smaller than it.
const tellsApart = 3

// cautions says what the history cannot show.
func (s *study) cautions(rows []gate.Row, c gate.Comparison) []string {
	return append(append(withinChance(rows), s.oneSided()...), inPart(c)...)
}

// inPart names the policies that decided without one of their parts because a fold leaves too small a
// history.
func inPart(c gate.Comparison) []string {
	var said []string
	for _, policy := range c.Policies {
		n, first := 0, ""
		for _, o := range c.Outcomes[policy] {
			if len(o.Decision.Missing) == 0 {
				continue
			}
			if n++; first == "" {
				first = strings.Join(o.Decision.Missing, "; ")
			}
		}
		if n > 0 {
			said = append(said, fmt.Sprintf("%s decided %s of %d without a part of it: %s.", policy, count(n, "pair"), len(c.Outcomes[policy]), printable(first)))
		}
	}
	return said
}

// oneSided names the models whose informative labels are all the same.
func (s *study) oneSided() []string {
	var said []string
	for _, model := range models(s.items) {
		counts := make(map[gate.Label]int)
		for _, i := range s.items {
			if i.Model == model {
				counts[i.Label()]++
			}
		}
		where := "here"
		if model != "" {
			where = "for " + printable(model)
		}
		switch better, worse := counts[gate.Better], counts[gate.Worse]; {
		case better == 0 && worse == 0:
			said = append(said, fmt.Sprintf("Both answers are equally good for every question %s: there is nothing to learn.", where))
		case worse == 0:
			said = append(said, fmt.Sprintf("Retrieval was never worse %s: this history cannot show when not to retrieve.", where))
		case better == 0:
			said = append(said, fmt.Sprintf("Retrieval was never better %s: this history cannot show when to retrieve.", where))
		}
	}
	return said
}

// withinChance says for each model which differences chance explains. It never returns nil.
func withinChance(rows []gate.Row) []string {
	byModel := make(map[string][]gate.Row)
	var order []string
	for _, r := range pooled(rows) {
		if byModel[r.Model] == nil {
			order = append(order, r.Model)
		}
		byModel[r.Model] = append(byModel[r.Model], r)
	}
	said := []string{}
	for _, model := range order {
		points := 100 * gate.Resolution(byModel[model])
		n := count(byModel[model][0].N, "question")
		if model != "" {
			n += " of " + printable(model)
		}
		switch {
		case math.IsNaN(points):
		case points > tellsApart:
			said = append(said, fmt.Sprintf("%s rank nothing: differences of up to about %.0f points are within chance.", n, math.Ceil(points)))
		default:
			said = append(said, fmt.Sprintf("With %s, differences of less than about %.1f points are within chance.", n, points))
		}
	}
	return said
}

// bars lists the figures that compare policies: the parts of CCSK with the whole, and its tuned thresholds
// with the fixed ones.
var bars = []struct {
	file, title string
	policies    []string
}{
	{"ablation", "What the parts of CCSK reach", []string{"sn", "rqm", "linear", "ccsk"}},
	{"thresholds", "Thresholds searched for, one fixed, all fixed", []string{"ccsk", "ccsk-fixed-prediction", "ccsk-fixed-confidence", "ccsk-fixed-single", "ccsk-fixed"}},
}

// draw writes the figures of a report for each model, and the fused features.
func (s *study) draw(ctx context.Context, o *gateOptions, rows []gate.Row, curves []curve) error {
	if err := os.MkdirAll(o.plots, 0o755); err != nil {
		return fmt.Errorf("--plots: %w", err)
	}
	for _, model := range models(s.items) {
		f := report.Plot{Title: modelPrefix(model) + "accuracy by share retrieved", X: "share of questions retrieved for, %", Y: "accuracy, %"}
		for _, c := range curves {
			if c.model == model && !slices.Contains(bars[1].policies[1:], c.Policy) {
				f.Series = append(f.Series, costSeries(c))
			}
		}
		if err := write(o.plots, "cost", model, f.Lines); err != nil {
			return err
		}
		for _, b := range bars {
			f := report.Plot{Title: modelPrefix(model) + b.title, X: "accuracy, % [95 % interval]"}
			var dots report.Series
			for _, policy := range b.policies {
				for _, r := range pooled(rows) {
					if r.Model == model && r.Policy == policy {
						dots.Points = append(dots.Points, report.Point{X: 100 * r.Score.Mean, Y: float64(len(f.Names)), Low: 100 * r.Score.Low, High: 100 * r.Score.High})
						f.Names = append(f.Names, policy)
					}
				}
			}
			if len(f.Names) < 2 {
				continue
			}
			f.Series = []report.Series{dots}
			if err := write(o.plots, b.file, model, f.Dots); err != nil {
				return err
			}
		}
	}
	return s.exportFeatures(ctx, o)
}

// costSeries returns a cost curve in percents.
func costSeries(c curve) report.Series {
	line := report.Series{Name: c.Policy}
	for share, score := range c.Score {
		line.Points = append(line.Points, report.At(float64(share), 100*score))
	}
	return line
}

// unsafe matches characters that may be in a model's name and not in a file's.
var unsafe = regexp.MustCompile(`[^A-Za-z0-9._-]+`)

func write(dir, figure, model string, draw func() (report.SVG, error)) error {
	if model != "" {
		figure += "-" + unsafe.ReplaceAllString(model, "_")
	}
	svg, err := draw()
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, figure+".svg"), svg.File(), 0o644)
}

// exportFeatures writes what the fusion network computes for the questions of one held-out fold, for a
// projection onto a plane: the fused features p and, for SKR, the encoding q and the similarities s of the
// nearest past questions.
func (s *study) exportFeatures(ctx context.Context, o *gateOptions) error {
	if s.encoder == nil {
		return nil
	}
	learner, err := gate.Find("ccsk", o.price)
	if err != nil {
		return err
	}
	history, held := gate.Fold(s.items, o.folds, 0)
	policy, err := learner.Fit(ctx, history, s.encoder, o.seed)
	if err != nil {
		return err
	}
	var unseen []gate.Item
	for _, n := range held {
		unseen = append(unseen, s.items[n])
	}
	fused := gate.Projections(policy, unseen)
	if len(fused) == 0 {
		return nil
	}
	var table bytes.Buffer
	out := csv.NewWriter(&table)
	header := []string{"id", "model", "label", "retrieve"}
	for n := range fused[0].Features {
		header = append(header, fmt.Sprintf("p%d", n))
	}
	for n := range fused[0].Question {
		header = append(header, fmt.Sprintf("q%d", n))
	}
	const similarities = 5
	for n := range similarities {
		header = append(header, fmt.Sprintf("s%d", n))
	}
	_ = out.Write(header) // Flush tells of errors
	for _, f := range fused {
		line := []string{f.Item.ID, f.Item.Model, string(f.Item.Label()), strconv.FormatBool(f.Retrieve)}
		for _, vector := range [][]float32{f.Features, f.Question} {
			for _, v := range vector {
				line = append(line, strconv.FormatFloat(float64(v), 'g', 6, 32))
			}
		}
		for n := range similarities {
			cell := ""
			if n < len(f.Similarities) {
				cell = strconv.FormatFloat(f.Similarities[n], 'g', 6, 64)
			}
			line = append(line, cell)
		}
		_ = out.Write(line)
	}
	out.Flush()
	if err := out.Error(); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(o.plots, "features.csv"), table.Bytes(), 0o644)
}
