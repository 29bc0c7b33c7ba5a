package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"lacuna/knowledge"
	"lacuna/knowledge/gate"
	"lacuna/knowledge/history"
	"lacuna/knowledge/passage"
	"lacuna/server/workspace"
)

// gateOptions are the flags of lacuna gate.
type gateOptions struct {
	history   string
	questions string
	queries   string
	policies  []string
	against   string
	price     float64
	folds     int
	seed      uint64
	plots     string
	json      bool
	flags     *pflag.FlagSet
}

func gateCommand() command {
	var o gateOptions
	return command{
		name:      "gate",
		arguments: "train|predict|report [QUESTION]",
		summary:   "learn and show when a model's own answer is enough",
		details: `
A gate looks at a question and at the model's own answer, and decides whether
the sources are searched as well.

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

Questions of the history whose own source is in the base are left out: there the
base hands the gate the answer.

Policies: never, always, refusal (retrieve where the model has no answer),
fallback (retrieve, but keep the model's answer where the other refuses), kind
(retrieve for those kinds of questions for which it has paid), default (all of
that), score and arbiter (its learned parts), think-then-act and self-dc (by how
sure the model said it was), skr-knn, sn, rqm, linear, ccsk, ccsk-literal,
ccsk-outer, ccsk-pooled, and ccsk-fixed-prediction, -confidence, -single and
ccsk-fixed, with thresholds left where their search begins. manual-cot and
manual-cot-ir decide just like never and always.`,
		flags: func(f *pflag.FlagSet) {
			o.flags = f
			f.StringVar(&o.history, "history", "", "learn from or measure on the answers in `FILE`; - is standard input (default: what you made of answers in this workspace)")
			f.StringVar(&o.questions, "questions", "", "questions and options by id are in `FILE`")
			f.StringVar(&o.queries, "queries", "", "predict for every question of `FILE`, which may have a model's answers as \"closed\"")
			f.StringArrayVar(&o.policies, "policy", nil, "train or predict with the policy `NAME` (default: that of the setting gate.policy, or default); report may be given more than one")
			f.StringVar(&o.against, "against", standard, "report gives gains against the policy `NAME`")
			f.Float64Var(&o.price, "price", gate.DefaultPrice, "one retrieval must earn `P` of accuracy, in 0..1, in place of the setting gate.price")
			f.IntVar(&o.folds, "folds", 5, "cross-validate in `N` parts, each question in one")
			f.Uint64Var(&o.seed, "seed", 1, "draw what is drawn at random from the seed `N`")
			f.StringVar(&o.plots, "plots", "", "report writes its figures and the fused features to the folder `DIR`")
			f.BoolVar(&o.json, "json", false, "print JSON")
		},
		run: func(ctx context.Context, p *program, args []string) error { return p.gate(ctx, &o, args) },
	}
}

