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
	asked, err := p.asked(o, args)
	if err != nil {
		return err
	}
	w, library, err := p.gateBase(ctx, o)
	if err != nil {
		return err
	}
	defer w.Close()
	policy, err := p.gatePolicy(ctx, o, w.GateDir(), encoderOf(library))
	if err != nil {
		return err
	}
	p.warnUnknown(o, policy, asked)
	for _, q := range asked {
		d := policy.Decide(q)
		if !o.json {
			printDecision(p.out, q, d)
			continue
		}
		line := gateDecisionJSON{
			ID: q.ID, Question: q.Text, Model: q.Model, Policy: d.Policy, Retrieve: d.Retrieve, Score: d.Score, Threshold: d.Threshold,
			Why: d.Why, Signals: d.Signals, Near: make([]nearJSON, 0, len(d.Near)),
		}
		if line.Signals == nil {
			line.Signals = map[string]float64{}
		}
		for _, n := range d.Near {
			line.Near = append(line.Near, nearJSON{n.ID, n.Text, n.Similarity, string(n.Label)})
		}
		if err := p.printJSON(line); err != nil {
			return err
		}
	}
	return nil
}

// warnUnknown says for how many questions nobody recorded what the policy decides by.
func (p *program) warnUnknown(o *gateOptions, policy gate.Policy, asked []gate.Question) {
	l, err := gate.Find(policy.Name(), o.price)
	if err != nil || l.Knows == nil {
		return
	}
	unknown := 0
	for _, q := range asked {
		if !l.Knows(q) {
			unknown++
		}
	}
	if unknown > 0 {
		p.warn("%s decides by %s, which %s of %d do not have: it retrieves for them", l.Name, l.Fields, count(unknown, "question"), len(asked))
	}
}

// asked are the questions to decide about.
func (p *program) asked(o *gateOptions, args []string) ([]gate.Question, error) {
	question := strings.TrimSpace(strings.Join(args, " "))
	switch {
	case o.queries != "" && question != "":
		return nil, usagef("gate predict: give --queries or a question, not both\n%s", hint("gate"))
	case o.queries == "" && question == "":
		return nil, usagef("gate predict: give a question or --queries FILE\n%s", hint("gate"))
	case o.queries == "":
		return []gate.Question{{ID: "1", Text: question}}, nil
	}
	questions, err := p.gateQuestions(o)
	if err != nil {
		return nil, err
	}
	return readFile(p, "--queries", o.queries, func(r io.Reader) ([]gate.Question, error) { return gate.ReadAsked(r, questions) })
}

// gatePolicy is the kept gate, or a rule that needs no history.
func (p *program) gatePolicy(ctx context.Context, o *gateOptions, dir string, e gate.Encoder) (gate.Policy, error) {
	named, err := o.policy()
	if err != nil {
		return nil, err
	}
	if l, err := gate.Find(named, o.price); err == nil && l.Rule {
		return l.Fit(ctx, nil, nil, o.seed)
	}
	kept, err := gate.Open(dir, e)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		p.warn("no gate has been trained in this workspace, so the sources are always searched; lacuna gate train trains one")
	case err != nil:
		p.warn("%v", err)
	}
	if named != "" && kept.Policy.Name() != named {
		return nil, usagef("--policy: the gate of this workspace is %s; lacuna gate train --policy %s trains the other", kept.Policy.Name(), named)
	}
	return kept.Policy, nil
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
