package gate

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"lacuna/knowledge/answer/systems"
)

// Fixed is a policy that always decides the same.
type Fixed struct {
	name     string
	retrieve bool
	why      string
}

// Always retrieves. It decides as long as there is no history.
var Always = Fixed{"always", true, "every question is answered from the sources"}

// Never answers from the model alone.
var Never = Fixed{"never", false, "every question is answered by the model alone"}

// Name implements [Policy].
func (f Fixed) Name() string { return f.name }

// ByQuestion returns true.
func (Fixed) ByQuestion() bool { return true }

// Decide implements [Policy].
func (f Fixed) Decide(Question) Decision {
	d := Decision{Policy: f.name, Retrieve: f.retrieve, Threshold: .5, Why: f.why}
	if f.retrieve {
		d.Score = 1
	}
	return d
}

// refusal retrieves if the closed-book answer refuses, which cannot hurt.
type refusal struct{}

func (refusal) Name() string { return "refusal" }

func (refusal) Decide(q Question) Decision {
	d := Decision{Policy: "refusal", Threshold: .5, Why: "the model has an answer of its own"}
	if Refuses(q, q.Closed) {
		d.Retrieve, d.Score, d.Why = true, 1, "the model has no answer of its own"
	}
	return d
}

// fallback is a policy that keeps the closed-book answer if the retrieved one refuses.
type fallback struct {
	Policy
	name string
}

var _ Arbiter = fallback{} // which callers find out by a type assertion

func (f fallback) Name() string { return f.name }

func (f fallback) Decide(q Question) Decision {
	d := f.Policy.Decide(q)
	d.Policy = f.name
	return d
}

func (f fallback) KeepsClosed(q Question, retrieved Response) bool {
	return Refuses(q, &retrieved) && !Refuses(q, q.Closed)
}

// What the group prior assumes: the prior counts as priorWeight questions without a difference, groups with
// fewer than minGroup questions take the model's prior, and a model with fewer always retrieves.
// DefaultPrice is how much accuracy one retrieval must earn. Measured on questions of medical examinations
// with the answers of two models (docs/gate.md).
const (
	priorWeight  = 50
	minGroup     = 30
	DefaultPrice = .02
)

// group is a set of questions that a prior is learnt for.
type group struct {
	model string
	kind  QuestionType
}

// Prior retrieves if the closed-book answer refuses, and for questions of a group for which retrieval has
// paid. A group is a model with a type of question.
type Prior struct {
	name   string
	price  float64
	groups map[group]tally
	models map[string]tally
	all    int
}

// tally counts the questions of a group and what retrieval gained for them.
type tally struct {
	N    int     `json:"n"`
	Gain float64 `json:"gain"`
}

func (t tally) prior() float64 { return t.Gain / (float64(t.N) + priorWeight) }

func (t tally) plus(gain float64) tally { return tally{t.N + 1, t.Gain + gain} }

// FitPrior learns from a history what retrieval gains for each group. With the fallback, a retrieved answer
// that refuses counts as the closed-book one.
func FitPrior(name string, history []Item, price float64, withFallback bool) *Prior {
	p := &Prior{name: name, price: price, groups: make(map[group]tally), models: make(map[string]tally), all: len(history)}
	for _, i := range history {
		gain := i.Score[1] - i.Score[0]
		if withFallback && Refuses(i.Question, &i.Retrieved) {
			gain = 0
		}
		g := group{i.Model, QuestionTypeOf(i.Question)}
		p.groups[g], p.models[i.Model] = p.groups[g].plus(gain), p.models[i.Model].plus(gain)
	}
	return p
}

// Name implements [Policy].
func (p *Prior) Name() string { return p.name }

// Decide implements [Policy].
func (p *Prior) Decide(q Question) Decision {
	d := Decision{Policy: p.name, Threshold: p.price}
	if Refuses(q, q.Closed) {
		d.Retrieve, d.Score, d.Why = true, 1, "the model has no answer of its own"
		return d
	}
	kind := QuestionTypeOf(q)
	of, name := p.groups[group{q.Model, kind}], fmt.Sprintf("%s questions", kind)
	if of.N < minGroup {
		of, name = p.models[q.Model], "questions"
	}
	if of.N < minGroup {
		d.Retrieve, d.Score, d.Why = true, 1, "too few past questions to tell"
		return d
	}
	d.Score = of.prior()
	d.Retrieve = d.Score > p.price
	d.Signals = map[string]float64{"prior": d.Score, "history": float64(of.N)}
	d.Why = fmt.Sprintf("retrieval changed the share of right answers to %s by %+.1f points in %d past ones", name, 100*of.Gain/float64(of.N), of.N)
	return d
}

// rule makes a learner of a policy that needs no history.
func rule(p Policy) Learner {
	l := plain(p.Name(), func([]Item) Policy { return p })
	l.Rule = true
	return l
}

// alias makes a learner of a fixed policy under the name that it has in a paper.
func alias(name string, p Fixed) Learner {
	l := rule(Fixed{name, p.retrieve, p.why})
	l.SameAs = p.name
	return l
}

// plain makes a learner of a policy that needs no encoder.
func plain(name string, fit func(history []Item) Policy) Learner {
	return Learner{Name: name, Fit: func(_ context.Context, history []Item, _ Encoder, _ uint64) (Policy, error) {
		return fit(history), nil
	}}
}

// sortedKeys returns the keys of a map in order.
func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// selfReport retrieves if the model, asked before it answered, said that it was not sure enough. It reads
// what a history or a question has recorded and asks nothing itself; to ask the model, let the system of the
// same name answer (see [SelfDeciding]).
type selfReport struct {
	name    string
	enough  float64 // the confidence, in 0..1, from which the model answers alone
	doubt   float64 // 1 - enough
	checked bool    // the question must have been checked first
}

// thinkThenAct and selfDC decide as the systems with these names do. Self-DC takes a question between its two
// bounds apart and looks up the parts that the model does not know, so such a question counts as retrieved.
var (
	thinkThenAct = selfReport{"think-then-act", systems.ThinkThenActThreshold, 1 - systems.ThinkThenActThreshold, true}
	selfDC       = selfReport{"self-dc", systems.SelfDCThreshold, 1 - systems.SelfDCThreshold, false}
)

// Name implements [Policy].
func (s selfReport) Name() string { return s.name }

// knows reports whether a question has what the policy decides by.
func (s selfReport) knows(q Question) bool {
	return q.Confidence != nil && (q.Check != "" || !s.checked)
}

// Decide implements [Policy]. A confidence that was not recorded counts as none, as in the papers.
func (s selfReport) Decide(q Question) Decision {
	d := Decision{Policy: s.name, Threshold: s.doubt}
	if !s.knows(q) {
		d.Retrieve, d.Score, d.Why = true, 1, "it is not recorded how sure the model was"
		return d
	}
	sure := *q.Confidence
	d.Retrieve, d.Score, d.Signals = sure < s.enough, 1-sure, map[string]float64{"confidence": sure}
	d.Why = systems.DescribeConfidence(sure)
	if s.checked {
		d.Why = fmt.Sprintf("the question is %s, and %s", q.Check, d.Why)
	}
	return d
}

// learner makes the policy available as a learner.
func (s selfReport) learner(fields string) Learner {
	l := rule(s)
	l.Knows, l.Fields = s.knows, fields
	return l
}
