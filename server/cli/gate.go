package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"slices"

	"github.com/spf13/pflag"

	"lacuna/knowledge/gate"
	"lacuna/server/workspace"
)

func gateCommand() command {
	var o gateOptions
	return command{
		name:      "gate",
		arguments: "collect|train|predict|report [QUESTION]",
		summary:   "learn and show when a model's own answer is enough",
		details: `
A gate looks at a question and at the model's own answer, and decides whether
the sources are searched as well.

  collect  answers stored questions by the model alone and from the sources
           without the stored answer, writes both with the stored answer to
           --out as a history, trains, and says whether a gate is worth having
  train    learns from a history, shows how well that works on questions it has
           not seen, and keeps the gate with this workspace's index
  predict  shows what the kept gate decides, and every number it decides by
  report   compares policies on a history, and keeps nothing

FILE of --history is JSON Lines, also compressed with gzip: "question", "model",
"closed" (the model's own answer) and "retrieved" (the one from sources); with
"options" also "closed_choice" and "retrieved_choice"; and "gold", or
"closed_score" and "retrieved_score", or "label": "ir better", "ir worse" or
"same". Rows without a question take it from the same "id" in --questions.
"closed_confidence", in 0..1, is how sure the model said it was, and "check"
what it made of the question: "clear", "incomplete" or "ambiguous".

Questions of the history whose own source is in the base are left out, because
the base would give away the answer.

Policies: never, always, refusal (retrieve where the model has no answer),
fallback (retrieve, but keep the model's answer where the other refuses), kind
(retrieve for those kinds of questions for which it has paid), default (all of
that), think-then-act and self-dc (by how sure the model said it was), skr-knn,
sn, rqm, linear, ccsk, ccsk-literal, ccsk-outer, ccsk-pooled, and
ccsk-fixed-prediction, -confidence, -single and ccsk-fixed, with thresholds left
where their search begins. manual-cot and manual-cot-ir decide just like never
and always.`,
		flags: func(f *pflag.FlagSet) {
			o.flags = f
			f.StringVar(&o.history, "history", "", "learn from or measure on the answers in `FILE`; - is standard input (default: the labels of this workspace; see lacuna history)")
			f.StringVar(&o.questions, "questions", "", "questions and options by id are in `FILE`")
			f.StringVar(&o.queries, "queries", "", "predict for every question of `FILE`, which may have a model's answers as \"closed\"")
			f.StringArrayVar(&o.policies, "policy", nil, "train or predict with the policy `NAME` (default: that of the setting gate.policy, or default); report may be given more than one")
			f.StringVar(&o.against, "against", standard, "report gives gains against the policy `NAME`")
			f.Float64Var(&o.price, "price", gate.DefaultPrice, "one retrieval must earn `P` of accuracy, in 0..1, in place of the setting gate.price")
			f.IntVar(&o.folds, "folds", 5, "cross-validate in `N` parts, each question in one")
			f.Uint64Var(&o.seed, "seed", 1, "use the random seed `N`")
			f.StringVar(&o.plots, "plots", "", "report writes its figures and the fused features to the folder `DIR`")
			f.StringVar(&o.out, "out", "", "collect writes the history to `FILE`")
			f.StringVar(&o.system, "system", defaultCollector, "collect answers from the sources with the system `NAME`")
			f.IntVar(&o.limit, "limit", 0, "collect from `N` stored questions, drawn by --seed (default: all)")
			f.BoolVar(&o.yes, "yes", false, fmt.Sprintf("collect even if that may take more than %d calls of the model", freeCalls))
			f.BoolVar(&o.json, "json", false, "print JSON")
		},
		run: func(ctx context.Context, p *program, args []string) error { return p.gate(ctx, &o, args) },
	}
}

func (p *program) gate(ctx context.Context, o *gateOptions, args []string) error {
	switch {
	case len(args) == 0 || !slices.Contains([]string{"collect", "train", "predict", "report"}, args[0]):
		return usagef("gate: say what to do: collect, train, predict or report\n%s", hint("gate"))
	case o.price < 0 || o.price > 1:
		return usagef("--price: expected a share of accuracy in 0..1, found %g", o.price)
	case o.folds < 2:
		return usagef("--folds: expected a number from 2, found %d", o.folds)
	}
	if args[0] == "predict" {
		return p.gatePredict(ctx, o, args[1:])
	}
	if err := noArguments("gate "+args[0], args[1:]); err != nil {
		return err
	}
	switch args[0] {
	case "collect":
		return p.gateCollect(ctx, o)
	case "train":
		return p.gateTrain(ctx, o)
	}
	return p.gateReport(ctx, o)
}

