package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"lacuna/knowledge/gate"
	"lacuna/knowledge/par"
	"lacuna/server/workspace"
)

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
	asked, err := p.asked(ctx, o, args)
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
	decided, unknown, unread := 0, 0, 0
	l, _ := gate.Find(policy.Name(), o.price)
	err = par.Stream(ctx, asked, func(_ context.Context, a askedQuestion) (predicted, error) {
		made := predicted{askedQuestion: a}
		if a.err == nil {
			made.decision = policy.Decide(a.Question)
		}
		return made, nil
	}, func(made predicted) error {
		if made.err != nil {
			unread++
			return p.printFailed(query{err: made.err}, o.json)
		}
		decided++
		if l.Knows != nil && !l.Knows(made.Question) {
			unknown++
		}
		return p.printDecision(o, made.Question, made.decision)
	})
	if unknown > 0 {
		p.warn("%s decides by %s, which %s of %d do not have: it retrieves for them", l.Name, l.Fields, count(unknown, "question"), decided)
	}
	if err == nil && unread > 0 {
		return usagef("%s of --queries could not be read", count(unread, "line"))
	}
	return err
}

// askedQuestion is a question to decide about, or what is wrong with the line in its place.
type askedQuestion struct {
	gate.Question
	err error
}

// predicted is what was decided about a question.
type predicted struct {
	askedQuestion
	decision gate.Decision
}

// asked are the questions to decide about, each as soon as its line is there. The channel ends with them
// or with ctx.
func (p *program) asked(ctx context.Context, o *gateOptions, args []string) (<-chan askedQuestion, error) {
	question := strings.TrimSpace(strings.Join(args, " "))
	switch {
	case o.queries != "" && question != "":
		return nil, usagef("gate predict: give --queries or a question, not both\n%s", hint("gate"))
	case o.queries == "" && question == "":
		return nil, usagef("gate predict: give a question or --queries FILE\n%s", hint("gate"))
	case o.queries == "":
		one := make(chan askedQuestion, 1)
		one <- askedQuestion{Question: gate.Question{ID: "1", Text: question}}
		close(one)
		return one, nil
	}
	questions, err := p.gateQuestions(ctx, o)
	if err != nil {
		return nil, err
	}
	in, name, err := p.input("--queries", o.queries)
	if err != nil {
		return nil, err
	}
	asked := make(chan askedQuestion)
	go func() {
		defer close(asked)
		defer in.Close()
		hand := func(q gate.Question, err error) error {
			if err != nil {
				err = fmt.Errorf("--queries: %s: %w", name, err)
			}
			select {
			case asked <- askedQuestion{q, err}:
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		if err := gate.EachAsked(in, questions, hand); err != nil {
			_ = hand(gate.Question{}, err)
		}
	}()
	return asked, nil
}

// gatePolicy is the kept gate, or a rule that needs no history.
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
	for _, part := range gate.MissingOf(kept.Policy) {
		p.warn("not all of %s could be trained: %s", kept.Policy.Name(), printable(part))
	}
	if named != "" && kept.Policy.Name() != named {
		return nil, usagef("--policy: the gate of this workspace is %s; lacuna gate train --policy %s trains the other", kept.Policy.Name(), named)
	}
	return kept.Policy, nil
}

// printDecision shows what was decided about a question, and passes it on at once.
func (p *program) printDecision(o *gateOptions, q gate.Question, d gate.Decision) error {
	if !o.json {
		printDecision(p.out, q, d)
		return p.out.Flush()
	}
	line := gateDecisionJSON{
		ID: q.ID, Question: q.Text, Model: q.Model, Policy: d.Policy, Retrieve: d.Retrieve, Score: d.Score, Threshold: d.Threshold,
		Why: d.Why, Signals: d.Signals, Near: make([]nearJSON, 0, len(d.Near)), Missing: d.Missing,
	}
	if line.Signals == nil {
		line.Signals = map[string]float64{}
	}
	for _, n := range d.Near {
		line.Near = append(line.Near, nearJSON{n.ID, n.Text, n.Similarity, string(n.Label)})
	}
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
