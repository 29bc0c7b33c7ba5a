package cli

import (
	"cmp"
	"context"
	"fmt"

	"lacuna/knowledge/gate"
)

const (
	standard = "default" // policy of the product, which others have to beat
)

// gateTrainJSON is what gate train --json prints.
type gateTrainJSON struct {
	Policy  string     `json:"policy"`
	Dir     string     `json:"dir"`
	Pairs   int        `json:"pairs"`
	Dropped int        `json:"dropped"` // questions left out
	Rows    []gateRow  `json:"rows"`
	Verdict []string   `json:"verdict"`
	Trained gate.About `json:"trained"`
}

// gateTrain compares the chosen policy with the plain rules, fits it to the whole history and keeps it.
func (p *program) gateTrain(ctx context.Context, o *gateOptions) error {
	named, err := o.policy()
	if err != nil {
		return err
	}
	chosen := cmp.Or(named, standard)
	s, err := p.study(ctx, o)
	if err != nil {
		return err
	}
	defer s.workspace.Close()
	learners, err := s.learners(o, "never", "always", "refusal", "fallback", "kind", standard, chosen)
	if err != nil {
		return err
	}
	comparison, err := s.compare(ctx, p, o, learners)
	if err != nil {
		return err
	}
	var policy gate.Policy
	for _, l := range learners {
		if l.Name == chosen {
			if policy, err = l.Fit(ctx, s.items, s.encoder, o.seed); err != nil {
				return err
			}
		}
	}
	about := gate.About{Price: o.price, Seed: o.seed, Questions: len(s.items), Dropped: len(s.dropped)}
	for _, i := range s.items {
		if i.Label() != gate.Same {
			about.Differ++
		}
	}
	dir := gateDir(s.workspace)
	if err := gate.Save(ctx, dir, policy, about); err != nil {
		return err
	}
	rows := comparison.Table(standard)
	if o.json {
		return p.printJSON(gateTrainJSON{
			Policy: chosen, Dir: display(s.workspace.Root(), dir), Pairs: len(s.items), Dropped: len(distinctIDs(s.dropped)),
			Rows: rowsJSON(rows), Verdict: verdicts(rows, chosen), Trained: about,
		})
	}
	s.printHistory(p)
	fmt.Fprintf(p.out, "%d folds by question, gains against %s\n", o.folds, standard)
	printGateTable(p.out, pooled(rows))
	for _, verdict := range verdicts(rows, chosen) {
		fmt.Fprintln(p.out, verdict)
	}
	fmt.Fprintf(p.out, "kept: %s at the price %g in %s\n", chosen, o.price, display(s.workspace.Root(), dir))
	return nil
}

// verdicts say for each model in a sentence what the chosen policy is worth, and what so many questions
// can tell.
func verdicts(rows []gate.Row, chosen string) []string {
	var said []string
	for _, r := range pooled(rows) {
		if r.Policy == chosen && chosen != standard {
			said = append(said, verdict(r))
		}
	}
	return append(said, cautions(rows)...)
}

// verdict never praises a gain that chance explains.
func verdict(r gate.Row) string {
	where := ""
	if r.Model != "" {
		where = " for " + printable(r.Model)
	}
	interval := fmt.Sprintf("%+.1f points [%+.1f, %+.1f] on %s", 100*r.Gain.Mean, 100*r.Gain.Low, 100*r.Gain.High, count(r.N, "question"))
	switch {
	case r.Gain.Low > 0:
		return fmt.Sprintf("%s is better than %s%s: %s.", r.Policy, standard, where, interval)
	case r.Gain.High < 0:
		return fmt.Sprintf("%s is worse than %s%s: %s.", r.Policy, standard, where, interval)
	}
	return fmt.Sprintf("%s is not shown to differ from %s%s: %s; the interval includes 0, and the plain rule serves as well.", r.Policy, standard, where, interval)
}