// gateTrainJSON is the output of gate train --json.
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

// gateTrain compares the chosen policy with the plain rules, fits it to the whole history and stores it.
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
	chosen := cmp.Or(named, s.configuredPolicy(o), standard)
	if l, err := gate.Find(chosen, o.price); err == nil && l.Rule {
		return usagef("--policy: %s is a rule that nothing is learnt for: set gate.policy = %q; lacuna gate report --policy %s says what it is worth", chosen, chosen, chosen)
	}
	learners, err := s.learners(o, "never", "always", "refusal", "fallback", "kind", standard, chosen)
	if err != nil {
		return err
	}
	comparison, err := s.compare(ctx, p, o, learners)
	if err != nil {
		return err
	}
	learner := learners[slices.IndexFunc(learners, func(l gate.Learner) bool { return l.Name == chosen })]
	policy, err := learner.Fit(ctx, s.items, s.encoder, o.seed)
	if err != nil {
		return err
	}
	about := s.about(o)
	if err := s.workspace.KeepGate(ctx, policy, about); err != nil {
		return err
	}
	missing := gate.MissingParts(policy)
	if missing == nil {
		missing = []string{}
	}
	rows := comparison.Table(standard)
	said := append(verdicts(rows, chosen), s.cautions(rows, comparison)...)
	if o.collected {
		said = append(said, s.worth(comparison, learner))
	}
	out := gateTrainJSON{
		Policy: chosen, Dir: display(s.workspace.Root(), s.workspace.GateDir()), Pairs: len(s.items), Dropped: len(distinctIDs(s.dropped)),
		Rows: rowsJSON(rows), Verdict: said, Missing: missing, Trained: about,
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
	fmt.Fprintf(p.out, "stored: %s at the price %g in %s\n", chosen, o.price, out.Dir)
	if s.workspace.Settings().Gate.Policy != chosen {
		fmt.Fprintf(p.out, "It decides once the setting gate.policy is %q.\n", chosen)
	}
	return nil
}

