package cli

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"lacuna/knowledge/gate"
)

// gateReportJSON is what gate report --json prints.
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

// curveJSON is a cost curve: the accuracy by the share retrieved, in hundredths.
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
	learners, err := s.reported(p, o)
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
			Rows: rowsJSON(rows), Curves: make([]curveJSON, 0, len(curves)), Notes: s.notes(o), Cautions: s.cautions(rows, comparison),
		}
		for _, c := range curves {
			line := curveJSON{Policy: c.Policy, Model: c.model, Area: figure(c.Area())}
			for _, score := range c.Score {
				line.Score = append(line.Score, figure(score))
			}
			report.Curves = append(report.Curves, line)
		}
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

// reported are the learners to compare: those named, or all that can be trained, the study of
// thresholds only where its figure is drawn. Those that decide just like another one, or by what the
// history does not have, are left out; notes says so. What gains are against is always among them.
func (s *study) reported(p *program, o *gateOptions) ([]gate.Learner, error) {
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

// notes say of the policies that are not compared on every pair why they are not; of those that were
// asked for by name, only where that is so.
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
			all = append(all, curve{model, gate.CostCurve(policy, gate.Of(model, c.Outcomes[policy]))})
		}
	}
	return all
}

// shown are the shares retrieved, in hundredths, at which the table of cost curves has a column.
var shown = []int{0, 10, 15, 20, 30, 50, 80, 100}

func printCurves(p *program, curves []curve) {
	for n, c := range curves {
		if n == 0 || curves[n-1].model != c.model {
			fmt.Fprintf(p.out, "\n%saccuracy by share retrieved; area over a line from never to always\n  %-21s", of(c.model), "policy")
			for _, at := range shown {
				fmt.Fprintf(p.out, "  %3d %%", at)
			}
			fmt.Fprintf(p.out, "   area\n")
		}
		fmt.Fprintf(p.out, "  %-21s", c.Policy)
		for _, at := range shown {
			fmt.Fprintf(p.out, "  %5.1f", 100*c.Score[at])
		}
		// Adding 0 makes what rounds to -0 a 0.
		fmt.Fprintf(p.out, "  %+5.2f\n", math.Round(1e4*c.Area())/100+0)
	}
}

// of names a model at the beginning of a heading.
func of(model string) string {
	if model == "" {
		return ""
	}
	return printable(model) + ": "
}