func (p *program) gate(ctx context.Context, o *gateOptions, args []string) error {
	switch {
	case len(args) == 0 || args[0] != "train" && args[0] != "predict" && args[0] != "report":
		return usagef("gate: say what to do: train, predict or report\n%s", hint("gate"))
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
	if args[0] == "train" {
		return p.gateTrain(ctx, o)
	}
	return p.gateReport(ctx, o)
}

// study is a history in a workspace.
type study struct {
	workspace *workspace.Workspace
	encoder   gate.Encoder // nil where the sources are too few to train one
	items     []gate.Item
	dropped   []gate.Item // whose own source is in the base
}

// study opens the workspace, which is to be closed, and reads the history.
func (p *program) study(ctx context.Context, o *gateOptions) (*study, error) {
	w, library, err := p.gateBase(ctx, o)
	if err != nil {
		return nil, err
	}
	items, err := p.gateHistory(ctx, w, o)
	if err != nil {
		w.Close()
		return nil, err
	}
	s := &study{workspace: w, encoder: encoderOf(library)}
	s.items, s.dropped = gate.SplitOff(items, sourcesOf(library))
	if len(s.items) == 0 {
		w.Close()
		return nil, usagef("--history: no question is left to learn from")
	}
	return s, nil
}

// sourcesOf are the passages that a question of a history may have been made of. Accepted answers are not
// among them: in what a user made of answers every accepted question is a stored one as well, and without
// those only the answers that went wrong would be left to learn from.
func sourcesOf(library *knowledge.Library) []*passage.Passage {
	return slices.DeleteFunc(slices.Clone(library.Passages()), func(p *passage.Passage) bool { return p.Source == history.SourceName })
}

// gateHistory is the history that the flags name, or what the user made of answers.
func (p *program) gateHistory(ctx context.Context, w *workspace.Workspace, o *gateOptions) ([]gate.Item, error) {
	questions, err := p.gateQuestions(ctx, o)
	if err != nil {
		return nil, err
	}
	if o.history == "" {
		return p.ownHistory(w, questions)
	}
	return readFile(ctx, p, "--history", o.history, func(r io.Reader) ([]gate.Item, error) { return gate.Read(r, questions) })
}

// ownHistory is what the user made of answers. What cannot be read of it is told, and nothing is
// learned from it.
func (p *program) ownHistory(w *workspace.Workspace, questions map[string]gate.Question) ([]gate.Item, error) {
	labels, err := w.History().Labels()
	unread, unreadErr := w.History().Unread()
	if err := errors.Join(err, unreadErr); err != nil {
		return nil, err
	}
	p.warnUnread(unread)
	if len(labels) == 0 {
		return nil, usagef("nobody has accepted, rejected or overruled an answer in this workspace yet; give --history FILE\n%s", hint("gate"))
	}
	var rows bytes.Buffer
	for _, l := range labels {
		if err := json.NewEncoder(&rows).Encode(l); err != nil {
			return nil, err
		}
	}
	return gate.Read(&rows, questions)
}

// gateBase opens the workspace and brings its index up to date. The settings say what no flag says.
func (p *program) gateBase(ctx context.Context, o *gateOptions) (*workspace.Workspace, *knowledge.Library, error) {
	w, err := p.open(ctx, "")
	if err != nil {
		return nil, nil, err
	}
	library, err := p.refresh(ctx, w)
	if err != nil {
		w.Close()
		return nil, nil, err
	}
	if !o.flags.Changed("price") {
		o.price = w.Settings().Gate.Price
	}
	return w, library, nil
}

// encoderOf is the encoder of a library, or nil.
func encoderOf(library *knowledge.Library) gate.Encoder {
	if e := gate.LibraryEncoder(library); e != nil {
		return gate.Remember(e)
	}
	return nil
}

func (p *program) gateQuestions(ctx context.Context, o *gateOptions) (map[string]gate.Question, error) {
	if o.questions == "" {
		return nil, nil
	}
	return readFile(ctx, p, "--questions", o.questions, gate.ReadQuestions)
}

// learners are those of the names, in the order of the list of all; one that needs an encoder where
// there is none is an error.
func (s *study) learners(o *gateOptions, names ...string) ([]gate.Learner, error) {
	wanted := make(map[string]bool, len(names))
	for _, name := range names {
		if _, err := gate.Find(name, o.price); err != nil {
			return nil, usageError{fmt.Errorf("--policy: %w", err)}
		}
		wanted[name] = true
	}
	var learners []gate.Learner
	for _, l := range gate.Learners(o.price) {
		if !wanted[l.Name] {
			continue
		}
		if l.Encodes && s.encoder == nil {
			return nil, errNoEncoder(l.Name)
		}
		if s.known(l) == 0 {
			return nil, usagef("--policy: %s decides by %s, and no pair of the history has that", l.Name, l.Fields)
		}
		learners = append(learners, l)
	}
	return learners, nil
}

// known counts the pairs that come with what a policy decides by.
func (s *study) known(l gate.Learner) int {
	if l.Knows == nil {
		return len(s.items)
	}
	n := 0
	for _, i := range s.items {
		if l.Knows(i.Question) {
			n++
		}
	}
	return n
}

// compare cross-validates learners and, on a terminal, names the one that it is at.
func (s *study) compare(ctx context.Context, p *program, o *gateOptions, learners []gate.Learner) (gate.Comparison, error) {
	if !isTerminal(p.console) {
		return gate.Compare(ctx, learners, s.items, s.encoder, o.folds, o.seed, nil)
	}
	defer fmt.Fprint(p.console, "\r\x1b[K")
	return gate.Compare(ctx, learners, s.items, s.encoder, o.folds, o.seed, func(policy string) {
		fmt.Fprintf(p.console, "\r\x1b[Klacuna: cross-validating %s", policy)
	})
}

func errNoEncoder(policy string) error {
	return usagef("--policy: %s compares texts by the encoder that is trained on the sources, and these are too few to train one", policy)
}

// printHistory says what is learnt from.
func (s *study) printHistory(p *program) {
	fmt.Fprintf(p.out, "history: %s of %s\n", count(len(s.items), "pair"), count(len(models(s.items)), "model"))
	if n := len(distinctIDs(s.dropped)); n > 0 {
		fmt.Fprintf(p.out, "left out: %s (%s), whose own source is in the base\n", count(n, "question"), count(len(s.dropped), "pair"))
	}
}

// models are those of a history, in the order in which they come.
func models(items []gate.Item) []string {
	var names []string
	seen := make(map[string]bool)
	for _, i := range items {
		if !seen[i.Model] {
			seen[i.Model] = true
			names = append(names, i.Model)
		}
	}
	return names
}

func distinctIDs(items []gate.Item) map[string]bool {
	ids := make(map[string]bool)
	for _, i := range items {
		if i.ID != "" {
			ids[i.ID] = true
		} else {
			ids[strings.ToLower(i.Text)] = true
		}
	}
	return ids
}

// errOnePolicy says that train and predict take one policy.
var errOnePolicy = errors.New("--policy: one policy can be trained or asked at a time")

// policy is the one that train or predict is to use; "" where none is named.
func (o *gateOptions) policy() (string, error) {
	switch len(o.policies) {
	case 0:
		return "", nil
	case 1:
		return o.policies[0], nil
	}
	return "", usageError{errOnePolicy}
}