// configuredPolicy returns the policy of the settings if it can be trained, or "".
func (s *study) configuredPolicy(o *gateOptions) string {
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

func points(gain gate.Interval) string {
	return fmt.Sprintf("%+.2f points [%+.2f, %+.2f]", 100*gain.Mean, 100*gain.Low, 100*gain.High)
}

// verdicts says for each model in a sentence what the chosen policy gains.
func verdicts(rows []gate.Row, chosen string) []string {
	var said []string
	for _, r := range pooled(rows) {
		if r.Policy == chosen && chosen != standard {
			said = append(said, verdict(r))
		}
	}
	return said
}

// verdict never claims a gain that chance explains.
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

// gateDecisionJSON is one line of gate predict --json.
type gateDecisionJSON struct {
	ID        string             `json:"id"`
	Question  string             `json:"question"`
	Model     string             `json:"model,omitempty"`
	Policy    string             `json:"policy"`
	Retrieve  bool               `json:"retrieve"`
	Score     float64            `json:"score"`
	Threshold float64            `json:"threshold"`
	Why       string             `json:"why"`
	Signals   map[string]float64 `json:"signals"`
	Near      []nearJSON         `json:"near"`
	Missing   []string           `json:"missing,omitempty"` // parts of the policy that could not be trained
}

// nearJSON is a past question that a decision rests on.
type nearJSON struct {
	ID       string  `json:"id,omitempty"`
	Question string  `json:"question"`
	Cosine   float64 `json:"cosine"`
	Label    string  `json:"label"`
}

// gatePredict shows what a gate decides, without asking any model.
func (p *program) gatePredict(ctx context.Context, o *gateOptions, args []string) error {
	lines, err := p.gateQueries(ctx, o, args)
	if err != nil {
		return err
	}
	w, library, err := p.gateBase(ctx, o)
	if err != nil {
		return err
	}
	defer w.Close()
	policy, err := p.gatePolicy(ctx, o, w, encoderOf(library))
	if err != nil {
		return err
	}
	decided, unknown := 0, 0
	l, _ := gate.Find(policy.Name(), o.price)
	decide := func(_ context.Context, q gate.Question) (gate.Decision, error) { return policy.Decide(q), nil }
	err = replies(ctx, lines, decide, func(q gate.Question, d gate.Decision) error {
		decided++
		if l.Knows != nil && !l.Knows(q) {
			unknown++
		}
		return p.printDecision(o, q, d)
	}, func(_ gate.Question, err error) error { return p.printFailed("", "", err, o.json) })
	if unknown > 0 {
		p.warn("%s decides by %s, which %s of %d do not have: it retrieves for them", l.Name, l.Fields, count(unknown, "question"), decided)
	}
	return err
}

// gateQueries returns the questions to decide about.
func (p *program) gateQueries(ctx context.Context, o *gateOptions, args []string) (<-chan line[gate.Question], error) {
	var known map[string]gate.Question
	if o.queries != "" {
		var err error
		if known, err = p.gateQuestions(ctx, o); err != nil {
			return nil, err
		}
	}
	one := func(text string) gate.Question { return gate.Question{ID: "1", Text: text} }
	return questions(ctx, p, "gate predict", o.queries, args, one, func(in io.Reader, send func(gate.Question, error) error) error {
		return gate.EachQuestion(in, known, send)
	})
}

// gatePolicy returns the stored gate, or a rule that needs no history.
func (p *program) gatePolicy(ctx context.Context, o *gateOptions, w *workspace.Workspace, e gate.Encoder) (gate.Policy, error) {
	named, err := o.policy()
	if err != nil {
		return nil, err
	}
	if l, err := gate.Find(named, o.price); err == nil && l.Rule {
		return l.Fit(ctx, nil, nil, o.seed)
	}
	kept, err := gate.Open(w.GateDirOf(named), e)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		p.warn("no gate has been trained in this workspace, so the sources are always searched; lacuna gate train trains one")
	case err != nil:
		p.warn("%v", err)
	}
	for _, part := range gate.MissingParts(kept.Policy) {
		p.warn("not all of %s could be trained: %s", kept.Policy.Name(), printable(part))
	}
	if named != "" && kept.Policy.Name() != named {
		return nil, usagef("--policy: the gate of this workspace is %s; lacuna gate train --policy %s trains the other", kept.Policy.Name(), named)
	}
	return kept.Policy, nil
}

// printDecision prints a decision and flushes it.
func (p *program) printDecision(o *gateOptions, q gate.Question, d gate.Decision) error {
	if !o.json {
		printDecision(p.out, q, d)
		return p.out.Flush()
	}
	line := gateDecisionJSON{
		ID: q.ID, Question: q.Text, Model: q.Model, Policy: d.Policy, Retrieve: d.Retrieve, Score: d.Score, Threshold: d.Threshold,
		Why: d.Why, Signals: d.Signals, Missing: d.Missing,
	}
	if line.Signals == nil {
		line.Signals = map[string]float64{}
	}
	line.Near = convert(d.Near, func(n gate.Neighbour) nearJSON { return nearJSON{n.ID, n.Text, n.Similarity, string(n.Label)} })
	return p.printJSON(line)
}

func printDecision(out io.Writer, q gate.Question, d gate.Decision) {
	word := "answer without sources"
	if d.Retrieve {
		word = "retrieve"
	}
	fmt.Fprintf(out, "%s %s\n  %s: %s\n  %s, score %.3f, threshold %.3f\n", printable(q.ID), printable(q.Text), word, printable(d.Why), d.Policy, d.Score, d.Threshold)
	for _, name := range slices.Sorted(maps.Keys(d.Signals)) {
		fmt.Fprintf(out, "  %-22s %7.3f\n", name, d.Signals[name])
	}
	for _, n := range d.Near {
		fmt.Fprintf(out, "  past, cosine %.3f, %s: %s\n", n.Similarity, n.Label, printable(n.Text))
	}
}
