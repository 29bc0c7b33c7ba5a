package cli

import (
	"cmp"
	"context"
	"fmt"

	"lacuna/knowledge/gate"
)

// standard is the policy of the product, which others have to beat.
const standard = "default"

// gateTrainJSON is what gate train --json prints.
type gateTrainJSON struct {
	Policy  string     `json:"policy"`
	Dir     string     `json:"dir"`
	Pairs   int        `json:"pairs"`
	Dropped int        `json:"dropped"` // questions left out
	Rows    []gateRow  `json:"rows"`
	Verdict []string   `json:"verdict"`
	Missing []string   `json:"missing"` // parts of the policy that the history is too small for
	Trained gate.About `json:"trained"`
}

// gateTrain compares the chosen policy with the plain rules, fits it to the whole history and keeps it.
func (p *program) gateTrain(ctx context.Context, o *gateOptions) error {
	named, err := o.policy()
	if err != nil {
		return err
	}
	s, err := p.study(ctx, o)
	if err != nil {
		return err
	}
	defer s.workspace.Close()
	chosen := cmp.Or(named, s.set(o), standard)
	if l, err := gate.Find(chosen, o.price); err == nil && l.Rule {
		return usagef("--policy: %s is a rule that nothing is learnt for: set gate.policy = %q; lacuna gate report --policy %s says what it is worth", chosen, chosen, chosen)
	}
	names := []string{"never", "always", "refusal", "fallback", "kind", standard, chosen}
	if chosen == standard && s.encoder != nil {
		names = append(names, score, arbiter)
	}
	learners, err := s.learners(o, names...)
	if err != nil {
		return err
	}
	comparison, err := s.compare(ctx, p, o, learners)
	if err != nil {
		return err
	}
	learner, said := s.choose(o, chosen, learners, comparison)
	policy, err := learner.Fit(ctx, s.items, s.encoder, o.seed)
	if err != nil {
		return err
	}
	about := s.about(o)
	if err := s.workspace.KeepGate(ctx, policy, about); err != nil {
		return err
	}
	missing := gate.MissingOf(policy)
	if missing == nil {
		missing = []string{}
	}
	rows := comparison.Table(standard)
	out := gateTrainJSON{
		Policy: chosen, Dir: display(s.workspace.Root(), s.workspace.GateDir()), Pairs: len(s.items), Dropped: len(distinctIDs(s.dropped)),
		Rows: rowsJSON(rows), Verdict: append(append(said, verdicts(rows, chosen)...), s.cautions(rows, comparison)...), Missing: missing, Trained: about,
	}
	if o.json {
		return p.printJSON(out)
	}
	s.printHistory(p)
	fmt.Fprintf(p.out, "%d folds by question, gains against %s\n", o.folds, standard)
	printGateTable(p.out, pooled(rows))
	fmt.Fprintln(p.out)
	for _, verdict := range out.Verdict {
		fmt.Fprintln(p.out, verdict)
	}
	for _, part := range missing {
		fmt.Fprintf(p.out, "not all of %s could be trained: %s\n", chosen, printable(part))
	}
	fmt.Fprintf(p.out, "kept: %s at the price %g in %s\n", chosen, o.price, out.Dir)
	if s.workspace.Settings().Gate.Policy != chosen {
		fmt.Fprintf(p.out, "It decides once the setting gate.policy is %q.\n", chosen)
	}
	return nil
}

// set is the policy of the settings, if it is one to be trained.
func (s *study) set(o *gateOptions) string {
	policy := s.workspace.Settings().Gate.Policy
	if l, err := gate.Find(policy, o.price); err != nil || l.Rule {
		return ""
	}
	return policy
}

func (s *study) about(o *gateOptions) gate.About {
	about := gate.About{Price: o.price, Seed: o.seed, Questions: len(s.items), Dropped: len(s.dropped)}
	for _, i := range s.items {
		if i.Label() != gate.Same {
			about.Differ++
		}
	}
	return about
}

// The learned parts of the standard policy, as policies of their own.
const (
	score   = "score"
	arbiter = "arbiter"
)

// choose finds the learner to keep. The learned parts of the standard policy are switched on only where
// the interval of their gain over it, over all questions, excludes 0; what was found is said.
func (s *study) choose(o *gateOptions, chosen string, learners []gate.Learner, c gate.Comparison) (kept gate.Learner, said []string) {
	on := make(map[string]bool)
	for _, l := range learners {
		if l.Name == chosen {
			kept = l
		}
		if chosen != standard || l.Name != score && l.Name != arbiter {
			continue
		}
		gain := c.Gain(l.Name, standard)
		on[l.Name] = gain.Low > 0
		name := map[string]string{score: "learned score", arbiter: "arbiter"}[l.Name]
		if on[l.Name] {
			said = append(said, fmt.Sprintf("The %s is on: %s.", name, points(gain)))
		} else {
			said = append(said, fmt.Sprintf("The %s stays off: %s is not shown to be a gain.", name, points(gain)))
		}
	}
	if on[score] || on[arbiter] {
		kept = gate.Improve(o.price, on[score], on[arbiter])
	}
	return kept, said
}

func points(gain gate.Interval) string {
	return fmt.Sprintf("%+.2f points [%+.2f, %+.2f]", 100*gain.Mean, 100*gain.Low, 100*gain.High)
}

// verdicts say for each model in a sentence what the chosen policy is worth.
func verdicts(rows []gate.Row, chosen string) []string {
	var said []string
	for _, r := range pooled(rows) {
		if r.Policy == chosen && chosen != standard {
			said = append(said, verdict(r))
		}
	}
	return said
}

// verdict never praises a gain that chance explains.
func verdict(r gate.Row) string {
	where := ""
	if r.Model != "" {
		where = " for " + printable(r.Model)
	}
	interval := points(r.Gain) + " on " + count(r.N, "question")
	switch {
	case r.Gain.Low > 0:
		return fmt.Sprintf("%s is better than %s%s: %s.", r.Policy, standard, where, interval)
	case r.Gain.High < 0:
		return fmt.Sprintf("%s is worse than %s%s: %s.", r.Policy, standard, where, interval)
	}
	return fmt.Sprintf("%s is not shown to differ from %s%s: %s; the interval includes 0, and the plain rule serves as well.", r.Policy, standard, where, interval)
}
